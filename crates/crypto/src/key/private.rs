//! Private keys: signing, key transport, agreement, generation and storage forms.

use core::fmt;
use std::sync::Arc;

use aws_lc_rs::agreement;
use aws_lc_rs::encoding::{AsBigEndian, Curve25519SeedBin};
use aws_lc_rs::signature as awslc;
use bartizan_crypto_sys as sys;
use zeroize::Zeroizing;

use super::ephemeral::shared_secret;
use super::public::Exponents;
use super::{Curve, KeyKind, MAX_RSA_BITS, MIN_RSA_BITS, PublicKey};
use crate::alg::{Alg, SignatureAlg, SignatureFamily, TransportAlg};
use crate::asn1::{self, Reader, without_leading_zeros};
use crate::digest::{digest, md};
use crate::{Digest, Error, OaepParams, Secret, transport};

/// A private key with its public half. Cheap to clone; nothing secret is ever printed.
#[derive(Clone)]
pub struct PrivateKey(Arc<Inner>);

struct Inner {
    public: PublicKey,
    handle: Handle,
}

enum Handle {
    Rsa { key: sys::RsaPrivateKey, rejection: Secret },
    Ec { key: sys::EcPrivateKey, agreement: agreement::PrivateKey },
    Ed25519 { key: awslc::Ed25519KeyPair, seed: Secret },
    X25519 { key: agreement::PrivateKey, seed: Secret },
}

impl PrivateKey {
    /// Reads an unencrypted DER PKCS#8 PrivateKeyInfo (RFC 5958): RSA (1,024 to 8,192 bits), EC on a
    /// named curve, Ed25519 or X25519.
    ///
    /// # Errors
    /// [`Error::MalformedKey`], [`Error::KeyTooSmall`], [`Error::KeyTooLarge`];
    /// [`Error::Unsupported`] for a DSA key.
    pub fn from_pkcs8(der: &[u8]) -> Result<Self, Error> {
        let (mut algorithm, key) = private_key_info(der).ok_or(Error::MalformedKey)?;
        match algorithm.take(asn1::OID).ok_or(Error::MalformedKey)? {
            asn1::OID_RSA => Self::from_pkcs1(key),
            asn1::OID_EC => {
                let oid = algorithm.take(asn1::OID).ok_or(Error::MalformedKey)?;
                Self::read_sec1(key, Some(Curve::from_oid_der(oid).ok_or(Error::MalformedKey)?))
            }
            asn1::OID_ED25519 => Self::from_ed25519_seed(seed(key).ok_or(Error::MalformedKey)?),
            asn1::OID_X25519 => Self::from_x25519_seed(seed(key).ok_or(Error::MalformedKey)?),
            asn1::OID_DSA => Err(Error::Unsupported(Alg::Signature(SignatureAlg::DsaSha1))),
            _ => Err(Error::MalformedKey),
        }
    }

    /// Reads a DER PKCS#1 RSAPrivateKey (RFC 8017 §A.1.2) of two primes. Its numbers must fit together.
    ///
    /// The public exponent may be as small as 3: this is an own key, not one that a message brings.
    ///
    /// # Errors
    /// As [`from_pkcs8`](Self::from_pkcs8).
    pub fn from_pkcs1(der: &[u8]) -> Result<Self, Error> {
        Self::from_rsa(sys::RsaPrivateKey::from_pkcs1(der).map_err(|_| Error::MalformedKey)?)
    }

    fn from_rsa(key: sys::RsaPrivateKey) -> Result<Self, Error> {
        let public = PublicKey::from_rsa(&key.modulus()?, &key.exponent()?, Exponents::Legacy)?;
        let rejection = key.with_pkcs1(transport::rejection_secret)?;
        Ok(Self::new(public, Handle::Rsa { key, rejection }))
    }

    /// Reads a DER SEC1 ECPrivateKey (RFC 5915) that names its curve.
    ///
    /// # Errors
    /// As [`from_pkcs8`](Self::from_pkcs8).
    pub fn from_sec1(der: &[u8]) -> Result<Self, Error> {
        Self::read_sec1(der, None)
    }

    fn read_sec1(der: &[u8], curve: Option<Curve>) -> Result<Self, Error> {
        let parts = ec_private_key(der).ok_or(Error::MalformedKey)?;
        let curve = match (curve, parts.curve) {
            (Some(outer), Some(inner)) if outer != inner => return Err(Error::MalformedKey),
            (Some(curve), _) | (None, Some(curve)) => curve,
            (None, None) => return Err(Error::MalformedKey),
        };
        let key = Self::from_ec_scalar(curve, parts.scalar)?;
        let computed = key.public().ec_point().map(|(_, point)| point);
        match parts.point {
            // A point written in another form says nothing that is not computed anyway.
            Some(point) if point.first() == Some(&4) && Some(point) != computed => Err(Error::MalformedKey),
            _ => Ok(key),
        }
    }

    /// An EC key from its scalar, big-endian; leading zeros are tolerated.
    ///
    /// # Errors
    /// [`Error::MalformedKey`] if the scalar is zero or not below the order.
    pub fn from_ec_scalar(curve: Curve, scalar: &[u8]) -> Result<Self, Error> {
        let scalar = without_leading_zeros(scalar);
        let key = sys::EcPrivateKey::from_scalar(curve.sys(), scalar).map_err(|_| Error::MalformedKey)?;
        let public = PublicKey::from_ec_point(curve, &key.point()?)?;
        let mut padded = Zeroizing::new(vec![0; curve.field_len()]);
        key.write_scalar(&mut padded)?;
        let agreement = agreement::PrivateKey::from_private_key(curve.agreement(), &padded)
            .map_err(|_| Error::MalformedKey)?;
        Ok(Self::new(public, Handle::Ec { key, agreement }))
    }

    /// An Ed25519 key from its 32-octet seed.
    ///
    /// # Errors
    /// [`Error::MalformedKey`] for another length.
    pub fn from_ed25519_seed(seed: &[u8]) -> Result<Self, Error> {
        let key = awslc::Ed25519KeyPair::from_seed_unchecked(seed).map_err(|_| Error::MalformedKey)?;
        let public = PublicKey::from_ed25519(awslc::KeyPair::public_key(&key).as_ref())?;
        Ok(Self::new(public, Handle::Ed25519 { key, seed: Secret::new(seed.to_vec()) }))
    }

    /// An X25519 key from its 32 octets.
    ///
    /// # Errors
    /// [`Error::MalformedKey`] for another length.
    pub fn from_x25519_seed(seed: &[u8]) -> Result<Self, Error> {
        let key = agreement::PrivateKey::from_private_key(&agreement::X25519, seed)
            .map_err(|_| Error::MalformedKey)?;
        let public = PublicKey::from_x25519(key.compute_public_key()?.as_ref())?;
        Ok(Self::new(public, Handle::X25519 { key, seed: Secret::new(seed.to_vec()) }))
    }

    fn new(public: PublicKey, handle: Handle) -> Self {
        Self(Arc::new(Inner { public, handle }))
    }

    /// Reads PKCS#8, PKCS#1 or SEC1, told apart by their structure.
    ///
    /// # Errors
    /// As [`from_pkcs8`](Self::from_pkcs8).
    pub fn from_der(der: &[u8]) -> Result<Self, Error> {
        // All three begin with a version number; what follows it differs.
        let after_version = Reader::new(der).enter(asn1::SEQUENCE).and_then(|mut outer| {
            outer.unsigned()?;
            outer.peek()
        });
        match after_version {
            Some(asn1::SEQUENCE) => Self::from_pkcs8(der),
            Some(asn1::INTEGER) => Self::from_pkcs1(der),
            Some(asn1::OCTET_STRING) => Self::from_sec1(der),
            _ => Err(Error::MalformedKey),
        }
    }

    /// A fresh RSA key with the exponent 65,537; `bits` is a multiple of 128 from 1,024 to 8,192.
    ///
    /// # Errors
    /// [`Error::KeyTooSmall`], [`Error::KeyTooLarge`]; [`Error::Failed`] for a size between.
    pub fn generate_rsa(bits: u32) -> Result<Self, Error> {
        match bits {
            _ if bits < MIN_RSA_BITS => Err(Error::KeyTooSmall),
            _ if bits > MAX_RSA_BITS => Err(Error::KeyTooLarge),
            _ if !bits.is_multiple_of(128) => Err(Error::Failed),
            _ => Self::from_rsa(sys::RsaPrivateKey::generate(bits)?),
        }
    }

    /// A fresh EC key.
    ///
    /// # Errors
    /// [`Error::Failed`].
    pub fn generate_ec(curve: Curve) -> Result<Self, Error> {
        let algorithm = match curve {
            Curve::P256 => &awslc::ECDSA_P256_SHA256_FIXED_SIGNING,
            Curve::P384 => &awslc::ECDSA_P384_SHA384_FIXED_SIGNING,
            Curve::P521 => &awslc::ECDSA_P521_SHA512_FIXED_SIGNING,
        };
        let pair = awslc::EcdsaKeyPair::generate(algorithm)?;
        Self::from_pkcs8(pair.to_pkcs8v1()?.as_ref())
    }

    /// A fresh Ed25519 key.
    ///
    /// # Errors
    /// [`Error::Failed`].
    pub fn generate_ed25519() -> Result<Self, Error> {
        let mut seed = Zeroizing::new([0; 32]);
        aws_lc_rs::rand::fill(&mut *seed)?;
        Self::from_ed25519_seed(&*seed)
    }

    /// A fresh X25519 key.
    ///
    /// # Errors
    /// [`Error::Failed`].
    pub fn generate_x25519() -> Result<Self, Error> {
        let key = agreement::PrivateKey::generate(&agreement::X25519)?;
        let seed: Curve25519SeedBin<'_> = key.as_be_bytes()?;
        Self::from_x25519_seed(seed.as_ref())
    }

    /// What kind of key it is.
    #[must_use]
    pub fn kind(&self) -> KeyKind {
        self.public().kind()
    }

    /// Bits, as [`PublicKey::bits`].
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.public().bits()
    }

    /// The public half.
    #[must_use]
    pub fn public(&self) -> &PublicKey {
        &self.0.public
    }

    /// Signs a message. ECDSA gives r ‖ s, each as long as the curve's order: the octets of
    /// `ds:SignatureValue`.
    ///
    /// # Errors
    /// [`Error::WrongKey`] if the method needs another kind of key, [`Error::Unsupported`] for HMAC and
    /// DSA, [`Error::KeyTooSmall`] if the modulus cannot hold the encoded digest.
    pub fn sign(&self, alg: SignatureAlg, message: &[u8]) -> Result<Vec<u8>, Error> {
        match (alg.digest(), &self.0.handle) {
            (Some(hash), _) => self.sign_digest(alg, &digest(hash, message)),
            (None, Handle::Ed25519 { key, .. }) => Ok(key.try_sign(message)?.as_ref().to_vec()),
            (None, _) => Err(Error::WrongKey),
        }
    }

    /// Signs a message of which only the digest is at hand.
    ///
    /// # Errors
    /// As [`sign`](Self::sign); [`Error::Unsupported`] for Ed25519 too.
    pub fn sign_digest(&self, alg: SignatureAlg, digest: &Digest) -> Result<Vec<u8>, Error> {
        let Some(hash) = alg.digest() else { return Err(Error::Unsupported(alg.into())) };
        if digest.len() != hash.output_len() {
            return Err(Error::Failed);
        }
        match (alg.family(), &self.0.handle) {
            (SignatureFamily::Hmac | SignatureFamily::Dsa, _) => Err(Error::Unsupported(alg.into())),
            (SignatureFamily::RsaPkcs1, Handle::Rsa { key, .. }) => {
                Ok(key.sign_pkcs1(md(hash), digest.as_ref())?)
            }
            (SignatureFamily::RsaPss, Handle::Rsa { key, .. }) => {
                // RFC 8017 §9.1.1: digest, salt of the same length and two octets, in a modulus that
                // loses one bit.
                let room = (key.bits() as usize).saturating_sub(1).div_ceil(8);
                if room < 2 * hash.output_len() + 2 {
                    return Err(Error::KeyTooSmall);
                }
                Ok(key.sign_pss(md(hash), digest.as_ref())?)
            }
            (SignatureFamily::Ecdsa, Handle::Ec { key, .. }) => Ok(key.sign(digest.as_ref())?),
            _ => Err(Error::WrongKey),
        }
    }

    /// Decrypts a transported key of `expected_len` octets.
    ///
    /// RSA 1.5 never tells bad padding or a wrong length: it then gives a pseudo-random key that
    /// depends on this key and the ciphertext, in the same time (implicit rejection). The caller must
    /// let that key fail where every wrong key fails.
    ///
    /// # Errors
    /// [`Error::WrongKey`] unless the key is RSA; [`Error::Failed`] for anything wrong under OAEP;
    /// [`Error::TooLong`] if `expected_len` is beyond 512; [`Error::Unsupported`] for a SHA-3 digest or
    /// an oversize label.
    pub fn decrypt_key(
        &self,
        alg: TransportAlg,
        params: &OaepParams,
        ciphertext: &[u8],
        expected_len: usize,
    ) -> Result<Secret, Error> {
        match &self.0.handle {
            Handle::Rsa { key, rejection } => {
                transport::decrypt(key, rejection, alg, params, ciphertext, expected_len)
            }
            _ => Err(Error::WrongKey),
        }
    }

    /// The shared secret with a peer: the x coordinate for EC, the u coordinate for X25519.
    ///
    /// # Errors
    /// [`Error::WrongKey`] unless both keys are of the same curve, [`Error::Failed`] if the result is
    /// the point at infinity or zero.
    pub fn agree(&self, peer: &PublicKey) -> Result<Secret, Error> {
        match (&self.0.handle, self.kind() == peer.kind()) {
            (Handle::Ec { agreement, .. }, true) => shared_secret(agreement, peer),
            (Handle::X25519 { key, .. }, true) => shared_secret(key, peer),
            _ => Err(Error::WrongKey),
        }
    }

    /// The unencrypted DER PKCS#8 form.
    ///
    /// # Errors
    /// [`Error::Failed`] if the library cannot write it.
    pub fn to_pkcs8(&self) -> Result<Secret, Error> {
        let oid = |oid: &[u8]| asn1::write(asn1::OID, &[oid]);
        let (algorithm, key) = match &self.0.handle {
            Handle::Rsa { key, .. } => {
                let null = asn1::write(asn1::NULL, &[]);
                ([oid(asn1::OID_RSA), null].concat(), key.with_pkcs1(|der| Zeroizing::new(der.to_vec()))?)
            }
            Handle::Ec { key, .. } => {
                let (curve, point) = self.public().ec_point().ok_or(Error::Failed)?;
                let mut scalar = Zeroizing::new(vec![0; curve.field_len()]);
                key.write_scalar(&mut scalar)?;
                let scalar = Zeroizing::new(asn1::write(asn1::OCTET_STRING, &[&scalar]));
                let bits = asn1::write(asn1::BIT_STRING, &[&[0], point]);
                let version = asn1::write_unsigned(&[1]);
                let public = asn1::write(asn1::CONTEXT_1, &[&bits]);
                let key = Zeroizing::new(asn1::write(asn1::SEQUENCE, &[&version, &scalar, &public]));
                ([oid(asn1::OID_EC), oid(curve.oid_der())].concat(), key)
            }
            Handle::Ed25519 { seed, .. } => (oid(asn1::OID_ED25519), write_seed(seed)),
            Handle::X25519 { seed, .. } => (oid(asn1::OID_X25519), write_seed(seed)),
        };
        let version = asn1::write_unsigned(&[0]);
        let algorithm = asn1::write(asn1::SEQUENCE, &[&algorithm]);
        let key = Zeroizing::new(asn1::write(asn1::OCTET_STRING, &[&key]));
        Ok(Secret::new(asn1::write(asn1::SEQUENCE, &[&version, &algorithm, &key])))
    }
}

fn write_seed(seed: &Secret) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(asn1::write(asn1::OCTET_STRING, &[seed.as_slice()]))
}

/// The algorithm and the key octets of a PrivateKeyInfo; attributes and a public key are passed over.
fn private_key_info(der: &[u8]) -> Option<(Reader<'_>, &[u8])> {
    let mut outer = Reader::new(der);
    let mut info = outer.enter(asn1::SEQUENCE)?;
    outer.end()?;
    if !matches!(info.unsigned()?, [0 | 1]) {
        return None;
    }
    let algorithm = info.enter(asn1::SEQUENCE)?;
    Some((algorithm, info.take(asn1::OCTET_STRING)?))
}

/// The seed inside the key octets of Ed25519 and X25519 (RFC 8410 §7).
fn seed(key: &[u8]) -> Option<&[u8]> {
    let mut outer = Reader::new(key);
    let seed = outer.take(asn1::OCTET_STRING)?;
    outer.end()?;
    Some(seed)
}

struct EcParts<'a> {
    scalar: &'a [u8],
    curve: Option<Curve>,
    point: Option<&'a [u8]>,
}

fn ec_private_key(der: &[u8]) -> Option<EcParts<'_>> {
    let mut outer = Reader::new(der);
    let mut key = outer.enter(asn1::SEQUENCE)?;
    outer.end()?;
    if key.unsigned()? != [1] {
        return None;
    }
    let scalar = key.take(asn1::OCTET_STRING)?;
    let mut curve = None;
    if key.peek() == Some(asn1::CONTEXT_0) {
        let mut parameters = key.enter(asn1::CONTEXT_0)?;
        curve = Some(Curve::from_oid_der(parameters.take(asn1::OID)?)?);
        parameters.end()?;
    }
    let mut point = None;
    if key.peek() == Some(asn1::CONTEXT_1) {
        let mut public = key.enter(asn1::CONTEXT_1)?;
        point = Some(public.octets_of_bits()?);
        public.end()?;
    }
    key.end()?;
    Some(EcParts { scalar, curve, point })
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PrivateKey({:?}, {} bits)", self.kind(), self.bits())
    }
}
