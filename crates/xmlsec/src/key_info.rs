//! `ds:KeyInfo` as a typed list (XMLDSig 1.1 §4.5): hints for whoever looks for the key.
//!
//! Nothing in here is trusted, and nothing is fetched. The items say which key the sender
//! means; whether that key may be used is decided by the key finder.

mod agreement;
mod value;
mod write;
mod x509;

use bartizan_crypto::alg::{Alg, lookup};
use bartizan_xml::names::{attr, ds, dsig11, wsse, xenc, xenc11};
use bartizan_xml::{Budget, Element, NodeId};

use crate::encryption::EncryptedKey;
use crate::error::{Error, ErrorKind, RefusedUri, Shape};
use crate::permit::Permit;
use crate::read::{Children, only_attributes, owned, require_attr, text};
use crate::signature::same_document_id;

pub use agreement::{AgreementMethod, Derivation, DerivedKey};
pub use value::KeyValue;
pub(crate) use write::write_agreement;
pub use write::{KeyInfoItem, KeyInfoSpec, X509Spec, write_key_value};
pub use x509::{IssuerSerial, X509Data};

/// Longest key name, in octets.
const MAX_NAME: usize = 1024;
/// How deep KeyInfo may lead to KeyInfo: the key of a key, and no further (ENC-15).
pub(crate) const MAX_DEPTH: usize = 2;
/// Most children of one KeyInfo.
const MAX_ITEMS: usize = 16;

/// A `ds:KeyInfo` as read.
#[derive(Debug)]
pub struct KeyInfo {
    /// The element.
    pub element: NodeId,
    /// Its `Id`.
    pub id: Option<Box<str>>,
    /// Its children in order.
    pub items: Vec<KeyItem>,
}

/// One child of KeyInfo.
#[derive(Debug)]
pub enum KeyItem {
    /// `ds:KeyName`, white space at the ends removed.
    KeyName(Box<str>),
    /// `ds:KeyValue` or `dsig11:DEREncodedKeyValue`.
    KeyValue(KeyValue),
    /// `ds:X509Data`.
    X509Data(Box<X509Data>),
    /// `ds:RetrievalMethod` to an element of the same document.
    RetrievalMethod {
        /// The Id it names.
        id: Box<str>,
        /// Its `Type`.
        kind: Option<Box<str>>,
    },
    /// `dsig11:KeyInfoReference` to a KeyInfo of the same document, by its Id.
    KeyInfoReference(Box<str>),
    /// `xenc:EncryptedKey`.
    EncryptedKey(Box<EncryptedKey>),
    /// `xenc:AgreementMethod`.
    AgreementMethod(Box<AgreementMethod>),
    /// `xenc11:DerivedKey`.
    DerivedKey(Box<DerivedKey>),
    /// `wsse:SecurityTokenReference`: the WS-Security layer reads it.
    SecurityTokenReference(NodeId),
    /// Something this crate does not read. It selects no key.
    Other(NodeId),
}

impl KeyInfo {
    /// Reads a KeyInfo and what is nested in it.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] for malformed known children, [`ErrorKind::UriRefused`] for
    /// references that lead out of the document, [`ErrorKind::KeyInfoDepth`] for nesting
    /// deeper than two, algorithm kinds for what EncryptedKey, AgreementMethod and DerivedKey name.
    pub fn read(element: Element<'_>, permit: &Permit, budget: &mut Budget) -> Result<Self, Error> {
        Self::read_at(element, permit, budget, 0)
    }

    pub(crate) fn read_at(
        element: Element<'_>,
        permit: &Permit,
        budget: &mut Budget,
        depth: usize,
    ) -> Result<Self, Error> {
        if depth > MAX_DEPTH {
            return Err(Error::at(element, ErrorKind::KeyInfoDepth));
        }
        only_attributes(element, &[attr::ID])?;
        let mut children = Children::of(element)?;
        let mut items = Vec::new();
        while let Some(child) = children.next() {
            if items.len() == MAX_ITEMS {
                return Err(Error::shape(child, Shape::UnexpectedChild));
            }
            items.push(read_item(child, permit, budget, depth)?);
        }
        Ok(KeyInfo { element: element.id(), id: owned(element, attr::ID), items })
    }

    /// The first key name.
    pub fn key_name(&self) -> Option<&str> {
        self.items.iter().find_map(|item| match item {
            KeyItem::KeyName(name) => Some(name.as_ref()),
            _ => None,
        })
    }

    /// The SecurityTokenReference, if that is all there is (what BSP R5402 and R5409 demand).
    pub fn security_token_reference(&self) -> Option<NodeId> {
        match self.items.as_slice() {
            [KeyItem::SecurityTokenReference(node)] => Some(*node),
            _ => None,
        }
    }

    /// The first embedded EncryptedKey.
    pub fn encrypted_key(&self) -> Option<&EncryptedKey> {
        self.items.iter().find_map(|item| match item {
            KeyItem::EncryptedKey(key) => Some(key.as_ref()),
            _ => None,
        })
    }

    /// The first AgreementMethod.
    pub fn agreement(&self) -> Option<&AgreementMethod> {
        self.items.iter().find_map(|item| match item {
            KeyItem::AgreementMethod(method) => Some(method.as_ref()),
            _ => None,
        })
    }
}

fn read_item(
    element: Element<'_>,
    permit: &Permit,
    budget: &mut Budget,
    depth: usize,
) -> Result<KeyItem, Error> {
    let name = element.name();
    Ok(if name == ds::KEY_NAME {
        only_attributes(element, &[])?;
        KeyItem::KeyName(text(element, MAX_NAME)?)
    } else if name == ds::KEY_VALUE {
        match KeyValue::read(element)? {
            Some(value) => KeyItem::KeyValue(value),
            None => KeyItem::Other(element.id()),
        }
    } else if name == dsig11::DER_ENCODED_KEY_VALUE {
        KeyItem::KeyValue(KeyValue::read_der(element)?)
    } else if name == ds::X509_DATA {
        KeyItem::X509Data(Box::new(X509Data::read(element)?))
    } else if name == ds::RETRIEVAL_METHOD {
        only_attributes(element, &[attr::URI, attr::TYPE])?;
        // Transforms here would be a program run before any signature is checked.
        Children::of(element)?.finish()?;
        KeyItem::RetrievalMethod { id: local_target(element)?, kind: owned(element, attr::TYPE) }
    } else if name == dsig11::KEY_INFO_REFERENCE {
        only_attributes(element, &[attr::ID, attr::URI])?;
        Children::of(element)?.finish()?;
        KeyItem::KeyInfoReference(local_target(element)?)
    } else if name == xenc::ENCRYPTED_KEY {
        KeyItem::EncryptedKey(Box::new(EncryptedKey::read_at(element, permit, budget, depth + 1)?))
    } else if name == xenc::AGREEMENT_METHOD {
        let method = AgreementMethod::read_at(element, permit, budget, depth + 1)?;
        KeyItem::AgreementMethod(Box::new(method))
    } else if name == xenc11::DERIVED_KEY {
        KeyItem::DerivedKey(Box::new(DerivedKey::read(element, permit)?))
    } else if name == wsse::SECURITY_TOKEN_REFERENCE {
        KeyItem::SecurityTokenReference(element.id())
    } else if let Some(alg @ Alg::Refused(_)) = element.attr(attr::ALGORITHM).and_then(lookup) {
        // A way to find the key that is refused by design: say so instead of "no key".
        return Err(Error::at(element, ErrorKind::AlgorithmNotPermitted(alg)));
    } else {
        KeyItem::Other(element.id())
    })
}

/// The Id that a same-document URI names.
fn local_target(element: Element<'_>) -> Result<Box<str>, Error> {
    let uri = require_attr(element, attr::URI, "URI")?;
    let refused = |form| Error::at(element, ErrorKind::UriRefused(form));
    if uri.is_empty() {
        return Err(refused(RefusedUri::WholeDocument));
    }
    same_document_id(uri).map(Box::from).map_err(refused)
}

/// Reads what a RetrievalMethod or KeyInfoReference leads to, as a KeyInfo of its own.
pub(crate) fn read_target(
    element: Element<'_>,
    permit: &Permit,
    budget: &mut Budget,
) -> Result<KeyInfo, Error> {
    if element.is(ds::KEY_INFO) {
        return KeyInfo::read_at(element, permit, budget, 1);
    }
    let item = match KeyValue::read_bare(element)? {
        Some(value) => KeyItem::KeyValue(value),
        None => read_item(element, permit, budget, 0)?,
    };
    Ok(KeyInfo { element: element.id(), id: None, items: vec![item] })
}
