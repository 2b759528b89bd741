use super::*;

use crate::record::Spread;

fn row(peer: &str, cpu: Option<(f64, f64, f64)>) -> Row {
    let cell = Cell { keys: "rsa2048".to_owned(), concurrency: 10, peer: peer.to_owned(), ..Cell::default() };
    let figures =
        cpu.map(|(low, median, high)| Figures { cpu: Spread { median, low, high }, ..Figures::default() });
    Row { cell, figures, ..Row::default() }
}

#[test]
fn change_counts_when_the_rounds_do_not_overlap() {
    let before = [
        row("a", Some((98.0, 100.0, 104.0))),
        row("b", Some((98.0, 100.0, 104.0))),
        row("c", Some((98.0, 100.0, 104.0))),
    ];
    let after = [
        row("a", Some((80.0, 85.0, 97.0))),
        row("b", Some((95.0, 96.0, 98.5))),
        row("c", Some((105.0, 110.0, 111.0))),
    ];
    let verdicts: Vec<_> = compare(&before, &after).iter().map(|change| change.verdict).collect();
    assert_eq!(verdicts, [Verdict::Faster, Verdict::Noise, Verdict::Slower]);
}

#[test]
fn cells_of_one_record_only_are_named() {
    let before = [row("a", Some((1.0, 1.0, 1.0))), row("b", None), row("gone", Some((1.0, 1.0, 1.0)))];
    let mut newer = row("a", Some((1.0, 1.0, 1.0)));
    newer.cell.version = "2".to_owned();
    let after = [newer, row("b", None), row("new", Some((2.0, 2.0, 2.0)))];
    let changes = compare(&before, &after);
    let found: Vec<_> = changes.iter().map(|change| (change.cell.peer.as_str(), change.verdict)).collect();
    assert_eq!(found, [("a", Verdict::Noise), ("gone", Verdict::Gone), ("new", Verdict::New)]);
    assert_eq!(changes[0].cell.version, "2");
    insta::assert_snapshot!(to_text(&changes));
}
