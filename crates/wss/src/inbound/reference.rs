//! From KeyInfo to a key: every form in which a message may name an X.509 certificate (SMS 1.1 §7, X.509 Token Profile 1.1 §3.2).
//!
//! A reference only selects: what it selects must be trusted (a signer) or ours (a recipient). Nothing is fetched, and a reference that fits
//! two certificates selects none.

use std::borrow::Cow;
use std::sync::Arc;

use bartizan_crypto::alg::DigestAlg;
use bartizan_crypto::{PublicKey, base64};
use bartizan_keys::{Certificate, Keystore, Time, TokenRef, VerifiedKey};
use bartizan_xml::names::{attr, ds, uri, wsc05, wsc13, wsse, wsse11, wsu};
use bartizan_xml::{Document, Element, NodeId};
use bartizan_xmlsec::key_info::X509Data;
use bartizan_xmlsec::{KeyInfo, KeyItem};

use super::map;
use super::token::{self, Token};
use crate::error::{Hint, Reject};
use crate::plan::{InPlan, KeyRef, SecretFrom, SignedBy};
use crate::reason::Reason;

/// Longest key identifier, in octets of base64 (a whole certificate may stand there).
const MAX_IDENTIFIER: usize = 128 * 1024;

/// What a KeyInfo names.
pub(super) enum Named {
    /// A token of the header, by direct reference.
    Token(usize),
    /// A token inside the reference.
    Embedded(Box<Token>),
    /// A certificate in the reference.
    Certificate(Certificate, KeyRef),
    /// Something to look up.
    Thumbprint1(Vec<u8>),
    Thumbprint256(Vec<u8>),
    Ski(Vec<u8>),
    IssuerSerial(Box<str>, Box<str>),
    Subject(Box<str>),
    Name(Box<str>),
    /// A bare public key.
    Value(PublicKey),
    /// An EncryptedKey of the header, by its Id.
    EncryptedKey(Box<str>),
    /// An EncryptedKey of this exchange, by the SHA-1 of its octets.
    EncryptedKeySha1(Vec<u8>),
    /// A DerivedKeyToken, by direct reference. As for the next, whether it is one of the header is for the caller to see.
    Derived(NodeId),
    /// A UsernameToken, by direct reference. Whether it is that of the header is for the caller to see.
    User(NodeId),
    /// A UsernameToken that is not in this message, by its Id: that of the request, in a reply.
    SentUser(Box<str>),
}

impl Named {
    /// The form, for evidence and for plans that demand one.
    pub(super) fn form(&self) -> KeyRef {
        match self {
            Named::Token(_)
            | Named::EncryptedKey(_)
            | Named::Derived(_)
            | Named::User(_)
            | Named::SentUser(_) => KeyRef::Direct,
            Named::EncryptedKeySha1(_) => KeyRef::EncryptedKeySha1,
            Named::Embedded(_) => KeyRef::Embedded,
            Named::Certificate(_, form) => *form,
            Named::Thumbprint1(_) => KeyRef::ThumbprintSha1,
            Named::Thumbprint256(_) => KeyRef::ThumbprintSha256,
            Named::Ski(_) => KeyRef::SubjectKeyIdentifier,
            Named::IssuerSerial(..) => KeyRef::IssuerSerial,
            Named::Subject(_) => KeyRef::SubjectName,
            Named::Name(_) => KeyRef::KeyName,
            Named::Value(_) => KeyRef::KeyValue,
        }
    }

    /// Whose key a signature is made with that is named so.
    pub(super) fn signed_by(&self) -> SignedBy {
        match self {
            Named::User(_) => SignedBy::UsernameToken,
            Named::EncryptedKey(_) | Named::EncryptedKeySha1(_) | Named::Derived(_) | Named::SentUser(_) => {
                SignedBy::Secret
            }
            _ => SignedBy::X509,
        }
    }

    /// Whether a signature under `plan` may be made with the key that this names. A user's key may be the secret of the message.
    pub(super) fn may_sign(&self, plan: &InPlan) -> bool {
        let secret = plan.secret.is_some_and(|rule| rule.from == SecretFrom::User);
        let by_user = matches!(self, Named::User(_)) && secret && plan.signed_by == SignedBy::Secret;
        by_user || self.signed_by() == plan.signed_by
    }

    /// The look-up that this is.
    pub(super) fn token_ref(&self) -> Option<TokenRef<'_>> {
        Some(match self {
            Named::Thumbprint1(o) => TokenRef::ThumbprintSha1(o),
            Named::Thumbprint256(o) => TokenRef::ThumbprintSha256(o),
            Named::Ski(o) => TokenRef::Ski(o),
            Named::IssuerSerial(issuer, serial) => TokenRef::IssuerSerial { issuer, serial },
            Named::Subject(name) => TokenRef::SubjectName(name),
            Named::Name(name) => TokenRef::KeyName(name),
            Named::Certificate(c, _) => TokenRef::Der(c.der()),
            Named::Token(_)
            | Named::Embedded(_)
            | Named::Value(_)
            | Named::EncryptedKey(_)
            | Named::EncryptedKeySha1(_)
            | Named::Derived(_)
            | Named::User(_)
            | Named::SentUser(_) => return None,
        })
    }
}

/// A certificate, read or as octets that a cache may know.
pub(super) enum Identified {
    Certificate(Certificate),
    /// That of a token of the header.
    Token(usize),
    Octets(Vec<u8>),
}

/// A certificate that was found, and where.
pub(super) struct Found {
    pub(super) certificate: Identified,
    pub(super) extra: Vec<Certificate>,
    /// Index of the token of the header it is from.
    pub(super) token: Option<usize>,
}

/// Reads what a KeyInfo names. Exactly one thing.
pub(super) fn read(info: &KeyInfo, document: &Document, tokens: &[Token]) -> Result<Named, Reject> {
    let at = |reason| Reject::at_node(reason, document, Some(info.element));
    let [item] = info.items.as_slice() else {
        return Err(at(Reason::TokenReferenceMalformed));
    };
    match item {
        KeyItem::SecurityTokenReference(node) => match document.element(*node) {
            Some(element) => read_reference(element, tokens),
            None => Err(at(Reason::TokenReferenceMalformed)),
        },
        KeyItem::KeyName(name) => Ok(Named::Name(name.clone())),
        KeyItem::X509Data(data) => x509_data(data).ok_or_else(|| at(Reason::TokenReferenceMalformed)),
        KeyItem::KeyValue(value) => {
            value.to_public_key_legacy().map(Named::Value).map_err(|_| at(Reason::TokenMalformed))
        }
        KeyItem::RetrievalMethod { .. } | KeyItem::KeyInfoReference(_) | KeyItem::Other(_) => {
            Err(at(Reason::TokenUnsupported))
        }
        KeyItem::EncryptedKey(_) | KeyItem::AgreementMethod(_) | KeyItem::DerivedKey(_) => {
            Err(at(Reason::TokenReferenceMalformed))
        }
    }
}

/// Reads a SecurityTokenReference: exactly one child of a known kind (BSP R3061).
pub(super) fn read_reference(element: Element<'_>, tokens: &[Token]) -> Result<Named, Reject> {
    let malformed = |e: Element<'_>| Reject::at(Reason::TokenReferenceMalformed, e);
    if !element.is(wsse::SECURITY_TOKEN_REFERENCE) {
        return Err(malformed(element));
    }
    for a in element.attrs() {
        if ![wsu::ID, wsse11::TOKEN_TYPE, wsse::USAGE, attr::ID].contains(&a.name()) {
            return Err(malformed(element).hinting(Hint::Element(a.local_name().into())));
        }
    }
    let mut children = element.elements();
    let (Some(child), None) = (children.next(), children.next()) else {
        return Err(malformed(element));
    };
    let named = if child.is(wsse::REFERENCE) {
        direct(child, tokens)?
    } else if child.is(wsse::KEY_IDENTIFIER) {
        identifier(child)?
    } else if child.is(wsse::EMBEDDED) {
        embedded(child)?
    } else if child.is(ds::X509_DATA) {
        let data =
            X509Data::read(child).map_err(|e| map::xmlsec(e, map::Area::Signature, element.document()))?;
        x509_data(&data).ok_or_else(|| malformed(child))?
    } else if child.is(ds::KEY_NAME) {
        Named::Name(child.leaf_text().map_err(|_| malformed(child))?.trim().into())
    } else {
        return Err(
            Reject::at(Reason::TokenUnsupported, child).hinting(Hint::Element(child.local_name().into()))
        );
    };
    token_type(element, &named)?;
    Ok(named)
}

/// A TokenType must not contradict what is named.
fn token_type(element: Element<'_>, named: &Named) -> Result<(), Reject> {
    let Some(stated) = element.attr(wsse11::TOKEN_TYPE) else { return Ok(()) };
    let fits = match named {
        Named::EncryptedKey(_) | Named::EncryptedKeySha1(_) => stated == uri::ENCRYPTED_KEY,
        Named::Derived(_) => [uri::DKT05, uri::DKT13].contains(&stated),
        Named::User(_) | Named::SentUser(_) => stated == uri::USERNAME_TOKEN,
        _ => [uri::X509_V3, uri::X509_V1, uri::X509_PKI_PATH_V1].contains(&stated),
    };
    if fits {
        Ok(())
    } else {
        Err(Reject::at(Reason::TokenReferenceMalformed, element).hinting(token::near(stated)))
    }
}

/// `wsse:Reference`: a token of the same header, or an EncryptedKey of it, by Id.
fn direct(child: Element<'_>, tokens: &[Token]) -> Result<Named, Reject> {
    let malformed = || Reject::at(Reason::TokenReferenceMalformed, child);
    let known = |name| [attr::URI, attr::VALUE_TYPE].contains(&name);
    if child.attrs().any(|a| !known(a.name())) || child.elements().next().is_some() {
        return Err(malformed());
    }
    let unresolved = || Reject::at(Reason::TokenReferenceUnresolved, child);
    let stated = child.attr(attr::URI).ok_or_else(malformed)?;
    let value_type = child.attr(attr::VALUE_TYPE);
    let here = stated.strip_prefix('#');
    let id = match here {
        Some(id) => id,
        // CXF's way to name the UsernameToken of the request that it answers.
        None if value_type == Some(uri::USERNAME_TOKEN) && is_id(stated) => stated,
        None => return Err(unresolved()),
    };
    let target = child.document().by_id(id).map_err(|e| map::xml(e, Reason::TokenReferenceUnresolved))?;
    let target = match target {
        Some(target) if here.is_some() => target,
        None if value_type == Some(uri::USERNAME_TOKEN) => return Ok(Named::SentUser(id.into())),
        Some(_) | None => return Err(unresolved()),
    };
    if target.is(bartizan_xml::names::xenc::ENCRYPTED_KEY) {
        return match value_type {
            None | Some(uri::ENCRYPTED_KEY) => Ok(Named::EncryptedKey(id.into())),
            Some(other) => Err(malformed().hinting(token::near(other))),
        };
    }
    let derived = [(wsc05::DERIVED_KEY_TOKEN, uri::DKT05), (wsc13::DERIVED_KEY_TOKEN, uri::DKT13)];
    if let Some((_, kind)) = derived.into_iter().find(|(name, _)| target.is(*name)) {
        return match value_type {
            Some(other) if other != kind => Err(malformed().hinting(token::near(other))),
            _ => Ok(Named::Derived(target.id())),
        };
    }
    if target.is(wsse::USERNAME_TOKEN) {
        return match value_type {
            None | Some(uri::USERNAME_TOKEN) => Ok(Named::User(target.id())),
            Some(other) => Err(malformed().hinting(token::near(other))),
        };
    }
    // Only a token of our own header: a reference that leads to another reference, or elsewhere, leads nowhere.
    let (index, token) =
        tokens.iter().enumerate().find(|(_, t)| t.node == target.id()).ok_or_else(unresolved)?;
    match value_type {
        Some(stated) if stated != token.value_type => Err(malformed().hinting(token::near(stated))),
        _ => Ok(Named::Token(index)),
    }
}

/// Whether a text can be an Id and is no address of something elsewhere.
fn is_id(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
}

/// `wsse:KeyIdentifier`.
fn identifier(child: Element<'_>) -> Result<Named, Reject> {
    let malformed = || Reject::at(Reason::TokenReferenceMalformed, child);
    if child.attrs().any(|a| ![attr::VALUE_TYPE, attr::ENCODING_TYPE, wsu::ID].contains(&a.name())) {
        return Err(malformed());
    }
    match child.attr(attr::ENCODING_TYPE) {
        None | Some(uri::BASE64_BINARY) => {}
        Some(other) => return Err(malformed().hinting(token::near(other))),
    }
    let text: Cow<'_, str> = child.leaf_text().map_err(|e| malformed().hinting(Hint::Xml(e)))?;
    if text.len() > MAX_IDENTIFIER {
        return Err(malformed());
    }
    let value_type = child.attr(attr::VALUE_TYPE).ok_or_else(malformed)?;
    let octets = base64::decode(&text).map_err(|_| malformed())?;
    match value_type {
        uri::THUMBPRINT_SHA1 if octets.len() == 20 => Ok(Named::Thumbprint1(octets)),
        uri::THUMBPRINT_SHA256 if octets.len() == 32 => Ok(Named::Thumbprint256(octets)),
        uri::ENCRYPTED_KEY_SHA1 if octets.len() == 20 => Ok(Named::EncryptedKeySha1(octets)),
        uri::X509_SUBJECT_KEY_IDENTIFIER if !octets.is_empty() => Ok(Named::Ski(octets)),
        uri::X509_V3 => {
            let certificate = Certificate::from_der(octets).map_err(|e| map::keys(e).placed(child))?;
            Ok(Named::Certificate(certificate, KeyRef::RawCertificate))
        }
        uri::THUMBPRINT_SHA1
        | uri::THUMBPRINT_SHA256
        | uri::ENCRYPTED_KEY_SHA1
        | uri::X509_SUBJECT_KEY_IDENTIFIER => Err(malformed()),
        other => Err(Reject::at(Reason::TokenUnsupported, child).hinting(token::near(other))),
    }
}

/// `wsse:Embedded` with one BinarySecurityToken.
fn embedded(child: Element<'_>) -> Result<Named, Reject> {
    let mut inner = child.elements();
    match (inner.next(), inner.next()) {
        (Some(only), None) if only.is(wsse::BINARY_SECURITY_TOKEN) => {
            token::read(only).map(|t| Named::Embedded(Box::new(t)))
        }
        (Some(only), None) => Err(Reject::at(Reason::TokenUnsupported, only)),
        _ => Err(Reject::at(Reason::TokenReferenceMalformed, child)),
    }
}

/// An X509Data that names exactly one thing: in one way, or by a certificate with ways to name that same certificate beside it, as zeep
/// sends it (XMLDSig 1.1 §4.5.4: everything in it is about the same key).
fn x509_data(data: &X509Data) -> Option<Named> {
    let mut named: Vec<Named> = Vec::new();
    named.extend(data.issuer_serials.iter().map(|i| Named::IssuerSerial(i.issuer.clone(), i.serial.clone())));
    named.extend(data.skis.iter().map(|s| Named::Ski(s.clone())));
    named.extend(data.subjects.iter().map(|s| Named::Subject(s.clone())));
    named.extend(data.digests.iter().filter_map(|(alg, octets)| match alg {
        DigestAlg::Sha1 => Some(Named::Thumbprint1(octets.clone())),
        DigestAlg::Sha256 => Some(Named::Thumbprint256(octets.clone())),
        _ => None,
    }));
    match data.certificates.as_slice() {
        [] => <[Named; 1]>::try_from(named).ok().map(|[one]| one),
        [only] => {
            let certificate = Certificate::from_der(only.clone()).ok()?;
            let store = Keystore::builder().certificate(certificate.clone()).build().ok()?;
            let fits =
                |n: &Named| n.token_ref().is_some_and(|r| matches!(store.certificate(&r), Ok(Some(_))));
            named.iter().all(fits).then_some(Named::Certificate(certificate, KeyRef::X509Certificate))
        }
        _ => None,
    }
}

/// Finds the certificate of a signer: a token that is pointed at, a certificate that is known here, or a token of the header that the reference
/// describes (peers send their certificate and name it by thumbprint).
pub(super) fn find_signer(named: Named, keys: &Keystore, tokens: &[Token]) -> Result<Found, Reject> {
    let unresolved = || Reject::new(Reason::TokenReferenceUnresolved);
    match named {
        Named::Token(index) => tokens.get(index).map(|t| from_token(t, Some(index))).ok_or_else(unresolved),
        Named::Embedded(token) => Ok(from_token(&token, None)),
        Named::Certificate(certificate, _) => Ok(Found::known(certificate, None)),
        Named::Value(ref key) => by_key(key, keys, tokens)?.ok_or_else(unresolved),
        Named::EncryptedKey(_)
        | Named::EncryptedKeySha1(_)
        | Named::Derived(_)
        | Named::User(_)
        | Named::SentUser(_) => Err(unresolved()),
        ref other => {
            let reference = other.token_ref().ok_or_else(unresolved)?;
            if let Some(certificate) = keys.certificate(&reference).map_err(map::keys)? {
                let token = tokens.iter().position(|t| t.der == certificate.der());
                return Ok(Found::known(certificate, token));
            }
            by_description(other, tokens)?.ok_or_else(unresolved)
        }
    }
}

fn from_token(token: &Token, index: Option<usize>) -> Found {
    let certificate = index.map_or_else(|| Identified::Octets(token.der.clone()), Identified::Token);
    Found { certificate, extra: token.extra.clone(), token: index }
}

impl Found {
    fn known(certificate: Certificate, token: Option<usize>) -> Found {
        Found { certificate: Identified::Certificate(certificate), extra: Vec::new(), token }
    }

    /// Has the certificate verified; one that verified before is not even parsed.
    pub(super) fn verified(
        &self,
        keys: &Keystore,
        tokens: &[Token],
        at: Time,
    ) -> Result<Arc<VerifiedKey>, bartizan_keys::Error> {
        match &self.certificate {
            Identified::Certificate(certificate) => keys.verify(certificate, &self.extra, at),
            Identified::Token(index) => {
                // INVARIANT: the index is one of these tokens; no octets are no certificate.
                let der = tokens.get(*index).map_or(&[] as &[u8], |t| &t.der);
                keys.verify_der(der, &self.extra, at)
            }
            Identified::Octets(der) => keys.verify_der(der, &self.extra, at),
        }
    }
}

/// The certificate of a bare key: of two that are for the same key nobody can say which name is meant.
fn by_key(key: &PublicKey, keys: &Keystore, tokens: &[Token]) -> Result<Option<Found>, Reject> {
    let fits = |c: &Certificate| c.spki() == key.spki();
    let mut places = tokens.iter().enumerate().filter(|(_, t)| t.readable().is_some_and(fits));
    if let Some((index, token)) = places.next() {
        let other = places.any(|(_, t)| t.der != token.der);
        return if other {
            Err(Reject::new(Reason::TokenAmbiguous))
        } else {
            Ok(Some(from_token(token, Some(index))))
        };
    }
    let mut known = keys.certificates().iter().filter(|c| fits(c));
    match (known.next(), known.next()) {
        (Some(only), None) => Ok(Some(Found::known(only.clone(), None))),
        (Some(_), Some(_)) => Err(Reject::new(Reason::TokenAmbiguous)),
        (None, _) => Ok(None),
    }
}

/// A token of the header that a thumbprint, key identifier or issuer and serial number describes; two different ones are ambiguous.
fn by_description(named: &Named, tokens: &[Token]) -> Result<Option<Found>, Reject> {
    let Some(reference) = named.token_ref() else { return Ok(None) };
    let known = tokens.iter().filter_map(|t| t.readable().cloned());
    let store = known.fold(Keystore::builder(), |b, c| b.certificate(c)).build().map_err(map::keys)?;
    let Some(certificate) = store.certificate(&reference).map_err(map::keys)? else { return Ok(None) };
    let index = tokens.iter().position(|t| t.der == certificate.der());
    Ok(index.and_then(|i| tokens.get(i)).map(|t| from_token(t, index)))
}

/// The SecurityTokenReference of a KeyInfo, if that is how the key is named.
pub(super) fn reference_node(info: Option<&KeyInfo>) -> Option<NodeId> {
    info.and_then(KeyInfo::security_token_reference)
}
