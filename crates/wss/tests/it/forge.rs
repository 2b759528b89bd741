//! An attacker with a trusted key of its own: signs any Security header it likes, with sound cryptography.
//!
//! A template holds `DIGEST:id` where a digest of the element with that Id belongs and `VALUE` for the SignatureValue.

use bartizan_crypto::alg::{DigestAlg, SignatureAlg};
use bartizan_crypto::base64;
use bartizan_crypto::digest::digest;
use bartizan_keys::Identity;
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::names::ds;
use bartizan_xml::{Budget, Document, Limits, Profile};

pub(crate) const SOAP: &str = "http://www.w3.org/2003/05/soap-envelope";
pub(crate) const WSSE: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";
pub(crate) const WSU: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
pub(crate) const DS: &str = "http://www.w3.org/2000/09/xmldsig#";
pub(crate) const X509: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0#X509v3";
pub(crate) const B64: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary";
const EXC: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";

fn parse(text: &str) -> Document {
    Document::parse(text.as_bytes().to_vec(), Profile::Bare, &mut Budget::new(&Limits::generous()))
        .unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn canonical(document: &Document, id: &str) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(element) =
        document.root().descendants().find(|e| e.attrs().any(|a| a.local_name() == "Id" && a.value() == id))
    {
        C14n::new(C14nMethod::Exclusive).write(element, &mut out).unwrap();
    }
    out
}

/// A Reference with exclusive C14N and SHA-256 over the element with that Id.
pub(crate) fn reference(id: &str) -> String {
    custom_reference(
        &format!("#{id}"),
        &format!("<ds:Transform Algorithm=\"{EXC}\"/>"),
        &format!("DIGEST:{id}"),
    )
}

pub(crate) fn custom_reference(uri: &str, transforms: &str, value: &str) -> String {
    format!(
        "<ds:Reference URI=\"{uri}\"><ds:Transforms>{transforms}</ds:Transforms>\
         <ds:DigestMethod Algorithm=\"http://www.w3.org/2001/04/xmlenc#sha256\"/><ds:DigestValue>{value}</ds:DigestValue></ds:Reference>"
    )
}

/// A Signature with these References that refers to the token `#tok`.
pub(crate) fn signature(references: &str) -> String {
    let key_info = format!(
        "<ds:KeyInfo><wsse:SecurityTokenReference><wsse:Reference URI=\"#tok\" ValueType=\"{X509}\"/></wsse:SecurityTokenReference></ds:KeyInfo>"
    );
    signature_with(references, &key_info, "")
}

pub(crate) fn signature_with(references: &str, key_info: &str, objects: &str) -> String {
    format!(
        "<ds:Signature xmlns:ds=\"{DS}\"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm=\"{EXC}\"/>\
         <ds:SignatureMethod Algorithm=\"http://www.w3.org/2001/04/xmldsig-more#rsa-sha256\"/>{references}</ds:SignedInfo>\
         <ds:SignatureValue>VALUE</ds:SignatureValue>{key_info}{objects}</ds:Signature>"
    )
}

pub(crate) fn token(identity: &Identity) -> String {
    bst(&base64::encode(identity.leaf().der()), &format!("EncodingType=\"{B64}\" ValueType=\"{X509}\""))
}

pub(crate) fn bst(text: &str, attributes: &str) -> String {
    format!("<wsse:BinarySecurityToken {attributes} wsu:Id=\"tok\">{text}</wsse:BinarySecurityToken>")
}

/// An envelope around a Security header's content, other header blocks and a Body with Id `body`.
pub(crate) fn envelope(security: &str, blocks: &str, content: &str) -> String {
    format!(
        "<s:Envelope xmlns:s=\"{SOAP}\" xmlns:wsse=\"{WSSE}\" xmlns:wsu=\"{WSU}\"><s:Header><wsse:Security>{security}</wsse:Security>{blocks}</s:Header>\
         <s:Body wsu:Id=\"body\">{content}</s:Body></s:Envelope>"
    )
}

/// Fills in digests and signs. Every `VALUE` is that of the first Signature.
pub(crate) fn sign(template: &str, identity: &Identity) -> String {
    let text = fill_digests(template);
    let value = value_of(&text, 0, identity);
    text.replace("VALUE", &value)
}

/// Fills in digests and signs each Signature with the identity of its place.
pub(crate) fn sign_each(template: &str, identities: &[&Identity]) -> String {
    let mut text = fill_digests(template);
    for (n, identity) in identities.iter().enumerate() {
        let value = value_of(&text, n, identity);
        text = text.replacen("VALUE", &value, 1);
    }
    text
}

pub(crate) fn fill_digests(template: &str) -> String {
    let mut text = template.to_owned();
    while let Some(at) = text.find("DIGEST:") {
        let end = at + text[at..].find('<').unwrap();
        let id = text[at + 7..end].to_owned();
        let octets = canonical(&parse(&text), &id);
        let value = base64::encode(digest(DigestAlg::Sha256, &octets).as_ref());
        text.replace_range(at..end, &value);
    }
    text
}

/// The SignatureValue of the n-th Signature.
pub(crate) fn value_of(text: &str, n: usize, identity: &Identity) -> String {
    let document = parse(text);
    let mut octets = Vec::new();
    if let Some(info) = document.root().descendants().filter(|e| e.is(ds::SIGNED_INFO)).nth(n) {
        C14n::new(C14nMethod::Exclusive).write(info, &mut octets).unwrap();
    }
    base64::encode(&identity.key().sign(SignatureAlg::RsaSha256, &octets).unwrap())
}

/// A complete message: a token, a Signature over the Body, the greeting.
pub(crate) fn sound(identity: &Identity) -> String {
    sign(
        &envelope(&(token(identity) + &signature(&reference("body"))), "", crate::fixture::PAYLOAD),
        identity,
    )
}
