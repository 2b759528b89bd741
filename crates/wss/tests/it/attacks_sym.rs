//! Attacks on shared secrets and derived keys: games with DerivedKeyTokens (TOK-13), replies under other secrets, our own request as its reply,
//! keys that nobody could unwrap.

use bartizan_crypto::alg::{CipherAlg, DigestAlg, SignatureAlg};
use bartizan_crypto::digest::digest;
use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::{SymmetricKey, base64, suite};
use bartizan_wss::plan::{
    Dialect, KeyTransfer, PlanPair, Presence, ProtectionOrder, SecretSource, SignedBy, TimestampRule,
};
use bartizan_wss::{
    AsymmetricBuilder, Env, Hint, MemoryReplay, NotPartner, Part, Plan, Reason as R, Side, SymmetricBuilder,
    Wire,
};

use crate::fixture::{self, cut, draft, now, read, refused, replace, secure, verify, verify_reply, world};
use crate::forge::WSSE;
use crate::symmetric::{builder, exchange, reply};

const DS: &str = "http://www.w3.org/2000/09/xmldsig#";

fn derived() -> PlanPair {
    builder("Basic256").derived(Dialect::V13).build().unwrap()
}

fn signed_only() -> PlanPair {
    SymmetricBuilder::new(suite::by_name("Basic256").unwrap()).sign(Part::Body).anonymous().build().unwrap()
}

fn sent(plans: &PlanPair) -> String {
    fixture::text(secure(&plans.initiator, &world().client, draft()))
}

/// The first DerivedKeyToken, which is the signature's.
fn token(message: &str) -> &str {
    cut(message, "<wsc:DerivedKeyToken", "</wsc:DerivedKeyToken>")
}

#[test]
fn attack_tok_13_label_nonce_length_and_offset_that_are_changed_give_another_key() {
    let plans = derived();
    let message = sent(&plans);
    let nonce = cut(token(&message), "<wsc:Nonce>", "</wsc:Nonce>");
    let other = format!("<wsc:Nonce>{}</wsc:Nonce>", base64::encode(&[7; 16]));
    let label = "<wsc:Label>WS-SecureConversation</wsc:Label>";
    for (from, to) in [
        (nonce.to_owned(), other),
        (nonce.to_owned(), format!("{label}{nonce}")),
        ("<wsc:Length>24<".to_owned(), "<wsc:Length>25<".to_owned()),
        ("<wsc:Length>24<".to_owned(), "<wsc:Length>16<".to_owned()),
    ] {
        refused(&plans.recipient, &world().server, &replace(&message, &from, &to), &[R::SignatureValue]);
    }
    let moved = message.replacen("<wsc:Offset>0<", "<wsc:Offset>1<", 1);
    refused(&plans.recipient, &world().server, &moved, &[R::SignatureValue]);
    // The default in so many words is the same key.
    let said = "<wsc:Label>WS-SecureConversationWS-SecureConversation</wsc:Label>";
    let same = replace(&message, nonce, &format!("{said}{nonce}"));
    let same = same.replacen("<wsc:Offset>0</wsc:Offset>", "<wsc:Generation>0</wsc:Generation>", 1);
    verify(&plans.recipient, &world().server, same.as_bytes()).unwrap();
}

#[test]
fn attack_tok_13_key_that_could_be_found_by_trying_is_refused_before_any_key_is_used() {
    let plans = derived();
    let message = sent(&plans);
    for length in ["0", "1", "8", "15", "129", "1025", "4294967296", "-1", "+24", " 24", "24.0", ""] {
        let short = replace(&message, "<wsc:Length>24<", &format!("<wsc:Length>{length}<"));
        let reject =
            refused(&plans.recipient, &world().server, &short, &[R::TokenDerivedKey, R::TokenMalformed]);
        assert_eq!(reject.context().private_operations(), 0, "{length}");
    }
    for (offset, generation) in [("1001", None), ("999999", None), ("", Some("42")), ("", Some("99999999"))] {
        let place = match generation {
            Some(generation) => format!("<wsc:Generation>{generation}</wsc:Generation>"),
            None => format!("<wsc:Offset>{offset}</wsc:Offset>"),
        };
        let far = message.replacen("<wsc:Offset>0</wsc:Offset>", &place, 1);
        let reject =
            refused(&plans.recipient, &world().server, &far, &[R::TokenDerivedKey, R::TokenMalformed]);
        assert_eq!(reject.context().private_operations(), 0);
    }
    // At the bound: another key, and no refusal of its shape.
    let last = message.replacen("<wsc:Offset>0<", "<wsc:Offset>1000<", 1);
    refused(&plans.recipient, &world().server, &last, &[R::SignatureValue]);
}

#[test]
fn attack_tok_13_token_of_another_shape_is_refused() {
    let plans = derived();
    let message = sent(&plans);
    let first = token(&message).to_owned();
    let inner = |mark: &str| cut(&first, &format!("<wsc:{mark}>"), &format!("</wsc:{mark}>")).to_owned();
    let reference = cut(&first, "<wsse:SecurityTokenReference", "</wsse:SecurityTokenReference>").to_owned();
    let changed = [
        first.replace(&inner("Nonce"), ""),
        first.replace(&inner("Nonce"), "<wsc:Nonce>AAAA</wsc:Nonce>"),
        first.replace(&inner("Nonce"), "<wsc:Nonce>!</wsc:Nonce>"),
        first.replace(&inner("Nonce"), &inner("Nonce").repeat(2)),
        first.replace(&inner("Offset"), &format!("{}<wsc:Generation>0</wsc:Generation>", inner("Offset"))),
        first.replace(&inner("Length"), &inner("Length").repeat(2)),
        first.replace(&inner("Length"), &format!("{}<wsc:Properties></wsc:Properties>", inner("Length"))),
        first.replace(&inner("Length"), &format!("x{}", inner("Length"))),
        first.replace(&inner("Length"), "<wsc:Length a=\"1\">24</wsc:Length>"),
        first.replace(
            &inner("Length"),
            &format!("<wsc:Label>{}</wsc:Label>{}", "l".repeat(257), inner("Length")),
        ),
        first.replace(&reference, ""),
        first.replace(&reference, &reference.repeat(2)),
        first.replacen("<wsc:DerivedKeyToken ", "<wsc:DerivedKeyToken Algorithm=\"urn:p_sha512\" ", 1),
        first.replacen("<wsc:DerivedKeyToken ", "<wsc:DerivedKeyToken a=\"1\" ", 1),
        // The other version's elements.
        first.replace(
            &inner("Length"),
            &inner("Length").replace(
                "<wsc:Length>",
                "<wsc:Length xmlns:wsc=\"http://schemas.xmlsoap.org/ws/2005/02/sc\">",
            ),
        ),
    ];
    for token in changed {
        let reject = refused(
            &plans.recipient,
            &world().server,
            &replace(&message, &first, &token),
            &[R::TokenMalformed],
        );
        assert_eq!(reject.context().private_operations(), 0, "{token}");
    }
}

#[test]
fn attack_tok_13_chains_loops_crowds_and_idle_tokens_are_refused() {
    let plans = derived();
    let message = sent(&plans);
    let first = token(&message).to_owned();
    let key = cut(&first, "URI=\"#", "\"").to_owned();
    let id = cut(&first, "wsu:Id=\"", "\"").trim_start_matches("wsu:Id=\"").trim_end_matches('"').to_owned();
    let value_type = cut(&first, "ValueType=\"", "\"").to_owned();
    let to_itself = first
        .replace(&key, &format!("URI=\"#{id}\""))
        .replace(
            &value_type,
            "ValueType=\"http://docs.oasis-open.org/ws-sx/ws-secureconversation/200512/dk\"",
        )
        .replace(cut(&first, " wsse11:TokenType=\"", "\""), "");
    let another = first.replace(&id, "d-another");
    let to_another = to_itself.replace(&format!("#{id}"), "#d-another");
    for (tokens, reason) in [
        (to_itself, R::TokenReferenceUnresolved),
        (format!("{another}{to_another}"), R::TokenReferenceUnresolved),
        (format!("{another}{first}"), R::EncryptionUnusedKey),
        (
            (0..20).map(|n| first.replace(&id, &format!("d-{n}"))).collect::<String>() + &first,
            R::MessageLimit,
        ),
    ] {
        refused(&plans.recipient, &world().server, &replace(&message, &first, &tokens), &[reason]);
    }
    // Sixteen may be there; those of no use are refused all the same.
    let crowd = (0..14).map(|n| first.replace(&id, &format!("d-{n}"))).collect::<String>() + &first;
    refused(&plans.recipient, &world().server, &replace(&message, &first, &crowd), &[R::EncryptionUnusedKey]);
    // A token elsewhere is none of the header's.
    let elsewhere = replace(&message, &first, "");
    let elsewhere = replace(
        &elsewhere,
        "</soap:Header>",
        &format!("<h:h xmlns:h=\"urn:h\" xmlns:wsse=\"{WSSE}\">{first}</h:h></soap:Header>"),
    );
    let reasons = [R::TokenReferenceUnresolved, R::MessageDuplicateId];
    refused(&plans.recipient, &world().server, &elsewhere, &reasons);
}

#[test]
fn attack_reply_under_the_secret_of_another_exchange_is_refused() {
    for plans in [builder("Basic256").build().unwrap(), derived()] {
        let (_, first) = exchange(&plans);
        let (second, _) = exchange(&plans);
        let answer = reply(&plans, &first);
        let verdict = verify_reply(&plans.initiator, &world().client, answer.message.bytes(), &second.sent);
        assert_eq!(verdict.unwrap_err().reason(), R::TokenReferenceUnresolved);
        // Without a request there is no secret that it could be under.
        let alone = plans
            .initiator
            .verify(read(answer.message.bytes()).unwrap(), &Env::new(&world().client, now(), &SystemRandom));
        assert_eq!(alone.unwrap_err().reason(), R::TokenReferenceUnresolved);
    }
}

#[test]
fn attack_reply_under_a_secret_of_the_senders_own_is_refused() {
    for plans in [builder("Basic256").build().unwrap(), derived()] {
        let (request, _) = exchange(&plans);
        // Anybody has the client's certificate: what is sent to it under a fresh secret is nobody's reply.
        let stranger = fixture::keys("server-ec", Some("client"));
        let forged = secure(&plans.initiator, &stranger, draft());
        let verdict = verify_reply(&plans.initiator, &world().client, forged.message.bytes(), &request.sent);
        assert_eq!(verdict.unwrap_err().reason(), R::SignatureSigner);
    }
}

/// The request as a reply to itself: its keys named by SHA-1, its EncryptedKey taken out.
fn reflected(message: &str) -> String {
    let key = cut(message, "<xenc:EncryptedKey", "</xenc:EncryptedKey>");
    let id = cut(key, "Id=\"", "\"").trim_start_matches("Id=\"").trim_end_matches('"');
    let value = cut(key, "<xenc:CipherValue>", "</xenc:CipherValue>");
    let value = value.trim_start_matches("<xenc:CipherValue>").trim_end_matches("</xenc:CipherValue>");
    let sha1 = digest(DigestAlg::Sha1, &base64::decode(value).unwrap());
    let kind = "http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1#EncryptedKey";
    let identifier = format!(
        "<wsse:KeyIdentifier ValueType=\"{kind}SHA1\">{}</wsse:KeyIdentifier>",
        base64::encode(sha1.as_ref())
    );
    let direct = format!("<wsse:Reference URI=\"#{id}\" ValueType=\"{kind}\"></wsse:Reference>");
    assert!(message.contains(&direct));
    message.replace(key, "").replace(&direct, &identifier)
}

#[test]
fn attack_our_own_request_is_no_reply_to_itself() {
    for plans in [builder("Basic256").build().unwrap(), derived(), signed_only()] {
        let (request, _) = exchange(&plans);
        let sent = String::from_utf8(request.message.bytes().to_vec()).unwrap();
        let verdict =
            verify_reply(&plans.initiator, &world().client, reflected(&sent).as_bytes(), &request.sent);
        let reject = verdict.unwrap_err();
        assert_eq!(reject.reason(), R::TokenNotPartner, "{reject}");
        assert!(matches!(reject.hint(), Hint::Signer(NotPartner::Ourselves(Side::Initiator))));
        assert_eq!(reject.wire(), Wire::FailedCheck);
    }
}

#[test]
fn attack_request_that_names_its_secret_by_sha1_is_refused() {
    for plans in [builder("Basic256").build().unwrap(), derived()] {
        let sent = sent(&plans);
        refused(&plans.recipient, &world().server, &reflected(&sent), &[R::TokenReferenceUnresolved]);
    }
}

#[test]
fn attack_key_that_cannot_be_unwrapped_verifies_nothing_not_even_what_was_made_for_that() {
    let plans = signed_only();
    let message = sent(&plans);
    let old = cut(&message, "<xenc:CipherValue>", "</xenc:CipherValue>");
    // What stands in for a key that cannot be unwrapped is made of its octets, so that everybody can compute it.
    let octets = vec![9_u8; 256];
    let stand_in = digest(DigestAlg::Sha512, &octets).as_ref()[..32].to_vec();
    let forged =
        replace(&message, old, &format!("<xenc:CipherValue>{}</xenc:CipherValue>", base64::encode(&octets)));
    let info = cut(&forged, "<ds:SignedInfo>", "</ds:SignedInfo>");
    let canonical = info.replacen("<ds:SignedInfo>", &format!("<ds:SignedInfo xmlns:ds=\"{DS}\">"), 1);
    let mac = SymmetricKey::new(stand_in).mac(SignatureAlg::HmacSha1, canonical.as_bytes()).unwrap();
    let value = cut(&forged, "<ds:SignatureValue>", "</ds:SignatureValue>").to_owned();
    let with = format!("<ds:SignatureValue>{}</ds:SignatureValue>", base64::encode(&mac));
    let reject =
        refused(&plans.recipient, &world().server, &replace(&forged, &value, &with), &[R::SignatureValue]);
    assert_eq!(reject.wire(), Wire::FailedCheck);
    assert_eq!(reject.context().private_operations(), 1);
    // The same with a sound key, so that the test would notice if its own MAC were wrong.
    let info = cut(&message, "<ds:SignedInfo>", "</ds:SignedInfo>");
    assert_eq!(info, cut(&forged, "<ds:SignedInfo>", "</ds:SignedInfo>"));
}

#[test]
fn attack_request_sent_again_in_other_words_is_a_replay() {
    let plans =
        builder("Basic256").derived(Dialect::V13).timestamp(TimestampRule::default()).build().unwrap();
    let message = sent(&plans);
    let replay = MemoryReplay::default();
    let env = Env::new(&world().server, now(), &SystemRandom).with_replay(&replay);
    let verdict = |text: &str| plans.recipient.verify(read(text.as_bytes()).unwrap(), &env);
    verdict(&message).unwrap();
    let generation = message.replacen("<wsc:Offset>0</wsc:Offset>", "<wsc:Generation>0</wsc:Generation>", 1);
    let id = cut(&message, "<ds:Signature xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\" Id=\"", "\"");
    for again in [message.clone(), generation, replace(&message, id, &id.replace("Id=\"s-", "Id=\"z-"))] {
        assert_eq!(verdict(&again).unwrap_err().reason(), R::Replay);
    }
    // Another message under another secret is none, and neither is one that is wrong: it claims nothing.
    verdict(&sent(&plans)).unwrap();
}

#[test]
fn attack_plan_gets_the_kind_of_key_that_it_demands() {
    let whole = builder("Basic256").build().unwrap();
    let keys = derived();
    refused(&keys.recipient, &world().server, &sent(&whole), &[R::TokenDerivedKey]);
    refused(&whole.recipient, &world().server, &sent(&keys), &[R::TokenDerivedKey]);
    let mut either = keys.recipient.inbound().clone();
    either.secret.as_mut().unwrap().derived = Presence::May;
    let either = Plan::new(Side::Recipient, either, keys.recipient.outbound().clone()).unwrap();
    for plans in [&whole, &keys] {
        verify(&either, &world().server, sent(plans).as_bytes()).unwrap();
    }
    let certificates = AsymmetricBuilder::new(suite::by_name("Basic256").unwrap()).sign(Part::Body);
    let certificates = certificates.encrypt(Part::Body).build().unwrap();
    refused(&certificates.recipient, &world().server, &sent(&whole), &[R::SignatureSigner]);
    let tokens = [R::TokenUnsupported];
    refused(&certificates.recipient, &world().server, &sent(&keys), &tokens);
    let reasons = [R::SignatureSigner, R::EncryptionReference];
    refused(&whole.recipient, &world().server, &sent(&certificates), &reasons);
}

#[test]
fn attack_one_octet_changed_in_the_encrypted_key_is_one_refusal() {
    let plans = derived();
    let message = sent(&plans);
    let value = cut(&message, "<xenc:CipherValue>", "</xenc:CipherValue>");
    let octets = base64::decode(
        value.trim_start_matches("<xenc:CipherValue>").trim_end_matches("</xenc:CipherValue>"),
    )
    .unwrap();
    for at in (0..octets.len()).step_by(17) {
        let mut other = octets.clone();
        other[at] ^= 4;
        let text = format!("<xenc:CipherValue>{}</xenc:CipherValue>", base64::encode(&other));
        let reject = refused(
            &plans.recipient,
            &world().server,
            &replace(&message, value, &text),
            &[R::SignatureValue],
        );
        assert_eq!(
            reject.context().decryptions(),
            0,
            "nothing is decrypted under a key that verified nothing"
        );
    }
}

#[test]
fn secret_of_another_length_than_the_suite_has_is_refused() {
    let plans = signed_only();
    let mut out = plans.initiator.outbound().clone();
    let Some(secret) = &mut out.secret else { panic!("a secret") };
    let SecretSource::Fresh { length, .. } = &mut secret.source else { panic!("a fresh one") };
    *length = 16;
    let short = Plan::new(Side::Initiator, plans.initiator.inbound().clone(), out).unwrap();
    let message = fixture::text(secure(&short, &world().client, draft()));
    let reject = refused(&plans.recipient, &world().server, &message, &[R::SignatureValue]);
    assert!(reject.detail().contains("32 octets") && reject.detail().contains("Rampart"), "{reject}");
    // The same words for a secret of the right length that is another one, and for what cannot be unwrapped at all.
    let other = sent(&plans);
    let value = |text: &str| cut(text, "<xenc:CipherValue>", "</xenc:CipherValue>").to_owned();
    let junk = format!("<xenc:CipherValue>{}</xenc:CipherValue>", base64::encode(&[9; 256]));
    for key in [value(&other), junk] {
        let wrong = replace(&message, &value(&message), &key);
        let wrong = refused(&plans.recipient, &world().server, &wrong, &[R::SignatureValue]);
        assert_eq!(wrong.to_string(), reject.to_string());
    }
    // Where no client is known that sends another length, nothing is said.
    let short = SymmetricBuilder::new(suite::by_name("Basic128").unwrap()).sign(Part::Body).anonymous();
    let short = short.build().unwrap();
    let (one, two) = (sent(&short), sent(&short));
    let mixed = replace(&one, &value(&one), &value(&two));
    let quiet = refused(&short.recipient, &world().server, &mixed, &[R::SignatureValue]);
    assert!(!quiet.detail().contains("Rampart"), "{quiet}");
}

#[test]
fn plan_that_uses_a_secret_that_it_has_not_is_no_plan() {
    let plans = builder("Basic256").build().unwrap();
    let mut out = plans.initiator.outbound().clone();
    out.secret = None;
    assert!(Plan::new(Side::Initiator, plans.initiator.inbound().clone(), out).is_err());
    let mut inbound = plans.recipient.inbound().clone();
    inbound.secret = None;
    assert_eq!(inbound.signed_by, SignedBy::Secret);
    assert!(Plan::new(Side::Recipient, inbound, plans.recipient.outbound().clone()).is_err());
    // One cipher's key is no other's.
    let mut other = plans.initiator.outbound().clone();
    let encrypt = other.encrypt.as_mut().unwrap();
    assert!(matches!(encrypt.key, KeyTransfer::Secret));
    encrypt.cipher = CipherAlg::Aes128Cbc;
    let other = Plan::new(Side::Initiator, plans.initiator.inbound().clone(), other).unwrap();
    let verdict = other.secure(draft(), &Env::new(&world().client, now(), &SystemRandom), None);
    assert!(matches!(verdict, Err(bartizan_wss::Error::WrongKey)));
}

/// A captured message's key and ciphertext beside a key and a signature of one's own: what is under the other key would be opened, and shown
/// or believed as the sender's.
#[test]
fn attack_enc_04_ciphertext_of_another_message_beside_a_signature_of_ones_own() {
    for order in [ProtectionOrder::EncryptBeforeSign, ProtectionOrder::SignBeforeEncrypt] {
        let plans = builder("Basic256Sha256").order(order).build().unwrap();
        let (ours, _) = exchange(&plans);
        let (theirs, _) = exchange(&plans);
        let (ours, theirs) = (fixture::text(ours), fixture::text(theirs));
        let key = cut(&theirs, "<xenc:EncryptedKey", "</xenc:EncryptedKey>");
        let own = cut(&ours, "<xenc:EncryptedKey", "</xenc:EncryptedKey>");
        let both = replace(&ours, own, &format!("{key}{own}"));
        refused(&plans.recipient, &world().server, &both, &[R::EncryptionUnexpected]);
    }
}
