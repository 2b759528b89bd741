//! The rules of the house that a program can check. Run by `cargo xtask tidy` and by an ordinary test.
//!
//! A finding can be excused by a line `RULE PATH REASON…` in `xtask/tidy-allow.txt`; an excuse that
//! no longer excuses anything is itself a finding, so the list can only shrink.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

mod attacks;
mod layers;
mod limits;
mod source;
mod text;

#[cfg(test)]
mod tests;

/// Every rule with what it demands.
pub(crate) const RULES: &[(&str, &str)] = &[
    ("layers", "a crate depends only on crates of lower layers; testkit and xtask on none of ours"),
    ("lints", "every crate takes the workspace lints (crypto-sys has its own)"),
    ("uris", "URIs of the specifications stand in xml/names and crypto/alg only"),
    ("one-maker", "Verified and WireMessage are each made in one file"),
    ("file-length", "at most 500 lines without tests"),
    ("module-names", "no mod.rs, no util, common, helpers or misc"),
    ("test-files", "unit tests in foo/tests.rs, not inline"),
    ("module-docs", "every file opens with what it is (//!)"),
    ("errors", "error files hold no String variants and no `_` in a match"),
    ("bags", "no struct of more than 12 public fields, no trait of more than 10 methods"),
    ("ignores", "an ignored test says why"),
    ("attacks", "docs/attacks.md and the tests named after its rows agree"),
    ("limits", "every public limit has a row in docs/limits.md with its test"),
    ("links", "relative links in the documents resolve"),
];

/// One breach of one rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    pub(crate) rule: &'static str,
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: [{}] {}", self.path, self.line, self.rule, self.what)
    }
}

/// What a run saw.
pub(crate) struct Report {
    pub(crate) files: usize,
    pub(crate) findings: Vec<Finding>,
}

/// A text file of the workspace.
pub(crate) struct File {
    /// Relative to the root, with forward slashes.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl File {
    /// The folder name below `crates`, if it is a product crate.
    pub(crate) fn krate(&self) -> Option<&str> {
        self.path.strip_prefix("crates/")?.split('/').next()
    }

    pub(crate) fn is_test(&self) -> bool {
        self.path.contains("/tests/") || self.path.ends_with("/tests.rs") || self.path.contains("/benches/")
    }
}

pub(crate) fn run(root: &Path) -> Result<Report> {
    let files = read_files(root)?;
    let mut findings = layers::check(root)?;
    for file in &files {
        if file.path.ends_with(".rs") {
            source::check(file, &mut findings);
        }
        text::check(root, file, &mut findings);
    }
    source::check_makers(&files, &mut findings);
    attacks::check(&files, &mut findings);
    limits::check(&files, &mut findings);
    excuse(root, &mut findings)?;
    findings.sort();
    Ok(Report { files: files.len(), findings })
}

fn excuse(root: &Path, findings: &mut Vec<Finding>) -> Result<()> {
    const LIST: &str = "xtask/tidy-allow.txt";
    let list = fs::read_to_string(root.join(LIST)).unwrap_or_default();
    let mut unused = Vec::new();
    for (number, line) in list.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let mut words = line.split_whitespace();
        let (Some(rule), Some(path), Some(_)) = (words.next(), words.next(), words.next()) else {
            unused.push((number + 1, "expected RULE PATH REASON".to_owned()));
            continue;
        };
        let before = findings.len();
        findings.retain(|finding| !(finding.rule == rule && finding.path == path));
        if findings.len() == before {
            unused.push((number + 1, format!("excuses nothing any more: {rule} {path}")));
        }
    }
    findings.extend(unused.into_iter().map(|(line, what)| Finding {
        rule: "excuses",
        path: LIST.to_owned(),
        line,
        what,
    }));
    Ok(())
}

fn read_files(root: &Path) -> Result<Vec<File>> {
    let mut files = Vec::new();
    let mut folders: Vec<PathBuf> = vec![root.to_path_buf()];
    let skip: BTreeSet<&str> = ["target", ".git", ".cache", "node_modules", "corpus", "snapshots"].into();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("reading {}", folder.display()))? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if path.is_dir() {
                if !skip.contains(name) {
                    folders.push(path);
                }
            } else if name.ends_with(".rs") || name.ends_with(".md") || name == "Cargo.toml" {
                let text =
                    fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
                let path = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
                files.push(File { path, text });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}
