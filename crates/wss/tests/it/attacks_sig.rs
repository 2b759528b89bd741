//! Signatures, keys and tokens (attack rows SIG and TOK as far as this layer is concerned).

use bartizan_crypto::alg::SignatureAlg;
use bartizan_crypto::base64;
use bartizan_crypto::random::SystemRandom;
use bartizan_keys::{Keystore, Time, TrustStore};
use bartizan_soap::Block;
use bartizan_wss::part::EncryptHow;
use bartizan_wss::plan::{HeaderRule, InPlan, Inclusion, KeyRef, Layout, OutPlan, PlanPair, TimestampRule};
use bartizan_wss::{AsymmetricBuilder, Env, MemoryReplay, Need, Part, Plan, Reason as R, Require, Side};

use crate::fixture::{
    self, PAYLOAD, benchmark, certificate, cut, identity, read, refused, replace, secure, verify, world,
};
use crate::forge;

fn body_only() -> PlanPair {
    let header = HeaderRule { layout: Layout::Lax, ..HeaderRule::default() };
    fixture::pair(
        AsymmetricBuilder::new(bartizan_crypto::suite::by_name("modern-rsa").unwrap())
            .sign(Part::Body)
            .header(header),
    )
}

fn keyed(key_info: &str, security: &str) -> String {
    let client = identity("client");
    let signature =
        forge::signature_with(&forge::reference("body"), &format!("<ds:KeyInfo>{key_info}</ds:KeyInfo>"), "");
    forge::sign(&forge::envelope(&format!("{security}{signature}"), "", PAYLOAD), &client)
}

fn reference(inner: &str) -> String {
    format!("<wsse:SecurityTokenReference>{inner}</wsse:SecurityTokenReference>")
}

#[test]
fn attack_sig_02_mac_keyed_with_a_public_key() {
    let client = identity("client");
    let leaf = client.leaf();
    for secret in [
        leaf.der().to_vec(),
        leaf.spki().to_vec(),
        base64::encode(leaf.spki()).into_bytes(),
        leaf.thumbprint_sha1().to_vec(),
    ] {
        let sound = forge::sound(&client);
        let relabelled = replace(&sound, "xmldsig-more#rsa-sha256", "xmldsig-more#hmac-sha256");
        let value = cut(&relabelled, "<ds:SignatureValue>", "</ds:SignatureValue>");
        let mac =
            bartizan_crypto::SymmetricKey::new(secret).mac(SignatureAlg::HmacSha256, b"anything").unwrap();
        let forged = replace(
            &relabelled,
            value,
            &format!("<ds:SignatureValue>{}</ds:SignatureValue>", base64::encode(&mac)),
        );
        // modern-rsa names an HMAC for shared keys, so the method itself is permitted: the key's kind refuses it.
        refused(&body_only().recipient, &world().server, &forged, &[R::SignatureKey]);
    }
}

#[test]
fn attack_sig_03_substituted_keys() {
    let client = identity("client");
    let public = client.leaf().public_key().unwrap().rsa_components().unwrap();
    let value = format!(
        "<ds:KeyValue><ds:RSAKeyValue><ds:Modulus>{}</ds:Modulus><ds:Exponent>{}</ds:Exponent></ds:RSAKeyValue></ds:KeyValue>",
        base64::encode(&public.modulus),
        base64::encode(&public.exponent)
    );
    // A bare key is taken only if it is the key of a certificate that is known here.
    verify(&body_only().recipient, &world().server, keyed(&value, "").as_bytes()).unwrap();
    let stranger = fixture::keys("server", None);
    refused(&body_only().recipient, &stranger, &keyed(&value, ""), &[R::TokenReferenceUnresolved]);
    // Two ways to name the key at once are refused, whether they agree or not.
    let both = format!(
        "{value}{}",
        reference(&format!("<wsse:Reference URI=\"#tok\" ValueType=\"{}\"/>", forge::X509))
    );
    refused(
        &body_only().recipient,
        &world().server,
        &keyed(&both, &forge::token(&client)),
        &[R::TokenReferenceMalformed],
    );
    // A certificate that nobody here trusts, in every form that carries it.
    let untrusting = Keystore::builder()
        .identity(identity("server"))
        .trust(TrustStore::builder().anchor(certificate("server")).build())
        .build()
        .unwrap();
    refused(&body_only().recipient, &untrusting, &forge::sound(&client), &[R::TokenUntrusted]);
    let embedded = reference(&format!("<wsse:Embedded>{}</wsse:Embedded>", forge::token(&client)));
    refused(&body_only().recipient, &untrusting, &keyed(&embedded, ""), &[R::TokenUntrusted]);
    let data = reference(&format!(
        "<ds:X509Data><ds:X509Certificate>{}</ds:X509Certificate></ds:X509Data>",
        base64::encode(client.leaf().der())
    ));
    refused(&body_only().recipient, &untrusting, &keyed(&data, ""), &[R::TokenUntrusted]);
}

#[test]
fn attack_sig_04_selector_that_fits_two_certificates() {
    let client = identity("client");
    let named = |c: &bartizan_keys::Certificate| {
        reference(&format!(
            "<ds:X509Data><ds:X509IssuerSerial><ds:X509IssuerName>{}</ds:X509IssuerName><ds:X509SerialNumber>{}</ds:X509SerialNumber></ds:X509IssuerSerial></ds:X509Data>",
            c.issuer(),
            c.serial_decimal()
        ))
    };
    verify(&body_only().recipient, &world().server, keyed(&named(client.leaf()), "").as_bytes()).unwrap();
    let two = format!("{}{}", named(client.leaf()), named(&certificate("client2")))
        .replace("</wsse:SecurityTokenReference><wsse:SecurityTokenReference>", "");
    refused(&body_only().recipient, &world().server, &keyed(&two, ""), &[R::TokenReferenceMalformed]);
    // A name is a name: nothing of it is a path.
    for name in ["../../etc/passwd", "C:\\keys", "*"] {
        refused(
            &body_only().recipient,
            &world().server,
            &keyed(&format!("<ds:KeyName>{name}</ds:KeyName>"), ""),
            &[R::TokenReferenceUnresolved],
        );
    }
}

#[test]
fn attack_sig_05_algorithms_that_the_plan_does_not_name() {
    let sound = forge::sound(&identity("client"));
    let methods = [
        "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
        "http://www.w3.org/2001/04/xmldsig-more#rsa-md5",
        "http://www.w3.org/2000/09/xmldsig#dsa-sha1",
        "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256 ",
        "http://www.w3.org/2001/04/xmldsig-more#RSA-SHA256",
        "http://www.w3.org/2001/04/xmlenc#sha256",
        "urn:nothing",
        "",
    ];
    for method in methods {
        let attack = replace(&sound, "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", method);
        refused(
            &body_only().recipient,
            &world().server,
            &attack,
            &[R::SignatureAlgorithm, R::SignatureMalformed],
        );
    }
    for digest in [
        "http://www.w3.org/2000/09/xmldsig#sha1",
        "http://www.w3.org/2001/04/xmldsig-more#md5",
        "urn:nothing",
    ] {
        let attack = replace(&sound, "http://www.w3.org/2001/04/xmlenc#sha256", digest);
        refused(&body_only().recipient, &world().server, &attack, &[R::SignatureAlgorithm]);
    }
    // A near miss is named.
    let near = replace(
        &sound,
        "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
        "http://www.w3.org/2000/09/xmldsig#rsa-sha256",
    );
    let reject = refused(&body_only().recipient, &world().server, &near, &[R::SignatureAlgorithm]);
    assert!(
        reject.detail().contains("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"),
        "{}",
        reject.detail()
    );
}

#[test]
fn attack_sig_09_same_signature_in_another_encoding() {
    let pair = body_only();
    let replay = MemoryReplay::default();
    let env = Env::new(&world().server, fixture::now(), &SystemRandom).with_replay(&replay);
    let message = fixture::text(secure(&pair.initiator, &world().client, fixture::draft()));
    pair.recipient.verify(read(message.as_bytes()).unwrap(), &env).unwrap();
    let value = cut(&message, "<ds:SignatureValue>", "</ds:SignatureValue>");
    let inner = value.trim_start_matches("<ds:SignatureValue>").trim_end_matches("</ds:SignatureValue>");
    let wrapped: String =
        inner.as_bytes().chunks(76).map(|c| String::from_utf8_lossy(c).into_owned() + "\n").collect();
    let again = [
        message.clone(),
        replace(&message, inner, &wrapped),
        replace(&message, "<soap:Header>", "<soap:Header><x:new xmlns:x=\"urn:x\"></x:new>"),
        replace(&message, "<soap:Envelope ", "<soap:Envelope xmlns:unused=\"urn:u\" "),
    ];
    for text in again {
        let reject = pair.recipient.verify(read(text.as_bytes()).unwrap(), &env).unwrap_err();
        assert_eq!(reject.reason(), R::Replay);
    }
}

#[test]
fn attack_sig_12_doubled_or_misplaced_pieces_of_a_signature() {
    let sound = forge::sound(&identity("client"));
    let info = cut(&sound, "<ds:SignedInfo>", "</ds:SignedInfo>");
    let value = cut(&sound, "<ds:SignatureValue>", "</ds:SignatureValue>");
    let digest = cut(&sound, "<ds:DigestValue>", "</ds:DigestValue>");
    let transforms = cut(&sound, "<ds:Transforms>", "</ds:Transforms>");
    let doubled = |piece: &str| replace(&sound, piece, &format!("{piece}{piece}"));
    let text_in = |piece: &str, name: &str| {
        let open = format!("<ds:{name}>");
        [
            replace(&sound, piece, &piece.replacen(&open, &format!("{open}<!-- c -->"), 1)),
            replace(&sound, piece, &piece.replacen(&open, &format!("{open}<x></x>"), 1)),
        ]
    };
    let mut attacks = vec![doubled(info), doubled(value), doubled(digest), doubled(transforms)];
    attacks.extend(text_in(digest, "DigestValue"));
    attacks.extend(text_in(value, "SignatureValue"));
    attacks.push(replace(&sound, info, &format!("<ds:Object>{info}</ds:Object>")));
    attacks.push(replace(&sound, info, &info.replace("ds:SignedInfo>", "SignedInfo>")));
    attacks.push(replace(&sound, "<ds:SignedInfo>", "<ds:SignedInfo extra=\"1\">"));
    attacks.push(replace(&sound, "<ds:SignedInfo>", "text<ds:SignedInfo>"));
    attacks.push(replace(&sound, value, ""));
    for attack in attacks {
        let reasons = [R::SignatureMalformed];
        refused(&body_only().recipient, &world().server, &attack, &reasons);
    }
}

#[test]
fn attack_sig_13_nothing_verified() {
    let client = identity("client");
    let plan = body_only();
    let sound = forge::sound(&client);
    let none = replace(&sound, cut(&sound, "<ds:Signature ", "</ds:Signature>"), "");
    refused(&plan.recipient, &world().server, &none, &[R::SignatureMissing]);
    let security = cut(&sound, "<wsse:Security>", "</wsse:Security>");
    refused(&plan.recipient, &world().server, &replace(&sound, security, ""), &[R::HeaderMissing]);
    let other = security.replacen("<wsse:Security>", "<wsse:Security s:role=\"urn:other\">", 1);
    refused(&plan.recipient, &world().server, &replace(&sound, security, &other), &[R::HeaderMissing]);
    // A plan that demands nothing is not made by omission, and an empty trust store trusts nobody.
    let mut empty = InPlan::open();
    empty.open = false;
    assert!(Plan::new(Side::Recipient, empty, OutPlan::plain()).is_err());
    let nobody = Keystore::builder().identity(identity("server")).build().unwrap();
    refused(&plan.recipient, &nobody, &sound, &[R::TokenUntrusted]);
    // Whatever is there is checked, but nothing at all is no proof.
    let mut algorithms = bartizan_crypto::alg::AlgSet::all_ok();
    algorithms.insert(SignatureAlg::RsaSha1);
    let whatever = Plan::new(Side::Recipient, InPlan::whatever(algorithms), OutPlan::plain()).unwrap();
    refused(&whatever, &world().server, &none, &[R::CoverageNothing]);
    verify(&whatever, &world().server, sound.as_bytes()).unwrap();
    refused(&whatever, &world().server, &replace(&sound, "test me", "evil me"), &[R::SignatureDigest]);
}

#[test]
fn attack_sig_14_very_many_references_and_signatures() {
    let client = identity("client");
    let many = |n: usize| {
        let security = forge::token(&client) + &forge::signature(&forge::reference("body").repeat(n));
        forge::sign(&forge::envelope(&security, "", PAYLOAD), &client)
    };
    verify(&body_only().recipient, &world().server, many(32).as_bytes()).unwrap();
    refused(&body_only().recipient, &world().server, &many(33), &[R::MessageLimit]);
    let sound = forge::sound(&client);
    let one = cut(&sound, "<ds:Signature ", "</ds:Signature>");
    refused(
        &body_only().recipient,
        &world().server,
        &replace(&sound, one, &one.repeat(5)),
        &[R::MessageLimit],
    );
    // 32 References to a large Body would digest 32 times its size: the budget is four times the message.
    let big = format!("<x xmlns=\"urn:x\">{}</x>", "y".repeat(200_000));
    let security = forge::token(&client) + &forge::signature(&forge::reference("body").repeat(32));
    let attack = forge::sign(&forge::envelope(&security, "", &big), &client);
    refused(&body_only().recipient, &world().server, &attack, &[R::MessageLimit]);
}

#[test]
fn attack_sig_17_revoked_expired_and_authority_certificates() {
    let plan = body_only();
    let by = |name: &str| forge::sound(&identity(name));
    refused(&plan.recipient, &world().server, &by("revoked"), &[R::TokenRevoked]);
    refused(&plan.recipient, &world().server, &by("expired"), &[R::TokenExpired]);
    verify(&plan.recipient, &world().server, by("client2").as_bytes()).unwrap();
}

#[test]
fn attack_sig_20_trust_that_changes_between_two_messages() {
    let plan = body_only();
    let message = forge::sound(&identity("client"));
    verify(&plan.recipient, &world().server, message.as_bytes()).unwrap();
    let after = Keystore::builder().identity(identity("server")).trust(TrustStore::empty()).build().unwrap();
    refused(&plan.recipient, &after, &message, &[R::TokenUntrusted]);
}

#[test]
fn attack_tok_03_message_sent_again() {
    let pair = fixture::pair(benchmark("Basic256").timestamp(TimestampRule::default()));
    let message = secure(&pair.initiator, &world().client, fixture::draft());
    let replay = MemoryReplay::default();
    let at = |time: &str| {
        let env =
            Env::new(&world().server, Time::parse_rfc3339(time).unwrap(), &SystemRandom).with_replay(&replay);
        pair.recipient
            .verify(read(message.message.bytes()).unwrap(), &env)
            .map(|_| ())
            .map_err(|r| r.reason())
    };
    assert_eq!(at("2026-11-30T12:00:00Z"), Ok(()));
    for later in ["2026-11-30T12:00:00Z", "2026-11-30T12:04:59Z", "2026-11-30T12:05:59Z"] {
        assert_eq!(at(later), Err(R::Replay));
    }
    assert_eq!(at("2026-11-30T12:06:00Z"), Err(R::TimestampExpired));
}

#[test]
fn attack_tok_03_of_64_threads_one_is_served() {
    let pair = fixture::pair(benchmark("modern-rsa"));
    let message = secure(&pair.initiator, &world().client, fixture::draft());
    let replay = MemoryReplay::default();
    let (barrier, served) = (std::sync::Barrier::new(64), std::sync::atomic::AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..64 {
            scope.spawn(|| {
                let env = Env::new(&world().server, fixture::now(), &SystemRandom).with_replay(&replay);
                let untrusted = read(message.message.bytes()).unwrap();
                barrier.wait();
                match pair.recipient.verify(untrusted, &env) {
                    Ok(_) => {
                        served.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    }
                    Err(reject) => assert_eq!(reject.reason(), R::Replay),
                }
            });
        }
    });
    assert_eq!(served.into_inner(), 1);
}

#[test]
fn attack_tok_04_clock_set_back() {
    let pair = fixture::pair(benchmark("modern-rsa").timestamp(TimestampRule::default()));
    let message = secure(&pair.initiator, &world().client, fixture::draft());
    let other = secure(&pair.initiator, &world().client, fixture::draft());
    let replay = MemoryReplay::default();
    let at = |bytes: &[u8], time: Time| {
        let env = Env::new(&world().server, time, &SystemRandom).with_replay(&replay);
        pair.recipient.verify(read(bytes).unwrap(), &env).map(|_| ()).map_err(|r| r.reason())
    };
    assert_eq!(at(message.message.bytes(), fixture::now()), Ok(()));
    replay.sweep(fixture::now() + std::time::Duration::from_secs(86_400));
    assert_eq!(
        at(message.message.bytes(), fixture::now()),
        Err(R::ReplayClock),
        "the window does not open again"
    );
    assert_eq!(at(other.message.bytes(), fixture::now()), Err(R::ReplayClock));
}

#[test]
fn attack_tok_05_odd_timestamps() {
    let mut inbound = InPlan::open();
    inbound.timestamp = Some(TimestampRule::default());
    let plan = Plan::new(Side::Recipient, inbound, OutPlan::plain()).unwrap();
    let with =
        |content: &str| forge::envelope(&format!("<wsu:Timestamp>{content}</wsu:Timestamp>"), "", PAYLOAD);
    let created = |text: &str| format!("<wsu:Created>{text}</wsu:Created>");
    let expires = |text: &str| format!("<wsu:Expires>{text}</wsu:Expires>");
    let good = "2026-11-30T12:00:00Z";
    for sound in [
        created(good),
        created("2026-11-30T11:59:59.123456789Z"),
        created(good) + &expires("2026-11-30T12:00:01Z"),
        created(good) + &expires("2036-11-30T12:00:01Z"),
        created(" 2026-11-30T12:00:00Z\n"),
    ] {
        verify(&plan, &world().server, with(&sound).as_bytes()).unwrap_or_else(|r| panic!("{r}: {sound}"));
    }
    for malformed in [
        String::new(),
        expires(good),
        created(good) + &created(good),
        created(good) + &expires(good),
        expires("2026-11-30T12:05:00Z") + &created(good),
        created(good) + &expires("2026-11-30T11:00:00Z"),
        created("2026-11-30T24:00:00Z"),
        created("2026-11-30T11:59:60Z"),
        created("2026-11-30T12:00:00+14:01"),
        created("2026-11-30T14:00:00+02:00"),
        created("2026-11-30T12:00:00"),
        created("2026-11-30T12:00:00z"),
        created("2026-11-30T12:00:00.0000000001Z"),
        created("10000-11-30T12:00:00Z"),
        created("-0001-11-30T12:00:00Z"),
        created("2026-02-30T12:00:00Z"),
        "<wsu:Created ValueType=\"x\">2026-11-30T12:00:00Z</wsu:Created>".to_owned(),
        created("2026-11-30T12:<!-- -->00:00Z"),
        created(good) + "<wsu:Other/>",
    ] {
        refused(&plan, &world().server, &with(&malformed), &[R::TimestampMalformed]);
    }
    for (late, millis) in [
        (created("2026-11-30T11:53:59Z"), 61_000),
        (created("2026-11-30T11:00:00Z") + &expires("2026-11-30T11:58:00Z"), 3_300_000),
    ] {
        let reject = refused(&plan, &world().server, &with(&late), &[R::TimestampExpired]);
        assert!(
            matches!(reject.hint(), bartizan_wss::Hint::Skew { millis: m } if *m == millis),
            "{:?}",
            reject.hint()
        );
    }
    refused(&plan, &world().server, &with(&created("2026-11-30T12:01:01Z")), &[R::TimestampFuture]);
    refused(&plan, &world().server, &forge::envelope("", "", PAYLOAD), &[R::TimestampMissing]);
}

#[test]
fn attack_tok_11_odd_security_token_references() {
    let client = identity("client");
    let token = forge::token(&client);
    let direct = format!("<wsse:Reference URI=\"#tok\" ValueType=\"{}\"/>", forge::X509);
    let thumb = |value_type: &str, text: &str, more: &str| {
        format!("<wsse:KeyIdentifier ValueType=\"{value_type}\"{more}>{text}</wsse:KeyIdentifier>")
    };
    let sha1 = "http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1#ThumbprintSHA1";
    let print = base64::encode(&client.leaf().thumbprint_sha1());
    verify(
        &body_only().recipient,
        &world().server,
        keyed(&reference(&thumb(sha1, &print, "")), "").as_bytes(),
    )
    .unwrap();
    let odd = [
        (format!("{direct}{}", thumb(sha1, &print, "")), R::TokenReferenceMalformed),
        (format!("{direct}{direct}"), R::TokenReferenceMalformed),
        (direct.replace("/>", "><x/></wsse:Reference>"), R::TokenReferenceMalformed),
        (String::new(), R::TokenReferenceMalformed),
        (direct.replace("#tok", "http://127.0.0.1:1/tok"), R::TokenReferenceUnresolved),
        (direct.replace("#tok", "tok"), R::TokenReferenceUnresolved),
        (direct.replace("#tok", "#body"), R::TokenReferenceUnresolved),
        (direct.replace("#X509v3", "#X509PKIPathv1"), R::TokenReferenceMalformed),
        (thumb(sha1, &print, " EncodingType=\"urn:x\""), R::TokenReferenceMalformed),
        (thumb(sha1, "AAAA", ""), R::TokenReferenceMalformed),
        (thumb(sha1, &base64::encode(&[0; 20]), ""), R::TokenReferenceUnresolved),
        (thumb("urn:x", &print, ""), R::TokenUnsupported),
        (format!("<wsse:Embedded>{}</wsse:Embedded>", reference(&direct)), R::TokenUnsupported),
        ("<wsse:Embedded></wsse:Embedded>".to_owned(), R::TokenReferenceMalformed),
        (reference(&direct), R::TokenUnsupported),
        ("<x:y xmlns:x=\"urn:x\"/>".to_owned(), R::TokenUnsupported),
    ];
    for (inner, reason) in odd {
        refused(&body_only().recipient, &world().server, &keyed(&reference(&inner), &token), &[reason]);
    }
    let typed = |uri: &str| {
        let attribute = format!(
            "xmlns:w11=\"http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd\" w11:TokenType=\"{uri}\""
        );
        keyed(
            &reference(&direct).replacen(
                "<wsse:SecurityTokenReference",
                &format!("<wsse:SecurityTokenReference {attribute}"),
                1,
            ),
            &token,
        )
    };
    verify(&body_only().recipient, &world().server, typed(forge::X509).as_bytes()).unwrap();
    refused(&body_only().recipient, &world().server, &typed("urn:x"), &[R::TokenReferenceMalformed]);
    refused(&body_only().recipient, &world().server, &keyed("", &token), &[R::TokenReferenceMalformed]);
}

#[test]
fn attack_tok_12_odd_binary_tokens() {
    let client = identity("client");
    let der = client.leaf().der().to_vec();
    let sound_attributes = format!("EncodingType=\"{}\" ValueType=\"{}\"", forge::B64, forge::X509);
    let with = |text: &str, attributes: &str| {
        let security = forge::bst(text, attributes) + &forge::signature(&forge::reference("body"));
        forge::sign(&forge::envelope(&security, "", PAYLOAD), &client)
    };
    verify(
        &body_only().recipient,
        &world().server,
        with(&base64::encode(&der), &sound_attributes).as_bytes(),
    )
    .unwrap();
    let pem = format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----", base64::encode(&der));
    let mut trailing = der.clone();
    trailing.push(0);
    let twice: Vec<u8> = der.iter().chain(&der).copied().collect();
    for text in [
        pem.clone(),
        base64::encode(pem.as_bytes()),
        base64::encode(&trailing),
        base64::encode(&twice),
        base64::encode(&der[..der.len() - 1]),
        String::new(),
        "!".to_owned(),
        "A".repeat(1 << 20),
    ] {
        refused(
            &body_only().recipient,
            &world().server,
            &with(&text, &sound_attributes),
            &[R::TokenMalformed],
        );
    }
    let text = base64::encode(&der);
    refused(
        &body_only().recipient,
        &world().server,
        &with(&text, &format!("ValueType=\"{}\" EncodingType=\"urn:x\"", forge::X509)),
        &[R::TokenMalformed],
    );
    refused(&body_only().recipient, &world().server, &with(&text, ""), &[R::TokenMalformed]);
    for value_type in
        ["urn:x", "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0#PKCS7"]
    {
        refused(
            &body_only().recipient,
            &world().server,
            &with(&text, &format!("ValueType=\"{value_type}\"")),
            &[R::TokenUnsupported],
        );
    }
    let path = format!("ValueType=\"{}\"", forge::X509.replace("X509v3", "X509PKIPathv1"));
    refused(&body_only().recipient, &world().server, &with(&text, &path), &[R::TokenMalformed]);
    for unknown in [
        "<wsc:DerivedKeyToken xmlns:wsc=\"http://docs.oasis-open.org/ws-sx/ws-secureconversation/200512\"/>",
        "<saml:Assertion xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\" ID=\"a\"/>",
    ] {
        let sound = forge::sound(&client);
        refused(
            &body_only().recipient,
            &world().server,
            &replace(&sound, "<wsse:Security>", &format!("<wsse:Security>{unknown}")),
            &[R::TokenUnsupported],
        );
    }
}

#[test]
fn attack_tok_14_actions_are_hints_only() {
    let pair = body_only();
    let block =
        "<wsa:Action xmlns:wsa=\"http://www.w3.org/2005/08/addressing\">urn:in-the-header</wsa:Action>";
    let draft = fixture::draft().with_block(Block::new(
        "http://www.w3.org/2005/08/addressing",
        "Action",
        block.into(),
    ));
    let message = secure(&pair.initiator, &world().client, draft);
    let untrusted = bartizan_wss::Untrusted::read(
        message.message.bytes().to_vec(),
        Some("application/soap+xml; charset=utf-8; action=\"urn:in-the-media-type\""),
        &bartizan_xml::Limits::default(),
    )
    .unwrap();
    assert_eq!(untrusted.action_hint(), Some("urn:in-the-media-type"));
    assert_eq!(untrusted.addressing_hint().as_deref(), Some("urn:in-the-header"));
    let verified =
        pair.recipient.verify(untrusted, &Env::new(&world().server, fixture::now(), &SystemRandom)).unwrap();
    assert_eq!(
        verified.payload().unwrap().local_name(),
        "greetRequest",
        "what was signed names the operation"
    );
    assert_eq!(verified.addressing().unwrap().action, None, "an unsigned action cannot be read");
}

#[test]
fn attack_tok_15_unsigned_reply_to_cannot_be_read() {
    let pair = body_only();
    let wsa = "http://www.w3.org/2005/08/addressing";
    let block = format!(
        "<wsa:ReplyTo xmlns:wsa=\"{wsa}\"><wsa:Address>http://169.254.169.254/</wsa:Address></wsa:ReplyTo>"
    );
    let message = secure(
        &pair.initiator,
        &world().client,
        fixture::draft().with_block(Block::new(wsa, "ReplyTo", block.into_bytes())),
    );
    let verified = verify(&pair.recipient, &world().server, message.message.bytes()).unwrap();
    assert_eq!(verified.addressing().unwrap().reply_to, None);
}

#[test]
fn attack_tok_17_unknown_headers_that_must_be_understood() {
    let sound = forge::sound(&identity("client"));
    let plan = body_only();
    for value in ["true", "1", " 1 "] {
        let block = format!("<x:h xmlns:x=\"urn:x\" s:mustUnderstand=\"{value}\"/>");
        for (place, edited) in [
            ("<s:Header>", format!("<s:Header>{block}")),
            ("</wsse:Security>", format!("</wsse:Security>{block}")),
        ] {
            let attack = replace(&sound, place, &edited);
            let reject = refused(&plan.recipient, &world().server, &attack, &[R::MessageNotUnderstood]);
            assert_eq!(reject.context().private_operations(), 0);
        }
    }
    for harmless in [
        "s:mustUnderstand=\"0\"",
        "s:mustUnderstand=\"true\" s:role=\"urn:other\"",
        "mustUnderstand=\"1\"",
        "",
    ] {
        let block = format!("<s:Header><x:h xmlns:x=\"urn:x\" {harmless}/>");
        verify(&plan.recipient, &world().server, replace(&sound, "<s:Header>", &block).as_bytes()).unwrap();
    }
    let odd = replace(&sound, "<s:Header>", "<s:Header><x:h xmlns:x=\"urn:x\" s:mustUnderstand=\"yes\"/>");
    refused(&plan.recipient, &world().server, &odd, &[R::MessageShape]);
}

#[test]
fn attack_tok_18_message_ids_are_bounded() {
    let pair = body_only();
    let wsa = "http://www.w3.org/2005/08/addressing";
    let echo = |id: &str| {
        let block = format!("<wsa:MessageID xmlns:wsa=\"{wsa}\">{id}</wsa:MessageID>");
        let draft = fixture::draft().with_block(Block::new(wsa, "MessageID", block.into_bytes()));
        let message = secure(&pair.initiator, &world().client, draft);
        verify(&pair.recipient, &world().server, message.message.bytes()).unwrap().message_id_to_echo()
    };
    assert_eq!(echo("urn:uuid:1").as_deref(), Some("urn:uuid:1"));
    assert_eq!(echo(&"x".repeat(1025)), None);
    assert_eq!(echo(""), None);
    assert_eq!(echo("a b"), None);
}

#[test]
fn strict_reference_and_inclusion_rules_hold_where_a_plan_has_them() {
    let pair = body_only();
    let mut inbound = pair.recipient.inbound().clone();
    inbound.token.reference = vec![KeyRef::ThumbprintSha1];
    let strict = Plan::new(Side::Recipient, inbound.clone(), OutPlan::plain()).unwrap();
    refused(&strict, &world().server, &forge::sound(&identity("client")), &[R::TokenReferenceForm]);
    inbound.token.reference = Vec::new();
    inbound.token.inclusion = Inclusion::Must;
    let sent = Plan::new(Side::Recipient, inbound.clone(), OutPlan::plain()).unwrap();
    verify(&sent, &world().server, forge::sound(&identity("client")).as_bytes()).unwrap();
    let print = base64::encode(&certificate("client").thumbprint_sha1());
    let value_type = "http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1#ThumbprintSHA1";
    let named = keyed(
        &reference(&format!("<wsse:KeyIdentifier ValueType=\"{value_type}\">{print}</wsse:KeyIdentifier>")),
        "",
    );
    refused(&sent, &world().server, &named, &[R::TokenNotSent]);
    inbound.token.inclusion = Inclusion::Any;
    inbound.token.min_rsa = 3072;
    let big = Plan::new(Side::Recipient, inbound, OutPlan::plain()).unwrap();
    refused(&big, &world().server, &forge::sound(&identity("client")), &[R::TokenKeyTooSmall]);
}

#[test]
fn part_that_must_be_there_and_is_not_is_named() {
    let mut inbound = body_only().recipient.inbound().clone();
    inbound.required.push(Require {
        part: Part::header("urn:h", "session"),
        signed: Need::Must,
        encrypted: Need::No,
        how: EncryptHow::Content,
    });
    let plan = Plan::new(Side::Recipient, inbound, OutPlan::plain()).unwrap();
    let reject =
        refused(&plan, &world().server, &forge::sound(&identity("client")), &[R::CoveragePartMissing]);
    assert!(reject.detail().contains("header:{urn:h}session"), "{}", reject.detail());
}
