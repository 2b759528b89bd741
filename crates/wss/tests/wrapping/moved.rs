//! Any element of the genuine messages, moved or copied to any place of them, with nothing put in its place.

use std::ops::Range;

use crate::fixture;
use crate::message::{Base, Shown, Signed};

/// What came out.
#[derive(Default)]
struct Counts {
    refused: u64,
    whole: u64,
    fewer: u64,
}

fn with(text: &str, element: &Range<usize>, at: usize, keep: bool) -> String {
    let copy = &text[element.clone()];
    let mut out = String::with_capacity(text.len() + copy.len());
    let gone = if keep { element.end..element.end } else { element.clone() };
    if at <= gone.start {
        out.push_str(&text[..at]);
        out.push_str(copy);
        out.push_str(&text[at..gone.start]);
        out.push_str(&text[gone.end..]);
    } else {
        out.push_str(&text[..gone.start]);
        out.push_str(&text[gone.end..at]);
        out.push_str(copy);
        out.push_str(&text[at..]);
    }
    out
}

/// Refused, or nothing but the genuine is shown; and always refused where a signed part gains or loses something.
fn everywhere(base: &Base, keep: bool) -> Counts {
    let mut counts = Counts::default();
    // Around a ciphertext stands what no signature covers.
    let signed = base.parts.iter().zip(base.kinds).filter(|(_, kind)| *kind != Signed::Sealed);
    let signed: Vec<&Range<usize>> = signed.map(|(part, _)| part).collect();
    let inside = |at: usize| signed.iter().any(|p| p.start < at && at < p.end);
    for element in base.elements.iter().skip(1) {
        let span = &element.span;
        let gaps = base.elements.iter().flat_map(|e| e.gaps.iter().map(move |gap| (&e.path, *gap)));
        for (path, at) in gaps {
            let within = span.start < at && at < span.end;
            if !keep && (within || at == span.start || at == span.end) {
                continue;
            }
            let message = with(&base.text, span, at, keep);
            let what = || format!("{} to {at} in {path}\n{message}", element.path);
            let verified = match base.verify(&base.plan, &message) {
                Err(_) => {
                    counts.refused += 1;
                    continue;
                }
                Ok(verified) => verified,
            };
            let shown = Shown::of(&verified);
            assert!(shown.is_of(&base.shown), "{}\n{shown:#?}", what());
            assert!(!inside(at) && (keep || !inside(span.start)), "a signed part was changed: {}", what());
            if shown.headers.len() == base.shown.headers.len() {
                counts.whole += 1;
                continue;
            }
            assert!(base.verify(&base.strict, &message).is_err(), "{}", what());
            counts.fewer += 1;
        }
    }
    counts
}

fn check(name: &str, base: &Base, at_least: u64) {
    for (keep, how) in [(false, "moved"), (true, "copied")] {
        let Counts { refused, whole, fewer } = everywhere(base, keep);
        crate::say(&format!(
            "{name}: elements {how} to any place: {refused} refused, {whole} with every part as signed, \
             {fewer} without a header that may be missing"
        ));
        assert!(refused >= at_least, "{name}: {refused} {how}");
        // A change of order in Header or Security, a copy as a header block that nobody reads: few of all.
        assert!((whole + fewer) * 20 < refused, "{name}: {whole} and {fewer} of {refused} are accepted");
    }
}

#[test]
fn element_moved_anywhere_is_refused_or_changes_nothing() {
    check("M0", &Base::signed(fixture::world(), "modern-rsa"), 5_000);
    check("E0", &Base::encrypted(fixture::world()), 5_000);
    check("U4", &Base::by_sealed_user(fixture::world()), 5_000);
    check("S0", &Base::symmetric(fixture::world()), 5_000);
}
