//! Reading of EncryptedData, EncryptedKey and ReferenceList (XMLEnc 1.1 §3): strict shape,
//! allow-lists first.

use bartizan_crypto::OaepParams;
use bartizan_crypto::alg::{Alg, CipherAlg, MgfAlg, TransportAlg};
use bartizan_xml::names::{attr, ds, uri, xenc, xenc11};
use bartizan_xml::{Budget, Element, Quantity};

use crate::encryption::{DataKind, EncryptedData, EncryptedKey, KeyMethod, ReferenceList};
use crate::error::{Error, ErrorKind, Shape};
use crate::key_info::KeyInfo;
use crate::permit::{OaepPermit, Permit};
use crate::read::{
    Children, no_children, number, octets, only_attributes, owned, parameter_digest, permitted, require_attr,
    text,
};
use crate::signature::same_document_id;

/// Longest protected key, in octets: one RSA-16384 block.
const MAX_KEY: usize = 2048;
/// Longest OAEP label, in octets.
const MAX_LABEL: usize = 1024;
/// Longest carried key name, in octets.
const MAX_NAME: usize = 1024;
/// Most entries of one ReferenceList.
const MAX_REFERENCES: usize = 128;

impl EncryptedData {
    /// Reads an EncryptedData.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`], algorithm kinds, [`ErrorKind::CipherReference`], those of
    /// [`KeyInfo::read`], [`ErrorKind::Xml`] over a limit.
    pub fn read(element: Element<'_>, permit: &Permit, budget: &mut Budget) -> Result<Self, Error> {
        if !element.is(xenc::ENCRYPTED_DATA) {
            return Err(Error::shape(element, Shape::WrongElement));
        }
        budget.spend(Quantity::EncryptedData, 1).map_err(|e| Error::at(element, ErrorKind::Xml(e)))?;
        only_attributes(element, &[attr::ID, attr::TYPE, attr::MIME_TYPE, attr::ENCODING])?;
        let mut children = Children::of(element)?;
        let method = read_cipher(children.require(xenc::ENCRYPTION_METHOD, "EncryptionMethod")?, permit)?;
        let key_info = children.take(ds::KEY_INFO).map(|e| KeyInfo::read(e, permit, budget)).transpose()?;
        let cipher = read_cipher_data(children.require(xenc::CIPHER_DATA, "CipherData")?, usize::MAX)?;
        children.take(xenc::ENCRYPTION_PROPERTIES);
        children.finish()?;
        let kind = match element.attr(attr::TYPE) {
            None => DataKind::Octets,
            Some(uri::XENC_ELEMENT) => DataKind::Element,
            Some(uri::XENC_CONTENT) => DataKind::Content,
            Some(other) => DataKind::Other(other.into()),
        };
        Ok(EncryptedData {
            element: element.id(),
            id: owned(element, attr::ID),
            kind,
            mime_type: owned(element, attr::MIME_TYPE),
            encoding: owned(element, attr::ENCODING),
            method,
            key_info,
            cipher,
        })
    }
}

impl EncryptedKey {
    /// Reads an EncryptedKey that stands by itself.
    ///
    /// # Errors
    /// As [`EncryptedData::read`].
    pub fn read(element: Element<'_>, permit: &Permit, budget: &mut Budget) -> Result<Self, Error> {
        Self::read_at(element, permit, budget, 0)
    }

    pub(crate) fn read_at(
        element: Element<'_>,
        permit: &Permit,
        budget: &mut Budget,
        depth: usize,
    ) -> Result<Self, Error> {
        if !element.is(xenc::ENCRYPTED_KEY) {
            return Err(Error::shape(element, Shape::WrongElement));
        }
        budget.spend(Quantity::EncryptedKeys, 1).map_err(|e| Error::at(element, ErrorKind::Xml(e)))?;
        only_attributes(element, &[attr::ID, attr::TYPE, attr::MIME_TYPE, attr::ENCODING, attr::RECIPIENT])?;
        let mut children = Children::of(element)?;
        let method = read_key_method(children.require(xenc::ENCRYPTION_METHOD, "EncryptionMethod")?, permit)?;
        let key_info =
            children.take(ds::KEY_INFO).map(|e| KeyInfo::read_at(e, permit, budget, depth)).transpose()?;
        let cipher = read_cipher_data(children.require(xenc::CIPHER_DATA, "CipherData")?, MAX_KEY)?;
        children.take(xenc::ENCRYPTION_PROPERTIES);
        let references = children.take(xenc::REFERENCE_LIST).map(ReferenceList::read).transpose()?;
        let carried_name = children.take(xenc::CARRIED_KEY_NAME).map(|e| text(e, MAX_NAME)).transpose()?;
        children.finish()?;
        Ok(EncryptedKey {
            element: element.id(),
            id: owned(element, attr::ID),
            method,
            key_info,
            cipher,
            references,
            carried_name,
            recipient: owned(element, attr::RECIPIENT),
        })
    }
}

impl ReferenceList {
    /// Reads an `xenc:ReferenceList`.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`], [`ErrorKind::UriRefused`] for anything but `#Id`,
    /// [`ErrorKind::ReferenceList`] for an Id that stands twice or more than 128 entries.
    pub fn read(element: Element<'_>) -> Result<Self, Error> {
        if !element.is(xenc::REFERENCE_LIST) {
            return Err(Error::shape(element, Shape::WrongElement));
        }
        only_attributes(element, &[])?;
        let mut children = Children::of(element)?;
        let mut list = ReferenceList::default();
        while let Some(child) = children.next() {
            let into = if child.is(xenc::DATA_REFERENCE) {
                &mut list.data
            } else if child.is(xenc::KEY_REFERENCE) {
                &mut list.keys
            } else {
                return Err(Error::shape(child, Shape::UnexpectedChild));
            };
            only_attributes(child, &[attr::URI])?;
            no_children(child)?;
            let id = same_document_id(require_attr(child, attr::URI, "URI")?)
                .map_err(|form| Error::at(child, ErrorKind::UriRefused(form)))?;
            if into.len() == MAX_REFERENCES || into.iter().any(|known| known.as_ref() == id) {
                return Err(Error::at(child, ErrorKind::ReferenceList));
            }
            into.push(id.into());
        }
        if list.data.is_empty() && list.keys.is_empty() {
            return Err(Error::shape(element, Shape::MissingChild("DataReference")));
        }
        Ok(list)
    }
}

fn read_cipher(element: Element<'_>, permit: &Permit) -> Result<CipherAlg, Error> {
    only_attributes(element, &[attr::ALGORITHM])?;
    let cipher = permitted(element, permit, |alg| match alg {
        Alg::Cipher(cipher) => Some(cipher),
        _ => None,
    })?;
    let mut children = Children::of(element)?;
    key_size(&mut children, Some(cipher.key_len()))?;
    children.finish()?;
    Ok(cipher)
}

/// `KeySize` may only repeat what the algorithm says.
fn key_size(children: &mut Children<'_>, octets: Option<usize>) -> Result<(), Error> {
    if let Some(size) = children.take(xenc::KEY_SIZE) {
        let bits = number(size)? as usize;
        if octets.is_some_and(|octets| bits != octets * 8) {
            return Err(Error::shape(size, Shape::BadNumber));
        }
    }
    Ok(())
}

fn read_key_method(element: Element<'_>, permit: &Permit) -> Result<KeyMethod, Error> {
    only_attributes(element, &[attr::ALGORITHM])?;
    let alg: Alg = permitted(element, permit, |alg| match alg {
        Alg::Transport(_) | Alg::Wrap(_) => Some(alg),
        Alg::Cipher(_) if permit.block_encrypted_keys => Some(alg),
        _ => None,
    })?;
    let mut children = Children::of(element)?;
    let method = match alg {
        Alg::Transport(TransportAlg::Rsa15) => {
            key_size(&mut children, None)?;
            KeyMethod::Transport(TransportAlg::Rsa15, OaepParams::default())
        }
        Alg::Transport(transport) => {
            key_size(&mut children, None)?;
            let (transport, params) = read_oaep(&mut children, transport, permit)?;
            if let OaepPermit::Only(tuples) = permit.oaep
                && !tuples.permits(transport, &params)
            {
                return Err(Error::at(element, ErrorKind::AlgorithmNotPermitted(alg)));
            }
            KeyMethod::Transport(transport, params)
        }
        Alg::Wrap(wrap) => {
            key_size(&mut children, Some(wrap.key_len()))?;
            KeyMethod::Wrap(wrap)
        }
        Alg::Cipher(cipher) => {
            key_size(&mut children, Some(cipher.key_len()))?;
            KeyMethod::Block(cipher)
        }
        other => return Err(Error::at(element, ErrorKind::AlgorithmMisplaced(other))),
    };
    children.finish()?;
    Ok(method)
}

/// The OAEP matrix (XMLEnc 1.1 §5.5.2): absent DigestMethod means SHA-1, absent MGF means MGF1
/// with SHA-1, never the digest's hash. Under `rsa-oaep-mgf1p` that is all the standard gives; an
/// explicit MGF there is refused in messages, and honoured where any parameters are. The parameters come in any order, each once.
fn read_oaep(
    children: &mut Children<'_>,
    transport: TransportAlg,
    permit: &Permit,
) -> Result<(TransportAlg, OaepParams), Error> {
    let mut params = OaepParams::default();
    let (mut label, mut digest, mut mgf) = (None, None, None);
    while let Some(child) = children.peek() {
        if child.is(xenc::OAEP_PARAMS) && label.is_none() {
            only_attributes(child, &[])?;
            label = Some(octets(child, MAX_LABEL)?);
        } else if child.is(ds::DIGEST_METHOD) && digest.is_none() {
            digest = Some(parameter_digest(child)?);
        } else if child.is(xenc11::MGF) && mgf.is_none() {
            only_attributes(child, &[attr::ALGORITHM])?;
            no_children(child)?;
            let named = permitted(child, permit, |alg| match alg {
                Alg::Mgf(mgf) => Some(mgf),
                _ => None,
            })?;
            if transport == TransportAlg::RsaOaepMgf1p && permit.oaep != OaepPermit::Any {
                return Err(Error::at(child, ErrorKind::AlgorithmNotPermitted(Alg::Mgf(named))));
            }
            mgf = Some(named);
        } else {
            break;
        }
        children.next();
    }
    params.label = label.unwrap_or_default();
    params.digest = digest.unwrap_or(params.digest);
    params.mgf = mgf.unwrap_or(params.mgf);
    // The fixed-MGF transport cannot carry another one, so such a key is opened as the general one.
    let general = params.mgf != MgfAlg::Mgf1Sha1;
    Ok((if general { TransportAlg::RsaOaep } else { transport }, params))
}

/// The octets of `CipherData`; a CipherReference is refused, never followed (ENC-18).
fn read_cipher_data(element: Element<'_>, max: usize) -> Result<Vec<u8>, Error> {
    only_attributes(element, &[])?;
    let mut children = Children::of(element)?;
    if let Some(reference) = children.take(xenc::CIPHER_REFERENCE) {
        return Err(Error::at(reference, ErrorKind::CipherReference));
    }
    let value = children.require(xenc::CIPHER_VALUE, "CipherValue")?;
    children.finish()?;
    only_attributes(value, &[])?;
    octets(value, max)
}
