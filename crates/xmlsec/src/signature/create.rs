//! Making signatures: SignedInfo written canonical from the start, then signed, then written
//! into the message.

use bartizan_crypto::alg::{DigestAlg, SignatureAlg};
use bartizan_crypto::{Digest, PrivateKey, SymmetricKey, base64};
use bartizan_xml::names::{ns, uri};
use bartizan_xml::write::Writer;

use crate::error::{Error, ErrorKind};
use crate::signature::{C14nSpec, RefUri, Transform};

/// Prefix of everything this module writes.
const DS: &str = "ds";

/// Writes some elements at the writer's position.
pub trait WriteInto {
    /// Writes them.
    fn write_into(&self, writer: &mut Writer);
}

impl<F: Fn(&mut Writer)> WriteInto for F {
    fn write_into(&self, writer: &mut Writer) {
        self(writer);
    }
}

/// A reference to be signed: what was digested, and how.
#[derive(Clone, Debug)]
pub struct RefToSign {
    /// What it names.
    pub uri: RefUri,
    /// Its `Type`.
    pub kind: Option<Box<str>>,
    /// The transforms that were applied.
    pub transforms: Vec<Transform>,
    /// The digest algorithm.
    pub algorithm: DigestAlg,
    /// The digest.
    pub digest: Digest,
}

/// What a signature shall look like.
#[derive(Clone, Copy)]
pub struct SignatureSpec<'a> {
    /// The `Id` of the signature.
    pub id: Option<&'a str>,
    /// The signature algorithm.
    pub method: SignatureAlg,
    /// The canonicalization of SignedInfo. Only the exclusive ones can be signed by
    /// [`write_signature`]: an inclusive form depends on what stands around it.
    pub canonicalization: &'a C14nSpec,
    /// The references in order.
    pub references: &'a [RefToSign],
    /// Writes `ds:KeyInfo`, the element included.
    pub key_info: Option<&'a dyn WriteInto>,
}

/// The key to sign with.
#[derive(Clone, Copy, Debug)]
pub enum SignKey<'k> {
    /// For RSA, ECDSA and EdDSA.
    Private(&'k PrivateKey),
    /// For HMAC.
    Secret(&'k SymmetricKey),
}

/// What was signed.
#[derive(Clone, Debug)]
pub struct SignedSignature {
    /// The octets of SignatureValue (what a SignatureConfirmation repeats).
    pub value: Vec<u8>,
    /// SignedInfo in canonical form.
    pub signed_info: Vec<u8>,
}

impl SignKey<'_> {
    /// Signs octets.
    ///
    /// # Errors
    /// [`ErrorKind::WrongKey`], [`ErrorKind::Crypto`].
    pub fn sign(&self, method: SignatureAlg, octets: &[u8]) -> Result<Vec<u8>, Error> {
        let signed = match self {
            SignKey::Private(key) => key.sign(method, octets),
            SignKey::Secret(key) => key.mac(method, octets),
        };
        signed.map_err(|error| {
            Error::new(match error {
                bartizan_crypto::Error::WrongKey | bartizan_crypto::Error::Unsupported(_) => {
                    ErrorKind::WrongKey(method)
                }
                other => ErrorKind::Crypto(other),
            })
        })
    }
}

/// Signs and writes a `ds:Signature` at the writer's position.
///
/// Costs one private-key operation. SignedInfo is written as the apex of its canonical form, which is
/// signed; in place the same octets stand without the apex's declaration, unless a prefix list or
/// another namespace than its own makes a difference: then it is written again.
///
/// # Errors
/// [`ErrorKind::TransformNotPermitted`] for an inclusive canonicalization of SignedInfo,
/// [`ErrorKind::WrongKey`], [`ErrorKind::Crypto`], [`ErrorKind::Xml`] from the writer.
pub fn write_signature(
    writer: &mut Writer,
    spec: &SignatureSpec<'_>,
    key: &SignKey<'_>,
) -> Result<SignedSignature, Error> {
    if !spec.canonicalization.method.is_exclusive() {
        let kind = crate::TransformKind::C14n(spec.canonicalization.method);
        return Err(Error::new(ErrorKind::TransformNotPermitted(kind)));
    }
    let mut apex = Writer::with_capacity(1024);
    open_signed_info(&mut apex);
    for prefix in spec.canonicalization.prefixes.iter().flat_map(|list| list.split_ascii_whitespace()) {
        let prefix = if prefix == "#default" { "" } else { prefix };
        if let Some(uri) = writer.in_scope(prefix)
            && prefix != DS
        {
            apex.declare(prefix, uri);
        }
    }
    fill_signed_info(&mut apex, spec);
    let signed_info = apex.finish().map_err(|e| Error::new(ErrorKind::Xml(e)))?;
    let value = key.sign(spec.method, &signed_info)?;
    let content = if is_plain(spec) { content_of(&signed_info) } else { None };
    write_around(writer, spec, content, |writer| {
        writer.raw(base64::encode(&value).as_bytes());
    });
    Ok(SignedSignature { value, signed_info })
}

/// Writes a `ds:Signature` whose value the closure writes. Used by the engine, which signs
/// after the text has its place.
pub(crate) fn write_parts(writer: &mut Writer, spec: &SignatureSpec<'_>, value: impl FnOnce(&mut Writer)) {
    write_around(writer, spec, None, value);
}

/// Writes a `ds:Signature` with the content of SignedInfo that is given, if one is.
fn write_around(
    writer: &mut Writer,
    spec: &SignatureSpec<'_>,
    content: Option<&[u8]>,
    value: impl FnOnce(&mut Writer),
) {
    writer.open(DS, ns::DS.uri(), "Signature");
    if let Some(id) = spec.id {
        writer.attr("Id", id);
    }
    open_signed_info(writer);
    match content {
        Some(content) => {
            writer.raw(content).close();
        }
        None => fill_signed_info(writer, spec),
    }
    writer.open(DS, ns::DS.uri(), "SignatureValue");
    value(writer);
    writer.close();
    if let Some(key_info) = spec.key_info {
        key_info.write_into(writer);
    }
    writer.close();
}

/// Whether SignedInfo holds names of its own namespace only, so that its content is the same in every place where that
/// is declared.
fn is_plain(spec: &SignatureSpec<'_>) -> bool {
    let mut transforms = spec.references.iter().flat_map(|reference| &reference.transforms);
    spec.canonicalization.prefixes.is_none()
        && transforms.all(|transform| match transform {
            Transform::C14n(form) => form.prefixes.is_none(),
            Transform::Enveloped | Transform::Base64 => true,
            Transform::StrTransform(_) => false,
        })
}

/// What stands between the tags of canonical octets.
fn content_of(element: &[u8]) -> Option<&[u8]> {
    // No attribute of SignedInfo holds a `>`: it has a declaration and nothing else.
    let start = element.iter().position(|octet| *octet == b'>')? + 1;
    let end = element.iter().rposition(|octet| *octet == b'<')?;
    element.get(start..end)
}

fn open_signed_info(writer: &mut Writer) {
    writer.open(DS, ns::DS.uri(), "SignedInfo");
}

/// Writes the content of SignedInfo and closes it.
fn fill_signed_info(writer: &mut Writer, spec: &SignatureSpec<'_>) {
    writer.open(DS, ns::DS.uri(), "CanonicalizationMethod");
    fill_c14n(writer, spec.canonicalization);
    algorithm(writer, "SignatureMethod", spec.method.uri());
    for reference in spec.references {
        writer.open(DS, ns::DS.uri(), "Reference");
        if let Some(kind) = &reference.kind {
            writer.attr("Type", kind);
        }
        writer.attr("URI", &reference.uri.to_uri());
        if !reference.transforms.is_empty() {
            writer.open(DS, ns::DS.uri(), "Transforms");
            for transform in &reference.transforms {
                write_transform(writer, transform);
            }
            writer.close();
        }
        algorithm(writer, "DigestMethod", reference.algorithm.uri());
        writer.open(DS, ns::DS.uri(), "DigestValue");
        writer.raw(base64::encode(reference.digest.as_ref()).as_bytes());
        writer.close();
        writer.close();
    }
    writer.close();
}

/// Fills in and closes a CanonicalizationMethod or Transform that was just opened.
fn fill_c14n(writer: &mut Writer, spec: &C14nSpec) {
    writer.attr("Algorithm", spec.method.uri());
    if let Some(list) = &spec.prefixes {
        writer.open("ec", ns::EXC_C14N.uri(), "InclusiveNamespaces");
        writer.attr("PrefixList", list);
        writer.close();
    }
    writer.close();
}

fn write_transform(writer: &mut Writer, transform: &Transform) {
    writer.open(DS, ns::DS.uri(), "Transform");
    match transform {
        Transform::C14n(spec) => fill_c14n(writer, spec),
        Transform::Enveloped => {
            writer.attr("Algorithm", uri::ENVELOPED).close();
        }
        Transform::Base64 => {
            writer.attr("Algorithm", uri::BASE64_TRANSFORM).close();
        }
        Transform::StrTransform(spec) => {
            writer.attr("Algorithm", uri::STR_TRANSFORM);
            writer.open("wsse", ns::WSSE.uri(), "TransformationParameters");
            writer.open(DS, ns::DS.uri(), "CanonicalizationMethod");
            fill_c14n(writer, spec);
            writer.close().close();
        }
    }
}

fn algorithm(writer: &mut Writer, local: &str, uri: &str) {
    writer.open(DS, ns::DS.uri(), local).attr("Algorithm", uri).close();
}
