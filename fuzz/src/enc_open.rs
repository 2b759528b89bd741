//! XML Encryption: sealed documents, edited, and plaintexts of the fuzzer's own, sealed soundly.
//!
//! Under an authenticated cipher nothing comes out but what went in. A plaintext is accepted exactly if it may be grafted.

use std::collections::HashSet;
use std::sync::OnceLock;

use bartizan_crypto::{AlgSet, CipherAlg, OaepParams, TransportAlg, WrapAlg};
use bartizan_xml::write::Writer;
use bartizan_xml::{Budget, Document, Graft, Limits, Profile};
use bartizan_xmlsec::encryption::{DataKind, DataSpec, EncryptKey, KeyMethod, write_encrypted_data};
use bartizan_xmlsec::engine::{
    Decryption, EncryptRequest, KeyRing, Recipient, decrypt_document, encrypt_document,
};
use bartizan_xmlsec::key_info::Derivation;
use bartizan_xmlsec::{ContentKey, EncryptedData, EncryptedKey, ErrorKind, Permit};

use crate::edit::{Recipe, edited};
use crate::world::{Steady, private_key, secret};

const DOCUMENT: &str =
    "<r xmlns=\"urn:r\" xmlns:p=\"urn:p\"><a p:x=\"1\">secret <p:b/></a><c>other</c><p:d>text</p:d></r>";

struct World {
    sealed: Vec<Vec<u8>>,
    plaintexts: HashSet<String>,
    ring: KeyRing,
}

fn budget() -> Budget {
    Budget::new(&Limits::default())
}

fn permit() -> Permit {
    Permit::document(AlgSet::with_legacy())
}

fn ring() -> KeyRing {
    let mut ring = KeyRing::new();
    ring.add_private(None, private_key("server"));
    ring.add_private(None, private_key("server-ec"));
    for length in [16, 24, 32] {
        ring.add_secret(Some(&format!("k{length}")), secret(length));
    }
    ring
}

fn named(length: usize) -> bartizan_xmlsec::key_info::KeyInfoItem {
    bartizan_xmlsec::key_info::KeyInfoItem::KeyName(format!("k{length}").into())
}

fn seal(cipher: CipherAlg, content: bool, recipient: Recipient<'_>, name: usize) -> Vec<u8> {
    let document = Document::parse(DOCUMENT.as_bytes().to_vec(), Profile::Bare, &mut budget()).expect("ours");
    let element = document.root().elements().next().expect("a").id();
    let name = named(name);
    let request =
        EncryptRequest { element, content, cipher, recipient, key_info: Some(&name), id: Some("D") };
    encrypt_document(&document, &request, &Steady::default()).expect("sealed")
}

fn world() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| {
        let mut world = World { sealed: Vec::new(), plaintexts: HashSet::new(), ring: ring() };
        let (rsa, ec) = (private_key("server"), private_key("server-ec"));
        let transports = [TransportAlg::Rsa15, TransportAlg::RsaOaepMgf1p]
            .map(|method| KeyMethod::Transport(method, OaepParams::default()));
        for cipher in CipherAlg::ALL.iter().copied() {
            for content in [false, true] {
                let mut add = |octets| world.sealed.push(octets);
                let key = secret(cipher.key_len());
                add(seal(cipher, content, Recipient::Secret(&key), cipher.key_len()));
                for method in &transports {
                    let key = EncryptKey::Public(rsa.public());
                    add(seal(cipher, content, Recipient::Key { method, key }, 0));
                }
                let (kek, method) = (secret(16), KeyMethod::Wrap(WrapAlg::Aes128));
                add(seal(
                    cipher,
                    content,
                    Recipient::Key { method: &method, key: EncryptKey::Secret(&kek) },
                    16,
                ));
                let derivation = Derivation::ConcatKdf {
                    digest: bartizan_crypto::DigestAlg::Sha256,
                    other_info: vec![1, 2],
                };
                let key = EncryptKey::Agree { recipient: ec.public(), derivation: &derivation };
                add(seal(cipher, content, Recipient::Key { method: &method, key }, 0));
            }
        }
        for sealed in &world.sealed {
            let mut document = Document::parse(sealed.clone(), Profile::Bare, &mut budget()).expect("ours");
            let opened = decrypt_document(&mut document, &world.ring, &permit(), &mut budget());
            let opened = opened.unwrap_or_else(|e| panic!("{e}\n{}", String::from_utf8_lossy(sealed)));
            assert_eq!(String::from_utf8_lossy(&opened.render(&document)), DOCUMENT);
            world.plaintexts.insert(document.segment_text(1).to_owned());
        }
        world
    })
}

/// One input: which document and what to do to it, a plaintext, or a document of the fuzzer's own.
pub fn run(data: &[u8]) {
    let world = world();
    let mut recipe = Recipe::new(data);
    match recipe.octet() {
        0xff => drop(open(world, recipe.all())),
        kind @ 0xf0..0xff => sealed_soundly(world, usize::from(kind), recipe.all()),
        n => {
            let sealed = &world.sealed[usize::from(n) % world.sealed.len()];
            let octets = edited(sealed, &mut recipe);
            let Some((document, opened)) = open(world, &octets) else { return };
            // An edited document may name another cipher; what an authenticated one opens was sealed by us.
            for (n, part) in (1..document.segments()).zip(&opened.parts) {
                let text = document.segment_text(n);
                assert!(!part.cipher.is_aead() || world.plaintexts.contains(text), "nobody sealed {text:?}");
            }
        }
    }
}

/// Decrypts; whatever comes out is a whole document, and a failure says no more than it may.
fn open(world: &World, octets: &[u8]) -> Option<(Document, Decryption)> {
    let mut budget = budget();
    let mut document = Document::parse(octets.to_vec(), Profile::Bare, &mut budget).ok()?;
    let root = document.root();
    for element in std::iter::once(root).chain(root.descendants()).take(64) {
        if let Ok(data) = EncryptedData::read(element, &permit(), &mut budget) {
            assert_eq!(data.element, element.id());
        }
        if let Ok(key) = EncryptedKey::read(element, &permit(), &mut budget) {
            assert_eq!(key.element, element.id());
        }
    }
    match decrypt_document(&mut document, &world.ring, &permit(), &mut budget) {
        Ok(opened) => {
            assert!(!opened.parts.is_empty());
            let rendered = opened.render(&document);
            if opened.octets.is_none() {
                let again = Document::parse(rendered, Profile::Bare, &mut Budget::new(&Limits::generous()));
                again.expect("what was grafted can be written out");
            }
            Some((document, opened))
        }
        Err(error) => {
            drop(format!("{error} {error:?}"));
            None
        }
    }
}

/// A plaintext sealed under a key that is known: it is refused exactly if it cannot be grafted, and then as any other
/// failure to decrypt.
fn sealed_soundly(world: &World, kind: usize, plaintext: &[u8]) {
    let ciphers = [CipherAlg::Aes128Gcm, CipherAlg::Aes256Cbc, CipherAlg::TripleDesCbc];
    let cipher = ciphers[kind % ciphers.len()];
    let (data_kind, graft) =
        if kind % 2 == 0 { (DataKind::Element, Graft::Element) } else { (DataKind::Content, Graft::Content) };
    let key = ContentKey::new(secret(cipher.key_len()), cipher).expect("it fits");
    let name = format!("k{}", cipher.key_len());
    let key_info = |writer: &mut Writer| {
        writer.open("ds", "http://www.w3.org/2000/09/xmldsig#", "KeyInfo");
        writer.open("ds", "http://www.w3.org/2000/09/xmldsig#", "KeyName").text(&name).close();
        writer.close();
    };
    let spec = DataSpec { id: Some("D"), kind: &data_kind, mime_type: None, key_info: Some(&key_info) };
    let mut writer = Writer::new();
    writer.open("h", "urn:h", "host");
    write_encrypted_data(&mut writer, &spec, &key, plaintext, &Steady::default()).expect("sealed");
    writer.close();
    let octets = writer.finish().expect("whole");
    let mut budgets = [budget(), budget()];
    let mut document = Document::parse(octets.clone(), Profile::Bare, &mut budgets[0]).expect("ours");
    let mut plain = Document::parse(octets, Profile::Bare, &mut budgets[1]).expect("ours");
    let hole = plain.root().elements().next().expect("the data").id();
    let grafted = plain.graft(hole, plaintext.to_vec(), graft, &mut budgets[1]);
    match decrypt_document(&mut document, &world.ring, &permit(), &mut budgets[0]) {
        Ok(_) => {
            assert!(grafted.is_ok(), "{grafted:?}");
            assert_eq!(document.segment_text(1).as_bytes(), plaintext);
        }
        // What came out may hold encrypted data of its own, or Ids that are there already.
        Err(error) if grafted.is_ok() => {
            let text = String::from_utf8_lossy(plaintext);
            assert!(text.contains("Encrypted") || matches!(error.kind, ErrorKind::Xml(_)), "{error}");
        }
        Err(error) => assert!(matches!(error.kind, ErrorKind::DecryptionFailed), "{error}"),
    }
}
