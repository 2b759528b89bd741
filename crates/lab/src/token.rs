//! The floor of a message with a UsernameToken: its bare cryptography, with the octets of a real message.
//!
//! Receiving: recover the content key and decrypt the token, digest it, make the key of its signature, compare the MAC.
//! Sending: the same the other way round. A message that is not encrypted shows the octets; an encrypted one says how long
//! its ciphertext is, and the token that is encrypted here is made as long. Not here: XML, base64, users, HTTP. Called by
//! `measure` in every round, and by the benches.

use bartizan_crypto::digest::digest;
use bartizan_crypto::suite::Delivery;
use bartizan_crypto::{
    CipherAlg, Digest, DigestAlg, MgfAlg, PrivateKey, SignatureAlg, SymmetricKey, TransportAlg, WrapAlg,
    base64, derive,
};
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::names::{ds, wsse, wsse11, wsu, xenc};
use bartizan_xml::{Budget, Document, Element, Limits, Profile};

use crate::Error;
use crate::floor::{Floor, Sealed};
use crate::kind::{Token, USER};

#[cfg(test)]
mod tests;

/// AES-128-CBC under RSA 1.5, SHA-1 and HMAC-SHA1: what WSS4J 1.5 does unless it is told otherwise.
const PERIOD: Floor = Floor {
    digest: DigestAlg::Sha1,
    signature: SignatureAlg::HmacSha1,
    cipher: CipherAlg::Aes128Cbc,
    delivery: Delivery::Transport {
        transport: TransportAlg::Rsa15,
        digest: DigestAlg::Sha1,
        mgf: MgfAlg::Mgf1Sha1,
    },
    wrap: WrapAlg::Aes128,
};

/// Octets of an initialization vector.
const IV: usize = 16;

/// The cryptography of one message.
#[derive(Debug)]
pub struct TokenFloor {
    server: PrivateKey,
    sealed: Option<(Sealed, Vec<u8>)>,
    signed: Option<Signed>,
}

/// A token with the MAC over it.
#[derive(Debug)]
struct Signed {
    token: Vec<u8>,
    digest: Digest,
    info: Vec<u8>,
    mac: Vec<u8>,
    source: Source,
    /// The key, if it was made before.
    key: Option<SymmetricKey>,
}

/// What a key is made of, beside the password.
#[derive(Debug)]
enum Source {
    Wse { nonce: Vec<u8>, created: String },
    Profile { salt: Vec<u8> },
}

impl Source {
    fn key(&self) -> Result<SymmetricKey, Error> {
        let password = USER.1.as_bytes();
        let secret = match self {
            Source::Wse { nonce, created } => derive::wse_key(password, nonce, created, 16)?,
            Source::Profile { salt } => derive::username_key(password, salt, 1000),
        };
        Ok(secret.expose(|octets| SymmetricKey::new(octets.clone())))
    }
}

impl TokenFloor {
    /// Takes a message apart. `clear` is a message of the same set-up without encryption, and `message` the one that is sent;
    /// `cached` says that a key of the profile is at hand.
    ///
    /// # Errors
    /// [`Error::Soap`] if they are no such messages, [`Error::Crypto`].
    pub fn new(
        token: Token,
        server: &PrivateKey,
        clear: &[u8],
        message: &[u8],
        cached: bool,
    ) -> Result<TokenFloor, Error> {
        let clear = parse(clear)?;
        let element = find(&clear, wsse::USERNAME_TOKEN)?;
        let octets = canonical(element)?;
        let signed =
            if token.signs() { Some(Signed::new(token, &clear, octets.clone(), cached)?) } else { None };
        let sealed = if token.encrypts() {
            let message = parse(message)?;
            // The second value is the token's; the first is that of the content key.
            let mut values = message.root().descendants().filter(|element| element.is(xenc::CIPHER_VALUE));
            let content = values.nth(1).map(|value| base64::decode(&value.text())).transpose()?;
            let length = content.map_or(0, |content| content.len()).saturating_sub(IV + 1);
            let mut plain = octets;
            plain.resize(length.max(plain.len()), b' ');
            Some((PERIOD.encrypt(server.public(), &plain)?, plain))
        } else {
            None
        };
        Ok(TokenFloor { server: server.clone(), sealed, signed })
    }

    /// Whether there is any cryptography at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sealed.is_none() && self.signed.is_none()
    }

    /// What the receiver does.
    ///
    /// # Errors
    /// [`Error::Crypto`] if something does not fit, which would be a mistake here.
    pub fn receive(&self) -> Result<(), Error> {
        if let Some((sealed, _)) = &self.sealed {
            std::hint::black_box(PERIOD.decrypt(&self.server, sealed)?);
        }
        let Some(signed) = &self.signed else { return Ok(()) };
        let key = signed.key()?;
        key.verify_mac(PERIOD.signature, &signed.info, &signed.mac)?;
        if digest(PERIOD.digest, &signed.token).matches(signed.digest.as_ref()) {
            Ok(())
        } else {
            Err(Error::Crypto(bartizan_crypto::Error::Failed))
        }
    }

    /// What the sender does.
    ///
    /// # Errors
    /// [`Error::Crypto`].
    pub fn send(&self) -> Result<(), Error> {
        if let Some(signed) = &self.signed {
            std::hint::black_box(digest(PERIOD.digest, &signed.token));
            std::hint::black_box(signed.key()?.mac(PERIOD.signature, &signed.info)?);
        }
        if let Some((_, plain)) = &self.sealed {
            std::hint::black_box(PERIOD.encrypt(self.server.public(), plain)?);
        }
        Ok(())
    }
}

impl Signed {
    fn new(token: Token, clear: &Document, octets: Vec<u8>, cached: bool) -> Result<Signed, Error> {
        let source = if token.iterates() {
            Source::Profile { salt: base64::decode(&find(clear, wsse11::SALT)?.text())? }
        } else {
            // The Timestamp has a Created, too.
            let token = find(clear, wsse::USERNAME_TOKEN)?;
            let created =
                token.child(wsu::CREATED).map_or(String::new(), |created| created.text().into_owned());
            Source::Wse { nonce: base64::decode(&find(clear, wsse::NONCE)?.text())?, created }
        };
        let key = source.key()?;
        let info = canonical(find(clear, ds::SIGNED_INFO)?)?;
        let mac = key.mac(PERIOD.signature, &info)?;
        let key = (cached && token.iterates()).then_some(key);
        Ok(Signed { digest: digest(PERIOD.digest, &octets), token: octets, info, mac, source, key })
    }

    fn key(&self) -> Result<SymmetricKey, Error> {
        match &self.key {
            Some(key) => Ok(key.duplicate()),
            None => self.source.key(),
        }
    }
}

fn parse(octets: &[u8]) -> Result<Document, Error> {
    let mut budget = Budget::new(&Limits::default());
    Document::parse(octets.to_vec(), Profile::Message, &mut budget).map_err(|error| Error::Soap(error.into()))
}

/// The first element of a name.
fn find(document: &Document, name: bartizan_xml::names::Name) -> Result<Element<'_>, Error> {
    let found = document.root().descendants().find(|element| element.is(name));
    found.ok_or(Error::Crypto(bartizan_crypto::Error::Failed))
}

fn canonical(element: Element<'_>) -> Result<Vec<u8>, Error> {
    let mut octets = Vec::new();
    C14n::new(C14nMethod::Exclusive)
        .write(element, &mut octets)
        .map_err(|error| Error::Soap(error.into()))?;
    Ok(octets)
}
