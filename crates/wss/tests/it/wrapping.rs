//! The wrapping generator: every place × wrapper × Id × position × payload for a message of two signed parts.
//!
//! Expected for each: refused, or what is shown is exactly what was signed. The count is part of the result, so that it cannot silently shrink.

use bartizan_wss::plan::{HeaderRule, Layout, Plan, Targets, TimestampRule};
use bartizan_wss::{AsymmetricBuilder, Keep, Part};

use crate::fixture::{self, cut, pair, secure, verify, world};

/// What an accepted message shows: the view and the Timestamp.
type Shown = (Vec<u8>, Option<bartizan_wss::context::TimestampEvidence>);

struct Bench {
    plan: Plan,
    message: String,
    shown: Shown,
}

impl Bench {
    fn new(targets: Targets) -> Bench {
        let header = HeaderRule { layout: Layout::Lax, targets, ..HeaderRule::default() };
        let suite = bartizan_crypto::suite::by_name("modern-rsa").unwrap();
        let pair = pair(
            AsymmetricBuilder::new(suite).sign(Part::Body).timestamp(TimestampRule::default()).header(header),
        );
        let message = fixture::text(secure(&pair.initiator, &world().client, fixture::draft()));
        let mut bench = Bench { plan: pair.recipient, message, shown: (Vec::new(), None) };
        bench.shown = bench.shown(&bench.message).expect("positive control");
        bench
    }

    fn shown(&self, message: &str) -> Option<Shown> {
        let verified = verify(&self.plan, &world().server, message.as_bytes()).ok()?;
        Some((verified.view(Keep::Covered).bytes, verified.context().timestamp()))
    }

    /// Refused, or nothing but the genuine is shown.
    fn check(&self, attack: &str) {
        if let Some(shown) = self.shown(attack) {
            assert_eq!(String::from_utf8_lossy(&shown.0), String::from_utf8_lossy(&self.shown.0), "{attack}");
            assert_eq!(shown.1, self.shown.1, "{attack}");
        }
    }
}

const WRAPPERS: [(&str, &str); 5] = [
    ("", ""),
    ("<w:wrap xmlns:w=\"urn:w\">", "</w:wrap>"),
    ("<ds:Object xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\">", "</ds:Object>"),
    ("<soap:Body>", "</soap:Body>"),
    ("<soap:Envelope><soap:Header></soap:Header>", "</soap:Envelope>"),
];

/// What becomes of the forged part's Id.
const IDS: [&str; 9] = ["same", "rotated", "removed", "Id", "ID", "id", "xml:id", "foo:Id", "padded"];

/// Where the forged part stands beside the genuine one's old place.
const PLACES: [&str; 4] = ["instead", "before", "after", "around"];

fn with_id(part: &str, treatment: &str) -> String {
    let own = cut(part, " wsu:Id=\"", "\"");
    let value = own.trim_start_matches(" wsu:Id=\"").trim_end_matches('"');
    let new = match treatment {
        "same" => own.to_owned(),
        "rotated" => " wsu:Id=\"other\"".to_owned(),
        "removed" => String::new(),
        "foo:Id" => format!(" xmlns:foo=\"urn:foo\" foo:Id=\"{value}\""),
        "padded" => format!(" wsu:Id=\" {value}\""),
        attribute => format!(" {attribute}=\"{value}\""),
    };
    part.replacen(own, &new, 1)
}

/// The forged versions of a part.
fn forgeries(part: &str) -> Vec<String> {
    if part.starts_with("<soap:Body") {
        let payload = cut(part, "<greetRequest", "</greetRequest>");
        vec![
            part.replace("test me", "evil me"),
            part.replace("greetRequest", "evilRequest"),
            part.replace(payload, ""),
        ]
    } else {
        vec![part.replace("2026-11-30T12:0", "2026-11-30T11:5")]
    }
}

/// Every attack on one part; gives how many were made.
fn attack(bench: &Bench, part: &str) -> usize {
    let (before, after) = bench.message.split_once(part).unwrap();
    let rest = format!("{before}{after}");
    let hosts: Vec<usize> = rest.match_indices('>').map(|(at, _)| at + 1).collect();
    let mut count = 0;
    for (open, close) in WRAPPERS {
        for forged in forgeries(part) {
            for id in IDS {
                let evil = with_id(&forged, id);
                for place in PLACES {
                    let inner_end = evil.rfind("</").unwrap();
                    let at_place = match place {
                        "instead" => evil.clone(),
                        "before" => format!("{evil}{part}"),
                        "after" => format!("{part}{evil}"),
                        _ => format!("{}{part}{}", &evil[..inner_end], &evil[inner_end..]),
                    };
                    for host in &hosts {
                        let moved = format!("{open}{part}{close}");
                        let (left, right) = rest.split_at(*host);
                        let old = before.len();
                        let attack = if *host <= old {
                            let (middle, end) = right.split_at(old - host);
                            format!("{left}{moved}{middle}{at_place}{end}")
                        } else {
                            let (start, middle) = left.split_at(old);
                            format!("{start}{at_place}{middle}{moved}{right}")
                        };
                        bench.check(&attack);
                        count += 1;
                    }
                }
            }
        }
    }
    count
}

#[test]
fn attack_xsw_generator_of_a_two_part_message() {
    let bench = Bench::new(Targets::Any);
    let body = cut(&bench.message, "<soap:Body", "</soap:Body>").to_owned();
    let stamp = cut(&bench.message, "<wsu:Timestamp", "</wsu:Timestamp>").to_owned();
    let (bodies, stamps) = (attack(&bench, &body), attack(&bench, &stamp));
    assert!(bodies + stamps >= 30_000, "{bodies} + {stamps} attacks");
}
