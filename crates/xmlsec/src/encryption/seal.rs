//! Making EncryptedData, EncryptedKey and ReferenceList.

use bartizan_crypto::alg::{CipherAlg, DigestAlg, MgfAlg, TransportAlg};
use bartizan_crypto::random::Random;
use bartizan_crypto::{EphemeralKey, OaepParams, PublicKey, SymmetricKey, base64};
use bartizan_xml::names::{ns, uri};
use bartizan_xml::write::Writer;

use crate::encryption::{ContentKey, DataKind, KeyMethod};
use crate::error::{Error, ErrorKind};
use crate::key_info::{Derivation, write_agreement};
use crate::signature::WriteInto;

const XENC: &str = "xenc";

/// What an EncryptedData shall look like.
#[derive(Clone, Copy)]
pub struct DataSpec<'a> {
    /// Its `Id`.
    pub id: Option<&'a str>,
    /// What the plaintext is.
    pub kind: &'a DataKind,
    /// Its `MimeType`.
    pub mime_type: Option<&'a str>,
    /// Writes `ds:KeyInfo`, the element included.
    pub key_info: Option<&'a dyn WriteInto>,
}

/// What an EncryptedKey shall look like.
#[derive(Clone, Copy)]
pub struct KeySpec<'a> {
    /// Its `Id`.
    pub id: Option<&'a str>,
    /// How the key is protected.
    pub method: &'a KeyMethod,
    /// Writes the content of `ds:KeyInfo` that names the recipient's key: under an agreement
    /// it goes into RecipientKeyInfo.
    pub recipient: Option<&'a dyn WriteInto>,
    /// Ids of what is encrypted under the key; empty for no ReferenceList.
    pub references: &'a [Box<str>],
    /// `CarriedKeyName`.
    pub carried_name: Option<&'a str>,
}

/// The key that protects a content key.
#[derive(Clone, Copy, Debug)]
pub enum EncryptKey<'k> {
    /// RSA transport to this key.
    Public(&'k PublicKey),
    /// Wrap under this key.
    Secret(&'k SymmetricKey),
    /// Wrap under a key agreed between a fresh ephemeral key and this static one (EC or X25519).
    Agree {
        /// The recipient's static key.
        recipient: &'k PublicKey,
        /// How the shared secret becomes a key.
        derivation: &'k Derivation,
    },
}

/// Encrypts and writes an `xenc:EncryptedData`. One octet string in, one element out; the
/// nonce is fresh from `random`.
///
/// # Errors
/// [`ErrorKind::Crypto`].
pub fn write_encrypted_data(
    writer: &mut Writer,
    spec: &DataSpec<'_>,
    key: &ContentKey,
    plaintext: &[u8],
    random: &dyn Random,
) -> Result<(), Error> {
    let cipher = key.cipher();
    let sealed = key.key().seal(cipher, plaintext, random).map_err(|e| Error::new(ErrorKind::Crypto(e)))?;
    writer.open(XENC, ns::XENC.uri(), "EncryptedData");
    if let Some(id) = spec.id {
        writer.attr("Id", id);
    }
    if let Some(mime_type) = spec.mime_type {
        writer.attr("MimeType", mime_type);
    }
    match spec.kind {
        DataKind::Octets => {}
        DataKind::Element => {
            writer.attr("Type", uri::XENC_ELEMENT);
        }
        DataKind::Content => {
            writer.attr("Type", uri::XENC_CONTENT);
        }
        DataKind::Other(kind) => {
            writer.attr("Type", kind);
        }
    }
    encryption_method(writer, cipher.uri()).close();
    if let Some(key_info) = spec.key_info {
        key_info.write_into(writer);
    }
    cipher_data(writer, &sealed);
    writer.close();
    Ok(())
}

/// Protects a content key and writes an `xenc:EncryptedKey`.
///
/// # Errors
/// [`ErrorKind::KeyNotFound`] if the key is of another kind than the method needs,
/// [`ErrorKind::Crypto`].
pub fn write_encrypted_key(
    writer: &mut Writer,
    spec: &KeySpec<'_>,
    key: &EncryptKey<'_>,
    content: &ContentKey,
    random: &dyn Random,
) -> Result<Vec<u8>, Error> {
    write_encrypted_secret(writer, spec, key, content.key(), random)
}

/// As [`write_encrypted_key`], for a secret that is not a content key, or not only: it signs, or has keys derived from it.
///
/// # Errors
/// As there.
pub fn write_encrypted_secret(
    writer: &mut Writer,
    spec: &KeySpec<'_>,
    key: &EncryptKey<'_>,
    secret: &SymmetricKey,
    random: &dyn Random,
) -> Result<Vec<u8>, Error> {
    let crypto = |e| Error::new(ErrorKind::Crypto(e));
    let mut ephemeral = None;
    let protected = match (spec.method, key) {
        (KeyMethod::Transport(transport, params), EncryptKey::Public(public)) => {
            secret.expose(|octets| public.encrypt_key(*transport, params, octets)).map_err(crypto)?
        }
        (KeyMethod::Wrap(wrap), EncryptKey::Secret(kek)) => {
            kek.wrap(*wrap, secret, random).map_err(crypto)?
        }
        (KeyMethod::Wrap(wrap), EncryptKey::Agree { recipient, derivation }) => {
            let own = EphemeralKey::generate_for(recipient).map_err(|e| match e {
                bartizan_crypto::Error::WrongKey => Error::new(ErrorKind::KeyNotFound),
                other => crypto(other),
            })?;
            ephemeral = Some((own.public().clone(), *derivation));
            let shared = own.agree(recipient).map_err(crypto)?;
            let kek = shared.expose(|octets| derivation.derive(octets, wrap.key_len()))?;
            kek.wrap(*wrap, secret, random).map_err(crypto)?
        }
        _ => return Err(Error::new(ErrorKind::KeyNotFound)),
    };
    writer.open(XENC, ns::XENC.uri(), "EncryptedKey");
    if let Some(id) = spec.id {
        writer.attr("Id", id);
    }
    write_key_method(writer, spec.method);
    if ephemeral.is_some() || spec.recipient.is_some() {
        writer.open("ds", ns::DS.uri(), "KeyInfo");
        match (&ephemeral, spec.recipient) {
            (Some((own, derivation)), recipient) => {
                write_agreement(writer, derivation, own, recipient);
            }
            (None, Some(recipient)) => recipient.write_into(writer),
            (None, None) => {}
        }
        writer.close();
    }
    cipher_data(writer, &protected);
    if !spec.references.is_empty() {
        write_reference_list(writer, spec.references);
    }
    if let Some(name) = spec.carried_name {
        writer.open(XENC, ns::XENC.uri(), "CarriedKeyName").text(name).close();
    }
    writer.close();
    Ok(protected)
}

/// Writes an `xenc:ReferenceList` of DataReferences.
pub fn write_reference_list(writer: &mut Writer, ids: &[Box<str>]) {
    writer.open(XENC, ns::XENC.uri(), "ReferenceList");
    for id in ids {
        writer.open(XENC, ns::XENC.uri(), "DataReference").attr("URI", &format!("#{id}")).close();
    }
    writer.close();
}

fn encryption_method<'w>(writer: &'w mut Writer, uri: &str) -> &'w mut Writer {
    writer.open(XENC, ns::XENC.uri(), "EncryptionMethod").attr("Algorithm", uri)
}

fn write_key_method(writer: &mut Writer, method: &KeyMethod) {
    match method {
        KeyMethod::Wrap(wrap) => {
            encryption_method(writer, wrap.uri());
        }
        KeyMethod::Block(cipher) => {
            encryption_method(writer, cipher.uri());
        }
        KeyMethod::Transport(transport, params) => {
            encryption_method(writer, transport.uri());
            if transport.is_oaep() {
                write_oaep(writer, *transport, params);
            }
        }
    }
    writer.close();
}

/// Writes what differs from the defaults. Under `rsa-oaep-mgf1p` every stack leaves out a SHA-1 DigestMethod, and old ones
/// do not expect it; under `rsa-oaep` it is always written, since peers disagree on what its absence means.
fn write_oaep(writer: &mut Writer, transport: TransportAlg, params: &OaepParams) {
    if !params.label.is_empty() {
        writer.open(XENC, ns::XENC.uri(), "OAEPparams");
        writer.raw(base64::encode(&params.label).as_bytes()).close();
    }
    if transport != TransportAlg::RsaOaepMgf1p || params.digest != DigestAlg::Sha1 {
        writer.open("ds", ns::DS.uri(), "DigestMethod").attr("Algorithm", params.digest.uri()).close();
    }
    if transport == TransportAlg::RsaOaep {
        let mgf: MgfAlg = params.mgf;
        writer.open("xenc11", ns::XENC11.uri(), "MGF").attr("Algorithm", mgf.uri()).close();
    }
}

fn cipher_data(writer: &mut Writer, octets: &[u8]) {
    writer.open(XENC, ns::XENC.uri(), "CipherData").open(XENC, ns::XENC.uri(), "CipherValue");
    writer.raw_with(|out| base64::encode_to(out, octets)).close().close();
}

/// Octets that `write_encrypted_data` adds to a plaintext of `len` octets, before base64.
#[must_use]
pub fn sealed_len(cipher: CipherAlg, len: usize) -> usize {
    if cipher.is_aead() {
        return cipher.iv_len() + len + cipher.tag_len();
    }
    let block = cipher.block_len();
    cipher.iv_len() + (len / block + 1) * block
}
