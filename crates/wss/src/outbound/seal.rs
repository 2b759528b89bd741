//! Encryption on the way out: one fresh content key for a message, under the recipient's key.

use bartizan_crypto::SymmetricKey;
use bartizan_keys::Certificate;
use bartizan_xml::names::{ns, uri};
use bartizan_xml::write::Writer;
use bartizan_xmlsec::ContentKey;
use bartizan_xmlsec::encryption::{
    DataKind, DataSpec, EncryptKey, KeyMethod, KeySpec, write_encrypted_data, write_encrypted_key,
    write_reference_list,
};
use bartizan_xmlsec::key_info::Derivation;

use super::ids::{Bearer, Ids};
use super::secret::{Named, Shared};
use super::token::{self, Naming};
use super::username::Username;
use crate::env::Env;
use crate::error::Error;
use crate::part::EncryptHow;
use crate::plan::{EncryptPlan, EncryptTo, KeyRef, KeyTransfer};
use crate::request::RequestFacts;

/// The content key of one message and what is encrypted under it.
pub(super) struct Sealer<'e> {
    plan: &'e EncryptPlan,
    env: &'e Env<'e>,
    ids: Ids<'e>,
    to: To,
    key: ContentKey,
    references: Vec<Box<str>>,
}

/// Who can open it.
enum To {
    /// Whoever has the certificate's private key.
    Recipient {
        certificate: Certificate,
        key_id: String,
        /// Id of the certificate in the header, where it is named directly.
        token_id: Option<String>,
    },
    /// Whoever has the shared secret.
    Shared(Named),
    /// Whoever knows the password that the key is derived from; the Id of the UsernameToken.
    User(String),
}

impl<'e> Sealer<'e> {
    /// Finds the recipient and makes a content key, or takes the one that is derived from the UsernameToken.
    pub(super) fn new(
        plan: &'e EncryptPlan,
        env: &'e Env<'e>,
        ids: Ids<'e>,
        request: Option<&RequestFacts>,
        username: Option<&Username>,
        shared: Option<&Shared>,
    ) -> Result<Sealer<'e>, Error> {
        if let KeyTransfer::Secret = plan.key {
            let (key, named) = shared.ok_or(Error::WrongKey)?.content_key(plan.cipher)?;
            return Ok(Sealer { plan, env, ids, to: To::Shared(named), key, references: Vec::new() });
        }
        if let KeyTransfer::UsernameToken = plan.key {
            let username = username.ok_or(Error::NoLogin)?;
            // The high-order octets of what was derived (UTP 1.1 §4).
            let len = plan.cipher.key_len();
            let cut = username.key()?.expose(|octets| octets.get(..len).map(<[u8]>::to_vec));
            let key = ContentKey::new(SymmetricKey::new(cut.ok_or(Error::WrongKey)?), plan.cipher)?;
            let to = To::User(username.id.clone());
            return Ok(Sealer { plan, env, ids, to, key, references: Vec::new() });
        }
        let requester = request.and_then(RequestFacts::requester);
        let recipient = match plan.to {
            EncryptTo::Requester => requester.or(env.keys.peer()),
            EncryptTo::Peer => env.keys.peer(),
        };
        let to = To::Recipient {
            certificate: recipient.ok_or(Error::NoRecipient)?.clone(),
            key_id: ids.fresh(Bearer::EncryptedKey),
            token_id: (plan.reference == KeyRef::Direct).then(|| ids.fresh(Bearer::PeerToken)),
        };
        let key = ContentKey::generate(plan.cipher, env.random);
        let sealer = Sealer { plan, env, ids, to, key, references: Vec::new() };
        if let Some(naming) = sealer.naming() {
            naming.check()?;
        }
        Ok(sealer)
    }

    fn naming(&self) -> Option<Naming<'_>> {
        let To::Recipient { certificate, token_id, .. } = &self.to else { return None };
        let token = token_id.as_deref().map(|id| (id, uri::X509_V3));
        Some(Naming { form: self.plan.reference, certificate, token, id: None })
    }

    /// Reserves the Id of a piece that is written later, in the order in which pieces are to be decrypted.
    pub(super) fn reserve(&mut self) -> String {
        let id = self.ids.fresh(Bearer::EncryptedData);
        self.references.push(id.as_str().into());
        id
    }

    /// Whether the key is derived from the UsernameToken: then that stands in the clear, and before what uses it.
    pub(super) fn is_derived(&self) -> bool {
        matches!(self.to, To::User(_))
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
        let key_info = |w: &mut Writer| match &self.to {
            To::Recipient { key_id, .. } => token::write_encrypted_key_reference(w, key_id, self.ids.style),
            To::Shared(named) => {
                w.open("ds", ns::DS.uri(), "KeyInfo");
                named.write(w);
                w.close();
            }
            To::User(token) => {
                w.open("ds", ns::DS.uri(), "KeyInfo");
                token::write_username_reference(w, token, None);
                w.close();
            }
        };
        let kind = if how == EncryptHow::Content { DataKind::Content } else { DataKind::Element };
        let spec = DataSpec { id: Some(id), kind: &kind, mime_type: None, key_info: Some(&key_info) };
        write_encrypted_data(w, &spec, &self.key, plaintext, self.env.random)?;
        Ok(())
    }

    /// Writes the recipient's certificate, where it is named directly.
    pub(super) fn write_token(&self, w: &mut Writer) {
        if let To::Recipient { certificate, token_id: Some(id), .. } = &self.to {
            token::write_bst(w, id, uri::X509_V3, certificate.der());
        }
    }

    /// Writes the EncryptedKey, if there is one, with the list of what is under it or without. Under a derived key that list stands alone.
    pub(super) fn write_key(&self, w: &mut Writer, with_list: bool) -> Result<(), Error> {
        let (To::Recipient { certificate, key_id, .. }, Some(naming)) = (&self.to, self.naming()) else {
            if with_list {
                self.write_list(w);
            }
            return Ok(());
        };
        let references: &[Box<str>] = if with_list { &self.references } else { &[] };
        let public = certificate.public_key()?;
        let derivation;
        let (method, key) = match &self.plan.key {
            KeyTransfer::Transport { method, oaep } => {
                (KeyMethod::Transport(*method, oaep.clone()), EncryptKey::Public(public))
            }
            // INVARIANT: a sealer of that kind has no recipient.
            KeyTransfer::UsernameToken | KeyTransfer::Secret => return Err(Error::WrongKey),
            KeyTransfer::Agreement { kdf, digest, wrap, .. } => {
                derivation = derivation_of(*kdf, *digest)?;
                (KeyMethod::Wrap(*wrap), EncryptKey::Agree { recipient: public, derivation: &derivation })
            }
        };
        let spec = KeySpec {
            id: Some(key_id),
            method: &method,
            recipient: Some(&naming),
            references,
            carried_name: None,
        };
        write_encrypted_key(w, &spec, &key, &self.key, self.env.random).map_err(|e| match e.kind {
            bartizan_xmlsec::ErrorKind::KeyNotFound
            | bartizan_xmlsec::ErrorKind::Crypto(bartizan_crypto::Error::WrongKey) => Error::WrongPeerKey,
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
