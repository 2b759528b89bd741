//! The shared secret of a message on its way out: made and encrypted to the peer, that of a request before (`reuse`), derived from the password of
//! its UsernameToken, or that of the request which is answered; and the keys derived from it.
//!
//! Not here: what is signed and encrypted with it (`sign`, `seal`), where it stands in the header (`write`).

use std::sync::Arc;

use bartizan_crypto::alg::CipherAlg;
use bartizan_crypto::{SymmetricKey, base64};
use bartizan_keys::Certificate;
use bartizan_xml::names::{ns, uri};
use bartizan_xml::write::Writer;
use bartizan_xmlsec::encryption::{EncryptKey, KeyMethod, KeySpec, write_encrypted_secret};
use bartizan_xmlsec::{ContentKey, SharedSecret};

use super::ids::{Bearer, Ids};
use super::token;
use super::username::Username;
use crate::env::Env;
use crate::error::Error;
use crate::plan::{Dialect, SecretOut, SecretSource};
use crate::request::{Lent, RequestFacts};
use crate::reuse::Whom;
use crate::secret::ExchangeSecret;

/// Octets of a Nonce, as other stacks write it.
const NONCE_LEN: usize = 16;
/// What Label means where it is absent (WS-SecureConversation 1.3 §8.1).
const LABEL: &[u8] = b"WS-SecureConversationWS-SecureConversation";

/// The secret of one message.
pub(super) struct Shared {
    exchange: Arc<ExchangeSecret>,
    /// What it stands in.
    place: Place,
    /// Where it is that of several requests.
    lent: Option<Lent>,
    sign: Option<Derived>,
    seal: Option<Derived>,
}

/// Where the other side has the secret from.
enum Place {
    /// Id and octets of an EncryptedKey of this message, canonical with itself as apex.
    Key(String, Vec<u8>),
    /// The UsernameToken of this message.
    Token,
    /// The request that is answered, or a request before.
    Request,
}

/// What stands around the secret.
#[derive(Clone, Copy)]
pub(super) struct Around<'r> {
    /// What is answered.
    pub(super) request: Option<&'r RequestFacts>,
    /// The UsernameToken of the message.
    pub(super) username: Option<&'r Username>,
    /// Whether the message is signed with it.
    pub(super) signs: bool,
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
    /// By the URI of a UsernameToken.
    User(String),
    /// By the Id of the DerivedKeyToken.
    Derived(String, Dialect),
}

impl Shared {
    /// Makes the secret, or takes that of a request before, or that of the request which is answered.
    pub(super) fn new(
        plan: &SecretOut,
        env: &Env<'_>,
        ids: &Ids<'_>,
        around: Around<'_>,
    ) -> Result<Shared, Error> {
        let (exchange, place, lent) = match &plan.source {
            SecretSource::Request => {
                let known = around.request.and_then(|request| request.secret.as_ref());
                (Arc::clone(known.ok_or(Error::NoSecret)?), Place::Request, None)
            }
            SecretSource::User => {
                let token = around.username.ok_or(Error::NoLogin)?;
                let exchange = ExchangeSecret::of_user(token.key()?.duplicate(), &token.id);
                (Arc::new(exchange), Place::Token, None)
            }
            SecretSource::Fresh { length, .. } => {
                let certificate = env.keys.peer().ok_or(Error::NoRecipient)?;
                let user = env.login.map(|login| login.name.as_str());
                // A peer keeps what signed.
                let reuse = env.reuse.filter(|_| around.signs);
                let whom = reuse.map(|reuse| (reuse, Whom::new(certificate, user, *length)));
                match whom.as_ref().and_then(|(reuse, whom)| reuse.take(whom, env.now)) {
                    Some((exchange, tenure)) => {
                        (exchange, Place::Request, Some(Lent { tenure, fresh: false }))
                    }
                    None => {
                        let (exchange, place) = fresh(&plan.source, env, ids, certificate)?;
                        let lent = whom.map(|(reuse, whom)| reuse.made(whom, env.now));
                        (Arc::new(exchange), place, lent.map(|tenure| Lent { tenure, fresh: true }))
                    }
                }
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
        Ok(Shared { exchange, place, lent, sign, seal })
    }

    /// The secret, for who waits for the reply.
    pub(super) fn exchange(&self) -> &Arc<ExchangeSecret> {
        &self.exchange
    }

    /// Where the secret is that of several requests.
    pub(super) fn lent(&self) -> Option<&Lent> {
        self.lent.as_ref()
    }

    /// The EncryptedKey, if there is one: Id and octets.
    pub(super) fn encrypted_key(&self) -> Option<(&str, &[u8])> {
        match &self.place {
            Place::Key(id, octets) => Some((id, octets)),
            Place::Token | Place::Request => None,
        }
    }

    /// Whether it is derived from the UsernameToken of this message, which then stands before what uses it.
    pub(super) fn is_of_token(&self) -> bool {
        matches!(self.place, Place::Token)
    }

    fn derived(&self, purpose: Purpose) -> Option<&Derived> {
        if purpose == Purpose::Sign { self.sign.as_ref() } else { self.seal.as_ref() }
    }

    /// The key that signs, and how it is named.
    pub(super) fn signing_key(&self) -> (SymmetricKey, Named) {
        match &self.sign {
            Some(derived) => (derived.secret.key().duplicate(), derived.named()),
            None => (self.exchange.secret().key().duplicate(), self.named()),
        }
    }

    /// The key of a cipher, and how it is named.
    pub(super) fn content_key(&self, cipher: CipherAlg) -> Result<(ContentKey, Named), Error> {
        let (key, named) = match &self.seal {
            Some(derived) => (derived.secret.content_key(cipher), derived.named()),
            None => (self.exchange.content_key(cipher), self.named()),
        };
        Ok((key.map_err(|_| Error::WrongKey)?, named))
    }

    fn named(&self) -> Named {
        match (&self.place, self.exchange.user_token()) {
            (Place::Key(id, _), _) => Named::Key(id.clone()),
            (Place::Token, Some(id)) => Named::User(format!("#{id}")),
            // As CXF names the token of another message.
            (Place::Request, Some(id)) => Named::User(id.to_owned()),
            (Place::Token | Place::Request, None) => {
                Named::Sha1(self.exchange.sha1().unwrap_or_default().to_vec())
            }
        }
    }

    /// Writes the EncryptedKey, and the DerivedKeyTokens that are used.
    pub(super) fn write(&self, w: &mut Writer, purposes: &[Purpose]) {
        if let Some((_, octets)) = self.encrypted_key().filter(|_| !purposes.is_empty()) {
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

impl Derived {
    fn named(&self) -> Named {
        Named::Derived(self.id.clone(), self.dialect)
    }
}

/// A secret, and the EncryptedKey that carries it to the holder of `certificate`.
fn fresh(
    source: &SecretSource,
    env: &Env<'_>,
    ids: &Ids<'_>,
    certificate: &Certificate,
) -> Result<(ExchangeSecret, Place), Error> {
    let SecretSource::Fresh { length, method, oaep, reference } = source else { return Err(Error::NoSecret) };
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
        write_encrypted_secret(&mut w, &spec, &to, &secret, env.random).map_err(|e| match e.kind {
            bartizan_xmlsec::ErrorKind::KeyNotFound => Error::WrongKey,
            _ => Error::Xmlsec(e),
        })?;
    Ok((ExchangeSecret::new(SharedSecret::new(secret), &cipher), Place::Key(id, w.finish()?)))
}

impl Named {
    /// Writes the SecurityTokenReference.
    pub(super) fn write(&self, w: &mut Writer) {
        w.open("wsse", ns::WSSE.uri(), "SecurityTokenReference");
        if matches!(self, Named::Key(_) | Named::Sha1(_)) {
            w.attr_ns("wsse11", ns::WSSE11.uri(), "TokenType", uri::ENCRYPTED_KEY);
        }
        match self {
            Named::Key(id) => {
                w.open("wsse", ns::WSSE.uri(), "Reference");
                w.attr("URI", &format!("#{id}")).attr("ValueType", uri::ENCRYPTED_KEY).close();
            }
            Named::Sha1(octets) => token::identifier(w, uri::ENCRYPTED_KEY_SHA1, octets),
            Named::User(uri) => {
                w.open("wsse", ns::WSSE.uri(), "Reference");
                w.attr("URI", uri).attr("ValueType", uri::USERNAME_TOKEN).close();
            }
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
