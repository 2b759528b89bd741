//! UsernameTokens as read (UsernameToken Profile 1.1 §3.1 and §4): their shape, and what a rule says about what stands in them.
//!
//! Strict: each child at most once, no others, no attributes but those of the profile, one spelling of each value. Not here: whether the user is
//! who he says (`user`), where the token may stand (`shape`, `targets`). The password is held as a secret and is in nobody's evidence.

use std::borrow::Cow;

use bartizan_crypto::{Secret, base64};
use bartizan_keys::Time;
use bartizan_xml::names::{attr, uri, wsse, wsse11, wsu};
use bartizan_xml::{Element, Name, NodeId};

use super::token::near;
use crate::error::{Hint, Reject};
use crate::plan::username::PROFILE_KEY_LEN;
use crate::plan::{InPlan, PasswordForm, Presence, UsernameRule};
use crate::reason::Reason;

/// Longest user name, in octets.
const MAX_USERNAME: usize = 1024;
/// Longest password or digest, in octets.
const MAX_PASSWORD: usize = 4096;
/// Longest base64 of Nonce and Salt, white space included.
const MAX_BASE64: usize = 256;
/// Longest Password type of its own.
const MAX_TYPE: usize = 256;
/// How much of a time that is none is shown, in characters.
const MAX_TIME: usize = 64;
/// Octets of a Nonce.
const NONCE: std::ops::RangeInclusive<usize> = 8..=64;
/// Octets of a Salt.
const SALT: usize = 16;
/// What Iteration means where it is absent (UsernameToken Profile 1.1 §4).
const DEFAULT_ITERATION: u32 = 1000;

/// A UsernameToken of the header.
pub(super) struct UserToken {
    pub(super) node: NodeId,
    /// The child of the header that it is, or came out of.
    pub(super) place: NodeId,
    pub(super) name: String,
    pub(super) password: Option<Password>,
    /// The decoded octets.
    pub(super) nonce: Option<Vec<u8>>,
    pub(super) created: Option<Created>,
    pub(super) salt: Option<Salt>,
    /// It came out of ciphertext.
    pub(super) was_encrypted: bool,
}

/// A Password element.
pub(super) struct Password {
    pub(super) form: PasswordForm,
    pub(super) text: Secret,
}

/// Created: the text as it stands, which digests and keys are made of, and what it means.
pub(super) struct Created {
    pub(super) text: String,
    pub(super) time: Time,
}

/// Salt and Iteration of a key by the profile.
pub(super) struct Salt {
    pub(super) octets: [u8; SALT],
    pub(super) iterations: u32,
}

/// What a derived key is for: the first octet of a Salt says it (UsernameToken Profile 1.1 §4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum KeyUse {
    Signature,
    Encryption,
}

impl KeyUse {
    /// The octet.
    pub(super) fn octet(self) -> u8 {
        match self {
            KeyUse::Signature => 1,
            KeyUse::Encryption => 2,
        }
    }
}

/// Reads a UsernameToken. `lenient`: a Nonce without EncodingType and a Password without Type are what the profile says that they are then, and UTC
/// may be written as `+00:00`.
pub(super) fn read(element: Element<'_>, place: NodeId, lenient: bool) -> Result<UserToken, Reject> {
    attributes(element, &[wsu::ID])?;
    if !element.children().all(|n| n.kind() == bartizan_xml::NodeKind::Element || is_space(n.text())) {
        return Err(malformed(element));
    }
    let mut parts: [Option<Element<'_>>; 6] = [None; 6];
    const NAMES: [Name; 6] =
        [wsse::USERNAME, wsse::PASSWORD, wsse::NONCE, wsu::CREATED, wsse11::SALT, wsse11::ITERATION];
    for child in element.elements() {
        let place = NAMES.iter().position(|name| child.is(*name)).and_then(|i| parts.get_mut(i));
        let Some(place) = place else {
            return Err(malformed(child).hinting(Hint::Element(child.local_name().into())));
        };
        if place.replace(child).is_some() {
            return Err(malformed(child).hinting(Hint::Element(child.local_name().into())));
        }
    }
    let [name, password, nonce, created, salt, iteration] = parts;
    let name = username(name.ok_or_else(|| malformed(element))?)?;
    let password = password.map(|e| read_password(e, lenient)).transpose()?;
    let nonce = nonce.map(|e| read_nonce(e, lenient)).transpose()?;
    let created = created.map(|e| read_created(e, lenient)).transpose()?;
    let salt = match (salt, iteration) {
        (None, None) => None,
        // An Iteration of no Salt, and a Salt beside the password (UsernameToken Profile 1.1 §4 forbids it).
        (None, Some(stray)) => return Err(malformed(stray)),
        (Some(stray), _) if password.is_some() => return Err(malformed(stray)),
        (Some(salt), iteration) => Some(Salt {
            octets: read_salt(salt)?,
            iterations: iteration.map_or(Ok(DEFAULT_ITERATION), read_iteration)?,
        }),
    };
    let was_encrypted = place != element.id();
    Ok(UserToken { node: element.id(), place, name, password, nonce, created, salt, was_encrypted })
}

/// Name, Salt and Iteration of a token that a key is derived by, if it is one.
pub(crate) fn recipe(element: Element<'_>) -> Option<(String, [u8; SALT], u32)> {
    let token = read(element, element.id(), true).ok()?;
    token.salt.map(|salt| (token.name, salt.octets, salt.iterations))
}

fn malformed(element: Element<'_>) -> Reject {
    Reject::at(Reason::UsernameMalformed, element)
}

fn is_space(text: Option<&str>) -> bool {
    text.is_none_or(|t| t.trim_matches([' ', '\t', '\r', '\n']).is_empty())
}

/// No attributes but those.
fn attributes(element: Element<'_>, known: &[Name]) -> Result<(), Reject> {
    match element.attrs().find(|a| !known.contains(&a.name())) {
        Some(other) => Err(malformed(element).hinting(Hint::Element(other.local_name().into()))),
        None => Ok(()),
    }
}

/// The text of a child that holds nothing else, at most `most` octets.
fn text<'d>(element: Element<'d>, most: usize, reason: Reason) -> Result<Cow<'d, str>, Reject> {
    let text = element.leaf_text().map_err(|e| Reject::at(reason, element).hinting(Hint::Xml(e)))?;
    if text.len() > most { Err(Reject::at(Reason::MessageLimit, element)) } else { Ok(text) }
}

fn username(element: Element<'_>) -> Result<String, Reject> {
    attributes(element, &[wsu::ID])?;
    let name = text(element, MAX_USERNAME, Reason::UsernameMalformed)?;
    if name.is_empty() { Err(malformed(element)) } else { Ok(name.into_owned()) }
}

fn read_password(element: Element<'_>, lenient: bool) -> Result<Password, Reject> {
    // Some stacks of the period gave the attribute a namespace that its profile does not.
    let qualified = element.attr(wsse::TYPE).filter(|_| lenient && element.attr(attr::TYPE).is_none());
    if qualified.is_none() {
        attributes(element, &[wsu::ID, attr::TYPE])?;
    } else {
        attributes(element, &[wsu::ID, wsse::TYPE])?;
    }
    let form = match element.attr(attr::TYPE).or(qualified) {
        Some(uri::PASSWORD_TEXT) => PasswordForm::Text,
        Some(uri::PASSWORD_DIGEST) => PasswordForm::Digest,
        Some(other) if other.len() <= MAX_TYPE => PasswordForm::Custom(other.to_owned()),
        // The profile takes it for text, the Basic Security Profile wants it to be said (R4201).
        None if lenient => PasswordForm::Text,
        Some(_) | None => return Err(Reject::at(Reason::UsernamePasswordType, element)),
    };
    let text = text(element, MAX_PASSWORD, Reason::UsernameMalformed)?;
    Ok(Password { form, text: Secret::new(text.as_bytes().to_vec()) })
}

fn read_nonce(element: Element<'_>, lenient: bool) -> Result<Vec<u8>, Reject> {
    let refuse = || Reject::at(Reason::UsernameNonce, element);
    attributes(element, &[wsu::ID, attr::ENCODING_TYPE])?;
    match element.attr(attr::ENCODING_TYPE) {
        Some(uri::BASE64_BINARY) => {}
        None if lenient => {}
        None => return Err(refuse().hinting(Hint::Element("EncodingType".into()))),
        Some(other) => return Err(refuse().hinting(near(other))),
    }
    let octets = decode(element, Reason::UsernameNonce)?;
    if NONCE.contains(&octets.len()) { Ok(octets) } else { Err(refuse()) }
}

fn decode(element: Element<'_>, reason: Reason) -> Result<Vec<u8>, Reject> {
    let text = text(element, MAX_BASE64, reason)?;
    base64::decode(&text).map_err(|_| Reject::at(reason, element))
}

/// Nothing around the time: the text goes into digests, keys and the replay key as it stands.
fn read_created(element: Element<'_>, lenient: bool) -> Result<Created, Reject> {
    attributes(element, &[wsu::ID])?;
    let refuse = |hint| Reject::at(Reason::UsernameCreated, element).hinting(hint);
    let text = element.leaf_text().map_err(|e| refuse(Hint::Xml(e)))?;
    let time = if lenient { Time::parse_xsd_lenient(&text) } else { Time::parse_xsd(&text) };
    let time = time.map_err(|_| refuse(found_time(&text)))?;
    Ok(Created { text: text.into_owned(), time })
}

/// A time that could not be read, as it may be shown.
pub(super) fn found_time(text: &str) -> Hint {
    Hint::Time(text.chars().take(MAX_TIME).collect())
}

fn read_salt(element: Element<'_>) -> Result<[u8; SALT], Reject> {
    attributes(element, &[wsu::ID])?;
    let refuse = |_| Reject::at(Reason::UsernameSalt, element);
    decode(element, Reason::UsernameSalt)?.try_into().map_err(refuse)
}

fn read_iteration(element: Element<'_>) -> Result<u32, Reject> {
    attributes(element, &[wsu::ID])?;
    let refuse = || Reject::at(Reason::UsernameIteration, element);
    let text = element.leaf_text().map_err(|_| refuse())?;
    // Digits and nothing else: `parse` would take a sign.
    if !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(refuse());
    }
    text.parse().map_err(|_| refuse())
}

impl UserToken {
    /// How the password stands in it.
    pub(super) fn form(&self) -> PasswordForm {
        self.password.as_ref().map_or(PasswordForm::Absent, |p| p.form.clone())
    }

    /// What the rule says about the form of the token, before anybody is asked about the user.
    pub(super) fn check(&self, rule: &UsernameRule, element: Element<'_>) -> Result<(), Reject> {
        let refuse = |reason| Err(Reject::at(reason, element));
        let form = self.form();
        // A WSE-style key may stand beside a name alone; whether anything proves the user is seen at the end.
        let by_key = form == PasswordForm::Absent && rule.keys.is_some();
        match (&self.salt, rule.keys.and_then(|k| k.profile)) {
            (Some(_), None) => return refuse(Reason::UsernameDerivedKey),
            (Some(salt), Some(bounds)) if !(bounds.least..=bounds.most).contains(&salt.iterations) => {
                return refuse(Reason::UsernameIteration);
            }
            (None, _) if !rule.passwords.contains(&form) && !by_key => {
                let reject = Reject::at(Reason::UsernamePasswordType, element);
                return Err(match &form {
                    PasswordForm::Custom(uri) => reject.hinting(near(uri)),
                    other => reject.hinting(Hint::Element(other.name().into())),
                });
            }
            _ => {}
        }
        let digest = form == PasswordForm::Digest;
        if !fits(rule.nonce, self.nonce.is_some()) || (digest && self.nonce.is_none()) {
            return refuse(Reason::UsernameNonce);
        }
        if !fits(rule.created, self.created.is_some()) || (digest && self.created.is_none()) {
            return refuse(Reason::UsernameCreated);
        }
        Ok(())
    }

    /// Octets of the key that can be derived from it.
    pub(super) fn key_len(&self, plan: &InPlan) -> usize {
        let wse = || plan.username.as_ref().and_then(|rule| rule.keys).and_then(|keys| keys.wse);
        if self.salt.is_some() { PROFILE_KEY_LEN } else { wse().unwrap_or(0) }
    }

    /// Nonce and Created, if both are there.
    pub(super) fn freshness(&self) -> Option<(&[u8], &Created)> {
        Some((self.nonce.as_deref()?, self.created.as_ref()?))
    }
}

fn fits(rule: Presence, there: bool) -> bool {
    match rule {
        Presence::Must => there,
        Presence::May => true,
        Presence::MustNot => !there,
    }
}

impl std::fmt::Debug for UserToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "UserToken({:?}, {})", self.name, self.form().name())
    }
}
