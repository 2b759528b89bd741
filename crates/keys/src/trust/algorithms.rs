//! Signature algorithms of certificate paths: `webpki`'s own, and those of the period on request.

use bartizan_crypto::{PublicKey, SignatureAlg};
use md5::Digest as _;
use rustls_pki_types::{AlgorithmIdentifier, InvalidSignature, SignatureVerificationAlgorithm, alg_id};

use super::ChainAlgorithms;
use crate::der::{SEQUENCE, whole};

/// RSA PKCS#1 v1.5 with keys from 1024 bits and any odd exponent from 3.
#[derive(Debug)]
struct PeriodRsa {
    signature: AlgorithmIdentifier,
    alg: SignatureAlg,
}

/// sha1WithRSAEncryption with NULL parameters, as an AlgorithmIdentifier's contents.
const RSA_PKCS1_SHA1: AlgorithmIdentifier =
    AlgorithmIdentifier::from_slice(&[0x06, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 5, 5, 0]);

/// md5WithRSAEncryption with NULL parameters, as an AlgorithmIdentifier's contents.
const RSA_PKCS1_MD5: &[u8] = &[0x06, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 4, 5, 0];

static RSA_SHA1: PeriodRsa = PeriodRsa { signature: RSA_PKCS1_SHA1, alg: SignatureAlg::RsaSha1 };
static RSA_SHA256: PeriodRsa =
    PeriodRsa { signature: alg_id::RSA_PKCS1_SHA256, alg: SignatureAlg::RsaSha256 };
static RSA_SHA384: PeriodRsa =
    PeriodRsa { signature: alg_id::RSA_PKCS1_SHA384, alg: SignatureAlg::RsaSha384 };
static RSA_SHA512: PeriodRsa =
    PeriodRsa { signature: alg_id::RSA_PKCS1_SHA512, alg: SignatureAlg::RsaSha512 };

impl SignatureVerificationAlgorithm for PeriodRsa {
    fn verify_signature(
        &self,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), InvalidSignature> {
        let key = rsa_key(public_key).ok_or(InvalidSignature)?;
        key.verify(self.alg, message, signature).map_err(|_| InvalidSignature)
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::RSA_ENCRYPTION
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        self.signature
    }
}

/// From the RSAPublicKey inside a SubjectPublicKeyInfo.
fn rsa_key(der: &[u8]) -> Option<PublicKey> {
    let mut sequence = whole(der, SEQUENCE, "RSA public key").ok()?;
    let (modulus, exponent) = (sequence.integer("modulus").ok()?, sequence.integer("exponent").ok()?);
    sequence.finish("RSA public key").ok()?;
    PublicKey::from_rsa_components_legacy(modulus, exponent).ok()
}

/// The algorithms that may sign certificates and revocation lists.
pub(super) fn permitted(choice: ChainAlgorithms) -> Vec<&'static dyn SignatureVerificationAlgorithm> {
    let mut list = Vec::new();
    if choice != ChainAlgorithms::Modern {
        // `webpki` stops at the first algorithm that fits the identifiers and fails, so the wider ones go
        // first; what they accept beyond the others is only the smaller key.
        let period: [&'static dyn SignatureVerificationAlgorithm; 4] =
            [&RSA_SHA1, &RSA_SHA256, &RSA_SHA384, &RSA_SHA512];
        list.extend(period);
    }
    list.extend_from_slice(webpki::ALL_VERIFICATION_ALGS);
    list
}

/// The DSA method of the contents of an AlgorithmIdentifier (RFC 3279 §2.2.2, RFC 5758 §3.1), whose
/// parameters are absent.
fn dsa(algorithm: &[u8]) -> Option<SignatureAlg> {
    match algorithm {
        [0x06, 7, 0x2a, 0x86, 0x48, 0xce, 0x38, 4, 3] => Some(SignatureAlg::DsaSha1),
        [0x06, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3, 2] => Some(SignatureAlg::DsaSha256),
        _ => None,
    }
}

/// Certificates carry r and s as two INTEGERs; the crypto crate wants them side by side.
fn verify_dsa(alg: SignatureAlg, spki: &[u8], message: &[u8], signature: &[u8]) -> Option<()> {
    let key = PublicKey::from_spki(spki).ok()?;
    let len = key.dsa_components()?.q.len();
    let mut numbers = whole(signature, SEQUENCE, "DSA signature").ok()?;
    let mut flat = Vec::with_capacity(2 * len);
    for _ in 0..2 {
        let number = numbers.integer("DSA signature").ok()?;
        let zeros = number.iter().take_while(|octet| **octet == 0).count();
        let number = number.get(zeros..)?;
        flat.resize(flat.len() + len.checked_sub(number.len())?, 0);
        flat.extend_from_slice(number);
    }
    numbers.finish("DSA signature").ok()?;
    key.verify(alg, message, &flat).ok()
}

/// Checks a signature over `message` with the key in `spki` under the `algorithm` (the contents of an
/// AlgorithmIdentifier). `None` if the algorithm is not permitted.
pub(super) fn verify(
    choice: ChainAlgorithms,
    spki: &[u8],
    algorithm: &[u8],
    message: &[u8],
    signature: &[u8],
) -> Option<Result<(), InvalidSignature>> {
    let mut info = whole(spki, SEQUENCE, "public key").ok()?;
    let key_algorithm = info.expect(SEQUENCE, "key algorithm").ok()?.value;
    let key = info.bit_octets("key bits").ok()?;
    if choice != ChainAlgorithms::Modern
        && let Some(alg) = dsa(algorithm)
    {
        return Some(verify_dsa(alg, spki, message, signature).ok_or(InvalidSignature));
    }
    if choice == ChainAlgorithms::Archive && algorithm == RSA_PKCS1_MD5 {
        let digest: [u8; 16] = md5::Md5::digest(message).into();
        let verdict = rsa_key(key).and_then(|key| key.verify_archived_md5(&digest, signature).ok());
        return Some(verdict.ok_or(InvalidSignature));
    }
    let fitting = |candidate: &&'static dyn SignatureVerificationAlgorithm| {
        *candidate.signature_alg_id() == *algorithm && *candidate.public_key_alg_id() == *key_algorithm
    };
    let found = permitted(choice).into_iter().find(fitting)?;
    Some(found.verify_signature(key, message, signature))
}
