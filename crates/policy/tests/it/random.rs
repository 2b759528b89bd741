//! Random policies: whatever compiles secures and verifies, both ways, with the Body as it was; and what is written of it compiles to the same plans.

use std::cell::Cell;

use bartizan_policy::compile::Sides;
use bartizan_policy::{Options, compile, load, read};
use bartizan_soap::{Block, Draft, Version};
use bartizan_wss::PlanPair;
use bartizan_xml::Limits;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::TestRunner;

use crate::compile::{SP12, WSP, token};
use crate::roundtrip::{elliptic_world, exchange_of, world};

const APP: &str = "urn:app";
const WSA: &str = "http://www.w3.org/2005/08/addressing";

/// The body that the policies' paths are about, with something random in it.
fn draft() -> impl Strategy<Value = String> {
    let text = "[ -%'-;=-~]{0,24}|[\u{a0}-\u{2fff}]{0,8}|\u{1f600}\r\n\t";
    let leaf = text.prop_map(|t| format!("<v>{}</v>", t.replace('\r', "&#13;")));
    let tree = leaf.prop_recursive(3, 12, 4, |inner| {
        (
            select(vec!["p", "soap", "wsu", "ds"]),
            select(vec!["urn:a", APP, ""]),
            prop::collection::vec(inner, 0..4),
        )
            .prop_map(|(prefix, uri, children)| match uri {
                "" => format!("<n xmlns='' a = '1'>{}<!-- c --><e/></n>", children.concat()),
                uri => format!("<{prefix}:n xmlns:{prefix}='{uri}'>{}</{prefix}:n >", children.concat()),
            })
    });
    tree.prop_map(|inner| format!("<e:echo xmlns:e='{APP}'><e:card>4711</e:card>{inner}</e:echo>"))
}

fn drafted(version: Version, payload: &str) -> Draft {
    let block = |ns: &str, local: &str| {
        Block::new(ns, local, format!("<x:{local} xmlns:x=\"{ns}\">urn:{local}</x:{local}>").into_bytes())
    };
    Draft::new(version)
        .with_block(block(WSA, "To"))
        .with_block(block(APP, "session"))
        .with_payload(payload.as_bytes().to_vec(), &Limits::default())
        .expect("well-formed")
}

const BODY: &str = "<sp:Body/>";
const SESSION: &str = r#"<sp:Header Name="session" Namespace="urn:app"/>"#;
const ADDRESSING: &str = r#"<sp:Header Namespace="http://www.w3.org/2005/08/addressing"/>"#;

/// What stands in a policy, in the order in which it is written.
#[derive(Clone, Debug)]
struct Words {
    old: bool,
    suites: Vec<&'static str>,
    includes: (&'static str, &'static str),
    references: (&'static str, &'static str),
    kind: &'static str,
    layout: &'static str,
    flags: Vec<&'static str>,
    wss: Vec<&'static str>,
    confirm: bool,
    signed: Vec<&'static str>,
    encrypted: Vec<&'static str>,
    element: Option<&'static str>,
    optional: bool,
}

fn words() -> impl Strategy<Value = Words> {
    let suites = select(vec![
        "Basic256",
        "Basic192",
        "Basic128",
        "TripleDes",
        "Basic256Rsa15",
        "TripleDesRsa15",
        "Basic256Sha256",
        "Basic192Sha256",
        "Basic128Sha256",
        "Basic256Sha256Rsa15",
        "Basic128Sha256Rsa15",
    ]);
    let include = || select(vec!["Never", "Once", "AlwaysToRecipient", "AlwaysToInitiator", "Always"]);
    let reference = || {
        select(vec![
            "",
            "<sp:RequireThumbprintReference/>",
            "<sp:RequireIssuerSerialReference/>",
            "<sp:RequireKeyIdentifierReference/>",
            "<sp:RequireEmbeddedTokenReference/>",
        ])
    };
    let flags = subsequence(
        vec![
            "IncludeTimestamp",
            "EncryptBeforeSigning",
            "EncryptSignature",
            "ProtectTokens",
            "OnlySignEntireHeadersAndBody",
        ],
        0..=5,
    );
    let wss = subsequence(
        vec!["MustSupportRefKeyIdentifier", "MustSupportRefIssuerSerial", "MustSupportRefThumbprint"],
        0..=3,
    );
    (
        (
            any::<bool>(),
            prop::collection::vec(suites, 1..3),
            (include(), include()),
            (reference(), reference()),
        ),
        (
            select(vec!["WssX509V3Token10", "WssX509V3Token11", "WssX509PkiPathV1Token10"]),
            select(vec!["", "Strict", "Lax", "LaxTsFirst", "LaxTsLast"]),
            flags,
        ),
        (wss, any::<bool>(), subsequence(vec![BODY, SESSION, ADDRESSING], 1..=3)),
        (
            subsequence(vec![BODY, SESSION], 0..=2),
            prop::option::of(select(vec!["SignedElements", "EncryptedElements", "ContentEncryptedElements"])),
            any::<bool>(),
        ),
    )
        .prop_map(
            |(
                (old, suites, includes, references),
                (kind, layout, flags),
                (wss, confirm, signed),
                (encrypted, element, optional),
            )| Words {
                old,
                suites,
                includes,
                references,
                kind,
                layout,
                flags,
                wss,
                confirm,
                signed,
                encrypted,
                element,
                optional,
            },
        )
}

impl Words {
    fn version(&self) -> Version {
        if self.old { Version::Soap11 } else { Version::Soap12 }
    }

    fn xml(&self) -> String {
        let flags: String = self.flags.iter().map(|flag| format!("<sp:{flag}/>")).collect();
        let suites: String = self.suites.iter().map(|suite| format!("<sp:{suite}/>")).collect();
        let layout = match self.layout {
            "" => String::new(),
            layout => format!("<sp:Layout><wsp:Policy><sp:{layout}/></wsp:Policy></sp:Layout>"),
        };
        let confirm = if self.confirm { "<sp:RequireSignatureConfirmation/>" } else { "" };
        let wss: String = self.wss.iter().map(|word| format!("<sp:{word}/>")).collect();
        let encrypted = match self.encrypted.concat() {
            none if none.is_empty() => none,
            parts => format!("<sp:EncryptedParts>{parts}</sp:EncryptedParts>"),
        };
        let element = self.element.map_or(String::new(), |kind| {
            let ns = self.version().namespace();
            format!("<sp:{kind}><sp:XPath xmlns:s='{ns}' xmlns:e='{APP}'>/s:Envelope/s:Body/e:echo/e:card</sp:XPath></sp:{kind}>")
        });
        let optional = if self.optional { r#" wsp:Optional="true""# } else { "" };
        format!(
            r#"<wsp:Policy xmlns:wsp="{WSP}" xmlns:sp="{SP12}"><sp:AsymmetricBinding><wsp:Policy>{}{}
<sp:AlgorithmSuite><wsp:Policy><wsp:ExactlyOne>{suites}</wsp:ExactlyOne></wsp:Policy></sp:AlgorithmSuite>{layout}{flags}
</wsp:Policy></sp:AsymmetricBinding><sp:Wss11><wsp:Policy>{wss}{confirm}</wsp:Policy></sp:Wss11>
<sp:SignedParts>{}</sp:SignedParts>{encrypted}{element}<sp:RequiredParts{optional}><sp:Header Name="To" Namespace="{WSA}"/></sp:RequiredParts></wsp:Policy>"#,
            token("InitiatorToken", self.includes.0, self.references.0)
                .replace("WssX509V3Token10", self.kind),
            token("RecipientToken", self.includes.1, self.references.1)
                .replace("WssX509V3Token10", self.kind),
            self.signed.concat(),
        )
    }
}

fn plans_of(xml: Vec<u8>) -> Option<(PlanPair, Vec<u8>)> {
    let policies = read(xml, "random.xml");
    let policy = policies.nth(0).ok()?;
    let compiled = compile(Sides::both(policy), &Options::default()).ok()?;
    Some((compiled.plans, policy.to_xml().expect("XML")))
}

/// The number of cases; as many are run as compile.
const CASES: u32 = 400;

fn runner() -> TestRunner {
    TestRunner::new(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })
}

#[test]
fn random_policy_that_compiles_secures_and_verifies_and_is_written_as_it_is_meant() {
    let compiled = Cell::new(0);
    runner()
        .run(&(words(), draft()), |(words, payload)| {
            let xml = words.xml();
            let Some((plans, written)) = plans_of(xml.clone().into_bytes()) else { return Ok(()) };
            compiled.set(compiled.get() + 1);
            let (again, twice) = plans_of(written.clone()).expect("what is written compiles");
            prop_assert_eq!(format!("{again:#?}"), format!("{plans:#?}"), "{}", xml);
            prop_assert_eq!(String::from_utf8(twice), String::from_utf8(written));
            if let Err(why) = exchange_of(&plans, world(), &drafted(words.version(), &payload)) {
                prop_assert!(false, "{xml}\n{why}");
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    assert!(compiled.get() * 3 > CASES, "{} of {CASES} policies compile", compiled.get());
}

/// A `[policy.x]` table.
fn short() -> impl Strategy<Value = (String, &'static str)> {
    let quoted = |words: Vec<&str>| words.iter().map(|w| format!("\"{w}\"")).collect::<Vec<_>>().join(", ");
    let suite =
        select(vec!["Basic256", "TripleDes", "Basic128Sha256", "Basic256GCM", "modern-rsa", "modern-ec"]);
    let layout = select(vec!["strict", "lax", "timestamp-first", "timestamp-last"]);
    let reference = select(vec!["thumbprint", "issuer-serial", "ski", "embedded"]);
    let include = select(vec!["never", "request", "both"]);
    let sign = subsequence(vec!["timestamp", "addressing", "token", "header:{urn:app}session"], 0..=4);
    let encrypt = subsequence(vec!["body", "header:{urn:app}session", "signature"], 0..=3);
    (suite, layout, reference, include, sign, encrypt, any::<[bool; 3]>()).prop_map(
        move |(suite, layout, reference, include, sign, encrypt, [first, confirm, whole])| {
            let sign = quoted([vec!["body"], sign].concat());
            let text = format!(
                "[policy.x]\nsuite = \"{suite}\"\nlayout = \"{layout}\"\nreference = \"{reference}\"\ninclude_token = \"{include}\"\n\
                 sign = [{sign}]\nencrypt = [{}]\nencrypt_first = {first}\nsignature_confirmation = {confirm}\nwhole_parts = {whole}\n",
                quoted(encrypt)
            );
            (text, suite)
        },
    )
}

#[test]
fn random_short_form_that_compiles_secures_and_verifies_and_says_the_same_as_xml() {
    let compiled = Cell::new(0);
    runner()
        .run(&(short(), draft(), any::<bool>()), |((text, suite), payload, old)| {
            let loaded = load(text.clone().into_bytes(), "x.toml");
            let item = loaded.only().expect("one");
            let Ok(plans) = item.plans(&Options::default()) else { return Ok(()) };
            compiled.set(compiled.get() + 1);
            let xml = item.policies().next().expect("both sides").to_xml().expect("XML");
            let (again, _) = plans_of(xml).expect("what is written compiles");
            prop_assert_eq!(format!("{again:#?}"), format!("{plans:#?}"), "{}", text);
            let world = if suite == "modern-ec" { elliptic_world() } else { world() };
            let version = if old { Version::Soap11 } else { Version::Soap12 };
            if let Err(why) = exchange_of(&plans, world, &drafted(version, &payload)) {
                prop_assert!(false, "{text}\n{why}");
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    assert!(compiled.get() * 3 > CASES, "{} of {CASES} short forms compile", compiled.get());
}
