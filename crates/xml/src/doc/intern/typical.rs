//! The names that nearly every secured message has, entered once a process: a document begins with a copy of that table, so
//! that these names are not read, hashed and entered anew by each. The table is the same for every document and says
//! nothing about those before. Called by [`super::Names`] only.

use std::sync::LazyLock;

use super::Names;
use crate::names::{Ns, ns};

/// Prefixes as most stacks write them, and what they nearly always mean. Another meaning costs a look-up.
const PREFIXES: [(&str, Ns); 13] = [
    ("", ns::NONE),
    ("soap", ns::SOAP11),
    ("soapenv", ns::SOAP11),
    ("env", ns::SOAP12),
    ("wsse", ns::WSSE),
    ("wsu", ns::WSU),
    ("wsse11", ns::WSSE11),
    ("ds", ns::DS),
    ("ec", ns::EXC_C14N),
    ("xenc", ns::XENC),
    ("xenc11", ns::XENC11),
    ("dsig11", ns::DSIG11),
    ("wsa", ns::WSA),
];

/// Names in the order in which they follow each other. Of several that may follow one name, the last pair counts.
const ORDER: &[&str] = &[
    // Envelopes of others, and addressing.
    "env:Envelope env:Header wsse:Security env:mustUnderstand env:Body",
    "soapenv:Envelope soapenv:Header wsse:Security soapenv:mustUnderstand soapenv:Body wsu:Id",
    "wsa:MessageID wsa:RelatesTo wsa:To wsa:Action wsa:ReplyTo wsa:Address wsa:FaultTo",
    // A key for the recipient: by transport, and by agreement.
    "wsse:Security xenc:EncryptedKey xenc:EncryptionMethod Algorithm ds:KeyInfo xenc:AgreementMethod Algorithm",
    "xenc11:KeyDerivationMethod Algorithm xenc11:ConcatKDFParams AlgorithmID PartyUInfo PartyVInfo ds:DigestMethod",
    "Algorithm xenc:OriginatorKeyInfo ds:KeyValue dsig11:ECKeyValue dsig11:NamedCurve URI dsig11:PublicKey",
    "xenc:RecipientKeyInfo wsse:SecurityTokenReference ds:X509Data ds:X509IssuerSerial ds:X509IssuerName",
    "ds:X509SerialNumber xenc:CipherData ds:X509Certificate ds:KeyName",
    "xenc:EncryptedKey Id xenc:EncryptionMethod Algorithm xenc11:MGF Algorithm ds:DigestMethod Algorithm ds:KeyInfo",
    "wsse:SecurityTokenReference wsse:KeyIdentifier EncodingType ValueType xenc:CipherData xenc:CipherValue",
    "xenc:ReferenceList xenc:DataReference URI xenc:EncryptedData Id Type xenc:EncryptionMethod Algorithm",
    "wsse11:EncryptedHeader wsu:Id wsse11:SignatureConfirmation Value wsu:Id",
    // A signed message, as a whole.
    "soap:Envelope soap:Header wsse:Security soap:mustUnderstand wsu:Timestamp wsu:Id wsu:Created wsu:Expires",
    "wsse:BinarySecurityToken EncodingType ValueType wsu:Id ds:Signature Id ds:SignedInfo",
    "ds:CanonicalizationMethod Algorithm ec:InclusiveNamespaces PrefixList ds:SignatureMethod Algorithm",
    "ds:Reference URI ds:Transforms ds:Transform Algorithm ec:InclusiveNamespaces PrefixList",
    "ds:DigestMethod Algorithm ds:DigestValue ds:Reference URI ds:Transforms ds:Transform Algorithm",
    "ds:DigestMethod Algorithm ds:DigestValue ds:SignatureValue ds:KeyInfo",
    "wsse:SecurityTokenReference wsse11:TokenType wsse:Reference URI ValueType",
    "soap:Body wsu:Id",
];

static TABLE: LazyLock<Names> = LazyLock::new(build);

/// The table that documents begin with.
pub(super) fn table() -> &'static Names {
    &TABLE
}

fn build() -> Names {
    let mut names = Names::empty();
    let mut first = None;
    for name in ORDER.iter().flat_map(|line| line.split(' ')) {
        let (prefix, colon) = match name.split_once(':') {
            Some((prefix, _)) => (prefix, Some(prefix.len())),
            None => ("", None),
        };
        // INVARIANT: all of it is far below every limit, and what is missing costs a look-up in the document.
        let Some((_, namespace)) = PREFIXES.iter().find(|(known, _)| *known == prefix) else { continue };
        if let Ok(written) = names.written(name, colon) {
            let _ = names.qname(written, namespace.0);
            if name == "soap:Envelope" {
                first = Some(written);
            }
        }
    }
    for (prefix, namespace) in PREFIXES.iter().filter(|(prefix, _)| !prefix.is_empty()) {
        if let Ok(prefix) = names.intern_prefix(prefix) {
            names.note_meaning(prefix, namespace.0);
        }
    }
    names.begin_with(first);
    names
}
