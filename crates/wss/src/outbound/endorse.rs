//! Endorsing signatures on the way out: each over the octets of the primary signature as they are written, or over the Timestamp where TLS
//! protects the message (WS-SecurityPolicy 1.2 §8.3).
//!
//! Not here: the primary signature (`sign`), where everything stands (`write`).

use bartizan_keys::Identity;
use bartizan_xml::write::Writer;

use super::compose::{Composer, cover_block};
use super::ids::{Bearer, Ids};
use super::seal::Sealer;
use super::secret::{Around, Purpose, Shared};
use super::sign::Signer;
use super::username::Username;
use crate::env::Env;
use crate::error::Error;
use crate::part::{EncryptHow, Part};
use crate::plan::{EndorsePlan, OutPlan, SecretOut, SecretSource, SignedBy};

/// One endorsing signature.
pub(super) struct Endorser<'e> {
    plan: &'e EndorsePlan,
    signer: Signer<'e>,
    /// The user's key, and the one that is derived from it.
    derived: Option<Shared>,
    /// Our certificate, where it is sent: its Id and its octets.
    token: Option<(String, Vec<u8>)>,
    /// Id of the EncryptedData that the certificate becomes.
    sealed_token: Option<String>,
    /// Id of the EncryptedData that the signature becomes.
    sealed: Option<String>,
}

/// A signature that is finished.
pub(super) struct Finished {
    octets: Vec<u8>,
    value: Vec<u8>,
    sealed: Option<String>,
}

/// The endorsing signatures of a plan; `primary` is who signs the message, and never endorses himself.
pub(super) fn all<'e>(
    plan: &'e OutPlan,
    env: &'e Env<'e>,
    ids: &Ids<'_>,
    username: Option<&Username>,
    primary: Option<&Signer<'_>>,
) -> Result<Vec<Endorser<'e>>, Error> {
    let signer = primary.and_then(Signer::identity);
    let one = |plan: &'e EndorsePlan| {
        let derived = |keys| {
            let secret = SecretOut { source: SecretSource::User, derived: Some(keys) };
            Shared::new(&secret, env, ids, Around { request: None, username, signs: false })
        };
        let derived = plan.derived.map(derived).transpose()?;
        let signer = match (plan.sign.by, &derived) {
            (SignedBy::X509, _) => Signer::of(&plan.sign, other_than(signer, env)?, ids)?,
            (SignedBy::UsernameToken | SignedBy::Secret, Some(shared)) => {
                Signer::sharing(&plan.sign, shared, ids)?
            }
            (SignedBy::UsernameToken | SignedBy::Secret, None) => {
                Signer::new(&plan.sign, env, ids, username, None)?
            }
        };
        let token = signer.token()?;
        Ok(Endorser { plan, signer, derived, token, sealed_token: None, sealed: None })
    };
    plan.endorse.iter().map(one).collect()
}

/// An identity of ours whose key is not the signer's.
fn other_than<'e>(signer: Option<&Identity>, env: &Env<'e>) -> Result<&'e Identity, Error> {
    let Some(signer) = signer else { return env.keys.identity().ok_or(Error::NoOwnKey) };
    let mut others = env.keys.identities().iter().filter(|i| i.leaf().spki() != signer.leaf().spki());
    others.next().ok_or(Error::NoEndorser)
}

impl Endorser<'_> {
    /// Has the primary signature cover our certificate, where it is sent and the plan says so.
    pub(super) fn cover_token(&self, primary: &mut Signer<'_>) {
        if let (Some((id, octets)), true) = (&self.token, self.plan.signed) {
            primary.cover(id, &[octets]);
        }
    }

    /// Reserves the Ids of what is encrypted as it is written.
    pub(super) fn reserve(&mut self, sealer: &mut Sealer<'_>, signature: bool) {
        if self.plan.encrypted && self.token.is_some() {
            self.sealed_token = Some(sealer.reserve());
        }
        self.sealed = signature.then(|| sealer.reserve());
    }

    /// Writes the DerivedKeyToken, or the certificate or what that is encrypted to.
    pub(super) fn write_token(&self, w: &mut Writer, sealer: Option<&Sealer<'_>>) -> Result<(), Error> {
        if let Some(derived) = &self.derived {
            derived.write(w, &[Purpose::Sign]);
        }
        let Some((_, octets)) = &self.token else { return Ok(()) };
        match (&self.sealed_token, sealer) {
            (Some(id), Some(sealer)) => sealer.write_data(w, id, EncryptHow::Element, octets),
            _ => {
                w.raw(octets);
                Ok(())
            }
        }
    }

    /// Covers the primary signature, further parts and the own token, and signs.
    fn finish(
        mut self,
        primary: Option<&(String, Vec<u8>)>,
        message: &mut Composer<'_>,
    ) -> Result<Finished, Error> {
        if let Some((id, octets)) = primary {
            self.signer.cover(id, &[octets]);
        }
        for part in &self.plan.sign.parts {
            message.cover_clear(part, &mut self.signer)?;
        }
        if self.plan.protect {
            match (&self.token, self.plan.sign.by, &message.username) {
                (Some((id, octets)), ..) => self.signer.cover(id, &[octets]),
                (None, SignedBy::UsernameToken, Some(token)) => {
                    token.octets.expose(|octets| self.signer.cover(&token.id, &[octets]));
                }
                (None, ..) => {}
            }
        }
        let mut w = Writer::new();
        let value = self.signer.write(&mut w)?;
        Ok(Finished { octets: w.finish()?, value, sealed: self.sealed })
    }
}

impl Composer<'_> {
    /// Digests a part that is not encrypted for a signature beside the message's own.
    fn cover_clear(&mut self, part: &Part, signer: &mut Signer<'_>) -> Result<(), Error> {
        match (part, &self.timestamp) {
            (Part::Timestamp, Some((id, octets))) => signer.cover(id, &[octets]),
            (Part::Body, _) if self.body.sealed.is_none() => {
                let id = self.body.id.get_or_insert_with(|| self.ids.fresh(Bearer::Body)).clone();
                let (start, end) = self.body_tags()?;
                signer.cover(&id, &[&start, &self.body.content, &end]);
            }
            (Part::Header { ns, local }, _) => {
                for piece in self.blocks.iter_mut().filter(|b| b.is(ns, local.as_deref())) {
                    cover_block(signer, piece, part, &self.ids)?;
                }
            }
            (Part::Headers, _) => {
                for piece in &mut self.blocks {
                    cover_block(signer, piece, part, &self.ids)?;
                }
            }
            _ => return Err(Error::MissingPart(part.clone())),
        }
        Ok(())
    }

    /// Finishes every signature, the primary one first. Nothing to do where nothing endorses: the signature is written as it is made.
    pub(super) fn endorse(&mut self) -> Result<(), Error> {
        if self.endorsers.is_empty() {
            return Ok(());
        }
        let mut primary = None;
        if let Some(signer) = self.signer.take() {
            let mut w = Writer::new();
            let value = signer.write(&mut w)?;
            let octets = w.finish()?;
            primary = Some((signer.id().to_owned(), octets.clone()));
            self.finished.push(Finished { octets, value, sealed: self.sealed_signature.clone() });
            self.signer = Some(signer);
        }
        let endorsers = std::mem::take(&mut self.endorsers);
        for endorser in endorsers {
            let mut w = Writer::new();
            endorser.write_token(&mut w, self.sealer.as_ref())?;
            self.endorsing_tokens.push(w.finish()?);
            let finished = endorser.finish(primary.as_ref(), self)?;
            self.finished.push(finished);
        }
        Ok(())
    }

    /// Writes the signatures that are finished, or what they are encrypted to.
    pub(super) fn write_finished(&self, w: &mut Writer, sent: &mut Vec<Vec<u8>>) -> Result<(), Error> {
        for signature in &self.finished {
            self.write_sealed(w, signature.sealed.as_ref(), &signature.octets)?;
            sent.push(signature.value.clone());
        }
        Ok(())
    }
}
