//! The documents that every engine is given, and the key.
//!
//! The unsigned texts are those of the lab's rotation. From each of them come, by text: a template with an empty
//! signature over Timestamp and Body, one with an empty EncryptedData in the place of the Body's content, and by our
//! engine: the signed and the encrypted text that every engine is given. Not here: engines. Called by `main`.

use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::{CipherAlg, DigestAlg, MgfAlg, PrivateKey, SignatureAlg, TransportAlg};
use bartizan_keys::pki::{DemoOptions, DemoPki};
use bartizan_keys::{Time, store};
use bartizan_lab::message::{self, Size};
use bartizan_xml::c14n::C14nMethod;
use bartizan_xml::names::ns;

/// What is drawn from; the lab's benches have other numbers.
const SEED: u64 = 17;

/// One document in the forms in which engines want it.
#[derive(Clone, Default, Debug)]
pub struct Document {
    /// `wsu:Id` of the Body.
    pub body_id: String,
    /// What stands inside of the Body.
    pub content: String,
    /// As it is made.
    pub unsigned: String,
    /// With an empty signature as the last child of the Security header.
    pub template: String,
    /// With an empty EncryptedData as the content of the Body.
    pub sealing: String,
    /// Signed.
    pub signed: String,
    /// Encrypted.
    pub sealed: String,
}

/// Unsigned documents of one size with their templates.
pub fn unsigned(size: Size, count: usize) -> Vec<Document> {
    message::rotation(size, count, SEED).into_iter().map(|message| templates(message.envelope)).collect()
}

fn templates(unsigned: String) -> Document {
    let ids: Vec<&str> =
        unsigned.split("wsu:Id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let [timestamp, body] = ids[..] else { panic!("two Ids: {ids:?}") };
    let begin = unsigned.find("<soap:Body").expect("a Body");
    let begin = begin + unsigned[begin..].find('>').expect("an end of the tag") + 1;
    let end = unsigned.find("</soap:Body>").expect("an end of the Body");
    let signature = signature_template(&[timestamp, body]);
    let template = unsigned.replacen("</wsse:Security>", &format!("{signature}</wsse:Security>"), 1);
    let sealing = [&unsigned[..begin], &sealing_template(), &unsigned[end..]].concat();
    Document {
        body_id: body.to_owned(),
        content: unsigned[begin..end].to_owned(),
        template,
        sealing,
        unsigned,
        ..Document::default()
    }
}

/// A signature whose values are empty.
fn signature_template(ids: &[&str]) -> String {
    let (canonical, method) = (C14nMethod::Exclusive.uri(), SignatureAlg::RsaSha256.uri());
    let digest = DigestAlg::Sha256.uri();
    let reference = |id: &&str| {
        format!(
            "<ds:Reference URI=\"#{id}\"><ds:Transforms><ds:Transform Algorithm=\"{canonical}\"/></ds:Transforms>\
             <ds:DigestMethod Algorithm=\"{digest}\"/><ds:DigestValue></ds:DigestValue></ds:Reference>"
        )
    };
    let references: String = ids.iter().map(reference).collect();
    format!(
        "<ds:Signature xmlns:ds=\"{}\"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm=\"{canonical}\"/>\
         <ds:SignatureMethod Algorithm=\"{method}\"/>{references}</ds:SignedInfo>\
         <ds:SignatureValue></ds:SignatureValue></ds:Signature>",
        ns::DS.uri()
    )
}

/// An EncryptedData with AES-256-GCM, its key under RSA-OAEP with SHA-256 for digest and mask; the values are empty.
pub fn sealing_template() -> String {
    let (xenc, ds) = (ns::XENC.uri(), ns::DS.uri());
    format!(
        "<xenc:EncryptedData xmlns:xenc=\"{xenc}\" Type=\"{xenc}Content\">\
         <xenc:EncryptionMethod Algorithm=\"{}\"/><ds:KeyInfo xmlns:ds=\"{ds}\"><xenc:EncryptedKey>\
         <xenc:EncryptionMethod Algorithm=\"{}\"><ds:DigestMethod Algorithm=\"{}\"/>\
         <xenc11:MGF xmlns:xenc11=\"{}\" Algorithm=\"{}\"/></xenc:EncryptionMethod>\
         <xenc:CipherData><xenc:CipherValue></xenc:CipherValue></xenc:CipherData></xenc:EncryptedKey></ds:KeyInfo>\
         <xenc:CipherData><xenc:CipherValue></xenc:CipherValue></xenc:CipherData></xenc:EncryptedData>",
        CipherAlg::Aes256Gcm.uri(),
        TransportAlg::RsaOaep.uri(),
        DigestAlg::Sha256.uri(),
        ns::XENC11.uri(),
        MgfAlg::Mgf1Sha256.uri(),
    )
}

/// The one key of a run, fresh, in the forms in which engines take it. It signs and opens.
pub struct Keys {
    /// Ours.
    pub private: PrivateKey,
    /// PKCS#8 in PEM.
    pub pem: String,
    /// Its certificate in PEM.
    pub certificate: String,
}

impl Keys {
    /// A fresh RSA key of 2,048 bits.
    pub fn generate() -> Keys {
        let now = Time::parse_rfc3339("2026-11-30T12:00:00Z").expect("a time");
        let options = DemoOptions { rsa_bits: 2048, now, jks: false };
        let made = DemoPki::generate(&options, &SystemRandom).expect("keys");
        let file = |name: &str| {
            let file = made.files.iter().find(|file| file.name == name).expect("a file of the folder");
            String::from_utf8(file.contents.expose(Clone::clone)).expect("PEM")
        };
        let (pem, certificate) = (file("client.key"), file("client.pem"));
        let entries = |text: &str| store::read_any(text.as_bytes(), None).expect("what was written");
        let identity = store::pair(&entries(&pem), &entries(&certificate)).expect("a pair");
        // The file may hold the authority's certificate, too; the first is the key's.
        let end = "-----END CERTIFICATE-----";
        let certificate = certificate.split_inclusive(end).next().expect("a certificate").to_owned() + "\n";
        Keys { private: identity.key().clone(), pem, certificate }
    }
}
