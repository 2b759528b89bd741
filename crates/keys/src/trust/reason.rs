//! Why a certificate is not trusted.

use std::fmt;

/// The first thing that stands against a certificate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum TrustReason {
    /// The trust store holds nothing at all.
    NoAnchors,
    /// The certificate's validity is over.
    Expired,
    /// The certificate's validity has not begun.
    NotYetValid,
    /// A certificate above it, the anchor included, is no longer valid.
    IssuerExpired,
    /// A certificate above it, the anchor included, is not valid yet.
    IssuerNotYetValid,
    /// No path to an anchor: the issuer is unknown, or only shares the name of one that is known.
    UnknownIssuer,
    /// A signature in the path is wrong.
    BadSignature,
    /// A signature in the path is made by an algorithm that is not permitted for paths.
    Algorithm,
    /// An RSA key in the path is smaller than permitted.
    KeyTooSmall,
    /// The certificate's own key is of a kind that is not supported.
    UnsupportedKey,
    /// Revoked.
    Revoked,
    /// There are revocation lists of the issuer, but none that speaks for this certificate.
    RevocationUnknown,
    /// The issuer's revocation list is out of date.
    RevocationStale,
    /// A name in the certificate is outside what an authority above it may certify.
    NameConstraint,
    /// More authorities in the path than one of them, or the limit of six, permits.
    PathLength,
    /// A certificate in the path issues others without being an authority.
    NotAnAuthority,
    /// The certificate is an authority's own and is not listed as trusted itself.
    AuthorityAsLeaf,
    /// X.509 version 1 or 2, which only an anchor or a pinned certificate may have.
    Version,
    /// A critical extension that is not understood.
    CriticalExtension,
    /// KeyUsage forbids what the key was used for.
    KeyUsage,
    /// The path would cost more work than the limit allows.
    WorkLimit,
    /// A certificate in the path does not keep to the rules of X.509 in some other way.
    Malformed,
}

impl TrustReason {
    /// A stable name for logs and machine-readable output.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            TrustReason::NoAnchors => "no_anchors",
            TrustReason::Expired => "expired",
            TrustReason::NotYetValid => "not_yet_valid",
            TrustReason::IssuerExpired => "issuer_expired",
            TrustReason::IssuerNotYetValid => "issuer_not_yet_valid",
            TrustReason::UnknownIssuer => "unknown_issuer",
            TrustReason::BadSignature => "bad_signature",
            TrustReason::Algorithm => "algorithm",
            TrustReason::KeyTooSmall => "key_too_small",
            TrustReason::UnsupportedKey => "unsupported_key",
            TrustReason::Revoked => "revoked",
            TrustReason::RevocationUnknown => "revocation_unknown",
            TrustReason::RevocationStale => "revocation_stale",
            TrustReason::NameConstraint => "name_constraint",
            TrustReason::PathLength => "path_length",
            TrustReason::NotAnAuthority => "not_an_authority",
            TrustReason::AuthorityAsLeaf => "authority_as_leaf",
            TrustReason::Version => "version",
            TrustReason::CriticalExtension => "critical_extension",
            TrustReason::KeyUsage => "key_usage",
            TrustReason::WorkLimit => "work_limit",
            TrustReason::Malformed => "malformed",
        }
    }
}

impl fmt::Display for TrustReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TrustReason::NoAnchors => "the trust store is empty",
            TrustReason::Expired => "expired",
            TrustReason::NotYetValid => "not yet valid",
            TrustReason::IssuerExpired => "an issuing authority is expired",
            TrustReason::IssuerNotYetValid => "an issuing authority is not yet valid",
            TrustReason::UnknownIssuer => "no path to a trusted authority",
            TrustReason::BadSignature => "a signature in the certificate path is wrong",
            TrustReason::Algorithm => "a signature algorithm in the certificate path is not permitted",
            TrustReason::KeyTooSmall => "a key in the certificate path is too short",
            TrustReason::UnsupportedKey => "the kind of key is not supported",
            TrustReason::Revoked => "revoked",
            TrustReason::RevocationUnknown => "no revocation list of the issuer speaks for it",
            TrustReason::RevocationStale => "the issuer's revocation list is out of date",
            TrustReason::NameConstraint => "a name is outside an authority's name constraints",
            TrustReason::PathLength => "the certificate path is too long",
            TrustReason::NotAnAuthority => "issued by a certificate that is no authority",
            TrustReason::AuthorityAsLeaf => "an authority's certificate that is not itself listed as trusted",
            TrustReason::Version => "an X.509 certificate of version 1 or 2 below an authority",
            TrustReason::CriticalExtension => "a critical extension that is not understood",
            TrustReason::KeyUsage => "the key usage does not permit it",
            TrustReason::WorkLimit => "the certificate path costs too much work",
            TrustReason::Malformed => "a certificate in the path breaks the rules of X.509",
        })
    }
}
