//! `reuse = …`: whether requests may name the EncryptedKey of an earlier one, and how many secrets are kept for that.

use bartizan_wss::KeepBounds;
use toml::de::DeValue;

use super::section::Section;

impl Section<'_, '_, '_, '_> {
    /// `"on"`, `"off"` or a table; `None`: off.
    pub(super) fn reuse(&mut self) -> Option<KeepBounds> {
        let value = self.get("reuse")?;
        match value.get_ref() {
            DeValue::String(text) if text == "on" => Some(KeepBounds::default()),
            DeValue::String(text) if text == "off" => None,
            DeValue::String(text) => {
                self.wrong_value("reuse", text, value.span());
                None
            }
            DeValue::Table(_) => self.inner("service.reuse", value).map(Section::bounds),
            _ => {
                self.wrong_type("reuse", value);
                None
            }
        }
    }

    fn bounds(mut self) -> KeepBounds {
        let mut bounds = KeepBounds::default();
        self.set_duration("lifetime", &mut bounds.lifetime);
        self.set_number("capacity", &mut bounds.capacity);
        self.set_number("per_caller", &mut bounds.per_caller);
        self.set_number("nameless", &mut bounds.nameless);
        self.close();
        bounds
    }
}
