//! `keys.csv`: every published store, certificate, key and revocation list, read with the right facts.

use std::collections::HashMap;
use std::path::Path;

use bartizan_keys::store::{self, Entry, Password};
use bartizan_keys::{Certificate, Error};
use bartizan_testkit::csv::{self, Record};
use bartizan_testkit::vectors::{self, Expectations, Report};

fn password(row: &Record) -> Option<Password> {
    let text = &row["password"];
    let text = text.strip_prefix("encrypted: ").unwrap_or(text);
    (!text.is_empty()).then(|| Password::new(text))
}

fn read(folder: &Path, row: &Record) -> Result<Vec<Entry>, Error> {
    let octets = std::fs::read(folder.join(&row["file"])).unwrap();
    let key_password = Some(&row["key_password"]).filter(|text| !text.is_empty());
    let key_password = key_password.map(Password::new);
    let password = password(row);
    store::read_with(&octets, password.as_ref(), key_password.as_ref().or(password.as_ref()))
}

fn hex(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{octet:02x}")).collect()
}

/// The table's names write e-mail addresses with a dotted type and plain text.
fn table_name(certificate: &str) -> String {
    certificate.replace("emailAddress=", "1.2.840.113549.1.9.1=")
}

fn check_certificate(row: &Record, certificate: &Certificate) -> Result<(), String> {
    let compare = |what: &str, found: String| {
        let wanted = &row[what];
        if wanted == found { Ok(()) } else { Err(format!("{what}: expected {wanted:?}, found {found:?}")) }
    };
    compare("subject", table_name(&certificate.subject_display()))?;
    compare("issuer", table_name(&certificate.issuer_display()))?;
    compare("serial", certificate.serial_decimal())?;
    compare("not_before", certificate.not_before().to_seconds_z())?;
    compare("not_after", certificate.not_after().to_seconds_z())?;
    compare("sha1_thumbprint", hex(&certificate.thumbprint_sha1()))
}

fn check_row(folder: &Path, row: &Record) -> Result<(), String> {
    let entries = read(folder, row).map_err(|error| format!("{error:?}"))?;
    if &row["kind"] == "crl" {
        return if store::crls(&entries).count() == 1 { Ok(()) } else { Err("no list".to_owned()) };
    }
    let thumbprint = &row["sha1_thumbprint"];
    let fits = |entry: &&Entry| {
        thumbprint.is_empty()
            || entry.chain.first().is_some_and(|leaf| hex(&leaf.thumbprint_sha1()) == *thumbprint)
    };
    let entry = entries.iter().find(fits).ok_or("no entry with that certificate")?;
    if !thumbprint.is_empty() {
        check_certificate(row, entry.chain.first().ok_or("no certificate")?)?;
    }
    if &row["private_key"] == "1" {
        match (&entry.key, &entry.unusable) {
            (Some(key), _) => {
                if let Some(leaf) = entry.chain.first() {
                    let public = leaf.public_key().map_err(|error| format!("{error:?}"))?;
                    if public != key.public() {
                        return Err("key and certificate do not fit".to_owned());
                    }
                }
            }
            (None, reason) => return Err(format!("private key unusable: {reason:?}")),
        }
    }
    let alias = &row["alias"];
    if matches!(&row["kind"], "jks" | "jceks" | "pkcs12")
        && !alias.is_empty()
        && entry.alias.as_deref() != Some(alias)
    {
        return Err(format!("alias {alias:?}, found {:?}", entry.alias));
    }
    Ok(())
}

#[test]
fn every_row_of_the_key_table_is_read_with_its_facts() {
    let Some(root) = vectors::root() else { return };
    let folder = root.join("keys");
    let expected = Expectations::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected/keys.tsv"));
    let mut report = Report::new("key stores", expected);
    let mut seen: HashMap<String, usize> = HashMap::new();
    for row in csv::read(folder.join("keys.csv")) {
        let id = format!("{} {}", &row["file"], &row["alias"]).trim_end().to_owned();
        let nth = seen.entry(id.clone()).or_default();
        *nth += 1;
        let id = if *nth == 1 { id } else { format!("{id} #{nth}") };
        report.enter(&id, check_row(&folder, &row));
    }
    report.finish(89);
}
