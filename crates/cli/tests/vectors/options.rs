//! One row's keys and switches, as the origin's own tests give them.

use std::path::Path;

use bartizan_crypto::{PublicKey, SymmetricKey, base64};
use bartizan_keys::store::{self, Password};
use bartizan_keys::{Certificate, ChainAlgorithms, Time, TrustStore};
use bartizan_testkit::csv::Record;
use bartizan_xml::{Budget, Document, Limits, Profile};
use bartizan_xmlsec::key_info::KeyValue;

use crate::finder::{Finder, NamedKey, Trust};

/// Reads a file of the vectors.
pub(crate) fn read(root: &Path, file: &str) -> Vec<u8> {
    let path = root.join(file);
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Parses a document with large limits.
pub(crate) fn parse(octets: Vec<u8>, budget: &mut Budget) -> Result<Document, bartizan_xml::Error> {
    Document::parse(octets, Profile::Bare, budget)
}

/// A budget for documents of our own side.
pub(crate) fn budget() -> Budget {
    Budget::new(&Limits::generous())
}

/// The key finder that a row describes.
pub(crate) fn finder(root: &Path, row: &Record) -> Finder {
    let options = &row["caller_options"];
    let enabled: Vec<&str> = options
        .split_once("--enabled-key-data ")
        .and_then(|(_, rest)| rest.split(' ').next())
        .map(|list| list.split(',').collect())
        .unwrap_or_default();
    let bare = ["key-value", "der-encoded-key-value", "rsa", "dsa", "ec", "eddsa"];
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    let at = match &row["verification_time"] {
        "" => Time::from_unix(i64::try_from(now.as_secs()).expect("in range")),
        text => Time::parse_rfc3339(text).expect("a time"),
    };
    let mut finder = Finder {
        keys: Vec::new(),
        key_values: enabled.iter().any(|name| bare.contains(name)),
        any_key: options.contains("--lax-key-search"),
        trust: match options {
            o if o.contains("--insecure") => Trust::Anything,
            o if o.contains("--verify-keys") => Trust::KeysToo,
            _ => Trust::Paths,
        },
        crls_only: options.contains("--verify-crls"),
        ignore_time: options.contains("--X509-skip-time-checks"),
        at,
        certificates: Vec::new(),
        anchors: Vec::new(),
        crls: Vec::new(),
    };
    let password = Password::new(row["key_password"].to_owned());
    for entry in row["keys"].split_whitespace() {
        let (kind, file) = entry.split_once('=').expect("kind=file");
        let (kind, name) = kind.split_once(':').map_or((kind, None), |(kind, name)| (kind, Some(name)));
        add(&mut finder, root, kind, name, file, &password);
    }
    finder
}

fn add(finder: &mut Finder, root: &Path, kind: &str, name: Option<&str>, file: &str, password: &Password) {
    let octets = read(root, file);
    let entries =
        |octets: &[u8]| store::read_any(octets, Some(password)).unwrap_or_else(|e| panic!("{file}: {e}"));
    match kind {
        "xmlsec-keys-file" => add_keys_file(finder, octets),
        "hmac" | "hkdf" | "aes" | "3des" | "pbkdf2" | "camellia" | "chacha20" => {
            finder.keys.push(NamedKey::secret(name, SymmetricKey::new(octets)));
        }
        "trusted-cert" => finder.anchors.extend(store::certificates(&entries(&octets))),
        "untrusted-cert" => finder.certificates.extend(store::certificates(&entries(&octets))),
        "crl" => {
            let found = entries(&octets);
            finder.crls.extend(store::crls(&found).map(<[u8]>::to_vec));
        }
        "cert" => {
            for certificate in store::certificates(&entries(&octets)) {
                // Keys of kinds that are refused by design have no handle; their cases say so.
                if let Ok(key) = certificate.public_key().cloned() {
                    finder.keys.push(NamedKey::public(name, key, Some(certificate)));
                }
            }
        }
        "pkcs12" | "private-pem" => {
            for entry in entries(&octets) {
                let leaf = entry.chain.first().cloned();
                if let Some(key) = entry.key {
                    finder.keys.push(NamedKey::private(name, key, leaf));
                }
            }
        }
        other => panic!("unknown kind of key {other}"),
    }
}

/// An XML list of named keys: `KeyInfo` with KeyName and one KeyValue each.
fn add_keys_file(finder: &mut Finder, octets: Vec<u8>) {
    let document = parse(octets, &mut budget()).expect("a list of keys");
    for info in document.root().elements().filter(|e| e.local_name() == "KeyInfo") {
        let child = |local: &str| info.elements().find(|e| e.local_name() == local);
        let name = child("KeyName").map(|e| e.text().trim().to_owned());
        let Some(value) = child("KeyValue").and_then(|e| e.elements().next()) else { continue };
        let octets = |e: bartizan_xml::Element<'_>| base64::decode(&e.text()).expect("base64");
        let part = |local: &str| value.elements().find(|e| e.local_name() == local).map(octets);
        match value.local_name() {
            "AESKeyValue" | "DESKeyValue" | "HMACKeyValue" | "CamelliaKeyValue" => {
                let key = SymmetricKey::new(octets(value));
                finder.keys.push(NamedKey::secret(name.as_deref(), key));
            }
            "RSAKeyValue" => {
                let (Some(modulus), Some(exponent)) = (part("Modulus"), part("Exponent")) else { continue };
                let rsa = bartizan_crypto::RsaComponents { modulus, exponent };
                // Very short keys of this list belong to no case that is expected to work.
                if let Ok(key) = KeyValue::Rsa(rsa).to_public_key_legacy() {
                    let key: PublicKey = key;
                    finder.keys.push(NamedKey::public(name.as_deref(), key, None));
                }
            }
            _ => {}
        }
    }
}

/// The trust store that the finder's anchors, certificates and lists make up.
pub(crate) fn trust_store(anchors: &[Certificate], others: &[Certificate], crls: &[Vec<u8>]) -> TrustStore {
    let mut builder = TrustStore::builder().algorithms(ChainAlgorithms::Archive);
    for anchor in anchors {
        builder = builder.anchor(anchor.clone());
    }
    for other in others {
        builder = builder.intermediate(other.clone());
    }
    for crl in crls {
        builder = builder.crl(crl).expect("a revocation list");
    }
    builder.build()
}
