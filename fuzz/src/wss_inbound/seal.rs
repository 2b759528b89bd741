//! Encrypting to the recipient, as anybody can who has its certificate.

use bartizan_crypto::base64;
use bartizan_crypto::suite;
use bartizan_wss::plan::KeyTransfer;
use bartizan_wss::plan::builder::transfer;
use bartizan_xml::write::Writer;
use bartizan_xml::{Budget, Document, Element, Limits, Profile};
use bartizan_xmlsec::ContentKey;
use bartizan_xmlsec::encryption::{
    DataKind, DataSpec, EncryptKey, KeyMethod, KeySpec, write_encrypted_data, write_encrypted_key,
};

use super::bases::SealedBase;
use crate::world::{Steady, certificate};

const DS: &str = "http://www.w3.org/2000/09/xmldsig#";
const WSSE: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";
const WSSE11: &str = "http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd";
const THUMBPRINT: &str = "http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1#ThumbprintSHA1";
const ENCRYPTED_KEY: &str = "http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1#EncryptedKey";
const BASE64: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary";

/// A content key, and the EncryptedKey that carries it.
pub(crate) struct Seal {
    content: ContentKey,
    carried: Vec<u8>,
}

impl Seal {
    pub(crate) fn new(suite: &str) -> Seal {
        let suite = suite::by_name(suite).expect("known");
        let (random, server) = (Steady::default(), certificate("server"));
        let content = ContentKey::generate(suite.cipher, &random);
        let KeyTransfer::Transport { method, oaep } = transfer(suite) else { panic!("an RSA suite") };
        let naming = |w: &mut Writer| {
            w.open("wsse", WSSE, "SecurityTokenReference").open("wsse", WSSE, "KeyIdentifier");
            w.attr("EncodingType", BASE64).attr("ValueType", THUMBPRINT);
            w.raw(base64::encode(&server.thumbprint_sha1()).as_bytes()).close().close();
        };
        let method = KeyMethod::Transport(method, oaep);
        let references = ["ED".into()];
        let spec = KeySpec {
            id: Some("EK"),
            method: &method,
            recipient: Some(&naming),
            references: &references,
            carried_name: None,
        };
        let key = EncryptKey::Public(server.public_key().expect("an RSA key"));
        let mut writer = Writer::new();
        write_encrypted_key(&mut writer, &spec, &key, &content, &random).expect("wrapped");
        Seal { content, carried: writer.finish().expect("whole") }
    }
}

/// Where the content of an element begins and ends in the text; `None` for `<a/>`.
fn content(element: Element<'_>) -> Option<(usize, usize)> {
    let (span, source) = (element.span(), element.source());
    let close = source.rfind("</")?;
    let mut quote = None;
    for (at, octet) in source.bytes().enumerate() {
        match (octet, quote) {
            (b'"' | b'\'', None) => quote = Some(octet),
            (_, Some(open)) if open == octet => quote = None,
            (b'>', None) => return Some((span.start + at + 1, span.start + close)),
            _ => {}
        }
    }
    None
}

/// The text with the content of its Body encrypted and the key in its Security header; unchanged if it has none.
pub(crate) fn sealed(base: &SealedBase, plain: &[u8]) -> Vec<u8> {
    let mut budget = Budget::new(&Limits::default());
    let Ok(document) = Document::parse(plain.to_vec(), Profile::Bare, &mut budget) else {
        return plain.to_vec();
    };
    let text = document.segment_text(0).as_bytes();
    let child =
        |of: Element<'_>, local: &str| of.elements().find(|e| e.local_name() == local).and_then(content);
    let header = document.root().elements().find(|e| e.local_name() == "Header");
    let (Some((key_at, _)), Some((start, end))) =
        (header.and_then(|header| child(header, "Security")), child(document.root(), "Body"))
    else {
        return plain.to_vec();
    };
    if key_at > start {
        return plain.to_vec();
    }
    let key_info = |w: &mut Writer| {
        w.open("ds", DS, "KeyInfo").open("wsse", WSSE, "SecurityTokenReference");
        w.attr_ns("wsse11", WSSE11, "TokenType", ENCRYPTED_KEY);
        w.open("wsse", WSSE, "Reference").attr("URI", "#EK").close().close().close();
    };
    let kind = DataKind::Content;
    let spec = DataSpec { id: Some("ED"), kind: &kind, mime_type: None, key_info: Some(&key_info) };
    let mut writer = Writer::new();
    let random = Steady::default();
    write_encrypted_data(&mut writer, &spec, &base.seal.content, &text[start..end], &random).expect("sealed");
    let data = writer.finish().expect("whole");
    [&text[..key_at], &base.seal.carried, &text[key_at..start], &data, &text[end..]].concat()
}
