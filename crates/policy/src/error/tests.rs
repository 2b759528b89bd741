use super::lines::Lines;
use super::nearest::nearest;
use super::{Diagnostic, Position, Problem};

#[test]
fn position_counts_lines_and_characters_from_one() {
    let text = "a\néb<c";
    let at = Position::of(text, text.find('<').expect("there"));
    assert_eq!((at.line, at.column, at.offset), (2, 3, 5));
    assert_eq!(Position::of(text, 999).offset, text.len());
    assert_eq!(Position::of(text, 3).offset, 2, "inside of a character: its start");
}

#[test]
fn positions_by_points_are_those_by_counting() {
    let text = "é<a>\n\n".repeat(400) + &"x".repeat(3_000) + "\ny€";
    let lines = Lines::new(&text);
    for offset in 0..text.len() + 3 {
        assert_eq!(lines.position(offset), Position::of(&text, offset), "{offset}");
    }
    assert_eq!(Lines::new("").position(7), Position::of("", 7));
}

#[test]
fn a_slip_of_the_pen_finds_its_name() {
    let names = ["Basic256", "Basic128", "IncludeTimestamp", "Body"];
    assert_eq!(nearest("IncludeTimeStamp", names), Some("IncludeTimestamp"));
    assert_eq!(nearest("Bodi", names), Some("Body"));
    assert_eq!(nearest("SomethingElse", names), None);
    assert_eq!(nearest("", names), None);
}

#[test]
fn rendering_shows_the_line_and_a_caret() {
    let source = "<a>\n  <sp:Basic265/>\n</a>\n";
    let problem =
        Problem::UnknownAssertion { name: "Basic265".into(), nearest: Some("Basic256"), namespace_of: None };
    let shown = Diagnostic::new(problem, Some(Position::of(source, 6))).render("p.xml", source);
    assert_eq!(
        shown,
        "error: unknown assertion `Basic265`\n  --> p.xml:2:3\n   |\n 2 |   <sp:Basic265/>\n   |   ^\nhelp: did you mean `Basic256`?\n"
    );
}

#[test]
fn a_very_long_line_is_cut_around_the_caret() {
    let source = format!("{}<x/>{}", "a".repeat(5000), "b".repeat(5000));
    let shown = Diagnostic::new(Problem::Fragment, Some(Position::of(&source, 5000))).render("p", &source);
    let mut lines = shown.lines().skip(3);
    let line = lines.next().expect("the source line");
    let caret = lines.next().expect("the caret line");
    assert!(line.chars().count() < 140, "{line}");
    let at = caret.chars().position(|c| c == '^').expect("a caret");
    assert_eq!(line.chars().nth(at), Some('<'));
}
