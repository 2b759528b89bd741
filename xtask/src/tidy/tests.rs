use super::{File, Finding, attacks, limits, run, source};

fn check(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    source::check(&File { path: path.to_owned(), text: text.to_owned() }, &mut findings);
    findings
}

fn rules(path: &str, text: &str) -> Vec<&'static str> {
    check(path, text).into_iter().map(|finding| finding.rule).collect()
}

#[test]
fn the_workspace_is_tidy() {
    let report = run(&crate::workspace_root()).unwrap();
    let list: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
    assert!(list.is_empty(), "{} findings:\n{}", list.len(), list.join("\n"));
    assert!(report.files > 50, "only {} files were read", report.files);
}

#[test]
fn long_file_is_found() {
    let text = format!("//! doc\n{}", "const A: u8 = 1;\n".repeat(500));
    assert_eq!(rules("crates/xml/src/a.rs", &text), ["file-length"]);
    assert_eq!(rules("crates/xml/src/a/tests.rs", &text), Vec::<&str>::new());
}

#[test]
fn vague_names_are_found() {
    assert_eq!(rules("crates/xml/src/util.rs", "//! doc\n"), ["module-names"]);
    assert_eq!(rules("crates/xml/src/doc/mod.rs", "//! doc\n"), ["module-names"]);
}

#[test]
fn uri_outside_its_home_is_found() {
    let text = format!("//! doc\nconst A: &str = \"http://{}/x\";\n", "www.w3.org");
    assert_eq!(rules("crates/soap/src/a.rs", &text), ["uris"]);
    assert_eq!(rules("crates/xml/src/names/uri.rs", &text), Vec::<&str>::new());
}

#[test]
fn error_file_rules_are_checked() {
    let text = "//! doc\npub enum Error {\n    Bad(String),\n}\nfn f() { match x {\n    _ => 1,\n} }\n";
    assert_eq!(rules("crates/soap/src/error.rs", text), ["errors", "errors"]);
}

#[test]
fn bags_are_found_and_can_be_explained() {
    let fields: String = (0..13).map(|n| format!("    pub f{n}: u8,\n")).collect();
    let bag = format!("//! doc\npub struct Bag {{\n{fields}}}\n");
    assert_eq!(rules("crates/soap/src/a.rs", &bag), ["bags"]);
    let explained = format!("//! doc\n// tidy: bag, one column each\npub struct Bag {{\n{fields}}}\n");
    assert_eq!(rules("crates/soap/src/a.rs", &explained), Vec::<&str>::new());
}

#[test]
fn inline_tests_and_missing_docs_are_found() {
    assert_eq!(rules("crates/soap/src/a.rs", "mod tests {\n}\n"), ["module-docs", "test-files"]);
}

#[test]
fn forged_verified_is_found() {
    let file = File {
        path: "crates/wss/src/inbound/conform.rs".to_owned(),
        text: "//! doc\nfn f() { let v = Verified { x }; }\n".to_owned(),
    };
    let mut findings = Vec::new();
    source::check_makers(&[file], &mut findings);
    assert_eq!(findings.len(), 1);
}

#[test]
fn attack_rows_and_tests_must_agree() {
    let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
    let test = |row: &str| format!("fn {}{row}_x_is_refused() {{}}", "attack_");
    let rows =
        "| XSW-01 | a | tested |\n| XSW-02 | b | tested |\n| XSW-03 | c | needs SAML |\n| XSW-04 | d | |\n";
    let tests = [test("xsw_01"), test("xsw_03"), test("xsw_09")].join("\n");
    let mut findings = Vec::new();
    attacks::check(&[file("docs/attacks.md", rows), file("crates/wss/tests/it/a.rs", &tests)], &mut findings);
    let lines: Vec<usize> = findings.iter().map(|finding| finding.line).collect();
    assert_eq!(lines, [2, 3, 4, 1], "{findings:?}");
}

#[test]
fn claims_that_name_rows_without_tests_are_found() {
    let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
    let test = |row: &str| format!("fn {}{row}_x_is_refused() {{}}", "attack_");
    let tests = format!("{}\n{}\n", test("xsw_01"), test("xsw_03"));
    let rows = "| XSW-01 | a | tested |\n| XSW-02 | b | not built |\n| XSW-03 | c | tested |\n";
    let found = |claim: &str| {
        let mut findings = Vec::new();
        let files = [
            file("docs/attacks.md", rows),
            file("crates/wss/tests/it/a.rs", &tests),
            file("THREAT-MODEL.md", &format!("| C1 | a claim. | {claim} |\n")),
        ];
        attacks::check(&files, &mut findings);
        findings.len()
    };
    assert_eq!(found("XSW-01, XSW-03"), 0);
    assert_eq!(found("XSW-01 to XSW-03"), 1);
    assert_eq!(found("XSW-02; XSW-09"), 2);
    assert_eq!(found("XSW-02 is not run yet; XSW-01"), 0);
}

#[test]
fn public_limit_without_a_row_and_row_without_a_test_are_found() {
    let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
    let code = "//! doc\npub struct NewLimits {\n    /// A.\n    pub most: usize,\n}\npub const MAX_X: usize = 1;\nconst MAX_Y: u8 = 2;\n";
    let tests = "#[test]\nfn limit_most() {}\n#[test]\nfn limit_x() {}\n";
    let found = |table: &str| {
        let files = [
            file("docs/limits.md", table),
            file("crates/xml/src/a.rs", code),
            file("crates/xml/tests/it/a.rs", tests),
        ];
        let mut findings = Vec::new();
        limits::check(&files, &mut findings);
        findings.into_iter().map(|finding| (finding.path, finding.line)).collect::<Vec<_>>()
    };
    let both = "| `NewLimits::most` | 1 | `limit_most` |\n| `MAX_X` | 1 | `limit_x`, `limit_most` |\n";
    assert_eq!(found(both), []);
    let one = "| `MAX_X` | 1 | `limit_x` |\n";
    assert_eq!(found(one), [("crates/xml/src/a.rs".to_owned(), 4)]);
    let stale = both.replace("`limit_x`", "`limit_z`");
    assert_eq!(found(&stale), [("docs/limits.md".to_owned(), 2)]);
}

#[test]
fn ledger_lines_that_name_rows_or_tests_that_are_not_there_are_found() {
    let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
    let tests = format!("fn {}xsw_01_x_is_refused() {{}}\nfn some_test_of_ours() {{}}\n", "attack_");
    let found = |shown: &str| {
        let mut findings = Vec::new();
        let files = [
            file("docs/attacks.md", "| XSW-01 | a | tested |\n| XSW-02 | b | not built |\n"),
            file("crates/wss/tests/it/a.rs", &tests),
            file(
                "docs/cve-ledger.md",
                &format!("| CVE-2026-0001 | flaw | XSW-02 is said here | {shown} |\n"),
            ),
        ];
        attacks::check(&files, &mut findings);
        findings.len()
    };
    assert_eq!(found("XSW-01, `some_test_of_ours`, `cargo xtask oracle`"), 0);
    assert_eq!(found("none: not built"), 0);
    assert_eq!(found("XSW-01, XSW-02"), 1);
    assert_eq!(found("`some_test_of_theirs`"), 1);
}
