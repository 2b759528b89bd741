//! The XML conformance suite of the W3C, and documents of a generator with the verdicts of two other parsers. Both are
//! prepared by `interop/w3c/run.sh`; `BARTIZAN_W3C` names the folder. What libxml2 says was recorded there, so that this
//! test runs without it.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use bartizan_testkit::csv::{self, Record};
use bartizan_testkit::vectors::say;
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::{Budget, Document, Element, ErrorKind, Limits, NodeKind, Profile};

/// What is accepted and refused of each class: the counts of the suite, so that nothing falls out of it unseen. Two
/// documents are ill-formed up to the fourth edition only; `wf` holds them again, as the fifth sees them.
const COUNTS: [(&str, usize, usize); 6] =
    [("not-wf", 2, 244), ("wf", 70, 0), ("no-ns", 0, 2), ("word", 3, 0), ("dtd", 0, 2_186), ("cut", 704, 1)];

type Read = Result<Document, ErrorKind>;

/// The prepared folder. `None`, said loudly, if there is none.
#[allow(clippy::disallowed_methods, reason = "where test data lies is told by the environment")]
fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("BARTIZAN_W3C").map(|path| PathBuf::from(path).join("prepared"));
    if let Some(folder) = folder.filter(|folder| folder.join("cases.csv").is_file()) {
        return Some(folder);
    }
    let required = std::env::var_os("BARTIZAN_REQUIRE_W3C").is_some_and(|v| v == "1");
    assert!(!required, "BARTIZAN_W3C names no folder that interop/w3c/run.sh prepared");
    say(
        "\n##########\n# NO W3C SUITE: nothing was checked. Run interop/w3c/run.sh DIR and set BARTIZAN_W3C=DIR.\n##########",
    );
    None
}

fn parse(octets: &[u8], profile: Profile) -> Read {
    let limits = Limits::generous();
    Document::parse(octets.to_vec(), profile, &mut Budget::new(&limits)).map_err(|error| error.kind())
}

/// The canonical form of the whole document with its comments, or why there is none.
fn form(document: &Document) -> Result<Vec<u8>, ErrorKind> {
    let mut octets = Vec::new();
    let method = C14n::new(C14nMethod::Inclusive10WithComments);
    method.write_document(document, &mut octets).map_err(|error| error.kind())?;
    Ok(octets)
}

fn has_instruction(document: &Document) -> bool {
    let pi = |element: Element<'_>| element.children().any(|node| node.kind() == NodeKind::Pi);
    let root = document.root();
    document.children().any(|node| node.kind() == NodeKind::Pi) || pi(root) || root.descendants().any(pi)
}

/// What the message profile makes of a document: the same tree, or a refusal for one of the reasons that it adds, of
/// which that of instructions is given if and only if there are some.
fn check_message_profile(octets: &[u8], bare: &Read) -> Result<(), String> {
    match (bare, parse(octets, Profile::Message)) {
        (Err(_), Err(_)) => Ok(()),
        (Err(kind), Ok(_)) => Err(format!("messages accept what is refused as {kind:?}")),
        (Ok(bare), Ok(_)) if has_instruction(bare) => Err("messages accept an instruction".to_owned()),
        (Ok(bare), Ok(message)) if form(bare) == form(&message) => Ok(()),
        (Ok(_), Ok(_)) => Err("the profiles read different trees".to_owned()),
        (Ok(bare), Err(ErrorKind::ProcessingInstruction)) if has_instruction(bare) => Ok(()),
        (Ok(_), Err(ErrorKind::NamespaceUri | ErrorKind::RelativeNamespace)) => Ok(()),
        (Ok(_), Err(ErrorKind::Encoding | ErrorKind::EncodingMismatch)) if octets.starts_with(b"<?xml") => {
            Ok(())
        }
        (Ok(_), Err(kind)) => Err(format!("a message is refused as {kind:?}, the document is not")),
    }
}

/// Judges one case by its class and the reason that is listed for it.
fn check(
    case: &Record,
    octets: &[u8],
    canonical: Option<Vec<u8>>,
    listed: Option<&str>,
) -> Result<(), String> {
    let read = parse(octets, Profile::Bare);
    check_message_profile(octets, &read)?;
    let verdict = match &read {
        Ok(_) => "accepted".to_owned(),
        Err(kind) => format!("{kind:?}"),
    };
    let expected = match &case["class"] {
        "wf" | "cut" => listed.unwrap_or("accepted"),
        "dtd" => listed.unwrap_or("Dtd"),
        "word" => "accepted",
        _ => listed.ok_or_else(|| format!("no reason is listed; it is {verdict}"))?,
    };
    if verdict != expected {
        return Err(format!("{verdict} instead of {expected}"));
    }
    let Ok(document) = read else { return Ok(()) };
    match (form(&document), canonical) {
        (Ok(ours), Some(theirs)) if ours != theirs => {
            Err("its canonical form is not that of libxml2".to_owned())
        }
        (Ok(_), None) if &case["class"] == "wf" => Err("libxml2 has no canonical form".to_owned()),
        (Err(ErrorKind::RelativeNamespace), None) | (Ok(_), _) => Ok(()),
        (Err(kind), _) => Err(format!("no canonical form: {kind:?}")),
    }
}

#[test]
fn attack_par_16_w3c_suite_is_judged_as_listed_with_the_canonical_forms_of_libxml2() {
    let Some(folder) = folder() else { return };
    let mut listed: BTreeMap<&str, &str> = include_str!("lists/w3c.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_once('\t').unwrap())
        .collect();
    let mut counts: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in csv::read(folder.join("cases.csv")) {
        let octets = fs::read(folder.join(&case["document"])).unwrap();
        let canonical =
            (!case["canonical"].is_empty()).then(|| fs::read(folder.join(&case["canonical"])).unwrap());
        let count = counts.entry(case["class"].to_owned()).or_default();
        count[0] += 1;
        count[usize::from(parse(&octets, Profile::Bare).is_err()) + 1] += 1;
        if let Err(why) = check(&case, &octets, canonical, listed.remove(&case["id"])) {
            wrong.push(format!("{}\t{}: {why}", &case["id"], &case["class"]));
        }
    }
    wrong.extend(listed.keys().map(|id| format!("{id}: listed but not in the suite")));
    for (class, [all, accepted, refused]) in &counts {
        say(&format!("w3c {class}: {all}, accepted {accepted}, refused {refused}"));
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    for (class, accepted, refused) in COUNTS {
        assert_eq!(counts[class], [accepted + refused, accepted, refused], "{class}");
    }
}

/// The next `n` octets of `rest`.
fn take<'r>(rest: &mut &'r [u8], n: usize) -> &'r [u8] {
    let (taken, left) = rest.split_at(n);
    *rest = left;
    taken
}

#[test]
fn attack_par_17_what_is_accepted_is_accepted_by_libxml2_and_by_expat_with_one_canonical_form() {
    let Some(folder) = folder() else { return };
    let octets = fs::read(folder.join("generated.bin")).unwrap();
    let (mut rest, mut counts) = (&octets[..], BTreeMap::<(bool, &str), usize>::new());
    let mut wrong = Vec::new();
    while !rest.is_empty() {
        let lengths: Vec<usize> = take(&mut rest, 12)
            .chunks_exact(4)
            .map(|n| u32::from_le_bytes(n.try_into().unwrap()) as usize)
            .collect();
        let text = take(&mut rest, lengths[0]);
        let theirs = take(&mut rest, lengths[1]);
        let verdict = std::str::from_utf8(take(&mut rest, lengths[2])).unwrap();
        let read = parse(text, Profile::Bare);
        *counts.entry((read.is_ok(), verdict)).or_default() += 1;
        let shown = || String::from_utf8_lossy(text).into_owned();
        if let Err(why) = check_message_profile(text, &read) {
            wrong.push(format!("{why}: {:?}", shown()));
        }
        match read {
            Ok(_) if verdict != "both" => wrong.push(format!("accepted; {verdict}: {:?}", shown())),
            // Stricter than both on purpose: no version but 1.0 (they take "1." and "1.7").
            Err(kind) if verdict == "both" && kind != ErrorKind::Declaration => {
                wrong.push(format!("refused as {kind:?}, both accept: {:?}", shown()));
            }
            // libxml2 makes no form where a namespace name is no URI.
            Ok(document) if !theirs.is_empty() && form(&document).as_deref() != Ok(theirs) => {
                wrong.push(format!("differs: {:?}", shown()));
            }
            _ => {}
        }
    }
    for ((accepted, verdict), count) in &counts {
        let ours = if *accepted { "accepted" } else { "refused" };
        say(&format!("generated: {count} {ours} here, read elsewhere by {verdict}"));
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
    let both = |accepted| counts.get(&(accepted, "both")).copied().unwrap_or(0);
    assert!(both(true) > 5_000 && counts.values().sum::<usize>() >= 30_000, "{counts:?}");
}
