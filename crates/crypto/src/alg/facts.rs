//! Parameters of the algorithms: lengths, families, the digest inside.

use super::{AgreementAlg, CipherAlg, DigestAlg, MgfAlg, SignatureAlg, TransportAlg, WrapAlg};

/// Which kind of key a signature method needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignatureFamily {
    /// RSASSA-PKCS1-v1_5.
    RsaPkcs1,
    /// RSASSA-PSS.
    RsaPss,
    /// ECDSA.
    Ecdsa,
    /// DSA.
    Dsa,
    /// EdDSA.
    Ed25519,
    /// HMAC: a shared secret, no public key.
    Hmac,
}

impl DigestAlg {
    /// Octets of the digest.
    #[must_use]
    pub const fn output_len(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha224 | Self::Sha3_224 => 28,
            Self::Sha256 | Self::Sha3_256 => 32,
            Self::Sha384 | Self::Sha3_384 => 48,
            Self::Sha512 | Self::Sha3_512 => 64,
        }
    }

    /// The mask generation function over this digest; `None` for SHA-3, which has no identifier.
    #[must_use]
    pub const fn mgf(self) -> Option<MgfAlg> {
        match self {
            Self::Sha1 => Some(MgfAlg::Mgf1Sha1),
            Self::Sha224 => Some(MgfAlg::Mgf1Sha224),
            Self::Sha256 => Some(MgfAlg::Mgf1Sha256),
            Self::Sha384 => Some(MgfAlg::Mgf1Sha384),
            Self::Sha512 => Some(MgfAlg::Mgf1Sha512),
            Self::Sha3_224 | Self::Sha3_256 | Self::Sha3_384 | Self::Sha3_512 => None,
        }
    }
}

impl MgfAlg {
    /// The digest that MGF1 runs.
    #[must_use]
    pub const fn digest(self) -> DigestAlg {
        match self {
            Self::Mgf1Sha1 => DigestAlg::Sha1,
            Self::Mgf1Sha224 => DigestAlg::Sha224,
            Self::Mgf1Sha256 => DigestAlg::Sha256,
            Self::Mgf1Sha384 => DigestAlg::Sha384,
            Self::Mgf1Sha512 => DigestAlg::Sha512,
        }
    }
}

impl SignatureAlg {
    /// The digest applied to the message; `None` for Ed25519, which hashes twice on its own.
    #[must_use]
    pub const fn digest(self) -> Option<DigestAlg> {
        Some(match self {
            Self::RsaSha1 | Self::RsaPssSha1 | Self::EcdsaSha1 | Self::DsaSha1 | Self::HmacSha1 => {
                DigestAlg::Sha1
            }
            Self::RsaSha224 | Self::RsaPssSha224 | Self::EcdsaSha224 | Self::HmacSha224 => DigestAlg::Sha224,
            Self::RsaSha256 | Self::RsaPssSha256 | Self::EcdsaSha256 | Self::DsaSha256 | Self::HmacSha256 => {
                DigestAlg::Sha256
            }
            Self::RsaSha384 | Self::RsaPssSha384 | Self::EcdsaSha384 | Self::HmacSha384 => DigestAlg::Sha384,
            Self::RsaSha512 | Self::RsaPssSha512 | Self::EcdsaSha512 | Self::HmacSha512 => DigestAlg::Sha512,
            Self::RsaPssSha3_224 | Self::EcdsaSha3_224 => DigestAlg::Sha3_224,
            Self::RsaPssSha3_256 | Self::EcdsaSha3_256 => DigestAlg::Sha3_256,
            Self::RsaPssSha3_384 | Self::EcdsaSha3_384 => DigestAlg::Sha3_384,
            Self::RsaPssSha3_512 | Self::EcdsaSha3_512 => DigestAlg::Sha3_512,
            Self::Ed25519 => return None,
        })
    }

    /// Which kind of key it needs.
    #[must_use]
    pub const fn family(self) -> SignatureFamily {
        match self {
            Self::RsaSha1 | Self::RsaSha224 | Self::RsaSha256 | Self::RsaSha384 | Self::RsaSha512 => {
                SignatureFamily::RsaPkcs1
            }
            Self::RsaPssSha1
            | Self::RsaPssSha224
            | Self::RsaPssSha256
            | Self::RsaPssSha384
            | Self::RsaPssSha512
            | Self::RsaPssSha3_224
            | Self::RsaPssSha3_256
            | Self::RsaPssSha3_384
            | Self::RsaPssSha3_512 => SignatureFamily::RsaPss,
            Self::EcdsaSha1
            | Self::EcdsaSha224
            | Self::EcdsaSha256
            | Self::EcdsaSha384
            | Self::EcdsaSha512
            | Self::EcdsaSha3_224
            | Self::EcdsaSha3_256
            | Self::EcdsaSha3_384
            | Self::EcdsaSha3_512 => SignatureFamily::Ecdsa,
            Self::DsaSha1 | Self::DsaSha256 => SignatureFamily::Dsa,
            Self::Ed25519 => SignatureFamily::Ed25519,
            Self::HmacSha1 | Self::HmacSha224 | Self::HmacSha256 | Self::HmacSha384 | Self::HmacSha512 => {
                SignatureFamily::Hmac
            }
        }
    }

    /// Whether the key is a shared secret.
    #[must_use]
    pub const fn is_mac(self) -> bool {
        matches!(self.family(), SignatureFamily::Hmac)
    }
}

impl CipherAlg {
    /// Octets of the key.
    #[must_use]
    pub const fn key_len(self) -> usize {
        match self {
            Self::Aes128Cbc | Self::Aes128Gcm => 16,
            Self::TripleDesCbc | Self::Aes192Cbc | Self::Aes192Gcm => 24,
            Self::Aes256Cbc | Self::Aes256Gcm => 32,
        }
    }

    /// Octets of the initialization vector that precedes the ciphertext.
    #[must_use]
    pub const fn iv_len(self) -> usize {
        match self {
            Self::TripleDesCbc => 8,
            Self::Aes128Cbc | Self::Aes192Cbc | Self::Aes256Cbc => 16,
            Self::Aes128Gcm | Self::Aes192Gcm | Self::Aes256Gcm => 12,
        }
    }

    /// Octets of a cipher block.
    #[must_use]
    pub const fn block_len(self) -> usize {
        match self {
            Self::TripleDesCbc => 8,
            _ => 16,
        }
    }

    /// Octets of the authentication tag after the ciphertext; 0 for CBC.
    #[must_use]
    pub const fn tag_len(self) -> usize {
        if self.is_aead() { 16 } else { 0 }
    }

    /// Whether the cipher authenticates what it decrypts.
    #[must_use]
    pub const fn is_aead(self) -> bool {
        matches!(self, Self::Aes128Gcm | Self::Aes192Gcm | Self::Aes256Gcm)
    }
}

impl WrapAlg {
    /// Octets of the key encryption key.
    #[must_use]
    pub const fn key_len(self) -> usize {
        match self {
            Self::Aes128 => 16,
            Self::TripleDes | Self::Aes192 => 24,
            Self::Aes256 => 32,
        }
    }
}

impl TransportAlg {
    /// Whether the transport is a form of OAEP.
    #[must_use]
    pub const fn is_oaep(self) -> bool {
        matches!(self, Self::RsaOaepMgf1p | Self::RsaOaep)
    }
}

impl AgreementAlg {
    /// Octets of the longest shared secret.
    #[must_use]
    pub const fn max_secret_len(self) -> usize {
        match self {
            Self::EcdhEs => 66,
            Self::X25519 => 32,
        }
    }
}
