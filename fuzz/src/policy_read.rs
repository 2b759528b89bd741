//! Policies, as XML in any host and in the short form: read, brought into normal form, compiled, explained, written.

use bartizan_policy::compile::{Open, Sides};
use bartizan_policy::{Compiled, NormalLimits, Options, Policies, Policy, compile, load, load_short, read};
use bartizan_wss::Side;

/// Small, so that the time goes into many policies instead of into large ones.
const LIMITS: NormalLimits = NormalLimits { alternatives: 128, assertions: 2_048 };

fn options(open: Open) -> Options {
    Options { open, limits: LIMITS, ..Options::default() }
}

/// One input: a file, in either form.
pub fn run(data: &[u8]) {
    let policies = read(data.to_vec(), "a.xml");
    let _ = policies.render();
    for policy in policies.policies().iter().take(8) {
        normal(policy);
        written(&policies, policy);
    }
    for loaded in [load(data.to_vec(), "a.xml"), load_short(data, "a.toml"), load(data.to_vec(), "-")] {
        for diagnostic in loaded.diagnostics() {
            let _ = loaded.render(diagnostic);
        }
        let _ = loaded.only().map(|item| item.name().is_some());
        for item in loaded.items().iter().chain(loaded.operations()).take(8) {
            for open in [Open::Refused, Open::Said] {
                let options = options(open);
                let complaints = item.check(&options);
                complaints.iter().for_each(|complaint| drop(loaded.render(complaint)));
                match item.compile(&options) {
                    Ok(compiled) => {
                        sound(&compiled, open, item.policies().count());
                        assert!(!complaints.iter().any(|complaint| complaint.is_error()), "check agrees");
                        if let Ok(explanation) = item.explain(&options) {
                            let _ = format!("{explanation:?}");
                        }
                    }
                    Err(errors) => {
                        assert!(errors.iter().any(|error| error.is_error()), "a refusal has a reason");
                        errors.iter().for_each(|error| drop(loaded.render(error)));
                    }
                }
            }
        }
    }
}

/// No plan comes out that demands nothing where nobody said so. (A short form of one direction leaves the other open.)
fn sound(compiled: &Compiled, open: Open, policies: usize) {
    let mut opened = 0;
    for side in [Side::Initiator, Side::Recipient] {
        for (inbound, _) in compiled.plans.side(side).alternatives() {
            assert!(inbound.wants_signature() || inbound.open);
        }
        opened += usize::from(compiled.plans.side(side).alternatives().any(|(inbound, _)| inbound.open));
    }
    let expected = if policies == 1 { 1 } else { 0 };
    assert!(open == Open::Said || opened <= expected, "open, and nobody said so");
}

/// The normal form is a fixed point.
fn normal(policy: &Policy) {
    if !policy.is_usable() {
        return;
    }
    let Ok(once) = policy.normalise(LIMITS) else { return };
    let Ok(once) = once.to_xml() else { return };
    let again = read(once.clone(), "normal.xml");
    assert!(again.is_usable(), "{}\n{}", again.render(), String::from_utf8_lossy(&once));
    let twice =
        again.nth(0).expect("one").normalise(LIMITS).expect("it was small").to_xml().expect("as before");
    assert_eq!(String::from_utf8_lossy(&once), String::from_utf8_lossy(&twice));
}

/// What is written compiles to the same plans.
fn written(policies: &Policies, policy: &Policy) {
    if !policies.is_usable() {
        return;
    }
    let options = options(Open::Said);
    let (Ok(compiled), Ok(xml)) = (compile(Sides::both(policy), &options), policy.to_xml()) else { return };
    let again = read(xml.clone(), "written.xml");
    assert!(again.is_usable(), "{}\n{}", again.render(), String::from_utf8_lossy(&xml));
    let again = compile(Sides::both(again.nth(0).expect("one")), &options);
    let again = again.unwrap_or_else(|all| panic!("{all:?}\n{}", String::from_utf8_lossy(&xml)));
    assert_eq!(format!("{:?}", compiled.plans), format!("{:?}", again.plans));
}
