//! The Security header in the order of the steps that made it: each puts what it makes on top (SMS 1.1 §5), so what was made last stands first.
//!
//! Not here: the order of what is needed first (`write`), and what is made at all (`compose`).

use bartizan_xml::write::Writer;

use super::compose::Composer;
use crate::error::Error;
use crate::plan::Step;

impl Composer<'_> {
    /// Writes what the steps made. Confirmations are made before all of them.
    pub(super) fn write_steps(&self, w: &mut Writer, sent: &mut Vec<Vec<u8>>) -> Result<(), Error> {
        for step in self.plan.steps.iter().rev() {
            match step {
                Step::Timestamp => self.write_timestamp(w),
                Step::UsernameToken => self.write_username(w)?,
                Step::Signature => {
                    self.write_own_token(w);
                    self.write_signature(w, sent)?;
                }
                Step::Encryption => {
                    if let Some(sealer) = &self.sealer {
                        sealer.write_token(w);
                        sealer.write_key(w, true)?;
                    }
                }
            }
        }
        self.write_confirmations(w)
    }
}
