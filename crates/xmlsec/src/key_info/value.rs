//! Bare public keys: `ds:KeyValue` (RSA, DSA, EC) and `dsig11:DEREncodedKeyValue`.

use bartizan_crypto::{Curve, DsaComponents, PublicKey, RsaComponents};
use bartizan_xml::Element;
use bartizan_xml::names::{attr, ds, dsig11};

use crate::error::{Error, ErrorKind, Shape};
use crate::read::{Children, no_children, octets, only_attributes, require_attr};

/// Longest number of a key, in octets (16,384 bits).
const MAX_NUMBER: usize = 2048;
/// Longest SubjectPublicKeyInfo, in octets.
const MAX_SPKI: usize = 8192;
/// What stands before an object identifier in `dsig11:NamedCurve`.
const OID: &str = "urn:oid:";

/// A public key as the message states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyValue {
    /// `ds:RSAKeyValue`.
    Rsa(RsaComponents),
    /// `ds:DSAKeyValue`.
    Dsa(DsaComponents),
    /// `dsig11:ECKeyValue` with a named curve.
    Ec {
        /// The curve.
        curve: Curve,
        /// The point, uncompressed.
        point: Vec<u8>,
    },
    /// `dsig11:DEREncodedKeyValue`: a SubjectPublicKeyInfo.
    Der(Vec<u8>),
}

impl KeyValue {
    /// Reads `ds:KeyValue`. `None` for a kind of key that is not known here.
    pub(super) fn read(element: Element<'_>) -> Result<Option<Self>, Error> {
        only_attributes(element, &[])?;
        let mut children = Children::of(element)?;
        let Some(inner) = children.next() else {
            return Err(Error::shape(element, Shape::MissingChild("RSAKeyValue")));
        };
        children.finish()?;
        if inner.is(ds::RSA_KEY_VALUE) {
            read_rsa(inner).map(Some)
        } else if inner.is(ds::DSA_KEY_VALUE) {
            read_dsa(inner).map(Some)
        } else if inner.is(dsig11::EC_KEY_VALUE) {
            read_ec(inner).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Reads `dsig11:DEREncodedKeyValue`.
    pub(super) fn read_der(element: Element<'_>) -> Result<Self, Error> {
        only_attributes(element, &[attr::ID])?;
        Ok(KeyValue::Der(octets(element, MAX_SPKI)?))
    }

    /// The element, read without its KeyValue parent (what RetrievalMethod may lead to).
    pub(crate) fn read_bare(element: Element<'_>) -> Result<Option<Self>, Error> {
        if element.is(ds::KEY_VALUE) {
            KeyValue::read(element)
        } else if element.is(ds::RSA_KEY_VALUE) {
            read_rsa(element).map(Some)
        } else if element.is(ds::DSA_KEY_VALUE) {
            read_dsa(element).map(Some)
        } else if element.is(dsig11::EC_KEY_VALUE) {
            read_ec(element).map(Some)
        } else if element.is(dsig11::DER_ENCODED_KEY_VALUE) {
            KeyValue::read_der(element).map(Some)
        } else {
            Ok(None)
        }
    }

    /// The key as a handle; the point is checked to lie on its curve, RSA exponents below
    /// 65,537 are refused.
    ///
    /// # Errors
    /// [`ErrorKind::BadKeyValue`].
    pub fn to_public_key(&self) -> Result<PublicKey, Error> {
        let key = match self {
            KeyValue::Rsa(rsa) => PublicKey::from_rsa_components(&rsa.modulus, &rsa.exponent),
            KeyValue::Dsa(dsa) => PublicKey::from_dsa_components(dsa),
            KeyValue::Ec { curve, point } => PublicKey::from_ec_point(*curve, point),
            KeyValue::Der(spki) => PublicKey::from_spki(spki),
        };
        key.map_err(|_| Error::new(ErrorKind::BadKeyValue))
    }

    /// As [`to_public_key`](Self::to_public_key), but RSA exponents from 3 on are taken.
    ///
    /// # Errors
    /// [`ErrorKind::BadKeyValue`].
    pub fn to_public_key_legacy(&self) -> Result<PublicKey, Error> {
        match self {
            KeyValue::Rsa(rsa) => PublicKey::from_rsa_components_legacy(&rsa.modulus, &rsa.exponent)
                .map_err(|_| Error::new(ErrorKind::BadKeyValue)),
            _ => self.to_public_key(),
        }
    }
}

fn read_rsa(element: Element<'_>) -> Result<KeyValue, Error> {
    only_attributes(element, &[attr::ID])?;
    let mut children = Children::of(element)?;
    let modulus = octets(children.require(ds::MODULUS, "Modulus")?, MAX_NUMBER)?;
    let exponent = octets(children.require(ds::EXPONENT, "Exponent")?, MAX_NUMBER)?;
    children.finish()?;
    Ok(KeyValue::Rsa(RsaComponents { modulus, exponent }))
}

fn read_dsa(element: Element<'_>) -> Result<KeyValue, Error> {
    only_attributes(element, &[attr::ID])?;
    let mut children = Children::of(element)?;
    let p = octets(children.require(ds::P, "P")?, MAX_NUMBER)?;
    let q = octets(children.require(ds::Q, "Q")?, MAX_NUMBER)?;
    let g = octets(children.require(ds::G, "G")?, MAX_NUMBER)?;
    let y = octets(children.require(ds::Y, "Y")?, MAX_NUMBER)?;
    // J, Seed and PgenCounter document how the numbers came about; nothing here uses them.
    for name in [ds::J, ds::SEED, ds::PGEN_COUNTER] {
        if let Some(number) = children.take(name) {
            octets(number, MAX_NUMBER)?;
        }
    }
    children.finish()?;
    Ok(KeyValue::Dsa(DsaComponents { p, q, g, y }))
}

fn read_ec(element: Element<'_>) -> Result<KeyValue, Error> {
    only_attributes(element, &[attr::ID])?;
    let mut children = Children::of(element)?;
    // ECParameters (an explicit curve) is refused: it lets the sender choose the group.
    let named = children.require(dsig11::NAMED_CURVE, "NamedCurve")?;
    only_attributes(named, &[attr::URI])?;
    no_children(named)?;
    let uri = require_attr(named, attr::URI, "URI")?;
    let curve = uri
        .strip_prefix(OID)
        .and_then(Curve::from_oid)
        .ok_or_else(|| Error::at(named, ErrorKind::BadKeyValue))?;
    let point = octets(children.require(dsig11::PUBLIC_KEY, "PublicKey")?, 2 * curve.field_len() + 1)?;
    children.finish()?;
    Ok(KeyValue::Ec { curve, point })
}
