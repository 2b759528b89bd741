//! The normal form: a fixed point that keeps the meaning, for any policy.

use std::collections::BTreeSet;

use bartizan_policy::{NormalLimits, Policies, read};
use proptest::prelude::*;

use crate::compile::{SP12, WSP};

/// A random expression as XML, with its alternatives as sets of header names computed by a rule of its own.
#[derive(Clone, Debug)]
enum Expression {
    Part { name: u8, optional: bool },
    Token { choices: Vec<u8>, optional: bool },
    All(Vec<Expression>),
    One(Vec<Expression>),
}

const CHOICES: [&str; 3] = ["RequireThumbprintReference", "RequireIssuerSerialReference", "WssX509V3Token10"];

fn expression() -> impl Strategy<Value = Expression> {
    let leaf = prop_oneof![
        (0..6u8, any::<bool>()).prop_map(|(name, optional)| Expression::Part { name, optional }),
        (prop::collection::vec(0..3u8, 1..3), any::<bool>())
            .prop_map(|(choices, optional)| Expression::Token { choices, optional }),
    ];
    leaf.prop_recursive(4, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Expression::All),
            prop::collection::vec(inner, 0..4).prop_map(Expression::One),
        ]
    })
}

impl Expression {
    fn xml(&self, out: &mut String) {
        let optional = |said: bool| if said { r#" wsp:Optional="true""# } else { "" };
        match self {
            Self::Part { name, optional: said } => {
                *out += &format!(
                    r#"<sp:SignedParts{}><sp:Header Name="h{name}" Namespace="urn:a"/></sp:SignedParts>"#,
                    optional(*said)
                );
            }
            Self::Token { choices, optional: said } => {
                *out += &format!("<sp:X509Token{}><wsp:Policy><wsp:ExactlyOne>", optional(*said));
                choices.iter().for_each(|choice| *out += &format!("<sp:{}/>", CHOICES[usize::from(*choice)]));
                *out += "</wsp:ExactlyOne></wsp:Policy></sp:X509Token>";
            }
            Self::All(inner) => group("All", inner, out),
            Self::One(inner) => group("ExactlyOne", inner, out),
        }
    }

    /// The meaning: a set of alternatives, each a set of words.
    fn meaning(&self) -> BTreeSet<BTreeSet<String>> {
        let word = |text: String| BTreeSet::from([text]);
        match self {
            Self::Part { name, optional } => with(BTreeSet::from([word(format!("h{name}"))]), *optional),
            Self::Token { choices, optional } => {
                let of = |choice: &u8| word(CHOICES[usize::from(*choice)].to_owned());
                with(choices.iter().map(of).collect(), *optional)
            }
            Self::All(inner) => {
                inner.iter().map(Self::meaning).fold(BTreeSet::from([BTreeSet::new()]), |left, right| {
                    left.iter().flat_map(|a| right.iter().map(move |b| a | b)).collect()
                })
            }
            Self::One(inner) => inner.iter().flat_map(Self::meaning).collect(),
        }
    }
}

fn with(mut alternatives: BTreeSet<BTreeSet<String>>, optional: bool) -> BTreeSet<BTreeSet<String>> {
    if optional {
        alternatives.insert(BTreeSet::new());
    }
    alternatives
}

fn group(name: &str, inner: &[Expression], out: &mut String) {
    *out += &format!("<wsp:{name}>");
    inner.iter().for_each(|one| one.xml(out));
    *out += &format!("</wsp:{name}>");
}

/// The alternatives of a policy in the words of [`Expression::meaning`].
fn words(policies: &Policies, limits: NormalLimits) -> Option<BTreeSet<BTreeSet<String>>> {
    let normal = policies.nth(0).expect("one").normalise(limits).ok()?;
    let word = |text: &str| text.split('"').next().unwrap_or_default().to_owned();
    let mut all = BTreeSet::new();
    for alternative in &normal.alternatives {
        let mut words = BTreeSet::new();
        for assertion in &alternative.assertions {
            let shown = format!("{:?}", assertion.parameters);
            if let Some((_, tail)) = shown.split_once("name: Some(\"") {
                words.insert(word(tail));
            }
            words.extend(assertion.chosen().iter().map(|child| child.name().to_owned()));
        }
        all.insert(words);
    }
    Some(all)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_normal_form_keeps_the_meaning_and_is_a_fixed_point(expression in expression()) {
        let mut xml = format!(r#"<wsp:Policy xmlns:wsp="{WSP}" xmlns:sp="{SP12}">"#);
        expression.xml(&mut xml);
        xml += "</wsp:Policy>";
        let policies = read(xml.clone().into_bytes(), "a");
        prop_assert!(policies.is_usable(), "{}", policies.render());
        let limits = NormalLimits { alternatives: 512, assertions: 8_192 };
        let Some(found) = words(&policies, limits) else { return Ok(()) };
        prop_assert_eq!(&found, &expression.meaning(), "{}", xml);
        let normal = policies.nth(0).expect("one").normalise(limits).expect("small");
        let once = normal.to_xml().expect("XML");
        let again = read(once.clone(), "b");
        prop_assert!(again.is_usable());
        let twice = again.nth(0).expect("one").normalise(limits).expect("small").to_xml().expect("XML");
        prop_assert_eq!(once, twice);
        // As written it says the same, too.
        let written = read(policies.nth(0).expect("one").to_xml().expect("XML"), "c");
        prop_assert_eq!(words(&written, limits), Some(found));
    }

    #[test]
    fn damaged_policies_never_panic(at in 0..2_000usize, with in any::<u8>(), cut in 0..2_400usize) {
        let mut bytes = bartizan_policy::builtin::RAMPART_C.to_vec();
        if let Some(byte) = bytes.get_mut(at) {
            *byte = with;
        }
        bytes.truncate(cut.max(1));
        let policies = read(bytes, "damaged.xml");
        let _ = policies.render();
        for policy in policies.policies() {
            let _ = policy.normalise(NormalLimits::default());
            let _ = bartizan_policy::compile(bartizan_policy::compile::Sides::both(policy), &Default::default());
        }
    }
}

#[test]
fn the_white_space_around_a_foreign_assertions_policy_does_not_grow() {
    let xml = format!(
        "<wsp:Policy xmlns:wsp=\"{WSP}\" xmlns:sp=\"{SP12}\" xmlns:f=\"urn:f\"><sp:Wss10/><f:a>\n  <f:b/>\n  <wsp:Policy/>\n</f:a></wsp:Policy>"
    );
    let mut written = xml.into_bytes();
    let mut lengths = Vec::new();
    for _ in 0..3 {
        let policies = read(written, "a");
        written = policies.nth(0).expect("one").to_xml().expect("XML");
        lengths.push(written.len());
    }
    assert!(String::from_utf8_lossy(&written).contains("<f:b"));
    assert_eq!(lengths[0], lengths[2], "{lengths:?}");
}

#[test]
fn an_empty_policy_in_an_assertion_that_has_none_leaves_a_readable_normal_form() {
    let xml = format!(
        "<wsp:Policy xmlns:wsp=\"{WSP}\" xmlns:sp=\"{SP12}\"><sp:SignedParts><sp:Body/><wsp:Policy/></sp:SignedParts></wsp:Policy>"
    );
    let policies = read(xml.into_bytes(), "a");
    assert!(policies.is_usable(), "{}", policies.render());
    let normal = policies.nth(0).expect("one").normalise(NormalLimits::default()).expect("small");
    let again = read(normal.to_xml().expect("XML"), "b");
    assert!(again.is_usable(), "{}", again.render());
}
