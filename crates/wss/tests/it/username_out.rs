//! What is written for a user: its shape beside that of WSS4J 1.5.12, and its keys, digests and ciphertext checked by the layers below.

use bartizan_crypto::alg::{AlgSet, CipherAlg, DigestAlg, TransportAlg};
use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::{Secret, SymmetricKey, base64, derive};
use bartizan_soap::{Draft, Version};
use bartizan_wss::error::Error;
use bartizan_wss::plan::{
    Contradiction, Derive, KeyRef, KeyTransfer, PasswordForm, Precision, Side, Step, TimestampRule,
};
use bartizan_wss::{Env, Login, OutPlan, Part, Plan, UsernameBuilder};
use bartizan_xml::names::{ds, wsse, wsse11, wsu, xenc};
use bartizan_xml::{Budget, Document, Element, Limits, Profile};
use bartizan_xmlsec::signature::NoStrTargets;
use bartizan_xmlsec::{DecryptKey, EncryptedData, EncryptedKey, Permit, Signature, VerifyKey};

use crate::fixture::{PAYLOAD, identity, now, world};

fn login() -> Login {
    Login { name: "alice".into(), password: Secret::new(b"very<Secret>".to_vec()) }
}

fn written(builder: UsernameBuilder, version: Version) -> String {
    let plans = builder.build().unwrap();
    let login = login();
    let env = Env::new(&world().client, now(), &SystemRandom).as_user(&login);
    let draft = Draft::new(version).with_body(PAYLOAD.into());
    String::from_utf8(plans.initiator.secure(draft, &env, None).unwrap().message.into_bytes()).unwrap()
}

fn document(message: &str) -> Document {
    let mut budget = Budget::new(&Limits::default());
    Document::parse(message.as_bytes().to_vec(), Profile::Message, &mut budget).unwrap()
}

fn security(document: &Document) -> Element<'_> {
    document.root().descendants().find(|e| e.is(wsse::SECURITY)).unwrap()
}

/// Names and attributes of everything in the Security header, indented.
fn shape(message: &str) -> String {
    let document = document(message);
    let mut out = String::new();
    let security = security(&document);
    for element in security.descendants() {
        let depth = element.path().matches('/').count() - security.path().matches('/').count();
        let mut attributes: Vec<&str> = element.attrs().map(|a| a.local_name()).collect();
        attributes.sort_unstable();
        let line = format!(
            "{}{}:{} {}",
            "  ".repeat(depth),
            element.prefix(),
            element.local_name(),
            attributes.join(" ")
        );
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

const STAMP: &str = "  wsu:Timestamp Id\n    wsu:Created\n    wsu:Expires\n";
const TOKEN_A: &str = "  wsse:UsernameToken Id\n    wsse:Username\n    wsse:Password Type\n    wsse:Nonce EncodingType\n    wsu:Created\n";
const TOKEN_B: &str = "  wsse:UsernameToken Id\n    wsse:Username\n    wsse11:Salt\n    wsse11:Iteration\n    wsse:Nonce EncodingType\n    wsu:Created\n";
const SIGNATURE: &str = "  ds:Signature Id\n    ds:SignedInfo\n      ds:CanonicalizationMethod Algorithm\n      ds:SignatureMethod Algorithm\n      ds:Reference URI\n        ds:Transforms\n          ds:Transform Algorithm\n        ds:DigestMethod Algorithm\n        ds:DigestValue\n    ds:SignatureValue\n    ds:KeyInfo Id\n      wsse:SecurityTokenReference Id\n        wsse:Reference URI ValueType\n";
const KEY_HEAD: &str = "  xenc:EncryptedKey Id\n    xenc:EncryptionMethod Algorithm\n    ds:KeyInfo\n      wsse:SecurityTokenReference\n";
const KEY_TAIL: &str =
    "    xenc:CipherData\n      xenc:CipherValue\n    xenc:ReferenceList\n      xenc:DataReference URI\n";
const ISSUER_SERIAL: &str = "        ds:X509Data\n          ds:X509IssuerSerial\n            ds:X509IssuerName\n            ds:X509SerialNumber\n";
const DATA: &str = "  xenc:EncryptedData Id Type\n    xenc:EncryptionMethod Algorithm\n    ds:KeyInfo\n      wsse:SecurityTokenReference\n        wsse:Reference URI\n    xenc:CipherData\n      xenc:CipherValue\n";

fn wse() -> Derive {
    Derive::Wse { length: 16 }
}

fn profile() -> Derive {
    Derive::Profile { iterations: 1000 }
}

fn period() -> UsernameBuilder {
    UsernameBuilder::new().period()
}

/// The shapes are those that WSS4J 1.5.12 writes in action mode.
#[test]
fn the_period_manner_has_the_shape_of_wss4j_1_5() {
    let issuer_serial = KeyRef::IssuerSerial;
    let key = [KEY_HEAD, ISSUER_SERIAL, KEY_TAIL].concat();
    let direct = [
        "  wsse:BinarySecurityToken EncodingType Id ValueType\n",
        KEY_HEAD,
        "        wsse:Reference URI ValueType\n",
        KEY_TAIL,
    ]
    .concat();
    let identifier = [KEY_HEAD, "        wsse:KeyIdentifier EncodingType ValueType\n", KEY_TAIL].concat();
    let cases: Vec<(&str, UsernameBuilder, Vec<&str>)> = vec![
        ("unt1", period(), vec![TOKEN_A]),
        ("unt2a", period().sign(wse()), vec![TOKEN_A, SIGNATURE]),
        ("unt2b", period().sign(profile()), vec![TOKEN_B, SIGNATURE]),
        ("unt3", period().encrypt(issuer_serial), vec![&key, DATA]),
        ("unt3 direct", period().encrypt(KeyRef::Direct), vec![&direct, DATA]),
        ("unt3 ski", period().encrypt(KeyRef::SubjectKeyIdentifier), vec![&identifier, DATA]),
        ("unt3 thumbprint", period().encrypt(KeyRef::ThumbprintSha1), vec![&identifier, DATA]),
        ("unt3 raw", period().encrypt(KeyRef::RawCertificate), vec![&identifier, DATA]),
        ("unt4a", period().encrypt(issuer_serial).sign(wse()), vec![&key, DATA, SIGNATURE]),
        ("unt4b", period().encrypt(issuer_serial).sign(profile()), vec![&key, DATA, SIGNATURE]),
    ];
    for (name, builder, after) in cases {
        for version in [Version::Soap11, Version::Soap12] {
            let message = written(builder.clone(), version);
            assert_eq!(shape(&message), [&[STAMP], after.as_slice()].concat().concat(), "{name}");
            let flag = if version == Version::Soap11 { "=\"1\"" } else { "=\"true\"" };
            assert!(message.contains(&format!("mustUnderstand{flag}")), "{name}");
        }
    }
}

#[test]
fn steps_put_what_is_made_last_on_top() {
    use Step::{Encryption, Signature, Timestamp, UsernameToken};
    let plans = period().encrypt(KeyRef::Direct).sign(wse()).build().unwrap();
    let with = |steps: Vec<Step>| {
        let outbound = OutPlan { steps, ..plans.initiator.outbound().clone() };
        Plan::new(Side::Initiator, plans.initiator.inbound().clone(), outbound)
    };
    let login = login();
    let env = Env::new(&world().client, now(), &SystemRandom).as_user(&login);
    let header = |plan: &Plan| {
        let draft = Draft::new(Version::Soap11).with_body(PAYLOAD.into());
        let message = plan.secure(draft, &env, None).unwrap().message.into_bytes();
        let document = document(std::str::from_utf8(&message).unwrap());
        security(&document).elements().map(|e| e.local_name().to_owned()).collect::<Vec<_>>().join(" ")
    };
    let usual = "Timestamp BinarySecurityToken EncryptedKey EncryptedData Signature";
    assert_eq!(header(&plans.initiator), usual);
    let cases = [
        (vec![Signature, UsernameToken, Encryption, Timestamp], usual),
        (
            vec![Timestamp, Signature, UsernameToken, Encryption],
            "BinarySecurityToken EncryptedKey EncryptedData Signature Timestamp",
        ),
        (
            vec![Encryption, Timestamp, Signature, UsernameToken],
            "EncryptedData Signature Timestamp BinarySecurityToken EncryptedKey",
        ),
    ];
    for (steps, expected) in cases {
        assert_eq!(header(&with(steps).unwrap()), expected);
    }
    // Nothing that the plan makes may be left out of the message by leaving it out of the steps.
    for steps in [
        vec![Timestamp],
        vec![Signature, UsernameToken, Encryption],
        vec![Signature, UsernameToken, Encryption, Timestamp, Timestamp],
    ] {
        assert!(matches!(with(steps), Err(Error::PlanContradiction(Contradiction::Steps))));
    }
}

#[test]
fn ids_of_the_period_manner_look_like_those_of_wss4j_and_never_repeat() {
    let make = || written(period().encrypt(KeyRef::Direct).sign(wse()), Version::Soap11);
    let ids = |message: &str| -> Vec<String> {
        let document = document(message);
        let of = |e: Element<'_>| e.attrs().find(|a| a.local_name() == "Id").map(|a| a.value().to_owned());
        document.root().descendants().filter_map(of).collect()
    };
    let (one, other) = (ids(&make()), ids(&make()));
    let forms = ["Timestamp-", "", "EncKeyId-", "EncDataId-", "Signature-", "KeyId-", "STRId-"];
    assert_eq!(one.len(), forms.len(), "{one:?}");
    for (id, form) in one.iter().zip(forms) {
        assert!(id.starts_with(form) && id.len() >= form.len() + 32, "{id}");
    }
    assert!(one.iter().all(|id| !other.contains(id)));
}

fn child<'d>(token: Element<'d>, name: bartizan_xml::Name) -> Option<String> {
    token.child(name).map(|e| e.text().into_owned())
}

/// The key that the token says, computed from what stands in it.
fn key_of(token: Element<'_>) -> SymmetricKey {
    let octets = login().password.expose(|password| match child(token, wsse11::SALT) {
        Some(salt) => {
            let iterations = child(token, wsse11::ITERATION).unwrap().parse().unwrap();
            derive::username_key(password, &base64::decode(&salt).unwrap(), iterations)
        }
        None => {
            let nonce = base64::decode(&child(token, wsse::NONCE).unwrap()).unwrap();
            derive::wse_key(password, &nonce, &child(token, wsu::CREATED).unwrap(), 16).unwrap()
        }
    });
    octets.expose(|octets| SymmetricKey::new(octets.clone()))
}

#[test]
fn a_derived_key_signs_what_it_says() {
    for clean in [false, true] {
        for derive in [wse(), profile(), Derive::Profile { iterations: 5000 }] {
            let parts = vec![Part::UsernameToken, Part::Body, Part::Timestamp];
            let base = if clean { UsernameBuilder::new() } else { period() };
            let message = written(base.sign(derive).sign_parts(parts), Version::Soap12);
            let document = document(&message);
            let token = security(&document).child(wsse::USERNAME_TOKEN).unwrap();
            assert_eq!(token.child(wsse::PASSWORD).is_some(), derive == wse());
            let mut budget = Budget::new(&Limits::default());
            let element = security(&document).child(ds::SIGNATURE).unwrap();
            let permit = Permit::message(AlgSet::with_legacy());
            let signature = Signature::read(element, &permit, &mut budget).unwrap();
            signature.verify_value(&VerifyKey::Secret(&key_of(token))).unwrap();
            let covered = signature.verify_references(&document, &NoStrTargets, &mut budget).unwrap();
            assert_eq!(covered.len(), 3);
            assert_eq!(covered[0].target, token.id());
            if let Some(salt) = child(token, wsse11::SALT) {
                assert_eq!(base64::decode(&salt).unwrap()[0], 1, "a key for a MAC");
            }
        }
    }
}

#[test]
fn an_encrypted_token_opens_to_the_token() {
    let cases = [
        (period().encrypt(KeyRef::IssuerSerial), CipherAlg::Aes128Cbc),
        (period().encrypt(KeyRef::Direct).cipher(CipherAlg::Aes256Cbc), CipherAlg::Aes256Cbc),
        (
            period().encrypt(KeyRef::ThumbprintSha1).transport(TransportAlg::RsaOaepMgf1p, DigestAlg::Sha1),
            CipherAlg::Aes128Cbc,
        ),
        (UsernameBuilder::new().encrypt(KeyRef::ThumbprintSha1), CipherAlg::Aes128Gcm),
    ];
    for (builder, cipher) in cases {
        let message = written(builder, Version::Soap12);
        assert!(!message.contains("alice") && !message.contains("Secret"));
        let document = document(&message);
        let mut budget = Budget::new(&Limits::default());
        let permit = Permit::message(AlgSet::with_legacy());
        let find = |name| security(&document).child(name).unwrap();
        let key = EncryptedKey::read(find(xenc::ENCRYPTED_KEY), &permit, &mut budget).unwrap();
        let data = EncryptedData::read(find(xenc::ENCRYPTED_DATA), &permit, &mut budget).unwrap();
        let server = identity("server");
        let content = key.unwrap(&DecryptKey::Private(server.key()), cipher).unwrap();
        let plaintext = String::from_utf8(data.open(&content).unwrap()).unwrap();
        assert!(plaintext.contains(">very&lt;Secret&gt;</wsse:Password>"), "{plaintext}");
        // As the period writes it, the plaintext stands on its own.
        let around = if cipher == CipherAlg::Aes128Gcm { 0 } else { 1 };
        assert_eq!(plaintext.matches("xmlns:xenc=").count(), around);
        assert_eq!(plaintext.matches("xmlns:soap=").count(), around);
    }
}

#[test]
fn every_switch_of_the_token_changes_what_is_written() {
    let token = |builder: UsernameBuilder| {
        let message = written(builder, Version::Soap11);
        let document = document(&message);
        let token = security(&document).child(wsse::USERNAME_TOKEN).unwrap();
        let kind = token
            .child(wsse::PASSWORD)
            .map(|p| p.attrs().map(|a| a.value().rsplit('#').next().unwrap().to_owned()).collect::<String>());
        (kind, child(token, wsse::NONCE).is_some(), child(token, wsu::CREATED))
    };
    let base = UsernameBuilder::new;
    assert_eq!(token(base()), (Some("PasswordText".into()), true, Some("2026-11-30T12:00:00.000Z".into())));
    assert_eq!(token(base().elements(false, false)), (Some("PasswordText".into()), false, None));
    let digest = token(base().password(PasswordForm::Digest));
    assert_eq!(digest.0.as_deref(), Some("PasswordDigest"));
    assert_eq!(token(base().password(PasswordForm::Absent)).0, None);
    assert_eq!(token(base().password(PasswordForm::Custom("urn:own".into()))).0.as_deref(), Some("urn:own"));
    assert_eq!(token(base().precision(Precision::Seconds)).2.as_deref(), Some("2026-11-30T12:00:00Z"));
    assert!(!written(base().timestamp(None), Version::Soap11).contains("Timestamp"));
}

#[test]
fn a_digest_is_that_of_the_profile() {
    let message = written(UsernameBuilder::new().password(PasswordForm::Digest), Version::Soap12);
    let document = document(&message);
    let token = security(&document).child(wsse::USERNAME_TOKEN).unwrap();
    let mut input = base64::decode(&child(token, wsse::NONCE).unwrap()).unwrap();
    input.extend_from_slice(child(token, wsu::CREATED).unwrap().as_bytes());
    input.extend_from_slice(b"very<Secret>");
    let expected = base64::encode(bartizan_crypto::digest::digest(DigestAlg::Sha1, &input).as_ref());
    assert_eq!(child(token, wsse::PASSWORD), Some(expected));
}

#[test]
fn without_a_login_nothing_is_written() {
    let plans = UsernameBuilder::new().build().unwrap();
    let env = Env::new(&world().client, now(), &SystemRandom);
    let draft = Draft::new(Version::Soap12).with_body(PAYLOAD.into());
    assert!(matches!(plans.initiator.secure(draft, &env, None), Err(Error::NoLogin)));
}

#[test]
fn a_name_that_xml_has_no_character_for_is_an_error() {
    let plans = UsernameBuilder::new().build().unwrap();
    for (name, password) in [("al\u{1}ice", b"x".to_vec()), ("alice", vec![0xFF]), ("alice", b"\0".to_vec())]
    {
        let login = Login { name: name.into(), password: Secret::new(password) };
        let env = Env::new(&world().client, now(), &SystemRandom).as_user(&login);
        let draft = Draft::new(Version::Soap12).with_body(PAYLOAD.into());
        assert!(matches!(plans.initiator.secure(draft, &env, None), Err(Error::Login)));
    }
}

#[test]
fn a_plan_for_a_user_that_contradicts_itself_is_refused() {
    let refused = |builder: UsernameBuilder| match builder.build() {
        Err(Error::PlanContradiction(what)) => what,
        other => panic!("{other:?}"),
    };
    let digest = UsernameBuilder::new().password(PasswordForm::Digest);
    assert_eq!(refused(digest.elements(false, true)), Contradiction::NonceMissing);
    assert_eq!(
        refused(UsernameBuilder::new().sign(wse()).elements(true, false)),
        Contradiction::NonceMissing
    );
    let plans = UsernameBuilder::new().sign(profile()).encrypt(KeyRef::IssuerSerial).build().unwrap();
    let request = || plans.initiator.outbound().clone();
    let again = |out: OutPlan| {
        let side = bartizan_wss::Side::Initiator;
        match Plan::new(side, bartizan_wss::InPlan::open(), out) {
            Err(Error::PlanContradiction(what)) => what,
            other => panic!("{other:?}"),
        }
    };
    let mut twice = request();
    twice.encrypt.as_mut().unwrap().key = KeyTransfer::UsernameToken;
    assert_eq!(again(twice), Contradiction::KeyUsedTwice);
    let mut hidden = request();
    hidden.sign = None;
    hidden.encrypt.as_mut().unwrap().key = KeyTransfer::UsernameToken;
    assert_eq!(again(hidden), Contradiction::CannotEncrypt);
    let mut without = request();
    without.username = None;
    assert_eq!(again(without), Contradiction::KeyOfNoToken);
}

#[test]
fn lifetime_of_the_timestamp_is_that_of_the_plan() {
    let rule = TimestampRule { ttl: std::time::Duration::from_secs(42), ..TimestampRule::default() };
    let message = written(UsernameBuilder::new().timestamp(Some(rule)), Version::Soap12);
    assert!(message.contains("<wsu:Expires>2026-11-30T12:00:42.000Z</wsu:Expires>"));
}
