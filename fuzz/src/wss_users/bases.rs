//! The genuine messages with a UsernameToken: every form of password and key, in the clear and encrypted, made when first asked for.

use std::collections::HashSet;
use std::sync::OnceLock;
use std::time::Duration;

use bartizan_crypto::alg::{CipherAlg, DigestAlg, MgfAlg, TransportAlg};
use bartizan_crypto::{OaepParams, Secret, SymmetricKey, base64, suite};
use bartizan_keys::Keystore;
use bartizan_soap::{Draft, Version};
use bartizan_wss::env::Transport;
use bartizan_wss::plan::{
    Derive, Dialect, Iterations, KeyRef, PasswordForm, PlanPair, TimestampRule, UsernameOut, UsernameRule,
};
use bartizan_wss::{Env, Login, MemoryReplay, Part, SymmetricBuilder, UsernameBuilder};

use super::{Counted, signed, verify};
use crate::world::{Steady, certificate, keys, now};

/// Alice's.
pub(crate) const PASSWORD: &str = "canary & <word>";

const SHAPES: usize = 12;
/// Symmetric bindings that the token protects.
const PROTECTED: usize = 3;
const BASES: usize = (SHAPES + PROTECTED) * 2;

/// A server and a client.
pub(crate) struct Sides {
    client: Keystore,
    pub(crate) server: Keystore,
}

/// A message of alice's, and everything to judge what an edited one says.
pub(crate) struct Base {
    pub(crate) plans: PlanPair,
    pub(crate) keys: &'static Sides,
    pub(crate) request: Vec<u8>,
    /// What a signature of it covers.
    pub(crate) signed: HashSet<Vec<u8>>,
    /// A token like the one in it, of the same Id, with the password as text: what an attacker begins with.
    pub(crate) token: String,
    /// That Id.
    pub(crate) id: String,
    /// The rule takes text passwords, keys of the profile.
    pub(crate) takes_text: bool,
    pub(crate) takes_keys: bool,
    seal: Seal,
}

/// A content key of the attacker's, and the octets of an EncryptedKey that carry it.
struct Seal {
    key: SymmetricKey,
    cipher: CipherAlg,
    wrapped: Vec<u8>,
}

/// The parts of a token as text.
pub(crate) mod token {
    const WSSE: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";
    const WSSE11: &str = "http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd";
    const WSU: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
    const BASE64: &str =
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary";
    const TYPE: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0";

    pub(crate) const END: &str = "</wsse:UsernameToken>";

    pub(crate) fn start(id: &str) -> String {
        format!(
            "<wsse:UsernameToken xmlns:wsse=\"{WSSE}\" xmlns:wsse11=\"{WSSE11}\" xmlns:wsu=\"{WSU}\" wsu:Id=\"{id}\">"
        )
    }

    pub(crate) fn username(name: &str) -> String {
        format!("<wsse:Username>{name}</wsse:Username>")
    }

    /// `kind` is a fragment of the profile's URI, or a URI, or nothing.
    pub(crate) fn password(kind: &str, text: &str) -> String {
        let kind = if kind.starts_with('#') { format!("{TYPE}{kind}") } else { kind.to_owned() };
        let kind = if kind.is_empty() { kind } else { format!(" Type=\"{kind}\"") };
        format!("<wsse:Password{kind}>{text}</wsse:Password>")
    }

    pub(crate) fn nonce(text: &str) -> String {
        format!("<wsse:Nonce EncodingType=\"{BASE64}\">{text}</wsse:Nonce>")
    }

    pub(crate) fn created(text: &str) -> String {
        format!("<wsu:Created>{text}</wsu:Created>")
    }

    pub(crate) fn salt(text: &str) -> String {
        format!("<wsse11:Salt>{text}</wsse11:Salt>")
    }

    pub(crate) fn iteration(n: usize) -> String {
        format!("<wsse11:Iteration>{n}</wsse11:Iteration>")
    }
}

fn sides() -> &'static Sides {
    static SIDES: OnceLock<Sides> = OnceLock::new();
    SIDES.get_or_init(|| Sides { client: keys("client", "server"), server: keys("server", "client") })
}

/// The base of a number.
pub(crate) fn base(n: usize) -> &'static Base {
    static MADE: [OnceLock<Base>; BASES] = [const { OnceLock::new() }; BASES];
    let n = n % BASES;
    MADE[n].get_or_init(|| match n.checked_sub(SHAPES * 2) {
        None => make(n % SHAPES, n >= SHAPES),
        Some(n) => make(SHAPES + n % PROTECTED, n >= PROTECTED),
    })
}

fn builder(shape: usize) -> UsernameBuilder {
    let (wse, profile) = (Derive::Wse { length: 16 }, Derive::Profile { iterations: 1000 });
    let whole = || vec![Part::UsernameToken, Part::Body];
    let builder = UsernameBuilder::new();
    match shape {
        0 => builder,
        1 => builder.password(PasswordForm::Digest),
        2 => builder.elements(false, false),
        3 => builder.password(PasswordForm::Custom("urn:own".to_owned())),
        4 => builder.sign(wse).sign_parts(whole()),
        5 => builder.password(PasswordForm::Absent).sign(wse),
        6 => builder.sign(profile).sign_parts(whole()),
        7 => builder.encrypt(KeyRef::ThumbprintSha1),
        8 => builder.password(PasswordForm::Digest).encrypt(KeyRef::IssuerSerial),
        9 => builder.sign(wse).encrypt(KeyRef::SubjectKeyIdentifier),
        10 => builder.sign(profile).encrypt(KeyRef::Embedded),
        _ => builder.sign(profile).sign_parts(vec![Part::Body]),
    }
}

/// Messages under a secret that both sides derive from the password, in the two versions of derived keys or with the key as it is.
fn symmetric(shape: usize, old: bool) -> SymmetricBuilder {
    let suite = suite::by_name("Basic128").expect("a suite");
    let (rule, out) = (UsernameRule::deriving(Iterations::default()), UsernameOut::deriving(1000));
    let builder =
        SymmetricBuilder::new(suite).sign(Part::Body).timestamp(TimestampRule::default()).by_user(rule, out);
    let dialect = if old { Dialect::V2005 } else { Dialect::V13 };
    match shape {
        12 => builder,
        13 => builder.encrypt(Part::Body).derived(dialect),
        _ => builder.encrypt(Part::Body).encrypt(Part::Signature).derived(dialect).protect_tokens(),
    }
}

fn plans(shape: usize, period: bool) -> PlanPair {
    let plans = match shape {
        12.. => symmetric(shape, period).build(),
        _ if period => builder(shape).period().build(),
        _ => builder(shape).build(),
    };
    plans.expect("a plan")
}

fn make(shape: usize, period: bool) -> Base {
    let plans = plans(shape, period);
    let (keys, random) = (sides(), Steady::default());
    let login = Login { name: "alice".to_owned(), password: Secret::new(PASSWORD.as_bytes().to_vec()) };
    let version = if shape % 2 == 0 { Version::Soap12 } else { Version::Soap11 };
    let body = "<o:order xmlns:o=\"urn:o\"><o:line>4711</o:line></o:order>";
    let env = Env::new(&keys.client, now(), &random).as_user(&login);
    let draft = Draft::new(version).with_body(body.into());
    let request = plans.initiator.secure(draft, &env, None).expect("secured").message.into_bytes();
    let text = String::from_utf8(request.clone()).expect("UTF-8");
    let id = id_of(&text);
    let rule = plans.recipient.inbound().username.clone().expect("a rule");
    let mut token = token::start(&id) + &token::username("alice");
    token += &token::password("#PasswordText", &PASSWORD.replace('&', "&amp;").replace('<', "&lt;"));
    token += &token::nonce(&base64::encode(&[7; 16]));
    token += &(token::created(&now().to_rfc3339()) + token::END);
    let mut base = Base {
        takes_text: rule.passwords.contains(&PasswordForm::Text),
        takes_keys: rule.keys.is_some_and(|keys| keys.profile.is_some()),
        seal: Seal::new(period),
        plans,
        keys,
        request,
        signed: HashSet::new(),
        token,
        id,
    };
    let (users, replay) = (Counted::new(), MemoryReplay::new(64, Duration::from_secs(600)));
    let verified = verify(&base, &base.request, &users, &replay, Transport::Local);
    let verified = verified.unwrap_or_else(|reject| panic!("{shape}: {reject}\n{text}"));
    base.signed = signed(&verified);
    base
}

/// The Id of the token: what the signature names that stands nowhere, or the token's own.
fn id_of(text: &str) -> String {
    let value = |text: &str, mark: &str| {
        let (_, rest) = text.split_once(mark)?;
        rest.split_once('"').map(|(id, _)| id.to_owned())
    };
    let own = text.split_once("<wsse:UsernameToken").and_then(|(_, rest)| value(rest, "Id=\""));
    let mut named = text.split("<ds:Reference URI=\"#").skip(1).filter_map(|rest| rest.split_once('"'));
    let hidden = named.find(|(id, _)| !text.contains(&format!("Id=\"{id}\"")));
    own.or(hidden.map(|(id, _)| id.to_owned())).unwrap_or_else(|| "token".to_owned())
}

impl Base {
    /// The message with another token in the place of the one in the clear; unchanged if that is encrypted.
    pub(crate) fn with_token(&self, token: &[u8]) -> Vec<u8> {
        let text = &self.request;
        let find = |mark: &[u8], from: usize| {
            text[from..].windows(mark.len()).position(|window| window == mark).map(|at| from + at)
        };
        let Some(start) = find(b"<wsse:UsernameToken", 0) else { return text.clone() };
        let Some(end) = find(token::END.as_bytes(), start) else { return text.clone() };
        [&text[..start], token, &text[end + token::END.len()..]].concat()
    }

    /// The message with another plaintext in the place of its token, sealed to the server as anybody can; unchanged if nothing is encrypted.
    pub(crate) fn sealing(&self, plaintext: &[u8]) -> Vec<u8> {
        let data = self.seal.key.seal(self.seal.cipher, plaintext, &Steady::default()).expect("sealed");
        let mut text = String::from_utf8(self.request.clone()).expect("UTF-8");
        for (element, octets) in [("<xenc:EncryptedKey", &self.seal.wrapped), ("<xenc:EncryptedData", &data)]
        {
            let Some(at) = text.find(element) else { return text.into_bytes() };
            let Some(start) =
                text[at..].find("<xenc:CipherValue>").map(|n| at + n + "<xenc:CipherValue>".len())
            else {
                return text.into_bytes();
            };
            let Some(end) = text[start..].find('<').map(|n| start + n) else { return text.into_bytes() };
            text.replace_range(start..end, &base64::encode(octets));
        }
        text.into_bytes()
    }
}

impl Seal {
    fn new(period: bool) -> Seal {
        let (cipher, transport, oaep) = if period {
            (CipherAlg::Aes128Cbc, TransportAlg::Rsa15, OaepParams::new(DigestAlg::Sha1, MgfAlg::Mgf1Sha1))
        } else {
            let oaep = OaepParams::new(DigestAlg::Sha256, MgfAlg::Mgf1Sha256);
            (CipherAlg::Aes128Gcm, TransportAlg::RsaOaep, oaep)
        };
        let octets = [0x5a; 16];
        let server = certificate("server");
        let wrapped =
            server.public_key().expect("a key").encrypt_key(transport, &oaep, &octets).expect("wrapped");
        Seal { key: SymmetricKey::new(octets.to_vec()), cipher, wrapped }
    }
}
