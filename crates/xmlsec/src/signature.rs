//! `ds:Signature`: the model that reading makes and verification uses.
//!
//! A [`Signature`] owns what it read and refers to the document by node ids, so it stays
//! valid while plaintexts are grafted into the document: a signature under
//! sign-then-encrypt is read and its value checked first, its digests afterwards.

mod create;
mod read;
mod reference;
mod str_transform;
mod transform;
mod verify;

use bartizan_crypto::alg::{DigestAlg, SignatureAlg};
use bartizan_crypto::{PublicKey, SymmetricKey};
use bartizan_xml::c14n::C14nMethod;
use bartizan_xml::{Document, NodeId};

use crate::key_info::KeyInfo;

pub(crate) use create::write_parts;
pub use create::{RefToSign, SignKey, SignatureSpec, SignedSignature, WriteInto, write_signature};
pub(crate) use read::same_document_id;
pub use reference::{Covered, Target};

/// A signature as read, its algorithms permitted, nothing verified yet.
#[derive(Debug)]
pub struct Signature {
    /// The `ds:Signature` element.
    pub element: NodeId,
    /// Its `Id`.
    pub id: Option<Box<str>>,
    /// The `ds:SignedInfo` element.
    pub signed_info: NodeId,
    /// How SignedInfo is canonicalized.
    pub canonicalization: C14nSpec,
    /// The signature algorithm.
    pub method: SignatureAlg,
    /// The references, at least one, in document order.
    pub references: Vec<Reference>,
    /// The octets of `ds:SignatureValue`.
    pub value: Vec<u8>,
    /// `ds:KeyInfo`, read.
    pub key_info: Option<KeyInfo>,
    /// SignedInfo in canonical form: the octets that the value signs.
    pub(crate) signed_info_octets: Vec<u8>,
}

/// One `ds:Reference` as read.
#[derive(Debug)]
pub struct Reference {
    /// The `ds:Reference` element.
    pub element: NodeId,
    /// What its URI names.
    pub uri: RefUri,
    /// Its `Type`, a hint that proves nothing.
    pub kind: Option<Box<str>>,
    /// The transforms in order.
    pub transforms: Vec<Transform>,
    /// The digest algorithm.
    pub digest: DigestAlg,
    /// The octets of `ds:DigestValue`, as long as the algorithm's digests.
    pub value: Vec<u8>,
}

/// What a reference's URI names. Every other form is refused where it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefUri {
    /// `URI=""`: the document without its comments.
    Document,
    /// `URI="#x"`: the element whose Id is exactly `x`, without comments.
    Id(Box<str>),
    /// `URI="cid:x"`: an attachment, which the caller must digest.
    Attachment(Box<str>),
}

/// A canonicalization with its parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct C14nSpec {
    /// The method.
    pub method: C14nMethod,
    /// The PrefixList of `ec:InclusiveNamespaces`, as written; `None` where the element is absent.
    pub prefixes: Option<Box<str>>,
}

/// One transform of the closed list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transform {
    /// A canonicalization: nodes to octets.
    C14n(C14nSpec),
    /// Removes the signature that holds the reference.
    Enveloped,
    /// Puts tokens in the place of SecurityTokenReferences, then canonicalizes (WSS 1.1 §8.3).
    StrTransform(C14nSpec),
    /// Decodes the text of the nodes.
    Base64,
}

/// A key to verify with. The kind is the type: a public key can never be used as a secret.
#[derive(Clone, Copy, Debug)]
pub enum VerifyKey<'k> {
    /// For RSA, ECDSA, DSA and EdDSA.
    Public(&'k PublicKey),
    /// For HMAC.
    Secret(&'k SymmetricKey),
}

/// Where STR-Transform finds the token of a `wsse:SecurityTokenReference`.
pub trait StrTargets {
    /// The token that `reference` (a SecurityTokenReference element) leads to, or `None` if it leads nowhere.
    fn token(&self, document: &Document, reference: NodeId) -> Option<StrTarget>;
}

/// What stands in the place of a SecurityTokenReference.
#[derive(Clone, Debug)]
pub enum StrTarget {
    /// An element of the document.
    Node(NodeId),
    /// The canonical octets of a token that is not in the message (a certificate known by its
    /// thumbprint, say) in the form the STR-Transform gives it: a BinarySecurityToken.
    Octets(Vec<u8>),
}

/// For signatures without SecurityTokenReferences: leads nowhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoStrTargets;

impl StrTargets for NoStrTargets {
    fn token(&self, _document: &Document, _reference: NodeId) -> Option<StrTarget> {
        None
    }
}

impl C14nSpec {
    /// Exclusive C14N without a PrefixList.
    pub const EXCLUSIVE: C14nSpec = C14nSpec { method: C14nMethod::Exclusive, prefixes: None };

    /// Inclusive C14N 1.0 without comments: what a reference without a canonicalization means
    /// (XMLDSig §4.4.3.2).
    pub const DEFAULT: C14nSpec = C14nSpec { method: C14nMethod::Inclusive10, prefixes: None };

    /// A method without a PrefixList.
    pub const fn new(method: C14nMethod) -> Self {
        C14nSpec { method, prefixes: None }
    }
}

impl RefUri {
    /// The URI as it stands in a message.
    pub fn to_uri(&self) -> String {
        match self {
            RefUri::Document => String::new(),
            RefUri::Id(id) => format!("#{id}"),
            RefUri::Attachment(id) => format!("cid:{id}"),
        }
    }
}
