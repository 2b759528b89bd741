//! Everything in an endorsed message moved, copied and exchanged with what stands in another one of the same sender: refused, or still what was
//! sent, by whom it was signed and endorsed.

use std::ops::Range;

use bartizan_wss::plan::{HeaderRule, Layout, PlanPair, Targets, TimestampRule};
use bartizan_wss::{Keep, Part, Plan, Side, Verified};
use bartizan_xml::{Budget, Document, Limits, Profile};

use crate::endorse::{Shape, accepted, endorsed, receive, send, transport};
use crate::fixture::{benchmark, pair};

/// The same demands, of a header in any order that points at anything: as little as possible keeps a change out by its place.
fn lax(plans: &PlanPair) -> PlanPair {
    let mut inbound = plans.recipient.inbound().clone();
    inbound.header = HeaderRule { layout: Layout::Lax, targets: Targets::Any, ..HeaderRule::default() };
    let recipient = Plan::new(Side::Recipient, inbound, plans.recipient.outbound().clone()).unwrap();
    PlanPair { initiator: plans.initiator.clone(), recipient }
}

/// The endorser signs the Body as well, which TLS alone protects else.
fn with_body(plans: &PlanPair) -> PlanPair {
    let mut out = plans.initiator.outbound().clone();
    out.endorse[0].sign.parts.push(Part::Body);
    let mut inbound = plans.recipient.inbound().clone();
    inbound.endorse[0].parts = vec![Part::Body];
    PlanPair {
        initiator: Plan::new(Side::Initiator, plans.initiator.inbound().clone(), out).unwrap(),
        recipient: Plan::new(Side::Recipient, inbound, plans.recipient.outbound().clone()).unwrap(),
    }
}

/// Messages under each binding whose requests are endorsed, by a certificate and by a user.
fn all() -> Vec<(String, PlanPair)> {
    let signed = pair(benchmark("modern-rsa").timestamp(TimestampRule::default()));
    let shared = crate::symmetric::builder("modern-rsa").timestamp(TimestampRule::default()).build().unwrap();
    let hidden = crate::symmetric::builder("modern-rsa").encrypt(Part::Signature).build().unwrap();
    let mut all = Vec::new();
    for shape in [Shape { signed: true, ..Shape::x509() }, Shape { protect: true, ..Shape::user() }] {
        for (name, plans) in [("signed", &signed), ("shared", &shared), ("hidden", &hidden)] {
            all.push((format!("{name}, {:?}", shape.by), lax(&endorsed(plans, "modern-rsa", &[shape]))));
        }
        let plans = transport("modern-rsa", &[Shape { signed: false, ..shape }]);
        all.push((format!("tls, {:?}", shape.by), lax(&with_body(&plans))));
    }
    all
}

/// The elements but the root, and the places where one can be put.
fn places(text: &str) -> (Vec<Range<usize>>, Vec<usize>) {
    let limits = Limits::generous();
    let document =
        Document::parse(text.as_bytes().to_vec(), Profile::Bare, &mut Budget::new(&limits)).unwrap();
    let (mut elements, mut gaps) = (Vec::new(), Vec::new());
    for element in document.root().descendants() {
        let span = element.span();
        if element.id() != document.root().id() {
            elements.push(span.start..span.end);
            gaps.push(span.start);
        }
        gaps.push(text[..span.end].rfind("</").unwrap());
    }
    gaps.sort_unstable();
    gaps.dedup();
    (elements, gaps)
}

#[derive(PartialEq, Debug)]
struct Said {
    caller: Option<String>,
    endorsers: Vec<(String, String)>,
    view: Vec<u8>,
    body: Vec<u8>,
}

impl Said {
    fn of(verified: &Verified) -> Said {
        Said {
            caller: verified.caller().map(|c| format!("{} {}", c.name(), c.proved_by().name())),
            endorsers: verified
                .endorsers()
                .iter()
                .map(|c| (c.name().to_owned(), c.proved_by().name().to_owned()))
                .collect(),
            view: verified.view(Keep::Covered).bytes,
            body: verified.body().unwrap().content_octets(),
        }
    }
}

/// How many of the messages are accepted: each says what was sent.
fn judge(
    plans: &PlanPair,
    name: &str,
    genuine: &Said,
    messages: impl Iterator<Item = String>,
) -> (usize, usize) {
    let (mut accepted, mut refused) = (0, 0);
    for message in messages {
        match receive(&plans.recipient, &message) {
            Ok(verified) => {
                let said = Said::of(&verified);
                assert_eq!(
                    (&said.caller, &said.endorsers, &said.body),
                    (&genuine.caller, &genuine.endorsers, &genuine.body),
                    "{name}"
                );
                accepted += 1;
            }
            Err(_) => refused += 1,
        }
    }
    (accepted, refused)
}

#[test]
fn attack_tok_19_element_that_is_moved_or_copied_changes_nothing_or_is_refused() {
    let mut sum = (0, 0);
    for (name, plans) in all() {
        let text = send(&plans);
        let genuine = Said::of(&accepted(&plans, &text));
        let (elements, gaps) = places(&text);
        // What is large is moved as a whole; what stands deep in a signature or a key is covered by its digest.
        let messages = elements.iter().flat_map(|element| {
            let (gaps, text) = (&gaps, &text);
            gaps.iter().filter(|gap| **gap <= element.start || **gap >= element.end).flat_map(move |gap| {
                let piece = &text[element.clone()];
                let copied = format!("{}{piece}{}", &text[..*gap], &text[*gap..]);
                let moved = if *gap <= element.start {
                    format!("{}{piece}{}{}", &text[..*gap], &text[*gap..element.start], &text[element.end..])
                } else {
                    format!("{}{}{piece}{}", &text[..element.start], &text[element.end..*gap], &text[*gap..])
                };
                [copied, moved]
            })
        });
        let found = judge(&plans, &name, &genuine, messages.step_by(7).filter(|message| *message != text));
        assert!(found.1 > 100, "{name}: {found:?}");
        sum = (sum.0 + found.0, sum.1 + found.1);
    }
    // Some orders of a lax header are the same message.
    assert!(sum.0 > 0 && sum.1 > 10_000, "{sum:?}");
}

#[test]
fn attack_tok_19_element_of_another_message_changes_nothing_or_is_refused() {
    for (name, plans) in all() {
        let (mine, theirs) = (send(&plans), send(&plans));
        let genuine = Said::of(&accepted(&plans, &mine));
        let ((own, gaps), (other, _)) = (places(&mine), places(&theirs));
        assert_eq!(own.len(), other.len());
        // Each in the place of its like, with and without what follows it, and each anywhere.
        let exchanged = own.iter().zip(&other).map(|(own, other)| {
            format!("{}{}{}", &mine[..own.start], &theirs[other.clone()], &mine[own.end..])
        });
        let added = other.iter().flat_map(|other| {
            let (mine, theirs) = (&mine, &theirs);
            gaps.iter()
                .map(move |gap| format!("{}{}{}", &mine[..*gap], &theirs[other.clone()], &mine[*gap..]))
        });
        let pairs = own.iter().zip(&other).enumerate().flat_map(|(n, (first, theirs_first))| {
            let (mine, theirs, own, other) = (&mine, &theirs, &own, &other);
            own.iter().zip(other).skip(n + 1).filter(move |(second, _)| second.start >= first.end).map(
                move |(second, theirs_second)| {
                    format!(
                        "{}{}{}{}{}",
                        &mine[..first.start],
                        &theirs[theirs_first.clone()],
                        &mine[first.end..second.start],
                        &theirs[theirs_second.clone()],
                        &mine[second.end..]
                    )
                },
            )
        });
        let messages = exchanged.chain(added.step_by(7)).chain(pairs.step_by(3));
        let found = judge(&plans, &name, &genuine, messages.filter(|m| *m != mine));
        assert!(found.1 > 100, "{name}: {found:?}");
    }
}
