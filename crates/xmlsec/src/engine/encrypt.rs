//! Encrypting one element of a document, or its content.

use bartizan_crypto::SymmetricKey;
use bartizan_crypto::alg::CipherAlg;
use bartizan_crypto::random::Random;
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::names::ns;
use bartizan_xml::write::Writer;
use bartizan_xml::{Document, NodeId};

use crate::encryption::{
    ContentKey, DataKind, DataSpec, EncryptKey, KeyMethod, KeySpec, write_encrypted_data, write_encrypted_key,
};
use crate::engine::splice;
use crate::error::{Error, ErrorKind};
use crate::signature::WriteInto;

/// What to encrypt, and how.
#[derive(Clone, Copy)]
pub struct EncryptRequest<'a> {
    /// The element.
    pub element: NodeId,
    /// Whether the element stays and only its content is encrypted.
    pub content: bool,
    /// The content cipher.
    pub cipher: CipherAlg,
    /// To whom.
    pub recipient: Recipient<'a>,
    /// Writes what names the key in `ds:KeyInfo` (its content, not the element).
    pub key_info: Option<&'a dyn WriteInto>,
    /// The `Id` of the EncryptedData.
    pub id: Option<&'a str>,
}

/// Who shall be able to decrypt.
#[derive(Clone, Copy)]
pub enum Recipient<'a> {
    /// Whoever holds this very content key.
    Secret(&'a SymmetricKey),
    /// A fresh content key, protected and put into the EncryptedData's KeyInfo.
    Key {
        /// How.
        method: &'a KeyMethod,
        /// Under which key.
        key: EncryptKey<'a>,
    },
}

/// Encrypts and gives the document's new text.
///
/// The plaintext is the inclusive canonical form with comments, so that it carries every
/// namespace it needs (XMLEnc 1.1 §4.3).
///
/// # Errors
/// [`ErrorKind::NothingToDo`] if there is no such element, [`ErrorKind::KeyNotFound`],
/// [`ErrorKind::Crypto`], [`ErrorKind::Xml`].
pub fn encrypt_document(
    document: &Document,
    request: &EncryptRequest<'_>,
    random: &dyn Random,
) -> Result<Vec<u8>, Error> {
    let xml = |e| Error::new(ErrorKind::Xml(e));
    let element = document.element(request.element).ok_or_else(|| Error::new(ErrorKind::NothingToDo))?;
    let c14n = C14n::new(C14nMethod::Inclusive10WithComments);
    let mut plaintext = Vec::new();
    if request.content {
        c14n.write_children(element, &mut plaintext).map_err(xml)?;
    } else {
        c14n.write(element, &mut plaintext).map_err(xml)?;
    }
    let mut writer = Writer::new();
    write_data(&mut writer, request, &plaintext, random)?;
    let data = writer.finish().map_err(xml)?;
    let text = document.segment_text(0);
    let span = element.span();
    if !request.content {
        return Ok(splice::octets_as_utf8(splice::replaced(text, span.start, span.end, &data)));
    }
    let (content_end, end, before, after) = splice::insertion(text, element);
    let start = content_start(text, span.start, content_end);
    let mut inserted = before.as_bytes().to_vec();
    inserted.extend_from_slice(&data);
    inserted.extend_from_slice(after.as_bytes());
    let start = if before.is_empty() { start } else { content_end };
    Ok(splice::octets_as_utf8(splice::replaced(text, start, end, &inserted)))
}

/// Where the start tag that begins at `start` ends.
fn content_start(text: &str, start: usize, limit: usize) -> usize {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate().take(limit).skip(start) {
        match (byte, quote) {
            (b'"' | b'\'', None) => quote = Some(byte),
            (_, Some(open)) if open == byte => quote = None,
            (b'>', None) => return at + 1,
            _ => {}
        }
    }
    limit
}

fn write_data(
    writer: &mut Writer,
    request: &EncryptRequest<'_>,
    plaintext: &[u8],
    random: &dyn Random,
) -> Result<(), Error> {
    let kind = if request.content { DataKind::Content } else { DataKind::Element };
    let (content, key) = match request.recipient {
        Recipient::Secret(secret) => (ContentKey::new(secret.duplicate(), request.cipher)?, None),
        Recipient::Key { method, key } => {
            let content = ContentKey::generate(request.cipher, random);
            let mut inner = Writer::new();
            let spec = KeySpec {
                id: None,
                method,
                recipient: request.key_info,
                references: &[],
                carried_name: None,
            };
            write_encrypted_key(&mut inner, &spec, &key, &content, random)?;
            let octets = inner.finish().map_err(|e| Error::new(ErrorKind::Xml(e)))?;
            (content, Some(octets))
        }
    };
    let key_info = |writer: &mut Writer| {
        writer.open("ds", ns::DS.uri(), "KeyInfo");
        match (&key, request.key_info) {
            (Some(octets), _) => {
                writer.raw(octets);
            }
            (None, Some(named)) => named.write_into(writer),
            (None, None) => {}
        }
        writer.close();
    };
    let has_key_info = key.is_some() || request.key_info.is_some();
    let spec = DataSpec {
        id: request.id,
        kind: &kind,
        mime_type: None,
        key_info: has_key_info.then_some(&key_info as &dyn WriteInto),
    };
    write_encrypted_data(writer, &spec, &content, plaintext, random)
}
