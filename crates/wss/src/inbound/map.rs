//! From the words of the layers below to our reasons. One place, so that one cause has one reason.

use bartizan_keys::{Error as KeysError, TrustReason};
use bartizan_xml::{Document, ErrorKind as XmlKind, Quantity};
use bartizan_xmlsec::{Error as SecError, ErrorKind};

use crate::error::{Hint, Reject};
use crate::reason::Reason;
use crate::untrusted::of_xml;

/// Which kind of element was being worked on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Area {
    Signature,
    Encryption,
}

/// More keys, ciphertexts or private-key operations than the limits allow.
pub(super) fn too_many(error: bartizan_xml::Error) -> Reject {
    Reject::new(Reason::EncryptionTooMany).hinting(Hint::Xml(error))
}

/// A refusal by the XML layer on an already parsed message.
pub(super) fn xml(error: bartizan_xml::Error, otherwise: Reason) -> Reject {
    let reason = match error.kind() {
        XmlKind::DuplicateId | XmlKind::Limit(_) => of_xml(&error),
        _ => otherwise,
    };
    Reject::new(reason).at_offset(error.offset()).hinting(Hint::Xml(error))
}

/// A refusal by the signature and encryption layer.
pub(super) fn xmlsec(error: SecError, area: Area, document: &Document) -> Reject {
    let (malformed, algorithm, reference) = match area {
        Area::Signature => {
            (Reason::SignatureMalformed, Reason::SignatureAlgorithm, Reason::SignatureReference)
        }
        Area::Encryption => {
            (Reason::EncryptionMalformed, Reason::EncryptionAlgorithm, Reason::EncryptionReference)
        }
    };
    let reason = match &error.kind {
        ErrorKind::Xml(e) => match e.kind() {
            XmlKind::Limit(Quantity::EncryptedKeys | Quantity::EncryptedData) => Reason::EncryptionTooMany,
            XmlKind::DuplicateId | XmlKind::Limit(_) => of_xml(e),
            _ => malformed,
        },
        ErrorKind::UnknownAlgorithm { .. }
        | ErrorKind::AlgorithmNotPermitted(_)
        | ErrorKind::AlgorithmMisplaced(_)
        | ErrorKind::HmacOutputLength => algorithm,
        ErrorKind::UnknownTransform { .. }
        | ErrorKind::TransformNotPermitted(_)
        | ErrorKind::TransformRefused(_)
        | ErrorKind::TransformOrder
        | ErrorKind::EnvelopedNotAncestor => Reason::SignatureTransform,
        ErrorKind::UriRefused(_)
        | ErrorKind::TargetMissing(_)
        | ErrorKind::ManifestRefused
        | ErrorKind::EmptyTarget
        | ErrorKind::CipherReference => reference,
        ErrorKind::StrTarget | ErrorKind::KeyNotFound => Reason::TokenReferenceUnresolved,
        ErrorKind::KeyNotTrusted(_) => Reason::TokenUntrusted,
        ErrorKind::KeyAmbiguous => Reason::TokenAmbiguous,
        ErrorKind::BadKeyValue => Reason::TokenMalformed,
        ErrorKind::WrongKey(_) => Reason::SignatureKey,
        ErrorKind::SignatureInvalid => Reason::SignatureValue,
        ErrorKind::DigestMismatch => Reason::SignatureDigest,
        ErrorKind::DecryptionFailed | ErrorKind::Crypto(_) => Reason::EncryptionFailed,
        ErrorKind::ReferenceList => Reason::EncryptionReference,
        ErrorKind::KeyInfoDepth | ErrorKind::NestedTooDeep => Reason::EncryptionTooMany,
        _ => malformed,
    };
    let reject = Reject::at_node(reason, document, error.node);
    let hint = match &error.kind {
        ErrorKind::UnknownAlgorithm { uri, hint } | ErrorKind::UnknownTransform { uri, hint } => {
            Hint::Uri { uri: uri.clone(), likely: *hint }
        }
        ErrorKind::AlgorithmNotPermitted(alg) | ErrorKind::AlgorithmMisplaced(alg) => {
            Hint::Uri { uri: alg.uri().into(), likely: None }
        }
        // How far decryption came is told to nobody, the local record included.
        ErrorKind::DecryptionFailed => Hint::None,
        _ => Hint::Xmlsec(error),
    };
    reject.hinting(hint)
}

/// A refusal of trust or of a look-up.
pub(super) fn keys(error: KeysError) -> Reject {
    let Some(trust) = error.trust_reason() else {
        let reason = match error {
            KeysError::Ambiguous => Reason::TokenAmbiguous,
            KeysError::BadName => Reason::TokenReferenceMalformed,
            _ => Reason::TokenMalformed,
        };
        return Reject::new(reason).hinting(Hint::Keys(error));
    };
    let reason = match trust {
        TrustReason::Expired
        | TrustReason::NotYetValid
        | TrustReason::IssuerExpired
        | TrustReason::IssuerNotYetValid => Reason::TokenExpired,
        TrustReason::Revoked | TrustReason::RevocationUnknown | TrustReason::RevocationStale => {
            Reason::TokenRevoked
        }
        TrustReason::KeyTooSmall => Reason::TokenKeyTooSmall,
        _ => Reason::TokenUntrusted,
    };
    Reject::new(reason).hinting(Hint::Trust(trust))
}
