//! Attacks on endorsing signatures: over something else, over nothing, of another message, by somebody else, too few and too many.

use bartizan_crypto::random::SystemRandom;
use bartizan_keys::Identity;
use bartizan_wss::plan::{Dialect, EndorseRule, HeaderRule, InPlan, Layout, OutPlan, SignedBy, Targets};
use bartizan_wss::{
    AsymmetricBuilder, Env, MemoryReplay, Part, Plan, Reason as R, Reject, Side, Verified, Wire,
};

use crate::endorse::{
    Shape, accepted, asymmetric, endorsed, receive, receive_with, send, send_as, symmetric, transport,
};
use crate::fixture::{self, PAYLOAD, certificate, cut, identity, now, read, replace, world};
use crate::forge;
use crate::username_in::{PASSWORD, users};

/// The Body signed by a certificate and endorsed by another.
fn plan() -> Plan {
    let header = HeaderRule { layout: Layout::Lax, targets: Targets::Whole, ..HeaderRule::default() };
    let suite = bartizan_crypto::suite::by_name("modern-rsa").unwrap();
    let plans = fixture::pair(AsymmetricBuilder::new(suite).sign(Part::Body).header(header));
    let mut inbound = plans.recipient.inbound().clone();
    inbound.endorse = vec![EndorseRule::by(SignedBy::X509)];
    Plan::new(Side::Recipient, inbound, OutPlan::plain()).unwrap()
}

fn verify(message: &str) -> Result<Verified, Reject> {
    let replay = MemoryReplay::default();
    plan().verify(
        read(message.as_bytes())?,
        &Env::new(&world().server, now(), &SystemRandom).with_replay(&replay),
    )
}

#[track_caller]
fn refused(message: &str, reason: R) -> Reject {
    let reject = verify(message).expect_err("accepted");
    assert_eq!(reject.reason(), reason, "{reject}");
    assert_eq!(reject.wire(), Wire::FailedCheck);
    reject
}

fn token(id: &str, identity: &Identity) -> String {
    forge::token(identity).replace("\"tok\"", &format!("\"{id}\""))
}

fn signature(id: &str, key: &str, references: &str) -> String {
    let info = format!(
        "<ds:KeyInfo><wsse:SecurityTokenReference><wsse:Reference URI=\"#{key}\" ValueType=\"{}\"/></wsse:SecurityTokenReference></ds:KeyInfo>",
        forge::X509
    );
    forge::signature_with(references, &info, "")
        .replace("<ds:Signature ", &format!("<ds:Signature Id=\"{id}\" "))
}

/// A message under construction: what is endorsed is digested when the primary signature is made.
struct Forged {
    /// The primary signature's references and key.
    primary: (String, Identity),
    /// Each endorsing signature's references and key.
    endorsing: Vec<(String, Identity)>,
    blocks: String,
    endorsing_first: bool,
}

impl Forged {
    fn new(endorsing: &[(&[&str], &Identity)]) -> Forged {
        let references = |ids: &[&str]| ids.iter().map(|id| forge::reference(id)).collect::<String>();
        Forged {
            primary: (references(&["body"]), identity("client")),
            endorsing: endorsing.iter().map(|(ids, key)| (references(ids), (*key).clone())).collect(),
            blocks: String::new(),
            endorsing_first: false,
        }
    }

    fn signed_by(self, ids: &[&str], key: &Identity) -> Forged {
        let references = ids.iter().map(|id| forge::reference(id)).collect();
        Forged { primary: (references, key.clone()), ..self }
    }

    fn text(&self) -> String {
        let mut security = token("tok", &self.primary.1);
        for (n, (_, key)) in self.endorsing.iter().enumerate() {
            security += &token(&format!("tok{n}"), key);
        }
        let first = signature("prim", "tok", &self.primary.0);
        let rest: String = self
            .endorsing
            .iter()
            .enumerate()
            .map(|(n, (references, _))| {
                signature(&format!("end{n}"), &format!("tok{n}"), references)
                    .replace("DIGEST:", "LATER:")
                    .replace(">VALUE<", &format!(">LATER{n}<"))
            })
            .collect();
        security += &if self.endorsing_first { rest + &first } else { first + &rest };
        let text = forge::fill_digests(&forge::envelope(&security, &self.blocks, PAYLOAD));
        let primary = if self.endorsing_first { self.endorsing.len() } else { 0 };
        let value = forge::value_of(&text, primary, &self.primary.1);
        let text = text.replace(">VALUE<", &format!(">{value}<"));
        let mut text = forge::fill_digests(&text.replace("LATER:", "DIGEST:"));
        for (n, (_, key)) in self.endorsing.iter().enumerate() {
            let place = if self.endorsing_first { n } else { n + 1 };
            let value = forge::value_of(&text, place, key);
            text = text.replace(&format!(">LATER{n}<"), &format!(">{value}<"));
        }
        text
    }
}

#[test]
fn endorsement_is_found_by_what_it_covers_and_not_by_its_place() {
    let endorser = identity("client2");
    for endorsing_first in [false, true] {
        let forged = Forged { endorsing_first, ..Forged::new(&[(&["prim"], &endorser)]) };
        let verified = verify(&forged.text()).unwrap();
        assert_eq!(verified.caller().unwrap().name(), certificate("client").subject_text());
        assert_eq!(verified.endorsers()[0].certificate().unwrap().der(), endorser.leaf().der());
        assert_eq!(verified.context().signatures()[0].covers, ["/Envelope/Body"]);
    }
}

#[test]
fn attack_tok_19_endorsement_of_something_else_is_refused() {
    let endorser = identity("client2");
    for ids in [&["body"][..], &["tok0"], &["tok"], &["body", "tok0", "tok"]] {
        refused(&Forged::new(&[(ids, &endorser)]).text(), R::EndorsementTarget);
    }
    // Nothing at all that could be another signature's, and itself.
    let itself = verify(&Forged::new(&[(&["end0"], &endorser)]).text()).unwrap_err();
    assert!(
        matches!(itself.reason(), R::EndorsementTarget | R::SignatureDigest | R::SignatureReference),
        "{itself}"
    );
}

#[test]
fn attack_tok_19_endorsement_of_a_copy_of_the_signature_is_refused() {
    let endorser = identity("client2");
    let sound = Forged::new(&[(&["prim"], &endorser)]).text();
    let primary = cut(&sound, "<ds:Signature Id=\"prim\"", "</ds:Signature>");
    let copy = primary.replace("Id=\"prim\"", "Id=\"copy\"");
    let block = format!("<h:h xmlns:h=\"urn:h\">{copy}</h:h>");
    let forged = Forged { blocks: block.clone(), ..Forged::new(&[(&["copy"], &endorser)]) };
    refused(&forged.text(), R::EndorsementTarget);
    // Beside the signature itself it does no harm: it is of no use to anybody.
    let both = Forged { blocks: block, ..Forged::new(&[(&["prim", "copy"], &endorser)]) };
    refused(&both.text(), R::SignatureTarget);
    // A copy in the header is one signature too many.
    let third = replace(&sound, "</wsse:Security>", &format!("{copy}</wsse:Security>"));
    refused(&third, R::SignatureUnexpected);
    // The same Id twice is nobody's.
    let twice = replace(&sound, "</s:Header>", &format!("<h:h xmlns:h=\"urn:h\">{primary}</h:h></s:Header>"));
    refused(&twice, R::MessageDuplicateId);
}

#[test]
fn attack_tok_19_signature_that_was_endorsed_is_replaced_by_another() {
    let endorser = identity("client2");
    let sound = Forged::new(&[(&["prim"], &endorser)]).text();
    let primary = cut(&sound, "<ds:Signature Id=\"prim\"", "</ds:Signature>").to_owned();
    // By another one over the same Body, of the same signer and of another one with a trusted key.
    for other in ["client", "client2"] {
        let forged =
            Forged::new(&[(&["prim"], &endorser)]).signed_by(&["body", "tok"], &identity(other)).text();
        let theirs = cut(&forged, "<ds:Signature Id=\"prim\"", "</ds:Signature>");
        let token = |message: &str| {
            cut(message, "<wsse:BinarySecurityToken", "</wsse:BinarySecurityToken>").to_owned()
        };
        let mixed = replace(&sound, &primary, theirs);
        let mixed = if other == "client" { mixed } else { replace(&mixed, &token(&sound), &token(&forged)) };
        let reason = if other == "client" { R::SignatureDigest } else { R::EndorsementSameKey };
        refused(&mixed, reason);
        // The message that it was taken out of has not been used up.
        let replay = MemoryReplay::default();
        let env = Env::new(&world().server, now(), &SystemRandom).with_replay(&replay);
        assert!(plan().verify(read(mixed.as_bytes()).unwrap(), &env).is_err());
        plan().verify(read(sound.as_bytes()).unwrap(), &env).unwrap();
        assert_eq!(plan().verify(read(sound.as_bytes()).unwrap(), &env).unwrap_err().reason(), R::Replay);
    }
    // The SignatureValue and the KeyInfo are endorsed as well.
    let value = cut(&primary, "<ds:KeyInfo>", "</ds:KeyInfo>");
    let told = value
        .replace("<wsse:Reference URI", "<wsse:Reference  URI")
        .replace("<ds:KeyInfo>", "<ds:KeyInfo Id=\"k\">");
    refused(&replace(&sound, value, &told), R::SignatureDigest);
}

#[test]
fn attack_tok_20_endorsement_by_nobody_known_by_the_signer_or_by_ourselves_is_refused() {
    for (who, reason) in [
        (fixture::strange_identity("client2"), R::TokenUntrusted),
        (identity("expired"), R::TokenExpired),
        (identity("revoked"), R::TokenRevoked),
        (identity("client"), R::EndorsementSameKey),
        (identity("server"), R::TokenNotPartner),
    ] {
        refused(&Forged::new(&[(&["prim"], &who)]).text(), reason);
    }
}

#[test]
fn attack_tok_20_endorsements_that_are_missing_or_too_many_are_refused() {
    let endorser = identity("client2");
    refused(&Forged::new(&[]).text(), R::EndorsementMissing);
    let two = Forged::new(&[(&["prim"], &endorser), (&["prim"], &endorser)]);
    refused(&two.text(), R::SignatureUnexpected);
    // One that endorses the endorsement.
    let chain = Forged::new(&[(&["prim"], &endorser), (&["end0"], &endorser)]);
    refused(&chain.text(), R::SignatureUnexpected);
    let sound = Forged::new(&[(&["prim"], &endorser)]).text();
    let primary = cut(&sound, "<ds:Signature Id=\"prim\"", "</ds:Signature>").to_owned();
    refused(&replace(&sound, &primary, ""), R::EndorsementMissing);
    let none = replace(
        &replace(&sound, &primary, ""),
        cut(&sound, "<ds:Signature Id=\"end0\"", "</ds:Signature>"),
        "",
    );
    refused(&none, R::SignatureMissing);
    // A plan that speaks of none takes none.
    let mut inbound = plan().inbound().clone();
    inbound.endorse.clear();
    let plain = Plan::new(Side::Recipient, inbound, OutPlan::plain()).unwrap();
    fixture::refused(&plain, &world().server, &sound, &[R::SignatureUnexpected]);
}

#[test]
fn attack_tok_19_body_that_only_the_endorser_signed_is_not_signed() {
    let endorser = identity("client2");
    let forged = Forged::new(&[(&["prim", "body"], &endorser)]).signed_by(&["tok"], &identity("client"));
    refused(&forged.text(), R::CoverageBodyNotSigned);
    // What he signs besides, under the signature of somebody else, makes him no signer.
    let verified = verify(&Forged::new(&[(&["prim", "body"], &endorser)]).text()).unwrap();
    assert_eq!(verified.caller().unwrap().name(), certificate("client").subject_text());
    assert_eq!(verified.request_facts().requester().unwrap().der(), certificate("client").der());
}

#[test]
fn attack_tok_19_parts_of_the_signature_by_a_transform_are_no_endorsement() {
    let endorser = identity("client2");
    for transform in [
        "http://www.w3.org/2000/09/xmldsig#base64",
        "http://www.w3.org/2000/09/xmldsig#enveloped-signature",
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#STR-Transform",
    ] {
        let reference =
            forge::custom_reference("#prim", &format!("<ds:Transform Algorithm=\"{transform}\"/>"), "AAAA");
        let mut forged = Forged::new(&[(&["prim"], &endorser)]);
        forged.endorsing[0].0 = reference;
        let reject = verify(&forged.text()).unwrap_err();
        let reasons =
            [R::SignatureTransform, R::TokenReferenceUnresolved, R::SignatureMalformed, R::SignatureDigest];
        assert!(reasons.contains(&reject.reason()), "{transform}: {reject}");
    }
}

#[test]
fn attack_tok_20_secret_and_certificate_in_the_wrong_roles_are_refused() {
    // What a certificate signs and a secret endorses is nobody's under the symmetric binding.
    let plans = endorsed(&symmetric("modern-rsa"), "modern-rsa", &[Shape::x509()]);
    let by_certificate = endorsed(&asymmetric("modern-rsa"), "modern-rsa", &[Shape::x509()]);
    let message = send(&by_certificate);
    let reject = receive(&plans.recipient, &message).unwrap_err();
    assert_eq!(reject.reason(), R::SignatureSigner, "{reject}");
    // And a message without its endorsement names nobody.
    let bare = send(&symmetric("modern-rsa"));
    assert_eq!(receive(&plans.recipient, &bare).unwrap_err().reason(), R::EndorsementMissing);
}

#[test]
fn attack_tok_19_endorsement_under_a_secret_is_of_that_secrets_signature() {
    let plans = endorsed(&symmetric("modern-rsa"), "modern-rsa", &[Shape::x509()]);
    let (mine, theirs) = (send(&plans), send(&plans));
    let second = |message: &str| {
        let start = message.rfind("<ds:Signature ").unwrap();
        message[start..message.find("</wsse:Security>").unwrap()].to_owned()
    };
    let id = |message: &str| cut(message, "Id=\"s-", "\"").to_owned();
    let token =
        |message: &str| cut(message, "<wsse:BinarySecurityToken", "</wsse:BinarySecurityToken>").to_owned();
    // The endorsement of another message, with its Ids made to fit.
    let lifted = second(&theirs).replace(&id(&theirs)[4..], &id(&mine)[4..]);
    let mixed = replace(&mine, &second(&mine), &lifted);
    let mixed = replace(&mixed, &token(&mine), &token(&theirs));
    let reject = receive(&plans.recipient, &mixed).unwrap_err();
    // Its reference is signed, so that it cannot be made to fit.
    assert_eq!(reject.reason(), R::SignatureValue, "{reject}");
    let mixed = replace(&replace(&mine, &second(&mine), &second(&theirs)), &token(&mine), &token(&theirs));
    assert_eq!(receive(&plans.recipient, &mixed).unwrap_err().reason(), R::EndorsementTarget);
}

#[test]
fn attack_tok_20_user_who_endorses_with_another_password_or_name_is_refused() {
    for plans in [
        endorsed(&asymmetric("modern-rsa"), "modern-rsa", &[Shape::user()]),
        endorsed(&symmetric("modern-rsa"), "modern-rsa", &[Shape::user()]),
        transport("modern-rsa", &[Shape::user()]),
    ] {
        for (name, password, reason) in [
            ("alice", "another password", R::SignatureValue),
            ("bob", PASSWORD, R::SignatureValue),
            ("mallory", PASSWORD, R::UserUnknown),
            ("carol", PASSWORD, R::UserDisabled),
            ("dave", PASSWORD, R::UserExpired),
        ] {
            let message = fixture::text(send_as(&plans, name, password).unwrap());
            let reject = receive(&plans.recipient, &message).unwrap_err();
            assert_eq!((reject.reason(), reject.wire()), (reason, Wire::FailedCheck), "{name}: {reject}");
        }
        let message = send(&plans);
        let renamed = replace(&message, ">alice<", ">bob<");
        assert_eq!(receive(&plans.recipient, &renamed).unwrap_err().reason(), R::SignatureValue);
        // The token alone endorses nothing.
        let start = message.rfind("<ds:Signature ").unwrap();
        let signature = &message[start..message.find("</wsse:Security>").unwrap()];
        let reject = receive(&plans.recipient, &replace(&message, signature, "")).unwrap_err();
        let reasons = [R::EndorsementMissing, R::SignatureMissing];
        assert!(reasons.contains(&reject.reason()), "{reject}");
    }
}

#[test]
fn attack_tok_20_key_of_the_user_that_is_derived_or_not_against_the_plan_is_refused() {
    let derived = Shape { derived: Some(Dialect::V13), ..Shape::user() };
    for binding in [asymmetric("modern-rsa"), symmetric("modern-rsa")] {
        let [plain, derived] =
            [Shape::user(), derived].map(|shape| endorsed(&binding, "modern-rsa", &[shape]));
        let message = send(&derived);
        accepted(&derived, &message);
        let reject = receive(&plain.recipient, &message).unwrap_err();
        assert!([R::TokenUnsupported, R::TokenReferenceUnresolved].contains(&reject.reason()), "{reject}");
        assert_eq!(receive(&derived.recipient, &send(&plain)).unwrap_err().reason(), R::SignatureSigner);
        // Another Nonce, another length.
        let token = cut(&message, "<wsc:DerivedKeyToken", "</wsc:DerivedKeyToken>").to_owned();
        let last = message
            .rfind("<wsc:DerivedKeyToken")
            .map(|at| cut(&message[at..], "<wsc:", "</wsc:DerivedKeyToken>"));
        let last = last.unwrap_or(&token).to_owned();
        let nonce = cut(&last, "<wsc:Nonce>", "</wsc:Nonce>");
        let other = last.replace(nonce, "<wsc:Nonce>AAAAAAAAAAAAAAAAAAAAAA==</wsc:Nonce>");
        let reject = receive(&derived.recipient, &replace(&message, &last, &other)).unwrap_err();
        assert_eq!(reject.reason(), R::SignatureValue);
        // One that nothing uses.
        let idle = format!("{last}{}", last.replace("wsu:Id=\"d-", "wsu:Id=\"d-0"));
        let reject = receive(&derived.recipient, &replace(&message, &last, &idle)).unwrap_err();
        assert_eq!(reject.reason(), R::EncryptionUnusedKey);
    }
}

#[test]
fn attack_tok_20_body_that_is_encrypted_under_the_key_that_endorses_is_refused() {
    // What the user may endorse with is no secret that may protect: his key in the place of the secret of the message.
    let derived = Shape { derived: Some(Dialect::V13), ..Shape::user() };
    let plans = endorsed(&symmetric("modern-rsa"), "modern-rsa", &[derived]);
    let message = send(&plans);
    let start = message.rfind("<wsc:DerivedKeyToken").unwrap();
    let token = cut(&message[start..], "wsu:Id=\"", "\"")
        .trim_start_matches("wsu:Id=\"")
        .trim_end_matches('"')
        .to_owned();
    let kind = "http://docs.oasis-open.org/ws-sx/ws-secureconversation/200512/dk";
    let named = format!("<wsse:Reference URI=\"#{token}\" ValueType=\"{kind}\"></wsse:Reference>");
    let body = &message[message.find("<soap:Body").unwrap()..];
    let in_body = cut(body, "<wsse:SecurityTokenReference", "</wsse:SecurityTokenReference>");
    let theirs = cut(in_body, "<wsse:Reference", "</wsse:Reference>");
    let moved = message.replace(body, &body.replace(theirs, &named));
    let reject = receive(&plans.recipient, &moved).unwrap_err();
    assert_ne!(moved, message);
    assert!(
        [R::TokenDerivedKey, R::SignatureSigner, R::TokenReferenceMalformed].contains(&reject.reason()),
        "{reject}"
    );
}

#[test]
fn attack_tok_20_endorsed_message_that_is_sent_again_is_a_replay() {
    for by in [Shape::x509(), Shape::user()] {
        for plans in [
            endorsed(&asymmetric("modern-rsa"), "modern-rsa", &[by]),
            endorsed(&symmetric("modern-rsa"), "modern-rsa", &[by]),
            transport("modern-rsa", &[by]),
        ] {
            let (users, replay) = (users(), MemoryReplay::default());
            let message = send(&plans);
            receive_with(&plans.recipient, &message, &users, &replay).unwrap();
            let again = receive_with(&plans.recipient, &message, &users, &replay).unwrap_err();
            assert_eq!(again.reason(), R::Replay, "{again}");
            receive_with(&plans.recipient, &send(&plans), &users, &replay).unwrap();
        }
    }
}

#[test]
fn attack_tok_19_timestamp_that_nobody_endorsed_is_refused_over_tls() {
    for by in [Shape::x509(), Shape::user()] {
        let plans = transport("modern-rsa", &[by]);
        let (mine, theirs) = (send(&plans), send(&plans));
        let stamp = |message: &str| cut(message, "<wsu:Timestamp", "</wsu:Timestamp>").to_owned();
        let later = stamp(&mine).replace(":00.000Z</wsu:Created>", ":01.000Z</wsu:Created>");
        let renewed = replace(&mine, &stamp(&mine), &later);
        assert_eq!(receive(&plans.recipient, &renewed).unwrap_err().reason(), R::SignatureDigest);
        let other = replace(&mine, &stamp(&mine), &stamp(&theirs));
        assert_eq!(receive(&plans.recipient, &other).unwrap_err().reason(), R::EndorsementTarget);
        let none = replace(&mine, &stamp(&mine), "");
        assert_eq!(receive(&plans.recipient, &none).unwrap_err().reason(), R::TimestampMissing);
        // The Timestamp of before stands in a header of its own, and a fresh one in its place.
        let moved = replace(
            &other,
            "</soap:Header>",
            &format!("<h:h xmlns:h=\"urn:h\">{}</h:h></soap:Header>", stamp(&mine)),
        );
        assert_eq!(receive(&plans.recipient, &moved).unwrap_err().reason(), R::EndorsementTarget);
        // Over a plain connection it is nothing.
        let env = Env::new(&world().server, now(), &SystemRandom);
        let plain = plans.recipient.verify(read(mine.as_bytes()).unwrap(), &env).unwrap_err();
        assert_eq!(plain.reason(), R::TransportPlain);
    }
}

#[test]
fn attack_tok_20_token_that_is_not_signed_encrypted_or_sent_as_demanded_is_refused() {
    let sent = |shape: Shape| send(&endorsed(&asymmetric("modern-rsa"), "modern-rsa", &[shape]));
    let demands = |shape: Shape| endorsed(&asymmetric("modern-rsa"), "modern-rsa", &[shape]).recipient;
    let plain = Shape::x509();
    for (demanded, reason) in [
        (Shape { signed: true, ..plain }, R::CoverageTokenNotSigned),
        (Shape { protect: true, ..plain }, R::CoverageTokenNotSigned),
        (Shape { encrypted: true, ..plain }, R::CoverageElementNotEncrypted),
    ] {
        assert_eq!(receive(&demands(demanded), &sent(plain)).unwrap_err().reason(), reason, "{demanded:?}");
    }
    let named = Shape { sent: bartizan_wss::plan::TokenSent::No, ..plain };
    // A certificate that is only named is not in the message.
    let reject = receive(&demands(plain), &sent(named)).unwrap_err();
    assert!([R::TokenNotSent, R::TokenReferenceUnresolved].contains(&reject.reason()), "{reject}");
    // One that is encrypted where the plan has nothing encrypted in the header.
    let reject = receive(&demands(plain), &sent(Shape { encrypted: true, ..plain })).unwrap_err();
    assert_eq!(reject.reason(), R::EncryptionUnexpected);
    for (demanded, reason) in [
        (Shape { signed: true, ..Shape::user() }, R::CoverageTokenNotSigned),
        (Shape { protect: true, ..Shape::user() }, R::CoverageTokenNotSigned),
        (Shape { encrypted: true, ..Shape::user() }, R::CoverageElementNotEncrypted),
    ] {
        assert_eq!(
            receive(&demands(demanded), &sent(Shape::user())).unwrap_err().reason(),
            reason,
            "{demanded:?}"
        );
    }
}

#[test]
fn signature_that_must_be_encrypted_is_so_whether_it_is_endorsed_or_not() {
    let plans = fixture::pair(fixture::benchmark("modern-rsa").encrypt(Part::Signature));
    let hidden = endorsed(&plans, "modern-rsa", &[Shape::x509()]);
    let shown = endorsed(&fixture::pair(fixture::benchmark("modern-rsa")), "modern-rsa", &[Shape::x509()]);
    let reject = receive(&hidden.recipient, &send(&shown)).unwrap_err();
    assert_eq!(reject.reason(), R::CoverageSignatureNotEncrypted, "{reject}");
    accepted(&hidden, &send(&hidden));
}

#[test]
fn endorsement_is_checked_where_anything_is_taken() {
    let sound = Forged::new(&[(&["prim"], &identity("client2"))]).text();
    let whatever = InPlan::whatever(plan().inbound().algorithms);
    let plan = Plan::new(Side::Recipient, whatever, OutPlan::plain()).unwrap();
    let verified = fixture::verify(&plan, &world().server, sound.as_bytes()).unwrap();
    // Nobody asked for an endorsement, so nobody endorsed; the sender is who signed the Body.
    assert_eq!(verified.caller().unwrap().name(), certificate("client").subject_text());
    assert!(verified.endorsers().is_empty());
    assert_eq!(verified.context().signatures()[1].covers, ["/Envelope/Header/Security/Signature[1]"]);
    let forged =
        sound.replacen("<ds:Signature Id=\"prim\"", "<ds:Signature Id=\"prim\" xmlns:x=\"urn:x\"", 1);
    assert!(
        fixture::verify(&plan, &world().server, forged.as_bytes()).is_ok(),
        "a declaration that nothing uses"
    );
}
