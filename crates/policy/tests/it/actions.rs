//! Action blocks: what they compile to, that every name does what the table says, and how they are refused.

use bartizan_policy::actions::{Fate, ROWS, Vocabulary};
use bartizan_policy::{Options, PlanPair, load};
use bartizan_wss::UsernameBuilder;
use bartizan_wss::part::{Need, Part};
use bartizan_wss::plan::{Breach, Derive, KeyRef, PasswordForm, ProtectionOrder, SignedBy, Style};

const WSSE: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";

/// The plans of a policy, or the codes of what is wrong with it.
fn compile(body: &str) -> Result<PlanPair, Vec<&'static str>> {
    let text = format!("[policy.x]\n{body}\n");
    let loaded = load(text.into_bytes(), "x.toml");
    let compiled = loaded.only().expect("one").compile(&Options::default());
    compiled.map(|compiled| compiled.plans).map_err(|all| all.iter().map(|one| one.code()).collect())
}

fn plans(body: &str) -> PlanPair {
    compile(body).unwrap_or_else(|problems| panic!("{body}: {problems:?}"))
}

/// The codes of everything that `policy check` says.
fn check(body: &str) -> Vec<&'static str> {
    let text = format!("[policy.x]\n{body}\n");
    let loaded = load(text.into_bytes(), "x.toml");
    let found = loaded.only().expect("one").check(&Options::default());
    assert!(found.iter().all(|one| one.position.is_some()), "{found:?}");
    found.iter().map(|one| one.code()).collect()
}

const TOKEN: &str = "actions = \"UsernameToken Timestamp\"\nopen = true\n";
const KEYED: &str = "actions = \"UsernameTokenSignature Timestamp\"\nopen = true\n";
const SIGNED: &str = "actions = \"Signature Encrypt Timestamp\"\nopen = true\n";

/// Each name that does something: a block, and two values (or the name left out) under which the plans differ.
const EFFECTS: &[(&str, &str, Option<&str>, &str)] = &[
    ("actions", "open = true\n", Some("\"UsernameToken\""), "\"UsernameToken Timestamp\""),
    ("defaults", SIGNED, None, "\"wss4j15\""),
    ("accept", SIGNED, Some("\"named\""), "\"period\""),
    (
        "interceptor",
        "securementActions = \"Signature\"\nvalidationActions = \"Timestamp\"\nopen = true\n",
        Some("\"server\""),
        "\"client\"",
    ),
    (
        "encryptionUser",
        "open = true\n[policy.x.reply]\nactions = \"Signature Encrypt\"\n",
        None,
        "\"partner\"",
    ),
    ("enableSignatureConfirmation", SIGNED, None, "true"),
    ("isBSPCompliant", TOKEN, None, "false"),
    (
        "addUTElements",
        "defaults = \"wss4j15\"\npasswordType = \"PasswordText\"\nactions = \"UsernameToken\"\n",
        None,
        "\"Nonce\"",
    ),
    ("addUsernameTokenNonce", TOKEN, None, "false"),
    ("addUsernameTokenCreated", TOKEN, None, "false"),
    ("handleCustomPasswordTypes", "actions = \"UsernameToken\"\npasswordType = \"urn:own\"\n", None, "true"),
    ("allowUsernameTokenNoPassword", TOKEN, None, "true"),
    (
        "useSingleCertificate",
        "actions = \"Signature\"\nsignatureKeyIdentifier = \"DirectReference\"\n",
        None,
        "false",
    ),
    ("precisionInMilliseconds", TOKEN, None, "false"),
    ("timestampStrict", TOKEN, None, "false"),
    ("requireTimestampExpires", TOKEN, None, "true"),
    (
        "requireSignedEncryptedDataElements",
        "actions = \"UsernameToken Encrypt\"\nencryptionSymAlgorithm = \"aes128-cbc\"\nopen = true\n",
        None,
        "true",
    ),
    ("allowRSA15KeyTransportAlgorithm", SIGNED, None, "true"),
    ("includeSignatureToken", SIGNED, None, "true"),
    ("passwordType", TOKEN, Some("\"PasswordText\""), "\"PasswordDigest\""),
    ("signatureKeyIdentifier", SIGNED, Some("\"SKIKeyIdentifier\""), "\"X509KeyIdentifier\""),
    ("signatureAlgorithm", SIGNED, None, "\"http://www.w3.org/2001/04/xmldsig-more#rsa-sha512\""),
    ("signatureDigestAlgorithm", SIGNED, None, "\"http://www.w3.org/2001/04/xmlenc#sha512\""),
    ("signatureC14nAlgorithm", SIGNED, None, "\"http://www.w3.org/TR/2001/REC-xml-c14n-20010315\""),
    ("signatureParts", SIGNED, None, "\"Body; {}{urn:app}order\""),
    ("optionalSignatureParts", SIGNED, None, "\"{}{urn:app}order\""),
    ("derivedKeyIterations", KEYED, None, "5000"),
    ("wseSecretKeyLength", "actions = \"UsernameTokenSignature\"\nuseDerivedKey = false\n", None, "20"),
    ("useDerivedKey", KEYED, None, "false"),
    ("encryptionKeyIdentifier", SIGNED, Some("\"IssuerSerial\""), "\"DirectReference\""),
    ("encryptionSymAlgorithm", SIGNED, None, "\"http://www.w3.org/2009/xmlenc11#aes128-gcm\""),
    ("encryptionKeyTransportAlgorithm", SIGNED, None, "\"http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p\""),
    ("encryptionDigestAlgorithm", SIGNED, None, "\"sha512\""),
    ("encryptionMGFAlgorithm", SIGNED, None, "\"mgf1-sha512\""),
    ("encryptionParts", SIGNED, None, "\"{Element}{urn:app}card\""),
    ("optionalEncryptionParts", SIGNED, None, "\"{Element}{urn:app}card\""),
    ("timeToLive", TOKEN, None, "60"),
    ("futureTimeToLive", TOKEN, None, "5"),
    ("utTimeToLive", TOKEN, None, "60"),
    ("utFutureTimeToLive", TOKEN, None, "5"),
];

#[test]
fn every_name_that_does_something_changes_the_plans() {
    let does: Vec<&str> = ROWS
        .iter()
        .copied()
        .flatten()
        .filter(|row| row.vocabulary != Vocabulary::Merlin && row.fate == Fate::Does)
        .map(|row| row.name)
        .collect();
    let tested: Vec<&str> = EFFECTS.iter().map(|(name, ..)| *name).collect();
    for name in &does {
        assert!(tested.contains(name), "`{name}` does something, and no test says what");
    }
    assert_eq!(does.len(), tested.len());
    for (name, block, without, with) in EFFECTS {
        let line = |value: &str| {
            // A key behind the table of a side belongs to that side.
            format!("{block}{name} = {value}\n")
        };
        let verdict = |body: &str| compile(body).map(|plans| format!("{plans:#?}"));
        let plain = verdict(&without.map_or_else(|| (*block).to_owned(), line));
        let changed = verdict(&line(with));
        assert_ne!(plain, changed, "`{name}` changes nothing");
        assert!(plain.is_ok() || changed.is_ok(), "`{name}`: {plain:?}, {changed:?}");
    }
}

#[test]
fn the_same_name_of_another_stack_makes_the_same_plan() {
    let same = ROWS.iter().copied().flatten().filter_map(|row| match row.fate {
        Fate::Same(of) => Some((row.name, of)),
        _ => None,
    });
    let mut tested = 0;
    for (name, of) in same {
        let Some((_, block, _, value)) = EFFECTS.iter().find(|(known, ..)| *known == of) else {
            panic!("`{name}` is the same as `{of}`, which no test knows");
        };
        let line = |name: &str| match of {
            "actions" => format!("open = true\n[policy.x.request]\n{name} = {value}\n"),
            _ => format!("{block}{name} = {value}\n"),
        };
        let (ours, theirs) = (compile(&line(of)), compile(&line(name)));
        assert_eq!(format!("{ours:?}"), format!("{theirs:?}"), "{name}");
        tested += 1;
    }
    assert!(tested > 20, "{tested}");
}

#[test]
fn names_that_are_refused_say_why_and_names_said_elsewhere_say_where() {
    for row in ROWS.iter().copied().flatten() {
        if !matches!(row.vocabulary, Vocabulary::Own | Vocabulary::Wss4j | Vocabulary::Spring) {
            continue;
        }
        let body = |value: &str| format!("{TOKEN}{} = \"{value}\"\n", row.name);
        match row.fate {
            Fate::Elsewhere(_) => {
                assert!(check(&body("anything")).contains(&"said_elsewhere"), "{}", row.name);
                assert!(compile(&body("anything")).is_ok(), "{}", row.name);
            }
            Fate::Refused { except, reason } => {
                assert_eq!(compile(&body("anything")).expect_err(row.name), ["refused_name"], "{}", row.name);
                assert!(!reason.is_empty());
                for value in except {
                    let (plain, said) = (plans(TOKEN), plans(&body(value)));
                    assert_eq!(format!("{plain:?}"), format!("{said:?}"), "{} = {value}", row.name);
                }
            }
            Fate::Does | Fate::Same(_) => {}
        }
    }
}

#[test]
fn the_page_of_names_is_what_the_table_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/actions.md");
    let page = bartizan_policy::actions::page();
    let written = std::fs::read_to_string(path).expect("docs/actions.md");
    assert!(written == page, "write docs/actions.md again: `bartizan help actions > docs/actions.md`");
}

#[test]
fn the_scenarios_have_the_plans_of_their_descriptions() {
    let pair = |name: &str| {
        let loaded = bartizan_policy::builtin::builtin(name).expect("built in");
        loaded.only().expect("one").plans(&Options::default()).expect("compiles")
    };
    for (name, keyed, hidden, profile) in [
        ("scenario:unt1", false, false, false),
        ("scenario:unt2a", true, false, false),
        ("scenario:unt2b", true, false, true),
        ("scenario:unt3", false, true, false),
        ("scenario:unt4a", true, true, false),
        ("scenario:unt4b", true, true, true),
    ] {
        let pair = pair(name);
        let (asked, sent) = (pair.recipient.inbound(), pair.initiator.outbound());
        let rule = asked.username.as_ref().expect("a token");
        let written = sent.username.as_ref().expect("a token");
        assert_eq!(sent.style, Style::Wss4j15, "{name}");
        assert_eq!(asked.signed_by == SignedBy::UsernameToken, keyed, "{name}");
        assert_eq!(
            sent.sign.as_ref().map(|sign| sign.by),
            keyed.then_some(SignedBy::UsernameToken),
            "{name}"
        );
        assert_eq!(asked.wants_encryption(), hidden, "{name}");
        assert_eq!(rule.passwords, if profile { vec![] } else { vec![PasswordForm::Text] }, "{name}");
        let derive = profile.then_some(Derive::Profile { iterations: 1000 });
        let derive = derive.or(keyed.then_some(Derive::Wse { length: 16 }));
        assert_eq!(written.derive, derive, "{name}");
        assert!(written.nonce && written.created && sent.timestamp.is_some(), "{name}");
        assert_eq!(asked.open_parts, [Part::Body], "{name}");
        assert!(!asked.open, "{name}: the token proves who sent it");
        // Only where no signature would show a change of the ciphertext.
        assert_eq!(asked.lone_cipher == Breach::Warn, hidden && !keyed, "{name}");
        let token = asked.required.iter().find(|one| one.part == Part::UsernameToken);
        assert_eq!(token.map_or(Need::No, |one| one.signed) == Need::Must, keyed, "{name}");
        assert_eq!(token.map_or(Need::No, |one| one.encrypted) == Need::Must, hidden, "{name}");
        assert!(pair.recipient.outbound().is_plain() && pair.initiator.inbound().open, "{name}");
    }
}

#[test]
fn a_receiver_lists_the_token_beside_the_signature_and_means_one() {
    let token = format!("signatureParts = \"{{Element}}{{{WSSE}}}UsernameToken\"\n");
    let sender = plans(&format!("{KEYED}{token}"));
    let receiver =
        plans(&format!("actions = \"UsernameTokenSignature UsernameToken Timestamp\"\nopen = true\n{token}"));
    assert_eq!(format!("{sender:?}"), format!("{receiver:?}"));
}

#[test]
fn an_action_block_makes_the_plan_that_the_short_form_makes() {
    let actions = plans(
        "[policy.x.request]\nactions = \"Signature Encrypt Timestamp\"\nsignatureKeyIdentifier = \"DirectReference\"\n\
         signatureParts = \"Body;{}{http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd}Timestamp\"\n\
         [policy.x.reply]\nactions = \"Signature Encrypt Timestamp\"\n\
         signatureParts = \"Body;{}{http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd}Timestamp\"\n",
    );
    let short = plans("layout = \"lax\"\n");
    for (one, other) in [(&actions.initiator, &short.initiator), (&actions.recipient, &short.recipient)] {
        let (mut ours, theirs) = (one.outbound().clone(), other.outbound().clone());
        ours.layout = theirs.layout;
        assert_eq!(format!("{ours:#?}"), format!("{theirs:#?}"));
        let (mut ours, theirs) = (one.inbound().clone(), other.inbound().clone());
        // A suite also names the wrap and the derivation of symmetric keys, which no action uses.
        assert_eq!(ours.algorithms.intersection(theirs.algorithms), ours.algorithms);
        ours.algorithms = theirs.algorithms;
        assert_eq!(format!("{ours:#?}"), format!("{theirs:#?}"));
    }
}

#[test]
fn the_order_of_the_actions_is_the_order_of_protection() {
    let first = plans("actions = \"Encrypt Signature\"\n");
    assert_eq!(first.recipient.inbound().order, ProtectionOrder::EncryptBeforeSign);
    let token = format!("encryptionParts = \"{{Element}}{{{WSSE}}}UsernameToken\"\nopen = true\n");
    assert!(compile(&format!("actions = \"UsernameToken Encrypt\"\n{token}")).is_ok());
    // What is not there yet cannot be encrypted.
    assert_eq!(
        compile(&format!("actions = \"Encrypt UsernameToken\"\n{token}")).expect_err("order"),
        ["contradiction"]
    );
}

#[test]
fn what_cannot_be_meant_is_refused_with_its_place() {
    for (body, code) in [
        ("actions = \"\"", "bad_value"),
        ("actions = \"UsernameTokn\"", "bad_value"),
        ("actions = \"SAMLTokenSigned\"", "refused_name"),
        ("actions = \"Timestamp Timestamp\"\nopen = true", "twice"),
        ("actions = \"NoSecurity Timestamp\"\nopen = true", "contradiction"),
        ("actions = \"NoSecurity\"", "nothing_demanded"),
        ("actions = \"Timestamp\"", "nothing_demanded"),
        ("actions = \"UsernameTokenNoPassword\"", "nothing_demanded"),
        ("actions = \"UsernameToken UsernameTokenNoPassword\"\nopen = true", "contradiction"),
        ("actions = \"UsernameTokenSignature Signature\"", "not_compiled"),
        ("actions = \"Signature\"\nsignatureParts = \"{Element}Body\"", "bad_value"),
        ("actions = \"Signature\"\nsignatureParts = \"{Some}{urn:a}b\"", "bad_value"),
        ("actions = \"Signature\"\nsignatureParts = \"Envelope\"", "bad_value"),
        ("actions = \"Signature\"\nsignatureParts = \"STRTransform\"", "not_compiled"),
        ("actions = \"Signature\"\nsignatureAlgorithm = \"hmac-sha1\"", "bad_value"),
        ("actions = \"UsernameTokenSignature\"\nsignatureAlgorithm = \"rsa-sha1\"", "bad_value"),
        ("actions = \"Signature\"\nsignatureKeyIdentifier = \"EmbeddedKeyName\"", "bad_value"),
        ("actions = \"UsernameToken\"\npasswordType = \"urn:own\"", "bad_value"),
        ("actions = \"UsernameToken\"\nuseDerivedKey = true", "contradiction"),
        ("actions = \"UsernameTokenSignature\"\nallowUsernameTokenNoPassword = true", "contradiction"),
        ("actions = \"UsernameTokenSignature\"\nderivedKeyIterations = 1", "bad_value"),
        ("actions = \"UsernameTokenSignature\"\nderivedKeyIterations = 1000000", "bad_value"),
        ("actions = \"UsernameToken\"\ntimeToLiv = 5", "unknown_key"),
        ("actions = \"UsernameToken\"\ntimeToLive = \"soon\"", "bad_value"),
        ("actions = \"UsernameToken\"\ntimestampStrict = \"perhaps\"", "bad_value"),
        ("actions = \"UsernameToken Encrypt\"\nencryptionSymAlgorithm = \"aes128-cbc\"", "unsigned_cbc"),
        ("open = true\n[policy.x.reply]\nactions = \"UsernameToken\"", "contradiction"),
        // An action that is named demands something.
        ("actions = \"Signature\"\nsignatureParts = \"Token\"", "contradiction"),
        ("actions = \"Signature\"\nsignatureParts = \"\"", "contradiction"),
        ("actions = \"Signature Encrypt\"\nencryptionParts = \"\"", "contradiction"),
        // What anybody may send is open in so many words only.
        ("[policy.x.reply]\nactions = \"Signature\"", "nothing_demanded"),
    ] {
        let says = compile(body).err().unwrap_or_default();
        // A switch of an action that is not there is read all the same only where it would be used.
        if body.contains("timestampStrict") || body.contains("timeToLive") {
            let with = body.replace("UsernameToken\"", "UsernameToken Timestamp\"");
            assert_eq!(compile(&with).expect_err("refused"), [code], "{with}");
            continue;
        }
        assert!(says.contains(&code), "{body}: {says:?}");
        assert!(check(body).contains(&code), "{body}: {:?}", check(body));
    }
}

#[test]
fn check_says_what_an_action_block_leaves_open() {
    let says = check("actions = \"UsernameToken\"\ndefaults = \"wss4j4\"\npasswordType = \"PasswordText\"\n");
    assert!(says.contains(&"body_open") && says.contains(&"unguarded_token"), "{says:?}");
    let signed = check("actions = \"UsernameTokenSignature\"\n");
    assert!(!signed.contains(&"body_open") && !signed.contains(&"unguarded_token"), "{signed:?}");
}

#[test]
fn an_interceptor_of_a_server_demands_of_the_request() {
    let block = "validationActions = \"UsernameToken Timestamp\"\nsecurementActions = \"Timestamp\"\n\
                 securementTimeToLive = 77\nvalidationTimeToLive = 88\nopen = true\n";
    let server = plans(block);
    assert!(server.recipient.inbound().username.is_some());
    assert_eq!(server.recipient.inbound().timestamp.expect("one").ttl.as_secs(), 88);
    assert_eq!(server.recipient.outbound().timestamp.expect("one").ttl.as_secs(), 77);
    let client = plans(
        &block
            .replace("UsernameToken Timestamp", "Timestamp")
            .replace("open", "interceptor = \"client\"\nopen"),
    );
    assert_eq!(client.initiator.outbound().timestamp.expect("one").ttl.as_secs(), 77);
    assert_eq!(client.initiator.inbound().timestamp.expect("one").ttl.as_secs(), 88);
    // Alone, what secures a request is a client's.
    let alone = plans("securementActions = \"UsernameToken\"\nopen = true\n");
    assert!(alone.initiator.outbound().username.is_some() && alone.recipient.outbound().is_plain());
}

#[test]
fn a_scenario_puts_on_what_the_builder_of_such_plans_puts_on() {
    let made = |builder: UsernameBuilder| builder.period().build().expect("plans");
    let new = UsernameBuilder::new;
    let profile = Derive::Profile { iterations: 1000 };
    let wse = Derive::Wse { length: 16 };
    let hidden = |builder: UsernameBuilder| builder.encrypt(KeyRef::IssuerSerial);
    for (name, theirs) in [
        ("unt1", made(new())),
        ("unt2a", made(new().sign(wse))),
        ("unt2b", made(new().sign(profile))),
        ("unt3", made(hidden(new()))),
        ("unt4a", made(hidden(new().sign(wse)))),
        ("unt4b", made(hidden(new().sign(profile)))),
    ] {
        let loaded = bartizan_policy::builtin::builtin(&format!("scenario:{name}")).expect("built in");
        let ours = loaded.only().expect("one").plans(&Options::default()).expect("compiles");
        let mut put_on = ours.initiator.outbound().clone();
        // A token with Salt carries no password whatever the plan says.
        let theirs_on = theirs.initiator.outbound();
        if let (Some(ours), Some(theirs)) = (&mut put_on.username, &theirs_on.username)
            && ours.derive == Some(profile)
        {
            ours.password = theirs.password.clone();
        }
        assert_eq!(format!("{put_on:#?}"), format!("{theirs_on:#?}"), "{name}");
        let (ours, theirs) = (ours.recipient.inbound(), theirs.recipient.inbound());
        assert_eq!(ours.required, theirs.required, "{name}");
        assert_eq!(ours.signed_by, theirs.signed_by, "{name}");
        assert_eq!(ours.header, theirs.header, "{name}");
        assert_eq!(ours.timestamp, theirs.timestamp, "{name}");
        assert_eq!(ours.username, theirs.username, "{name}");
    }
}
