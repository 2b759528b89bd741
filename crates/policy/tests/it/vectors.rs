//! The shared policy vectors: 448 policies of real stacks, 36 golden normal forms, 152 attachment points.

use std::fs;
use std::path::{Path, PathBuf};

use bartizan_policy::compile::{Open, Sides};
use bartizan_policy::{Diagnostic, NormalLimits, Options, Policies, Problem, compile, read};
use bartizan_testkit::csv::{self, Record};
use bartizan_testkit::vectors::{Expectations, Report, root};

use crate::xml::{difference, document, tree};

fn folder() -> Option<PathBuf> {
    root().map(|root| root.join("policy"))
}

fn expectations(list: &str) -> Expectations {
    Expectations::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it").join(list))
}

fn load(folder: &Path, file: &str) -> Policies {
    read(fs::read(folder.join(file)).expect("the file of a case"), file)
}

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

#[test]
fn every_case_parses_and_has_the_counted_alternatives() {
    let Some(folder) = folder() else { return };
    let mut report = Report::new("policy cases", Expectations::default());
    for row in csv::read(folder.join("cases.csv")) {
        report.enter(&row["case_id"], parse_and_count(&folder, &row));
    }
    report.finish(448);
}

fn parse_and_count(folder: &Path, row: &Record) -> Result<(), String> {
    let policies = load(folder, &row["file"]);
    let position: usize = row["position"].parse().expect("a number");
    let policy = policies.nth(position).map_err(|error| error.to_string())?;
    ensure(policy.is_usable(), || policies.render())?;
    let id = policy.identity.label().unwrap_or("");
    ensure(id == &row["policy_id"], || format!("Id {id:?} instead of {:?}", &row["policy_id"]))?;
    ensure(policy.wsp.uri() == &row["policy_version"], || format!("version {:?}", policy.wsp))?;
    for diagnostic in &policy.diagnostics {
        if let Problem::Foreign { namespace, .. } = &diagnostic.problem {
            let known = row["other_namespaces"].split(' ').any(|other| other == namespace.as_ref());
            ensure(known, || format!("foreign namespace {namespace} is not in the list"))?;
        }
    }
    let normal = policy.normalise(NormalLimits::default()).map_err(|error| error.to_string())?;
    let count = normal.alternatives.len();
    ensure(count.to_string() == row["alternatives"], || format!("{count} alternatives"))?;
    // The normal form is a fixed point, and says the same when it is read again.
    let again = read(normal.to_xml().map_err(|error| error.to_string())?, "again.xml");
    let again = again.nth(0).map_err(|error| error.to_string())?;
    ensure(again.is_usable(), || format!("{:?}", again.diagnostics))?;
    let twice = again.normalise(NormalLimits::default()).map_err(|error| error.to_string())?;
    let (once, twice) = (normal.to_xml(), twice.to_xml());
    ensure(once == twice, || "normalising the normal form changes it".to_owned())
}

#[test]
fn golden_policies_serialise_and_normalise_as_recorded() {
    let Some(folder) = folder() else { return };
    let mut report = Report::new("policy golden", Expectations::default());
    for row in csv::read(folder.join("golden.csv")) {
        report.enter(&row["case_id"], golden(&folder, &row));
    }
    report.finish(36);
}

fn golden(folder: &Path, row: &Record) -> Result<(), String> {
    let policies = load(folder, &row["input"]);
    let policy = policies.nth(0).map_err(|error| error.to_string())?;
    ensure(policy.is_usable(), || policies.render())?;
    let compare = |ours: Vec<u8>, column: &str| {
        let theirs = fs::read(folder.join(&row[column])).expect("a golden file");
        match difference(&tree(&ours), &tree(&theirs)) {
            None => Ok(()),
            Some(what) => Err(format!("{column}: {what}\n{}", String::from_utf8_lossy(&ours))),
        }
    };
    compare(policy.to_xml().map_err(|error| error.to_string())?, "serialised")?;
    let normal = policy.normalise(NormalLimits::default()).map_err(|error| error.to_string())?;
    compare(normal.to_xml().map_err(|error| error.to_string())?, "normalised")
}

/// Options under which a policy of another stack is used: its configuration ignored, and open where it asks for nothing.
fn options(row: &Record, open: Open) -> Options {
    let ignore = row["other_namespaces"].split(' ').map(Into::into).collect();
    Options { ignore, open, ..Options::default() }
}

#[test]
fn every_asymmetric_policy_compiles_and_says_what_of_it_is_not_built() {
    let Some(folder) = folder() else { return };
    let mut report = Report::new("policy asymmetric, complete", expectations("asymmetric_incomplete.tsv"));
    let (mut compiled, mut only_open, mut misplaced) = (0, 0, 0);
    for row in csv::read(folder.join("cases.csv")) {
        if !row["top_assertions"].split(' ').any(|name| name == "AsymmetricBinding") {
            continue;
        }
        let policies = load(&folder, &row["file"]);
        let policy = policies.nth(row["position"].parse().expect("a number")).expect("present");
        let partial = compile::partial(Sides::both(policy), &options(&row, Open::Said));
        let partial = match partial {
            Ok(partial) => partial,
            Err(problems) => {
                // Rampart put supporting tokens into a binding.
                let codes: Vec<_> = problems.iter().map(Diagnostic::code).collect();
                assert!(
                    codes.iter().all(|code| *code == "misplaced_assertion"),
                    "{}: {codes:?}",
                    &row["case_id"]
                );
                misplaced += 1;
                continue;
            }
        };
        compiled += 1;
        for missing in partial.missing() {
            assert_eq!(missing.code(), "not_compiled", "{}: {missing}", &row["case_id"]);
            assert!(missing.is_error() && missing.position.is_some(), "{}: {missing}", &row["case_id"]);
        }
        let complete = partial.complete();
        if complete.is_ok() && compile(Sides::both(policy), &options(&row, Open::Refused)).is_err() {
            only_open += 1;
        }
        let said =
            |missing: Vec<Diagnostic>| missing.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        report.enter(&row["case_id"], complete.map(drop).map_err(said));
    }
    assert_eq!((compiled, misplaced), (141, 1));
    eprintln!(
        "policy asymmetric: {compiled} compile, {only_open} of the complete ones only with open = true"
    );
    report.finish(116);
}

#[test]
fn every_other_binding_compiles_or_is_named_as_not_built() {
    let Some(folder) = folder() else { return };
    let (mut named, mut incomplete, mut fragments, mut tokens, mut transport, mut symmetric) =
        (0, 0, 0, 0, 0, 0);
    for row in csv::read(folder.join("cases.csv")) {
        if row["top_assertions"].split(' ').any(|name| name == "AsymmetricBinding") {
            continue;
        }
        let policies = load(&folder, &row["file"]);
        let policy = policies.nth(row["position"].parse().expect("a number")).expect("present");
        let compiled = compile(Sides::both(policy), &options(&row, Open::Said));
        let Err(problems) = compiled else {
            let top = &row["top_assertions"];
            // Protected by TLS; else nothing but a UsernameToken, and perhaps a Timestamp.
            if top.contains("TransportBinding") {
                transport += 1;
            } else if top.contains("SymmetricBinding") {
                symmetric += 1;
            } else {
                assert!(top.contains("SupportingTokens"), "{}", &row["case_id"]);
                tokens += 1;
            }
            continue;
        };
        let binding = row["top_assertions"].split(' ').any(|name| name.ends_with("Binding"));
        if binding {
            let codes: Vec<_> = problems.iter().map(|problem| problem.code()).collect();
            if codes.contains(&"not_compiled") {
                named += 1;
            } else {
                // Rampart wrote transport bindings that do not name their token, and symmetric ones that contradict themselves or hold what does not
                // belong there.
                let wrong = [["incomplete"], ["contradiction"], ["misplaced_assertion"]];
                assert!(wrong.iter().any(|one| codes == one), "{}: {codes:?}", &row["case_id"]);
                incomplete += 1;
            }
        } else {
            let codes: Vec<_> = problems.iter().map(|problem| problem.code()).collect();
            assert!(codes.contains(&"fragment"), "{}: {codes:?}", &row["case_id"]);
            fragments += 1;
        }
        assert!(
            problems.iter().all(|problem| problem.position.is_some()),
            "{}: {problems:?}",
            &row["case_id"]
        );
    }
    assert_eq!(
        (named, incomplete, fragments, tokens, transport, symmetric),
        (80, 13, 80, 9, 36, 88),
        "bindings with something not built, without a token, fragments, policies of a UsernameToken alone, of TLS, symmetric ones"
    );
}

#[test]
fn every_attachment_point_is_found_and_resolves() {
    let Some(folder) = folder() else { return };
    let mut report = Report::new("policy attachments", Expectations::default());
    let rows = csv::read(folder.join("attachments.csv"));
    let mut files: Vec<&str> = rows.iter().map(|row| &row["file"]).collect();
    files.dedup();
    for file in files {
        let document = document(&fs::read(folder.join(file)).expect("a WSDL"));
        let found = bartizan_policy::attach::attachments(&document);
        let wanted: Vec<&Record> = rows.iter().filter(|row| &row["file"] == file).collect();
        assert_eq!(found.len(), wanted.len(), "{file}");
        for (number, (ours, row)) in found.iter().zip(wanted).enumerate() {
            let reference = ours.reference.as_deref().unwrap_or("");
            let same = ours.point == row["attach_point"]
                && ours.subject.name() == &row["subject"]
                && reference == &row["reference"]
                && ours.policy.is_usable();
            let outcome = ensure(same, || format!("{} {} {reference}", ours.point, ours.subject.name()));
            report.enter(&format!("{file}#{number}"), outcome);
        }
    }
    report.finish(152);
}

#[test]
fn the_only_operation_of_a_wsdl_is_what_is_meant() {
    let Some(folder) = folder() else { return };
    let file = "wsdl-attached/sts__binarysecuritytoken__DoubleIt.wsdl";
    let loaded = bartizan_policy::load(fs::read(folder.join(file)).expect("a WSDL"), file);
    let only = loaded.only().expect("one operation");
    assert_eq!(only.name(), Some("DoubleItAsymmetricBSTBinding/DoubleIt"));
    // Its parts came from input and output, its binding from the binding.
    assert!(only.policies().all(|policy| policy.diagnostics.iter().all(|found| found.code() != "fragment")));
}

#[test]
fn whatever_a_file_holds_reading_it_does_not_panic() {
    let Some(root) = root() else { return };
    let mut waiting = vec![root.join("policy"), root.join("wss"), root.join("c14n")];
    let (mut files, mut policies) = (0, 0);
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                waiting.push(path);
            } else if let Ok(bytes) = fs::read(&path) {
                // Whole, and cut off in the middle.
                let half = bytes[..bytes.len() / 2].to_vec();
                policies += read(bytes, "any").policies().len();
                let _ = read(half, "half").render();
                files += 1;
            }
        }
    }
    eprintln!("policy: {files} files of any kind read, {policies} policies in them");
    assert!(policies >= 448, "{policies}");
}
