//! Encryption that must open, in every layout and with every algorithm.

use bartizan_crypto::alg::{AlgSet, CipherAlg, DigestAlg, MgfAlg, TransportAlg, WrapAlg};
use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::{Curve, OaepParams, PrivateKey, SymmetricKey};
use bartizan_xml::names::xenc;
use bartizan_xml::write::Writer;
use bartizan_xmlsec::encryption::{
    DataKind, EncryptKey, KeyMethod, KeySpec, sealed_len, write_encrypted_key, write_reference_list,
};
use bartizan_xmlsec::engine::{EncryptRequest, KeyRing, Recipient, decrypt_document, encrypt_document};
use bartizan_xmlsec::key_info::{Derivation, KeyInfoItem};
use bartizan_xmlsec::signature::WriteInto;
use bartizan_xmlsec::{ContentKey, DecryptKey, EncryptedData, EncryptedKey, ReferenceList};

use crate::fixture::*;

const PLAIN: &str = "<r xmlns='urn:r'><a>secret <b/></a><c/></r>";

/// Encrypts the first child of the root of `PLAIN` and decrypts it again.
fn round_trip(cipher: CipherAlg, content: bool, recipient: Recipient<'_>, ring: &KeyRing) -> String {
    let document = parse(PLAIN);
    let element = document.root().elements().next().expect("a").id();
    let name = KeyInfoItem::KeyName("k".into());
    let request =
        EncryptRequest { element, content, cipher, recipient, key_info: Some(&name), id: Some("D") };
    let text = encrypt_document(&document, &request, &SystemRandom).expect("encrypted");
    let text = String::from_utf8(text).expect("text");
    assert!(!text.contains("secret"), "{text}");
    let mut document = parse(&text);
    let done = decrypt_document(&mut document, ring, &permit(), &mut budget())
        .unwrap_or_else(|e| panic!("{cipher}: {e}: {text}"));
    assert_eq!(done.parts.len(), 1);
    String::from_utf8(done.render(&document)).expect("text")
}

#[test]
fn every_cipher_opens_what_it_sealed_as_element_and_as_content() {
    for cipher in CipherAlg::ALL.iter().copied() {
        let key = content_ring(cipher);
        let secret = SymmetricKey::new(secret().expose(|o| o[..cipher.key_len()].to_vec()));
        let element = round_trip(cipher, false, Recipient::Secret(&secret), &key);
        assert_eq!(element, PLAIN);
        let content = round_trip(cipher, true, Recipient::Secret(&secret), &key);
        assert_eq!(content, PLAIN);
    }
}

#[test]
fn every_transport_and_wrap_opens() {
    let mut methods = vec![KeyMethod::Transport(TransportAlg::Rsa15, OaepParams::default())];
    for digest in
        [DigestAlg::Sha1, DigestAlg::Sha224, DigestAlg::Sha256, DigestAlg::Sha384, DigestAlg::Sha512]
    {
        let fixed = OaepParams::new(digest, MgfAlg::Mgf1Sha1);
        methods.push(KeyMethod::Transport(TransportAlg::RsaOaepMgf1p, fixed));
        for mgf in MgfAlg::ALL.iter().copied() {
            let params = OaepParams { digest, mgf, label: vec![1, 2, 3] };
            methods.push(KeyMethod::Transport(TransportAlg::RsaOaep, params));
        }
    }
    assert_eq!(methods.len(), 31);
    for method in &methods {
        let recipient = Recipient::Key { method, key: EncryptKey::Public(rsa().public()) };
        round_trip(CipherAlg::Aes256Gcm, false, recipient, &ring());
    }
    for wrap in WrapAlg::ALL.iter().copied() {
        let kek = SymmetricKey::new(secret().expose(|o| o[..wrap.key_len()].to_vec()));
        let mut ring = KeyRing::new();
        ring.add_secret(Some("k"), kek.duplicate());
        let method = KeyMethod::Wrap(wrap);
        let recipient = Recipient::Key { method: &method, key: EncryptKey::Secret(&kek) };
        // 3DES key wrap takes 3DES keys only.
        let cipher = if wrap == WrapAlg::TripleDes { CipherAlg::TripleDesCbc } else { CipherAlg::Aes128Gcm };
        round_trip(cipher, true, recipient, &ring);
    }
}

#[test]
fn every_agreement_and_derivation_opens() {
    let keys = [
        PrivateKey::generate_ec(Curve::P256),
        PrivateKey::generate_ec(Curve::P384),
        PrivateKey::generate_ec(Curve::P521),
        PrivateKey::generate_x25519(),
    ];
    for key in keys.map(|key| key.expect("a key")) {
        for digest in [DigestAlg::Sha1, DigestAlg::Sha256, DigestAlg::Sha384, DigestAlg::Sha512] {
            let derivations = [
                Derivation::ConcatKdf { digest, other_info: vec![0x12, 0xAB] },
                Derivation::ConcatKdf { digest, other_info: Vec::new() },
                Derivation::Hkdf { digest, salt: vec![9; 12], info: vec![8], length: Some(32) },
                Derivation::Hkdf { digest, salt: Vec::new(), info: Vec::new(), length: None },
            ];
            for derivation in &derivations {
                let mut ring = KeyRing::new();
                ring.add_private(Some("k"), key.clone());
                let method = KeyMethod::Wrap(WrapAlg::Aes256);
                let key = EncryptKey::Agree { recipient: key.public(), derivation };
                let recipient = Recipient::Key { method: &method, key };
                round_trip(CipherAlg::Aes256Gcm, false, recipient, &ring);
            }
        }
    }
}

/// An EncryptedKey to the RSA key of the fixture.
fn encrypted_key(
    content: &ContentKey,
    id: Option<&str>,
    references: &[Box<str>],
    name: Option<&str>,
) -> String {
    let method = KeyMethod::Transport(TransportAlg::RsaOaepMgf1p, OaepParams::default());
    let spec = KeySpec { id, method: &method, recipient: None, references, carried_name: name };
    let mut writer = Writer::new();
    write_encrypted_key(&mut writer, &spec, &EncryptKey::Public(rsa().public()), content, &SystemRandom)
        .expect("wrapped");
    String::from_utf8(writer.finish().expect("whole")).expect("text")
}

fn opened(text: &str) -> String {
    let mut document = parse(text);
    let done = decrypt_document(&mut document, &ring(), &permit(), &mut budget())
        .unwrap_or_else(|e| panic!("{e}: {text}"));
    String::from_utf8(done.render(&document)).expect("text")
}

#[test]
fn key_without_id_serves_data_without_key_info_through_its_reference_list() {
    let key = ContentKey::generate(CipherAlg::Aes128Gcm, &SystemRandom);
    let data = |id: &str| {
        let text =
            encrypted(CipherAlg::Aes128Gcm, &key, &DataKind::Element, format!("<x>{id}</x>").as_bytes());
        swap(&text, "Id=\"D\"", &format!("Id=\"{id}\""))
    };
    let wrapped = encrypted_key(&key, None, &["one".into(), "two".into()], None);
    let text = format!("<r><h>{wrapped}</h>{}{}</r>", data("one"), data("two"));
    let once = bartizan_xml::Limits { private_ops: 1, ..bartizan_xml::Limits::default() };
    let mut document = parse(&text);
    let mut budget = bartizan_xml::Budget::new(&once);
    let done =
        decrypt_document(&mut document, &ring(), &permit(), &mut budget).expect("one private operation");
    assert_eq!(done.render(&document), format!("<r><h>{wrapped}</h><x>one</x><x>two</x></r>").into_bytes());
}

#[test]
fn key_by_retrieval_method_and_by_carried_name_opens() {
    let key = ContentKey::generate(CipherAlg::Aes256Cbc, &SystemRandom);
    let data = encrypted(CipherAlg::Aes256Cbc, &key, &DataKind::Content, b"hi<x/>");
    let with = |info: &str| {
        let method = "<xenc:CipherData>";
        swap(&data, method, &format!("<ds:KeyInfo xmlns:ds='{DS}'>{info}</ds:KeyInfo>{method}"))
    };
    let by_method = with(&format!("<ds:RetrievalMethod Type='{XENC}EncryptedKey' URI='#EK'/>"));
    let text = format!("<r>{}<b>{by_method}</b></r>", encrypted_key(&key, Some("EK"), &[], None));
    assert!(opened(&text).ends_with("<b>hi<x/></b></r>"));
    let by_name = with("<ds:KeyName>session</ds:KeyName>");
    let text = format!("<r>{}<b>{by_name}</b></r>", encrypted_key(&key, None, &[], Some("session")));
    assert!(opened(&text).ends_with("<b>hi<x/></b></r>"));
    let embedded = with(&encrypted_key(&key, None, &[], None));
    assert!(opened(&format!("<r>{embedded}</r>")).ends_with("<r>hi<x/></r>"));
}

#[test]
fn encrypted_root_gives_octets() {
    let key = content_key(CipherAlg::Aes128Gcm);
    let text = encrypted(CipherAlg::Aes128Gcm, &key, &DataKind::Octets, &[0, 159, 146, 150]);
    let mut document = parse(&text);
    let done = decrypt_document(&mut document, &content_ring(CipherAlg::Aes128Gcm), &permit(), &mut budget());
    assert_eq!(done.expect("decrypted").octets.as_deref(), Some([0, 159, 146, 150].as_slice()));
}

#[test]
fn nested_plaintexts_are_rendered_in_place() {
    let (cipher, key) = (CipherAlg::Aes128Gcm, content_key(CipherAlg::Aes128Gcm));
    let inner = encrypted(cipher, &key, &DataKind::Content, b"deep");
    let inner = swap(&inner, "Id=\"D\"", "Id=\"E\"");
    let outer = encrypted(cipher, &key, &DataKind::Element, format!("<x>{inner}!</x>").as_bytes());
    let mut document = parse(&format!("<r>a{outer}b</r>"));
    let done =
        decrypt_document(&mut document, &content_ring(cipher), &permit(), &mut budget()).expect("opened");
    assert_eq!(String::from_utf8_lossy(&done.render(&document)), "<r>a<x>deep!</x>b</r>");
    assert_eq!(
        done.parts.iter().map(|p| p.path.as_str()).collect::<Vec<_>>(),
        ["/r/EncryptedData", "/r/x/EncryptedData"]
    );
}

#[test]
fn padding_filler_of_other_stacks_does_not_matter() {
    // One block of text, one of padding whose filler is not the length: only the last octet counts.
    let cipher = CipherAlg::Aes128Cbc;
    let key = content_key(cipher);
    for len in 0..40 {
        let text = encrypted(cipher, &key, &DataKind::Octets, &vec![b'x'; len]);
        let document = parse(&text);
        let data = EncryptedData::read(encrypted_data(&document), &permit(), &mut budget()).expect("read");
        assert_eq!(data.cipher.len(), sealed_len(cipher, len));
        assert_eq!(data.open(&key).expect("opened").len(), len);
    }
}

#[test]
fn oaep_defaults_follow_the_matrix() {
    let key = ContentKey::generate(CipherAlg::Aes128Gcm, &SystemRandom);
    let text = encrypted_key(&key, None, &[], None);
    let read = |text: &str| {
        let document = parse(text);
        let key = EncryptedKey::read(document.root(), &permit(), &mut budget()).expect("read");
        match key.method {
            KeyMethod::Transport(alg, params) => (alg, params.digest, params.mgf),
            KeyMethod::Wrap(_) | KeyMethod::Block(_) => panic!("a transport"),
        }
    };
    use TransportAlg::{RsaOaep, RsaOaepMgf1p};
    assert!(!text.contains("DigestMethod"), "nobody writes it");
    assert_eq!(read(&text), (RsaOaepMgf1p, DigestAlg::Sha1, MgfAlg::Mgf1Sha1));
    let end = "</xenc:EncryptionMethod>";
    let digest = "<ds:DigestMethod xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\" Algorithm=\"http://www.w3.org/2001/04/xmlenc#sha256\"></ds:DigestMethod>";
    let sha256 = swap(&text, end, &format!("{digest}{end}"));
    assert_eq!(read(&sha256), (RsaOaepMgf1p, DigestAlg::Sha256, MgfAlg::Mgf1Sha1));
    let xenc11 = sha256.replace(
        "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p",
        "http://www.w3.org/2009/xmlenc11#rsa-oaep",
    );
    assert_eq!(read(&xenc11), (RsaOaep, DigestAlg::Sha256, MgfAlg::Mgf1Sha1));
    let bare = text.replace(
        "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p",
        "http://www.w3.org/2009/xmlenc11#rsa-oaep",
    );
    assert_eq!(read(&bare), (RsaOaep, DigestAlg::Sha1, MgfAlg::Mgf1Sha1));
}

#[test]
fn secret_of_an_encrypted_key_serves_other_uses() {
    let key = content_key(CipherAlg::Aes256Cbc);
    let document = parse(&encrypted_key(&key, Some("EK"), &[], None));
    let wrapped = EncryptedKey::read(document.root(), &permit(), &mut budget()).expect("read");
    assert_eq!(wrapped.id.as_deref(), Some("EK"));
    let unwrapped = wrapped.unwrap_secret(&DecryptKey::Private(rsa()), 32).expect("unwrapped");
    assert!(unwrapped.expose(|a| secret().expose(|b| a == b)));
}

#[test]
fn stand_alone_reference_list_reads_back() {
    let mut writer = Writer::new();
    write_reference_list(&mut writer, &["a".into(), "b".into()]);
    let document = parse(std::str::from_utf8(&writer.finish().expect("whole")).expect("text"));
    let list = ReferenceList::read(document.root()).expect("read");
    assert_eq!(list.data, ["a".into(), "b".into()]);
    assert!(document.root().is(xenc::REFERENCE_LIST));
}

#[test]
fn modern_set_takes_gcm_with_oaep_and_nothing_older() {
    let modern = bartizan_xmlsec::Permit::document(AlgSet::all_ok());
    for cipher in CipherAlg::ALL.iter().copied() {
        let document = parse(&encrypted(cipher, &content_key(cipher), &DataKind::Element, b"<x/>"));
        let read = EncryptedData::read(document.root(), &modern, &mut budget());
        assert_eq!(read.is_ok(), cipher.is_aead(), "{cipher}");
    }
}

#[test]
fn recipient_hint_stands_where_the_method_puts_it() {
    let name = KeyInfoItem::KeyName("bob".into());
    let hint: &dyn WriteInto = &name;
    let content = content_key(CipherAlg::Aes128Gcm);
    let derivation = Derivation::ConcatKdf { digest: DigestAlg::Sha256, other_info: Vec::new() };
    let wrap = KeyMethod::Wrap(WrapAlg::Aes128);
    let spec =
        KeySpec { id: None, method: &wrap, recipient: Some(hint), references: &[], carried_name: None };
    let mut writer = Writer::new();
    let key = EncryptKey::Agree { recipient: ec().public(), derivation: &derivation };
    write_encrypted_key(&mut writer, &spec, &key, &content, &SystemRandom).expect("wrapped");
    let document = parse(std::str::from_utf8(&writer.finish().expect("whole")).expect("text"));
    let wrapped = EncryptedKey::read(document.root(), &permit(), &mut budget()).expect("read");
    let agreement = wrapped.key_info.as_ref().and_then(|info| info.agreement()).expect("an agreement");
    assert_eq!(agreement.recipient.as_ref().and_then(|info| info.key_name()), Some("bob"));
    assert!(agreement.originator_key().is_ok());
    let opened = wrapped.unwrap(&DecryptKey::Private(ec()), CipherAlg::Aes128Gcm).expect("unwrapped");
    let data = parse(&encrypted(CipherAlg::Aes128Gcm, &content, &DataKind::Octets, b"hi"));
    let data = EncryptedData::read(data.root(), &permit(), &mut budget()).expect("read");
    assert_eq!(data.open(&opened).expect("opened"), b"hi");
}

#[test]
fn second_recipient_opens_under_a_name_of_the_senders_choice() {
    let (cipher, content) = (CipherAlg::Aes128Gcm, ContentKey::generate(CipherAlg::Aes128Gcm, &SystemRandom));
    let other = PrivateKey::generate_rsa(2048).expect("a key");
    let method = KeyMethod::Transport(TransportAlg::RsaOaepMgf1p, OaepParams::default());
    let mut keys = String::new();
    for (public, name) in [(other.public(), "other"), (rsa().public(), "me")] {
        let name = KeyInfoItem::KeyName(name.into());
        let spec = KeySpec {
            id: None,
            method: &method,
            recipient: Some(&name),
            references: &[],
            carried_name: None,
        };
        let mut writer = Writer::new();
        write_encrypted_key(&mut writer, &spec, &EncryptKey::Public(public), &content, &SystemRandom)
            .expect("wrapped");
        keys += std::str::from_utf8(&writer.finish().expect("whole")).expect("text");
    }
    let data = encrypted(cipher, &content, &DataKind::Element, b"<x/>");
    let info = format!("<ds:KeyInfo xmlns:ds='{DS}'>{keys}</ds:KeyInfo><xenc:CipherData>");
    let text = format!("<r>{}</r>", swap(&data, "<xenc:CipherData>", &info));
    let mut ring = KeyRing::new();
    ring.add_private(Some("mine"), rsa().clone());
    let mut document = parse(&text);
    let done = decrypt_document(&mut document, &ring, &permit(), &mut budget()).expect("decrypted");
    assert_eq!(done.render(&document), b"<r><x/></r>");
}

#[test]
fn content_is_found_whatever_its_start_tag_holds() {
    let cipher = CipherAlg::Aes128Gcm;
    let key = SymmetricKey::new(secret().expose(|o| o[..cipher.key_len()].to_vec()));
    for text in [
        "<r><a x='>' y=\"'>/>\">in<!--</a>--></a ></r>",
        "<r><a x='/>'></a></r>",
        "<r><a x='1' /></r>",
        "<r><a><![CDATA[</a>]]></a></r>",
    ] {
        let document = parse(text);
        let element = document.root().elements().next().expect("a").id();
        let recipient = Recipient::Secret(&key);
        let request = EncryptRequest { element, content: true, cipher, recipient, key_info: None, id: None };
        let sealed = encrypt_document(&document, &request, &SystemRandom).expect("encrypted");
        let mut document = parse(std::str::from_utf8(&sealed).expect("text"));
        let done =
            decrypt_document(&mut document, &content_ring(cipher), &permit(), &mut budget()).expect("opened");
        let expected = if text.contains("1' />") { "<r><a x='1' ></a></r>" } else { text };
        assert_eq!(String::from_utf8_lossy(&done.render(&document)), expected);
    }
}
