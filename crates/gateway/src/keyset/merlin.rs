//! Merlin's properties, WSS4J's file that says where keys are: read as a key set of ours.
//!
//! Both prefixes are read, `org.apache.ws.security.crypto.merlin.` and `org.apache.wss4j.crypto.merlin.`. A name that means
//! nothing here is an error with the reason that `docs/actions.md` gives. Paths start at the file's folder. Passwords are
//! erased when dropped and never part of a message.

use std::fs;
use std::path::{Path, PathBuf};

use bartizan_crypto::Secret;
use bartizan_keys::store::{Entry, Password, read_with};
use bartizan_keys::{ChainAlgorithms, Identity, Keystore, KeystoreBuilder, TrustStore};
use bartizan_policy::actions::{Fate, ROWS, Row, Vocabulary};

use super::properties::{Property, parse};
use crate::config::KeySet;
use crate::error::{Problem, words};

#[cfg(test)]
mod tests;

/// What stands before the names; the first is that of WSS4J 1.5 and 1.6.
const PREFIXES: [&str; 2] = ["org.apache.ws.security.crypto.", "org.apache.wss4j.crypto."];

/// A file of properties, read.
#[derive(Debug, Default)]
pub struct Merlin {
    properties: PathBuf,
    keys: StoreFile,
    trust: StoreFile,
    alias: Option<String>,
    key_password: Option<Secret<String>>,
    crl: Option<PathBuf>,
}

/// One store.
#[derive(Debug, Default)]
struct StoreFile {
    file: Option<PathBuf>,
    password: Option<Secret<String>>,
    kind: Option<String>,
    /// Where in the properties the file, the password and the type are said; 0: nowhere.
    lines: [usize; 3],
}

impl Merlin {
    /// Reads a file of properties.
    ///
    /// # Errors
    /// [`Problem::Read`]; [`Problem::Merlin`] with the line of what is refused or unknown.
    pub fn read(path: &Path) -> Result<Merlin, Problem> {
        let octets =
            Secret::new(fs::read(path).map_err(|source| Problem::Read { path: path.to_owned(), source })?);
        let bad = |line, what: String| Problem::Merlin { path: path.to_owned(), line, what };
        let found = octets
            .expose(|octets| parse(octets))
            .map_err(|line| bad(line, "a broken \\u escape".to_owned()))?;
        let mut merlin = Merlin { properties: path.to_owned(), ..Merlin::default() };
        for property in found {
            merlin.take(property, path).map_err(|(line, what)| bad(line, what))?;
        }
        if merlin.keys.file.is_none() && merlin.trust.file.is_none() {
            return Err(bad(1, "neither keystore.file nor truststore.file is said".to_owned()));
        }
        Ok(merlin)
    }

    fn take(&mut self, property: Property, path: &Path) -> Result<(), (usize, String)> {
        let line = property.line;
        let fail = |what: String| Err((line, what));
        let Some(name) = PREFIXES.iter().find_map(|prefix| property.name.strip_prefix(prefix)) else {
            return fail(format!("`{}` is no property of Merlin", property.name));
        };
        if name == "provider" {
            let merlin = property.value.expose(|class| class.rsplit('.').next() == Some("Merlin"));
            return if merlin { Ok(()) } else { fail(refused("provider").to_owned()) };
        }
        let Some(name) = name.strip_prefix("merlin.") else {
            return fail(format!("`{}` is no property of Merlin", property.name));
        };
        if property.value.expose(|value| value.starts_with("ENC(") && value.ends_with(')')) {
            return fail(format!("`{name}` is {}", refused("ENC(…)")));
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let file = |value: &Secret<String>| value.expose(|value| Some(folder.join(value)));
        let text = |value: &Secret<String>| value.expose(|value| Some(value.clone()));
        match name {
            "keystore.file" | "file" => (self.keys.file, self.keys.lines[0]) = (file(&property.value), line),
            "keystore.password" => (self.keys.password, self.keys.lines[1]) = (Some(property.value), line),
            "keystore.type" => (self.keys.kind, self.keys.lines[2]) = (text(&property.value), line),
            "keystore.alias" => self.alias = text(&property.value),
            "keystore.private.password" | "alias.password" => self.key_password = Some(property.value),
            "truststore.file" => (self.trust.file, self.trust.lines[0]) = (file(&property.value), line),
            "truststore.password" => {
                (self.trust.password, self.trust.lines[1]) = (Some(property.value), line)
            }
            "truststore.type" => (self.trust.kind, self.trust.lines[2]) = (text(&property.value), line),
            "x509crl.file" => self.crl = file(&property.value),
            other => match row(other).map(|row| row.fate) {
                Some(Fate::Refused { except, .. })
                    if property.value.expose(|value| except.contains(&value.trim())) => {}
                Some(Fate::Refused { reason, .. }) => return fail(format!("`{other}` is refused: {reason}")),
                _ => return fail(format!("`{other}` is no property of Merlin")),
            },
        }
        Ok(())
    }

    /// The keys: the pair of the alias (or all), the certificates by their aliases, trust in those of the trust store or, without
    /// one, in those of the key store that stand alone.
    ///
    /// # Errors
    /// [`Problem::Read`], [`Problem::Keys`], [`Problem::NoKey`] if the alias names none, [`Problem::NoCrl`].
    pub fn load(&self, set: &KeySet, min_rsa: u32, algorithms: ChainAlgorithms) -> Result<Keystore, Problem> {
        let mut builder = Keystore::builder().min_rsa(min_rsa);
        let mut trust = TrustStore::builder().algorithms(algorithms);
        let alias = set.name.as_ref().or(self.alias.as_ref());
        let mut last = PathBuf::new();
        if let Some(path) = &self.keys.file {
            let entries = self.keys.entries(&self.properties, path, self.key_password.as_ref())?;
            let own = self.trust.file.is_none();
            for certificate in
                entries.iter().filter(|entry| own && entry.key.is_none()).flat_map(|entry| &entry.chain)
            {
                trust = trust.anchor(certificate.clone());
            }
            let keyed = entries.iter().any(|entry| entry.key.is_some());
            let (next, found) = put(builder, entries, path, alias, set.peer_name.as_ref())?;
            builder = next;
            if alias.is_some() && keyed && !found {
                return Err(Problem::NoKey(path.clone()));
            }
            last.clone_from(path);
        }
        if let Some(path) = &self.trust.file {
            let entries = self.trust.entries(&self.properties, path, None)?;
            for certificate in entries.iter().flat_map(|entry| &entry.chain) {
                trust = trust.anchor(certificate.clone());
            }
            builder = put(builder, entries, path, alias, set.peer_name.as_ref())?.0;
            last.clone_from(path);
        }
        if let Some(path) = &self.crl {
            let octets = fs::read(path).map_err(|source| Problem::Read { path: path.clone(), source })?;
            let failed = |source| Problem::Keys { path: path.clone(), source };
            let lists =
                read_with(&octets, None, None).map_err(failed)?.into_iter().filter_map(|entry| entry.crl);
            let mut any = false;
            for list in lists {
                trust = trust.crl(&list).map_err(failed)?;
                any = true;
            }
            if !any {
                return Err(Problem::NoCrl(path.clone()));
            }
        }
        // Whom we encrypt to, if it is said beside the properties.
        for (nth, path) in set.peers.iter().enumerate() {
            for certificate in super::certificates(path, set, &|_| None)? {
                builder = if nth == 0 { builder.peer(certificate) } else { builder.certificate(certificate) };
            }
        }
        builder.trust(trust.build()).build().map_err(|source| Problem::Keys { path: last, source })
    }
}

impl StoreFile {
    /// What is in the store. What is wrong is said with the line of the properties that says it.
    fn entries(
        &self,
        properties: &Path,
        path: &Path,
        key_password: Option<&Secret<String>>,
    ) -> Result<Vec<Entry>, Problem> {
        let [file, password, kind] = self.lines;
        let bad = |line, what| Problem::Merlin { path: properties.to_owned(), line, what };
        let store = path.display();
        let octets = fs::read(path).map_err(|source| {
            bad(file, format!("the store {store} cannot be read: {}", words(source.kind())))
        })?;
        if let Some(stated) = &self.kind {
            let fits = match stated.to_ascii_uppercase().as_str() {
                "JKS" | "JCEKS" => octets.starts_with(&[0xFE, 0xED]) || octets.starts_with(&[0xCE, 0xCE]),
                "PKCS12" => octets.first() == Some(&0x30),
                _ => false,
            };
            if !fits {
                return Err(bad(kind, format!("{store} is no {stated}, or of a type that is not read")));
            }
        }
        let secret = |secret: &Secret<String>| secret.expose(|text| Password::new(text.clone()));
        let opens = self.password.as_ref().map(secret);
        let key = key_password.map(secret);
        read_with(&octets, opens.as_ref(), key.as_ref().or(opens.as_ref())).map_err(|source| match source {
            bartizan_keys::Error::WrongPassword if password != 0 => {
                bad(password, format!("the password does not open {store}, or the store is damaged"))
            }
            bartizan_keys::Error::PasswordNeeded => bad(
                file,
                format!(
                    "{store} has a password, which is said nowhere: keystore.password, truststore.password"
                ),
            ),
            source => Problem::Keys { path: path.to_owned(), source },
        })
    }
}

/// The entries of one store; whether the alias was among the keys. Aliases of Java stores do not mind case.
fn put(
    mut builder: KeystoreBuilder,
    entries: Vec<Entry>,
    path: &Path,
    alias: Option<&String>,
    peer: Option<&String>,
) -> Result<(KeystoreBuilder, bool), Problem> {
    let is = |entry: &Option<String>, wanted: Option<&String>| {
        entry.as_ref().zip(wanted).is_some_and(|(entry, wanted)| entry.eq_ignore_ascii_case(wanted))
    };
    let (mut found, mut unusable) = (false, None);
    for entry in entries {
        unusable = unusable.or(entry.unusable);
        let failed = |source| Problem::Keys { path: path.to_owned(), source };
        let peer = is(&entry.alias, peer);
        match entry.key {
            Some(key) if alias.is_none() || is(&entry.alias, alias) => {
                builder = builder.identity(Identity::new(key, entry.chain).map_err(failed)?);
                found = true;
            }
            // Somebody else's key in the same store: its certificate is known.
            _ => {
                for certificate in entry.chain {
                    builder = match &entry.alias {
                        _ if peer => builder.peer(certificate),
                        Some(alias) => builder.named_certificate(alias, certificate),
                        None => builder.certificate(certificate),
                    };
                }
            }
        }
    }
    match unusable {
        // A key that its password does not open, say: none of the others is ours.
        Some(source) if !found => Err(Problem::Keys { path: path.to_owned(), source }),
        _ => Ok((builder, found)),
    }
}

fn row(name: &str) -> Option<&'static Row> {
    let mut rows = ROWS.iter().copied().flatten();
    rows.find(|row| row.vocabulary == Vocabulary::Merlin && row.name == name)
}

fn refused(name: &str) -> &'static str {
    match row(name).map(|row| row.fate) {
        Some(Fate::Refused { reason, .. }) => reason,
        _ => "refused",
    }
}
