//! The algorithm enums and their identifiers: one row an algorithm.
//!
//! Every algorithm URI of the workspace is spelt in this file (or in `refused`), nowhere else.
//! Status is the judgement outside a policy: `Ok`, or `Legacy` for what only a policy that names it
//! (or an explicit switch) may bring back. Strength is in bits against the best known attack on the
//! algorithm's own part; for public-key algorithms the key's strength comes on top of it.

use super::Status;

macro_rules! algorithms {
    ($(#[$meta:meta])* $name:ident { $( $(#[$vmeta:meta])* $variant:ident, $uri:literal, $short:literal, $status:ident, $bits:literal; )+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum $name { $( $(#[$vmeta])* $variant, )+ }

        impl $name {
            /// Every variant, in the order of the table.
            pub const ALL: &'static [Self] = &[ $( Self::$variant, )+ ];

            /// The identifier as it stands in an `Algorithm` attribute.
            #[must_use]
            pub const fn uri(self) -> &'static str {
                match self { $( Self::$variant => $uri, )+ }
            }

            /// The algorithm with exactly this identifier; `None` for every other text.
            #[must_use]
            pub fn from_uri(uri: &str) -> Option<Self> {
                match uri { $( $uri => Some(Self::$variant), )+ _ => None }
            }

            /// The short name used in configuration, evidence and listings.
            #[must_use]
            pub const fn short_name(self) -> &'static str {
                match self { $( Self::$variant => $short, )+ }
            }

            /// The algorithm with exactly this short name.
            #[must_use]
            pub fn from_short_name(name: &str) -> Option<Self> {
                match name { $( $short => Some(Self::$variant), )+ _ => None }
            }

            /// How the algorithm is judged outside a policy that names it.
            #[must_use]
            pub const fn status(self) -> Status {
                match self { $( Self::$variant => Status::$status, )+ }
            }

            /// Strength in bits of the algorithm itself (see the module header).
            #[must_use]
            pub const fn strength_bits(self) -> u16 {
                match self { $( Self::$variant => $bits, )+ }
            }
        }
    };
}

algorithms! {
    /// Message digests (XML Signature 1.1 §6.2, RFC 9231 §2.1). Strength is that against collisions.
    DigestAlg {
        /// SHA-1.
        Sha1, "http://www.w3.org/2000/09/xmldsig#sha1", "sha1", Legacy, 61;
        /// SHA-224.
        Sha224, "http://www.w3.org/2001/04/xmldsig-more#sha224", "sha224", Ok, 112;
        /// SHA-256.
        Sha256, "http://www.w3.org/2001/04/xmlenc#sha256", "sha256", Ok, 128;
        /// SHA-384.
        Sha384, "http://www.w3.org/2001/04/xmldsig-more#sha384", "sha384", Ok, 192;
        /// SHA-512.
        Sha512, "http://www.w3.org/2001/04/xmlenc#sha512", "sha512", Ok, 256;
        /// SHA3-224.
        Sha3_224, "http://www.w3.org/2007/05/xmldsig-more#sha3-224", "sha3-224", Ok, 112;
        /// SHA3-256.
        Sha3_256, "http://www.w3.org/2007/05/xmldsig-more#sha3-256", "sha3-256", Ok, 128;
        /// SHA3-384.
        Sha3_384, "http://www.w3.org/2007/05/xmldsig-more#sha3-384", "sha3-384", Ok, 192;
        /// SHA3-512.
        Sha3_512, "http://www.w3.org/2007/05/xmldsig-more#sha3-512", "sha3-512", Ok, 256;
    }
}

algorithms! {
    /// Signature and message authentication methods (XML Signature 1.1 §6.3–6.4, RFC 9231 §2.2–2.3).
    ///
    /// The PSS identifiers fix MGF1 with the same digest and a salt as long as the digest.
    SignatureAlg {
        /// RSASSA-PKCS1-v1_5 with SHA-1.
        RsaSha1, "http://www.w3.org/2000/09/xmldsig#rsa-sha1", "rsa-sha1", Legacy, 61;
        /// RSASSA-PKCS1-v1_5 with SHA-224.
        RsaSha224, "http://www.w3.org/2001/04/xmldsig-more#rsa-sha224", "rsa-sha224", Ok, 112;
        /// RSASSA-PKCS1-v1_5 with SHA-256.
        RsaSha256, "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", "rsa-sha256", Ok, 128;
        /// RSASSA-PKCS1-v1_5 with SHA-384.
        RsaSha384, "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384", "rsa-sha384", Ok, 192;
        /// RSASSA-PKCS1-v1_5 with SHA-512.
        RsaSha512, "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512", "rsa-sha512", Ok, 256;
        /// RSASSA-PSS with SHA-1.
        RsaPssSha1, "http://www.w3.org/2007/05/xmldsig-more#sha1-rsa-MGF1", "rsa-pss-sha1", Legacy, 61;
        /// RSASSA-PSS with SHA-224.
        RsaPssSha224, "http://www.w3.org/2007/05/xmldsig-more#sha224-rsa-MGF1", "rsa-pss-sha224", Ok, 112;
        /// RSASSA-PSS with SHA-256.
        RsaPssSha256, "http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1", "rsa-pss-sha256", Ok, 128;
        /// RSASSA-PSS with SHA-384.
        RsaPssSha384, "http://www.w3.org/2007/05/xmldsig-more#sha384-rsa-MGF1", "rsa-pss-sha384", Ok, 192;
        /// RSASSA-PSS with SHA-512.
        RsaPssSha512, "http://www.w3.org/2007/05/xmldsig-more#sha512-rsa-MGF1", "rsa-pss-sha512", Ok, 256;
        /// RSASSA-PSS with SHA3-224.
        RsaPssSha3_224, "http://www.w3.org/2007/05/xmldsig-more#sha3-224-rsa-MGF1", "rsa-pss-sha3-224", Ok, 112;
        /// RSASSA-PSS with SHA3-256.
        RsaPssSha3_256, "http://www.w3.org/2007/05/xmldsig-more#sha3-256-rsa-MGF1", "rsa-pss-sha3-256", Ok, 128;
        /// RSASSA-PSS with SHA3-384.
        RsaPssSha3_384, "http://www.w3.org/2007/05/xmldsig-more#sha3-384-rsa-MGF1", "rsa-pss-sha3-384", Ok, 192;
        /// RSASSA-PSS with SHA3-512.
        RsaPssSha3_512, "http://www.w3.org/2007/05/xmldsig-more#sha3-512-rsa-MGF1", "rsa-pss-sha3-512", Ok, 256;
        /// ECDSA with SHA-1.
        EcdsaSha1, "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha1", "ecdsa-sha1", Legacy, 61;
        /// ECDSA with SHA-224.
        EcdsaSha224, "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha224", "ecdsa-sha224", Ok, 112;
        /// ECDSA with SHA-256.
        EcdsaSha256, "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256", "ecdsa-sha256", Ok, 128;
        /// ECDSA with SHA-384.
        EcdsaSha384, "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384", "ecdsa-sha384", Ok, 192;
        /// ECDSA with SHA-512.
        EcdsaSha512, "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512", "ecdsa-sha512", Ok, 256;
        /// ECDSA with SHA3-224.
        EcdsaSha3_224, "http://www.w3.org/2021/04/xmldsig-more#ecdsa-sha3-224", "ecdsa-sha3-224", Ok, 112;
        /// ECDSA with SHA3-256.
        EcdsaSha3_256, "http://www.w3.org/2021/04/xmldsig-more#ecdsa-sha3-256", "ecdsa-sha3-256", Ok, 128;
        /// ECDSA with SHA3-384.
        EcdsaSha3_384, "http://www.w3.org/2021/04/xmldsig-more#ecdsa-sha3-384", "ecdsa-sha3-384", Ok, 192;
        /// ECDSA with SHA3-512.
        EcdsaSha3_512, "http://www.w3.org/2021/04/xmldsig-more#ecdsa-sha3-512", "ecdsa-sha3-512", Ok, 256;
        /// DSA with SHA-1, verification only.
        DsaSha1, "http://www.w3.org/2000/09/xmldsig#dsa-sha1", "dsa-sha1", Legacy, 61;
        /// DSA with SHA-256, verification only.
        DsaSha256, "http://www.w3.org/2009/xmldsig11#dsa-sha256", "dsa-sha256", Legacy, 112;
        /// Ed25519 (RFC 8032, pure).
        Ed25519, "http://www.w3.org/2021/04/xmldsig-more#eddsa-ed25519", "ed25519", Ok, 128;
        /// HMAC with SHA-1. Not legacy: forgery does not follow from collisions.
        HmacSha1, "http://www.w3.org/2000/09/xmldsig#hmac-sha1", "hmac-sha1", Ok, 160;
        /// HMAC with SHA-224.
        HmacSha224, "http://www.w3.org/2001/04/xmldsig-more#hmac-sha224", "hmac-sha224", Ok, 224;
        /// HMAC with SHA-256.
        HmacSha256, "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256", "hmac-sha256", Ok, 256;
        /// HMAC with SHA-384.
        HmacSha384, "http://www.w3.org/2001/04/xmldsig-more#hmac-sha384", "hmac-sha384", Ok, 384;
        /// HMAC with SHA-512.
        HmacSha512, "http://www.w3.org/2001/04/xmldsig-more#hmac-sha512", "hmac-sha512", Ok, 512;
    }
}

algorithms! {
    /// Content encryption (XML Encryption 1.1 §5.2). CBC is legacy everywhere: it does not authenticate.
    CipherAlg {
        /// Three-key triple DES, CBC.
        TripleDesCbc, "http://www.w3.org/2001/04/xmlenc#tripledes-cbc", "tripledes-cbc", Legacy, 112;
        /// AES-128, CBC.
        Aes128Cbc, "http://www.w3.org/2001/04/xmlenc#aes128-cbc", "aes128-cbc", Legacy, 128;
        /// AES-192, CBC.
        Aes192Cbc, "http://www.w3.org/2001/04/xmlenc#aes192-cbc", "aes192-cbc", Legacy, 192;
        /// AES-256, CBC.
        Aes256Cbc, "http://www.w3.org/2001/04/xmlenc#aes256-cbc", "aes256-cbc", Legacy, 256;
        /// AES-128, Galois counter mode.
        Aes128Gcm, "http://www.w3.org/2009/xmlenc11#aes128-gcm", "aes128-gcm", Ok, 128;
        /// AES-192, Galois counter mode.
        Aes192Gcm, "http://www.w3.org/2009/xmlenc11#aes192-gcm", "aes192-gcm", Ok, 192;
        /// AES-256, Galois counter mode.
        Aes256Gcm, "http://www.w3.org/2009/xmlenc11#aes256-gcm", "aes256-gcm", Ok, 256;
    }
}

algorithms! {
    /// Symmetric key wrap (XML Encryption 1.1 §5.7).
    WrapAlg {
        /// CMS triple-DES key wrap (RFC 3217 §3).
        TripleDes, "http://www.w3.org/2001/04/xmlenc#kw-tripledes", "kw-tripledes", Legacy, 112;
        /// AES-128 key wrap (RFC 3394).
        Aes128, "http://www.w3.org/2001/04/xmlenc#kw-aes128", "kw-aes128", Ok, 128;
        /// AES-192 key wrap (RFC 3394).
        Aes192, "http://www.w3.org/2001/04/xmlenc#kw-aes192", "kw-aes192", Ok, 192;
        /// AES-256 key wrap (RFC 3394).
        Aes256, "http://www.w3.org/2001/04/xmlenc#kw-aes256", "kw-aes256", Ok, 256;
    }
}

algorithms! {
    /// Key transport under an RSA key (XML Encryption 1.1 §5.5).
    TransportAlg {
        /// RSAES-PKCS1-v1_5.
        Rsa15, "http://www.w3.org/2001/04/xmlenc#rsa-1_5", "rsa-1_5", Legacy, 0;
        /// RSAES-OAEP whose mask generation is MGF1 with SHA-1 whatever the digest.
        RsaOaepMgf1p, "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p", "rsa-oaep-mgf1p", Ok, 160;
        /// RSAES-OAEP with the mask generation function named apart.
        RsaOaep, "http://www.w3.org/2009/xmlenc11#rsa-oaep", "rsa-oaep", Ok, 256;
    }
}

algorithms! {
    /// Mask generation functions of RSA-OAEP (XML Encryption 1.1 §5.5.2). Not a use that collisions hurt.
    MgfAlg {
        /// MGF1 with SHA-1.
        Mgf1Sha1, "http://www.w3.org/2009/xmlenc11#mgf1sha1", "mgf1-sha1", Ok, 160;
        /// MGF1 with SHA-224.
        Mgf1Sha224, "http://www.w3.org/2009/xmlenc11#mgf1sha224", "mgf1-sha224", Ok, 224;
        /// MGF1 with SHA-256.
        Mgf1Sha256, "http://www.w3.org/2009/xmlenc11#mgf1sha256", "mgf1-sha256", Ok, 256;
        /// MGF1 with SHA-384.
        Mgf1Sha384, "http://www.w3.org/2009/xmlenc11#mgf1sha384", "mgf1-sha384", Ok, 384;
        /// MGF1 with SHA-512.
        Mgf1Sha512, "http://www.w3.org/2009/xmlenc11#mgf1sha512", "mgf1-sha512", Ok, 512;
    }
}

algorithms! {
    /// Key agreement (XML Encryption 1.1 §5.6, RFC 9231 §2.6).
    AgreementAlg {
        /// Elliptic-curve Diffie-Hellman, ephemeral-static.
        EcdhEs, "http://www.w3.org/2009/xmlenc11#ECDH-ES", "ecdh-es", Ok, 256;
        /// X25519 (RFC 7748).
        X25519, "http://www.w3.org/2021/04/xmldsig-more#x25519", "x25519", Ok, 128;
    }
}

algorithms! {
    /// Key derivation (XML Encryption 1.1 §5.4, RFC 9231 §2.8, WS-SecureConversation §7).
    KdfAlg {
        /// Concatenation KDF (NIST SP 800-56A).
        ConcatKdf, "http://www.w3.org/2009/xmlenc11#ConcatKDF", "concat-kdf", Ok, 256;
        /// HKDF (RFC 5869).
        Hkdf, "http://www.w3.org/2021/04/xmldsig-more#hkdf", "hkdf", Ok, 256;
        /// P_SHA-1 as the 2005/02 draft of WS-SecureConversation names it.
        PSha1Draft, "http://schemas.xmlsoap.org/ws/2005/02/sc/dk/p_sha1", "p-sha1-2005", Ok, 160;
        /// P_SHA-1 (WS-SecureConversation 1.3 and later).
        PSha1, "http://docs.oasis-open.org/ws-sx/ws-secureconversation/200512/dk/p_sha1", "p-sha1", Ok, 160;
    }
}
