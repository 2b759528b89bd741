//! Parameters of RSA key transport.

use crate::alg::{DigestAlg, MgfAlg};

/// The parameters of RSA-OAEP (XML Encryption 1.1 §5.5.2).
///
/// Under `rsa-oaep-mgf1p` the mask generation function is MGF1 with SHA-1 whatever `mgf` says; under
/// `rsa-1_5` nothing here has a meaning. SHA-3 is not offered as an OAEP digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OaepParams {
    /// The digest of the label, `ds:DigestMethod`.
    pub digest: DigestAlg,
    /// The mask generation function, `xenc11:MGF`.
    pub mgf: MgfAlg,
    /// The label, `xenc:OAEPparams`; at most 1,024 octets are accepted.
    pub label: Vec<u8>,
}

impl OaepParams {
    /// A digest and a mask generation function with an empty label.
    #[must_use]
    pub const fn new(digest: DigestAlg, mgf: MgfAlg) -> Self {
        Self { digest, mgf, label: Vec::new() }
    }
}

impl Default for OaepParams {
    /// SHA-1, MGF1 with SHA-1, no label: what absent elements mean.
    fn default() -> Self {
        Self::new(DigestAlg::Sha1, MgfAlg::Mgf1Sha1)
    }
}
