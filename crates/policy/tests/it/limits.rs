//! Every limit, at it and one beyond.

use bartizan_policy::compile::{MAX_PARTS, Sides};
use bartizan_policy::model::MAX_DEPTH;
use bartizan_policy::{NormalLimits, Options, compile, read};

use crate::compile::{SP12, WSP};

fn policy(inside: &str) -> Vec<u8> {
    format!(r#"<wsp:Policy xmlns:wsp="{WSP}" xmlns:sp="{SP12}">{inside}</wsp:Policy>"#).into_bytes()
}

fn normalise(inside: &str, limits: NormalLimits) -> Result<usize, &'static str> {
    let policies = read(policy(inside), "test.xml");
    assert!(policies.is_usable(), "{}", policies.render());
    let normal = policies.nth(0).expect("one").normalise(limits);
    normal.map(|normal| normal.alternatives.len()).map_err(|error| error.code())
}

#[test]
fn limit_alternatives_holds_at_it_and_refuses_one_more() {
    // Different headers, so that no two alternatives are the same.
    let choice = |n: usize| {
        let one =
            |i| format!(r#"<sp:SignedParts><sp:Header Name="h{i}" Namespace="urn:a"/></sp:SignedParts>"#);
        format!("<wsp:ExactlyOne>{}</wsp:ExactlyOne>", (0..n).map(one).collect::<String>())
    };
    let limits = NormalLimits::default();
    assert_eq!(normalise(&choice(1024), limits), Ok(1024));
    assert_eq!(normalise(&choice(1025), limits), Err("too_many_alternatives"));
}

#[test]
fn limit_alternatives_is_checked_before_anything_explodes() {
    // 2^60 alternatives in 4 KiB.
    let optional = r#"<sp:SignedParts wsp:Optional="true"><sp:Body/></sp:SignedParts>"#.repeat(60);
    assert_eq!(normalise(&optional, NormalLimits::default()), Err("too_many_alternatives"));
    // And more than any counter holds.
    assert_eq!(normalise(&optional.repeat(10), NormalLimits::default()), Err("too_many_alternatives"));
}

#[test]
fn limit_assertions_holds_at_it_and_refuses_one_more() {
    let parts = "<sp:SignedParts><sp:Body/></sp:SignedParts>".repeat(10);
    let limit = |assertions| NormalLimits { assertions, ..NormalLimits::default() };
    assert_eq!(normalise(&parts, limit(10)), Ok(1));
    assert_eq!(normalise(&parts, limit(9)), Err("too_many_assertions"));
}

#[test]
fn limit_parts_holds_at_it_and_refuses_one_more() {
    let compiles = |parts: usize| {
        let one = |i| format!(r#"<sp:Header Name="h{i}" Namespace="urn:a"/>"#);
        let headers: String = (1..parts).map(one).collect();
        let xml = crate::compile::policy(
            "Basic256",
            "",
            &format!("<sp:SignedParts><sp:Body/>{headers}</sp:SignedParts>"),
        );
        let policies = read(xml.into_bytes(), "a");
        let sides = Sides::both(policies.nth(0).expect("one"));
        compile(sides, &Options::default()).map(drop).map_err(|problems| problems[0].code())
    };
    assert_eq!(compiles(MAX_PARTS), Ok(()));
    assert_eq!(compiles(MAX_PARTS + 1), Err("too_many_parts"));
}

#[test]
fn limit_depth_holds_at_it_and_refuses_one_more() {
    let nested = |n: usize| format!("{}{}", "<wsp:All>".repeat(n), "</wsp:All>".repeat(n));
    // The policy itself is the first level.
    assert!(read(policy(&nested(MAX_DEPTH - 1)), "a").is_usable());
    let codes: Vec<_> =
        read(policy(&nested(MAX_DEPTH)), "a").all_diagnostics().map(|found| found.code()).collect();
    assert!(codes.contains(&"too_deep"), "{codes:?}");
}

#[test]
fn references_that_multiply_are_counted_and_not_expanded() {
    // Each policy refers to the next twice, so each has the square of the next one's alternatives.
    let mut xml = format!(
        r#"<x xmlns:wsp="{WSP}" xmlns:sp="{SP12}" xmlns:wsu="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd">"#
    );
    for i in 0..20 {
        xml += &format!(
            r##"<wsp:Policy wsu:Id="p{i}"><wsp:PolicyReference URI="#p{0}"/><wsp:PolicyReference URI="#p{0}"/></wsp:Policy>"##,
            i + 1
        );
    }
    xml += r#"<wsp:Policy wsu:Id="p20"><sp:SignedParts wsp:Optional="true"><sp:Body/></sp:SignedParts></wsp:Policy></x>"#;
    let policies = read(xml.into_bytes(), "a");
    assert!(policies.is_usable(), "{}", policies.render());
    let first = policies.named("p0").expect("there");
    assert_eq!(first.expression.size().alternatives, u64::MAX, "more than can be counted");
    assert_eq!(
        first.normalise(NormalLimits::default()).expect_err("too many").code(),
        "too_many_alternatives"
    );
    assert_eq!(policies.named("p20").expect("there").expression.size().alternatives, 2);
}

#[test]
fn a_long_chain_of_references_is_too_deep_and_no_recursion() {
    let wsu = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
    let chain = |length: usize| {
        let one = |i: usize| {
            format!(r##"<wsp:Policy wsu:Id="p{i}"><wsp:PolicyReference URI="#p{}"/></wsp:Policy>"##, i + 1)
        };
        let all: String = (0..length).map(one).collect();
        let xml =
            format!(r#"<x xmlns:wsp="{WSP}" xmlns:wsu="{wsu}">{all}<wsp:Policy wsu:Id="p{length}"/></x>"#);
        let small = std::thread::Builder::new().stack_size(512 * 1024);
        small.spawn(move || read(xml.into_bytes(), "a")).expect("a thread").join().expect("no overflow")
    };
    assert!(chain(20).is_usable(), "{}", chain(20).render());
    let long = chain(5_000);
    let codes = |id: &str| -> Vec<_> {
        long.named(id).expect("there").diagnostics.iter().map(|found| found.code()).collect()
    };
    assert!(codes("p0").contains(&"too_deep"), "{:?}", codes("p0"));
    assert_eq!(codes("p4990"), ["fragment"], "the end of the chain is short");
}

#[test]
fn a_policy_that_refers_to_itself_is_refused() {
    let wsu = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
    let xml = format!(
        r##"<x xmlns:wsp="{WSP}" xmlns:wsu="{wsu}"><wsp:Policy wsu:Id="a"><wsp:PolicyReference URI="#b"/></wsp:Policy>
<wsp:Policy wsu:Id="b"><wsp:ExactlyOne><wsp:PolicyReference URI="#a"/></wsp:ExactlyOne></wsp:Policy></x>"##
    );
    let policies = read(xml.into_bytes(), "a");
    for id in ["a", "b"] {
        let policy = policies.named(id).expect("there");
        assert!(policy.diagnostics.iter().any(|found| found.code() == "reference_cycle"), "{id}: {policy:?}");
    }
}
