//! The failure classes of UsernameTokens: rows TOK-06, TOK-07, TOK-08, ENC-01 and ENC-24 of docs/attacks.md.
//!
//! A class of a service is refused for something that the sender cannot see for himself: who exists, what is stored of him, what a
//! ciphertext opened into. What anybody reads in his own message (a Created that has passed beside a password in the clear) may be
//! told sooner than a slow hash takes, and is among the classes of those services only whose hashes are quick.

use std::time::Duration;

use anyhow::Result;
use bartizan_crypto::base64;
use bartizan_crypto::random::SystemRandom;
use bartizan_keys::users::{HashCost, PasswordHash};

use crate::classes::{Class, REPLAY, Service, class};
use crate::forge::{Forge, RSA15, seal, seal_blocks};
use crate::rsa;
use crate::token::{LIFETIME, UserToken, now, sealed};

/// The one password that is right.
const PASSWORD: &str = "the right one";

/// The file of users: alice's password is a hash, the others' are in clear, so that digests and keys have what they need.
pub(crate) fn file(cost: HashCost) -> Result<String> {
    let hash = PasswordHash::make(PASSWORD.as_bytes(), cost, &SystemRandom)?;
    Ok(format!(
        "[alice]\nargon2id = \"{hash}\"\n[bob]\npassword = \"{PASSWORD}\"\n[carol]\npassword = \"{PASSWORD}\"\ndisabled = true\n\
         [dave]\npassword = \"{PASSWORD}\"\nexpires = 2020-01-01T00:00:00Z\n"
    ))
}

/// The policies: the scenarios, with messages that live as long as a measurement takes.
pub(crate) fn policies() -> String {
    let seconds = LIFETIME.as_secs();
    let token = format!("{{Element}}{{{}}}UsernameToken", bartizan_xml::names::ns::WSSE.uri());
    let policy = |name: &str, lines: &str| {
        format!(
            "[policy.{name}]\nopen = true\n[policy.{name}.request]\ndefaults = \"wss4j15\"\naccept = \"period\"\n\
             timeToLive = {seconds}\nutTimeToLive = {seconds}\n{lines}\n"
        )
    };
    let ask = "addUTElements = \"Nonce Created\"";
    [
        policy("text", &format!("actions = \"UsernameToken Timestamp\"\npasswordType = \"PasswordText\"\n{ask}")),
        policy("digest", &format!("actions = \"UsernameToken Timestamp\"\npasswordType = \"PasswordDigest\"\n{ask}")),
        policy(
            "sealed",
            &format!(
                "actions = \"UsernameToken Encrypt Timestamp\"\npasswordType = \"PasswordText\"\n{ask}\nencryptionParts = \"{token}\""
            ),
        ),
        policy(
            "derived",
            &format!(
                "actions = \"UsernameTokenSignature Timestamp\"\nuseDerivedKey = true\nsignatureParts = \"{token}\""
            ),
        ),
    ]
    .concat()
}

/// All of them.
pub(crate) fn services() -> Vec<Service> {
    let keys = "keys = \"own\"\nopen = true\nreplay = { window = \"6h\" }";
    let service = |path, policy: &str, costly, classes, sound| Service {
        path,
        config: format!("policy = \"{policy}\"\n{keys}"),
        classes,
        costly,
        sound,
    };
    vec![
        service("/unt1", "text", true, text(), |_| Ok(UserToken::text("bob", PASSWORD).clear())),
        service("/unt1-digest", "digest", false, digests(), |_| {
            Ok(UserToken::digest("bob", PASSWORD).clear())
        }),
        service("/unt2b", "derived", false, derived(), |_| UserToken::salted("bob").signed(PASSWORD)),
        service("/unt3", "sealed", true, opened(), |forge| {
            seals(forge, UserToken::text("alice", PASSWORD).element().as_bytes())
        }),
    ]
}

/// A class of messages with this token in the clear.
fn clear(
    name: &'static str,
    reasons: &'static [&'static str],
    token: impl Fn() -> UserToken + Send + Sync + 'static,
) -> Class {
    class(name, "TOK-08", reasons, move |_, _| Ok(token().clear()))
}

fn text() -> Vec<Class> {
    let wrong = |name: &'static str| move || UserToken::text(name, "another one");
    let right = |name: &'static str| move || UserToken::text(name, PASSWORD);
    vec![
        clear("reference: wrong password, a hash is stored", &["user.password"], wrong("alice")),
        clear("reference again", &["user.password"], wrong("alice")),
        clear("wrong password, stored in clear", &["user.password"], wrong("bob")),
        clear("nobody of that name", &["user.unknown"], right("nobody")),
        clear("right password of who is switched off", &["user.disabled"], right("carol")),
        clear("wrong password of who is switched off", &["user.disabled"], wrong("carol")),
        clear("right password of who has expired", &["user.expired"], right("dave")),
    ]
}

/// A token that is older than its rule allows.
fn old(mut token: UserToken) -> UserToken {
    token.created = Some(past());
    token
}

fn past() -> bartizan_keys::Time {
    let back = i64::try_from((LIFETIME + Duration::from_secs(3600)).as_millis()).unwrap_or_default();
    bartizan_keys::Time::from_millis(now().millis() - back)
}

fn nonced(mut token: UserToken, nonce: &str) -> UserToken {
    token.nonce = Some(nonce.to_owned());
    token
}

fn digests() -> Vec<Class> {
    let wrong = || UserToken::digest("bob", "another one");
    let other = |text: &str| {
        let mut token = UserToken::digest("bob", PASSWORD);
        token.password = Some(("#PasswordDigest", text.to_owned()));
        token
    };
    vec![
        clear("reference: digest of another password", &["user.password"], wrong),
        clear("reference again", &["user.password"], wrong),
        clear("nobody of that name", &["user.unknown"], || UserToken::digest("nobody", PASSWORD)),
        clear("only a hash is stored", &["user.no_secret"], || UserToken::digest("alice", PASSWORD)),
        clear("switched off", &["user.disabled"], || UserToken::digest("carol", PASSWORD)),
        clear("expired", &["user.expired"], || UserToken::digest("dave", PASSWORD)),
        clear("a digest that is none", &["user.password"], move || other("#")),
        clear("a digest too short", &["user.password"], move || other("AAAA")),
        clear("a Nonce that is no base64", &["username.nonce"], || {
            nonced(UserToken::digest("bob", PASSWORD), "#")
        }),
        clear("a Nonce too short", &["username.nonce"], || {
            nonced(UserToken::digest("bob", PASSWORD), "AAAA")
        }),
        clear("an old token", &["username.expired"], || old(UserToken::digest("bob", PASSWORD))),
        again(|_| Ok(UserToken::digest("bob", PASSWORD).clear())),
    ]
}

/// Sound messages that were there before.
fn again(make: impl Fn(&Forge) -> Result<Vec<u8>> + Send + Sync + 'static) -> Class {
    class(REPLAY, "TOK-01", &["replay"], move |forge, _| make(forge))
}

/// A class of messages whose token is signed with a key of this password.
fn keyed(
    name: &'static str,
    reasons: &'static [&'static str],
    password: &'static str,
    token: impl Fn() -> UserToken + Send + Sync + 'static,
) -> Class {
    class(name, "TOK-08", reasons, move |_, _| token().signed(password))
}

fn derived() -> Vec<Class> {
    const VALUE: &[&str] = &["signature.value_mismatch"];
    let salted = |name: &'static str| move || UserToken::salted(name);
    let bounds = |iterations: u32| {
        move || {
            let mut token = UserToken::salted("bob");
            token.salt = token.salt.map(|(salt, _)| (salt, iterations));
            token
        }
    };
    let usage = || {
        let mut token = UserToken::salted("bob");
        if let Some(first) = token.salt.as_mut().and_then(|(salt, _)| salt.first_mut()) {
            *first = 2;
        }
        token
    };
    vec![
        keyed("reference: key of another password", VALUE, "another one", salted("bob")),
        keyed("reference again", VALUE, "another one", salted("bob")),
        keyed("the same, ten thousand iterations", VALUE, "another one", bounds(10_000)),
        keyed("nobody of that name", &["user.unknown"], PASSWORD, salted("nobody")),
        keyed("only a hash is stored", &["user.no_secret"], PASSWORD, salted("alice")),
        keyed("switched off", &["user.disabled"], PASSWORD, salted("carol")),
        keyed("expired", &["user.expired"], PASSWORD, salted("dave")),
        keyed("iterations below the bounds", &["username.iteration"], PASSWORD, bounds(999)),
        keyed("iterations above the bounds", &["username.iteration"], PASSWORD, bounds(10_001)),
        keyed("a Salt for encryption", &["username.salt"], PASSWORD, usage),
        keyed("an old token", &["username.expired"], PASSWORD, || old(UserToken::salted("bob"))),
        again(|_| UserToken::salted("bob").signed(PASSWORD)),
    ]
}

/// The plaintext as the attacker seals it to the server.
fn seals(forge: &Forge, plaintext: &[u8]) -> Result<Vec<u8>> {
    let key = rsa::octets(RSA15.cipher.key_len());
    Ok(sealed(forge, &forge.wrap(RSA15, forge.server()?, &key)?, &seal(RSA15, &key, plaintext)?))
}

/// A class of messages whose ciphertext opens into this plaintext.
fn into(
    name: &'static str,
    reasons: &'static [&'static str],
    plaintext: impl Fn() -> String + Send + Sync + 'static,
) -> Class {
    class(name, "ENC-01", reasons, move |forge, _| seals(forge, plaintext().as_bytes()))
}

/// A class of sound tokens in blocks whose last octet is said.
fn padded(name: &'static str, last: fn(usize) -> u8) -> Class {
    class(name, "ENC-01", &["encryption.failed"], move |forge, n| {
        let mut blocks = UserToken::text("alice", PASSWORD).element().into_bytes();
        blocks.resize(blocks.len().next_multiple_of(RSA15.cipher.block_len()), 0);
        if let Some(end) = blocks.last_mut() {
            *end = last(n);
        }
        let key = rsa::octets(RSA15.cipher.key_len());
        let wrapped = forge.wrap(RSA15, forge.server()?, &key)?;
        Ok(sealed(forge, &wrapped, &seal_blocks(RSA15, &key, &blocks)?))
    })
}

fn opened() -> Vec<Class> {
    const FAILED: &[&str] = &["encryption.failed"];
    let text = |name: &'static str, password: &'static str| move || UserToken::text(name, password).element();
    vec![
        padded("reference: padding octet 0", |_| 0),
        padded("reference again", |_| 0),
        padded("padding octet 17 to 255", |n| u8::try_from(17 + n * 15 % 239).unwrap_or(255)),
        class("our certificate named, another key used", "ENC-20", FAILED, |forge, _| {
            let key = rsa::octets(RSA15.cipher.key_len());
            let token = UserToken::text("alice", PASSWORD).element();
            Ok(sealed(
                forge,
                &forge.wrap(RSA15, forge.other()?, &key)?,
                &seal(RSA15, &key, token.as_bytes())?,
            ))
        }),
        into("plaintext ill-formed", FAILED, || "<a><b></a>".to_owned()),
        into("plaintext another element", &["encryption.unexpected"], || "<a xmlns=\"urn:a\"/>".to_owned()),
        into("a token with a child too many", &["username.malformed"], || {
            UserToken { more: "<a xmlns=\"urn:a\"></a>", ..UserToken::text("alice", PASSWORD) }.element()
        }),
        into("a token with a digest", &["username.password_type"], || {
            UserToken::digest("bob", PASSWORD).element()
        }),
        into("a Nonce too short", &["username.nonce"], || {
            nonced(UserToken::text("alice", PASSWORD), &base64::encode(&[0; 4])).element()
        }),
        into("an old token", &["username.expired"], || old(UserToken::text("alice", PASSWORD)).element()),
        into("wrong password", &["user.password"], text("alice", "another one")),
        into("wrong password, stored in clear", &["user.password"], text("bob", "another one")),
        into("nobody of that name", &["user.unknown"], text("nobody", PASSWORD)),
        into("switched off", &["user.disabled"], text("carol", PASSWORD)),
        again(|forge| seals(forge, UserToken::text("alice", PASSWORD).element().as_bytes())),
    ]
}
