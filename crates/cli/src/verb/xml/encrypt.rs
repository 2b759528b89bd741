//! `xml encrypt`: an element, or its content.

use std::path::Path;

use bartizan_crypto::alg::{Alg, CipherAlg, DigestAlg, TransportAlg, WrapAlg};
use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::{KeyKind, OaepParams, PublicKey};
use bartizan_gateway::config::KeySet;
use bartizan_gateway::keyset::entries;
use bartizan_keys::Certificate;
use bartizan_xmlsec::encryption::{EncryptKey, KeyMethod};
use bartizan_xmlsec::engine::{EncryptRequest, Recipient, encrypt_document};
use bartizan_xmlsec::key_info::{Derivation, KeyInfoItem, X509Spec};
use bartizan_xmlsec::signature::WriteInto;
use clap::ArgMatches;
use serde_json::json;

use super::keys::{Keys, split};
use super::{Input, algorithm, refused};
use crate::args::Values as _;
use crate::keyset::{ask, failure};
use crate::output::{self, Exit, Failure, Outcome, Target};

pub(super) fn run(matches: &ArgMatches) -> Outcome {
    let keys = Keys::load(matches)?;
    let input = Input::read(matches)?;
    let element = match matches.text("element") {
        Some(what) => input.find(what)?,
        None => input.document.root(),
    };
    let cipher = |alg| match alg {
        Alg::Cipher(alg) => Some(alg),
        _ => None,
    };
    let cipher = algorithm::named(matches, "cipher", cipher, CipherAlg::Aes256Gcm)?;
    let content = matches.on("content");
    let write = |recipient, key_info: Option<&dyn WriteInto>| {
        let request =
            EncryptRequest { element: element.id(), content, cipher, recipient, key_info, id: None };
        encrypt_document(&input.document, &request, &SystemRandom).map_err(|error| refused(&error))
    };
    let encrypted = match (matches.text("to").or_else(|| first_key(matches)), &keys.secret) {
        (Some(to), None) => {
            let to = To::read(to)?;
            let (method, derivation) = delivery(matches, to.key.kind())?;
            let key = match &derivation {
                Some(derivation) => EncryptKey::Agree { recipient: &to.key, derivation },
                None => EncryptKey::Public(&to.key),
            };
            let item = to.key_info();
            write(Recipient::Key { method: &method, key }, item.as_ref().map(|item| item as &dyn WriteInto))?
        }
        (None, Some((name, secret))) => {
            let item = name.as_ref().map(|name| KeyInfoItem::KeyName(name.as_str().into()));
            let item = item.as_ref().map(|item| item as &dyn WriteInto);
            if matches.text("transport").is_some() {
                let wrap = |alg| match alg {
                    Alg::Wrap(alg) => Some(alg),
                    _ => None,
                };
                let method = KeyMethod::Wrap(algorithm::named(matches, "transport", wrap, WrapAlg::Aes256)?);
                write(Recipient::Key { method: &method, key: EncryptKey::Secret(secret) }, item)?
            } else if secret.len() == cipher.key_len() {
                write(Recipient::Secret(secret), item)?
            } else {
                let (has, wants) = (secret.len(), cipher.key_len());
                return Err(Failure::could_not(format_args!(
                    "the secret has {has} bytes, {cipher} wants {wants}"
                ))
                .help("--cipher chooses another cipher; --transport kw-aes256 wraps a fresh key"));
            }
        }
        (Some(_), Some(_)) => return Err(Failure::could_not("--to and --secret exclude each other")),
        (None, None) => {
            return Err(Failure::could_not("nobody to encrypt for").help("give --to CERT, or --secret FILE"));
        }
    };
    let target = Target::new(matches.path("output"));
    target.write(&encrypted)?;
    if matches.on("json") {
        let value = json!({ "cipher": cipher.uri(), "bytes": encrypted.len(), "output": target.to_string() });
        output::json_beside(&target, &value);
    } else if !matches.on("quiet") {
        output::say(format_args!("encrypted with {cipher}: {} bytes, to {target}", encrypted.len()));
    }
    Ok(Exit::Yes)
}

fn first_key(matches: &ArgMatches) -> Option<&str> {
    matches.texts("xml-key").first().copied()
}

/// The recipient.
struct To {
    name: Option<String>,
    key: PublicKey,
    certificate: Option<Certificate>,
}

impl To {
    fn read(text: &str) -> Result<To, Failure> {
        let (name, path) = split(text);
        let name = name.map(str::to_owned);
        let found = entries(&path, &KeySet::default(), &ask).map_err(failure)?;
        for entry in found {
            if let Some(certificate) = entry.chain.first() {
                let key = certificate.public_key().map_err(|error| unfit(&path, &error))?.clone();
                return Ok(To { name, key, certificate: Some(certificate.clone()) });
            }
            if let Some(key) = entry.public.or_else(|| entry.key.map(|key| key.public().clone())) {
                return Ok(To { name, key, certificate: None });
            }
        }
        Err(Failure::could_not(format_args!("{} holds no key to encrypt for", path.display())))
    }

    /// How the recipient finds the key: by name, or by the certificate.
    fn key_info(&self) -> Option<KeyInfoItem> {
        match (&self.name, &self.certificate) {
            (Some(name), _) => Some(KeyInfoItem::KeyName(name.as_str().into())),
            (None, Some(certificate)) => {
                let certificates = vec![certificate.der().to_vec()];
                Some(KeyInfoItem::X509(X509Spec { certificates, ..X509Spec::default() }))
            }
            (None, None) => None,
        }
    }
}

fn unfit(path: &Path, error: &bartizan_keys::Error) -> Failure {
    Failure::could_not(format_args!("{}: {error}", path.display()))
}

/// How the content key gets to a key of this kind.
fn delivery(matches: &ArgMatches, kind: KeyKind) -> Result<(KeyMethod, Option<Derivation>), Failure> {
    let transport = |alg| match alg {
        Alg::Transport(alg) => Some(alg),
        _ => None,
    };
    match kind {
        KeyKind::Rsa => {
            let method = algorithm::named(matches, "transport", transport, TransportAlg::RsaOaepMgf1p)?;
            Ok((KeyMethod::Transport(method, OaepParams::default()), None))
        }
        KeyKind::Ec(_) | KeyKind::X25519 => {
            let derivation = Derivation::ConcatKdf { digest: DigestAlg::Sha256, other_info: Vec::new() };
            Ok((KeyMethod::Wrap(WrapAlg::Aes256), Some(derivation)))
        }
        KeyKind::Ed25519 | KeyKind::Dsa => {
            Err(Failure::could_not("nothing can be encrypted for this key: it only signs"))
        }
    }
}
