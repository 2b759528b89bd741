//! What a KeyInfo says, with its same-document references followed.

use bartizan_xml::names::{ds, dsig11, uri, xenc, xenc11};
use bartizan_xml::{Budget, Document, Element};

use crate::encryption::EncryptedKey;
use crate::error::{Error, ErrorKind};
use crate::key_info::{
    AgreementMethod, DerivedKey, KeyInfo, KeyItem, KeyValue, MAX_DEPTH, X509Data, read_target,
};
use crate::permit::Permit;

/// The hints of a KeyInfo, in order, references followed.
#[derive(Debug)]
pub struct KeyHint<'a> {
    /// The document they stand in.
    pub document: &'a Document,
    items: Vec<&'a KeyItem>,
}

impl<'a> KeyHint<'a> {
    /// The items of a KeyInfo and of those it refers to.
    pub(crate) fn new(document: &'a Document, key_info: Option<&'a KeyInfo>, extra: &'a [KeyInfo]) -> Self {
        let items = key_info.into_iter().chain(extra).flat_map(|info| &info.items).collect();
        KeyHint { document, items }
    }

    /// All items.
    pub fn items(&self) -> &[&'a KeyItem] {
        &self.items
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The key names.
    pub fn names(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.items.iter().filter_map(|item| match item {
            KeyItem::KeyName(name) => Some(name.as_ref()),
            _ => None,
        })
    }

    /// The bare keys.
    pub fn values(&self) -> impl Iterator<Item = &'a KeyValue> + '_ {
        self.items.iter().filter_map(|item| match item {
            KeyItem::KeyValue(value) => Some(value),
            _ => None,
        })
    }

    /// The X.509 data.
    pub fn x509(&self) -> impl Iterator<Item = &'a X509Data> + '_ {
        self.items.iter().filter_map(|item| match item {
            KeyItem::X509Data(data) => Some(data.as_ref()),
            _ => None,
        })
    }

    /// The encrypted keys.
    pub fn encrypted_keys(&self) -> impl Iterator<Item = &'a EncryptedKey> + '_ {
        self.items.iter().filter_map(|item| match item {
            KeyItem::EncryptedKey(key) => Some(key.as_ref()),
            _ => None,
        })
    }

    /// The agreements.
    pub fn agreements(&self) -> impl Iterator<Item = &'a AgreementMethod> + '_ {
        self.items.iter().filter_map(|item| match item {
            KeyItem::AgreementMethod(method) => Some(method.as_ref()),
            _ => None,
        })
    }

    /// The derived keys.
    pub fn derived_keys(&self) -> impl Iterator<Item = &'a DerivedKey> + '_ {
        self.items.iter().filter_map(|item| match item {
            KeyItem::DerivedKey(key) => Some(key.as_ref()),
            _ => None,
        })
    }
}

/// Follows RetrievalMethod and KeyInfoReference within the document, at most two deep.
pub(crate) fn follow(
    document: &Document,
    key_info: Option<&KeyInfo>,
    permit: &Permit,
    budget: &mut Budget,
) -> Result<Vec<KeyInfo>, Error> {
    let Some(key_info) = key_info else { return Ok(Vec::new()) };
    let mut found: Vec<KeyInfo> = Vec::new();
    let mut round = follow_items(document, &key_info.items, permit, budget)?;
    let mut depth = 1;
    while !round.is_empty() {
        if depth > MAX_DEPTH {
            return Err(Error::new(ErrorKind::KeyInfoDepth));
        }
        let mut next = Vec::new();
        for info in &round {
            next.extend(follow_items(document, &info.items, permit, budget)?);
        }
        found.append(&mut round);
        round = next;
        depth += 1;
    }
    Ok(found)
}

fn follow_items(
    document: &Document,
    items: &[KeyItem],
    permit: &Permit,
    budget: &mut Budget,
) -> Result<Vec<KeyInfo>, Error> {
    let mut found = Vec::new();
    for item in items {
        let (id, kind) = match item {
            KeyItem::RetrievalMethod { id, kind } => (id, kind.as_deref()),
            KeyItem::KeyInfoReference(id) => (id, None),
            _ => continue,
        };
        let target = document
            .by_id(id)
            .map_err(|e| Error::new(ErrorKind::Xml(e)))?
            .ok_or_else(|| Error::new(ErrorKind::TargetMissing(id.clone())))?;
        let wants_info = matches!(item, KeyItem::KeyInfoReference(_));
        if wants_info != target.is(ds::KEY_INFO) || !kind.is_none_or(|kind| is_of(target, kind)) {
            return Err(Error::at(target, ErrorKind::TargetMissing(id.clone())));
        }
        found.push(read_target(target, permit, budget)?);
    }
    Ok(found)
}

/// Whether an element is what the `Type` of a RetrievalMethod says.
fn is_of(element: Element<'_>, kind: &str) -> bool {
    match kind {
        uri::DS_X509_DATA => element.is(ds::X509_DATA),
        uri::DS_RSA_KEY_VALUE => element.is(ds::RSA_KEY_VALUE) || element.is(ds::KEY_VALUE),
        uri::DS_DSA_KEY_VALUE => element.is(ds::DSA_KEY_VALUE) || element.is(ds::KEY_VALUE),
        uri::DSIG11_EC_KEY_VALUE => element.is(dsig11::EC_KEY_VALUE) || element.is(ds::KEY_VALUE),
        uri::DSIG11_DER_ENCODED_KEY_VALUE => element.is(dsig11::DER_ENCODED_KEY_VALUE),
        uri::XENC_ENCRYPTED_KEY => element.is(xenc::ENCRYPTED_KEY),
        uri::XENC11_DERIVED_KEY => element.is(xenc11::DERIVED_KEY),
        _ => false,
    }
}
