//! Do the parts of a configuration fit together?

use std::collections::HashSet;
use std::ops::Range;

use super::{Config, Diagnostic, Kind, PolicyName, Replay};
use crate::config::value::nearest;
use crate::error::Problem;

/// Finds what contradicts itself within the configuration. Opens no file.
pub fn check(config: &Config) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if config.services.is_empty() {
        found.push(Diagnostic::error(Problem::NoService, 0..0));
    }
    if config.server.failure_quantum.is_zero() {
        found.push(Diagnostic::warning(Problem::QuantumOff, config.server.failure_quantum_at.clone()));
    }
    names(config, &mut found);
    services(config, &mut found);
    for set in config.keys.values() {
        for problem in key_set(set) {
            found.push(Diagnostic::error(problem, set.at.clone()));
        }
        if let Some(bits) = set.min_rsa.filter(|bits| *bits < crate::keyset::MIN_RSA) {
            found.push(Diagnostic::warning(Problem::SmallRsa(bits), set.at.clone()));
        }
    }
    found
}

/// Paths and listeners' names stand once.
fn names(config: &Config, found: &mut Vec<Diagnostic>) {
    let mut paths = HashSet::new();
    for service in &config.services {
        if !paths.insert(&service.path.value) {
            let problem = Problem::Twice { what: "path", value: service.path.value.clone() };
            found.push(Diagnostic::error(problem, service.path.at.clone()));
        }
    }
    let mut listeners = HashSet::new();
    for listener in &config.listeners {
        let address = &listener.address;
        if !listeners.insert(address.value) && address.value.port() != 0 {
            let problem = Problem::Twice { what: "address", value: address.value.to_string() };
            found.push(Diagnostic::error(problem, address.at.clone()));
        }
    }
}

fn services(config: &Config, found: &mut Vec<Diagnostic>) {
    let public = config.listeners.iter().any(|listener| !listener.address.value.ip().is_loopback());
    for service in &config.services {
        if !is_path(&service.path.value) {
            let problem = Problem::Path { written: service.path.value.clone() };
            found.push(Diagnostic::error(problem, service.path.at.clone()));
        }
        if service.kind.value == Kind::Mirror && public {
            found.push(Diagnostic::error(Problem::LoopbackOnly(Kind::Mirror), service.kind.at.clone()));
        }
        if let PolicyName::Section(name) = &service.policy.value
            && !config.policies.contains(name)
        {
            let known = config.policies.iter().map(String::as_str);
            found.push(no_such("policy", name, known, &service.policy.at));
        }
        if let Some(keys) = &service.keys
            && !config.keys.contains_key(&keys.value)
        {
            let known = config.keys.keys().map(String::as_str);
            found.push(no_such("keys", &keys.value, known, &keys.at));
        }
        let open = service.policy.value == PolicyName::Open;
        if open && !service.open {
            found.push(Diagnostic::error(Problem::OpenUnsaid, service.policy.at.clone()));
        }
        if !open && service.replay == Replay::Off {
            found.push(Diagnostic::warning(Problem::ReplayOff, service.path.at.clone()));
        }
    }
}

fn no_such<'k>(
    what: &'static str,
    name: &str,
    known: impl Iterator<Item = &'k str>,
    at: &Range<usize>,
) -> Diagnostic {
    let nearest = nearest(name, known).map(str::to_owned);
    Diagnostic::error(Problem::NoSuch { what, name: name.to_owned(), nearest }, at.clone())
}

/// What contradicts itself within one key set.
fn key_set(set: &super::KeySet) -> Vec<Problem> {
    let mut problems = Vec::new();
    let given = [
        ("folder", set.folder.is_some()),
        ("certificate", set.certificate.is_some()),
        ("pkcs12", set.pkcs12.is_some()),
        ("jks", set.jks.is_some()),
        ("merlin", set.merlin.is_some()),
    ];
    let mut sources = given.iter().filter(|(_, there)| *there).map(|(name, _)| *name);
    if let (Some(one), Some(other)) = (sources.next(), sources.next()) {
        problems.push(Problem::Both(one, other));
    }
    if set.private_key.is_some() && set.certificate.is_none() {
        problems.push(Problem::Needs("private_key", "certificate"));
    }
    // Of Merlin they are aliases.
    if set.folder.is_none() && set.merlin.is_none() {
        for (name, there) in [("name", set.name.is_some()), ("peer_name", set.peer_name.is_some())] {
            if there {
                problems.push(Problem::Needs(name, "folder"));
            }
        }
    }
    problems
}

/// Whether `path` can be the path of a request as we compare it: from the root, visible
/// ASCII, neither query nor fragment, nothing that means another path.
fn is_path(path: &str) -> bool {
    let plain = path.bytes().all(|byte| byte.is_ascii_graphic() && !b"?#\\\"<>^`{|}".contains(&byte));
    path.starts_with('/') && plain && !path.split('/').any(|step| step == "." || step == "..")
}

#[cfg(test)]
mod tests;
