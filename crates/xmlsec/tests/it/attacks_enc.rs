//! Attacks on encryption. Names carry the rows of the table in `docs/attacks.md`.

use bartizan_crypto::alg::{Alg, AlgSet, CipherAlg, DigestAlg, MgfAlg, TransportAlg, WrapAlg};
use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::{OaepParams, OaepSet, SymmetricKey, base64};
use bartizan_xml::write::Writer;
use bartizan_xml::{Budget, Limits, Quantity};
use bartizan_xmlsec::encryption::{DataKind, EncryptKey, KeyMethod, KeySpec, write_encrypted_key};
use bartizan_xmlsec::engine::{KeyRing, decrypt_document};
use bartizan_xmlsec::key_info::{AgreementMethod, Derivation, KeyInfo};
use bartizan_xmlsec::{
    ContentKey, DecryptKey, EncryptedData, EncryptedKey, Error, ErrorKind, OaepPermit, Permit, ReferenceList,
    Shape,
};

use crate::fixture::*;

fn decrypt_under(text: &str, permit: &Permit, ring: &KeyRing, budget: &mut Budget) -> Result<Vec<u8>, Error> {
    let mut document = parse(text);
    let done = decrypt_document(&mut document, ring, permit, budget)?;
    Ok(done.render(&document))
}

fn decrypt(text: &str, ring: &KeyRing) -> Result<Vec<u8>, Error> {
    decrypt_under(text, &permit(), ring, &mut budget())
}

/// Asserts the one failure, with the one text.
fn assert_opaque(outcome: Result<Vec<u8>, Error>, what: &str) {
    let error = outcome.map(|o| String::from_utf8_lossy(&o).into_owned()).expect_err(what);
    assert!(matches!(error.kind, ErrorKind::DecryptionFailed), "{what}: {error:?}");
    assert_eq!(error.kind.to_string(), "decryption failed");
    assert_eq!(error.reference, None);
}

/// The octets of the n-th CipherValue.
fn cipher_value(text: &str, index: usize) -> Vec<u8> {
    let part = text.split("<xenc:CipherValue>").nth(index + 1).expect("a value");
    base64::decode(part.split('<').next().expect("an end")).expect("base64")
}

fn with_cipher_value(text: &str, index: usize, octets: &[u8]) -> String {
    swap(text, &base64::encode(&cipher_value(text, index)), &base64::encode(octets))
}

/// `<r>` with an EncryptedData whose KeyInfo holds an EncryptedKey to the RSA key of the fixture.
fn to_rsa(method: &KeyMethod, cipher: CipherAlg, content: &ContentKey, plaintext: &[u8]) -> String {
    let spec = KeySpec { id: None, method, recipient: None, references: &[], carried_name: None };
    let mut writer = Writer::new();
    write_encrypted_key(&mut writer, &spec, &EncryptKey::Public(rsa().public()), content, &SystemRandom)
        .expect("wrapped");
    let key = String::from_utf8(writer.finish().expect("whole")).expect("text");
    let data = encrypted(cipher, content, &DataKind::Element, plaintext);
    let info = format!("<ds:KeyInfo xmlns:ds='{DS}'>{key}</ds:KeyInfo><xenc:CipherData>");
    format!("<r>{}</r>", swap(&data, "<xenc:CipherData>", &info))
}

fn rsa15() -> KeyMethod {
    KeyMethod::Transport(TransportAlg::Rsa15, OaepParams::default())
}

fn oaep() -> KeyMethod {
    KeyMethod::Transport(TransportAlg::RsaOaepMgf1p, OaepParams::default())
}

#[test]
fn attack_enc_01_cbc_padding_and_content_fail_in_one_way() {
    let cipher = CipherAlg::Aes128Cbc;
    let (key, ring) = (content_key(cipher), content_ring(cipher));
    let text = format!("<r>{}</r>", encrypted(cipher, &key, &DataKind::Element, b"<x>0123456789abc</x>"));
    decrypt(&text, &ring).expect("the control opens");
    let value = cipher_value(&text, 0);
    let mut opened = 0;
    // Every value of every octet before the last block, which is how paddings and contents are asked for.
    for at in 0..value.len() - 16 {
        for mask in 1..=255_u8 {
            let mut asked = value.clone();
            asked[at] ^= mask;
            match decrypt(&with_cipher_value(&text, 0, &asked), &ring) {
                Ok(_) => opened += 1,
                refused => assert_opaque(refused, "a changed block"),
            }
        }
    }
    assert!(opened > 0, "some changes give other good documents: that is why CBC needs a signature");
    let modern = Permit::document(AlgSet::all_ok());
    let refused = decrypt_under(&text, &modern, &KeyRing::new(), &mut budget()).expect_err("refused");
    assert!(matches!(refused.kind, ErrorKind::AlgorithmNotPermitted(_)), "before any key is asked for");
}

#[test]
fn attack_enc_02_rsa_1_5_padding_looks_like_bad_data() {
    let cipher = CipherAlg::Aes256Gcm;
    let content = ContentKey::generate(cipher, &SystemRandom);
    let text = to_rsa(&rsa15(), cipher, &content, b"<x/>");
    decrypt(&text, &ring()).expect("the control opens");
    let value = cipher_value(&text, 0);
    for at in [0, 1, 2, 8, 100, value.len() - 1] {
        let mut changed = value.clone();
        changed[at] ^= 1;
        assert_opaque(decrypt(&with_cipher_value(&text, 0, &changed), &ring()), "a changed key");
    }
    // Keys of other lengths under correct padding.
    for len in [1, 8, 16, 24, 31, 33, 40] {
        let wrapped = rsa().public().encrypt_key(TransportAlg::Rsa15, &OaepParams::default(), &vec![7; len]);
        let text = with_cipher_value(&text, 0, &wrapped.expect("wrapped"));
        assert_opaque(decrypt(&text, &ring()), "a key of another length");
    }
    let mut data = cipher_value(&text, 1);
    data[20] ^= 1;
    assert_opaque(decrypt(&with_cipher_value(&text, 1, &data), &ring()), "bad data under a good key");
    let no_operation = Limits { private_ops: 0, ..Limits::default() };
    let modern = Permit::document(AlgSet::all_ok());
    let refused =
        decrypt_under(&text, &modern, &ring(), &mut Budget::new(&no_operation)).expect_err("refused");
    assert!(matches!(refused.kind, ErrorKind::AlgorithmNotPermitted(_)), "before the private key is used");
}

#[test]
fn attack_enc_03_content_key_of_another_size_looks_like_bad_data() {
    let short = ContentKey::generate(CipherAlg::Aes128Gcm, &SystemRandom);
    for method in [rsa15(), oaep()] {
        let text = to_rsa(&method, CipherAlg::Aes128Gcm, &short, b"<x/>");
        let relabelled = text.replace("aes128-gcm", "aes256-gcm");
        assert_opaque(decrypt(&relabelled, &ring()), "a key too short");
    }
    // A longer key is cut for files, never for messages.
    let kek = SymmetricKey::new(vec![3; 32]);
    let long = SymmetricKey::new(vec![5; 32]);
    let wrapped = kek.wrap(WrapAlg::Aes256, &long, &SystemRandom).expect("wrapped");
    let text = format!(
        "<xenc:EncryptedKey xmlns:xenc='{XENC}'><xenc:EncryptionMethod Algorithm='{}'/><xenc:CipherData>\
         <xenc:CipherValue>{}</xenc:CipherValue></xenc:CipherData></xenc:EncryptedKey>",
        WrapAlg::Aes256.uri(),
        base64::encode(&wrapped)
    );
    let document = parse(&text);
    let key = EncryptedKey::read(document.root(), &permit(), &mut budget()).expect("read");
    let cut = ContentKey::new(SymmetricKey::new(vec![5; 16]), CipherAlg::Aes128Gcm).expect("fits");
    let data = parse(&encrypted(CipherAlg::Aes128Gcm, &cut, &DataKind::Octets, b"hi"));
    let data = EncryptedData::read(data.root(), &permit(), &mut budget()).expect("read");
    let exact = key.unwrap(&DecryptKey::Secret(&kek), CipherAlg::Aes128Gcm).expect("a stand-in");
    assert!(matches!(data.open(&exact).expect_err("refused").kind, ErrorKind::DecryptionFailed));
    let longer = key.unwrap_cut(&DecryptKey::Secret(&kek), CipherAlg::Aes128Gcm).expect("unwrapped");
    assert_eq!(data.open(&longer).expect("opened"), b"hi");
}

#[test]
fn attack_enc_04_key_that_nothing_uses_costs_no_private_operation() {
    let cipher = CipherAlg::Aes128Gcm;
    let unused = to_rsa(&oaep(), cipher, &ContentKey::generate(cipher, &SystemRandom), b"<x/>");
    let start = unused.find("<xenc:EncryptedKey").expect("there");
    let end = unused.find("</xenc:EncryptedKey>").expect("there") + "</xenc:EncryptedKey>".len();
    let key = &unused[start..end];
    let none = Limits { private_ops: 0, ..Limits::default() };
    let alone = decrypt_under(&format!("<r>{key}</r>"), &permit(), &ring(), &mut Budget::new(&none));
    assert!(matches!(alone.expect_err("refused").kind, ErrorKind::NothingToDo));
    let data = encrypted(cipher, &content_key(cipher), &DataKind::Content, b"hi");
    let mut ring = content_ring(cipher);
    ring.add_private(None, rsa().clone());
    let opened = decrypt_under(&format!("<r>{key}{data}</r>"), &permit(), &ring, &mut Budget::new(&none));
    assert!(opened.expect("no private operation").ends_with(b"hi</r>"));
}

#[test]
fn attack_enc_05_oaep_errors_look_like_bad_data() {
    let cipher = CipherAlg::Aes128Gcm;
    let text = to_rsa(&oaep(), cipher, &ContentKey::generate(cipher, &SystemRandom), b"<x/>");
    decrypt(&text, &ring()).expect("the control opens");
    let value = cipher_value(&text, 0);
    let modulus = rsa().public().rsa_components().expect("RSA").modulus;
    let mut changed: Vec<Vec<u8>> = (0..value.len())
        .step_by(17)
        .map(|at| {
            let mut changed = value.clone();
            changed[at] ^= 0x40;
            changed
        })
        .collect();
    changed.extend([
        value[1..].to_vec(),
        [&[0][..], &value].concat(),
        modulus,
        vec![0xFF; 256],
        vec![0; 256],
    ]);
    let label = OaepParams { label: b"other".to_vec(), ..OaepParams::default() };
    let other = rsa().public().encrypt_key(TransportAlg::RsaOaepMgf1p, &label, &[1; 16]);
    let pkcs1 = rsa().public().encrypt_key(TransportAlg::Rsa15, &OaepParams::default(), &[1; 16]);
    changed.extend([other.expect("wrapped"), pkcs1.expect("wrapped")]);
    for value in changed {
        assert_opaque(decrypt(&with_cipher_value(&text, 0, &value), &ring()), "a changed key");
    }
}

fn only(transport: TransportAlg, digest: DigestAlg, mgf: MgfAlg) -> OaepPermit {
    let mut set = OaepSet::EMPTY;
    set.insert(transport, digest, mgf);
    OaepPermit::Only(set)
}

#[test]
fn attack_enc_06_a_mask_under_mgf1p_is_refused_in_messages() {
    let cipher = CipherAlg::Aes128Gcm;
    let content = ContentKey::generate(cipher, &SystemRandom);
    let method =
        KeyMethod::Transport(TransportAlg::RsaOaep, OaepParams::new(DigestAlg::Sha1, MgfAlg::Mgf1Sha256));
    let text = to_rsa(&method, cipher, &content, b"<x/>");
    let masked = swap(&text, TransportAlg::RsaOaep.uri(), TransportAlg::RsaOaepMgf1p.uri());
    // A file that some tool made: what it says is what it means.
    let document = Permit::document(AlgSet::with_legacy());
    decrypt_under(&masked, &document, &ring(), &mut budget()).expect("documents may");
    let message = Permit { block_encrypted_keys: true, ..Permit::message(AlgSet::with_legacy()) };
    let no_operation = Limits { private_ops: 0, ..Limits::default() };
    for text in [masked.clone(), masked.replace(MgfAlg::Mgf1Sha256.uri(), MgfAlg::Mgf1Sha1.uri())] {
        let kind = decrypt_under(&text, &message, &ring(), &mut Budget::new(&no_operation))
            .expect_err("refused")
            .kind;
        assert!(matches!(kind, ErrorKind::AlgorithmNotPermitted(Alg::Mgf(_))), "{kind:?}");
    }
}

#[test]
fn digest_under_mgf1p_is_written_where_it_is_not_sha1() {
    let cipher = CipherAlg::Aes128Gcm;
    let content = ContentKey::generate(cipher, &SystemRandom);
    for (transport, digest, written) in [
        (TransportAlg::RsaOaepMgf1p, DigestAlg::Sha1, false),
        (TransportAlg::RsaOaepMgf1p, DigestAlg::Sha256, true),
        (TransportAlg::RsaOaep, DigestAlg::Sha1, true),
    ] {
        let method = KeyMethod::Transport(transport, OaepParams::new(digest, MgfAlg::Mgf1Sha1));
        let text = to_rsa(&method, cipher, &content, b"<x/>");
        assert_eq!(text.contains("DigestMethod"), written, "{transport:?} {digest:?}");
        let mut permit = permit();
        permit.oaep = only(transport, digest, MgfAlg::Mgf1Sha1);
        decrypt_under(&text, &permit, &ring(), &mut budget()).expect("opens");
    }
}

#[test]
fn attack_enc_06_oaep_parameters_outside_the_tuple_are_refused() {
    let cipher = CipherAlg::Aes128Gcm;
    let content = ContentKey::generate(cipher, &SystemRandom);
    let params = OaepParams::new(DigestAlg::Sha256, MgfAlg::Mgf1Sha256);
    let method = KeyMethod::Transport(TransportAlg::RsaOaep, params);
    let text = to_rsa(&method, cipher, &content, b"<x/>");
    let refused = |text: &str, permit: &Permit| {
        let no_operation = Limits { private_ops: 0, ..Limits::default() };
        decrypt_under(text, permit, &ring(), &mut Budget::new(&no_operation)).expect_err("refused").kind
    };
    let mut exact = permit();
    exact.oaep = only(TransportAlg::RsaOaep, DigestAlg::Sha256, MgfAlg::Mgf1Sha256);
    decrypt_under(&text, &exact, &ring(), &mut budget()).expect("the tuple opens");
    for (digest, mgf) in [(DigestAlg::Sha1, MgfAlg::Mgf1Sha1), (DigestAlg::Sha256, MgfAlg::Mgf1Sha1)] {
        let mut other = permit();
        other.oaep = only(TransportAlg::RsaOaep, digest, mgf);
        assert!(matches!(refused(&text, &other), ErrorKind::AlgorithmNotPermitted(_)));
    }
    let mgf = MgfAlg::Mgf1Sha256.uri();
    let omitted = text.replace(
        &format!(
            "<xenc11:MGF xmlns:xenc11=\"http://www.w3.org/2009/xmlenc11#\" Algorithm=\"{mgf}\"></xenc11:MGF>"
        ),
        "",
    );
    assert_ne!(omitted, text);
    assert!(matches!(refused(&omitted, &exact), ErrorKind::AlgorithmNotPermitted(_)));
    assert!(matches!(refused(&swap(&text, mgf, "urn:mgf"), &permit()), ErrorKind::UnknownAlgorithm { .. }));
    let digest = format!("Algorithm=\"{}\"></ds:DigestMethod>", DigestAlg::Sha256.uri());
    assert!(text.contains(&digest));
    let unknown = swap(&text, &digest, "Algorithm=\"urn:digest\"></ds:DigestMethod>");
    assert!(matches!(refused(&unknown, &permit()), ErrorKind::UnknownAlgorithm { .. }));
    let method_end = "</xenc:EncryptionMethod><xenc:CipherData><xenc:CipherValue>";
    let label = |octets: usize| {
        let label = base64::encode(&vec![1; octets]);
        swap(&text, method_end, &format!("<xenc:OAEPparams>{label}</xenc:OAEPparams>{method_end}"))
    };
    assert!(matches!(refused(&label(1 << 20), &permit()), ErrorKind::Shape(Shape::TooLong)));
    assert!(matches!(refused(&label(1025), &permit()), ErrorKind::Shape(Shape::TooLong)));
    let twice =
        swap(&label(8), "<xenc:OAEPparams>", "<xenc:OAEPparams>AAAA</xenc:OAEPparams><xenc:OAEPparams>");
    assert!(matches!(refused(&twice, &permit()), ErrorKind::Shape(Shape::UnexpectedChild)));
    assert_opaque(decrypt(&label(8), &ring()), "a label that was not there");
}

#[test]
fn attack_enc_07_relabelled_ciphertext_is_never_opened() {
    for (sealed, label) in [
        (CipherAlg::Aes128Gcm, CipherAlg::Aes128Cbc),
        (CipherAlg::Aes128Cbc, CipherAlg::Aes128Gcm),
        (CipherAlg::Aes256Gcm, CipherAlg::Aes128Gcm),
        (CipherAlg::Aes192Cbc, CipherAlg::TripleDesCbc),
    ] {
        let key = content_key(sealed);
        let text = encrypted(sealed, &key, &DataKind::Octets, &[7; 44]);
        let document = parse(&swap(&text, sealed.uri(), label.uri()));
        let data = EncryptedData::read(document.root(), &permit(), &mut budget()).expect("read");
        assert!(matches!(data.open(&key).expect_err("refused").kind, ErrorKind::AlgorithmMisplaced(_)));
    }
    // RFC 5649 padding in the place of RFC 3394.
    let kw = "http://www.w3.org/2009/xmlenc11#kw-aes-128-pad";
    let text = to_rsa(&oaep(), CipherAlg::Aes128Gcm, &content_key(CipherAlg::Aes128Gcm), b"<x/>");
    let padded = swap(&text, TransportAlg::RsaOaepMgf1p.uri(), kw);
    let refused = decrypt(&padded, &ring()).expect_err("refused");
    assert!(matches!(refused.kind, ErrorKind::AlgorithmNotPermitted(_)));
    // A key size that contradicts the algorithm.
    let document =
        parse(&encrypted(CipherAlg::Aes128Gcm, &content_key(CipherAlg::Aes128Gcm), &DataKind::Octets, b""));
    let text = document.segment_text(0).replace(
        "gcm\"></xenc:EncryptionMethod>",
        "gcm\"><xenc:KeySize>256</xenc:KeySize></xenc:EncryptionMethod>",
    );
    let read = EncryptedData::read(parse(&text).root(), &permit(), &mut budget());
    assert!(matches!(read.expect_err("refused").kind, ErrorKind::Shape(Shape::BadNumber)));
}

#[test]
fn attack_enc_08_shortened_gcm_is_refused() {
    let cipher = CipherAlg::Aes128Gcm;
    let (key, ring) = (content_key(cipher), content_ring(cipher));
    let text = format!("<r>{}</r>", encrypted(cipher, &key, &DataKind::Element, b"<x/>"));
    let value = cipher_value(&text, 0);
    for len in 0..value.len() {
        let short = with_cipher_value(&text, 0, &value[..len]);
        match decrypt(&short, &ring) {
            Err(error) if len == 0 => assert!(matches!(error.kind, ErrorKind::Shape(Shape::Empty))),
            refused => assert_opaque(refused, "a shortened tag"),
        }
    }
    assert_opaque(decrypt(&with_cipher_value(&text, 0, &value[12..]), &ring), "no vector");
    let longer = [&value[..12], &[0; 4], &value[12..]].concat();
    assert_opaque(decrypt(&with_cipher_value(&text, 0, &longer), &ring), "a longer vector");
}

#[test]
fn attack_enc_10_wrapped_keys_fail_in_one_way() {
    let cipher = CipherAlg::Aes128Gcm;
    let kek = SymmetricKey::new(vec![9; 16]);
    let mut ring = KeyRing::new();
    ring.add_secret(None, kek.duplicate());
    let content = ContentKey::generate(cipher, &SystemRandom);
    let spec = KeySpec {
        id: None,
        method: &KeyMethod::Wrap(WrapAlg::Aes128),
        recipient: None,
        references: &["D".into()],
        carried_name: None,
    };
    let mut writer = Writer::new();
    write_encrypted_key(&mut writer, &spec, &EncryptKey::Secret(&kek), &content, &SystemRandom)
        .expect("wrapped");
    let key = String::from_utf8(writer.finish().expect("whole")).expect("text");
    let text = format!("<r>{key}{}</r>", encrypted(cipher, &content, &DataKind::Element, b"<x/>"));
    decrypt(&text, &ring).expect("the control opens");
    let value = cipher_value(&text, 0);
    for bit in 0..value.len() * 8 {
        let mut changed = value.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert_opaque(decrypt(&with_cipher_value(&text, 0, &changed), &ring), "a flipped bit");
    }
    for len in [8, 12, 16, 23, 32, 40] {
        assert_opaque(decrypt(&with_cipher_value(&text, 0, &vec![1; len]), &ring), "another size");
    }
}

#[test]
fn attack_enc_12_type_that_does_not_fit_is_refused() {
    let cipher = CipherAlg::Aes128Gcm;
    let (key, ring) = (content_key(cipher), content_ring(cipher));
    let text =
        |plaintext: &[u8]| format!("<r>{}</r>", encrypted(cipher, &key, &DataKind::Element, plaintext));
    for plaintext in [b"text".as_slice(), b"<x/><y/>", b"", b"<!--c-->"] {
        assert_opaque(decrypt(&text(plaintext), &ring), "no single element");
    }
    for kind in ["EncryptedKey", "Elements", "element"] {
        let unknown = text(b"<x/>").replace("xmlenc#Element", &format!("xmlenc#{kind}"));
        let refused = decrypt(&unknown, &ring).expect_err(kind);
        assert!(matches!(refused.kind, ErrorKind::Shape(Shape::UnexpectedAttribute)), "{kind}");
    }
}

#[test]
fn attack_enc_14_keys_and_private_operations_are_limited() {
    let cipher = CipherAlg::Aes128Gcm;
    let one = to_rsa(&oaep(), cipher, &ContentKey::generate(cipher, &SystemRandom), b"<x/>");
    let one = &one["<r>".len()..one.len() - "</r>".len()];
    let many = |count: usize| {
        let parts: String = (0..count).map(|n| one.replace("Id=\"D\"", &format!("Id=\"D{n}\""))).collect();
        decrypt(&format!("<r>{parts}</r>"), &ring())
    };
    many(4).expect("within the limit");
    let limit = |error: Error| match error.kind {
        ErrorKind::Xml(error) => error.kind(),
        other => panic!("{other:?}"),
    };
    let exhausted = bartizan_xml::ErrorKind::Limit(Quantity::PrivateOperations);
    assert_eq!(limit(many(5).expect_err("refused")), exhausted);
    let start = one.find("<xenc:EncryptedKey").expect("there");
    let end = one.find("</xenc:EncryptedKey>").expect("there") + "</xenc:EncryptedKey>".len();
    let keys = one[start..end].repeat(9);
    let data = encrypted(cipher, &content_key(cipher), &DataKind::Element, b"<x/>");
    let refused = decrypt(&format!("<r>{keys}{data}</r>"), &ring()).expect_err("refused");
    assert_eq!(limit(refused), bartizan_xml::ErrorKind::Limit(Quantity::EncryptedKeys));
    let all = encrypted(cipher, &content_key(cipher), &DataKind::Element, b"<x/>");
    let all: String = (0..65).map(|n| all.replace("Id=\"D\"", &format!("Id=\"D{n}\""))).collect();
    let refused = decrypt(&format!("<r>{all}</r>"), &content_ring(cipher)).expect_err("refused");
    assert_eq!(limit(refused), bartizan_xml::ErrorKind::Limit(Quantity::EncryptedData));
}

#[test]
fn attack_enc_15_chains_and_loops_of_keys_end() {
    let wrap = WrapAlg::Aes128.uri();
    let key = |info: &str| {
        format!(
            "<xenc:EncryptedKey xmlns:xenc='{XENC}'><xenc:EncryptionMethod Algorithm='{wrap}'/>\
             <ds:KeyInfo xmlns:ds='{DS}'>{info}</ds:KeyInfo><xenc:CipherData>\
             <xenc:CipherValue>AAAA</xenc:CipherValue></xenc:CipherData></xenc:EncryptedKey>"
        )
    };
    let mut nested = "<ds:KeyName>k</ds:KeyName>".to_owned();
    let mut verdicts = Vec::new();
    for _ in 0..6 {
        nested = key(&nested);
        let document = parse(&nested);
        let generous = Limits { encrypted_keys: 100, ..Limits::default() };
        let read = EncryptedKey::read(document.root(), &permit(), &mut Budget::new(&generous));
        verdicts.push(read.map(|_| ()).map_err(|e| matches!(e.kind, ErrorKind::KeyInfoDepth)));
    }
    assert_eq!(verdicts, [Ok(()), Ok(()), Ok(()), Err(true), Err(true), Err(true)]);

    let info =
        |id: &str, content: &str| format!("<ds:KeyInfo xmlns:ds='{DS}' Id='{id}'>{content}</ds:KeyInfo>");
    let refer =
        |id: &str| format!("<d:KeyInfoReference xmlns:d='http://www.w3.org/2009/xmldsig11#' URI='#{id}'/>");
    let data =
        encrypted(CipherAlg::Aes128Gcm, &content_key(CipherAlg::Aes128Gcm), &DataKind::Element, b"<x/>");
    let looping = |first: &str, rest: &str| {
        let with = swap(
            &data,
            "<xenc:CipherData>",
            &format!("<ds:KeyInfo xmlns:ds='{DS}'>{first}</ds:KeyInfo><xenc:CipherData>"),
        );
        decrypt(&format!("<r>{rest}{with}</r>"), &content_ring(CipherAlg::Aes128Gcm))
            .expect_err("refused")
            .kind
    };
    let itself = looping(&refer("A"), &info("A", &refer("A")));
    assert!(matches!(itself, ErrorKind::KeyInfoDepth), "{itself:?}");
    let pair = looping(&refer("A"), &format!("{}{}", info("A", &refer("B")), info("B", &refer("A"))));
    assert!(matches!(pair, ErrorKind::KeyInfoDepth), "{pair:?}");
    // An EncryptedKey whose KeyInfo retrieves that very EncryptedKey.
    let method = format!("<ds:RetrievalMethod Type='{XENC}EncryptedKey' URI='#K'/>");
    let own = key(&method).replace("<xenc:EncryptedKey ", "<xenc:EncryptedKey Id='K' ");
    let own = looping(&method, &own);
    assert!(matches!(own, ErrorKind::KeyNotFound | ErrorKind::DecryptionFailed), "{own:?}");
}

#[test]
fn attack_enc_16_reference_lists_name_each_thing_once_and_nothing_outside() {
    let list = |content: &str| {
        let document =
            parse(&format!("<xenc:ReferenceList xmlns:xenc='{XENC}'>{content}</xenc:ReferenceList>"));
        ReferenceList::read(document.root()).map_err(|e| e.kind)
    };
    let reference = |uri: &str| format!("<xenc:DataReference URI='{uri}'/>");
    assert_eq!(list(&reference("#a")).expect("read").data, ["a".into()]);
    assert!(matches!(list(&reference("#a").repeat(2)), Err(ErrorKind::ReferenceList)));
    assert!(matches!(list(""), Err(ErrorKind::Shape(_))));
    for uri in ["", "a", "#", "http://127.0.0.1/", "#xpointer(/)", "#a b"] {
        assert!(matches!(list(&reference(uri)), Err(ErrorKind::UriRefused(_))), "{uri}");
    }
    let many: String = (0..129).map(|n| reference(&format!("#a{n}"))).collect();
    assert!(matches!(list(&many), Err(ErrorKind::ReferenceList)));
    assert!(matches!(
        list("<xenc:DataReference URI='#a'><x/></xenc:DataReference>"),
        Err(ErrorKind::Shape(_))
    ));
    assert!(matches!(list("<xenc:DataReference/>"), Err(ErrorKind::Shape(_))));
    assert!(matches!(list("<x/>"), Err(ErrorKind::Shape(_))));
}

#[test]
fn attack_enc_17_plaintext_in_plaintext_stops_at_the_limit() {
    let cipher = CipherAlg::Aes128Gcm;
    let (key, ring) = (content_key(cipher), content_ring(cipher));
    let mut plaintext = "<x/>".to_owned();
    let mut verdicts = Vec::new();
    for depth in 0..4 {
        let data = encrypted(cipher, &key, &DataKind::Element, plaintext.as_bytes());
        plaintext = swap(&data, "Id=\"D\"", &format!("Id=\"D{depth}\""));
        let outcome = decrypt(&format!("<r>{plaintext}</r>"), &ring);
        verdicts.push(outcome.map(|_| ()).map_err(|e| matches!(e.kind, ErrorKind::NestedTooDeep)));
    }
    assert_eq!(verdicts, [Ok(()), Ok(()), Err(true), Err(true)]);
    // The Id of a plaintext that is there already.
    let inner = encrypted(cipher, &key, &DataKind::Element, b"<x/>");
    let outer = encrypted(cipher, &key, &DataKind::Element, inner.as_bytes());
    let refused =
        decrypt(&format!("<r>{outer}<y xmlns:w='{WSU}' w:Id='D'/></r>"), &ring).expect_err("refused");
    assert!(matches!(refused.kind, ErrorKind::Xml(_)));
}

#[test]
fn attack_enc_18_cipher_reference_is_refused_unread() {
    let text =
        encrypted(CipherAlg::Aes128Gcm, &content_key(CipherAlg::Aes128Gcm), &DataKind::Element, b"<x/>");
    let start = text.find("<xenc:CipherValue>").expect("there");
    let end = text.find("</xenc:CipherValue>").expect("there") + "</xenc:CipherValue>".len();
    for uri in ["http://127.0.0.1:1/x", "#x", ""] {
        let reference =
            format!("<xenc:CipherReference URI=\"{uri}\"><xenc:Transforms/></xenc:CipherReference>");
        let text = format!("<r>{}{reference}{}</r>", &text[..start], &text[end..]);
        let refused = decrypt(&text, &content_ring(CipherAlg::Aes128Gcm)).expect_err("refused");
        assert!(matches!(refused.kind, ErrorKind::CipherReference));
    }
}

#[test]
fn attack_enc_19_plaintext_must_stand_by_itself() {
    let cipher = CipherAlg::Aes128Gcm;
    let (key, ring) = (content_key(cipher), content_ring(cipher));
    let deep = format!("{}{}", "<x>".repeat(20_000), "</x>".repeat(20_000));
    let plaintexts = [
        "<!DOCTYPE x><x/>",
        "<?xml version='1.0'?><x/>",
        "\u{FEFF}<x/>",
        "</r><r><x/>",
        "<x>",
        "</x>",
        "<p:x/>",
        "<x a='1' a='2'/>",
        "<x>&nbsp;</x>",
        "<x>\u{1}</x>",
        &deep,
    ];
    for plaintext in plaintexts {
        let text = format!("<r>{}</r>", encrypted(cipher, &key, &DataKind::Content, plaintext.as_bytes()));
        assert_opaque(decrypt(&text, &ring), &plaintext[..plaintext.len().min(20)]);
    }
    let utf16: Vec<u8> =
        [0xFF, 0xFE].into_iter().chain("<x/>".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let text = format!("<r>{}</r>", encrypted(cipher, &key, &DataKind::Content, &utf16));
    assert_opaque(decrypt(&text, &ring), "another encoding");
    // Prefixes of the place where it stands are known to it.
    let text = format!("<r xmlns:p='urn:p'>{}</r>", encrypted(cipher, &key, &DataKind::Content, b"<p:x/>"));
    decrypt(&text, &ring).expect("parsed in place");
}

#[test]
fn attack_enc_21_failure_tells_nothing_of_what_was_inside() {
    let cipher = CipherAlg::Aes128Gcm;
    let canary = "CANARY-5b1f";
    let text = format!(
        "<r>{}</r>",
        encrypted(cipher, &content_key(cipher), &DataKind::Element, format!("<{canary}>").as_bytes())
    );
    let error = decrypt(&text, &content_ring(cipher)).expect_err("refused");
    assert_eq!(error.to_string(), "decryption failed");
    let value = base64::encode(&cipher_value(&text, 0));
    for text in [error.to_string(), format!("{error:?}")] {
        assert!(!text.contains(canary) && !text.contains(&value), "{text}");
    }
    assert_eq!(format!("{:?}", content_key(cipher)), "ContentKey(aes128-gcm)");
}

/// An AgreementMethod as read.
fn agreement(kdf: &str, originator: &str) -> Result<AgreementMethod, Error> {
    let text = format!(
        "<xenc:AgreementMethod xmlns:xenc='{XENC}' xmlns:ds='{DS}' xmlns:x='http://www.w3.org/2009/xmlenc11#' \
         xmlns:d='http://www.w3.org/2009/xmldsig11#' xmlns:m='http://www.w3.org/2021/04/xmldsig-more#' \
         Algorithm='http://www.w3.org/2009/xmlenc11#ECDH-ES'>{kdf}\
         <xenc:OriginatorKeyInfo>{originator}</xenc:OriginatorKeyInfo></xenc:AgreementMethod>"
    );
    AgreementMethod::read(parse(&text).root(), &permit(), &mut budget())
}

const CONCAT: &str = "<x:KeyDerivationMethod Algorithm='http://www.w3.org/2009/xmlenc11#ConcatKDF'>\
    <x:ConcatKDFParams AlgorithmID='{}' PartyUInfo='' PartyVInfo='00'>\
    <ds:DigestMethod Algorithm='http://www.w3.org/2001/04/xmlenc#sha256'/></x:ConcatKDFParams></x:KeyDerivationMethod>";

#[test]
fn attack_enc_23_invalid_points_and_derivation_parameters_are_refused() {
    let (_, point) = ec().public().ec_point().expect("EC");
    let value = |point: &[u8], curve: &str| {
        format!(
            "<ds:KeyValue><d:ECKeyValue><d:NamedCurve URI='{curve}'/><d:PublicKey>{}</d:PublicKey></d:ECKeyValue></ds:KeyValue>",
            base64::encode(point)
        )
    };
    let p256 = "urn:oid:1.2.840.10045.3.1.7";
    let kdf = CONCAT.replace("{}", "0000");
    let good = agreement(&kdf, &value(point, p256)).expect("read");
    assert!(good.originator_key().is_ok());
    let mut off = point.to_vec();
    off[64] ^= 1;
    let compressed = [&[2 + (point[64] & 1)][..], &point[1..33]].concat();
    let bad = [off, vec![0], compressed, vec![4; 64], point[..64].to_vec(), [&[4][..], &[0; 64]].concat()];
    for point in &bad {
        let read = agreement(&kdf, &value(point, p256)).expect("read");
        assert!(
            matches!(read.originator_key().expect_err("refused").kind, ErrorKind::BadKeyValue),
            "{point:?}"
        );
    }
    let other_curve = agreement(&kdf, &value(point, "urn:oid:1.3.132.0.34")).expect("read");
    assert!(other_curve.originator_key().is_err());
    for curve in ["urn:oid:1.3.132.0.10", "1.2.840.10045.3.1.7", "urn:oid:", ""] {
        let read = agreement(&kdf, &value(point, curve));
        assert!(matches!(read.expect_err("refused").kind, ErrorKind::BadKeyValue), "{curve}");
    }
    for bits in ["0", "0G", "01FF", "07FF", "08FF", "FF", " 00", &"00".repeat(300)] {
        let read = agreement(&CONCAT.replace("{}", bits), &value(point, p256));
        assert!(matches!(read.expect_err("refused").kind, ErrorKind::DerivationParameters), "{bits}");
    }
    let twice = kdf.replace(
        "<ds:DigestMethod",
        "<ds:DigestMethod Algorithm='http://www.w3.org/2001/04/xmlenc#sha256'/><ds:DigestMethod",
    );
    assert!(matches!(agreement(&twice, &value(point, p256)).expect_err("refused").kind, ErrorKind::Shape(_)));
    // Low-order points of X25519: the shared secret would be zero.
    let own = bartizan_crypto::PrivateKey::generate_x25519().expect("a key");
    for low in [[0_u8; 32], {
        let mut one = [0; 32];
        one[0] = 1;
        one
    }] {
        if let Ok(key) = bartizan_crypto::PublicKey::from_x25519(&low) {
            assert!(good.agree(&own, &key, 32).is_err());
        }
    }
}

#[test]
fn attack_enc_24_derivations_are_bounded_before_they_run() {
    let hkdf = |length: &str| {
        format!(
            "<x:KeyDerivationMethod Algorithm='http://www.w3.org/2021/04/xmldsig-more#hkdf'><m:HKDFParams>\
             <m:PRF Algorithm='http://www.w3.org/2001/04/xmldsig-more#hmac-sha256'/>\
             <m:KeyLength>{length}</m:KeyLength></m:HKDFParams></x:KeyDerivationMethod>"
        )
    };
    assert!(agreement(&hkdf("32"), "").is_ok());
    for length in ["0", "65", "2147483647", "2147483648", "-1", "99999999999", "", "3 2"] {
        let refused = agreement(&hkdf(length), "").expect_err(length);
        assert!(matches!(refused.kind, ErrorKind::DerivationParameters | ErrorKind::Shape(_)), "{length}");
    }
    let derivation =
        Derivation::Hkdf { digest: DigestAlg::Sha256, salt: Vec::new(), info: Vec::new(), length: Some(16) };
    assert!(derivation.derive(b"secret", 32).is_err(), "another length than the one stated");
    let pbkdf2 = "<x:KeyDerivationMethod Algorithm='http://www.w3.org/2009/xmlenc11#pbkdf2'><x:PBKDF2-params>\
        <x:IterationCount>1000000000</x:IterationCount></x:PBKDF2-params></x:KeyDerivationMethod>";
    let refused = agreement(pbkdf2, "").expect_err("refused");
    assert!(matches!(refused.kind, ErrorKind::AlgorithmNotPermitted(_)));
    let info = format!(
        "<ds:KeyInfo xmlns:ds='{DS}'><x:DerivedKey xmlns:x='http://www.w3.org/2009/xmlenc11#'>{pbkdf2}</x:DerivedKey></ds:KeyInfo>"
    );
    let refused = KeyInfo::read(parse(&info).root(), &permit(), &mut budget()).expect_err("refused");
    assert!(matches!(refused.kind, ErrorKind::AlgorithmNotPermitted(_)));
}
