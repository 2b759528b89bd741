//! Writing of KeyInfo: the forms that the `xml` verbs offer, and what agreements need.

use bartizan_crypto::alg::{AgreementAlg, DigestAlg, SignatureAlg};
use bartizan_crypto::{KeyKind, PublicKey, base64};
use bartizan_xml::names::ns;
use bartizan_xml::write::Writer;

use crate::key_info::{Derivation, IssuerSerial};
use crate::signature::WriteInto;

/// What `ds:KeyInfo` shall hold.
#[derive(Clone, Debug, Default)]
pub struct KeyInfoSpec {
    /// Its `Id`.
    pub id: Option<Box<str>>,
    /// Its children in order.
    pub items: Vec<KeyInfoItem>,
}

/// One child of a KeyInfo to be written.
#[derive(Clone, Debug)]
pub enum KeyInfoItem {
    /// `ds:KeyName`.
    KeyName(Box<str>),
    /// `ds:KeyValue`, or `dsig11:DEREncodedKeyValue` for keys that have no KeyValue form.
    KeyValue(PublicKey),
    /// `ds:X509Data`.
    X509(X509Spec),
}

/// What `ds:X509Data` shall hold. Written in the order of the fields.
#[derive(Clone, Debug, Default)]
pub struct X509Spec {
    /// `X509IssuerSerial`.
    pub issuer_serial: Option<IssuerSerial>,
    /// `X509SKI`.
    pub ski: Option<Vec<u8>>,
    /// `X509SubjectName`.
    pub subject: Option<Box<str>>,
    /// `X509Certificate`, DER.
    pub certificates: Vec<Vec<u8>>,
    /// `dsig11:X509Digest`.
    pub digest: Option<(DigestAlg, Vec<u8>)>,
}

impl WriteInto for KeyInfoSpec {
    /// Writes the element with its children.
    fn write_into(&self, writer: &mut Writer) {
        writer.open("ds", ns::DS.uri(), "KeyInfo");
        if let Some(id) = &self.id {
            writer.attr("Id", id);
        }
        for item in &self.items {
            item.write_into(writer);
        }
        writer.close();
    }
}

impl WriteInto for KeyInfoItem {
    fn write_into(&self, writer: &mut Writer) {
        match self {
            KeyInfoItem::KeyName(name) => {
                writer.open("ds", ns::DS.uri(), "KeyName").text(name).close();
            }
            KeyInfoItem::KeyValue(key) => write_key_value(writer, key),
            KeyInfoItem::X509(spec) => spec.write_into(writer),
        }
    }
}

impl WriteInto for X509Spec {
    fn write_into(&self, writer: &mut Writer) {
        writer.open("ds", ns::DS.uri(), "X509Data");
        if let Some(named) = &self.issuer_serial {
            writer.open("ds", ns::DS.uri(), "X509IssuerSerial");
            writer.open("ds", ns::DS.uri(), "X509IssuerName").text(&named.issuer).close();
            writer.open("ds", ns::DS.uri(), "X509SerialNumber").text(&named.serial).close();
            writer.close();
        }
        if let Some(ski) = &self.ski {
            binary(writer, "X509SKI", ski);
        }
        if let Some(subject) = &self.subject {
            writer.open("ds", ns::DS.uri(), "X509SubjectName").text(subject).close();
        }
        for certificate in &self.certificates {
            binary(writer, "X509Certificate", certificate);
        }
        if let Some((alg, digest)) = &self.digest {
            writer.open("dsig11", ns::DSIG11.uri(), "X509Digest").attr("Algorithm", alg.uri());
            writer.raw(base64::encode(digest).as_bytes()).close();
        }
        writer.close();
    }
}

/// Writes `ds:KeyValue` for RSA, DSA and EC keys, `dsig11:DEREncodedKeyValue` for the others.
pub fn write_key_value(writer: &mut Writer, key: &PublicKey) {
    if let Some(rsa) = key.rsa_components() {
        writer.open("ds", ns::DS.uri(), "KeyValue").open("ds", ns::DS.uri(), "RSAKeyValue");
        binary(writer, "Modulus", &rsa.modulus);
        binary(writer, "Exponent", &rsa.exponent);
        writer.close().close();
    } else if let Some((curve, point)) = key.ec_point() {
        writer.open("ds", ns::DS.uri(), "KeyValue").open("dsig11", ns::DSIG11.uri(), "ECKeyValue");
        writer.open("dsig11", ns::DSIG11.uri(), "NamedCurve");
        writer.attr("URI", &format!("urn:oid:{}", curve.oid())).close();
        writer.open("dsig11", ns::DSIG11.uri(), "PublicKey");
        writer.raw(base64::encode(point).as_bytes()).close();
        writer.close().close();
    } else if let Some(dsa) = key.dsa_components() {
        writer.open("ds", ns::DS.uri(), "KeyValue").open("ds", ns::DS.uri(), "DSAKeyValue");
        binary(writer, "P", &dsa.p);
        binary(writer, "Q", &dsa.q);
        binary(writer, "G", &dsa.g);
        binary(writer, "Y", &dsa.y);
        writer.close().close();
    } else {
        writer.open("dsig11", ns::DSIG11.uri(), "DEREncodedKeyValue");
        writer.raw(base64::encode(key.spki()).as_bytes()).close();
    }
}

/// Writes `xenc:AgreementMethod`; `recipient` writes the content of RecipientKeyInfo.
pub(crate) fn write_agreement(
    writer: &mut Writer,
    derivation: &Derivation,
    originator: &PublicKey,
    recipient: Option<&dyn WriteInto>,
) {
    let algorithm = match originator.kind() {
        KeyKind::X25519 => AgreementAlg::X25519,
        _ => AgreementAlg::EcdhEs,
    };
    writer.open("xenc", ns::XENC.uri(), "AgreementMethod").attr("Algorithm", algorithm.uri());
    write_derivation(writer, derivation);
    writer.open("xenc", ns::XENC.uri(), "OriginatorKeyInfo");
    write_key_value(writer, originator);
    writer.close();
    if let Some(recipient) = recipient {
        writer.open("xenc", ns::XENC.uri(), "RecipientKeyInfo");
        recipient.write_into(writer);
        writer.close();
    }
    writer.close();
}

fn write_derivation(writer: &mut Writer, derivation: &Derivation) {
    writer.open("xenc11", ns::XENC11.uri(), "KeyDerivationMethod");
    writer.attr("Algorithm", derivation.algorithm().uri());
    match derivation {
        Derivation::ConcatKdf { digest, other_info } => {
            writer.open("xenc11", ns::XENC11.uri(), "ConcatKDFParams");
            // The parts only matter joined, so all of it goes into the first one.
            writer.attr("AlgorithmID", &bit_string(other_info));
            writer.attr("PartyUInfo", "").attr("PartyVInfo", "");
            writer.open("ds", ns::DS.uri(), "DigestMethod").attr("Algorithm", digest.uri()).close();
            writer.close();
        }
        Derivation::Hkdf { digest, salt, info, length } => {
            let more = ns::DSIG_MORE21.uri();
            writer.open("dsig-more", more, "HKDFParams");
            if let Some(mac) = hmac_over(*digest) {
                writer.open("dsig-more", more, "PRF").attr("Algorithm", mac.uri()).close();
            }
            for (local, octets) in [("Salt", salt), ("Info", info)] {
                if !octets.is_empty() {
                    writer.open("dsig-more", more, local);
                    writer.raw(base64::encode(octets).as_bytes()).close();
                }
            }
            if let Some(length) = length {
                writer.open("dsig-more", more, "KeyLength").text(&length.to_string()).close();
            }
            writer.close();
        }
    }
    writer.close();
}

fn hmac_over(digest: DigestAlg) -> Option<SignatureAlg> {
    SignatureAlg::ALL.iter().copied().find(|alg| alg.is_mac() && alg.digest() == Some(digest))
}

/// Hexadecimal with the leading octet that says "no padding bits"; empty stays `00`, which
/// every stack reads.
fn bit_string(octets: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::from("00");
    for octet in octets {
        let _ = write!(text, "{octet:02X}");
    }
    text
}

fn binary(writer: &mut Writer, local: &str, octets: &[u8]) {
    writer.open("ds", ns::DS.uri(), local).raw(base64::encode(octets).as_bytes()).close();
}
