//! The signature on the way out: digests of octets that are written as they are.

use bartizan_crypto::SymmetricKey;
use bartizan_crypto::digest::Hasher;
use bartizan_keys::Identity;
use bartizan_xml::write::Writer;
use bartizan_xmlsec::signature::{RefToSign, SignKey, SignatureSpec, WriteInto, write_signature};
use bartizan_xmlsec::{C14nSpec, RefUri, Transform};
use memchr::memmem;

use super::ids::{Bearer, Ids};
use super::secret::{Named, Shared};
use super::token::{self, Naming};
use super::username::Username;
use crate::env::Env;
use crate::error::Error;
use crate::plan::{SignPlan, SignedBy, Style, TokenSent};

/// The signature of one message.
pub(super) struct Signer<'e> {
    pub(super) plan: &'e SignPlan,
    key: Key<'e>,
    signature_id: String,
    /// Ids of KeyInfo and of the reference in it, which WSS4J 1.5 writes.
    info_ids: Option<(String, String)>,
    references: Vec<RefToSign>,
}

/// Whose key signs.
enum Key<'e> {
    /// That of our certificate; with the Id of the certificate in the header, where it is sent.
    Identity(&'e Identity, Option<String>),
    /// One derived from the UsernameToken; with the Id of the token.
    Derived(SymmetricKey, String),
    /// A secret that both sides share, or one derived from it.
    Shared(SymmetricKey, Named),
}

impl<'e> Signer<'e> {
    /// Finds the key.
    pub(super) fn new(
        plan: &'e SignPlan,
        env: &'e Env<'e>,
        ids: &Ids<'_>,
        username: Option<&Username>,
        shared: Option<&Shared>,
    ) -> Result<Signer<'e>, Error> {
        let key = match plan.by {
            SignedBy::X509 => return Signer::of(plan, env.keys.identity().ok_or(Error::NoOwnKey)?, ids),
            SignedBy::UsernameToken => {
                let username = username.ok_or(Error::NoLogin)?;
                Key::Derived(username.key()?.duplicate(), username.id.clone())
            }
            SignedBy::Secret => {
                let (key, named) = shared.ok_or(Error::WrongKey)?.signing_key();
                Key::Shared(key, named)
            }
        };
        Signer::with(plan, key, ids)
    }

    /// Signs with a key that is shared.
    pub(super) fn sharing(plan: &'e SignPlan, shared: &Shared, ids: &Ids<'_>) -> Result<Signer<'e>, Error> {
        let (key, named) = shared.signing_key();
        Signer::with(plan, Key::Shared(key, named), ids)
    }

    /// Signs with the key of that certificate.
    pub(super) fn of(plan: &'e SignPlan, identity: &'e Identity, ids: &Ids<'_>) -> Result<Signer<'e>, Error> {
        let token = (plan.token != TokenSent::No).then(|| ids.fresh(Bearer::OwnToken));
        Signer::with(plan, Key::Identity(identity, token), ids)
    }

    fn with(plan: &'e SignPlan, key: Key<'e>, ids: &Ids<'_>) -> Result<Signer<'e>, Error> {
        let signer = Signer {
            plan,
            key,
            signature_id: ids.fresh(Bearer::Signature),
            info_ids: (ids.style == Style::Wss4j15)
                .then(|| (ids.fresh(Bearer::KeyInfo), ids.fresh(Bearer::Reference))),
            references: Vec::new(),
        };
        if let Some(naming) = signer.naming() {
            naming.check()?;
        }
        Ok(signer)
    }

    /// Whose certificate's key signs, if one does.
    pub(super) fn identity(&self) -> Option<&'e Identity> {
        match &self.key {
            Key::Identity(identity, _) => Some(identity),
            Key::Derived(..) | Key::Shared(..) => None,
        }
    }

    /// The Id of the Signature.
    pub(super) fn id(&self) -> &str {
        &self.signature_id
    }

    /// How our certificate is named, if its key signs.
    fn naming(&self) -> Option<Naming<'_>> {
        let Key::Identity(identity, token) = &self.key else { return None };
        let token = token.as_deref().map(|id| (id, token::value_type(self.plan.token)));
        let id = self.info_ids.as_ref().map(|(_, reference)| reference.as_str());
        Some(Naming { form: self.plan.reference, certificate: identity.leaf(), token, id })
    }

    /// Adds a Reference over octets that are given in pieces: the canonical form of the element with that Id. Comments are sent and not signed.
    pub(super) fn cover(&mut self, id: &str, octets: &[&[u8]]) {
        let mut hasher = Hasher::new(self.plan.digest);
        octets.iter().for_each(|piece| without_comments(piece, &mut |run| hasher.update(run)));
        self.references.push(RefToSign {
            uri: RefUri::Id(id.into()),
            kind: None,
            transforms: vec![Transform::C14n(C14nSpec::new(self.plan.c14n))],
            algorithm: self.plan.digest,
            digest: hasher.finish(),
        });
    }

    /// Our certificate as canonical octets with its Id, if it is sent.
    pub(super) fn token(&self) -> Result<Option<(String, Vec<u8>)>, Error> {
        let Key::Identity(_, Some(id)) = &self.key else { return Ok(None) };
        let mut w = Writer::new();
        self.write_token(&mut w);
        Ok(Some((id.clone(), w.finish()?)))
    }

    /// Writes our certificate, if it is sent.
    pub(super) fn write_token(&self, w: &mut Writer) {
        let Key::Identity(identity, Some(id)) = &self.key else { return };
        let path;
        let octets = match self.plan.token {
            TokenSent::PkiPath => {
                path = crate::inbound::write_path(identity.chain());
                path.as_slice()
            }
            TokenSent::No | TokenSent::X509 => identity.leaf().der(),
        };
        token::write_bst(w, id, token::value_type(self.plan.token), octets);
    }

    /// Whether anything is covered.
    pub(super) fn covers_something(&self) -> bool {
        !self.references.is_empty()
    }

    /// Signs and writes the Signature; gives the octets of its value.
    pub(super) fn write(&self, w: &mut Writer) -> Result<Vec<u8>, Error> {
        let key_info = |w: &mut Writer| self.write_key_info(w);
        let canonicalization = C14nSpec::new(self.plan.c14n);
        let spec = SignatureSpec {
            id: Some(&self.signature_id),
            method: self.plan.method,
            canonicalization: &canonicalization,
            references: &self.references,
            key_info: Some(&key_info),
        };
        let key = match &self.key {
            Key::Identity(identity, _) => SignKey::Private(identity.key()),
            Key::Derived(key, _) | Key::Shared(key, _) => SignKey::Secret(key),
        };
        let signed = write_signature(w, &spec, &key).map_err(|e| match e.kind {
            bartizan_xmlsec::ErrorKind::WrongKey(_) => Error::WrongKey,
            _ => Error::Xmlsec(e),
        })?;
        Ok(signed.value)
    }

    fn write_key_info(&self, w: &mut Writer) {
        w.open("ds", bartizan_xml::names::ns::DS.uri(), "KeyInfo");
        if let Some((info, _)) = &self.info_ids {
            w.attr("Id", info);
        }
        match (&self.key, self.naming()) {
            (Key::Derived(_, id), _) => {
                let reference = self.info_ids.as_ref().map(|(_, reference)| reference.as_str());
                token::write_username_reference(w, id, reference);
            }
            (Key::Shared(_, named), _) => named.write(w),
            (Key::Identity(..), Some(naming)) => naming.write_into(w),
            (Key::Identity(..), None) => {}
        }
        w.close();
    }
}

/// Gives the octets of a canonical form that are not comments. A comment begins with `<!--` everywhere but inside a processing instruction.
fn without_comments(octets: &[u8], put: &mut dyn FnMut(&[u8])) {
    let mut rest = octets;
    loop {
        // Hardly any text holds the mark at all, and one octet is found faster than four.
        if memchr::memchr(b'!', rest).is_none() || memmem::find(rest, b"<!--").is_none() {
            return put(rest);
        }
        let [comment, instruction] = [b"<!", b"<?"].map(|mark| memmem::find(rest, mark));
        let Some(at) = comment.into_iter().chain(instruction).min() else { return put(rest) };
        let (before, tail) = rest.split_at_checked(at).unwrap_or((rest, &[]));
        let (open, close): (&[u8], &[u8]) =
            if tail.starts_with(b"<!") { (b"<!--", b"-->") } else { (b"<?", b"?>") };
        let body = tail.get(open.len()..).unwrap_or_default();
        let end = memmem::find(body, close).map_or(tail.len(), |p| open.len() + p + close.len());
        let (construct, after) = tail.split_at_checked(end).unwrap_or((tail, &[]));
        put(before);
        if open == b"<?" {
            put(construct);
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests;
