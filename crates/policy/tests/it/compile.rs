//! Plans out of policies.

use bartizan_crypto::alg::{CipherAlg, DigestAlg, MgfAlg, SignatureAlg, TransportAlg};
use bartizan_crypto::suite;
use bartizan_policy::compile::{
    Accept, Addressing, Confirmation, Open, Profile, Protection, References, Sides,
};
use bartizan_policy::{Compiled, Diagnostic, Options, compile, read};
use bartizan_wss::AsymmetricBuilder;
use bartizan_wss::part::{EncryptHow, Need, Part};
use bartizan_wss::plan::{
    Breach, ConfirmationRule, DeriveKeys, Dialect, EncryptTo, Inclusion, KeyRef, KeyTransfer, Layout,
    PasswordForm, Plan, PlanPair, Presence, Protect, ProtectionOrder, SecretFrom, SecretRule, SecretSource,
    SignedBy, Targets, TokenSent,
};

pub(crate) const SP12: &str = "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702";
pub(crate) const SP11: &str = "http://schemas.xmlsoap.org/ws/2005/07/securitypolicy";
pub(crate) const WSP: &str = "http://www.w3.org/ns/ws-policy";

/// An asymmetric policy: what stands in its binding beside tokens and suite, and what stands beside the binding.
pub(crate) fn policy(suite: &str, in_binding: &str, beside: &str) -> String {
    format!(
        r#"<wsp:Policy xmlns:wsp="{WSP}" xmlns:sp="{SP12}"><sp:AsymmetricBinding><wsp:Policy>
{}{}<sp:AlgorithmSuite><wsp:Policy><sp:{suite}/></wsp:Policy></sp:AlgorithmSuite>{in_binding}
</wsp:Policy></sp:AsymmetricBinding>{beside}</wsp:Policy>"#,
        token("InitiatorToken", "AlwaysToRecipient", "<sp:RequireThumbprintReference/>"),
        token("RecipientToken", "Never", "<sp:RequireThumbprintReference/>"),
    )
}

pub(crate) fn token(holder: &str, include: &str, inside: &str) -> String {
    format!(
        r#"<sp:{holder}><wsp:Policy><sp:X509Token sp:IncludeToken="{SP12}/IncludeToken/{include}"><wsp:Policy>{inside}<sp:WssX509V3Token10/></wsp:Policy></sp:X509Token></wsp:Policy></sp:{holder}>
"#
    )
}

const BODY: &str =
    "<sp:SignedParts><sp:Body/></sp:SignedParts><sp:EncryptedParts><sp:Body/></sp:EncryptedParts>";
const SIGN_BODY: &str = "<sp:SignedParts><sp:Body/></sp:SignedParts>";

fn try_compile(xml: &str, options: &Options) -> Result<Compiled, Vec<Diagnostic>> {
    let policies = read(xml.as_bytes().to_vec(), "test.xml");
    compile(Sides::both(policies.nth(0).expect("a policy")), options)
}

fn plans(xml: &str) -> PlanPair {
    plans_with(xml, &Options::default())
}

fn plans_with(xml: &str, options: &Options) -> PlanPair {
    match try_compile(xml, options) {
        Ok(compiled) => compiled.plans,
        Err(problems) => panic!("{problems:#?}"),
    }
}

fn codes(xml: &str, options: &Options) -> Vec<&'static str> {
    try_compile(xml, options).expect_err("refused").iter().map(Diagnostic::code).collect()
}

fn need(plan: &Plan, part: &Part) -> (Need, Need) {
    let found = plan.inbound().required.iter().find(|require| require.part == *part);
    found.map_or((Need::No, Need::No), |require| (require.signed, require.encrypted))
}

#[test]
fn the_benchmark_policy_is_the_plan_that_is_built_by_hand() {
    let loaded = bartizan_policy::builtin::builtin("scenario:rampart-c").expect("built in");
    let compiled = loaded.only().expect("one").compile(&Options::default()).expect("compiles");
    let by_hand = AsymmetricBuilder::new(suite::by_name("Basic256").expect("known"))
        .sign(Part::Body)
        .encrypt(Part::Body)
        .confirmation()
        .build()
        .expect("a plan");
    assert_eq!(format!("{:#?}", compiled.plans), format!("{by_hand:#?}"));
    let codes: Vec<_> = compiled.diagnostics.iter().map(Diagnostic::code).collect();
    assert_eq!(codes, ["sp_policy", "sp_policy"]);
}

#[test]
fn the_request_of_the_benchmark_carries_what_it_is_known_to_carry() {
    let loaded = bartizan_policy::builtin::builtin("scenario:rampart-c").expect("built in");
    let plans = loaded.only().expect("one").plans(&Options::default()).expect("compiles");
    let request = plans.initiator.outbound();
    let sign = request.sign.as_ref().expect("signed");
    assert_eq!((sign.method, sign.digest), (SignatureAlg::RsaSha1, DigestAlg::Sha1));
    assert_eq!((sign.reference, sign.token), (KeyRef::Direct, TokenSent::X509));
    assert_eq!(sign.parts, [Part::Body]);
    let encrypt = request.encrypt.as_ref().expect("encrypted");
    assert_eq!(
        (encrypt.cipher, encrypt.reference, encrypt.to),
        (CipherAlg::Aes256Cbc, KeyRef::ThumbprintSha1, EncryptTo::Peer)
    );
    assert!(request.timestamp.is_none() && !request.confirmation);
    let reply = plans.recipient.outbound();
    let sign = reply.sign.as_ref().expect("signed");
    assert_eq!((sign.reference, sign.token), (KeyRef::ThumbprintSha1, TokenSent::No));
    assert_eq!(sign.parts, [Part::Body, Part::SignatureConfirmation]);
    assert_eq!(reply.encrypt.as_ref().expect("encrypted").to, EncryptTo::Requester);
    assert!(reply.confirmation);
    assert_eq!(plans.initiator.inbound().confirmation, ConfirmationRule::Demand);
    assert_eq!(plans.recipient.inbound().confirmation, ConfirmationRule::Ignore);
    assert_eq!(plans.recipient.inbound().header.targets, Targets::Whole);
}

#[test]
fn sha256_suites_change_the_digest_and_the_signature_only_where_told() {
    let xml = policy("Basic256Sha256", "", SIGN_BODY);
    let method = |options: &Options| {
        let plans = plans_with(&xml, options);
        let sign = plans.initiator.outbound().sign.clone().expect("signed");
        let accepted = plans.recipient.inbound().algorithms;
        (
            sign.method,
            sign.digest,
            accepted.permits(SignatureAlg::RsaSha1),
            accepted.permits(SignatureAlg::RsaSha256),
        )
    };
    let wcf = suite::SignatureReading::Wcf;
    assert_eq!(method(&Options::default()), (SignatureAlg::RsaSha1, DigestAlg::Sha256, true, false));
    let options = Options { reading: wcf, ..Options::default() };
    assert_eq!(method(&options), (SignatureAlg::RsaSha256, DigestAlg::Sha256, false, true));
    let options = Options { reading: wcf, accept: Accept::Either, ..Options::default() };
    assert_eq!(method(&options), (SignatureAlg::RsaSha256, DigestAlg::Sha256, true, true));
}

#[test]
fn cxf_gcm_suites_keep_sha1_and_say_their_mask_function() {
    let xml = |name: &str| {
        policy("Basic256", "", BODY).replace(
            "<sp:Basic256/>",
            &format!(r#"<c:{name} xmlns:c="http://cxf.apache.org/custom/security-policy"/>"#),
        )
    };
    let of = |name: &str| {
        let plans = plans(&xml(name));
        let request = plans.initiator.outbound();
        let (sign, encrypt) =
            (request.sign.clone().expect("signed"), request.encrypt.clone().expect("encrypted"));
        let KeyTransfer::Transport { method, oaep } = encrypt.key else { panic!("{name}: no transport") };
        (encrypt.cipher, sign.digest, method, format!("{oaep:?}"))
    };
    let plain = of("Basic192GCM");
    assert_eq!(
        (plain.0, plain.1, plain.2),
        (CipherAlg::Aes192Gcm, DigestAlg::Sha1, TransportAlg::RsaOaepMgf1p)
    );
    let mgf = of("Basic256GCMMGFSHA256");
    assert_eq!((mgf.0, mgf.1, mgf.2), (CipherAlg::Aes256Gcm, DigestAlg::Sha1, TransportAlg::RsaOaep));
    assert_ne!(mgf.3, of("Basic256GCMMGFSHA256Digest").3);
    let accepted = plans(&xml("Basic256GCMMGFSHA256")).recipient.inbound().algorithms;
    assert!(accepted.permits(MgfAlg::Mgf1Sha256) && !accepted.permits(CipherAlg::Aes256Cbc));
}

#[test]
fn a_token_that_is_sent_is_referred_to_directly_and_another_by_the_form_that_is_asked_for() {
    let with = |initiator: String, recipient: String, wss: &str| {
        let xml = policy("Basic128", "", &format!("{SIGN_BODY}{wss}"));
        let start = xml.find("<sp:InitiatorToken>").expect("there");
        let end = xml.find("<sp:AlgorithmSuite>").expect("there");
        plans(&format!("{}{initiator}{recipient}{}", &xml[..start], &xml[end..]))
    };
    let sign =
        |plan: &Plan| plan.outbound().sign.clone().map(|sign| (sign.reference, sign.token)).expect("signed");
    let wss = |inside: &str| format!("<sp:Wss11><wsp:Policy>{inside}</wsp:Policy></sp:Wss11>");
    // No word about references: what Wss says, in Rampart's order.
    let key_identifier = wss("<sp:MustSupportRefThumbprint/><sp:MustSupportRefKeyIdentifier/>");
    let pair =
        with(token("InitiatorToken", "Never", ""), token("RecipientToken", "Always", ""), &key_identifier);
    assert_eq!(sign(&pair.initiator), (KeyRef::SubjectKeyIdentifier, TokenSent::No));
    assert_eq!(sign(&pair.recipient), (KeyRef::Direct, TokenSent::X509));
    // Issuer and serial wins over thumbprint; silence everywhere is issuer and serial.
    let both = "<sp:RequireThumbprintReference/><sp:RequireIssuerSerialReference/>";
    let pair =
        with(token("InitiatorToken", "Never", both), token("RecipientToken", "AlwaysToRecipient", ""), "");
    assert_eq!(sign(&pair.initiator), (KeyRef::IssuerSerial, TokenSent::No));
    assert_eq!(sign(&pair.recipient), (KeyRef::IssuerSerial, TokenSent::No));
    // Embedded counts where the token is sent.
    let embedded = "<sp:RequireEmbeddedTokenReference/>";
    let pair =
        with(token("InitiatorToken", "Once", embedded), token("RecipientToken", "AlwaysToInitiator", ""), "");
    assert_eq!(sign(&pair.initiator), (KeyRef::Embedded, TokenSent::No));
    assert_eq!(sign(&pair.recipient), (KeyRef::Direct, TokenSent::X509));
}

#[test]
fn a_chain_is_sent_as_a_pkipath() {
    let xml = policy("Basic128", "", SIGN_BODY).replace("WssX509V3Token10", "WssX509PkiPathV1Token11");
    assert_eq!(plans(&xml).initiator.outbound().sign.clone().expect("signed").token, TokenSent::PkiPath);
}

#[test]
fn strict_references_demand_the_token_and_its_forms() {
    let options = Options { references: References::Strict, ..Options::default() };
    let pair = plans_with(&policy("Basic256", "", SIGN_BODY), &options);
    let request = &pair.recipient.inbound().token;
    assert_eq!(
        (request.inclusion, &request.reference[..]),
        (Inclusion::Must, &[KeyRef::ThumbprintSha1, KeyRef::Direct][..])
    );
    let reply = &pair.initiator.inbound().token;
    assert_eq!((reply.inclusion, &reply.reference[..]), (Inclusion::Any, &[KeyRef::ThumbprintSha1][..]));
    assert_eq!(plans(&policy("Basic256", "", SIGN_BODY)).recipient.inbound().token.reference, []);
}

#[test]
fn tokens_of_their_own_for_signature_and_encryption_are_kept_apart() {
    let tokens = format!(
        "{}{}{}{}",
        token("InitiatorSignatureToken", "AlwaysToRecipient", ""),
        token("InitiatorEncryptionToken", "Never", "<sp:RequireKeyIdentifierReference/>"),
        token("RecipientSignatureToken", "Never", "<sp:RequireThumbprintReference/>"),
        token("RecipientEncryptionToken", "Never", "<sp:RequireIssuerSerialReference/>")
    );
    let xml = policy("Basic256", "", BODY);
    let (start, end) =
        (xml.find("<sp:InitiatorToken>").expect("there"), xml.find("<sp:AlgorithmSuite>").expect("there"));
    let pair = plans(&format!("{}{tokens}{}", &xml[..start], &xml[end..]));
    let encrypt = |plan: &Plan| plan.outbound().encrypt.clone().expect("encrypted").reference;
    assert_eq!(encrypt(&pair.initiator), KeyRef::IssuerSerial);
    assert_eq!(encrypt(&pair.recipient), KeyRef::SubjectKeyIdentifier);
    assert_eq!(pair.recipient.outbound().sign.clone().expect("signed").reference, KeyRef::ThumbprintSha1);
    // Only what is needed must be there.
    let signing = tokens.split("<sp:InitiatorEncryptionToken>").next().expect("first").to_owned()
        + &token("RecipientSignatureToken", "Never", "");
    let only = |beside: &str| {
        let xml = policy("Basic256", "", beside);
        let (start, end) = (
            xml.find("<sp:InitiatorToken>").expect("there"),
            xml.find("<sp:AlgorithmSuite>").expect("there"),
        );
        format!("{}{signing}{}", &xml[..start], &xml[end..])
    };
    assert!(plans(&only(SIGN_BODY)).initiator.outbound().encrypt.is_none());
    assert_eq!(codes(&only(BODY), &Options::default()), ["incomplete"]);
}

#[test]
fn a_timestamp_is_demanded_signed_and_a_header_is_signed_if_it_is_there() {
    let beside = r#"<sp:SignedParts><sp:Body/><sp:Header Name="To" Namespace="urn:a"/><sp:Header Namespace="urn:b"/></sp:SignedParts>
<sp:RequiredParts><sp:Header Name="To" Namespace="urn:a"/></sp:RequiredParts>"#;
    let pair = plans(&policy("Basic256", "<sp:IncludeTimestamp/>", beside));
    let request = &pair.recipient;
    assert_eq!(need(request, &Part::Timestamp), (Need::Must, Need::No));
    assert_eq!(
        need(request, &Part::header("urn:a", "To")),
        (Need::Must, Need::No),
        "required, so it must be there"
    );
    assert_eq!(need(request, &Part::headers("urn:b")), (Need::IfPresent, Need::No));
    assert!(request.inbound().timestamp.is_some() && pair.initiator.outbound().timestamp.is_some());
    let parts = pair.initiator.outbound().sign.clone().expect("signed").parts;
    assert_eq!(parts, [Part::Body, Part::header("urn:a", "To"), Part::headers("urn:b"), Part::Timestamp]);
}

#[test]
fn elements_are_named_by_paths_of_the_subset_only() {
    let beside = |path: &str| {
        format!(
            r#"{SIGN_BODY}<sp:EncryptedElements><sp:XPath xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:a="urn:a">{path}</sp:XPath></sp:EncryptedElements>
<sp:ContentEncryptedElements><sp:XPath xmlns:a="urn:a">//a:card</sp:XPath></sp:ContentEncryptedElements>"#
        )
    };
    let pair = plans(&policy("Basic256", "", &beside("/s:Envelope/s:Body/a:order")));
    let encrypt = pair.initiator.outbound().encrypt.clone().expect("encrypted");
    let how: Vec<_> = encrypt.parts.iter().map(|part| (part.part.to_string(), part.how)).collect();
    assert_eq!(
        how,
        [
            ("element:/s:Envelope/s:Body/a:order".to_owned(), EncryptHow::Element),
            ("element://a:card".to_owned(), EncryptHow::Content)
        ]
    );
    let pair = plans(&policy("Basic256", "", &beside("s:Body/a:order")));
    let encrypt = pair.initiator.outbound().encrypt.clone().expect("encrypted");
    assert_eq!(encrypt.parts[0].part.to_string(), "element:/*/s:Body/a:order", "relative to the Envelope");
    assert_eq!(
        codes(&policy("Basic256", "", &beside("/s:Envelope/x:order")), &Options::default()),
        ["path_prefix"]
    );
    assert_eq!(codes(&policy("Basic256", "", &beside("//a:order[a:id = 7]")), &Options::default()), ["path"]);
}

#[test]
fn an_empty_signed_parts_is_the_body_and_every_header() {
    let pair = plans(&policy("Basic256", "", "<sp:SignedParts/>"));
    assert_eq!(pair.initiator.outbound().sign.clone().expect("signed").parts, [Part::Body, Part::Headers]);
    assert_eq!(need(&pair.recipient, &Part::Headers), (Need::IfPresent, Need::No));
}

#[test]
fn a_path_to_a_whole_part_is_that_part() {
    let signed = |path: &str| {
        let beside = format!(
            r#"<sp:SignedElements xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:a="urn:a"><sp:XPath>/s:Envelope/s:Body</sp:XPath><sp:XPath>{path}</sp:XPath></sp:SignedElements>"#
        );
        let pair = plans(&policy("Basic256", "", &beside));
        let parts = pair.initiator.outbound().sign.clone().expect("signed").parts;
        assert_eq!(parts[0], Part::Body);
        parts[1].to_string()
    };
    assert_eq!(signed("/s:Envelope/s:Header/a:id"), "header:{urn:a}id");
    assert_eq!(signed("s:Header/a:id"), "header:{urn:a}id");
    assert_eq!(signed("/*/s:Header/a:id"), "header:{urn:a}id");
    for inner in [
        "/s:Envelope/s:Header/a:id/a:part",
        "//s:Header/a:id",
        "/s:Envelope/s:Header/a:id[1]",
        "/a:x/s:Header/a:id",
    ] {
        assert_eq!(signed(inner), format!("element:{inner}"));
    }
}

#[test]
fn order_layout_and_options_of_the_binding_reach_both_sides() {
    let inside = "<sp:Layout><wsp:Policy><sp:LaxTsLast/></wsp:Policy></sp:Layout><sp:EncryptBeforeSigning/><sp:ProtectTokens/>";
    let pair = plans(&policy("Basic256", inside, BODY));
    for plan in [&pair.initiator, &pair.recipient] {
        assert_eq!(plan.inbound().order, ProtectionOrder::EncryptBeforeSign);
        assert_eq!(plan.outbound().order, ProtectionOrder::EncryptBeforeSign);
        assert_eq!(plan.inbound().header.layout, Layout::LaxTimestampLast);
        assert_eq!(plan.outbound().layout, Layout::LaxTimestampLast);
        assert_eq!(plan.inbound().header.targets, Targets::Any);
        assert_eq!(plan.inbound().token.protect, Protect::Token);
    }
    assert!(pair.initiator.outbound().sign.clone().expect("signed").parts.contains(&Part::Token));
}

#[test]
fn an_encrypted_signature_is_demanded_and_said_to_be_weaker() {
    let compiled = try_compile(&policy("Basic256", "<sp:EncryptSignature/>", BODY), &Options::default())
        .expect("compiles");
    assert_eq!(need(&compiled.plans.recipient, &Part::Signature), (Need::No, Need::Must));
    assert!(compiled.diagnostics.iter().any(|found| found.code() == "decrypts_first"));
}

#[test]
fn a_policy_that_proves_nothing_needs_open_in_so_many_words() {
    let nothing = policy("Basic256", "", "");
    assert_eq!(codes(&nothing, &Options::default()), ["nothing_demanded", "nothing_demanded"]);
    let open = Options { open: Open::Said, ..Options::default() };
    let pair = plans_with(&nothing, &open);
    assert!(pair.recipient.inbound().open);
    assert_eq!(pair.recipient.inbound().open_parts, [Part::Body]);
    // A plan that demands something is not open, whatever was said.
    let pair = plans_with(&policy("Basic256", "", SIGN_BODY), &open);
    assert!(!pair.recipient.inbound().open && pair.recipient.inbound().open_parts.is_empty());
}

#[test]
fn cbc_that_no_signature_covers_needs_open_and_gcm_does_not() {
    let beside = "<sp:EncryptedParts><sp:Body/></sp:EncryptedParts>";
    let stamped = |suite: &str| policy(suite, "<sp:IncludeTimestamp/>", beside);
    assert_eq!(codes(&stamped("Basic256"), &Options::default()), ["unsigned_cbc", "unsigned_cbc"]);
    let gcm = stamped("Basic256").replace(
        "<sp:Basic256/>",
        r#"<c:Basic256GCM xmlns:c="http://cxf.apache.org/custom/security-policy"/>"#,
    );
    assert!(try_compile(&gcm, &Options::default()).is_ok());
    let open = plans_with(&stamped("Basic256"), &Options { open: Open::Said, ..Options::default() });
    assert!(open.recipient.inbound().open, "what the processor asks before it opens such a message");
    let gcm = plans_with(&gcm, &Options { open: Open::Said, ..Options::default() });
    assert!(!gcm.recipient.inbound().open);
}

#[test]
fn the_legacy_profile_takes_a_bare_timestamp_only_when_open() {
    let xml = policy("Basic256Rsa15", "<sp:IncludeTimestamp/>", "");
    let legacy = |open| Options { profile: Profile::RampartCLegacy, open, ..Options::default() };
    assert_eq!(codes(&xml, &legacy(Open::Refused)), ["nothing_demanded", "nothing_demanded"]);
    let pair = plans_with(&xml, &legacy(Open::Said));
    let request = pair.recipient.inbound();
    assert!(request.timestamp.is_some() && request.open);
    assert_eq!(request.header.breach, Breach::Warn);
    assert!(pair.initiator.outbound().sign.is_none());
}

#[test]
fn a_confirmation_can_be_waived_aloud() {
    let wss = "<sp:Wss11><wsp:Policy><sp:RequireSignatureConfirmation/></wsp:Policy></sp:Wss11>";
    let options = Options { confirmation: Confirmation::Waived, ..Options::default() };
    let pair = plans_with(&policy("Basic256", "", &format!("{SIGN_BODY}{wss}")), &options);
    assert_eq!(pair.initiator.inbound().confirmation, ConfirmationRule::Warn);
    assert!(pair.recipient.outbound().confirmation, "we send it nevertheless");
}

#[test]
fn every_alternative_that_can_be_used_is_accepted_and_the_first_is_sent() {
    let stamp = r#"<sp:IncludeTimestamp wsp:Optional="true"/>"#;
    let compiled = try_compile(&policy("Basic256", stamp, BODY), &Options::default()).expect("usable");
    let count = |plan: &Plan| plan.alternatives().count();
    // The second of the normal form, which has the Timestamp, before the one without.
    assert_eq!(compiled.accepted, [1, 0]);
    assert_eq!((count(&compiled.plans.recipient), count(&compiled.plans.initiator)), (2, 1));
    let stamped: Vec<bool> =
        compiled.plans.recipient.alternatives().map(|(inbound, _)| inbound.timestamp.is_some()).collect();
    assert_eq!(stamped.iter().filter(|s| **s).count(), 1, "with and without");
    for (inbound, outbound) in compiled.plans.recipient.alternatives() {
        assert_eq!(inbound.timestamp.is_some(), outbound.timestamp.is_some(), "answered in kind");
    }
    // One policy for the request, another for the reply: the initiator takes what either of the reply's allows.
    let (one, two) = (policy("Basic256", "", BODY), policy("Basic256", stamp, BODY));
    let (one, two) = (read(one.into_bytes(), "one.xml"), read(two.into_bytes(), "two.xml"));
    let sides = Sides {
        request: Protection::Policy(one.nth(0).expect("one")),
        reply: Protection::Policy(two.nth(0).expect("two")),
    };
    let compiled = compile(sides, &Options::default()).expect("usable");
    assert_eq!((count(&compiled.plans.recipient), count(&compiled.plans.initiator)), (1, 2));
}

#[test]
fn limit_of_alternatives_is_kept_and_said() {
    let one = |n: usize| {
        let whole = policy(
            "Basic256",
            "",
            &format!(r#"<sp:SignedParts><sp:Body/><sp:Header Namespace="urn:{n}"/></sp:SignedParts>"#),
        );
        let start = whole.find("<sp:AsymmetricBinding>").expect("there");
        format!("<wsp:All>{}</wsp:All>", &whole[start..whole.len() - "</wsp:Policy>".len()])
    };
    let of = |count: usize| {
        let all: String = (0..count).map(one).collect();
        let xml = format!(
            r#"<wsp:Policy xmlns:wsp="{WSP}" xmlns:sp="{SP12}"><wsp:ExactlyOne>{all}</wsp:ExactlyOne></wsp:Policy>"#
        );
        let compiled = try_compile(&xml, &Options::default()).expect("usable");
        let said = compiled.diagnostics.iter().any(|d| d.code() == "alternatives_left");
        (compiled.plans.recipient.alternatives().count(), said)
    };
    assert_eq!(of(16), (16, false));
    assert_eq!(of(17), (16, true));
}

#[test]
fn confirmation_is_hidden_where_the_request_hides_its_signature() {
    let wss = "<sp:Wss11><wsp:Policy><sp:RequireSignatureConfirmation/></wsp:Policy></sp:Wss11>";
    let hides = |binding: &str| {
        let plans = plans(&policy("Basic256", binding, &format!("{BODY}{wss}")));
        let sent = plans.recipient.outbound().encrypt.as_ref().expect("encrypts");
        let sent = sent.parts.iter().any(|p| p.part == Part::SignatureConfirmation);
        let request = &plans.recipient.inbound().required;
        assert!(request.iter().all(|r| r.part != Part::SignatureConfirmation));
        sent
    };
    assert!(hides("<sp:EncryptSignature/>"));
    assert!(!hides(""));
}

#[test]
fn an_alternative_with_a_foreign_assertion_is_passed_over_if_another_serves() {
    let whole = policy("Basic256", "", SIGN_BODY);
    let start = whole.find("<sp:AsymmetricBinding>").expect("there");
    let inner = &whole[start..whole.len() - "</wsp:Policy>".len()];
    let head = &whole[..start];
    let foreign = r#"<f:Secret xmlns:f="urn:foreign"/>"#;
    let either = format!(
        "{head}<wsp:ExactlyOne><wsp:All>{inner}{foreign}</wsp:All><wsp:All>{inner}</wsp:All></wsp:ExactlyOne></wsp:Policy>"
    );
    assert_eq!(try_compile(&either, &Options::default()).expect("the second").alternative, Some(1));
    let only = format!("{head}{inner}{foreign}</wsp:Policy>");
    assert_eq!(codes(&only, &Options::default()), ["foreign_assertion"]);
    let ignore = Options { ignore: vec!["urn:foreign".into()], ..Options::default() };
    assert_eq!(try_compile(&only, &ignore).expect("ignored").alternative, Some(0));
    assert_eq!(try_compile(&either, &ignore).expect("the first").alternative, Some(0));
    // Deep inside as well.
    let deep = format!("{head}{inner}</wsp:Policy>").replacen("<sp:WssX509V3Token10/>", foreign, 1);
    assert_eq!(codes(&deep, &Options::default()), ["foreign_assertion"]);
    let ignorable = only.replace("<f:Secret ", r#"<f:Secret wsp:Ignorable="true" "#);
    assert!(try_compile(&ignorable, &Options::default()).is_ok());
}

#[test]
fn what_is_not_built_is_named_with_its_place_and_never_dropped() {
    let cases = [
        (
            "<sp:SignedSupportingTokens><wsp:Policy><sp:KerberosToken/></wsp:Policy></sp:SignedSupportingTokens>",
            "KerberosToken",
        ),
        (
            "<sp:SignedSupportingTokens><wsp:Policy><sp:X509Token/></wsp:Policy></sp:SignedSupportingTokens>",
            "SignedSupportingTokens",
        ),
        ("<sp:SignedParts><sp:Attachments/></sp:SignedParts>", "Attachments"),
    ];
    for (assertion, name) in cases {
        let problems =
            try_compile(&policy("Basic256", "", &format!("{SIGN_BODY}\n{assertion}")), &Options::default());
        let problems = problems.expect_err("not built");
        let codes: Vec<_> = problems.iter().map(Diagnostic::code).collect();
        assert_eq!(codes, ["not_compiled"], "{name}");
        assert!(problems[0].message().contains(name), "{}", problems[0]);
        assert_eq!(problems[0].position.expect("a place").line, 6, "{name}");
    }
    let symmetric = policy("Basic256", "", BODY).replace("AsymmetricBinding", "SymmetricBinding");
    let symmetric =
        symmetric.replace("InitiatorToken", "ProtectionToken").replace("RecipientToken", "SignatureToken");
    assert_eq!(codes(&symmetric, &Options::default()), ["contradiction", "nothing_demanded"]);
    let issuer = policy("Basic256", "", BODY).replacen(
        "IncludeToken/Never\">",
        "IncludeToken/Never\"><sp:IssuerName>urn:ca</sp:IssuerName>",
        1,
    );
    assert_eq!(codes(&issuer, &Options::default()), ["not_compiled"], "who issued the certificate");
    let inclusive = policy("Basic256/><sp:InclusiveC14N", "", BODY);
    assert_eq!(codes(&inclusive, &Options::default()), ["not_compiled"]);
    let derived = policy("Basic256", "", BODY).replace("<sp:WssX509V3Token10/>", "<sp:RequireDerivedKeys/>");
    assert_eq!(codes(&derived, &Options::default()), ["not_compiled", "not_compiled"]);
}

#[test]
fn signed_elements_outweigh_whole_parts_only_and_it_is_said() {
    let beside = format!(
        r#"{SIGN_BODY}<sp:SignedElements xmlns:a="urn:a"><sp:XPath>//a:order</sp:XPath></sp:SignedElements>"#
    );
    let xml = policy("Basic256", "<sp:OnlySignEntireHeadersAndBody/>", &beside);
    let compiled = try_compile(&xml, &Options::default()).expect("compiles");
    assert_eq!(compiled.plans.recipient.inbound().header.targets, Targets::Any);
    let said: Vec<_> = compiled.diagnostics.iter().map(|found| (found.code(), found.is_error())).collect();
    assert_eq!(said, [("contradiction", false)]);
}

#[test]
fn contradictions_are_errors() {
    let two =
        policy("Basic256", "<sp:Layout><wsp:Policy><sp:Strict/><sp:Lax/></wsp:Policy></sp:Layout>", BODY);
    assert_eq!(codes(&two, &Options::default()), ["contradiction"]);
    let two = policy("Basic256/><sp:Basic128", "", BODY);
    assert_eq!(codes(&two, &Options::default()), ["contradiction"]);
    let two = policy("Basic256", "<sp:EncryptBeforeSigning/><sp:SignBeforeEncrypting/>", BODY);
    assert_eq!(codes(&two, &Options::default()), ["contradiction"]);
    let none = policy("Basic256", "", BODY).replace("<sp:Basic256/>", "<sp:XPath10/>");
    assert_eq!(codes(&none, &Options::default()), ["incomplete"]);
}

#[test]
fn sides_may_differ_and_one_may_be_open() {
    let signed = read(policy("Basic256", "", SIGN_BODY).into_bytes(), "a.xml");
    let both = read(policy("Basic256", "", BODY).into_bytes(), "b.xml");
    let (signed, both) = (signed.nth(0).expect("one"), both.nth(0).expect("one"));
    let sides = Sides { request: Protection::Policy(both), reply: Protection::Policy(signed) };
    let pair = compile(sides, &Options::default()).expect("compiles").plans;
    assert!(pair.initiator.outbound().encrypt.is_some() && pair.recipient.outbound().encrypt.is_none());
    let sides = Sides { request: Protection::Policy(both), reply: Protection::Open };
    let pair = compile(sides, &Options::default()).expect("compiles").plans;
    assert!(
        pair.recipient.outbound().is_plain()
            && pair.initiator.inbound().open
            && !pair.recipient.inbound().open
    );
}

#[test]
fn addressing_assertions_say_which_headers_to_send() {
    let with = |assertion: &str| {
        let xml = policy("Basic256", "", &format!("{SIGN_BODY}{assertion}"));
        try_compile(&xml, &Options::default()).expect("compiles").addressing
    };
    assert_eq!(
        with(r#"<w:UsingAddressing xmlns:w="http://www.w3.org/2006/05/addressing/wsdl"/>"#),
        Some(Addressing::V2005)
    );
    assert_eq!(
        with(r#"<w:UsingAddressing xmlns:w="http://schemas.xmlsoap.org/ws/2004/08/addressing/policy"/>"#),
        Some(Addressing::V2004)
    );
    assert_eq!(
        with(
            r#"<w:Addressing xmlns:w="http://www.w3.org/2007/05/addressing/metadata"><wsp:Policy/></w:Addressing>"#
        ),
        Some(Addressing::V2005)
    );
    assert_eq!(with(""), None);
}

#[test]
fn a_protected_token_in_the_signature_s_own_key_info_is_a_contradiction() {
    let embedded = "<sp:RequireThumbprintReference/>";
    let xml = policy("Basic256", "<sp:ProtectTokens/>", SIGN_BODY);
    assert!(try_compile(&xml, &Options::default()).is_ok());
    let inside = xml.replacen(embedded, "<sp:RequireEmbeddedTokenReference/>", 1);
    assert_eq!(codes(&inside, &Options::default()), ["contradiction"]);
    // The reply's token is not sent, so that there is nothing to protect.
    let reply = xml.replace(embedded, "").replacen(
        "<sp:WssX509V3Token10/></wsp:Policy></sp:X509Token></wsp:Policy></sp:RecipientToken>",
        "<sp:RequireEmbeddedTokenReference/><sp:WssX509V3Token10/></wsp:Policy></sp:X509Token></wsp:Policy></sp:RecipientToken>",
        1,
    );
    assert!(try_compile(&reply, &Options::default()).is_ok());
}

#[test]
fn an_element_that_is_ciphertext_before_it_is_signed_needs_a_signed_body() {
    let beside = |body: &str| {
        let path = "/s:Envelope/s:Body/a:card";
        format!(
            r#"<sp:SignedParts>{body}<sp:Header Namespace="urn:a"/></sp:SignedParts><sp:EncryptedParts><sp:Body/></sp:EncryptedParts>
<sp:SignedElements><sp:XPath xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:a="urn:a">{path}</sp:XPath></sp:SignedElements>"#
        )
    };
    let first = |body: &str| {
        policy("Basic256GCM", "<sp:IncludeTimestamp/><sp:EncryptBeforeSigning/>", &beside(body)).replace(
            "<sp:Basic256GCM/>",
            r#"<c:Basic256GCM xmlns:c="http://cxf.apache.org/custom/security-policy"/>"#,
        )
    };
    assert!(try_compile(&first("<sp:Body/>"), &Options::default()).is_ok());
    assert_eq!(codes(&first(""), &Options::default())[0], "contradiction");
}

/// The normal form lists the absence first; what is offered is sent all the same, and is what a message with it is judged by.
#[test]
fn what_is_optional_is_tried_with_it_first() {
    let optional = r#"<sp:EncryptedParts wsp:Optional="true"><sp:Body/></sp:EncryptedParts>"#;
    let plans = plans(&policy("Basic256", "", &format!("{SIGN_BODY}{optional}")));
    assert!(plans.initiator.outbound().encrypt.is_some());
    let alternatives: Vec<bool> =
        plans.recipient.alternatives().map(|(inbound, _)| inbound.wants_encryption()).collect();
    assert_eq!(alternatives, [true, false]);
}

fn short(text: &str) -> Result<Compiled, Vec<Diagnostic>> {
    let loaded = bartizan_policy::load_short(text.as_bytes(), "test.toml");
    loaded.only().map_err(|d| vec![d])?.compile(&Options::default())
}

#[test]
fn a_signature_method_that_is_named_is_the_only_one_that_is_accepted() {
    let text = "[policy.p]\nsign = [\"body\"]\nsuite = \"Basic256Sha256\"\nsha256_signature = \"either\"\n\
        algorithms = { signature = \"rsa-sha512\" }\n";
    let accepted = short(text).expect("usable").plans.recipient.inbound().algorithms;
    let methods: Vec<SignatureAlg> =
        SignatureAlg::ALL.iter().copied().filter(|a| !a.is_mac() && accepted.permits(*a)).collect();
    assert_eq!(methods, [SignatureAlg::RsaSha512]);
}

#[test]
fn a_mac_is_no_signature_of_certificates() {
    let text = "[policy.p]\nsign = [\"body\"]\nalgorithms = { signature = \"hmac-sha256\" }\n";
    let codes: Vec<_> = short(text).expect_err("refused").iter().map(Diagnostic::code).collect();
    assert_eq!(codes, ["contradiction"]);
}

/// The symmetric form of [`policy`].
fn symmetric(in_token: &str, in_binding: &str, beside: &str) -> String {
    format!(
        r#"<wsp:Policy xmlns:wsp="{WSP}" xmlns:sp="{SP12}"><sp:SymmetricBinding><wsp:Policy>
{}<sp:AlgorithmSuite><wsp:Policy><sp:Basic256/></wsp:Policy></sp:AlgorithmSuite>{in_binding}
</wsp:Policy></sp:SymmetricBinding>{beside}</wsp:Policy>"#,
        token("ProtectionToken", "Never", &format!("{in_token}<sp:RequireThumbprintReference/>")),
    )
}

#[test]
fn symmetric_binding_compiles_to_a_secret_of_the_request() {
    let open = Options { open: Open::Said, ..Options::default() };
    let more = "<sp:IncludeTimestamp/><sp:EncryptSignature/>";
    let pair = plans_with(&symmetric("", more, BODY), &open);
    for (plan, from) in [(&pair.recipient, SecretFrom::Message), (&pair.initiator, SecretFrom::Request)] {
        let inbound = plan.inbound();
        assert_eq!(inbound.signed_by, SignedBy::Secret);
        assert_eq!(inbound.secret, Some(SecretRule { from, length: 32, derived: Presence::MustNot }));
        assert_eq!(inbound.open, from == SecretFrom::Message, "a secret that anybody can send names nobody");
        assert_eq!(inbound.lone_cipher, Breach::Refuse);
        let sign = plan.outbound().sign.as_ref().expect("signed");
        assert_eq!(
            (sign.by, sign.method, sign.token),
            (SignedBy::Secret, SignatureAlg::HmacSha1, TokenSent::No)
        );
        let encrypt = plan.outbound().encrypt.as_ref().expect("encrypted");
        assert!(matches!(encrypt.key, KeyTransfer::Secret));
        assert!(encrypt.parts.iter().any(|p| p.part == Part::Signature));
    }
    let source = |plan: &Plan| plan.outbound().secret.clone().expect("a secret").source;
    assert!(matches!(
        source(&pair.initiator),
        SecretSource::Fresh { length: 32, reference: KeyRef::ThumbprintSha1, .. }
    ));
    assert!(matches!(source(&pair.recipient), SecretSource::Request));
    assert_eq!(codes(&symmetric("", "", BODY), &Options::default()), ["nothing_demanded"]);
}

#[test]
fn symmetric_binding_with_a_user_needs_no_word_and_derives_keys_as_asked() {
    let user = format!(
        r#"<sp:SignedEncryptedSupportingTokens><wsp:Policy><sp:UsernameToken sp:IncludeToken="{SP12}/IncludeToken/AlwaysToRecipient"/></wsp:Policy></sp:SignedEncryptedSupportingTokens>"#
    );
    let xml = symmetric("<sp:RequireDerivedKeys/>", "", &format!("{BODY}{user}"));
    let pair = plans(&xml);
    assert!(!pair.recipient.inbound().open);
    assert!(pair.recipient.inbound().username.is_some());
    for (version, dialect) in [(SP12, Dialect::V13), (SP11, Dialect::V2005)] {
        let xml = symmetric("<sp:RequireDerivedKeys/>", "", BODY).replace(SP12, version);
        let pair = plans_with(&xml, &Options { open: Open::Said, ..Options::default() });
        assert_eq!(pair.recipient.inbound().secret.map(|s| s.derived), Some(Presence::Must));
        let derived = pair.initiator.outbound().secret.as_ref().and_then(|s| s.derived);
        assert_eq!(derived, Some(DeriveKeys { dialect, sign: 24, encrypt: 32 }), "{version}");
    }
}

#[test]
fn settings_of_rampart_inside_of_a_policy_keep_nothing_from_being_used_and_other_foreign_assertions_do() {
    let binding = include_str!("../../../../policies/rampart-c-benchmark.xml");
    let with = |namespace: &str| {
        let config = format!(
            "<r:RampartConfig xmlns:r=\"{namespace}\"><r:user>alice</r:user></r:RampartConfig></wsp:All>"
        );
        bartizan_policy::load(binding.replacen("</wsp:All>", &config, 1).into_bytes(), "policy.xml")
    };
    for known in ["http://ws.apache.org/rampart/policy", "http://ws.apache.org/rampart/c/policy"] {
        let loaded = with(known);
        let item = loaded.only().expect("one");
        item.compile(&Options::default()).expect("usable");
        let found = item.check(&Options::default());
        let said = found.iter().find(|one| one.code() == "foreign_assertion").expect("a warning");
        assert!(said.problem.to_string().contains("`RampartConfig` is not read"), "{}", said.problem);
        assert!(said.help().expect("help").contains("help actions"));
    }
    let other = with("urn:other");
    assert!(other.only().expect("one").compile(&Options::default()).is_err());
}

#[test]
fn the_profile_of_rampart_c_takes_its_tokens() {
    let token = "<sp:SignedSupportingTokens><wsp:Policy><sp:UsernameToken><wsp:Policy/></sp:UsernameToken></wsp:Policy></sp:SignedSupportingTokens>\
                 <sp:SignedParts><sp:Body/></sp:SignedParts>";
    let text = policy("Basic256", "", token);
    let rule = |profile| {
        let options = Options { profile, ..Options::default() };
        let loaded = bartizan_policy::load(text.clone().into_bytes(), "policy.xml");
        let plans = loaded.only().expect("one").plans(&options).expect("usable");
        plans.recipient.inbound().username.clone().expect("a token")
    };
    let (standard, legacy) = (rule(Profile::Standard), rule(Profile::RampartCLegacy));
    assert_eq!((standard.lenient, standard.passwords.as_slice()), (false, [PasswordForm::Text].as_slice()));
    assert!(legacy.lenient && legacy.passwords == [PasswordForm::Text, PasswordForm::Digest]);
}
