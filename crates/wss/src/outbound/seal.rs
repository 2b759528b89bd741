//! Encryption on the way out: one fresh content key for a message, under the recipient's key.

use bartizan_keys::Certificate;
use bartizan_xml::names::uri;
use bartizan_xml::write::Writer;
use bartizan_xmlsec::ContentKey;
use bartizan_xmlsec::encryption::{
    DataKind, DataSpec, EncryptKey, KeyMethod, KeySpec, write_encrypted_data, write_encrypted_key,
    write_reference_list,
};
use bartizan_xmlsec::key_info::Derivation;

use super::ids;
use super::token::{self, Naming};
use crate::env::Env;
use crate::error::Error;
use crate::part::EncryptHow;
use crate::plan::{EncryptPlan, EncryptTo, KeyRef, KeyTransfer};
use crate::request::RequestFacts;

/// The content key of one message and what is encrypted under it.
pub(super) struct Sealer<'e> {
    plan: &'e EncryptPlan,
    env: &'e Env<'e>,
    recipient: Certificate,
    key: ContentKey,
    key_id: String,
    /// Id of the recipient's certificate in the header, where it is named directly.
    token_id: Option<String>,
    references: Vec<Box<str>>,
}

impl<'e> Sealer<'e> {
    /// Finds the recipient and makes a content key.
    pub(super) fn new(
        plan: &'e EncryptPlan,
        env: &'e Env<'e>,
        request: Option<&RequestFacts>,
    ) -> Result<Sealer<'e>, Error> {
        let requester = request.and_then(RequestFacts::requester);
        let recipient = match plan.to {
            EncryptTo::Requester => requester.or(env.keys.peer()),
            EncryptTo::Peer => env.keys.peer(),
        };
        let sealer = Sealer {
            plan,
            env,
            recipient: recipient.ok_or(Error::NoRecipient)?.clone(),
            key: ContentKey::generate(plan.cipher, env.random),
            key_id: ids::fresh('k', env.random),
            token_id: (plan.reference == KeyRef::Direct).then(|| ids::fresh('r', env.random)),
            references: Vec::new(),
        };
        sealer.naming().check()?;
        Ok(sealer)
    }

    fn naming(&self) -> Naming<'_> {
        let token = self.token_id.as_deref().map(|id| (id, uri::X509_V3));
        Naming { form: self.plan.reference, certificate: &self.recipient, token }
    }

    /// Reserves the Id of a piece that is written later, in the order in which pieces are to be decrypted.
    pub(super) fn reserve(&mut self) -> String {
        let id = ids::fresh('e', self.env.random);
        self.references.push(id.as_str().into());
        id
    }

    /// Whether anything is encrypted under the key.
    pub(super) fn is_used(&self) -> bool {
        !self.references.is_empty()
    }

    /// Writes an EncryptedData.
    pub(super) fn write_data(
        &self,
        w: &mut Writer,
        id: &str,
        how: EncryptHow,
        plaintext: &[u8],
    ) -> Result<(), Error> {
        let key_info = |w: &mut Writer| token::write_encrypted_key_reference(w, &self.key_id);
        let kind = if how == EncryptHow::Content { DataKind::Content } else { DataKind::Element };
        let spec = DataSpec { id: Some(id), kind: &kind, mime_type: None, key_info: Some(&key_info) };
        write_encrypted_data(w, &spec, &self.key, plaintext, self.env.random)?;
        Ok(())
    }

    /// Writes the recipient's certificate, where it is named directly.
    pub(super) fn write_token(&self, w: &mut Writer) {
        if let Some(id) = &self.token_id {
            token::write_bst(w, id, uri::X509_V3, self.recipient.der());
        }
    }

    /// Writes the EncryptedKey, with the list of what is under it or without.
    pub(super) fn write_key(&self, w: &mut Writer, with_list: bool) -> Result<(), Error> {
        let naming = self.naming();
        let references: &[Box<str>] = if with_list { &self.references } else { &[] };
        let public = self.recipient.public_key()?;
        let derivation;
        let (method, key) = match &self.plan.key {
            KeyTransfer::Transport { method, oaep } => {
                (KeyMethod::Transport(*method, oaep.clone()), EncryptKey::Public(public))
            }
            KeyTransfer::Agreement { kdf, digest, wrap, .. } => {
                derivation = derivation_of(*kdf, *digest)?;
                (KeyMethod::Wrap(*wrap), EncryptKey::Agree { recipient: public, derivation: &derivation })
            }
        };
        let spec = KeySpec {
            id: Some(&self.key_id),
            method: &method,
            recipient: Some(&naming),
            references,
            carried_name: None,
        };
        write_encrypted_key(w, &spec, &key, &self.key, self.env.random).map_err(|e| match e.kind {
            bartizan_xmlsec::ErrorKind::KeyNotFound => Error::WrongKey,
            _ => Error::Xmlsec(e),
        })?;
        Ok(())
    }

    /// Writes the list of what is under the key as an element of its own.
    pub(super) fn write_list(&self, w: &mut Writer) {
        write_reference_list(w, &self.references);
    }
}

/// The derivation's parameters as other stacks write them: one zero octet as AlgorithmID, empty parties.
fn derivation_of(
    kdf: bartizan_crypto::alg::KdfAlg,
    digest: bartizan_crypto::alg::DigestAlg,
) -> Result<Derivation, Error> {
    use bartizan_crypto::alg::KdfAlg;
    match kdf {
        KdfAlg::ConcatKdf => Ok(Derivation::ConcatKdf { digest, other_info: vec![0] }),
        KdfAlg::Hkdf => Ok(Derivation::Hkdf { digest, salt: Vec::new(), info: Vec::new(), length: None }),
        _ => Err(Error::WrongKey),
    }
}
