//! Ours: the parser, the canonicalizer, and XML Signature and Encryption of whole documents without SOAP.
//!
//! The WS-Security processor, which the product uses, is another way through the same parts, and does more: a policy, the
//! age of the Timestamp, trust in certificates. No rival has that, so it is not compared here.

use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::{
    AlgSet, CipherAlg, DigestAlg, MgfAlg, OaepParams, PrivateKey, SignatureAlg, TransportAlg,
};
use bartizan_lab::message::Size;
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::names::{soap11, wsse, wsu};
use bartizan_xml::{Budget, Document as Tree, Element, Limits, Profile};
use bartizan_xmlsec::encryption::{EncryptKey, KeyMethod};
use bartizan_xmlsec::engine::{
    EncryptRequest, KeyRing, Recipient, SignRequest, SignTarget, decrypt_document, encrypt_document,
    sign_document, verify_document,
};
use bartizan_xmlsec::signature::SignKey;
use bartizan_xmlsec::{C14nSpec, Permit};

use crate::documents::{Document, Keys};
use crate::engine::{Case, Engine, Outcome, Turn, plain_turns, rotation};

/// Our engine with its keys.
pub struct Own {
    key: PrivateKey,
    ring: KeyRing,
    permit: Permit,
    method: KeyMethod,
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn budget() -> Budget {
    Budget::new(&Limits::default())
}

fn parsed(octets: Vec<u8>, budget: &mut Budget) -> Outcome<Tree> {
    Tree::parse(octets, Profile::Message, budget).map_err(said)
}

fn body(tree: &Tree) -> Outcome<Element<'_>> {
    tree.root().child(soap11::BODY).ok_or_else(|| "no Body".to_owned())
}

fn canonical(tree: &Tree) -> Outcome<Vec<u8>> {
    let mut octets = Vec::new();
    C14n::new(C14nMethod::Exclusive).write(body(tree)?, &mut octets).map_err(said)?;
    Ok(octets)
}

impl Own {
    /// With the key of a run.
    pub fn new(keys: &Keys) -> Own {
        let mut ring = KeyRing::new();
        ring.add_private(None, keys.private.clone());
        Own {
            key: keys.private.clone(),
            ring,
            permit: Permit::message(AlgSet::all_ok()),
            method: KeyMethod::Transport(
                TransportAlg::RsaOaep,
                OaepParams::new(DigestAlg::Sha256, MgfAlg::Mgf1Sha256),
            ),
        }
    }

    fn verify(&self, text: &str) -> Outcome<()> {
        let mut budget = budget();
        let tree = parsed(text.as_bytes().to_vec(), &mut budget)?;
        let reports = verify_document(&tree, &self.ring, &self.permit, &mut budget).map_err(said)?;
        let [report] = &reports[..] else { return Err("not one signature".to_owned()) };
        report.outcome.as_ref().map_err(said)?;
        let covered = report.references.iter().filter(|reference| reference.covered.is_some()).count();
        if covered == 2 { Ok(()) } else { Err("it does not cover two parts".to_owned()) }
    }

    fn sign(&self, text: &str) -> Outcome<Vec<u8>> {
        let mut budget = budget();
        let tree = parsed(text.as_bytes().to_vec(), &mut budget)?;
        let missing = || "no Security header with a Timestamp".to_owned();
        let header = tree.root().child(soap11::HEADER).ok_or_else(missing)?;
        let security = header.child(wsse::SECURITY).ok_or_else(missing)?;
        let timestamp = security.child(wsu::TIMESTAMP).ok_or_else(missing)?;
        let request = SignRequest {
            targets: &[SignTarget::Element(timestamp.id()), SignTarget::Element(body(&tree)?.id())],
            enveloped: false,
            parent: Some(security.id()),
            method: SignatureAlg::RsaSha256,
            digest: DigestAlg::Sha256,
            canonicalization: &C14nSpec::EXCLUSIVE,
            id: None,
            key_info: None,
        };
        let key = SignKey::Private(&self.key);
        sign_document(&tree, &request, &key, Profile::Message, &mut budget, &SystemRandom).map_err(said)
    }

    fn encrypt(&self, text: &str) -> Outcome<Vec<u8>> {
        let tree = parsed(text.as_bytes().to_vec(), &mut budget())?;
        let request = EncryptRequest {
            element: body(&tree)?.id(),
            content: true,
            cipher: CipherAlg::Aes256Gcm,
            recipient: Recipient::Key { method: &self.method, key: EncryptKey::Public(self.key.public()) },
            key_info: None,
            id: None,
        };
        encrypt_document(&tree, &request, &SystemRandom).map_err(said)
    }

    fn decrypt(&self, text: &str) -> Outcome<Vec<u8>> {
        let mut budget = budget();
        let mut tree = parsed(text.as_bytes().to_vec(), &mut budget)?;
        let done = decrypt_document(&mut tree, &self.ring, &self.permit, &mut budget).map_err(said)?;
        Ok(done.render(&tree))
    }
}

impl Engine for Own {
    fn name(&self) -> &str {
        "bartizan"
    }

    fn note(&self, case: Case) -> String {
        (if case.is_cryptography() { "AWS-LC" } else { "" }).to_owned()
    }

    fn offers(&self, _: Case) -> bool {
        true
    }

    fn act(&self, case: Case, document: &Document) -> Outcome<Vec<u8>> {
        match case {
            Case::Parse => {
                let tree = parsed(document.unsigned.as_bytes().to_vec(), &mut budget())?;
                Ok((1 + tree.root().descendants().count()).to_string().into_bytes())
            }
            Case::Canonical => canonical(&parsed(document.unsigned.as_bytes().to_vec(), &mut budget())?),
            Case::Verify => self.verify(&document.signed).map(|()| Vec::new()),
            Case::Sign => self.sign(&document.unsigned),
            Case::Encrypt => self.encrypt(&document.unsigned),
            Case::Decrypt => self.decrypt(&document.sealed),
        }
    }

    fn turns(&'static self, case: Case, size: Size, documents: &'static [Document]) -> Turn {
        let octets = || documents.iter().map(|document| document.unsigned.as_bytes().to_vec());
        match case {
            Case::Parse => {
                rotation(size, octets().collect(), |octets| parsed(octets, &mut budget()).expect("a tree"))
            }
            Case::Canonical => {
                let trees: Vec<Tree> =
                    octets().map(|octets| parsed(octets, &mut budget()).expect("a tree")).collect();
                rotation(size, (0..trees.len()).collect(), move |at: usize| {
                    canonical(&trees[at]).expect("octets")
                })
            }
            _ => plain_turns(self, case, size, documents),
        }
    }
}
