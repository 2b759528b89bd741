//! Keys for one agreement: made, used once, forgotten.
//!
//! Apart from [`PrivateKey`](super::PrivateKey) because a key that is never stored, signs nothing and is used once needs none of its
//! forms; making those took half the time of an agreement.

use core::fmt;

use aws_lc_rs::agreement;

use super::{KeyKind, PublicKey};
use crate::{Error, Secret};

/// A fresh EC or X25519 key for one agreement.
pub struct EphemeralKey {
    key: agreement::PrivateKey,
    public: PublicKey,
}

impl EphemeralKey {
    /// A fresh key of the kind of `peer`.
    ///
    /// # Errors
    /// [`Error::WrongKey`] unless the peer's key is EC or X25519; [`Error::Failed`].
    pub fn generate_for(peer: &PublicKey) -> Result<Self, Error> {
        let kind = peer.kind();
        let algorithm = match kind {
            KeyKind::Ec(curve) => curve.agreement(),
            KeyKind::X25519 => &agreement::X25519,
            KeyKind::Rsa | KeyKind::Dsa | KeyKind::Ed25519 => return Err(Error::WrongKey),
        };
        let key = agreement::PrivateKey::generate(algorithm)?;
        let point = key.compute_public_key()?;
        let public = match kind {
            KeyKind::Ec(curve) => PublicKey::from_ec_point(curve, point.as_ref())?,
            _ => PublicKey::from_x25519(point.as_ref())?,
        };
        Ok(Self { key, public })
    }

    /// The public half, which the peer needs.
    #[must_use]
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// The shared secret with the peer; the key is forgotten.
    ///
    /// # Errors
    /// As [`PrivateKey::agree`](super::PrivateKey::agree).
    pub fn agree(self, peer: &PublicKey) -> Result<Secret, Error> {
        if peer.kind() != self.public.kind() {
            return Err(Error::WrongKey);
        }
        shared_secret(&self.key, peer)
    }
}

impl fmt::Debug for EphemeralKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EphemeralKey({:?})", self.public.kind())
    }
}

/// The shared secret of a key and a public key of the same kind, which the caller has compared.
pub(super) fn shared_secret(key: &agreement::PrivateKey, peer: &PublicKey) -> Result<Secret, Error> {
    let octets = peer.ec_point().map(|(_, point)| point).or_else(|| peer.raw_octets());
    let peer = agreement::UnparsedPublicKey::new(key.algorithm(), octets.ok_or(Error::WrongKey)?);
    agreement::agree(key, peer, Error::Failed, |secret| Ok(Secret::new(secret.to_vec())))
}
