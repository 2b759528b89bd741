//! `keys inspect`: what a file or store holds.

use std::path::Path;

use bartizan_crypto::{Curve, KeyKind, base64};
use bartizan_gateway::config::KeySet;
use bartizan_gateway::keyset::entries;
use bartizan_keys::store::Entry;
use bartizan_keys::{AltName, Certificate, CrlFacts};
use clap::ArgMatches;
use serde_json::{Value, json};

use crate::args::Values as _;
use crate::keyset::{ask, failure, password};
use crate::output::{self, Exit, Outcome};

pub(super) fn run(matches: &ArgMatches) -> Outcome {
    let set = KeySet { password: password(matches), ..KeySet::default() };
    let mut files = Vec::new();
    // One file that cannot be read is no reason to be silent about the others.
    let mut exit = Exit::Yes;
    for path in matches.paths("FILE") {
        let path = output::openable(path);
        match entries(&path, &set, &ask) {
            Ok(found) => files.push((path, found)),
            Err(problem) => {
                let failure = failure(problem);
                failure.print();
                exit = failure.exit();
            }
        }
    }
    if matches.on("json") {
        let files: Vec<Value> = files
            .iter()
            .map(|(path, found)| json!({ "file": path, "entries": found.iter().map(entry).collect::<Vec<_>>() }))
            .collect();
        output::json(&json!({ "files": files }));
    } else {
        for (n, (path, found)) in files.iter().enumerate() {
            if n > 0 {
                output::line("");
            }
            show(path, found);
        }
    }
    Ok(exit)
}

fn show(path: &Path, found: &[Entry]) {
    output::line(path.display());
    for entry in found {
        if let Some(alias) = &entry.alias {
            output::line(format_args!("  alias        {alias}"));
        }
        if let Some(key) = &entry.key {
            output::line(format_args!("  private key  {}", key_words(key.kind(), key.bits())));
        }
        if let Some(reason) = &entry.unusable {
            output::line(format_args!("  private key  cannot be used: {reason}"));
        }
        if let Some(key) = &entry.public {
            output::line(format_args!("  public key   {}", key_words(key.kind(), key.bits())));
        }
        if let Some((algorithm, _)) = &entry.secret {
            output::line(format_args!("  secret key   {algorithm}"));
        }
        if let Some(list) = &entry.crl {
            show_list(list);
        }
        for certificate in &entry.chain {
            show_certificate(certificate, entry.trusted);
        }
    }
}

fn show_list(der: &[u8]) {
    let list = match CrlFacts::read(der) {
        Ok(list) => list,
        Err(error) => return output::line(format_args!("  revocation list that cannot be used: {error}")),
    };
    output::line(format_args!("  revocation list of {}", list.issuer_display));
    output::line(format_args!("    made       {}", list.this_update.to_seconds_z()));
    output::line(format_args!("    next       {}", list.next_update.to_seconds_z()));
    output::line(format_args!("    revoked    {}", output::count(list.entries, "certificate")));
}

/// `RSA 2048`; kinds that say their size are not followed by it again.
fn key_words(kind: KeyKind, bits: u32) -> String {
    match kind {
        KeyKind::Rsa | KeyKind::Dsa => format!("{} {bits}", kind_name(kind)),
        _ => kind_name(kind).to_owned(),
    }
}

fn kind_name(kind: KeyKind) -> &'static str {
    match kind {
        KeyKind::Rsa => "RSA",
        KeyKind::Dsa => "DSA",
        KeyKind::Ec(Curve::P256) => "EC P-256",
        KeyKind::Ec(Curve::P384) => "EC P-384",
        KeyKind::Ec(Curve::P521) => "EC P-521",
        KeyKind::Ed25519 => "Ed25519",
        KeyKind::X25519 => "X25519",
    }
}

fn show_certificate(certificate: &Certificate, trusted: bool) {
    let usage = usage(certificate);
    let role = match (certificate.is_ca(), trusted) {
        (true, true) => ", an authority, trusted by the store",
        (true, false) => ", an authority",
        (false, true) => ", trusted by the store",
        (false, false) => "",
    };
    output::line(format_args!("  certificate  {}{role}", certificate.subject_display()));
    output::line(format_args!("    issuer     {}", certificate.issuer_display()));
    output::line(format_args!("    serial     {}", certificate.serial_decimal()));
    output::line(format_args!(
        "    valid      {} to {}",
        certificate.not_before().to_seconds_z(),
        certificate.not_after().to_seconds_z()
    ));
    output::line(format_args!("    key        {}", key(certificate)));
    if !usage.is_empty() {
        output::line(format_args!("    usage      {}", usage.join(", ")));
    }
    if !certificate.sans().is_empty() {
        let names: Vec<String> = certificate.sans().iter().map(alt_name).collect();
        output::line(format_args!("    names      {}", names.join(", ")));
    }
    if let Some(ski) = certificate.ski() {
        output::line(format_args!("    SKI        {}", base64::encode(ski)));
    }
    output::line(format_args!("    SHA-1      {}", base64::encode(&certificate.thumbprint_sha1())));
    output::line(format_args!("    SHA-256    {}", base64::encode(&certificate.thumbprint_sha256())));
}

fn key(certificate: &Certificate) -> String {
    match certificate.public_key() {
        Ok(key) => key_words(key.kind(), key.bits()),
        Err(error) => format!("not usable: {error}"),
    }
}

fn usage(certificate: &Certificate) -> Vec<String> {
    let usage = certificate.usage();
    let key = usage.key.map(|key| key.names().map(str::to_owned).collect::<Vec<_>>());
    let mut all = key.unwrap_or_default();
    all.extend(usage.extended.iter().map(|oid| purpose(oid).unwrap_or(oid).to_owned()));
    all
}

/// The usual word for an extended key usage (RFC 5280 §4.2.1.12).
fn purpose(oid: &str) -> Option<&'static str> {
    Some(match oid {
        "2.5.29.37.0" => "any",
        "1.3.6.1.5.5.7.3.1" => "serverAuth",
        "1.3.6.1.5.5.7.3.2" => "clientAuth",
        "1.3.6.1.5.5.7.3.3" => "codeSigning",
        "1.3.6.1.5.5.7.3.4" => "emailProtection",
        "1.3.6.1.5.5.7.3.8" => "timeStamping",
        "1.3.6.1.5.5.7.3.9" => "OCSPSigning",
        _ => return None,
    })
}

fn alt_name(name: &AltName) -> String {
    match name {
        AltName::Dns(text) => format!("DNS:{text}"),
        AltName::Email(text) => format!("email:{text}"),
        AltName::Uri(text) => format!("URI:{text}"),
        AltName::Ip(address) => format!("IP:{address}"),
        AltName::Directory(text) => format!("directory:{text}"),
        _ => "other".to_owned(),
    }
}

fn entry(entry: &Entry) -> Value {
    json!({
        "alias": entry.alias,
        "trusted": entry.trusted,
        "private_key": entry.key.as_ref().map(|key| json!({ "kind": kind_name(key.kind()), "bits": key.bits() })),
        "unusable": entry.unusable.as_ref().map(ToString::to_string),
        "public_key": entry.public.as_ref().map(|key| json!({ "kind": kind_name(key.kind()), "bits": key.bits() })),
        "secret_key": entry.secret.as_ref().map(|(algorithm, _)| algorithm),
        "revocation_list": entry.crl.is_some(),
        "crl": entry.crl.as_ref().and_then(|der| CrlFacts::read(der).ok()).map(|list| json!({
            "issuer": list.issuer,
            "this_update": list.this_update.to_rfc3339(),
            "next_update": list.next_update.to_rfc3339(),
            "entries": list.entries,
        })),
        "certificates": entry.chain.iter().map(certificate).collect::<Vec<_>>(),
    })
}

fn certificate(certificate: &Certificate) -> Value {
    let key = certificate.public_key().ok();
    json!({
        "subject": certificate.subject(),
        "issuer": certificate.issuer(),
        "serial": certificate.serial_decimal(),
        "not_before": certificate.not_before().to_rfc3339(),
        "not_after": certificate.not_after().to_rfc3339(),
        "key": key.map(|key| json!({ "kind": kind_name(key.kind()), "bits": key.bits() })),
        "ca": certificate.is_ca(),
        "usage": usage(certificate),
        "names": certificate.sans().iter().map(alt_name).collect::<Vec<_>>(),
        "ski": certificate.ski().map(base64::encode),
        "thumbprint_sha1": base64::encode(&certificate.thumbprint_sha1()),
        "thumbprint_sha256": base64::encode(&certificate.thumbprint_sha256()),
    })
}
