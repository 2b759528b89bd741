//! The Security header in the order of the steps that made it: each puts what it makes on top (SMS 1.1 §5), so what was made last stands first.
//!
//! Not here: the order of what is needed first (`write`), and what is made at all (`compose`).

use bartizan_xml::write::Writer;

use super::compose::Composer;
use crate::error::Error;
use crate::part::EncryptHow;
use crate::plan::Step;

impl Composer<'_> {
    /// Writes what the steps made. Confirmations are made before all of them.
    pub(super) fn write_steps(&self, w: &mut Writer, sent: &mut Vec<Vec<u8>>) -> Result<(), Error> {
        for step in self.plan.steps.iter().rev() {
            match step {
                Step::Timestamp => {
                    if let Some((_, octets)) = &self.timestamp {
                        w.raw(octets);
                    }
                }
                Step::UsernameToken => self.write_username(w)?,
                Step::Signature => self.write_signature(w, sent)?,
                Step::Encryption => {
                    if let Some(sealer) = &self.sealer {
                        sealer.write_token(w);
                        sealer.write_key(w, true)?;
                    }
                }
            }
        }
        for (at, (_, octets)) in self.confirmations.iter().enumerate() {
            self.write_sealed(w, self.sealed_confirmations.get(at), octets)?;
        }
        Ok(())
    }

    /// Our certificate, if it is sent, and the signature under it.
    fn write_signature(&self, w: &mut Writer, sent: &mut Vec<Vec<u8>>) -> Result<(), Error> {
        let Some(signer) = &self.signer else { return Ok(()) };
        match &self.token {
            Some((_, octets)) => {
                w.raw(octets);
            }
            None => signer.write_token(w),
        }
        if self.sealed_signature.is_none() {
            sent.push(signer.write(w)?);
            return Ok(());
        }
        let mut inner = Writer::new();
        sent.push(signer.write(&mut inner)?);
        self.write_sealed(w, self.sealed_signature.as_ref(), &inner.finish()?)
    }

    /// Octets, or the ciphertext with that Id which they become.
    fn write_sealed(&self, w: &mut Writer, id: Option<&String>, octets: &[u8]) -> Result<(), Error> {
        match (id, &self.sealer) {
            (Some(id), Some(sealer)) => sealer.write_data(w, id, EncryptHow::Element, octets),
            _ => {
                w.raw(octets);
                Ok(())
            }
        }
    }
}
