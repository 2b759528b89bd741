//! `xml sign`: one signature over a document or parts of it.

use bartizan_crypto::alg::{Alg, DigestAlg, SignatureAlg};
use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::{Curve, KeyKind, PrivateKey};
use bartizan_gateway::config::KeySet;
use bartizan_gateway::keyset::entries;
use bartizan_keys::store::certificates;
use bartizan_xml::Profile;
use bartizan_xmlsec::engine::{SignRequest, SignTarget, sign_document};
use bartizan_xmlsec::key_info::{KeyInfoItem, KeyInfoSpec, X509Spec};
use bartizan_xmlsec::signature::{C14nSpec, SignKey, WriteInto};
use clap::ArgMatches;
use serde_json::json;

use super::keys::Keys;
use super::{Input, algorithm, c14n, refused};
use crate::args::Values as _;
use crate::keyset::{ask, failure};
use crate::output::{self, Exit, Failure, Outcome, Target};

pub(super) fn run(matches: &ArgMatches) -> Outcome {
    let keys = Keys::load(matches)?;
    let mut input = Input::read(matches)?;
    let key_info = key_info(matches, &keys)?;
    let (key, default) = match (&keys.own, &keys.secret) {
        (Some(own), None) => (SignKey::Private(&own.key), usual(&own.key)?),
        (None, Some((_, secret))) => (SignKey::Secret(secret), SignatureAlg::HmacSha256),
        (Some(_), Some(_)) => {
            return Err(Failure::could_not("--key and --secret: one of them signs, not both"));
        }
        (None, None) => {
            return Err(
                Failure::could_not("nothing to sign with").help("give a private key with --key, or --secret")
            );
        }
    };
    let signature = |alg| match alg {
        Alg::Signature(alg) => Some(alg),
        _ => None,
    };
    let digest = |alg| match alg {
        Alg::Digest(alg) => Some(alg),
        _ => None,
    };
    let method = algorithm::named(matches, "algorithm", signature, default)?;
    let digest = algorithm::named(matches, "digest", digest, DigestAlg::Sha256)?;
    let c14n = c14n::method(matches.text("c14n").unwrap_or("exc"), matches.on("with-comments"))?;
    let prefixes = c14n::prefixes(matches, c14n)?.map(Into::into);
    let targets = targets(matches, &input)?;
    let request = SignRequest {
        targets: &targets,
        // The whole document holds its signature, so the reference must leave it out.
        enveloped: matches.on("enveloped") || targets.is_empty(),
        parent: None,
        method,
        digest,
        canonicalization: &C14nSpec { method: c14n, prefixes },
        id: None,
        key_info: key_info.as_ref().map(|info| info as &dyn WriteInto),
    };
    let signed =
        sign_document(&input.document, &request, &key, Profile::Bare, &mut input.budget, &SystemRandom)
            .map_err(|error| refused(&error))?;
    let target = Target::new(matches.path("output"));
    target.write(&signed)?;
    if matches.on("json") {
        let value = json!({ "method": method.uri(), "bytes": signed.len(), "output": target.to_string() });
        output::json_beside(&target, &value);
    } else if !matches.on("quiet") {
        output::say(format_args!("signed with {}: {} bytes, to {target}", method.short_name(), signed.len()));
    }
    Ok(Exit::Yes)
}

/// The usual method for a key of this kind.
fn usual(key: &PrivateKey) -> Result<SignatureAlg, Failure> {
    Ok(match key.kind() {
        KeyKind::Rsa => SignatureAlg::RsaSha256,
        KeyKind::Ec(Curve::P256) => SignatureAlg::EcdsaSha256,
        KeyKind::Ec(Curve::P384) => SignatureAlg::EcdsaSha384,
        KeyKind::Ec(Curve::P521) => SignatureAlg::EcdsaSha512,
        KeyKind::Ed25519 => SignatureAlg::Ed25519,
        KeyKind::X25519 | KeyKind::Dsa => return Err(Failure::could_not("this key cannot sign")),
    })
}

/// What `--reference` names; nothing is the whole document.
fn targets(matches: &ArgMatches, input: &Input) -> Result<Vec<SignTarget>, Failure> {
    matches
        .texts("reference")
        .into_iter()
        .map(|what| input.find(what).map(|element| SignTarget::Element(element.id())))
        .collect()
}

/// What the KeyInfo shall say: the name, and the certificates or the bare key.
fn key_info(matches: &ArgMatches, keys: &Keys) -> Result<Option<KeyInfoSpec>, Failure> {
    let mut items = Vec::new();
    let name = match (&keys.own, &keys.secret) {
        (Some(own), _) => own.name.as_deref(),
        (None, Some((name, _))) => name.as_deref(),
        (None, None) => None,
    };
    items.extend(name.map(|name| KeyInfoItem::KeyName(name.into())));
    if let Some(own) = &keys.own {
        let mut chain = own.chain.clone();
        if let Some(path) = matches.path("cert") {
            chain = certificates(&entries(&path, &KeySet::default(), &ask).map_err(failure)?);
        }
        match chain.first() {
            Some(leaf) if leaf.public_key().is_ok_and(|key| key != own.key.public()) => {
                return Err(Failure::could_not("the certificate does not belong to the private key"));
            }
            Some(_) => {
                let certificates = chain.iter().map(|certificate| certificate.der().to_vec()).collect();
                items.push(KeyInfoItem::X509(X509Spec { certificates, ..X509Spec::default() }));
            }
            None => items.push(KeyInfoItem::KeyValue(own.key.public().clone())),
        }
    }
    Ok((!items.is_empty()).then_some(KeyInfoSpec { id: None, items }))
}
