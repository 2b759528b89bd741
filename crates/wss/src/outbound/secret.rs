//! The shared secret of a message on its way out: made and encrypted to the peer, or that of the request, and the keys derived from it.
//!
//! Not here: what is signed and encrypted with it (`sign`, `seal`), where it stands in the header (`write`).

use std::sync::Arc;

use bartizan_crypto::{SymmetricKey, base64};
use bartizan_xml::names::{ns, uri};
use bartizan_xml::write::Writer;
use bartizan_xmlsec::SharedSecret;
use bartizan_xmlsec::encryption::{EncryptKey, KeyMethod, KeySpec, write_encrypted_secret};

use super::ids::{Bearer, Ids};
use super::token;
use crate::env::Env;
use crate::error::Error;
use crate::plan::{Dialect, SecretOut, SecretSource};
use crate::request::RequestFacts;
use crate::secret::ExchangeSecret;

/// Octets of a Nonce, as other stacks write it.
const NONCE_LEN: usize = 16;
/// What Label means where it is absent (WS-SecureConversation 1.3 §8.1).
const LABEL: &[u8] = b"WS-SecureConversationWS-SecureConversation";

/// The secret of one message.
pub(super) struct Shared {
    exchange: Arc<ExchangeSecret>,
    /// Id and octets of the EncryptedKey, canonical with itself as apex; `None`: the secret is that of the request.
    key: Option<(String, Vec<u8>)>,
    sign: Option<Derived>,
    seal: Option<Derived>,
}

/// A key that is derived from it.
struct Derived {
    id: String,
    dialect: Dialect,
    nonce: [u8; NONCE_LEN],
    secret: SharedSecret,
}

/// What the secret is used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    Sign,
    Seal,
}

/// How the key is named.
#[derive(Clone)]
pub(super) enum Named {
    /// By the Id of the EncryptedKey.
    Key(String),
    /// By its SHA-1.
    Sha1(Vec<u8>),
    /// By the Id of the DerivedKeyToken.
    Derived(String, Dialect),
}

impl Shared {
    /// Makes the secret, or takes that of the request.
    pub(super) fn new(
        plan: &SecretOut,
        env: &Env<'_>,
        ids: &Ids<'_>,
        request: Option<&RequestFacts>,
    ) -> Result<Shared, Error> {
        let (exchange, key) = match &plan.source {
            SecretSource::Request => {
                let known = request.and_then(|request| request.secret.as_ref());
                (Arc::clone(known.ok_or(Error::NoSecret)?), None)
            }
            SecretSource::Fresh { length, method, oaep, reference } => {
                let certificate = env.keys.peer().ok_or(Error::NoRecipient)?;
                let naming = token::Naming { form: *reference, certificate, token: None, id: None };
                naming.check()?;
                let id = ids.fresh(Bearer::EncryptedKey);
                let secret = SymmetricKey::generate(*length, env.random);
                let spec = KeySpec {
                    id: Some(&id),
                    method: &KeyMethod::Transport(*method, oaep.clone()),
                    recipient: Some(&naming),
                    references: &[],
                    carried_name: None,
                };
                let mut w = Writer::new();
                let to = EncryptKey::Public(certificate.public_key()?);
                let cipher =
                    write_encrypted_secret(&mut w, &spec, &to, &secret, env.random).map_err(|e| {
                        match e.kind {
                            bartizan_xmlsec::ErrorKind::KeyNotFound => Error::WrongKey,
                            _ => Error::Xmlsec(e),
                        }
                    })?;
                let exchange = ExchangeSecret::new(SharedSecret::new(secret), &cipher);
                (Arc::new(exchange), Some((id, w.finish()?)))
            }
        };
        let derive = |length: usize| -> Result<Derived, Error> {
            let mut nonce = [0_u8; NONCE_LEN];
            env.random.fill(&mut nonce);
            let secret = exchange.secret().derived(&[LABEL, &nonce].concat(), 0, length)?;
            let dialect = plan.derived.map(|d| d.dialect).unwrap_or_default();
            Ok(Derived { id: ids.fresh(Bearer::DerivedKey), dialect, nonce, secret })
        };
        let sign = plan.derived.map(|d| derive(d.sign)).transpose()?;
        let seal = plan.derived.map(|d| derive(d.encrypt)).transpose()?;
        Ok(Shared { exchange, key, sign, seal })
    }

    /// The secret, for who waits for the reply.
    pub(super) fn exchange(&self) -> &Arc<ExchangeSecret> {
        &self.exchange
    }

    /// The EncryptedKey, if there is one: Id and octets.
    pub(super) fn encrypted_key(&self) -> Option<&(String, Vec<u8>)> {
        self.key.as_ref()
    }

    fn derived(&self, purpose: Purpose) -> Option<&Derived> {
        if purpose == Purpose::Sign { self.sign.as_ref() } else { self.seal.as_ref() }
    }

    /// The key for a use, and how it is named.
    pub(super) fn take(&self, purpose: Purpose) -> (SymmetricKey, Named) {
        match self.derived(purpose) {
            Some(derived) => {
                let named = Named::Derived(derived.id.clone(), derived.dialect);
                (derived.secret.key().duplicate(), named)
            }
            None => (self.exchange.secret().key().duplicate(), self.named()),
        }
    }

    fn named(&self) -> Named {
        match &self.key {
            Some((id, _)) => Named::Key(id.clone()),
            None => Named::Sha1(self.exchange.sha1().to_vec()),
        }
    }

    /// Writes the EncryptedKey, and the DerivedKeyTokens that are used.
    pub(super) fn write(&self, w: &mut Writer, purposes: &[Purpose]) {
        if let Some((_, octets)) = self.key.as_ref().filter(|_| !purposes.is_empty()) {
            w.raw(octets);
        }
        for derived in purposes.iter().filter_map(|purpose| self.derived(*purpose)) {
            let wsc = derived.dialect.namespace();
            w.open("wsc", wsc, "DerivedKeyToken").attr_ns("wsu", ns::WSU.uri(), "Id", &derived.id);
            self.named().write(w);
            w.open("wsc", wsc, "Offset").text("0").close();
            w.open("wsc", wsc, "Length").text(&derived.secret.key().len().to_string()).close();
            w.open("wsc", wsc, "Nonce").text(&base64::encode(&derived.nonce)).close();
            w.close();
        }
    }
}

impl Named {
    /// Writes the SecurityTokenReference.
    pub(super) fn write(&self, w: &mut Writer) {
        w.open("wsse", ns::WSSE.uri(), "SecurityTokenReference");
        if !matches!(self, Named::Derived(..)) {
            w.attr_ns("wsse11", ns::WSSE11.uri(), "TokenType", uri::ENCRYPTED_KEY);
        }
        match self {
            Named::Key(id) => {
                w.open("wsse", ns::WSSE.uri(), "Reference");
                w.attr("URI", &format!("#{id}")).attr("ValueType", uri::ENCRYPTED_KEY).close();
            }
            Named::Sha1(octets) => token::identifier(w, uri::ENCRYPTED_KEY_SHA1, octets),
            Named::Derived(id, dialect) => {
                w.open("wsse", ns::WSSE.uri(), "Reference");
                w.attr("URI", &format!("#{id}")).attr("ValueType", dialect.value_type()).close();
            }
        }
        w.close();
    }
}

impl Dialect {
    fn namespace(self) -> &'static str {
        match self {
            Dialect::V2005 => ns::WSC05.uri(),
            Dialect::V13 => ns::WSC13.uri(),
        }
    }

    fn value_type(self) -> &'static str {
        match self {
            Dialect::V2005 => uri::DKT05,
            Dialect::V13 => uri::DKT13,
        }
    }
}
