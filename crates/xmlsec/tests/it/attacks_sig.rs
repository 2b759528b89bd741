//! Attacks on signatures. Names carry the rows of the table in `docs/attacks.md`.

use bartizan_crypto::alg::{AlgSet, SignatureAlg};
use bartizan_crypto::{PublicKey, SymmetricKey, base64};
use bartizan_xml::{Budget, Limits, Quantity};
use bartizan_xmlsec::engine::{KeyRing, verify_document};
use bartizan_xmlsec::{ErrorKind, NoStrTargets, Permit, RefusedTransform, RefusedUri, Shape, VerifyKey};

use crate::fixture::*;

const METHOD_END: &str = "hmac-sha256\"></ds:SignatureMethod>";

#[test]
fn attack_sig_01_shortened_hmac_is_refused_whatever_its_length() {
    let text = maced(SignatureAlg::HmacSha256);
    verify(&text).expect("the control verifies");
    let with = |length: &str| {
        let child =
            format!("hmac-sha256\"><ds:HMACOutputLength>{length}</ds:HMACOutputLength></ds:SignatureMethod>");
        refusal(&swap(&text, METHOD_END, &child))
    };
    for length in [
        "0",
        "1",
        "8",
        "79",
        "80",
        "120",
        "128",
        "255",
        "257",
        "-256",
        "99999999999999999999",
        "",
        "2 56",
        "0x100",
    ] {
        assert!(matches!(with(length), ErrorKind::HmacOutputLength), "{length:?}");
    }
    let twice = "<ds:HMACOutputLength>256</ds:HMACOutputLength>".repeat(2);
    let twice = swap(&text, METHOD_END, &format!("hmac-sha256\">{twice}</ds:SignatureMethod>"));
    assert!(matches!(refusal(&twice), ErrorKind::Shape(Shape::UnexpectedChild)));
    let value = base64::encode(&read(&parse(&text)).expect("read").value);
    for octets in [0, 1, 10, 16, 31] {
        let short = base64::encode(&read(&parse(&text)).expect("read").value[..octets]);
        let kind = refusal(&swap(&text, &value, &short));
        assert!(
            matches!(kind, ErrorKind::SignatureInvalid | ErrorKind::Shape(Shape::Empty)),
            "{octets}: {kind:?}"
        );
    }
}

#[test]
fn attack_sig_01_full_length_stated_is_accepted() {
    // The length is part of SignedInfo, so it has to be there when the value is made.
    let text = maced(SignatureAlg::HmacSha256);
    let stated = "hmac-sha256\"><ds:HMACOutputLength>256</ds:HMACOutputLength></ds:SignatureMethod>";
    let text = swap(&text, METHOD_END, stated);
    let signature = read(&parse(&text)).expect("read");
    let value = secret().mac(SignatureAlg::HmacSha256, signature.canonical_signed_info()).expect("a MAC");
    verify(&swap(&text, &base64::encode(&signature.value), &base64::encode(&value))).expect("verified");
}

#[test]
fn attack_sig_02_public_key_never_becomes_an_hmac_secret() {
    let spki = rsa().public().spki().to_vec();
    let modulus = rsa().public().rsa_components().expect("RSA").modulus;
    let forms = [
        spki.clone(),
        modulus.clone(),
        base64::encode(&spki).into_bytes(),
        base64::encode(&modulus).into_bytes(),
    ];
    for octets in forms {
        let secret = SymmetricKey::new(octets);
        let key = bartizan_xmlsec::signature::SignKey::Secret(&secret);
        let (signature, _) = signature_over(&parse(PARTS), &["a", "c"], SignatureAlg::HmacSha256, &key);
        let text = PARTS.replace("<!--S-->", &signature);
        let mut ring = KeyRing::new();
        ring.add_public(None, rsa().public().clone());
        ring.trust_key_values();
        let refused = verify_under(&text, &permit(), &ring).expect_err("refused");
        assert!(matches!(refused.kind, ErrorKind::KeyNotFound));
        let signature = read(&parse(&text)).expect("read");
        let refused = signature.verify_value(&VerifyKey::Public(rsa().public())).expect_err("refused");
        assert!(matches!(refused.kind, ErrorKind::WrongKey(SignatureAlg::HmacSha256)));
    }
    let signature = read(&parse(signed())).expect("read");
    let refused = signature.verify_value(&VerifyKey::Secret(&secret())).expect_err("refused");
    assert!(matches!(refused.kind, ErrorKind::WrongKey(SignatureAlg::RsaSha256)));
}

/// The signed text with a KeyInfo before the end of the signature.
fn with_key_info(content: &str) -> String {
    swap(signed(), "</ds:SignatureValue>", &format!("</ds:SignatureValue><ds:KeyInfo>{content}</ds:KeyInfo>"))
}

#[test]
fn attack_sig_03_key_of_the_message_is_not_trusted_for_being_there() {
    let rsa_value = rsa().public().rsa_components().expect("RSA");
    let value = format!(
        "<ds:KeyValue><ds:RSAKeyValue><ds:Modulus>{}</ds:Modulus><ds:Exponent>{}</ds:Exponent></ds:RSAKeyValue></ds:KeyValue>",
        base64::encode(&rsa_value.modulus),
        base64::encode(&rsa_value.exponent)
    );
    let refused = verify_under(&with_key_info(&value), &permit(), &KeyRing::new()).expect_err("refused");
    assert!(matches!(refused.kind, ErrorKind::KeyNotFound));
    // The trusted key is used even if the message brings another.
    let other = bartizan_crypto::PrivateKey::generate_rsa(2048).expect("a key");
    let mut ring = KeyRing::new();
    ring.add_public(None, other.public().clone());
    ring.trust_key_values();
    let refused = verify_under(&with_key_info(&value), &permit(), &ring).expect_err("refused");
    assert!(matches!(refused.kind, ErrorKind::SignatureInvalid));
    let remote = "<ds:RetrievalMethod URI=\"http://127.0.0.1:1/key\"/>";
    assert!(matches!(refusal(&with_key_info(remote)), ErrorKind::UriRefused(RefusedUri::External)));
}

#[test]
fn attack_sig_04_name_that_fits_two_keys_is_refused() {
    let mut ring = KeyRing::new();
    let other = bartizan_crypto::PrivateKey::generate_rsa(2048).expect("a key");
    ring.add_public(None, rsa().public().clone());
    ring.add_public(None, other.public().clone());
    let refused = verify_under(signed(), &permit(), &ring).expect_err("refused");
    assert!(matches!(refused.kind, ErrorKind::KeyAmbiguous));
    let name = with_key_info("<ds:KeyName>../../etc/passwd</ds:KeyName>");
    let mut ring = KeyRing::new();
    ring.add_public(Some("mine"), rsa().public().clone());
    let refused = verify_under(&name, &permit(), &ring).expect_err("refused");
    assert!(matches!(refused.kind, ErrorKind::KeyNotFound));
}

#[test]
fn attack_sig_05_algorithms_outside_the_list_are_refused_before_any_key_is_asked_for() {
    let modern = Permit::document(AlgSet::all_ok());
    let rsa_sha256 = SignatureAlg::RsaSha256.uri();
    let refused_uris = [
        ("http://www.w3.org/2000/09/xmldsig#rsa-sha1", false),
        ("http://www.w3.org/2000/09/xmldsig#dsa-sha1", false),
        ("http://www.w3.org/2001/04/xmldsig-more#rsa-md5", false),
        ("http://www.w3.org/2001/04/xmldsig-more#rsa-ripemd160", false),
        ("http://www.w3.org/2001/04/xmlenc#sha256", false),
        ("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256 ", true),
        ("http://www.w3.org/2001/04/xmldsig-more#RSA-SHA256", true),
        ("http://www.w3.org/2001/04/xmldsig-more#rsa%2Dsha256", true),
        ("", true),
    ];
    for (uri, unknown) in refused_uris {
        let text = swap(signed(), rsa_sha256, uri);
        // An empty ring: had a key been asked for, the reason would be that there is none.
        let refused = verify_under(&text, &modern, &KeyRing::new()).expect_err("refused").kind;
        match refused {
            ErrorKind::UnknownAlgorithm { .. } => assert!(unknown, "{uri}"),
            ErrorKind::AlgorithmNotPermitted(_) | ErrorKind::AlgorithmMisplaced(_) => {
                assert!(!unknown, "{uri}")
            }
            other => panic!("{uri}: {other:?}"),
        }
    }
    for digest in ["http://www.w3.org/2000/09/xmldsig#sha1", "http://www.w3.org/2001/04/xmldsig-more#md5"] {
        let text = swap(signed(), "http://www.w3.org/2001/04/xmlenc#sha256", digest);
        let refused = verify_under(&text, &modern, &KeyRing::new()).expect_err("refused");
        assert!(matches!(refused.kind, ErrorKind::AlgorithmNotPermitted(_)), "{digest}");
        assert_eq!(refused.reference, Some(0));
    }
}

/// `text` with another SignatureValue.
fn with_value(text: &str, value: &[u8]) -> String {
    let old = base64::encode(&read(&parse(text)).expect("read").value);
    swap(text, &old, &base64::encode(value))
}

#[test]
fn attack_sig_06_rsa_values_of_other_forms_are_refused() {
    let value = read(&parse(signed())).expect("read").value;
    let modulus = rsa().public().rsa_components().expect("RSA").modulus;
    let mut one = vec![0; value.len()];
    if let Some(last) = one.last_mut() {
        *last = 1;
    }
    let mut less_one = modulus.clone();
    if let Some(last) = less_one.last_mut() {
        *last -= 1;
    }
    let longer = [&[0][..], &value].concat();
    let trailing = [&value[..], &[0]].concat();
    let values = [
        vec![0; value.len()],
        one,
        less_one,
        modulus,
        longer,
        trailing,
        value[1..].to_vec(),
        vec![0xFF; value.len()],
    ];
    for (index, forged) in values.iter().enumerate() {
        assert!(matches!(refusal(&with_value(signed(), forged)), ErrorKind::SignatureInvalid), "{index}");
    }
    let small = PublicKey::from_rsa_components(&[0xC5; 128], &[3]);
    assert!(small.is_err(), "an exponent of 3 is no key");
}

#[test]
fn attack_sig_07_ecdsa_values_of_other_forms_are_refused() {
    let key = bartizan_xmlsec::signature::SignKey::Private(ec());
    let (signature, made) = signature_over(&parse(PARTS), &["a", "c"], SignatureAlg::EcdsaSha256, &key);
    let text = PARTS.replace("<!--S-->", &signature);
    verify(&text).expect("the control verifies");
    let (r, s) = made.value.split_at(32);
    let zero = [0_u8; 32];
    let integer = |n: &[u8]| [&[2, 33, 0][..], n].concat();
    let der = [&[0x30, 70][..], &integer(r), &integer(s)].concat();
    let values = [
        [&zero[..], s].concat(),
        [r, &zero[..]].concat(),
        [&zero[..], &zero[..]].concat(),
        [s, r].concat(),
        made.value[..63].to_vec(),
        [&made.value[..], &[0]].concat(),
        [&[0][..], r, s].concat(),
        [&[1][..], r, &[1][..], s].concat(),
        vec![0xFF; 64],
        der,
    ];
    for (index, forged) in values.iter().enumerate() {
        assert!(matches!(refusal(&with_value(&text, forged)), ErrorKind::SignatureInvalid), "{index}");
    }
    // What an old signer writes: both numbers with a sign octet. The numbers are the same.
    verify(&with_value(&text, &[&[0][..], r, &[0][..], s].concat())).expect("the same two numbers");
}

#[test]
fn attack_sig_08_degenerate_ed25519_values_are_refused() {
    let key = bartizan_crypto::PrivateKey::generate_ed25519().expect("a key");
    let sign = bartizan_xmlsec::signature::SignKey::Private(&key);
    let (signature, made) = signature_over(&parse(PARTS), &["a"], SignatureAlg::Ed25519, &sign);
    let text = PARTS.replace("<!--S-->", &signature);
    let read_back = read(&parse(&text)).expect("read");
    read_back.verify_value(&VerifyKey::Public(key.public())).expect("the control verifies");
    // s + the group's order: the same point equation, another encoding.
    let order: [u8; 32] = [
        0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE, 0x14, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ];
    let mut malleated = made.value.clone();
    let mut carry = 0_u16;
    for (octet, add) in malleated.iter_mut().skip(32).zip(order) {
        carry += u16::from(*octet) + u16::from(add);
        *octet = carry.to_le_bytes()[0];
        carry >>= 8;
    }
    let mut small = vec![0; 64];
    small[0] = 1;
    for forged in [malleated, small, vec![0; 64], made.value[..63].to_vec()] {
        let text = with_value(&text, &forged);
        let refused = read(&parse(&text)).expect("read").verify_value(&VerifyKey::Public(key.public()));
        assert!(matches!(refused.expect_err("refused").kind, ErrorKind::SignatureInvalid));
    }
}

#[test]
fn attack_sig_09_another_encoding_of_a_signature_has_the_same_replay_key() {
    let key = bartizan_xmlsec::signature::SignKey::Private(ec());
    let (signature, made) = signature_over(&parse(PARTS), &["a", "c"], SignatureAlg::EcdsaSha256, &key);
    let text = PARTS.replace("<!--S-->", &signature);
    let order: [u8; 32] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA,
        0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ];
    let mut twin = made.value.clone();
    let mut borrow = 0_i16;
    for (octet, n) in twin.iter_mut().skip(32).zip(order).rev() {
        let difference = i16::from(n) - i16::from(*octet) - borrow;
        borrow = i16::from(difference < 0);
        *octet = difference.to_le_bytes()[0];
    }
    let twin = with_value(&text, &twin);
    verify(&twin).expect("n - s is valid, too: that is the attack");
    let moved = swap(&text, "<d>free</d>", "<d>other</d>");
    let octets = |text: &str| read(&parse(text)).expect("read").canonical_signed_info().to_vec();
    assert_eq!(octets(&twin), octets(&text));
    assert_eq!(octets(&moved), octets(&text));
}

#[test]
fn attack_sig_10_comments_and_prefix_lists_follow_the_specification() {
    // Comments in SignedInfo are no part of it under a method without comments.
    verify(&swap(signed(), "<ds:SignatureMethod", "<!--x--><ds:SignatureMethod")).expect("comments vanish");
    // Under a method with comments they are.
    let uri = "Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\"></ds:CanonicalizationMethod>";
    let with_comments = swap(
        &maced(SignatureAlg::HmacSha256),
        uri,
        "Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#WithComments\"></ds:CanonicalizationMethod>",
    );
    let signature = read(&parse(&with_comments)).expect("read");
    let value = secret().mac(SignatureAlg::HmacSha256, signature.canonical_signed_info()).expect("a MAC");
    let good = with_value(&with_comments, &value);
    verify(&good).expect("verified");
    let commented = swap(&good, "<ds:SignatureMethod", "<!--x--><ds:SignatureMethod");
    assert!(matches!(refusal(&commented), ErrorKind::SignatureInvalid));
    // Comments under #id vanish whatever the method.
    verify(&swap(&good, ">one ", "><!--x-->one ")).expect("comments vanish");
    let list = |list: &str| {
        let child = format!(
            "Algorithm=\"{EXC}\"><ec:InclusiveNamespaces xmlns:ec=\"{EXC}\" PrefixList=\"{list}\"/></ds:Transform>"
        );
        refusal(&swap(signed(), &format!("Algorithm=\"{EXC}\"></ds:Transform>"), &child))
    };
    assert!(matches!(list(&"p ".repeat(10_000)), ErrorKind::Shape(Shape::TooLong)));
    assert!(matches!(list("#default"), ErrorKind::SignatureInvalid));
}

#[test]
fn attack_sig_11_canonicalization_that_yields_nothing_is_an_error() {
    let empty =
        base64::encode(bartizan_crypto::digest::digest(bartizan_crypto::DigestAlg::Sha256, b"").as_ref());
    for namespace in ["relative/uri", "./x", "#frag"] {
        let parts = swap(PARTS, "<a u:Id='a'>", &format!("<a u:Id='a' xmlns:p='{namespace}' p:q=''>"));
        let (signature, _) = signature_over(
            &parse(PARTS),
            &["a"],
            SignatureAlg::HmacSha256,
            &bartizan_xmlsec::signature::SignKey::Secret(&secret()),
        );
        let text = parts.replace("<!--S-->", &signature);
        let old = text
            .split_once("<ds:DigestValue>")
            .and_then(|(_, rest)| rest.split_once('<'))
            .expect("a digest")
            .0;
        let text = swap(&text, old, &empty);
        let signature = read(&parse(&text)).expect("read");
        let value = secret().mac(SignatureAlg::HmacSha256, signature.canonical_signed_info()).expect("a MAC");
        let kind = refusal(&with_value(&text, &value));
        assert!(matches!(kind, ErrorKind::Xml(_)), "{namespace}: {kind:?}");
    }
}

#[test]
fn attack_sig_12_doubled_missing_and_foreign_parts_are_refused() {
    let text = signed();
    let part = |open: &str, close: &str| {
        let start = text.find(open).expect("there");
        let end = text[start..].find(close).expect("closed") + start + close.len();
        &text[start..end]
    };
    let info = part("<ds:SignedInfo>", "</ds:SignedInfo>");
    let value = part("<ds:SignatureValue>", "</ds:SignatureValue>");
    let digest = part("<ds:DigestValue>", "</ds:DigestValue>");
    let transforms = part("<ds:Transforms>", "</ds:Transforms>");
    let method = part("<ds:DigestMethod", "</ds:DigestMethod>");
    let broken = [
        swap(text, info, &format!("{info}{info}")),
        swap(text, value, &format!("{value}{value}")),
        swap(text, digest, &format!("{digest}{digest}")),
        swap(text, transforms, &format!("{transforms}{transforms}")),
        swap(text, method, &format!("{method}{method}")),
        swap(text, info, ""),
        swap(text, value, ""),
        swap(text, digest, ""),
        swap(text, method, ""),
        swap(text, transforms, "<ds:Transforms></ds:Transforms>"),
        swap(text, &format!("{info}{value}"), &format!("{value}{info}")),
        swap(text, info, &format!("<ds:Object>{info}</ds:Object>")),
        swap(text, info, &info.replace("ds:SignedInfo", "SignedInfo")),
        swap(text, info, &format!("x{info}")),
        swap(text, info, &format!("<?p i?>{info}")),
        swap(text, "<ds:SignedInfo>", "<ds:SignedInfo evil=\"1\">"),
        swap(text, "<ds:Reference ", "<ds:Reference Evil=\"1\" "),
        swap(text, "<ds:Reference ", "<ds:Reference xmlns:e=\"urn:e\" e:URI=\"#x\" "),
        swap(text, "<ds:DigestValue>", "<ds:DigestValue><!--x-->"),
        swap(text, "<ds:DigestValue>", "<ds:DigestValue><x/>"),
        swap(text, "<ds:SignatureValue>", "<ds:SignatureValue><!--x-->"),
        swap(text, "<ds:SignatureValue>", "<ds:SignatureValue><?p i?>"),
        swap(text, "<ds:SignatureValue>", "<ds:SignatureValue>="),
        swap(text, "<ds:SignatureValue>", "<ds:SignatureValue>A"),
        swap(text, "</ds:SignatureValue>", "</ds:SignatureValue><ds:Object/><ds:KeyInfo/>"),
        swap(text, "</ds:SignatureValue>", "</ds:SignatureValue><x/>"),
    ];
    for (index, text) in broken.iter().enumerate() {
        let kind = refusal(text);
        assert!(matches!(kind, ErrorKind::Shape(_)), "{index}: {kind:?}");
    }
    let cdata = swap(
        text,
        value,
        &value.replace("<ds:SignatureValue>", "<ds:SignatureValue><![CDATA[").replace("</", "]]></"),
    );
    let kind = refusal(&swap(&cdata, "<![CDATA[", "<![CDATA[A]]>AAA<![CDATA["));
    assert!(matches!(kind, ErrorKind::Shape(_)), "{kind:?}");
}

#[test]
fn attack_sig_13_nothing_to_verify_is_never_verified() {
    assert!(matches!(refusal(PARTS), ErrorKind::NothingToDo));
    let start = signed().find("<ds:Reference ").expect("there");
    let end = signed().rfind("</ds:Reference>").expect("there") + "</ds:Reference>".len();
    let none = format!("{}{}", &signed()[..start], &signed()[end..]);
    assert!(matches!(refusal(&none), ErrorKind::Shape(Shape::MissingChild("Reference"))));
    let refused = verify_under(signed(), &permit(), &KeyRing::new()).expect_err("no key, no verdict");
    assert!(matches!(refused.kind, ErrorKind::KeyNotFound));
    let empty =
        verify_under(signed(), &Permit::document(AlgSet::empty()), &ring()).expect_err("nothing permitted");
    assert!(matches!(empty.kind, ErrorKind::AlgorithmNotPermitted(_)));
}

#[test]
fn attack_sig_14_references_signatures_and_digested_octets_are_limited() {
    let body = format!("<m xmlns:u='{WSU}'><a u:Id='a'>{}</a><!--S--></m>", "x".repeat(100_000));
    let document = parse(&body);
    let key = secret();
    let key = bartizan_xmlsec::signature::SignKey::Secret(&key);
    let many = |count: usize| {
        let (signature, _) = signature_over(&document, &vec!["a"; count], SignatureAlg::HmacSha256, &key);
        body.replace("<!--S-->", &signature)
    };
    let limit = |text: &str| match verify(text) {
        Ok(_) => None,
        Err(error) => match error.kind {
            ErrorKind::Xml(error) => Some(error.kind()),
            other => panic!("{other:?}"),
        },
    };
    let exhausted = |quantity| Some(bartizan_xml::ErrorKind::Limit(quantity));
    assert_eq!(limit(&many(4)), None);
    assert_eq!(limit(&many(6)), exhausted(Quantity::DigestedBytes));
    assert_eq!(limit(&many(33)), exhausted(Quantity::References));
    let limits = Limits { digested_factor: 100, ..Limits::default() };
    let text = many(32);
    let mut budget = Budget::new(&limits);
    let document = bartizan_xml::Document::parse(text.into_bytes(), bartizan_xml::Profile::Bare, &mut budget)
        .expect("parsed");
    let reports = verify_document(&document, &ring(), &permit(), &mut budget).expect("there");
    assert!(reports[0].verified(), "32 references are within the limit");
    let (signature, _) = signature_over(&parse(PARTS), &["a"], SignatureAlg::HmacSha256, &key);
    let signatures = |count: usize| {
        let copies: String =
            (0..count).map(|n| signature.replace("Id=\"S\"", &format!("Id=\"S{n}\""))).collect();
        limit(&PARTS.replace("<!--S-->", &copies))
    };
    assert_eq!(signatures(4), None);
    assert_eq!(signatures(5), exhausted(Quantity::Signatures));
    let transform = format!("<ds:Transform Algorithm=\"{EXC}\"></ds:Transform>");
    let bomb = swap(signed(), &transform, &transform.repeat(4));
    assert!(matches!(refusal(&bomb), ErrorKind::TransformOrder | ErrorKind::Xml(_)));
}

#[test]
fn attack_sig_14_canonical_form_that_explodes_is_cut_off() {
    // Every child declares the long namespace anew: 60 KiB each from 4 octets of source.
    let long = format!("urn:{}", "x".repeat(60_000));
    let body = format!(
        "<m xmlns:u='{WSU}' xmlns:p='{long}'><a u:Id='a'>{}</a><!--S--></m>",
        "<p:e/>".repeat(20_000)
    );
    let key = secret();
    let key = bartizan_xmlsec::signature::SignKey::Secret(&key);
    let (signature, _) = signature_over(&parse(PARTS), &["a"], SignatureAlg::HmacSha256, &key);
    match refusal(&body.replace("<!--S-->", &signature)) {
        ErrorKind::Xml(error) => {
            assert_eq!(error.kind(), bartizan_xml::ErrorKind::Limit(Quantity::DigestedBytes));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn attack_sig_15_external_references_are_refused_in_every_place() {
    let forms = [
        ("http://127.0.0.1:1/x", RefusedUri::External),
        ("https://127.0.0.1:1/x", RefusedUri::External),
        ("file:///etc/passwd", RefusedUri::External),
        ("ldap://127.0.0.1/x", RefusedUri::External),
        ("\\\\host\\share", RefusedUri::External),
        ("x.xml", RefusedUri::External),
        ("x#a", RefusedUri::External),
        (" #a", RefusedUri::External),
        ("cid:part", RefusedUri::Attachment),
        ("#", RefusedUri::Malformed),
        ("#%61", RefusedUri::Malformed),
        ("#a#c", RefusedUri::Malformed),
        ("#a ", RefusedUri::Malformed),
        ("#xpointer(/)", RefusedUri::XPointer),
        ("#xpointer(id('a'))", RefusedUri::XPointer),
    ];
    for (uri, expected) in forms {
        match refusal(&swap(signed(), "URI=\"#a\"", &format!("URI=\"{uri}\""))) {
            ErrorKind::UriRefused(form) => assert_eq!(form, expected, "{uri}"),
            other => panic!("{uri}: {other:?}"),
        }
        for place in [
            "<ds:RetrievalMethod URI=\"{}\"/>",
            "<d:KeyInfoReference xmlns:d=\"http://www.w3.org/2009/xmldsig11#\" URI=\"{}\"/>",
        ] {
            let kind = refusal(&with_key_info(&place.replace("{}", uri)));
            assert!(matches!(kind, ErrorKind::UriRefused(_)), "{place} {uri}: {kind:?}");
        }
    }
    let absent = refusal(&swap(signed(), " URI=\"#a\"", ""));
    assert!(matches!(absent, ErrorKind::UriRefused(RefusedUri::Absent)));
    let mut message = permit();
    message.whole_document = false;
    let whole =
        verify_under(&swap(signed(), "URI=\"#a\"", "URI=\"\""), &message, &ring()).expect_err("refused");
    assert!(matches!(whole.kind, ErrorKind::UriRefused(RefusedUri::WholeDocument)));
    let missing = refusal(&swap(signed(), "URI=\"#a\"", "URI=\"#A\""));
    assert!(matches!(missing, ErrorKind::SignatureInvalid), "{missing:?}");
}

#[test]
fn attack_xsw_12_enveloped_transform_removes_only_its_own_signature() {
    let enveloped =
        "<ds:Transform Algorithm=\"http://www.w3.org/2000/09/xmldsig#enveloped-signature\"></ds:Transform>";
    let c14n = format!("<ds:Transform Algorithm=\"{EXC}\"></ds:Transform>");
    let resigned = |text: &str| {
        let signature = read(&parse(text)).expect("read");
        let value = secret().mac(SignatureAlg::HmacSha256, signature.canonical_signed_info()).expect("a MAC");
        with_value(text, &value)
    };
    let text = maced(SignatureAlg::HmacSha256);
    let outside = resigned(&swap(&text, &c14n, &format!("{enveloped}{c14n}")));
    assert!(matches!(refusal(&outside), ErrorKind::EnvelopedNotAncestor));
    let twice = swap(&text, &c14n, &format!("{enveloped}{enveloped}"));
    assert!(matches!(refusal(&twice), ErrorKind::TransformOrder));
    let after = swap(&text, &c14n, &format!("{c14n}{enveloped}"));
    assert!(matches!(refusal(&after), ErrorKind::TransformOrder));
}

#[test]
fn attack_xsw_16_programs_among_the_transforms_are_refused_unread() {
    let c14n = format!("<ds:Transform Algorithm=\"{EXC}\"></ds:Transform>");
    let programs = [
        ("http://www.w3.org/TR/1999/REC-xpath-19991116", RefusedTransform::XPath),
        ("http://www.w3.org/2002/06/xmldsig-filter2", RefusedTransform::XPathFilter2),
        ("http://www.w3.org/TR/1999/REC-xslt-19991116", RefusedTransform::Xslt),
        ("http://www.w3.org/2002/07/decrypt#XML", RefusedTransform::Decryption),
    ];
    for (uri, expected) in programs {
        let transform = format!(
            "<ds:Transform Algorithm=\"{uri}\"><ds:XPath>not(ancestor-or-self::ds:Signature)</ds:XPath></ds:Transform>"
        );
        match refusal(&swap(signed(), &c14n, &transform)) {
            ErrorKind::TransformRefused(which) => assert_eq!(which, expected),
            other => panic!("{uri}: {other:?}"),
        }
    }
}

#[test]
fn attack_xsw_22_manifests_are_refused_as_type_as_object_and_as_target() {
    let manifest = "http://www.w3.org/2000/09/xmldsig#Manifest";
    let typed = swap(signed(), "<ds:Reference ", &format!("<ds:Reference Type=\"{manifest}\" "));
    assert!(matches!(refusal(&typed), ErrorKind::ManifestRefused));
    let object = "</ds:SignatureValue><ds:Object><ds:Manifest Id=\"M\"/></ds:Object>";
    assert!(matches!(refusal(&swap(signed(), "</ds:SignatureValue>", object)), ErrorKind::ManifestRefused));
    let parts = swap(PARTS, "<a u:Id='a'>", &format!("<ds:Manifest xmlns:ds='{DS}' u:Id='a'>"))
        .replace("</a>", "</ds:Manifest>");
    let key = secret();
    let key = bartizan_xmlsec::signature::SignKey::Secret(&key);
    let (signature, _) = signature_over(&parse(&parts), &["a"], SignatureAlg::HmacSha256, &key);
    assert!(matches!(refusal(&parts.replace("<!--S-->", &signature)), ErrorKind::ManifestRefused));
    // SignatureProperties say something about the signature and are as good as any signed element.
    let harmless = "</ds:SignatureValue><ds:Object><ds:SignatureProperties/></ds:Object>";
    verify(&swap(signed(), "</ds:SignatureValue>", harmless)).expect("verified");
}

#[test]
fn attack_xsw_23_swapped_digests_are_refused() {
    let document = parse(signed());
    let signature = read(&document).expect("read");
    let [first, second] = signature.references.as_slice() else { panic!("two references") };
    let (first, second) = (base64::encode(&first.value), base64::encode(&second.value));
    let swapped = signed().replace(&first, "@").replace(&second, &first).replace('@', &second);
    let signature = read(&parse(&swapped)).expect("read");
    let document = parse(&swapped);
    for index in 0..2 {
        let refused = signature.verify_reference(index, &document, &NoStrTargets, &mut budget());
        assert!(matches!(refused.expect_err("refused").kind, ErrorKind::DigestMismatch));
    }
    assert!(matches!(refusal(&swapped), ErrorKind::SignatureInvalid));
}
