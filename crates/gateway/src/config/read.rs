//! TOML text → [`Config`]. Finds everything that is wrong, not only the first thing.
//!
//! Judges single values only; whether they fit together is the business of `check`.

mod reuse;
mod section;
pub mod users;

use std::net::SocketAddr;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bartizan_net::HttpLimits;
use bartizan_xml::Limits;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use self::section::Section;
use super::{
    Access, Config, Diagnostic, KeySet, Kind, Listener, Placed, PolicyName, Secret, Server, Service,
};
use crate::error::Problem;

/// Name and address of the listener that is there when none is configured.
pub const DEFAULT_LISTENER: (&str, &str) = ("main", "127.0.0.1:8080");

/// Reads a configuration. `folder` is where relative paths start.
///
/// # Errors
/// All findings, in the order of the text.
pub fn read(text: &str, folder: &Path) -> Result<Config, Vec<Diagnostic>> {
    let root = match DeTable::parse(text) {
        Ok(root) => root,
        Err(error) => {
            let at = error.span().unwrap_or(0..0);
            return Err(vec![Diagnostic::error(Problem::Toml(error), at)]);
        }
    };
    let mut reader = Reader { folder, found: Vec::new() };
    let config = reader.config(root.get_ref());
    let mut found = reader.found;
    found.sort_by_key(|finding| finding.at.as_ref().map(|at| at.start));
    if found.is_empty() { Ok(config) } else { Err(found) }
}

/// The state of reading: where paths start and what was found.
struct Reader<'f> {
    folder: &'f Path,
    found: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn config(&mut self, root: &DeTable<'_>) -> Config {
        let mut config = Config::default();
        for (name, value) in root.iter() {
            match name.get_ref().as_ref() {
                "server" => config.server = self.server(value),
                "limits" => self.limits(value, &mut config),
                "keys" => self.each_named("keys", value, |reader, name, value| {
                    let set = reader.key_set(value);
                    config.keys.insert(name.to_owned(), set);
                }),
                "listener" => config.listeners = self.each("listener", value, Self::listener),
                "service" => config.services = self.each("service", value, Self::service),
                "policy" => {
                    self.each_named("policy", value, |_, name, _| config.policies.push(name.to_owned()))
                }
                "authentication" => config.users = self.authentication(value),
                "log" => (config.access, config.access_at) = self.log(value),
                _ => self.unknown_table(name),
            }
        }
        if config.listeners.is_empty() {
            let (name, address) = DEFAULT_LISTENER;
            if let Ok(address) = address.parse() {
                config.listeners.push(Listener { name: name.to_owned(), address: Placed::nowhere(address) });
            }
        }
        for service in &mut config.services {
            resolve_policy(&mut service.policy.value, &config.policies, self.folder);
        }
        config
    }

    fn unknown_table(&mut self, name: &Spanned<std::borrow::Cow<'_, str>>) {
        let known = ["server", "limits", "keys", "listener", "service", "policy", "authentication", "log"];
        self.unknown(name, "", known.into_iter());
    }

    /// Reports a key that nobody took.
    fn unknown(
        &mut self,
        name: &Spanned<std::borrow::Cow<'_, str>>,
        table: &'static str,
        known: impl Iterator<Item = &'static str>,
    ) {
        let key = name.get_ref().to_string();
        let dotted = match table.trim_matches(['[', ']']).trim_end_matches(".NAME") {
            "" => key.clone(),
            table => format!("{table}.{key}"),
        };
        let problem = if super::table::LATER.contains(&dotted.as_str()) {
            Problem::NotBuilt { key: dotted }
        } else {
            let nearest = super::value::nearest(&key, known);
            Problem::UnknownKey { key, table, nearest }
        };
        self.found.push(Diagnostic::error(problem, name.span()));
    }

    /// Reads each table of `[[name]]`.
    fn each<T>(
        &mut self,
        name: &'static str,
        value: &Spanned<DeValue<'_>>,
        read: fn(&mut Self, &Spanned<DeValue<'_>>) -> Option<T>,
    ) -> Vec<T> {
        match value.get_ref().as_array() {
            Some(tables) => tables.iter().filter_map(|table| read(self, table)).collect(),
            None => {
                self.wrong_type(name, "a list of tables, written `[[…]]`", value);
                Vec::new()
            }
        }
    }

    /// Reads each table below `[name]`.
    fn each_named(
        &mut self,
        name: &'static str,
        value: &Spanned<DeValue<'_>>,
        mut read: impl FnMut(&mut Self, &str, &Spanned<DeValue<'_>>),
    ) {
        match value.get_ref().as_table() {
            Some(tables) => tables.iter().for_each(|(name, value)| read(self, name.get_ref(), value)),
            None => self.wrong_type(name, "a table of named tables", value),
        }
    }

    fn wrong_type(&mut self, key: &'static str, wanted: &'static str, value: &Spanned<DeValue<'_>>) {
        let found = value.get_ref().type_str();
        self.found.push(Diagnostic::error(Problem::Type { key, wanted, found }, value.span()));
    }

    fn server(&mut self, value: &Spanned<DeValue<'_>>) -> Server {
        let mut server = Server::default();
        let Some(mut section) = Section::open(self, "server", value) else { return server };
        server.workers = section.workers();
        server.state = section.path("state").map(|path| path.value);
        section.set_duration("drain", &mut server.drain);
        section.set_duration("failure_quantum", &mut server.failure_quantum);
        server.failure_quantum_at = section.place("failure_quantum");
        section.close();
        server
    }

    fn limits(&mut self, value: &Spanned<DeValue<'_>>, config: &mut Config) {
        let Some(mut section) = Section::open(self, "limits", value) else { return };
        let Config { limits, http, connections, in_flight, waiting, large_bytes, .. } = config;
        section.set_size("message", &mut http.body_bytes);
        limits.message_bytes = with_plaintext(http.body_bytes);
        section.set_size("attribute_bytes", &mut limits.attribute_bytes);
        section.set_size("name_bytes", &mut limits.name_bytes);
        for (name, slot) in [
            ("depth", &mut limits.depth),
            ("children", &mut limits.children),
            ("nodes", &mut limits.nodes),
            ("attributes", &mut limits.attributes),
            ("references", &mut limits.references),
            ("transforms", &mut limits.transforms),
            ("encrypted_data", &mut limits.encrypted_data),
            ("encrypted_keys", &mut limits.encrypted_keys),
            ("headers", &mut http.headers),
            ("connections", connections),
            ("in_flight", in_flight),
            ("waiting", waiting),
        ] {
            section.set_number(name, slot);
        }
        for (name, slot) in [
            ("connections_per_peer", &mut config.connections_per_peer),
            ("in_flight_per_peer", &mut config.in_flight_per_peer),
            ("work_per_peer", &mut config.work_per_peer),
        ] {
            let mut per_peer = 0;
            section.set_number(name, &mut per_peer);
            *slot = Some(per_peer).filter(|number| *number != 0);
        }
        section.set_size("head", &mut http.head_bytes);
        section.set_size("large", large_bytes);
        section.set_duration("head_timeout", &mut http.head_timeout);
        section.set_duration("body_timeout", &mut http.body_timeout);
        section.set_duration("write_timeout", &mut http.write_timeout);
        section.close();
    }

    fn key_set(&mut self, value: &Spanned<DeValue<'_>>) -> KeySet {
        let mut set = KeySet { at: value.span(), ..KeySet::default() };
        let Some(mut section) = Section::open(self, "keys.NAME", value) else { return set };
        let mut places = Vec::new();
        let mut named = |path: Option<Placed<PathBuf>>| {
            places.extend(path.clone());
            path.map(|path| path.value)
        };
        set.folder = named(section.path("folder"));
        set.name = section.text("name").map(|name| name.value);
        set.peer_name = section.text("peer_name").map(|name| name.value);
        set.certificate = named(section.path("certificate"));
        set.private_key = named(section.path("private_key"));
        set.pkcs12 = named(section.path("pkcs12"));
        set.jks = named(section.path("jks"));
        set.merlin = named(section.path("merlin"));
        set.password = section.secret("password");
        if let Some(Secret::File(path)) = &set.password {
            named(Some(Placed { value: path.clone(), at: section.place("password") }));
        }
        let mut all =
            |paths: Vec<Placed<PathBuf>>| paths.into_iter().filter_map(|path| named(Some(path))).collect();
        set.peers = all(section.paths("peers"));
        set.trust = all(section.paths("trust"));
        set.untrusted = all(section.paths("untrusted"));
        set.revocation = all(section.paths("revocation"));
        set.places = places;
        let mut min_rsa = 0usize;
        section.set_number("min_rsa", &mut min_rsa);
        set.min_rsa = u32::try_from(min_rsa).ok().filter(|bits| *bits != 0);
        set.legacy = section.flag("legacy");
        section.close();
        set
    }

    fn listener(&mut self, value: &Spanned<DeValue<'_>>) -> Option<Listener> {
        let mut section = Section::open(self, "[listener]", value)?;
        let name = section.text("name").map(|name| name.value);
        let address = section.required("address", Section::text).and_then(|address| {
            section.parsed::<SocketAddr>("address", "an address with a port, like 127.0.0.1:8080", address)
        });
        section.close();
        let address = address?;
        Some(Listener { name: name.unwrap_or_else(|| address.value.to_string()), address })
    }

    fn service(&mut self, value: &Spanned<DeValue<'_>>) -> Option<Service> {
        let mut section = Section::open(self, "[service]", value)?;
        let path = section.required("path", Section::text);
        let kind = section.required("kind", Section::text);
        let kind = kind.and_then(|kind| section.choice("kind", "echo or mirror", &Kind::ALL, kind));
        let policy = section.required("policy", Section::text);
        let keys = section.text("keys");
        let replay = section.replay();
        let (reuse_at, reuse) = (section.place("reuse"), section.reuse());
        let open = section.flag("open");
        let profile = section.profile();
        let ignore = section.namespaces("ignore");
        section.close();
        let policy = policy?;
        // Which of a section and a file is meant is decided when all sections are known.
        let policy = Placed { value: PolicyName::Section(policy.value), at: policy.at };
        let (path, kind) = (path?, kind?);
        Some(Service { path, kind, policy, keys, replay, reuse, reuse_at, open, profile, ignore })
    }

    fn authentication(&mut self, value: &Spanned<DeValue<'_>>) -> Option<super::Users> {
        let Some(tables) = value.get_ref().as_table() else {
            self.wrong_type("authentication", "a table", value);
            return None;
        };
        let mut users = None;
        for (name, value) in tables.iter() {
            match name.get_ref().as_ref() {
                "users" => users = self.users(value),
                _ => self.unknown(name, "authentication", ["users"].into_iter()),
            }
        }
        users
    }

    fn users(&mut self, value: &Spanned<DeValue<'_>>) -> Option<super::Users> {
        let mut section = Section::open(self, "authentication.users", value)?;
        let file = section.required("file", Section::path);
        let key_file = section.path("key_file");
        section.close();
        Some(super::Users { file: file?, key_file })
    }

    fn log(&mut self, value: &Spanned<DeValue<'_>>) -> (Access, Range<usize>) {
        let mut access = Access::Stdout;
        let Some(mut section) = Section::open(self, "log", value) else { return (access, 0..0) };
        if let Some(found) = section.access() {
            access = found;
        }
        let at = section.place("access");
        section.close();
        (access, at)
    }
}

/// Decides what the text of `policy = …` means.
fn resolve_policy(policy: &mut PolicyName, sections: &[String], folder: &Path) {
    let PolicyName::Section(text) = policy else { return };
    if sections.contains(text) {
        return;
    }
    *policy = policy_name(text, folder);
}

/// The meaning of a policy's name where there are no sections, as on the command line.
pub fn policy_name(text: &str, folder: &Path) -> PolicyName {
    if text == "open" {
        return PolicyName::Open;
    }
    if text.starts_with("scenario:") {
        return PolicyName::BuiltIn(text.to_owned());
    }
    let (file, name) = match text.split_once('#') {
        Some((file, name)) => (file, Some(name.to_owned())),
        None => (text, None),
    };
    // A bare word with neither folder nor extension is a section that is not there.
    if name.is_none() && !file.contains(['/', '.']) && !folder.join(file).exists() {
        return PolicyName::Section(text.to_owned());
    }
    PolicyName::File(folder.join(file), name)
}

impl Default for Config {
    fn default() -> Self {
        let mut limits = Limits::default();
        let http = HttpLimits { body_bytes: limits.message_bytes, ..HttpLimits::default() };
        limits.message_bytes = with_plaintext(http.body_bytes);
        Config {
            server: Server::default(),
            limits,
            http,
            connections: 10_000,
            connections_per_peer: None,
            in_flight: 10_000,
            in_flight_per_peer: None,
            work_per_peer: None,
            waiting: 128,
            large_bytes: 512 << 20,
            keys: Default::default(),
            listeners: Vec::new(),
            services: Vec::new(),
            policies: Vec::new(),
            users: None,
            access: Access::Stdout,
            access_at: 0..0,
        }
    }
}

/// The parser counts plaintexts as well. They are smaller than the base64 they came out of,
/// at every depth of nesting, so this much is never the narrower limit.
fn with_plaintext(message: usize) -> usize {
    message.saturating_mul(2)
}

/// Joined to the folder unless absolute.
fn below(folder: &Path, path: &str) -> PathBuf {
    folder.join(path)
}

/// Shortest time that makes sense for a deadline.
const LEAST_DEADLINE: Duration = Duration::from_millis(1);

#[cfg(test)]
mod tests;
