//! The UsernameToken on the way out (UsernameToken Profile 1.1 §3.1, §4): its octets, and the key that is derived from it.
//!
//! Not here: where it stands, whether it is signed or encrypted (`compose`), what it is to hold (the plan).

use bartizan_crypto::alg::DigestAlg;
use bartizan_crypto::digest::Hasher;
use bartizan_crypto::{Secret, SymmetricKey, base64, derive};
use bartizan_xml::names::{ns, uri};
use bartizan_xml::write::Writer;

use super::ids::{Bearer, Ids};
use crate::env::{Env, Login};
use crate::error::Error;
use crate::plan::{Derive, PasswordForm, Precision, UsernameOut};

/// Octets of a Nonce, as other stacks write it.
const NONCE_LEN: usize = 16;
/// Octets of a Salt (UTP 1.1 §4).
const SALT_LEN: usize = 16;

/// What the derived key is for: the first octet of the Salt (UTP 1.1 §4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Usage {
    Mac = 1,
    Encryption = 2,
}

/// The token of one message.
pub(super) struct Username {
    pub(super) id: String,
    /// Canonical with itself as apex. The password may stand in it.
    pub(super) octets: Secret,
    /// What is written, or encrypted: the same element with further declarations, where the manner asks for that.
    written: Option<Secret>,
    key: Option<SymmetricKey>,
}

/// What the octets of a token are made of.
struct Parts<'a> {
    id: &'a str,
    login: &'a Login,
    /// Type and text of the Password.
    password: Option<(&'a str, Secret)>,
    /// Salt and Iteration.
    salt: Option<([u8; SALT_LEN], u32)>,
    nonce: Option<&'a [u8]>,
    created: Option<&'a str>,
}

impl Username {
    /// Makes the token that the plan wants. `declared` are declarations that it carries besides its own.
    pub(super) fn new(
        plan: &UsernameOut,
        env: &Env<'_>,
        ids: &Ids<'_>,
        precision: Precision,
        usage: Usage,
        declared: &[(&str, &str)],
    ) -> Result<Username, Error> {
        let login = env.login.ok_or(Error::NoLogin)?;
        let mut nonce = [0_u8; NONCE_LEN];
        env.random.fill(&mut nonce);
        let created = precision.write(env.now);
        let salt = match plan.derive {
            Some(Derive::Profile { iterations }) => Some((salt(env, usage), iterations)),
            Some(Derive::Wse { .. }) | None => None,
        };
        let id = ids.fresh(Bearer::UsernameToken);
        let parts = Parts {
            id: &id,
            login,
            password: if salt.is_some() { None } else { password(plan, login, &nonce, &created) },
            salt,
            nonce: plan.nonce.then_some(&nonce),
            created: plan.created.then_some(&created),
        };
        let octets = Secret::new(parts.write(&[])?);
        let written = if declared.is_empty() { None } else { Some(Secret::new(parts.write(declared)?)) };
        let key = match (plan.derive, &parts.salt) {
            (Some(Derive::Wse { length }), _) => {
                Some(login.password.expose(|p| derive::wse_key(p, &nonce, &created, length))?)
            }
            (Some(Derive::Profile { iterations }), Some((salt, _))) => {
                Some(login.password.expose(|p| derive::username_key(p, salt, iterations)))
            }
            _ => None,
        };
        let key = key.map(|k| k.expose(|octets| SymmetricKey::new(octets.clone())));
        Ok(Username { id, octets, written, key })
    }

    /// The derived key.
    pub(super) fn key(&self) -> Result<&SymmetricKey, Error> {
        self.key.as_ref().ok_or(Error::WrongKey)
    }

    /// What is written, or encrypted. Its canonical form is `octets`.
    pub(super) fn written(&self) -> &Secret {
        self.written.as_ref().unwrap_or(&self.octets)
    }

    /// From here on the ciphertext with this Id stands for the token.
    pub(super) fn becomes(&mut self, id: String, ciphertext: Secret) {
        (self.id, self.octets, self.written) = (id, ciphertext, None);
    }
}

fn salt(env: &Env<'_>, usage: Usage) -> [u8; SALT_LEN] {
    let mut salt = [0_u8; SALT_LEN];
    env.random.fill(&mut salt);
    salt[0] = usage as u8;
    salt
}

/// The Password's Type and text.
fn password<'p>(
    plan: &'p UsernameOut,
    login: &Login,
    nonce: &[u8],
    created: &str,
) -> Option<(&'p str, Secret)> {
    let clear = || login.password.duplicate();
    match &plan.password {
        PasswordForm::Text => Some((uri::PASSWORD_TEXT, clear())),
        PasswordForm::Custom(kind) => Some((kind, clear())),
        PasswordForm::Absent => None,
        PasswordForm::Digest => {
            let mut hasher = Hasher::new(DigestAlg::Sha1);
            // What is not in the token does not go in (UTP 1.1 §3.1).
            if plan.nonce {
                hasher.update(nonce);
            }
            if plan.created {
                hasher.update(created.as_bytes());
            }
            login.password.expose(|p| hasher.update(p));
            let text = base64::encode(hasher.finish().as_ref()).into_bytes();
            Some((uri::PASSWORD_DIGEST, Secret::new(text)))
        }
    }
}

impl Parts<'_> {
    /// The element as apex, in the order in which WSS4J writes the children.
    fn write(&self, declared: &[(&str, &str)]) -> Result<Vec<u8>, Error> {
        let (wsse, wsse11, wsu) = (ns::WSSE.uri(), ns::WSSE11.uri(), ns::WSU.uri());
        // Large enough for all but the longest names: a buffer that grows leaves pieces of the password behind.
        let mut w = Writer::with_capacity(4096);
        w.open("wsse", wsse, "UsernameToken").attr_ns("wsu", wsu, "Id", self.id);
        for (prefix, space) in declared {
            w.declare(prefix, space);
        }
        w.open("wsse", wsse, "Username").text(&self.login.name).close();
        if let Some((kind, text)) = &self.password {
            w.open("wsse", wsse, "Password").attr("Type", kind);
            text.expose(|octets| match std::str::from_utf8(octets) {
                Ok(text) => {
                    w.text(text);
                    Ok(())
                }
                Err(_) => Err(Error::Login),
            })?;
            w.close();
        }
        if let Some((salt, iterations)) = &self.salt {
            w.open("wsse11", wsse11, "Salt").text(&base64::encode(salt)).close();
            w.open("wsse11", wsse11, "Iteration").text(&iterations.to_string()).close();
        }
        if let Some(nonce) = self.nonce {
            w.open("wsse", wsse, "Nonce").attr("EncodingType", uri::BASE64_BINARY);
            w.text(&base64::encode(nonce)).close();
        }
        if let Some(created) = self.created {
            w.open("wsu", wsu, "Created").text(created).close();
        }
        w.close();
        // The only thing that can go wrong is a character that XML has not.
        w.finish().map_err(|_| Error::Login)
    }
}
