//! Algorithm suites: which algorithms we use and which we accept.

use bartizan_crypto::alg::{
    AlgSet, CipherAlg, DigestAlg, MgfAlg, SignatureAlg, SignatureFamily, TransportAlg,
};
use bartizan_crypto::suite::{self, Delivery, SignatureReading, Suite};

use super::{Accept, Findings, Options};
use crate::assertion::{Assertion, Kind};
use crate::error::{Diagnostic, Problem};

/// Which algorithm of a suite is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The signature method.
    Signature,
    /// The digest of references.
    Digest,
    /// The content cipher.
    Cipher,
    /// The key transport, OAEP parameters included.
    KeyTransport,
}

/// One algorithm in place of the suite's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Override {
    /// The signature method.
    Signature(SignatureAlg),
    /// The digest of references.
    Digest(DigestAlg),
    /// The content cipher.
    Cipher(CipherAlg),
    /// The key transport with OAEP's digest and mask function.
    KeyTransport(TransportAlg, DigestAlg, MgfAlg),
}

impl Override {
    /// The override that a short name means for a role: the names of `bartizan crypto`, and for the key transport
    /// also `rsa-oaep-sha1`, `rsa-oaep-sha256`, `rsa-oaep-sha384`, `rsa-oaep-sha512` (OAEP and MGF1 with that hash).
    #[must_use]
    pub fn by_name(role: Role, name: &str) -> Option<Self> {
        match role {
            Role::Signature => SignatureAlg::from_short_name(name).map(Self::Signature),
            Role::Digest => DigestAlg::from_short_name(name).map(Self::Digest),
            Role::Cipher => CipherAlg::from_short_name(name).map(Self::Cipher),
            Role::KeyTransport => OAEP.iter().find(|(known, ..)| *known == name).map_or_else(
                || {
                    let transport = TransportAlg::from_short_name(name)?;
                    Some(Self::KeyTransport(transport, DigestAlg::Sha1, MgfAlg::Mgf1Sha1))
                },
                |(_, digest, mgf)| Some(Self::KeyTransport(TransportAlg::RsaOaep, *digest, *mgf)),
            ),
        }
    }

    /// Every name of a role.
    pub(crate) fn names(role: Role) -> Vec<&'static str> {
        match role {
            Role::Signature => SignatureAlg::ALL.iter().map(|alg| alg.short_name()).collect(),
            Role::Digest => DigestAlg::ALL.iter().map(|alg| alg.short_name()).collect(),
            Role::Cipher => CipherAlg::ALL.iter().map(|alg| alg.short_name()).collect(),
            Role::KeyTransport => OAEP
                .iter()
                .map(|(name, ..)| *name)
                .chain(TransportAlg::ALL.iter().map(|alg| alg.short_name()))
                .collect(),
        }
    }
}

const OAEP: &[(&str, DigestAlg, MgfAlg)] = &[
    ("rsa-oaep-sha1", DigestAlg::Sha1, MgfAlg::Mgf1Sha1),
    ("rsa-oaep-sha256", DigestAlg::Sha256, MgfAlg::Mgf1Sha256),
    ("rsa-oaep-sha384", DigestAlg::Sha384, MgfAlg::Mgf1Sha384),
    ("rsa-oaep-sha512", DigestAlg::Sha512, MgfAlg::Mgf1Sha512),
];

/// The algorithms of a binding.
#[derive(Clone, Debug)]
pub(super) struct Algorithms {
    pub(super) suite: Suite,
    pub(super) signature: SignatureAlg,
    pub(super) accepted: AlgSet,
}

/// Reads an AlgorithmSuite in normal form; `None` if there is none, which was said.
pub(super) fn read(assertion: &Assertion, options: &Options, findings: &mut Findings) -> Option<Algorithms> {
    let mut named = None;
    for child in assertion.chosen() {
        match child.kind {
            // What we write is exclusive-canonical as it stands, and that is what is digested.
            Kind::InclusiveC14N
            | Kind::InclusiveC14N11
            | Kind::SoapNormalization10
            | Kind::CustomAlgorithmSuite => {
                findings.not_built(child.kind.name(), child.position);
            }
            // They say how STRs and elements may be named in a signature; we do so without.
            Kind::StrTransform10 | Kind::XPath10 | Kind::Path10 | Kind::XPathFilter20 | Kind::AbsXPath => {}
            kind => match (by_kind(kind), named) {
                (Some(suite), None) => named = Some((kind, suite)),
                (Some(_), Some((first, _))) => {
                    let problem = Problem::Contradiction { name: kind.name(), other: Kind::name(first) };
                    findings.say(problem, child.position);
                }
                (None, _) => {}
            },
        }
    }
    let Some((kind, mut suite)) = named else {
        if findings.missing.is_empty() {
            let problem = Problem::Incomplete { name: Kind::AlgorithmSuite.name(), missing: "suite" };
            findings.say(problem, assertion.position);
        }
        return None;
    };
    let mut fixed = (kind == Kind::CxfBasic128RsaSha512).then_some(SignatureAlg::RsaSha512);
    for change in &options.algorithms {
        match *change {
            Override::Signature(alg) => fixed = Some(alg),
            Override::Digest(alg) => suite.digest = alg,
            Override::Cipher(alg) => suite.cipher = alg,
            Override::KeyTransport(transport, digest, mgf) => {
                suite.delivery = Delivery::Transport { transport, digest, mgf };
            }
        }
    }
    let mut accepted = suite.algorithms(options.reading);
    if options.accept == Accept::Either {
        accepted = accepted.union(suite.algorithms(SignatureReading::Specification));
        accepted = accepted.union(suite.algorithms(SignatureReading::Wcf));
    }
    let named = suite.signature(options.reading);
    if let Some(alg) = fixed {
        // Whoever names one method means that and none that the suite has in any reading.
        SignatureAlg::ALL.iter().filter(|other| !other.is_mac()).for_each(|other| accepted.remove(*other));
        accepted.insert(alg);
    }
    let signature = fixed.unwrap_or(named);
    let rsa = matches!(signature.family(), SignatureFamily::RsaPkcs1 | SignatureFamily::RsaPss);
    // Each side has one certificate as a rule: it cannot sign with a key of one kind and be encrypted to by another.
    if !options.algorithms.is_empty() && rsa != matches!(suite.delivery, Delivery::Transport { .. }) {
        let problem = Problem::Contradiction { name: "algorithms", other: kind.name() };
        findings.add(Diagnostic::new(problem, Some(assertion.position)).as_warning());
    }
    Some(Algorithms { suite, signature, accepted })
}

/// The suite of an assertion.
fn by_kind(kind: Kind) -> Option<Suite> {
    let base = |name: &str| suite::by_name(name).copied();
    match kind {
        Kind::ModernRsa => base("modern-rsa"),
        Kind::ModernEc => base("modern-ec"),
        // Of CXF's own tests: its signature method is set apart.
        Kind::CxfBasic128RsaSha512 => base("Basic128").map(|mut suite| {
            suite.digest = DigestAlg::Sha512;
            suite
        }),
        kind => gcm(kind.name()).or_else(|| base(kind.name())),
    }
}

/// CXF's names are systematic: `BasicNNNGCM`, then `Sha256`, `Rsa15`, `MGFSHA256`, `Digest`. The plain name keeps SHA-1
/// digests (measured: wire formats §3.7).
fn gcm(name: &str) -> Option<Suite> {
    let (base, tail) = name.split_once("GCM")?;
    let mut suite = *suite::by_name(base)?;
    suite.cipher = match suite.cipher {
        CipherAlg::Aes128Cbc => CipherAlg::Aes128Gcm,
        CipherAlg::Aes192Cbc => CipherAlg::Aes192Gcm,
        CipherAlg::Aes256Cbc => CipherAlg::Aes256Gcm,
        _ => return None,
    };
    let oaep = |digest, mgf| Delivery::Transport { transport: TransportAlg::RsaOaep, digest, mgf };
    match tail {
        "" => {}
        "Sha256" => suite.digest = DigestAlg::Sha256,
        "Rsa15" => suite.delivery = suite::by_name("Basic256Rsa15")?.delivery,
        "Sha256Rsa15" => {
            suite.digest = DigestAlg::Sha256;
            suite.delivery = suite::by_name("Basic256Rsa15")?.delivery;
        }
        "MGFSHA256" => suite.delivery = oaep(DigestAlg::Sha1, MgfAlg::Mgf1Sha256),
        "MGFSHA256Digest" => suite.delivery = oaep(DigestAlg::Sha256, MgfAlg::Mgf1Sha256),
        _ => return None,
    }
    Some(suite)
}
