//! The start tag of an element in canonical form, taken apart and put together again: to add an Id without parsing the whole element.
//!
//! Canonical form makes this exact: one space before each item, double quotes, declarations before attributes, no `<` or `"` in a value.

use bartizan_xml::names::ns;
use bartizan_xml::write::free_prefix;

/// A start tag and what follows it.
pub(super) struct StartTag<'o> {
    name: &'o str,
    declarations: Vec<(&'o str, &'o str)>,
    attributes: Vec<(&'o str, &'o str)>,
    /// Everything behind the start tag.
    rest: &'o str,
}

impl<'o> StartTag<'o> {
    /// Takes canonical octets of one element apart.
    pub(super) fn parse(octets: &'o [u8]) -> Option<StartTag<'o>> {
        let text = std::str::from_utf8(octets).ok()?.strip_prefix('<')?;
        let end = text.find([' ', '>'])?;
        let (name, mut text) = text.split_at_checked(end)?;
        let (mut declarations, mut attributes) = (Vec::new(), Vec::new());
        while let Some(item) = text.strip_prefix(' ') {
            let (key, value) = item.split_once("=\"")?;
            let (value, tail) = value.split_once('"')?;
            if key.is_empty() || key.contains([' ', '/', '=', '\'']) {
                return None;
            }
            match key.strip_prefix("xmlns") {
                Some("") => declarations.push(("", value)),
                Some(prefix) if prefix.starts_with(':') => declarations.push((prefix.get(1..)?, value)),
                _ => attributes.push((key, value)),
            }
            text = tail;
        }
        Some(StartTag { name, declarations, attributes, rest: text.strip_prefix('>')? })
    }

    /// The value of an attribute by namespace and local name.
    pub(super) fn attribute(&self, namespace: &str, local: &str) -> Option<&'o str> {
        let found = self.attributes.iter().find(|(key, _)| self.expanded(key) == (namespace, local));
        found.map(|(_, value)| *value)
    }

    /// The element with a `wsu:Id`; the Id that it has already is kept. Gives the octets and the Id.
    pub(super) fn with_id(&self, id: &str) -> (Vec<u8>, String) {
        let wsu = ns::WSU.uri();
        if let Some(own) = self.attribute(wsu, "Id") {
            return (self.written(&[], &[]), own.to_owned());
        }
        let bound = self.declarations.iter().find(|(prefix, uri)| *uri == wsu && !prefix.is_empty());
        let (prefix, declare) = match bound {
            Some((prefix, _)) => ((*prefix).to_owned(), false),
            None => (self.free_prefix(), true),
        };
        let declarations = if declare { vec![(prefix.as_str(), wsu)] } else { Vec::new() };
        let key = format!("{prefix}:Id");
        (self.written(&declarations, &[(wsu, "Id", &key, id)]), id.to_owned())
    }

    fn free_prefix(&self) -> String {
        let declared: String = self.declarations.iter().map(|(prefix, _)| format!("{prefix}=")).collect();
        free_prefix("wsu", [declared.as_bytes(), self.rest.as_bytes()])
    }

    /// Namespace and local name of an attribute.
    fn expanded(&self, key: &'o str) -> (&'o str, &'o str) {
        match key.split_once(':') {
            None => ("", key),
            Some(("xml", local)) => (ns::XML.uri(), local),
            Some((prefix, local)) => {
                let uri = self.declarations.iter().find(|(p, _)| *p == prefix).map_or("", |(_, uri)| *uri);
                (uri, local)
            }
        }
    }

    /// The element again with more declarations and attributes, in canonical order.
    fn written(&self, declarations: &[(&str, &str)], attributes: &[(&str, &str, &str, &str)]) -> Vec<u8> {
        let mut all: Vec<(&str, &str)> =
            self.declarations.iter().copied().chain(declarations.iter().copied()).collect();
        all.sort_unstable();
        let own = self.attributes.iter().map(|(key, value)| {
            let (uri, local) = self.expanded(key);
            (uri, local, *key, *value)
        });
        let mut items: Vec<(&str, &str, &str, &str)> = own.chain(attributes.iter().copied()).collect();
        items.sort_unstable();
        let mut out = format!("<{}", self.name);
        for (prefix, uri) in all {
            let colon = if prefix.is_empty() { "" } else { ":" };
            out.push_str(&format!(" xmlns{colon}{prefix}=\"{uri}\""));
        }
        for (_, _, key, value) in items {
            out.push_str(&format!(" {key}=\"{value}\""));
        }
        out.push('>');
        out.push_str(self.rest);
        out.into_bytes()
    }
}

#[cfg(test)]
mod tests;
