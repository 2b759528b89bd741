//! Decrypting a document in place: every EncryptedData replaced by its plaintext.

use bartizan_crypto::alg::CipherAlg;
use bartizan_xml::names::xenc;
use bartizan_xml::{Budget, Document, Element, Graft, NodeId, Quantity};

use crate::encryption::{ContentKey, DataKind, DecryptKey, EncryptedData, EncryptedKey, KeyMethod};
use crate::engine::hint::{self, KeyHint};
use crate::engine::{KeyFinder, PrivatePurpose, SecretPurpose, elements, splice};
use crate::error::{Error, ErrorKind, Shape};
use crate::key_info::{AgreementMethod, KeyInfo};
use crate::permit::Permit;

/// What decrypting a document gave.
#[derive(Debug, Default)]
pub struct Decryption {
    /// What was decrypted, in the order of decryption.
    pub parts: Vec<DecryptedPart>,
    /// The plaintext, if the root element itself was encrypted.
    pub octets: Option<Vec<u8>>,
}

/// One EncryptedData that was decrypted.
#[derive(Clone, Debug)]
pub struct DecryptedPart {
    /// The EncryptedData element.
    pub element: NodeId,
    /// The path it had.
    pub path: String,
    /// What it held.
    pub kind: DataKind,
    /// The cipher.
    pub cipher: CipherAlg,
}

impl Decryption {
    /// The text of the document with every plaintext in its place.
    pub fn render(&self, document: &Document) -> Vec<u8> {
        match &self.octets {
            Some(octets) => octets.clone(),
            None => splice::octets_as_utf8(splice::with_plaintexts(document, &self.parts)),
        }
    }
}

/// Decrypts every EncryptedData of a document, those that appear by decryption included.
///
/// # Errors
/// [`ErrorKind::NothingToDo`] if there is none, [`ErrorKind::NestedTooDeep`], what reading
/// them gives, [`ErrorKind::KeyNotFound`], and [`ErrorKind::DecryptionFailed`] for everything
/// that depends on ciphertext, the form of the plaintext included.
pub fn decrypt_document(
    document: &mut Document,
    keys: &dyn KeyFinder,
    permit: &Permit,
    budget: &mut Budget,
) -> Result<Decryption, Error> {
    document.check_ids(&[]).map_err(|e| Error::new(ErrorKind::Xml(e)))?;
    let mut result = Decryption::default();
    let mut unwrapped = Unwrapped::default();
    for round in 0.. {
        let found: Vec<NodeId> =
            elements(document).filter(|e| e.is(xenc::ENCRYPTED_DATA)).map(Element::id).collect();
        if found.is_empty() {
            break;
        }
        budget.spend(Quantity::DecryptDepth, round + 1).map_err(|_| Error::new(ErrorKind::NestedTooDeep))?;
        for node in found {
            let Some(plaintext) =
                open_one(document, node, keys, permit, budget, &mut unwrapped, &mut result)?
            else {
                continue;
            };
            result.octets = Some(plaintext);
            return Ok(result);
        }
    }
    if result.parts.is_empty() {
        return Err(Error::new(ErrorKind::NothingToDo));
    }
    Ok(result)
}

/// Opens one EncryptedData and grafts its plaintext; gives the plaintext back if the element is
/// the root, which nothing can replace.
fn open_one(
    document: &mut Document,
    node: NodeId,
    keys: &dyn KeyFinder,
    permit: &Permit,
    budget: &mut Budget,
    unwrapped: &mut Unwrapped,
    result: &mut Decryption,
) -> Result<Option<Vec<u8>>, Error> {
    let Some(element) = document.element(node) else {
        return Err(Error::new(ErrorKind::NothingToDo));
    };
    let data = EncryptedData::read(element, permit, budget)?;
    let is_root = element.parent().is_none();
    let part =
        DecryptedPart { element: node, path: element.path(), kind: data.kind.clone(), cipher: data.method };
    let mut search = Search { document, keys, permit, budget: &mut *budget, unwrapped };
    let plaintext = search.open(&data).map_err(|e| e.or_at(element))?;
    result.parts.push(part);
    if is_root {
        return Ok(Some(plaintext));
    }
    let graft = match data.kind {
        DataKind::Element => Graft::Element,
        DataKind::Content | DataKind::Octets => Graft::Content,
        DataKind::Other(_) => return Err(Error::at(element, ErrorKind::Shape(Shape::UnexpectedAttribute))),
    };
    // A plaintext of the wrong form is one more way in which ciphertext can be bad.
    document.graft(node, plaintext, graft, budget).map_err(|_| Error::decryption())?;
    document.check_ids(&[]).map_err(|e| Error::new(ErrorKind::Xml(e)))?;
    Ok(None)
}

/// Content keys by the EncryptedKey they came from: one private-key operation serves all data.
#[derive(Default)]
struct Unwrapped {
    keys: Vec<(NodeId, ContentKey)>,
}

impl Unwrapped {
    fn get(&self, slot: usize) -> Result<&ContentKey, Error> {
        self.keys.get(slot).map(|(_, key)| key).ok_or_else(Error::decryption)
    }

    fn put(&mut self, from: NodeId, key: ContentKey) -> usize {
        self.keys.push((from, key));
        self.keys.len() - 1
    }

    fn find(&self, from: NodeId, cipher: CipherAlg) -> Option<usize> {
        self.keys.iter().position(|(node, key)| *node == from && key.cipher() == cipher)
    }
}

struct Search<'a> {
    document: &'a Document,
    keys: &'a dyn KeyFinder,
    permit: &'a Permit,
    budget: &'a mut Budget,
    unwrapped: &'a mut Unwrapped,
}

impl Search<'_> {
    /// The plaintext of `data`. Its key comes from an EncryptedKey or AgreementMethod in its
    /// KeyInfo, from an EncryptedKey elsewhere that names the data or carries the key's name, from
    /// a derivation, or is a shared secret. Of several EncryptedKeys (one for each recipient) those
    /// are tried for which there is a key, until one opens the data.
    fn open(&mut self, data: &EncryptedData) -> Result<Vec<u8>, Error> {
        let extra = hint::follow(self.document, data.key_info.as_ref(), self.permit, self.budget)?;
        let hint = KeyHint::new(self.document, data.key_info.as_ref(), &extra);
        let mut failed = None;
        for key in hint.encrypted_keys() {
            let opened = self.unwrap(key, data.method).and_then(|slot| data.open(self.unwrapped.get(slot)?));
            match opened {
                Ok(plaintext) => return Ok(plaintext),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        if let Some(error) = failed {
            return Err(error);
        }
        if let Some(method) = hint.agreements().next() {
            let key = self.agree(method, data.method.key_len())?;
            return data.open(&ContentKey::new(key, data.method)?);
        }
        if let Some(derived) = hint.derived_keys().next() {
            return data.open(&self.derive(derived, data.method)?);
        }
        if let Some(key) = self.elsewhere(data, &hint)? {
            let slot = self.unwrap(&key, data.method)?;
            return data.open(self.unwrapped.get(slot)?);
        }
        let secret = self.keys.secret(&hint, SecretPurpose::Content(data.method))?;
        data.open(&ContentKey::new(secret, data.method)?)
    }

    /// An EncryptedKey of the document whose ReferenceList names the data, or whose carried
    /// name the data's KeyInfo gives.
    fn elsewhere(&mut self, data: &EncryptedData, hint: &KeyHint<'_>) -> Result<Option<EncryptedKey>, Error> {
        for element in elements(self.document).filter(|e| e.is(xenc::ENCRYPTED_KEY)) {
            let key = EncryptedKey::read(element, self.permit, self.budget)?;
            let listed = key
                .references
                .as_ref()
                .is_some_and(|list| data.id.as_ref().is_some_and(|id| list.data.contains(id)));
            let carried = key.carried_name.as_deref().is_some_and(|name| hint.names().any(|n| n == name));
            if listed || carried {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }

    fn unwrap(&mut self, key: &EncryptedKey, cipher: CipherAlg) -> Result<usize, Error> {
        if let Some(slot) = self.unwrapped.find(key.element, cipher) {
            return Ok(slot);
        }
        let extra = hint::follow(self.document, key.key_info.as_ref(), self.permit, self.budget)?;
        let hint = KeyHint::new(self.document, key.key_info.as_ref(), &extra);
        let content = match &key.method {
            KeyMethod::Transport(..) => {
                let private = self.keys.private_key(&hint, PrivatePurpose::Transport)?;
                self.charge()?;
                self.content_key(key, &DecryptKey::Private(&private), cipher)?
            }
            KeyMethod::Wrap(wrap) => {
                let kek = match hint.agreements().next() {
                    Some(method) => self.agree(method, wrap.key_len())?,
                    None => match hint.derived_keys().next() {
                        Some(derived) => {
                            let master = self.master(derived)?;
                            master.expose(|octets| derived.derivation.derive(octets, wrap.key_len()))?
                        }
                        None => self.keys.secret(&hint, SecretPurpose::Wrap(*wrap))?,
                    },
                };
                self.content_key(key, &DecryptKey::Secret(&kek), cipher)?
            }
            KeyMethod::Block(block) => {
                let kek = self.keys.secret(&hint, SecretPurpose::Content(*block))?;
                self.content_key(key, &DecryptKey::Secret(&kek), cipher)?
            }
        };
        Ok(self.unwrapped.put(key.element, content))
    }

    fn content_key(
        &self,
        key: &EncryptedKey,
        with: &DecryptKey<'_>,
        cipher: CipherAlg,
    ) -> Result<ContentKey, Error> {
        if self.permit.exact_content_keys { key.unwrap(with, cipher) } else { key.unwrap_cut(with, cipher) }
    }

    fn charge(&mut self) -> Result<(), Error> {
        self.budget.spend(Quantity::PrivateOperations, 1).map_err(|e| Error::new(ErrorKind::Xml(e)))
    }

    /// The key that an agreement gives: the recipient's private key with the originator's public
    /// one, which stands in the message or is named there.
    fn agree(
        &mut self,
        method: &AgreementMethod,
        len: usize,
    ) -> Result<bartizan_crypto::SymmetricKey, Error> {
        let recipient = self.side(method.recipient.as_ref())?;
        let hint = KeyHint::new(self.document, method.recipient.as_ref(), &recipient);
        let own = self.keys.private_key(&hint, PrivatePurpose::Agreement)?;
        let originator = match method.originator_key() {
            Ok(key) => key,
            Err(error) if matches!(error.kind, ErrorKind::KeyNotFound) => {
                let extra = self.side(method.originator.as_ref())?;
                let hint = KeyHint::new(self.document, method.originator.as_ref(), &extra);
                self.keys.public_key(&hint)?
            }
            Err(error) => return Err(error),
        };
        self.charge()?;
        method.agree(&own, &originator, len)
    }

    fn side(&mut self, info: Option<&KeyInfo>) -> Result<Vec<KeyInfo>, Error> {
        hint::follow(self.document, info, self.permit, self.budget)
    }

    fn derive(
        &mut self,
        derived: &crate::key_info::DerivedKey,
        cipher: CipherAlg,
    ) -> Result<ContentKey, Error> {
        let master = self.master(derived)?;
        let key = master.expose(|octets| derived.derivation.derive(octets, cipher.key_len()))?;
        ContentKey::new(key, cipher)
    }

    fn master(&self, derived: &crate::key_info::DerivedKey) -> Result<bartizan_crypto::SymmetricKey, Error> {
        let items = match &derived.master {
            Some(name) => vec![crate::key_info::KeyItem::KeyName(name.clone())],
            None => Vec::new(),
        };
        let info = KeyInfo { element: derived.element, id: None, items };
        let hint = KeyHint::new(self.document, Some(&info), &[]);
        self.keys.secret(&hint, SecretPurpose::Derivation)
    }
}
