//! Identifiers that are recognised only to be refused, each with its reason.
//!
//! Knowing them lets a report say "refused by design" instead of "unknown".

use core::fmt;

macro_rules! refused {
    ($( $variant:ident, $short:literal, $reason:ident, [$($uri:literal),+ $(,)?]; )+) => {
        /// An algorithm this product does not have, on purpose.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        #[allow(missing_docs, reason = "the short name says it")]
        pub enum RefusedAlg { $( $variant, )+ }

        impl RefusedAlg {
            /// Every refused algorithm.
            pub const ALL: &'static [Self] = &[ $( Self::$variant, )+ ];

            /// The identifiers that mean this algorithm.
            #[must_use]
            pub const fn uris(self) -> &'static [&'static str] {
                match self { $( Self::$variant => &[$($uri),+], )+ }
            }

            /// The refused algorithm with this identifier.
            #[must_use]
            pub fn from_uri(uri: &str) -> Option<Self> {
                match uri { $( $( $uri )|+ => Some(Self::$variant), )+ _ => None }
            }

            /// Its short name.
            #[must_use]
            pub const fn short_name(self) -> &'static str {
                match self { $( Self::$variant => $short, )+ }
            }

            /// Why it is not here.
            #[must_use]
            pub const fn reason(self) -> RefusedReason {
                match self { $( Self::$variant => RefusedReason::$reason, )+ }
            }
        }
    };
}

/// Why an algorithm is refused by design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RefusedReason {
    /// Broken: forgeries or plaintext recovery are practical.
    Broken,
    /// Nobody in the field uses it, and each algorithm is attack surface.
    Rare,
    /// The cryptographic library underneath does not offer it.
    Unavailable,
    /// The construction invites misuse (work bombs, programs inside messages).
    Dangerous,
    /// An unfinished standard.
    Experimental,
}

impl fmt::Display for RefusedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Broken => "broken",
            Self::Rare => "not used in the field",
            Self::Unavailable => "not offered by the cryptographic library",
            Self::Dangerous => "dangerous by construction",
            Self::Experimental => "not a finished standard",
        })
    }
}

refused! {
    Md5, "md5", Broken, ["http://www.w3.org/2001/04/xmldsig-more#md5"];
    RsaMd5, "rsa-md5", Broken, ["http://www.w3.org/2001/04/xmldsig-more#rsa-md5"];
    HmacMd5, "hmac-md5", Broken, ["http://www.w3.org/2001/04/xmldsig-more#hmac-md5"];
    RipeMd160, "ripemd160", Rare, ["http://www.w3.org/2001/04/xmlenc#ripemd160"];
    RsaRipeMd160, "rsa-ripemd160", Rare, ["http://www.w3.org/2001/04/xmldsig-more#rsa-ripemd160", "http://www.w3.org/2007/05/xmldsig-more#ripemd160-rsa-MGF1"];
    HmacRipeMd160, "hmac-ripemd160", Rare, ["http://www.w3.org/2001/04/xmldsig-more#hmac-ripemd160"];
    EcdsaRipeMd160, "ecdsa-ripemd160", Rare, ["http://www.w3.org/2007/05/xmldsig-more#ecdsa-ripemd160"];
    Whirlpool, "whirlpool", Rare, ["http://www.w3.org/2007/05/xmldsig-more#whirlpool", "http://www.w3.org/2007/05/xmldsig-more#rsa-whirlpool", "http://www.w3.org/2007/05/xmldsig-more#ecdsa-whirlpool", "http://www.w3.org/2007/05/xmldsig-more#whirlpool-rsa-MGF1"];
    RsaPssParameters, "rsa-pss", Rare, ["http://www.w3.org/2007/05/xmldsig-more#rsa-pss"];
    Ed25519Variants, "ed25519ctx/ph", Rare, ["http://www.w3.org/2021/04/xmldsig-more#eddsa-ed25519ctx", "http://www.w3.org/2021/04/xmldsig-more#eddsa-ed25519ph"];
    Ed448, "ed448", Unavailable, ["http://www.w3.org/2021/04/xmldsig-more#eddsa-ed448", "http://www.w3.org/2021/04/xmldsig-more#eddsa-ed448ph"];
    X448, "x448", Unavailable, ["http://www.w3.org/2021/04/xmldsig-more#x448"];
    DiffieHellman, "dh", Unavailable, ["http://www.w3.org/2001/04/xmlenc#dh", "http://www.w3.org/2009/xmlenc11#dh-es"];
    Pbkdf2, "pbkdf2", Dangerous, ["http://www.w3.org/2009/xmlenc11#pbkdf2"];
    Arcfour, "arcfour", Broken, ["http://www.w3.org/2001/04/xmldsig-more#arcfour"];
    Camellia, "camellia-cbc", Unavailable, ["http://www.w3.org/2001/04/xmldsig-more#camellia128-cbc", "http://www.w3.org/2001/04/xmldsig-more#camellia192-cbc", "http://www.w3.org/2001/04/xmldsig-more#camellia256-cbc"];
    CamelliaWrap, "kw-camellia", Unavailable, ["http://www.w3.org/2001/04/xmldsig-more#kw-camellia128", "http://www.w3.org/2001/04/xmldsig-more#kw-camellia192", "http://www.w3.org/2001/04/xmldsig-more#kw-camellia256"];
    Seed, "seed", Unavailable, ["http://www.w3.org/2007/05/xmldsig-more#seed128-cbc", "http://www.w3.org/2007/05/xmldsig-more#kw-seed128"];
    ChaCha20, "chacha20", Rare, ["http://www.w3.org/2021/04/xmldsig-more#chacha20", "http://www.w3.org/2021/04/xmldsig-more#chacha20poly1305"];
    AesWrapPad, "kw-aes-pad", Rare, ["http://www.w3.org/2009/xmlenc11#kw-aes-128-pad", "http://www.w3.org/2009/xmlenc11#kw-aes-192-pad", "http://www.w3.org/2009/xmlenc11#kw-aes-256-pad"];
    Gost, "gost", Unavailable, ["http://www.w3.org/2001/04/xmldsig-more#gostr3411", "http://www.w3.org/2001/04/xmldsig-more#gostr34102001-gostr3411", "urn:ietf:params:xml:ns:cpxmlsec:algorithms:gostr3411", "urn:ietf:params:xml:ns:cpxmlsec:algorithms:gostr34102001-gostr3411", "urn:ietf:params:xml:ns:cpxmlsec:algorithms:gostr34112012-256", "urn:ietf:params:xml:ns:cpxmlsec:algorithms:gostr34112012-512", "urn:ietf:params:xml:ns:cpxmlsec:algorithms:gostr34102012-gostr34112012-256", "urn:ietf:params:xml:ns:cpxmlsec:algorithms:gostr34102012-gostr34112012-512"];
    MlKem, "ml-kem", Experimental, ["http://www.aleksey.com/xmlsec/2025/12/xmldsig-more#ml-kem-512", "http://www.aleksey.com/xmlsec/2025/12/xmldsig-more#ml-kem-768", "http://www.aleksey.com/xmlsec/2025/12/xmldsig-more#ml-kem-1024"];
    MlDsa, "ml-dsa", Experimental, ["http://www.aleksey.com/xmlsec/2025/12/xmldsig-more#ml-dsa-44", "http://www.aleksey.com/xmlsec/2025/12/xmldsig-more#ml-dsa-65", "http://www.aleksey.com/xmlsec/2025/12/xmldsig-more#ml-dsa-87"];
    SlhDsa, "slh-dsa", Experimental, ["http://www.aleksey.com/xmlsec/2025/12/xmldsig-more#slh-dsa-sha2-128f", "http://www.aleksey.com/xmlsec/2025/12/xmldsig-more#slh-dsa-sha2-128s", "http://www.aleksey.com/xmlsec/2025/12/xmldsig-more#slh-dsa-sha2-192f", "http://www.aleksey.com/xmlsec/2025/12/xmldsig-more#slh-dsa-sha2-192s", "http://www.aleksey.com/xmlsec/2025/12/xmldsig-more#slh-dsa-sha2-256f", "http://www.aleksey.com/xmlsec/2025/12/xmldsig-more#slh-dsa-sha2-256s"];
}
