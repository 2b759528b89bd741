//! The configuration file and the file of users: read, judged, every finding shown at its place.

use std::path::Path;

use bartizan_gateway::config::read::users::read_users;
use bartizan_gateway::config::{Diagnostic, Source, check, read};

fn show(found: &[Diagnostic], text: &str) {
    let source = Source { text };
    for finding in found {
        assert!(!finding.problem.to_string().is_empty());
        let _ = finding.problem.help();
        if let Some(at) = &finding.at {
            assert!(at.start <= at.end && at.end <= text.len(), "a place in the text: {at:?}");
            let place = source.place(at);
            assert!(place.line >= 1 && place.column >= 1 && place.width >= 1);
            assert!(text.contains(place.text));
        }
    }
}

/// One input: a file.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match read::read(text, Path::new("/f")) {
        Ok(config) => {
            let found = check::check(&config);
            show(&found, text);
            assert!(!config.services.is_empty() || !found.is_empty(), "nothing to serve is an error");
        }
        Err(found) => {
            assert!(!found.is_empty(), "a refusal has a reason");
            show(&found, text);
        }
    }
    users(text);
}

/// The same text as a file of users.
fn users(text: &str) {
    match read_users(text, Path::new("/f")) {
        Ok(users) => assert!(users.iter().all(|user| !user.name.is_empty())),
        Err(found) => {
            assert!(!found.is_empty(), "a refusal has a reason");
            show(&found, text);
        }
    }
}
