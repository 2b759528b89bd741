//! Bytes and connections: every message of every class once, its answer compared with the reference's.

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::classes::{REPLAY, Service};
use crate::forge::Forge;
use crate::server::Server;
use crate::wire::{Wire, request};

/// The requests of a service's classes, ready to be sent.
pub(crate) type Prepared = Vec<Vec<Vec<u8>>>;

/// What the answers were like.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    /// One for each class.
    pub(crate) classes: Vec<Seen>,
    /// The answer of the reference.
    pub(crate) reference: Vec<u8>,
}

/// The answers of a class.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Messages sent.
    pub(crate) sent: usize,
    /// Answers whose octets differ from the reference's.
    pub(crate) different: usize,
    /// The first of them.
    pub(crate) example: Option<Vec<u8>>,
    /// Whether connections live on after the answer, and end when asked to, without more octets.
    pub(crate) fate: bool,
    /// Reasons in the log that the class does not allow.
    pub(crate) strange: Vec<String>,
    /// Reasons in the log, each once.
    pub(crate) reasons: Vec<String>,
    /// Private-key operations of one message, fewest and most.
    pub(crate) private: (u64, u64),
}

impl Checked {
    pub(crate) fn is_clean(&self) -> bool {
        self.classes.iter().all(|seen| seen.different == 0 && seen.fate && seen.strange.is_empty())
    }
}

/// Builds the messages of a service and sends each once.
pub(crate) fn answers(forge: &Forge, service: &Service, server: &mut Server) -> Result<(Prepared, Checked)> {
    let mut prepared = Prepared::new();
    for class in &service.classes {
        let one = |n| Ok(request(service.path, &(class.make)(forge, n)?, false));
        prepared.push((0..class.variants).map(one).collect::<Result<_>>()?);
    }
    let mut checked = Checked::default();
    server.keep_records(true);
    for (class, requests) in service.classes.iter().zip(&prepared) {
        let mut wire = Wire::open(&server.address)?;
        let mut seen = Seen { private: (u64::MAX, 0), ..Seen::default() };
        if class.name == REPLAY {
            for request in requests {
                let first = wire.ask(request).context(class.name)?;
                anyhow::ensure!(first.masked.starts_with(b"HTTP/1.1 200"), "a sound message was refused");
            }
        }
        for request in requests {
            let answer = wire.ask(request).context(class.name)?;
            if checked.reference.is_empty() {
                checked.reference.clone_from(&answer.masked);
            }
            seen.sent += 1;
            if answer.masked != checked.reference {
                seen.different += 1;
                seen.example.get_or_insert(answer.masked);
            }
            let record = server.record(&answer.id)?;
            let reason = record.get("reason").and_then(Value::as_str).unwrap_or("none").to_owned();
            let expected = class.reasons.contains(&reason.as_str());
            let private = record.get("private_operations").and_then(Value::as_u64).unwrap_or(0);
            seen.private = (seen.private.0.min(private), seen.private.1.max(private));
            if !expected {
                seen.strange.push(reason.clone());
            }
            if !seen.reasons.contains(&reason) {
                seen.reasons.push(reason);
            }
        }
        // The connection took every message of the class. One that asks for the end gets it, after the answer.
        let body = (class.make)(forge, 0)?;
        let last = Wire::open(&server.address).and_then(|mut wire| {
            if class.name == REPLAY {
                wire.ask(&request(service.path, &body, false))?;
            }
            wire.ask(&request(service.path, &body, true))?;
            wire.is_closed()
        });
        seen.fate = last.context(class.name)?;
        checked.classes.push(seen);
    }
    server.keep_records(false);
    Ok((prepared, checked))
}
