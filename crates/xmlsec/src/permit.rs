//! What a message may use: the allow-lists, compared where an algorithm is first read.

use bartizan_crypto::OaepSet;
use bartizan_crypto::alg::{Alg, AlgSet};
use bartizan_xml::c14n::C14nMethod;

/// Allow-lists for one message. A value, so that nothing is permitted by omission.
#[derive(Clone, Copy, Debug)]
pub struct Permit {
    /// Digest, signature, cipher, wrap, transport, agreement and derivation algorithms.
    pub algorithms: AlgSet,
    /// Canonicalizations (of SignedInfo as well) and transforms.
    pub transforms: TransformSet,
    /// Which OAEP parameters are taken.
    pub oaep: OaepPermit,
    /// Whether an EncryptedKey may be encrypted like data, with a content cipher instead of a key
    /// wrap. It gives whoever can submit ciphertext a second oracle, so messages never may.
    pub block_encrypted_keys: bool,
    /// Whether an unwrapped content key must be exactly as long as its cipher wants. Where not, a
    /// longer one is cut, as one file tool does with keys it made itself. Messages never may: the
    /// length is part of what binds a key to its cipher.
    pub exact_content_keys: bool,
    /// Whether a Reference may mean the whole document (`URI=""`).
    pub whole_document: bool,
    /// Whether a Reference may name an attachment (`cid:`). Whoever sets this must digest
    /// the attachment: this crate holds none.
    pub attachments: bool,
}

/// One thing a `ds:Transform` or `ds:CanonicalizationMethod` can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TransformKind {
    /// A canonicalization.
    C14n(C14nMethod),
    /// The enveloped-signature transform (XMLDSig §6.6.4).
    Enveloped,
    /// The STR dereference transform (WSS 1.1 §8.3).
    StrTransform,
    /// The base64 transform (XMLDSig §6.6.2). In no predefined set.
    Base64,
}

/// Which parameters of RSA-OAEP are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OaepPermit {
    /// Every digest and permitted mask generation function; an explicit `xenc11:MGF` under `rsa-oaep-mgf1p`, which
    /// the standard does not give and some file tools write, means what it says.
    Any,
    /// Exactly these, given or by default; `xenc11:MGF` under `rsa-oaep-mgf1p` is refused.
    Only(OaepSet),
}

/// A set of [`TransformKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransformSet(u16);

impl TransformKind {
    const fn bit(self) -> u16 {
        match self {
            TransformKind::C14n(C14nMethod::Inclusive10) => 1 << 0,
            TransformKind::C14n(C14nMethod::Inclusive10WithComments) => 1 << 1,
            TransformKind::C14n(C14nMethod::Inclusive11) => 1 << 2,
            TransformKind::C14n(C14nMethod::Inclusive11WithComments) => 1 << 3,
            TransformKind::C14n(C14nMethod::Exclusive) => 1 << 4,
            TransformKind::C14n(C14nMethod::ExclusiveWithComments) => 1 << 5,
            TransformKind::Enveloped => 1 << 6,
            TransformKind::StrTransform => 1 << 7,
            TransformKind::Base64 => 1 << 8,
        }
    }
}

impl TransformSet {
    /// Nothing.
    pub const EMPTY: TransformSet = TransformSet(0);

    /// What WS-Security messages use: exclusive C14N without comments and the STR-Transform.
    pub const MESSAGE: TransformSet = TransformSet::EMPTY
        .with(TransformKind::C14n(C14nMethod::Exclusive))
        .with(TransformKind::StrTransform);

    /// What plain documents use: all six canonicalizations and the enveloped transform.
    pub const DOCUMENT: TransformSet = TransformSet::EMPTY
        .with(TransformKind::C14n(C14nMethod::Inclusive10))
        .with(TransformKind::C14n(C14nMethod::Inclusive10WithComments))
        .with(TransformKind::C14n(C14nMethod::Inclusive11))
        .with(TransformKind::C14n(C14nMethod::Inclusive11WithComments))
        .with(TransformKind::C14n(C14nMethod::Exclusive))
        .with(TransformKind::C14n(C14nMethod::ExclusiveWithComments))
        .with(TransformKind::Enveloped);

    /// This set and `kind`.
    #[must_use]
    pub const fn with(self, kind: TransformKind) -> Self {
        TransformSet(self.0 | kind.bit())
    }

    /// This set without `kind`.
    #[must_use]
    pub const fn without(self, kind: TransformKind) -> Self {
        TransformSet(self.0 & !kind.bit())
    }

    /// Whether `kind` is in the set.
    pub const fn permits(self, kind: TransformKind) -> bool {
        self.0 & kind.bit() != 0
    }
}

impl Permit {
    /// For WS-Security messages: the algorithms given, exclusive C14N and STR-Transform, the OAEP
    /// parameters that the standard knows, no whole-document references.
    pub fn message(algorithms: AlgSet) -> Self {
        Permit {
            algorithms,
            transforms: TransformSet::MESSAGE,
            oaep: OaepPermit::Only(OaepSet::standard()),
            block_encrypted_keys: false,
            exact_content_keys: true,
            whole_document: false,
            attachments: false,
        }
    }

    /// For plain documents: the algorithms given, every canonicalization, the enveloped
    /// transform, `URI=""`, and the ways of old file tools to encrypt keys.
    pub fn document(algorithms: AlgSet) -> Self {
        Permit {
            algorithms,
            transforms: TransformSet::DOCUMENT,
            oaep: OaepPermit::Any,
            block_encrypted_keys: true,
            exact_content_keys: false,
            whole_document: true,
            attachments: false,
        }
    }

    /// Whether the algorithm is in the set.
    pub fn algorithm(&self, alg: impl Into<Alg>) -> bool {
        self.algorithms.permits(alg)
    }
}

impl std::fmt::Display for TransformKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            TransformKind::C14n(method) => method.uri(),
            TransformKind::Enveloped => "enveloped",
            TransformKind::StrTransform => "STR-Transform",
            TransformKind::Base64 => "base64",
        })
    }
}
