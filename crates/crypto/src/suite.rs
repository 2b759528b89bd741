//! Named algorithm suites: the sixteen of WS-SecurityPolicy 1.1–1.3 §7.1, the nine
//! with GCM that CXF 4 adds in its own namespace, and two of our own.
//!
//! A suite is data. The policy compiler turns it into an [`AlgSet`] of what may come in and into the
//! single choices for what goes out.

use crate::OaepSet;
use crate::alg::{
    AgreementAlg, AlgSet, CipherAlg, DigestAlg, KdfAlg, MgfAlg, SignatureAlg, TransportAlg, WrapAlg,
};

/// How the asymmetric signature of the `…Sha256` suites is read.
///
/// The specification changes only the digest in those suites and keeps RSA-SHA1 as the signature;
/// WCF (and Rampart) sign with RSA-SHA256 there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SignatureReading {
    /// As WS-SecurityPolicy §7.1 says: RSA-SHA1 in every standard suite.
    #[default]
    Specification,
    /// As WCF does: RSA-SHA256 in the suites whose digest is SHA-256.
    Wcf,
}

/// How the content key reaches the recipient of an asymmetric message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Delivery {
    /// The key is encrypted under the recipient's RSA key.
    Transport {
        /// The transport algorithm.
        transport: TransportAlg,
        /// The OAEP digest; without meaning for RSA 1.5.
        digest: DigestAlg,
        /// The OAEP mask generation function; without meaning for RSA 1.5.
        mgf: MgfAlg,
    },
    /// The key is wrapped under a key agreed upon with the recipient's EC key.
    Agreement {
        /// The agreement.
        agreement: AgreementAlg,
        /// The derivation of the wrapping key.
        kdf: KdfAlg,
        /// The digest inside the derivation.
        digest: DigestAlg,
    },
}

// tidy: bag one row of the specification's table of suites, column by column
/// A named set of algorithm choices and key length bounds. Lengths are in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suite {
    /// The name, as a policy spells it.
    pub name: &'static str,
    /// Digest of signature references.
    pub digest: DigestAlg,
    /// Signature with a shared key.
    pub symmetric_signature: SignatureAlg,
    /// Content encryption.
    pub cipher: CipherAlg,
    /// Key wrap under a shared key, or under an agreed one.
    pub wrap: WrapAlg,
    /// How the content key is delivered under a public key.
    pub delivery: Delivery,
    /// Derivation of keys from a shared secret.
    pub derivation: KdfAlg,
    /// Length of a derived encryption key.
    pub encryption_key_bits: u16,
    /// Length of a derived signature key.
    pub signature_key_bits: u16,
    /// Shortest shared key.
    pub min_symmetric_bits: u16,
    /// Longest shared key.
    pub max_symmetric_bits: u16,
    /// Shortest public key: an RSA modulus, or the field of a curve.
    pub min_asymmetric_bits: u16,
    /// Longest public key.
    pub max_asymmetric_bits: u16,
    asymmetric: Asymmetric,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asymmetric {
    /// RSA-SHA1, or what WCF makes of the suite's digest.
    ByReading,
    Fixed(SignatureAlg),
}

impl Suite {
    /// The signature method under a key pair.
    #[must_use]
    pub const fn signature(&self, reading: SignatureReading) -> SignatureAlg {
        match (self.asymmetric, reading, self.digest) {
            (Asymmetric::Fixed(alg), _, _) => alg,
            (Asymmetric::ByReading, SignatureReading::Wcf, DigestAlg::Sha256) => SignatureAlg::RsaSha256,
            (Asymmetric::ByReading, _, _) => SignatureAlg::RsaSha1,
        }
    }

    /// The key transport, if the suite uses one.
    #[must_use]
    pub const fn transport(&self) -> Option<TransportAlg> {
        match self.delivery {
            Delivery::Transport { transport, .. } => Some(transport),
            Delivery::Agreement { .. } => None,
        }
    }

    /// Everything the suite names, as an allow-list for what comes in.
    ///
    /// The digest inside OAEP is a parameter of the transport, not a member of this set: with
    /// `rsa-oaep-mgf1p` it is SHA-1 by default even where SHA-1 is not permitted as a digest.
    #[must_use]
    pub fn algorithms(&self, reading: SignatureReading) -> AlgSet {
        let mut set = AlgSet::empty();
        set.insert(self.digest);
        set.insert(self.symmetric_signature);
        set.insert(self.signature(reading));
        set.insert(self.cipher);
        set.insert(self.wrap);
        set.insert(self.derivation);
        match self.delivery {
            Delivery::Transport { transport, mgf, .. } => {
                set.insert(transport);
                set.insert(mgf);
            }
            Delivery::Agreement { agreement, kdf, .. } => {
                set.insert(agreement);
                set.insert(kdf);
            }
        }
        if matches!(self.derivation, KdfAlg::PSha1) {
            set.insert(KdfAlg::PSha1Draft);
        }
        set
    }

    /// The parameters of RSA-OAEP that the suite means.
    ///
    /// Under `rsa-oaep-mgf1p` that is SHA-1, which stacks write by leaving DigestMethod out, and in a suite whose digest
    /// is SHA-256 that digest as well, for stacks that name it; the mask is MGF1 with SHA-1 in both cases.
    #[must_use]
    pub fn oaep(&self) -> OaepSet {
        let mut set = OaepSet::EMPTY;
        if let Delivery::Transport { transport, digest, mgf } = self.delivery {
            set.insert(transport, digest, mgf);
            if transport == TransportAlg::RsaOaepMgf1p && self.digest == DigestAlg::Sha256 {
                set.insert(transport, DigestAlg::Sha256, MgfAlg::Mgf1Sha1);
            }
        }
        set
    }

    /// Octets of a content key.
    #[must_use]
    pub const fn content_key_len(&self) -> usize {
        self.cipher.key_len()
    }
}

const OAEP: Delivery = Delivery::Transport {
    transport: TransportAlg::RsaOaepMgf1p,
    digest: DigestAlg::Sha1,
    mgf: MgfAlg::Mgf1Sha1,
};
const RSA15: Delivery =
    Delivery::Transport { transport: TransportAlg::Rsa15, digest: DigestAlg::Sha1, mgf: MgfAlg::Mgf1Sha1 };

const fn standard(name: &'static str, digest: DigestAlg, cipher: CipherAlg, delivery: Delivery) -> Suite {
    // WS-SecurityPolicy 1.2 §7.1: wrap, derivation lengths and the shortest key follow the cipher;
    // a derived signature key is never longer than 192 bits.
    let (wrap, bits, signature_bits) = match cipher {
        CipherAlg::TripleDesCbc => (WrapAlg::TripleDes, 192, 192),
        CipherAlg::Aes128Cbc | CipherAlg::Aes128Gcm => (WrapAlg::Aes128, 128, 128),
        CipherAlg::Aes192Cbc | CipherAlg::Aes192Gcm => (WrapAlg::Aes192, 192, 192),
        CipherAlg::Aes256Cbc | CipherAlg::Aes256Gcm => (WrapAlg::Aes256, 256, 192),
    };
    Suite {
        name,
        digest,
        symmetric_signature: SignatureAlg::HmacSha1,
        cipher,
        wrap,
        delivery,
        derivation: KdfAlg::PSha1,
        encryption_key_bits: bits,
        signature_key_bits: signature_bits,
        min_symmetric_bits: bits,
        max_symmetric_bits: 256,
        min_asymmetric_bits: 1024,
        max_asymmetric_bits: 4096,
        asymmetric: Asymmetric::ByReading,
    }
}

const MODERN_RSA: Suite = Suite {
    symmetric_signature: SignatureAlg::HmacSha256,
    signature_key_bits: 256,
    min_asymmetric_bits: 2048,
    max_asymmetric_bits: 8192,
    asymmetric: Asymmetric::Fixed(SignatureAlg::RsaSha256),
    ..standard(
        "modern-rsa",
        DigestAlg::Sha256,
        CipherAlg::Aes256Gcm,
        Delivery::Transport {
            transport: TransportAlg::RsaOaep,
            digest: DigestAlg::Sha256,
            mgf: MgfAlg::Mgf1Sha256,
        },
    )
};

const MODERN_EC: Suite = Suite {
    symmetric_signature: SignatureAlg::HmacSha256,
    signature_key_bits: 256,
    min_asymmetric_bits: 256,
    max_asymmetric_bits: 521,
    asymmetric: Asymmetric::Fixed(SignatureAlg::EcdsaSha256),
    ..standard(
        "modern-ec",
        DigestAlg::Sha256,
        CipherAlg::Aes256Gcm,
        Delivery::Agreement {
            agreement: AgreementAlg::EcdhEs,
            kdf: KdfAlg::ConcatKdf,
            digest: DigestAlg::Sha256,
        },
    )
};

/// Every suite: the standard sixteen first, then CXF's, then ours.
pub const ALL: &[Suite] = &[
    standard("Basic256", DigestAlg::Sha1, CipherAlg::Aes256Cbc, OAEP),
    standard("Basic192", DigestAlg::Sha1, CipherAlg::Aes192Cbc, OAEP),
    standard("Basic128", DigestAlg::Sha1, CipherAlg::Aes128Cbc, OAEP),
    standard("TripleDes", DigestAlg::Sha1, CipherAlg::TripleDesCbc, OAEP),
    standard("Basic256Rsa15", DigestAlg::Sha1, CipherAlg::Aes256Cbc, RSA15),
    standard("Basic192Rsa15", DigestAlg::Sha1, CipherAlg::Aes192Cbc, RSA15),
    standard("Basic128Rsa15", DigestAlg::Sha1, CipherAlg::Aes128Cbc, RSA15),
    standard("TripleDesRsa15", DigestAlg::Sha1, CipherAlg::TripleDesCbc, RSA15),
    standard("Basic256Sha256", DigestAlg::Sha256, CipherAlg::Aes256Cbc, OAEP),
    standard("Basic192Sha256", DigestAlg::Sha256, CipherAlg::Aes192Cbc, OAEP),
    standard("Basic128Sha256", DigestAlg::Sha256, CipherAlg::Aes128Cbc, OAEP),
    standard("TripleDesSha256", DigestAlg::Sha256, CipherAlg::TripleDesCbc, OAEP),
    standard("Basic256Sha256Rsa15", DigestAlg::Sha256, CipherAlg::Aes256Cbc, RSA15),
    standard("Basic192Sha256Rsa15", DigestAlg::Sha256, CipherAlg::Aes192Cbc, RSA15),
    standard("Basic128Sha256Rsa15", DigestAlg::Sha256, CipherAlg::Aes128Cbc, RSA15),
    standard("TripleDesSha256Rsa15", DigestAlg::Sha256, CipherAlg::TripleDesCbc, RSA15),
    standard("Basic256GCM", DigestAlg::Sha1, CipherAlg::Aes256Gcm, OAEP),
    standard("Basic192GCM", DigestAlg::Sha1, CipherAlg::Aes192Gcm, OAEP),
    standard("Basic128GCM", DigestAlg::Sha1, CipherAlg::Aes128Gcm, OAEP),
    standard("Basic256GCMRsa15", DigestAlg::Sha1, CipherAlg::Aes256Gcm, RSA15),
    standard("Basic192GCMRsa15", DigestAlg::Sha1, CipherAlg::Aes192Gcm, RSA15),
    standard("Basic128GCMRsa15", DigestAlg::Sha1, CipherAlg::Aes128Gcm, RSA15),
    standard("Basic256GCMSha256Rsa15", DigestAlg::Sha256, CipherAlg::Aes256Gcm, RSA15),
    standard("Basic192GCMSha256Rsa15", DigestAlg::Sha256, CipherAlg::Aes192Gcm, RSA15),
    standard("Basic128GCMSha256Rsa15", DigestAlg::Sha256, CipherAlg::Aes128Gcm, RSA15),
    MODERN_RSA,
    MODERN_EC,
];

/// The suite with exactly this name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Suite> {
    ALL.iter().find(|suite| suite.name == name)
}

#[cfg(test)]
mod tests;
