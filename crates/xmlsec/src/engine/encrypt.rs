//! Encrypting one element of a document, or its content.

use bartizan_crypto::SymmetricKey;
use bartizan_crypto::alg::CipherAlg;
use bartizan_crypto::random::Random;
use bartizan_xml::names::ns;
use bartizan_xml::write::Writer;
use bartizan_xml::{Document, Element, NodeId};

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
/// The plaintext is the text as it stands, so that it comes back octet for octet; prefixes that
/// are declared above it mean there what they meant before.
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
    let text = document.segment_text(0);
    let span = element.span();
    let (start, end) = if request.content { content_range(text, element) } else { (span.start, span.end) };
    let mut writer = Writer::new();
    write_data(&mut writer, request, text.get(start..end).unwrap_or_default().as_bytes(), random)?;
    let data = writer.finish().map_err(xml)?;
    let changed = if request.content {
        let (at, after, opening, closing) = splice::insertion(text, element);
        let inserted = [opening.as_bytes(), &data, closing.as_bytes()].concat();
        // An element written as `<a/>` is opened up; of the others the whole content goes.
        splice::replaced(text, if opening.is_empty() { start } else { at }, after, &inserted)
    } else {
        splice::replaced(text, start, end, &data)
    };
    Ok(splice::octets_as_utf8(changed))
}

/// Where the content of an element stands; empty for one that is written as `<a/>`.
fn content_range(text: &str, element: Element<'_>) -> (usize, usize) {
    let (end, _, opening, _) = splice::insertion(text, element);
    let start = if opening.is_empty() { content_start(text, element.span().start, end) } else { end };
    (start, end)
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
