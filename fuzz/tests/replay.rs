//! Every file of every corpus, on a stable compiler: what a fuzzer once found stays found.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use bartizan_fuzz::TARGETS;

/// Files that each corpus has at least, so that none can shrink unseen.
const LEAST: &[(&str, usize)] = &[
    ("c14n_diff", 120),
    ("config_read", 90),
    ("dsig_verify", 120),
    ("enc_open", 115),
    ("http_head", 125),
    ("jks", 100),
    ("p12", 120),
    ("policy_read", 110),
    ("wss_inbound", 118),
    ("wss_users", 118),
    ("xml_tokens", 120),
];

fn files(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let listing = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = listing.map(|entry| entry.expect("readable").path()).collect();
    files.sort();
    files
}

#[test]
fn every_file_of_every_corpus_passes() {
    for (name, run) in TARGETS {
        let began = Instant::now();
        let files = files(name);
        for file in &files {
            let octets = fs::read(file).expect("readable");
            let outcome = std::panic::catch_unwind(|| run(&octets));
            assert!(outcome.is_ok(), "{name}: {}", file.display());
        }
        println!("{name:12} {:5} files {:6} ms", files.len(), began.elapsed().as_millis());
    }
}

#[test]
fn no_corpus_has_shrunk() {
    for (name, _) in TARGETS {
        let least = LEAST.iter().find(|(listed, _)| listed == name).map(|(_, least)| *least);
        let least = least.unwrap_or_else(|| panic!("{name} is not listed"));
        let found = files(name).len();
        assert!(found >= least, "{name}: {found} files, {least} expected");
    }
    assert_eq!(LEAST.len(), TARGETS.len());
}
