//! The secret of a request that we sent and have as a file, for who verifies its reply later: its octets that were kept, or made again from the
//! user's password.
//!
//! A message never shows its secret: who has it can make replies to that request. Called by the file tool; who waits for the reply in one go has
//! everything in [`SentSignatures`] as it is.

use std::sync::Arc;

use bartizan_crypto::{Secret, SymmetricKey, base64, derive};
use bartizan_soap::header::addressee;
use bartizan_xml::Element;
use bartizan_xml::names::{attr, uri, wsse, wsu, xenc};
use bartizan_xmlsec::SharedSecret;

use super::SentSignatures;
use crate::env::Login;
use crate::inbound::recipe;
use crate::plan::Iterations;
use crate::secret::ExchangeSecret;
use crate::untrusted::Untrusted;

impl SentSignatures {
    /// The octets of the secret that the reply is made with (symmetric binding), if there is one: to be kept by who verifies the reply later.
    #[must_use]
    pub fn secret_octets(&self) -> Option<Secret> {
        self.secret().map(|known| known.secret().key().expose(|octets| Secret::new(octets.to_vec())))
    }

    /// With the secret that was sent in `request`, from [`secret_octets`](Self::secret_octets). `None` if the request names no secret, or more than
    /// one; octets that are not its secret verify nothing.
    #[must_use]
    pub fn with_secret(self, request: &Untrusted, octets: &Secret) -> Option<SentSignatures> {
        let key = octets.expose(|octets| SymmetricKey::new(octets.to_vec()));
        let secret = match name_of(request)? {
            Name::Sha1(sha1) => ExchangeSecret::named(SharedSecret::new(key), sha1),
            Name::Token(token) => ExchangeSecret::of_user(key, token.attr(wsu::ID)?),
        };
        Some(SentSignatures { secret: Some(Arc::new(secret)), ..self })
    }

    /// With the secret that the UsernameToken of `request` derives from the password (UsernameToken Profile 1.1 §4). `None` if there is no such token,
    /// it is another user's, or its Iteration is beyond [`Iterations::most`].
    #[must_use]
    pub fn with_login(self, request: &Untrusted, login: &Login) -> Option<SentSignatures> {
        let Name::Token(token) = name_of(request)? else { return None };
        let (name, salt, iterations) = recipe(token)?;
        if name != login.name || iterations > Iterations::default().most {
            return None;
        }
        let key = login.password.expose(|password| derive::username_key(password, &salt, iterations));
        self.with_secret(request, &key)
    }
}

/// How a request names its secret.
enum Name<'d> {
    /// By the SHA-1 of an EncryptedKey, which it carries or names.
    Sha1(Vec<u8>),
    /// By a UsernameToken.
    Token(Element<'d>),
}

/// The one name of the secret. Nothing is verified: the file is our own.
fn name_of(request: &Untrusted) -> Option<Name<'_>> {
    let envelope = request.envelope();
    let mut headers = envelope
        .blocks_named(wsse::SECURITY)
        .filter(|security| addressee(*security, envelope.version()).is_us());
    let (security, None) = (headers.next()?, headers.next()) else { return None };
    let mut names: Vec<Vec<u8>> = Vec::new();
    for element in security.descendants() {
        let sha1 = if element.is(xenc::ENCRYPTED_KEY) {
            let cipher = element.child(xenc::CIPHER_DATA)?.child(xenc::CIPHER_VALUE)?;
            ExchangeSecret::sha1_of(&base64::decode(&cipher.text()).ok()?)
        } else if element.is(wsse::KEY_IDENTIFIER)
            && element.attr(attr::VALUE_TYPE) == Some(uri::ENCRYPTED_KEY_SHA1)
        {
            base64::decode(&element.text()).ok()?
        } else {
            continue;
        };
        if !names.contains(&sha1) {
            names.push(sha1);
        }
    }
    match names.pop() {
        Some(only) => names.is_empty().then_some(Name::Sha1(only)),
        None => security.child(wsse::USERNAME_TOKEN).map(Name::Token),
    }
}
