//! BinarySecurityTokens: X.509 certificates and certificate paths (X.509 Token Profile 1.1 §3.1).
//!
//! Strict: base64 of DER, one certificate (or one PKIPath), nothing behind it. Other kinds of token are named as unsupported.

use std::cell::OnceCell;

use bartizan_crypto::base64;
use bartizan_keys::Certificate;
use bartizan_xml::names::{attr, uri, wsu};
use bartizan_xml::{Element, NodeId};

use super::map;
use crate::error::{Hint, Reject};
use crate::reason::Reason;

/// Longest token, in octets of base64.
const MAX_TOKEN: usize = 128 * 1024;
/// Most certificates in a PKIPath.
const MAX_PATH: usize = 10;

/// A token of the header. Its certificate is parsed when somebody looks: a signer that verified before is known by its octets.
pub(super) struct Token {
    pub(super) node: NodeId,
    pub(super) value_type: &'static str,
    /// The certificate that is meant, as octets.
    pub(super) der: Vec<u8>,
    parsed: OnceCell<Certificate>,
    /// The other certificates of a PKIPath.
    pub(super) extra: Vec<Certificate>,
}

impl Token {
    /// The certificate that is meant.
    pub(super) fn leaf(&self) -> Result<&Certificate, Reject> {
        if let Some(known) = self.parsed.get() {
            return Ok(known);
        }
        let certificate = Certificate::from_der(self.der.clone()).map_err(map::keys)?;
        Ok(self.parsed.get_or_init(|| certificate))
    }

    /// The certificate, if it can be read.
    pub(super) fn readable(&self) -> Option<&Certificate> {
        self.leaf().ok()
    }
}

/// Reads a BinarySecurityToken.
pub(super) fn read(element: Element<'_>) -> Result<Token, Reject> {
    let malformed = || Reject::at(Reason::TokenMalformed, element);
    for a in element.attrs() {
        if ![wsu::ID, attr::VALUE_TYPE, attr::ENCODING_TYPE].contains(&a.name()) {
            return Err(malformed().hinting(Hint::Element(a.local_name().into())));
        }
    }
    match element.attr(attr::ENCODING_TYPE) {
        None | Some(uri::BASE64_BINARY) => {}
        Some(other) => return Err(malformed().hinting(near(other))),
    }
    let value_type = match element.attr(attr::VALUE_TYPE) {
        Some(uri::X509_V3) => uri::X509_V3,
        Some(uri::X509_PKI_PATH_V1) => uri::X509_PKI_PATH_V1,
        Some(other) => return Err(Reject::at(Reason::TokenUnsupported, element).hinting(near(other))),
        // BSP R3031 wants one; without it nobody can say what the octets are.
        None => return Err(malformed()),
    };
    let text = element.leaf_text().map_err(|e| malformed().hinting(Hint::Xml(e)))?;
    if text.len() > MAX_TOKEN {
        return Err(malformed());
    }
    let octets = base64::decode(&text).map_err(|_| malformed())?;
    let parsed = OnceCell::new();
    let (der, extra) = if value_type == uri::X509_V3 {
        (octets, Vec::new())
    } else {
        let (leaf, extra) = path(&octets).ok_or_else(malformed)?;
        (parsed.get_or_init(|| leaf).der().to_vec(), extra)
    };
    Ok(Token { node: element.id(), value_type, der, parsed, extra })
}

/// A PKIPath: SEQUENCE OF Certificate, from the anchor's side to the subject (X.509 Token Profile 1.1 §3.1).
fn path(der: &[u8]) -> Option<(Certificate, Vec<Certificate>)> {
    let (mut content, rest) = element_of(der, 0x30)?;
    if !rest.is_empty() {
        return None;
    }
    let mut chain = Vec::new();
    while !content.is_empty() {
        let (_, rest) = element_of(content, 0x30)?;
        let whole = content.get(..content.len() - rest.len())?;
        if chain.len() == MAX_PATH {
            return None;
        }
        chain.push(Certificate::from_der(whole.to_vec()).ok()?);
        content = rest;
    }
    let leaf = chain.pop()?;
    Some((leaf, chain))
}

/// Splits one DER element of the given tag off: its content and what follows it. Definite, shortest lengths only.
fn element_of(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (first, rest) = der.split_first()?;
    let (length, rest) = rest.split_first()?;
    if *first != tag {
        return None;
    }
    let (length, rest) = if *length < 0x80 {
        (usize::from(*length), rest)
    } else {
        let count = usize::from(*length & 0x7F);
        let (octets, rest) = rest.split_at_checked(count)?;
        if count == 0 || count > 4 || octets.first() == Some(&0) {
            return None;
        }
        let value = octets.iter().fold(0_usize, |n, b| (n << 8) | usize::from(*b));
        if value < 0x80 {
            return None;
        }
        (value, rest)
    };
    rest.split_at_checked(length)
}

/// A hint for a value type or encoding that is close to a known one.
pub(super) fn near(found: &str) -> Hint {
    let fold = |s: &str| {
        s.bytes().filter(u8::is_ascii_alphanumeric).map(|b| b.to_ascii_lowercase()).collect::<Vec<u8>>()
    };
    let folded = fold(found);
    let likely = uri::ALL
        .iter()
        .map(|(_, known)| *known)
        .find(|known| fold(known) == folded || known.trim_end_matches('/') == found.trim());
    Hint::Uri { uri: found.chars().take(256).collect::<String>().into(), likely }
}

/// Writes a PKIPath of a chain given leaf first.
pub(crate) fn write_path(chain: &[Certificate]) -> Vec<u8> {
    let content: Vec<u8> = chain.iter().rev().flat_map(|c| c.der().iter().copied()).collect();
    let mut out = vec![0x30];
    match u8::try_from(content.len()) {
        Ok(short) if short < 0x80 => out.push(short),
        _ => {
            let length = content.len().to_be_bytes();
            let skip = length.iter().take_while(|b| **b == 0).count();
            let significant = length.get(skip..).unwrap_or_default();
            out.push(0x80 | u8::try_from(significant.len()).unwrap_or(4));
            out.extend_from_slice(significant);
        }
    }
    out.extend_from_slice(&content);
    out
}
