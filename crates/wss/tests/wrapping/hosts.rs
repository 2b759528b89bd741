//! Hosts: where moved parts can be put. Every element of the message at every place among its children, and elements that are not in it.

use crate::message::Base;

/// A place where moved parts are put.
#[derive(Clone, Debug)]
pub(crate) struct Host {
    /// For reports.
    pub(crate) name: String,
    /// Octet of the genuine message.
    pub(crate) at: usize,
    /// Whether `at` is within this part (a number into the base's `kinds`): then the forged part holds the moved ones.
    pub(crate) part: Option<usize>,
    /// Whether `at` is the part's own first or last gap.
    pub(crate) own_gap: bool,
    /// Whether `at` is within the Signature.
    pub(crate) in_signature: bool,
    /// What opens and closes a host that the message does not have.
    pub(crate) around: (String, String),
}

const HEADER: &str = "/Envelope/Header";
const SECURITY: &str = "/Envelope/Header/Security";
const BODY: &str = "/Envelope/Body";
const SIGNATURE: &str = "/Envelope/Header/Security/Signature";
const KEY_INFO: &str = "/Envelope/Header/Security/Signature/KeyInfo";
const STR: &str = "/Envelope/Header/Security/Signature/KeyInfo/SecurityTokenReference";
const KEY: &str = "/Envelope/Header/Security/EncryptedKey";
const DATA: &str = "/Envelope/Body/EncryptedData";

/// Elements that are made as hosts: name, start, end, and the elements of the message that each is put into, as their first and their last child.
const FOREIGN: [(&str, &str, &str, &[&str]); 17] = [
    (
        "foreign element",
        "<w:Host xmlns:w=\"urn:w\">",
        "</w:Host>",
        &[HEADER, SECURITY, BODY, SIGNATURE, KEY_INFO, STR],
    ),
    (
        "block that need not be understood",
        "<w:Host xmlns:w=\"urn:w\" soap:mustUnderstand=\"false\">",
        "</w:Host>",
        &[HEADER],
    ),
    (
        "block that must be understood",
        "<w:Host xmlns:w=\"urn:w\" soap:mustUnderstand=\"true\">",
        "</w:Host>",
        &[HEADER],
    ),
    (
        "block for somebody else",
        "<w:Host xmlns:w=\"urn:w\" soap:role=\"urn:other\" soap:mustUnderstand=\"true\">",
        "</w:Host>",
        &[HEADER],
    ),
    ("Security for another role", "<wsse:Security soap:role=\"urn:other\">", "</wsse:Security>", &[HEADER]),
    (
        "Security for nobody",
        "<wsse:Security soap:role=\"http://www.w3.org/2003/05/soap-envelope/role/none\">",
        "</wsse:Security>",
        &[HEADER],
    ),
    ("second Security", "<wsse:Security>", "</wsse:Security>", &[HEADER, SECURITY, BODY]),
    (
        "Detail of a Fault",
        "<soap:Fault><soap:Code><soap:Value>soap:Sender</soap:Value></soap:Code><soap:Detail>",
        "</soap:Detail></soap:Fault>",
        &[HEADER, BODY],
    ),
    (
        "ReferenceParameters",
        "<wsa:ReplyTo><wsa:Address>urn:reply</wsa:Address><wsa:ReferenceParameters>",
        "</wsa:ReferenceParameters></wsa:ReplyTo>",
        &[HEADER, BODY],
    ),
    (
        "Metadata",
        "<wsa:FaultTo><wsa:Address>urn:fault</wsa:Address><wsa:Metadata>",
        "</wsa:Metadata></wsa:FaultTo>",
        &[HEADER],
    ),
    (
        "EncryptionProperties",
        "<xenc:EncryptionProperties><xenc:EncryptionProperty>",
        "</xenc:EncryptionProperty></xenc:EncryptionProperties>",
        &[HEADER, SECURITY, KEY, DATA],
    ),
    (
        "Embedded",
        "<wsse:SecurityTokenReference><wsse:Embedded>",
        "</wsse:Embedded></wsse:SecurityTokenReference>",
        &[HEADER, SECURITY, KEY_INFO],
    ),
    ("Embedded", "<wsse:Embedded>", "</wsse:Embedded>", &[STR]),
    ("Object", "<ds:Object>", "</ds:Object>", &[HEADER, SECURITY, SIGNATURE]),
    ("Advice", "<saml:Assertion><saml:Advice>", "</saml:Advice></saml:Assertion>", &[HEADER, SECURITY, BODY]),
    (
        "Extensions",
        "<samlp:Response><samlp:Extensions>",
        "</samlp:Extensions></samlp:Response>",
        &[HEADER, BODY],
    ),
    (
        "SubjectConfirmationData",
        "<saml:Assertion><saml:Subject><saml:SubjectConfirmation><saml:SubjectConfirmationData>",
        "</saml:SubjectConfirmationData></saml:SubjectConfirmation></saml:Subject></saml:Assertion>",
        &[HEADER, SECURITY],
    ),
];

/// Every host of a message.
pub(crate) fn all(base: &Base) -> Vec<Host> {
    let mut out = Vec::new();
    for element in &base.elements {
        for (n, at) in element.gaps.iter().enumerate() {
            out.push(host(base, format!("{}#{n}", element.path), *at, (String::new(), String::new())));
        }
    }
    for (name, open, close, parents) in FOREIGN {
        for path in parents {
            let Some(parent) = base.elements.iter().find(|e| e.path == *path) else { continue };
            let last = parent.gaps.len() - 1;
            for n in if last == 0 { vec![0] } else { vec![0, last] } {
                let around = (open.to_owned(), close.to_owned());
                out.push(host(base, format!("{name} at {path}#{n}"), parent.gaps[n], around));
            }
        }
    }
    out
}

fn host(base: &Base, name: String, at: usize, around: (String, String)) -> Host {
    let part = base.parts.iter().position(|p| p.start < at && at < p.end);
    let own_gap = part.is_some_and(|p| {
        let element = base.elements.iter().find(|e| e.span == base.parts[p]);
        element.is_some_and(|e| e.gaps.first() == Some(&at) || e.gaps.last() == Some(&at))
    });
    let signature = &base.signature;
    Host { name, at, part, own_gap, in_signature: signature.start < at && at < signature.end, around }
}
