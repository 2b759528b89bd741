//! Rules about manifests and documents.

use std::path::Path;

use super::{File, Finding};

pub(super) fn check(root: &Path, file: &File, findings: &mut Vec<Finding>) {
    if file.path.ends_with("Cargo.toml") {
        check_lints(file, findings);
    } else if file.path.ends_with(".md") {
        check_links(root, file, findings);
    }
}

fn check_lints(file: &File, findings: &mut Vec<Finding>) {
    let ours = file.path.starts_with("crates/") || file.path.starts_with("xtask/");
    let excepted = file.path == "crates/crypto-sys/Cargo.toml";
    if ours && !excepted && !file.text.contains("[lints]\nworkspace = true") {
        findings.push(Finding {
            rule: "lints",
            path: file.path.clone(),
            line: 1,
            what: "no `[lints] workspace = true`, so `unsafe` would be allowed".to_owned(),
        });
    }
}

fn check_links(root: &Path, file: &File, findings: &mut Vec<Finding>) {
    let folder = root.join(&file.path);
    let folder = folder.parent().unwrap_or(root);
    for (number, line) in file.text.lines().enumerate() {
        for part in line.split("](").skip(1) {
            let target = part.split([')', '#', ' ']).next().unwrap_or_default();
            let elsewhere = target.is_empty() || target.contains(':') || target.starts_with('<');
            if !elsewhere && !folder.join(target).exists() {
                findings.push(Finding {
                    rule: "links",
                    path: file.path.clone(),
                    line: number + 1,
                    what: format!("the link to {target} leads nowhere"),
                });
            }
        }
    }
}
