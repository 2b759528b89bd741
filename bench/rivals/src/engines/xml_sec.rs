//! xml-sec as it is built by default: its own parser, and cryptography of the RustCrypto project in pure Rust.

use bartizan_lab::message::Size;
use sad_rsa::{RsaPrivateKey, RsaPublicKey};
use xml_sec::XmlDocument;
use xml_sec::c14n::{C14nAlgorithm, C14nMode, canonicalize};
use xml_sec::rsa_encoding::{RsaPrivateKeyEncoding as _, RsaPublicKeyEncoding as _};
use xml_sec::xmldsig::{
    DsigStatus, RsaSigningKey, SignContext, SignatureAlgorithm, VerificationKey, VerifyContext,
};
use xml_sec::xmlenc::{
    DataEncryptionAlgorithm, DecryptContext, DocumentEncryptionOptions, EncryptedDataBuilder,
    EncryptedDataType, EncryptionRecipient, PrivateKeyDecryptor,
};

use crate::documents::{Document, Keys};
use crate::engine::{Case, Engine, Outcome, Turn, plain_turns, rotation};

/// The engine with its keys.
pub struct XmlSec {
    signing: SignContext<'static>,
    verifying: VerifyContext<'static>,
    sealing: EncryptedDataBuilder,
    opening: DecryptContext<'static>,
    exclusive: C14nAlgorithm,
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl XmlSec {
    /// With the key of a run, which lives as long as the process.
    pub fn new(keys: &Keys) -> XmlSec {
        let signer = RsaSigningKey::from_pkcs8_pem(&keys.pem).expect("xml-sec takes the key");
        let spki = keys.private.public().spki();
        let trusted = VerificationKey {
            algorithm: SignatureAlgorithm::RsaSha256,
            public_key_bytes: spki.to_vec(),
            certificate_der: None,
            name: None,
        };
        let recipient = RsaPublicKey::from_public_key_der(spki).expect("xml-sec takes the public key");
        let private = RsaPrivateKey::from_pkcs8_pem(&keys.pem).expect("xml-sec takes the key");
        XmlSec {
            signing: SignContext::new(Box::leak(Box::new(signer))),
            verifying: VerifyContext::new().key(Box::leak(Box::new(trusted))),
            sealing: EncryptedDataBuilder::new(DataEncryptionAlgorithm::Aes256Gcm)
                .encryption_type(EncryptedDataType::Content)
                .add_recipient(EncryptionRecipient::rsa_oaep(recipient)),
            opening: DecryptContext::new(Box::leak(Box::new(PrivateKeyDecryptor::new(private)))),
            exclusive: C14nAlgorithm::new(C14nMode::Exclusive1_0, false),
        }
    }

    /// A subset is chosen by a predicate; source ranges are the cheapest that the public interface offers.
    fn canonical(&self, tree: &XmlDocument) -> Outcome<Vec<u8>> {
        tree.with_view(|view| {
            let root = view.document().root_element();
            let body = root.children().find(|node| node.is_element() && node.tag_name().name() == "Body");
            let range = body.ok_or("no Body")?.range();
            let inside = |node: xml_sec::Node<'_, '_>| range.contains(&node.range().start);
            let mut octets = Vec::new();
            canonicalize(view.document(), Some(&inside), &self.exclusive, &mut octets).map_err(said)?;
            Ok(octets)
        })
    }
}

/// The text in which the Body has its Id in no namespace: xml-sec encrypts no element whose Id is in one.
fn target(document: &Document) -> (String, DocumentEncryptionOptions<'_>) {
    let text = document.unsigned.replacen("<soap:Body wsu:Id=", "<soap:Body Id=", 1);
    (text, DocumentEncryptionOptions { element_id: Some(&document.body_id) })
}

impl Engine for XmlSec {
    fn name(&self) -> &str {
        "xml-sec"
    }

    fn note(&self, case: Case) -> String {
        let rest = if case.is_cryptography() { "RustCrypto" } else { "parser xmloxide" };
        format!("0.4.1, {rest}")
    }

    fn offers(&self, _: Case) -> bool {
        true
    }

    fn act(&self, case: Case, document: &Document) -> Outcome<Vec<u8>> {
        match case {
            Case::Parse => {
                let tree = XmlDocument::parse(document.unsigned.as_str()).map_err(said)?;
                let count =
                    tree.with_view(|view| view.document().descendants().filter(|n| n.is_element()).count());
                Ok(count.to_string().into_bytes())
            }
            Case::Canonical => self.canonical(&XmlDocument::parse(document.unsigned.as_str()).map_err(said)?),
            Case::Verify => {
                let found = self.verifying.verify(&document.signed).map_err(said)?;
                match found.status {
                    DsigStatus::Valid => Ok(Vec::new()),
                    other => Err(format!("{other:?}")),
                }
            }
            Case::Sign => {
                self.signing.sign_template(&document.template).map(String::into_bytes).map_err(said)
            }
            Case::Encrypt => {
                let (text, options) = target(document);
                let sealed = self.sealing.encrypt_document(&text, options).map_err(said)?;
                Ok(sealed.replacen("<soap:Body Id=", "<soap:Body wsu:Id=", 1).into_bytes())
            }
            Case::Decrypt => {
                self.opening.decrypt_document(&document.sealed, None).map(String::into_bytes).map_err(said)
            }
        }
    }

    fn turns(&'static self, case: Case, size: Size, documents: &'static [Document]) -> Turn {
        let texts = || documents.iter().map(|document| document.unsigned.clone());
        match case {
            Case::Parse => {
                rotation(size, texts().collect(), |text: String| XmlDocument::parse(text).expect("a tree"))
            }
            Case::Canonical => {
                let trees: Vec<XmlDocument> =
                    texts().map(|text| XmlDocument::parse(text).expect("a tree")).collect();
                let act = move |at: usize| self.canonical(&trees[at]).expect("octets");
                rotation(size, (0..documents.len()).collect(), act)
            }
            Case::Encrypt => {
                let act = |(text, options): (String, DocumentEncryptionOptions<'static>)| {
                    self.sealing.encrypt_document(&text, options).expect("it was done before")
                };
                rotation(size, documents.iter().map(target).collect(), act)
            }
            _ => plain_turns(self, case, size, documents),
        }
    }
}
