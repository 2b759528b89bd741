//! XML Encryption (attack rows ENC-01 to ENC-25 as far as this layer is concerned).
//!
//! "Refused before any key is used" is shown by the counters of the evidence, never by time.

use bartizan_crypto::alg::{AlgSet, CipherAlg, KdfAlg};
use bartizan_crypto::base64;
use bartizan_crypto::random::{Random, SystemRandom};
use bartizan_soap::{Draft, ToFault, Version};
use bartizan_wss::plan::{EncryptTo, KeyTransfer, OutPlan, PlanPair, TimestampRule};
use bartizan_wss::{Env, MemoryReplay, Part, Plan, Reason as R, Reject, Side};

use crate::fixture::{self, benchmark, cut, ec_world, pair, read, refused, replace, secure, verify, world};

fn sealed(suite: &str) -> (PlanPair, String) {
    let pair = pair(benchmark(suite));
    let world = if suite == "modern-ec" { ec_world() } else { world() };
    let text = fixture::text(secure(&pair.initiator, &world.client, fixture::draft()));
    verify(&pair.recipient, &world.server, text.as_bytes()).expect("positive control");
    (pair, text)
}

/// Neither a private key nor a cipher was touched.
fn untouched(reject: &Reject) {
    assert_eq!(reject.context().private_operations(), 0, "{reject}");
    assert_eq!(reject.context().decryptions(), 0, "{reject}");
}

/// The text of the n-th CipherValue.
fn cipher_value(message: &str, n: usize) -> &str {
    message.split("<xenc:CipherValue>").nth(n + 1).unwrap().split('<').next().unwrap()
}

fn with_cipher(message: &str, n: usize, edit: impl FnOnce(&mut Vec<u8>)) -> String {
    let old = cipher_value(message, n);
    let mut octets = base64::decode(old).unwrap();
    edit(&mut octets);
    replace(message, &format!(">{old}<"), &format!(">{}<", base64::encode(&octets)))
}

fn wire(reject: &Reject) -> (Vec<u8>, u16) {
    let fault = reject.to_fault();
    (fault.to_draft(Version::Soap12).content().to_vec(), fault.http_status(Version::Soap12))
}

/// Every failure behind the choice of a key looks like this.
fn one_fault(message: &str, pair: &PlanPair, keys: &bartizan_keys::Keystore, reasons: &[R]) {
    let reject = refused(&pair.recipient, keys, message, reasons);
    let reference = bartizan_wss::Reject::new(R::EncryptionFailed);
    assert_eq!(wire(&reject), wire(&reference), "{reject}");
}

#[test]
fn attack_enc_01_cbc_as_an_oracle() {
    let (pair, message) = sealed("Basic256");
    let flips = (0..32).chain([200, 250]);
    for at in flips {
        for bit in [1, 0x10, 0x80] {
            let attack = with_cipher(&message, 1, |c| {
                let place = at.min(c.len() - 1);
                c[place] ^= bit;
            });
            one_fault(&attack, &pair, &world().server, &[R::EncryptionFailed, R::SignatureDigest]);
        }
    }
    for last in 0..=255_u8 {
        let attack = with_cipher(&message, 1, |c| {
            let place = c.len() - 17;
            c[place] ^= last;
        });
        if last != 0 {
            one_fault(&attack, &pair, &world().server, &[R::EncryptionFailed, R::SignatureDigest]);
        }
    }
    // A captured message buys one query: the second is refused before anything is decrypted.
    let replay = MemoryReplay::default();
    let env = Env::new(&world().server, fixture::now(), &SystemRandom).with_replay(&replay);
    let ask = |n: u8| {
        let attack = with_cipher(&message, 1, |c| c[0] ^= n);
        pair.recipient.verify(read(attack.as_bytes()).unwrap(), &env).unwrap_err()
    };
    assert_eq!(ask(1).context().decryptions(), 1);
    for n in 2..20 {
        let second = ask(n);
        assert_eq!(second.reason(), R::Replay);
        untouched(&second);
    }
    // A suite without CBC refuses the algorithm where it is read.
    let modern = fixture::pair(benchmark("modern-rsa"));
    untouched(&refused(
        &modern.recipient,
        &world().server,
        &message,
        &[R::SignatureAlgorithm, R::EncryptionAlgorithm],
    ));
}

/// The time `millis` from now, as a message writes it.
fn later(millis: i64) -> String {
    bartizan_keys::Time::from_millis(fixture::now().millis() + millis).to_rfc3339()
}

#[test]
fn attack_enc_01_a_claim_with_the_lifetime_of_a_rewritten_timestamp() {
    let pair = pair(benchmark("Basic256").timestamp(TimestampRule::default()));
    let message = fixture::text(secure(&pair.initiator, &world().client, fixture::draft()));
    let replay = MemoryReplay::default();
    let env = |millis: i64| {
        let now = bartizan_keys::Time::from_millis(fixture::now().millis() + millis);
        Env::new(&world().server, now, &SystemRandom).with_replay(&replay)
    };
    let ask =
        |text: &str, millis| pair.recipient.verify(read(text.as_bytes()).unwrap(), &env(millis)).map(drop);
    let (created, expires) =
        (cut(&message, "<wsu:Created>", "</wsu:Created>"), cut(&message, "<wsu:Expires>", "</wsu:Expires>"));
    // SignedInfo stays, the lifetime ends in 50 ms, and the ciphertext is other each time.
    for n in 1..6_u8 {
        let attack = with_cipher(&message, 1, |c| c[0] ^= n);
        let attack = replace(&attack, created, &format!("<wsu:Created>{}</wsu:Created>", later(-359_950)));
        let attack = replace(&attack, expires, &format!("<wsu:Expires>{}</wsu:Expires>", later(-59_950)));
        let reject = ask(&attack, i64::from(n) * 100).unwrap_err();
        assert_eq!(reject.reason(), R::SignatureDigest);
        untouched(&reject);
        // Beside the Timestamp that was signed, which is moved away, or under another Id.
        let stamp = cut(&attack, "<wsu:Timestamp", "</wsu:Timestamp>");
        let id = cut(stamp, "wsu:Id=\"", "\"");
        let renamed = replace(&attack, stamp, &stamp.replace(id, "wsu:Id=\"fresh\""));
        let reject = ask(&renamed, i64::from(n) * 100).unwrap_err();
        assert_eq!(reject.reason(), R::CoverageTimestampNotSigned);
        untouched(&reject);
    }
    // Nothing was burnt, and the genuine message is served once.
    ask(&message, 1000).expect("positive control");
    assert_eq!(ask(&message, 2000).unwrap_err().reason(), R::Replay);
}

#[test]
fn attack_enc_01_a_rewritten_timestamp_that_the_plan_does_not_ask_for() {
    // The sender signs a Timestamp all the same.
    let sender = pair(benchmark("Basic256").timestamp(TimestampRule::default()));
    let mut inbound = sender.recipient.inbound().clone();
    inbound.timestamp = None;
    inbound.required.retain(|r| r.part != Part::Timestamp);
    let receiver = Plan::new(Side::Recipient, inbound, OutPlan::plain()).unwrap();
    let message = fixture::text(secure(&sender.initiator, &world().client, fixture::draft()));
    verify(&receiver, &world().server, message.as_bytes()).expect("positive control");
    let expires = cut(&message, "<wsu:Expires>", "</wsu:Expires>");
    let created = cut(&message, "<wsu:Created>", "</wsu:Created>");
    let attack = replace(&message, created, &format!("<wsu:Created>{}</wsu:Created>", later(-359_950)));
    let attack = replace(&attack, expires, &format!("<wsu:Expires>{}</wsu:Expires>", later(50)));
    untouched(&refused(&receiver, &world().server, &attack, &[R::SignatureDigest]));
}

#[test]
fn attack_enc_01_cbc_that_no_signature_speaks_for() {
    // The sender encrypts the Body and signs only a header.
    let sound = pair(benchmark("Basic256"));
    let mut out = sound.initiator.outbound().clone();
    out.sign.as_mut().unwrap().parts = vec![Part::header("urn:h", "session")];
    let careless = Plan::new(Side::Initiator, sound.initiator.inbound().clone(), out).unwrap();
    let message = fixture::text(secure(&careless, &world().client, fixture::rich_draft(Version::Soap12)));
    let receiver = fixture::pair(benchmark("Basic256").understand("urn:h", "session"));
    untouched(&refused(&receiver.recipient, &world().server, &message, &[R::EncryptionUnprotected]));
}

/// A plan of the benchmark's shape with RSA 1.5, as the period had it.
fn rsa15() -> PlanPair {
    fixture::pair(benchmark("Basic256Rsa15"))
}

#[test]
fn attack_enc_02_rsa_15_as_an_oracle() {
    let period = rsa15();
    let message = fixture::text(secure(&period.initiator, &world().client, fixture::draft()));
    verify(&period.recipient, &world().server, message.as_bytes()).expect("positive control");
    // Not permitted: refused where it is read.
    let modern = fixture::pair(benchmark("Basic256"));
    untouched(&refused(&modern.recipient, &world().server, &message, &[R::EncryptionAlgorithm]));
    // Permitted: whatever the padding says, one failure, where bad ciphertext fails.
    for n in 0..64 {
        let attack = with_cipher(&message, 0, |c| {
            let place = n * 4 % c.len();
            c[place] ^= 1 + n as u8;
        });
        let reject = refused(&period.recipient, &world().server, &attack, &[R::EncryptionFailed]);
        assert_eq!((reject.context().private_operations(), reject.context().decryptions()), (1, 1));
    }
    for octets in [vec![0; 256], vec![0xFF; 256], vec![1; 255], vec![1; 257], vec![0], vec![1; 128]] {
        let attack = with_cipher(&message, 0, |c| *c = octets);
        one_fault(&attack, &period, &world().server, &[R::EncryptionFailed]);
    }
}

/// A message whose EncryptedKey holds `key`, made by an insider.
fn with_content_key(suite: &str, key: &[u8]) -> (PlanPair, String) {
    let (pair, message) = sealed(suite);
    let encrypt = pair.initiator.outbound().encrypt.clone().unwrap();
    let KeyTransfer::Transport { method, oaep } = &encrypt.key else { panic!("transport") };
    let wrapped =
        fixture::certificate("server").public_key().unwrap().encrypt_key(*method, oaep, key).unwrap();
    (pair, with_cipher(&message, 0, |c| *c = wrapped))
}

#[test]
fn attack_enc_03_content_key_of_the_wrong_size() {
    for suite in ["Basic256", "Basic256Rsa15", "modern-rsa"] {
        for len in [0, 1, 8, 16, 24, 31, 33, 64] {
            let (pair, attack) = with_content_key(suite, &vec![7; len]);
            one_fault(&attack, &pair, &world().server, &[R::EncryptionFailed]);
        }
    }
}

#[test]
fn attack_enc_04_encrypted_key_that_nothing_uses() {
    let (pair, message) = sealed("modern-rsa");
    let key = cut(&message, "<xenc:EncryptedKey", "</xenc:EncryptedKey>");
    let id = cut(key, " Id=\"", "\"");
    let list = cut(key, "<xenc:ReferenceList>", "</xenc:ReferenceList>");
    let idle = key.replacen(id, " Id=\"idle\"", 1).replacen(list, "", 1);
    for both in [format!("{idle}{key}"), format!("{key}{idle}")] {
        untouched(&refused(
            &pair.recipient,
            &world().server,
            &replace(&message, key, &both),
            &[R::EncryptionUnusedKey],
        ));
    }
    let no_list = replace(&message, list, "");
    untouched(&refused(&pair.recipient, &world().server, &no_list, &[R::EncryptionUnusedKey]));
}

#[test]
fn attack_enc_05_oaep_as_an_oracle() {
    for suite in ["Basic256", "modern-rsa"] {
        let (pair, message) = sealed(suite);
        for n in 0..32 {
            let attack = with_cipher(&message, 0, |c| {
                let place = n * 8 % c.len();
                c[place] ^= 0x55;
            });
            one_fault(&attack, &pair, &world().server, &[R::EncryptionFailed]);
        }
        for octets in [vec![0; 256], vec![0xFF; 256], vec![1; 255], vec![1; 257], vec![1]] {
            let attack = with_cipher(&message, 0, |c| *c = octets);
            one_fault(&attack, &pair, &world().server, &[R::EncryptionFailed]);
        }
    }
}

#[test]
fn attack_enc_06_oaep_parameters() {
    let (pair, message) = sealed("modern-rsa");
    let method = cut(&message, "<xenc:EncryptionMethod", "</xenc:EncryptionMethod>");
    let edits = [
        (
            "http://www.w3.org/2009/xmlenc11#mgf1sha256",
            "http://www.w3.org/2009/xmlenc11#mgf1sha9",
            &[R::EncryptionAlgorithm][..],
        ),
        (
            "http://www.w3.org/2009/xmlenc11#mgf1sha256",
            "http://www.w3.org/2009/xmlenc11#mgf1sha1",
            &[R::EncryptionAlgorithm],
        ),
        (
            "http://www.w3.org/2001/04/xmlenc#sha256",
            "http://www.w3.org/2000/09/xmldsig#sha1",
            &[R::EncryptionAlgorithm, R::EncryptionFailed],
        ),
        (
            "http://www.w3.org/2001/04/xmlenc#sha256",
            "http://www.w3.org/2001/04/xmldsig-more#md5",
            &[R::EncryptionAlgorithm, R::EncryptionMalformed],
        ),
        (
            "http://www.w3.org/2009/xmlenc11#rsa-oaep",
            "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p",
            &[R::EncryptionAlgorithm],
        ),
    ];
    for (from, to, reasons) in edits {
        let edited = replace(method, from, to);
        refused(&pair.recipient, &world().server, &replace(&message, method, &edited), reasons);
    }
    let label = format!("<xenc:OAEPparams>{}</xenc:OAEPparams>", base64::encode(&vec![1; 1 << 20]));
    let huge = method.replacen('>', &format!(">{label}"), 1);
    refused(
        &pair.recipient,
        &world().server,
        &replace(&message, method, &huge),
        &[R::EncryptionMalformed, R::MessageLimit],
    );
    let other = method.replacen('>', ">\n<xenc:OAEPparams>AQID</xenc:OAEPparams>", 1);
    one_fault(&replace(&message, method, &other), &pair, &world().server, &[R::EncryptionFailed]);
}

#[test]
fn attack_enc_07_ciphertext_relabelled() {
    let (pair, message) = sealed("modern-rsa");
    let gcm = "http://www.w3.org/2009/xmlenc11#aes256-gcm";
    for (label, reasons) in [
        ("http://www.w3.org/2001/04/xmlenc#aes256-cbc", &[R::EncryptionAlgorithm][..]),
        ("http://www.w3.org/2009/xmlenc11#aes128-gcm", &[R::EncryptionAlgorithm]),
        ("http://www.w3.org/2001/04/xmlenc#kw-aes256", &[R::EncryptionAlgorithm]),
        ("urn:nothing", &[R::EncryptionAlgorithm]),
    ] {
        untouched(&refused(&pair.recipient, &world().server, &replace(&message, gcm, label), reasons));
    }
    // Even where both are permitted a key opens only what carries its own label.
    let mut both = AlgSet::empty();
    both.insert(CipherAlg::Aes256Cbc);
    both.insert(CipherAlg::Aes128Gcm);
    let lenient = fixture::pair(benchmark("modern-rsa").also_accept(both));
    for label in ["http://www.w3.org/2001/04/xmlenc#aes256-cbc", "http://www.w3.org/2009/xmlenc11#aes128-gcm"]
    {
        one_fault(&replace(&message, gcm, label), &lenient, &world().server, &[R::EncryptionFailed]);
    }
}

#[test]
fn attack_enc_08_gcm_shortened() {
    let (pair, message) = sealed("modern-rsa");
    let whole = base64::decode(cipher_value(&message, 1)).unwrap();
    for len in 1..=28 {
        let attack = with_cipher(&message, 1, |c| c.truncate(len));
        one_fault(&attack, &pair, &world().server, &[R::EncryptionFailed]);
    }
    for cut_off in 1..=16 {
        let attack = with_cipher(&message, 1, |c| c.truncate(whole.len() - cut_off));
        one_fault(&attack, &pair, &world().server, &[R::EncryptionFailed]);
    }
    for skip in [1, 4, 12] {
        let attack = with_cipher(&message, 1, |c| drop(c.drain(..skip)));
        one_fault(&attack, &pair, &world().server, &[R::EncryptionFailed]);
    }
}

#[test]
fn attack_enc_10_key_wrap_tampered() {
    let (pair, message) = sealed("modern-ec");
    let wrapped = base64::decode(cipher_value(&message, 0)).unwrap();
    for bit in 0..wrapped.len() * 8 {
        let attack = with_cipher(&message, 0, |c| c[bit / 8] ^= 1 << (bit % 8));
        one_fault(&attack, &pair, &ec_world().server, &[R::EncryptionFailed]);
    }
    for len in [8, 12, 16, 24, 32, 48] {
        let attack = with_cipher(&message, 0, |c| c.resize(len, 0));
        one_fault(&attack, &pair, &ec_world().server, &[R::EncryptionFailed, R::EncryptionMalformed]);
    }
}

#[test]
fn attack_enc_11_encryption_wrapping() {
    let (pair, message) = sealed("modern-rsa");
    let data = cut(&message, "<xenc:EncryptedData", "</xenc:EncryptedData>");
    let list = cut(&message, "<xenc:ReferenceList>", "</xenc:ReferenceList>");
    let oracle = data.replacen(cut(data, " Id=\"", "\""), " Id=\"oracle\"", 1);
    let header = format!("<x:h xmlns:x=\"urn:x\">{oracle}</x:h></soap:Header>");
    // A decoy that no list names stays what it is; one that a list names has no place in the plan.
    let unlisted = replace(&message, "</soap:Header>", &header);
    let verified = verify(&pair.recipient, &world().server, unlisted.as_bytes()).unwrap();
    assert_eq!(verified.context().decryptions(), 1);
    let reference = "<xenc:DataReference URI=\"#oracle\"></xenc:DataReference></xenc:ReferenceList>";
    let listed = replace(&unlisted, list, &list.replacen("</xenc:ReferenceList>", reference, 1));
    untouched(&refused(&pair.recipient, &world().server, &listed, &[R::EncryptionUnexpected]));
    // In the Security header it is a decoy, listed or not.
    let inside = replace(&message, "</wsse:Security>", &format!("{oracle}</wsse:Security>"));
    untouched(&refused(&pair.recipient, &world().server, &inside, &[R::EncryptionReference]));
    let listed = replace(&inside, list, &list.replacen("</xenc:ReferenceList>", reference, 1));
    untouched(&refused(&pair.recipient, &world().server, &listed, &[R::EncryptionUnexpected]));
    // The genuine one moved away, with its Id or another.
    let moved = replace(
        &replace(&message, data, ""),
        "</soap:Header>",
        &format!("<x:h xmlns:x=\"urn:x\">{data}</x:h></soap:Header>"),
    );
    untouched(&refused(&pair.recipient, &world().server, &moved, &[R::EncryptionUnexpected]));
    let renamed = replace(&message, data, &oracle);
    untouched(&refused(&pair.recipient, &world().server, &renamed, &[R::EncryptionReference]));
    // A second copy in the Body beside the first.
    let both = replace(&message, data, &format!("{data}{oracle}"));
    refused(
        &pair.recipient,
        &world().server,
        &both,
        &[R::SignatureDigest, R::EncryptionReference, R::CoverageBodyNotEncrypted],
    );
}

#[test]
fn attack_enc_12_type_switched() {
    let (pair, message) = sealed("modern-rsa");
    let content = " Type=\"http://www.w3.org/2001/04/xmlenc#Content\"";
    for other in [
        "",
        " Type=\"urn:nothing\"",
        " Type=\"http://www.w3.org/2001/04/xmlenc#EncryptedKey\"",
        &format!("{content} MimeType=\"text/xml\""),
        &format!("{content} Encoding=\"http://www.w3.org/2000/09/xmldsig#base64\""),
    ] {
        untouched(&refused(
            &pair.recipient,
            &world().server,
            &replace(&message, content, other),
            &[R::EncryptionMalformed],
        ));
    }
    // One element as the whole content of the Body: both labels say the same (Rampart/C writes this one).
    let element = replace(&message, content, " Type=\"http://www.w3.org/2001/04/xmlenc#Element\"");
    verify(&pair.recipient, &world().server, element.as_bytes()).unwrap();
}

#[test]
fn attack_enc_13_encrypted_signature_where_the_plan_has_none() {
    let with = fixture::pair(benchmark("modern-rsa").encrypt(Part::Signature));
    let message = fixture::text(secure(&with.initiator, &world().client, fixture::draft()));
    verify(&with.recipient, &world().server, message.as_bytes()).expect("positive control");
    let without = fixture::pair(benchmark("modern-rsa"));
    untouched(&refused(&without.recipient, &world().server, &message, &[R::EncryptionUnexpected]));
    // And a clear one where it must be encrypted.
    let (_, clear) = sealed("modern-rsa");
    refused(&with.recipient, &world().server, &clear, &[R::CoverageSignatureNotEncrypted]);
}

#[test]
fn time_of_an_encrypted_signature_is_in_the_record_and_not_on_the_wire() {
    use bartizan_soap::ToFault as _;
    let rule = bartizan_wss::plan::TimestampRule::default();
    let pair = fixture::pair(benchmark("modern-rsa").timestamp(rule).encrypt(Part::Signature));
    let message = secure(&pair.initiator, &world().client, fixture::draft());
    for (time, reason) in
        [("2026-11-30T13:00:00Z", R::TimestampExpired), ("2026-11-30T11:00:00Z", R::TimestampFuture)]
    {
        let now = bartizan_keys::Time::parse_rfc3339(time).unwrap();
        let env = bartizan_wss::Env::new(&world().server, now, &bartizan_crypto::random::SystemRandom);
        let untrusted = fixture::read(message.message.bytes()).unwrap();
        let reject = pair.recipient.verify(untrusted, &env).unwrap_err();
        assert_eq!(reject.reason(), reason);
        assert_eq!(reject.to_fault().subcode().unwrap().local, "FailedCheck");
        assert_eq!(reject.wire(), bartizan_wss::Wire::FailedCheck);
    }
}

#[test]
fn attack_enc_14_very_many_encrypted_keys() {
    let (pair, message) = sealed("modern-rsa");
    let key = cut(&message, "<xenc:EncryptedKey", "</xenc:EncryptedKey>");
    let id = cut(key, " Id=\"", "\"");
    let data = cut(&message, "<xenc:EncryptedData", "</xenc:EncryptedData>");
    let many = |n: usize| {
        let (mut keys, mut pieces) = (String::new(), String::new());
        for i in 0..n {
            let reference = cut(key, "<xenc:DataReference", "</xenc:DataReference>");
            let own = format!("<xenc:DataReference URI=\"#d{i}\"></xenc:DataReference>");
            keys.push_str(&key.replacen(id, &format!(" Id=\"k{i}\""), 1).replacen(reference, &own, 1));
            let piece = data.replacen(cut(data, " Id=\"", "\""), &format!(" Id=\"d{i}\""), 1);
            pieces.push_str(&replace(&piece, cut(data, "URI=\"#", "\""), &format!("URI=\"#k{i}\"")));
        }
        replace(&replace(&message, key, &keys), data, &pieces)
    };
    untouched(&refused(&pair.recipient, &world().server, &many(9), &[R::MessageLimit, R::EncryptionTooMany]));
    untouched(&refused(
        &pair.recipient,
        &world().server,
        &many(500),
        &[R::MessageLimit, R::EncryptionTooMany],
    ));
    let some = refused(&pair.recipient, &world().server, &many(8), &[R::EncryptionTooMany]);
    assert_eq!(some.context().private_operations(), 4, "no more than four private-key operations a message");
}

#[test]
fn attack_enc_15_loops_of_keys_and_references() {
    let (pair, message) = sealed("modern-rsa");
    let key = cut(&message, "<xenc:EncryptedKey", "</xenc:EncryptedKey>");
    let id = cut(key, " Id=\"", "\"").trim().trim_start_matches("Id=\"").trim_end_matches('"').to_owned();
    let reference = cut(key, "<wsse:KeyIdentifier", "</wsse:KeyIdentifier>");
    let to_itself = replace(
        &message,
        key,
        &replace(key, reference, &format!("<wsse:Reference URI=\"#{id}\"></wsse:Reference>")),
    );
    untouched(&refused(&pair.recipient, &world().server, &to_itself, &[R::EncryptionNoKey]));
    let str_element = cut(key, "<wsse:SecurityTokenReference>", "</wsse:SecurityTokenReference>");
    let method = cut(key, "<xenc:EncryptionMethod", "</xenc:EncryptionMethod>");
    let mut nested = str_element.to_owned();
    for _ in 0..5 {
        nested = format!(
            "<xenc:EncryptedKey>{method}<ds:KeyInfo>{nested}</ds:KeyInfo><xenc:CipherData><xenc:CipherValue>AAAA</xenc:CipherValue></xenc:CipherData></xenc:EncryptedKey>"
        );
        let attack = replace(&message, key, &replace(key, str_element, &nested));
        let reasons = [R::TokenReferenceMalformed, R::EncryptionTooMany, R::EncryptionMalformed];
        untouched(&refused(&pair.recipient, &world().server, &attack, &reasons));
    }
    for item in [
        format!("<ds:RetrievalMethod URI=\"#{id}\"/>"),
        format!("<d:KeyInfoReference xmlns:d=\"http://www.w3.org/2009/xmldsig11#\" URI=\"#{id}\"/>"),
        "<ds:RetrievalMethod URI=\"http://127.0.0.1:1/key\"/>".to_owned(),
    ] {
        let attack = replace(&message, key, &replace(key, str_element, &item));
        untouched(&refused(
            &pair.recipient,
            &world().server,
            &attack,
            &[R::TokenUnsupported, R::EncryptionReference],
        ));
    }
}

#[test]
fn attack_enc_16_reference_lists() {
    let (pair, message) = sealed("modern-rsa");
    let reference = cut(&message, "<xenc:DataReference", "</xenc:DataReference>");
    let body_id = cut(&message, "wsu:Id=\"b-", "\"").trim_start_matches("wsu:Id=\"").trim_end_matches('"');
    let to = |uri: &str| format!("<xenc:DataReference URI=\"{uri}\"></xenc:DataReference>");
    for list in [
        to("#none"),
        format!("{reference}{reference}"),
        format!("{reference}{}", to("#none")),
        to(&format!("#{body_id}")),
        to("http://127.0.0.1:1/"),
        to(""),
        "<xenc:KeyReference URI=\"#x\"></xenc:KeyReference>".to_owned(),
        String::new(),
    ] {
        let attack = replace(&message, reference, &list);
        untouched(&refused(
            &pair.recipient,
            &world().server,
            &attack,
            &[R::EncryptionReference, R::EncryptionMalformed, R::EncryptionUnusedKey],
        ));
    }
    let mut long = String::new();
    for i in 0..20_000 {
        long.push_str(&to(&format!("#n{i}")));
    }
    let attack = replace(&message, reference, &long);
    untouched(&refused(
        &pair.recipient,
        &world().server,
        &attack,
        &[R::EncryptionReference, R::EncryptionMalformed, R::MessageLimit],
    ));
    let alone = replace(
        &message,
        "</xenc:EncryptedKey>",
        &format!(
            "</xenc:EncryptedKey><xenc:ReferenceList xmlns:xenc=\"http://www.w3.org/2001/04/xmlenc#\">{reference}</xenc:ReferenceList>"
        ),
    );
    untouched(&refused(&pair.recipient, &world().server, &alone, &[R::EncryptionReference]));
}

#[test]
fn attack_enc_17_ciphertext_within_ciphertext() {
    let pair = fixture::pair(benchmark("modern-rsa"));
    let inner = "<xenc:EncryptedData xmlns:xenc=\"http://www.w3.org/2001/04/xmlenc#\" Id=\"in\"></xenc:EncryptedData>";
    let message = fixture::text(secure(
        &pair.initiator,
        &world().client,
        Draft::new(Version::Soap12).with_body(inner.into()),
    ));
    let reject = refused(&pair.recipient, &world().server, &message, &[R::EncryptionTooMany]);
    assert_eq!(reject.context().decryptions(), 1);
}

#[test]
fn attack_enc_18_cipher_reference() {
    let (pair, message) = sealed("modern-rsa");
    let value = format!("<xenc:CipherValue>{}</xenc:CipherValue>", cipher_value(&message, 1));
    for uri in ["http://127.0.0.1:1/data", "#body", "file:///etc/passwd"] {
        let attack = replace(
            &message,
            &value,
            &format!("<xenc:CipherReference URI=\"{uri}\"></xenc:CipherReference>"),
        );
        untouched(&refused(&pair.recipient, &world().server, &attack, &[R::EncryptionReference]));
    }
}

#[test]
fn attack_enc_19_plaintext_that_is_no_fragment() {
    let pair = fixture::pair(benchmark("Basic256"));
    let deep = format!("{}{}", "<a>".repeat(70), "</a>".repeat(70));
    for plaintext in [
        "<!DOCTYPE a [<!ENTITY x \"y\">]><a></a>",
        "<?xml version=\"1.0\"?><a></a>",
        "\u{feff}<a></a>",
        "<a></a></soap:Body>",
        "<a>",
        "</a>",
        "<p:a></p:a>",
        "<a>\0</a>",
        "<a b=\"1\" b=\"2\"></a>",
        "<a>&undeclared;</a>",
        &deep,
    ] {
        let draft = Draft::new(Version::Soap12).with_body(plaintext.into());
        let message = fixture::text(secure(&pair.initiator, &world().client, draft));
        one_fault(&message, &pair, &world().server, &[R::EncryptionFailed]);
    }
}

#[test]
fn attack_enc_20_unknown_recipient_looks_like_bad_ciphertext() {
    let pair = fixture::pair(benchmark("modern-rsa"));
    for peer in ["client2", "expired", "client"] {
        let client = fixture::keys("client", Some(peer));
        let message = fixture::text(secure(&pair.initiator, &client, fixture::draft()));
        one_fault(&message, &pair, &world().server, &[R::EncryptionNoKey]);
    }
}

#[test]
fn attack_enc_21_faults_tell_nothing() {
    let (pair, message) = sealed("Basic256");
    let secrets =
        ["test me", "greetRequest", "client", "server", "padding", "digest", "key", "Demo", "openssl", "aws"];
    let attacks = [
        with_cipher(&message, 0, |c| c[0] ^= 1),
        with_cipher(&message, 1, |c| c[0] ^= 1),
        replace(
            &message,
            cut(&message, "<ds:DigestValue>", "<"),
            "<ds:DigestValue>AAAAAAAAAAAAAAAAAAAAAAAAAAA=<",
        ),
        replace(
            &message,
            "<wsse:BinarySecurityToken",
            "<wsse:Unknown></wsse:Unknown><wsse:BinarySecurityToken",
        ),
    ];
    let mut faults = std::collections::HashSet::new();
    for attack in attacks {
        let reject = verify(&pair.recipient, &world().server, attack.as_bytes()).unwrap_err();
        let (octets, status) = wire(&reject);
        let text = String::from_utf8(octets).unwrap();
        for secret in secrets {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
        faults.insert((text, status));
    }
    assert_eq!(faults.len(), 1, "one fault for all: {faults:?}");
}

#[test]
fn attack_enc_23_points_off_the_curve_and_odd_parameters() {
    let (pair, message) = sealed("modern-ec");
    let point = cut(&message, "<dsig11:PublicKey>", "</dsig11:PublicKey>");
    let octets = base64::decode(
        point.trim_start_matches("<dsig11:PublicKey>").trim_end_matches("</dsig11:PublicKey>"),
    )
    .unwrap();
    let mut points: Vec<Vec<u8>> =
        vec![vec![0], vec![4; 65], vec![0; 65], octets[..33].to_vec(), octets[..64].to_vec()];
    let mut off = octets.clone();
    off[64] ^= 1;
    points.push(off);
    let mut compressed = octets[..33].to_vec();
    compressed[0] = 2;
    points.push(compressed);
    for bad in points {
        let attack = replace(
            &message,
            point,
            &format!("<dsig11:PublicKey>{}</dsig11:PublicKey>", base64::encode(&bad)),
        );
        let reasons = [R::TokenMalformed, R::EncryptionFailed, R::EncryptionMalformed];
        let reject = refused(&pair.recipient, &ec_world().server, &attack, &reasons);
        assert_eq!(wire(&reject), wire(&Reject::new(R::EncryptionFailed)));
    }
    let curve = "urn:oid:1.2.840.10045.3.1.7";
    refused(
        &pair.recipient,
        &ec_world().server,
        &replace(&message, &format!("NamedCurve URI=\"{curve}\""), "NamedCurve URI=\"urn:oid:1.3.132.0.34\""),
        &[R::TokenMalformed, R::EncryptionFailed, R::EncryptionMalformed],
    );
    for (from, to) in [
        ("AlgorithmID=\"0000\"", "AlgorithmID=\"0100\""),
        ("AlgorithmID=\"0000\"", "AlgorithmID=\"zz\""),
        ("PartyUInfo=\"\"", "PartyUInfo=\"0001\""),
    ] {
        refused(
            &pair.recipient,
            &ec_world().server,
            &replace(&message, from, to),
            &[R::EncryptionMalformed, R::EncryptionFailed],
        );
    }
}

#[test]
fn attack_enc_reply_is_encrypted_to_whoever_signed_the_request() {
    // The configured peer is the client; a second client signs. The answer must not go to the first one's key.
    let pair = fixture::pair(benchmark("modern-rsa"));
    assert_eq!(pair.recipient.outbound().encrypt.as_ref().unwrap().to, EncryptTo::Requester);
    let second = fixture::keys("client2", Some("server"));
    let request = secure(&pair.initiator, &second, fixture::draft());
    let verified = verify(&pair.recipient, &world().server, request.message.bytes()).unwrap();
    let env = Env::new(&world().server, fixture::now(), &SystemRandom);
    let reply =
        fixture::text(pair.recipient.secure(fixture::draft(), &env, Some(verified.request_facts())).unwrap());
    fixture::verify_reply(&pair.initiator, &second, reply.as_bytes(), &request.sent).unwrap();
    let other =
        fixture::verify_reply(&pair.initiator, &world().client, reply.as_bytes(), &request.sent).unwrap_err();
    assert_eq!(other.reason(), R::EncryptionNoKey);
}

#[test]
fn plan_that_only_encrypts_needs_the_word_open() {
    let pair = fixture::pair(benchmark("modern-rsa"));
    let mut inbound = pair.recipient.inbound().clone();
    inbound.required.retain_mut(|r| {
        r.signed = bartizan_wss::Need::No;
        true
    });
    assert!(Plan::new(Side::Recipient, inbound.clone(), OutPlan::plain()).is_err());
    inbound.open = true;
    let open = Plan::new(Side::Recipient, inbound, OutPlan::plain()).unwrap();
    let (_, signed) = sealed("modern-rsa");
    // A signature that nobody asked for is refused even there.
    refused(&open, &world().server, &signed, &[R::SignatureUnexpected]);
}

#[test]
fn attack_enc_24_key_derivation_with_absurd_parameters() {
    let (_, message) = sealed("modern-ec");
    let mut hkdf = AlgSet::empty();
    hkdf.insert(KdfAlg::Hkdf);
    let lenient = fixture::pair(benchmark("modern-ec").also_accept(hkdf));
    let derivation = cut(&message, "<xenc11:KeyDerivationMethod", "</xenc11:KeyDerivationMethod>");
    let more = "http://www.w3.org/2021/04/xmldsig-more#";
    let with = |length: &str| {
        let parameters = format!(
            "<m:HKDFParams xmlns:m=\"{more}\"><m:PRF Algorithm=\"http://www.w3.org/2001/04/xmldsig-more#hmac-sha256\"/><m:KeyLength>{length}</m:KeyLength></m:HKDFParams>"
        );
        let method = format!(
            "<x:KeyDerivationMethod xmlns:x=\"http://www.w3.org/2009/xmlenc11#\" Algorithm=\"{}\">{parameters}</x:KeyDerivationMethod>",
            KdfAlg::Hkdf.uri()
        );
        replace(&message, derivation, &method)
    };
    for length in ["0", "-1", "65", "2147483648", "99999999999", "x", ""] {
        untouched(&refused(&lenient.recipient, &ec_world().server, &with(length), &[R::EncryptionMalformed]));
    }
    one_fault(&with("32"), &lenient, &ec_world().server, &[R::EncryptionFailed]);
}

#[test]
fn attack_par_22_base64_that_is_not_strict() {
    let (pair, message) = sealed("modern-rsa");
    for (open, close) in [
        ("<xenc:CipherValue>", "</xenc:CipherValue>"),
        ("<ds:DigestValue>", "</ds:DigestValue>"),
        ("<ds:SignatureValue>", "</ds:SignatureValue>"),
    ] {
        let whole = cut(&message, open, close);
        let inner = whole.trim_start_matches(open).trim_end_matches(close);
        let unpadded = inner.trim_end_matches('=');
        let mut odd = vec![
            format!("{inner}="),
            format!("{inner}===="),
            format!("*{inner}"),
            format!("{inner}\u{a0}"),
            format!("<x/>{inner}"),
            "=".to_owned(),
        ];
        if unpadded.len() < inner.len() {
            odd.push(unpadded.to_owned());
            let (head, last) = unpadded.split_at(unpadded.len() - 1);
            // The last digit carries bits that must be zero.
            let next = char::from(last.as_bytes()[0] + 1);
            if next.is_ascii_alphanumeric() {
                odd.push(format!("{head}{next}{}", &inner[unpadded.len()..]));
            }
        }
        for text in odd {
            let attack = message.replacen(whole, &format!("{open}{text}{close}"), 1);
            refused(
                &pair.recipient,
                &world().server,
                &attack,
                &[R::EncryptionMalformed, R::SignatureMalformed],
            );
        }
    }
}

/// Chance that remembers what it gave.
#[derive(Default)]
struct Recorder(std::sync::Mutex<Vec<Vec<u8>>>);

impl Random for Recorder {
    fn fill(&self, buffer: &mut [u8]) {
        SystemRandom.fill(buffer);
        self.0.lock().unwrap().push(buffer.to_vec());
    }
}

#[test]
fn attack_enc_09_no_key_and_no_nonce_is_used_twice() {
    let plan = pair(benchmark("modern-rsa").encrypt(Part::Signature));
    let chance = Recorder::default();
    let env = Env::new(&world().client, fixture::now(), &chance);
    let mut nonces = Vec::new();
    for _ in 0..100 {
        let text = fixture::text(plan.initiator.secure(fixture::draft(), &env, None).unwrap());
        // The first is the wrapped key; every piece under it has a nonce of its own.
        assert_eq!(text.matches("<xenc:CipherValue>").count(), 3);
        nonces.extend((1..3).map(|n| base64::decode(cipher_value(&text, n)).unwrap()[..12].to_vec()));
    }
    let given = chance.0.into_inner().unwrap();
    let drawn = |len: usize| {
        let mut all: Vec<&Vec<u8>> = given.iter().filter(|octets| octets.len() == len).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    assert_eq!(drawn(32).len(), 100, "a fresh key for each message, straight from the generator");
    assert_eq!(drawn(12).len(), 200, "a fresh nonce for each piece");
    assert!(nonces.iter().all(|nonce| drawn(12).contains(&nonce)), "which is the one on the wire");
}
