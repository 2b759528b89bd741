//! The failure classes: rows ENC-01, -02, -03, -05, -20 of docs/attacks.md and what must look like them.
//!
//! A class is a set of messages that are refused for one cause. Each service of the measured server has its classes; the
//! first is the reference, and the second is the reference again, which shows what the method sees where there is nothing.

use anyhow::Result;

use crate::forge::{CBC, Forge, GCM, PAYLOAD, Parts, RSA15, Suite, seal, seal_blocks};
use crate::rsa::{self, Oaep};
use crate::users;

/// Messages of a class where their number does not matter.
const SOME: usize = 16;

/// How a class makes its n-th message.
type Make = Box<dyn Fn(&Forge, usize) -> Result<Vec<u8>> + Send + Sync>;

/// One cause of refusal.
pub(crate) struct Class {
    pub(crate) name: &'static str,
    /// The row of docs/attacks.md.
    pub(crate) row: &'static str,
    /// Codes that the local log may give: they show that the class is what it is called.
    pub(crate) reasons: &'static [&'static str],
    /// How many different messages there are.
    pub(crate) variants: usize,
    /// Whether a message is made anew for each request: for the service with a replay guard.
    pub(crate) fresh: bool,
    pub(crate) make: Make,
}

/// One service of the server.
pub(crate) struct Service {
    pub(crate) path: &'static str,
    /// Its lines in the configuration.
    pub(crate) config: String,
    pub(crate) classes: Vec<Class>,
    /// Whether a refusal takes longer than the quantum.
    pub(crate) costly: bool,
    /// A sound message that was never there before, for the positive control.
    pub(crate) sound: fn(&Forge) -> Result<Vec<u8>>,
}

const FAILED: &[&str] = &["encryption.failed"];
const DIGEST: &[&str] = &["signature.digest_mismatch"];
const CONTENT: &[&str] = &["encryption.failed", "signature.digest_mismatch"];

/// The class whose messages are accepted the first time.
pub(crate) const REPLAY: &str = "a message sent again";

/// All of them.
pub(crate) fn services() -> Vec<Service> {
    let guard = vec![
        fresh(new_bad_pad("reference: padding octet 0, a new message")),
        fresh(new_bad_pad("reference again")),
        fresh(digest_mismatch(CBC)),
        replay(),
    ];
    let service = |path, lines: &str, classes, sound| Service {
        path,
        config: format!("keys = \"own\"\n{lines}"),
        classes,
        costly: false,
        sound,
    };
    let mut all = vec![
        service("/cbc", "policy = \"scenario:rampart-c\"\nreplay = \"off\"", cbc(), |f| sound(f, CBC)),
        service("/rsa15", "policy = \"rsa15\"\nreplay = \"off\"", rsa15(), |f| sound(f, RSA15)),
        service("/gcm", "policy = \"gcm\"\nreplay = \"off\"", gcm(), |f| sound(f, GCM)),
        service("/guard", "policy = \"scenario:rampart-c\"\nreplay = { window = \"6h\" }", guard, |f| {
            sound(f, CBC)
        }),
    ];
    all.extend(users::services());
    all
}

/// A sound message that was never there before.
fn sound(forge: &Forge, suite: Suite) -> Result<Vec<u8>> {
    let name: String = rsa::octets(16).iter().map(|octet| format!("{octet:02x}")).collect();
    let (parts, _) = forge.parts(suite, PAYLOAD.replace("test me", &name).as_bytes())?;
    forge.envelope(suite, &parts)
}

/// A class whose messages are made once.
pub(crate) fn class(
    name: &'static str,
    row: &'static str,
    reasons: &'static [&'static str],
    make: impl Fn(&Forge, usize) -> Result<Vec<u8>> + Send + Sync + 'static,
) -> Class {
    Class { name, row, reasons, variants: SOME, fresh: false, make: Box::new(make) }
}

/// A class that edits the parts of a sound message; the edit gets the key of the content too.
fn edited(
    suite: Suite,
    name: &'static str,
    row: &'static str,
    reasons: &'static [&'static str],
    edit: impl Fn(&Forge, usize, &mut Parts, &[u8]) -> Result<()> + Send + Sync + 'static,
) -> Class {
    class(name, row, reasons, move |forge, n| {
        let (mut parts, key) = forge.parts(suite, PAYLOAD.as_bytes())?;
        edit(forge, n, &mut parts, &key)?;
        forge.envelope(suite, &parts)
    })
}

fn with_variants(mut class: Class, variants: usize) -> Class {
    class.variants = variants;
    class
}

fn fresh(mut class: Class) -> Class {
    class.fresh = true;
    class
}

/// The payload, filled to whole blocks; the last octet is the padding's length.
fn padded(last: u8) -> Vec<u8> {
    let mut blocks = PAYLOAD.as_bytes().to_vec();
    let fill = 16 - blocks.len() % 16;
    blocks.extend(rsa::octets(fill));
    if let Some(end) = blocks.last_mut() {
        *end = last;
    }
    blocks
}

/// The octets 1 to 16 but the one that would be right.
fn other_padding(n: usize) -> u8 {
    let other = 1 + n % 15;
    let meant = 16 - PAYLOAD.len() % 16;
    u8::try_from(other + usize::from(other >= meant)).unwrap_or(1)
}

fn bad_pad(name: &'static str, last: fn(usize) -> u8, variants: usize) -> Class {
    let class = edited(CBC, name, "ENC-01", CONTENT, move |_, n, parts, key| {
        parts.data = seal_blocks(CBC, key, &padded(last(n)))?;
        Ok(())
    });
    with_variants(class, if variants == 1 { SOME } else { variants })
}

/// Bad padding under a SignedInfo that the guard has not seen: it never comes to the digest.
fn new_bad_pad(name: &'static str) -> Class {
    edited(CBC, name, "ENC-01", FAILED, |_, _, parts, key| {
        parts.data = seal_blocks(CBC, key, &padded(0))?;
        parts.digest = rsa::octets(parts.digest.len());
        Ok(())
    })
}

/// Plaintext that is as long as the payload and something else.
fn content(suite: Suite, name: &'static str, row: &'static str, text: fn(usize) -> Vec<u8>) -> Class {
    edited(suite, name, row, CONTENT, move |_, n, parts, key| {
        parts.data = seal(suite, key, &text(n))?;
        Ok(())
    })
}

fn filled(begin: &str, end: &str) -> Vec<u8> {
    let middle = "x".repeat(PAYLOAD.len().saturating_sub(begin.len() + end.len()));
    format!("{begin}{middle}{end}").into_bytes()
}

fn other_text(_: usize) -> Vec<u8> {
    PAYLOAD.replace("test me", "pay him").into_bytes()
}

fn digest_mismatch(suite: Suite) -> Class {
    edited(suite, "sound plaintext, wrong DigestValue", "ENC-01", DIGEST, |_, _, parts, _| {
        parts.digest = rsa::octets(parts.digest.len());
        Ok(())
    })
}

fn signature_mismatch(suite: Suite) -> Class {
    edited(suite, "wrong SignatureValue", "ENC-20", &["signature.value_mismatch"], |_, _, parts, _| {
        parts.bad_signature = true;
        Ok(())
    })
}

fn unknown_recipient(suite: Suite) -> Class {
    edited(suite, "unknown recipient", "ENC-20", &["encryption.no_key"], |_, _, parts, _| {
        for (place, octet) in parts.recipient.iter_mut().zip(rsa::octets(20)) {
            *place = octet;
        }
        Ok(())
    })
}

fn wrong_key(suite: Suite) -> Class {
    edited(
        suite,
        "our certificate named, another key used",
        "ENC-20",
        CONTENT,
        move |forge, _, parts, key| {
            parts.wrapped = forge.wrap(suite, forge.other()?, key)?;
            Ok(())
        },
    )
}

/// The EncryptedKey is replaced by what `wrapped` makes of the key.
fn transported(
    suite: Suite,
    name: &'static str,
    row: &'static str,
    wrapped: impl Fn(&Forge, usize, &[u8]) -> Result<Vec<u8>> + Send + Sync + 'static,
) -> Class {
    edited(suite, name, row, CONTENT, move |forge, n, parts, key| {
        parts.wrapped = wrapped(forge, n, key)?;
        Ok(())
    })
}

fn oaep(suite: Suite, name: &'static str, wrong: Oaep) -> Class {
    transported(suite, name, "ENC-05", move |forge, _, key| {
        let size = rsa::size(forge.server()?);
        rsa::raw(forge.server()?, &rsa::oaep(size, suite.oaep, suite.mgf.digest(), key, wrong))
    })
}

fn not_below_the_modulus(suite: Suite, row: &'static str) -> Class {
    transported(suite, "ciphertext not below the modulus", row, |forge, _, _| rsa::modulus(forge.server()?))
}

fn short_ciphertext(suite: Suite, row: &'static str) -> Class {
    transported(suite, "ciphertext one octet short", row, move |forge, _, key| {
        let mut wrapped = forge.wrap(suite, forge.server()?, key)?;
        wrapped.pop();
        Ok(wrapped)
    })
}

fn key_size(suite: Suite, name: &'static str, len: usize) -> Class {
    transported(suite, name, "ENC-03", move |forge, _, _| {
        forge.wrap(suite, forge.server()?, &rsa::octets(len))
    })
}

fn cbc() -> Vec<Class> {
    vec![
        bad_pad("reference: padding octet 0", |_| 0, 1),
        bad_pad("reference again", |_| 0, 1),
        bad_pad("padding octet 17 to 255", |n| u8::try_from(17 + n % 239).unwrap_or(255), 239),
        bad_pad("padding octet 1 to 16, another than was meant", other_padding, 15),
        with_variants(
            edited(CBC, "one bit of the vector", "ENC-01", CONTENT, |_, n, parts, _| {
                if let Some(octet) = parts.data.get_mut(n / 8 % 16) {
                    *octet ^= 1 << (n % 8);
                }
                Ok(())
            }),
            128,
        ),
        content(CBC, "plaintext by chance", "ENC-01", |_| rsa::octets(PAYLOAD.len())),
        content(CBC, "plaintext ill-formed", "ENC-01", |_| filled("<greetRequest ", "")),
        content(CBC, "plaintext with a forbidden character", "ENC-01", |_| filled("<a>\u{1}", "</a>")),
        content(CBC, "plaintext unbalanced", "ENC-01", |_| filled("<a>", "</a></b>")),
        content(CBC, "plaintext with a document type", "ENC-01", |_| filled("<!DOCTYPE a><a>", "</a>")),
        content(CBC, "plaintext empty", "ENC-01", |_| Vec::new()),
        content(CBC, "plaintext another sound one", "ENC-01", other_text),
        edited(CBC, "ciphertext not whole blocks", "ENC-01", CONTENT, |_, _, parts, _| {
            parts.data.pop();
            Ok(())
        }),
        digest_mismatch(CBC),
        signature_mismatch(CBC),
        unknown_recipient(CBC),
        wrong_key(CBC),
        oaep(CBC, "OAEP: first octet not 0", Oaep::First),
        oaep(CBC, "OAEP: digest of another label", Oaep::Label),
        oaep(CBC, "OAEP: no 01", Oaep::Delimiter),
        oaep(CBC, "OAEP: padding not 0", Oaep::Padding),
        not_below_the_modulus(CBC, "ENC-05"),
        short_ciphertext(CBC, "ENC-05"),
        key_size(CBC, "key of 16 octets", 16),
        key_size(CBC, "key of 40 octets", 40),
    ]
}

/// An encoding of PKCS#1 v1.5 with a fault, in front of each kind of data in turn.
fn pkcs1(name: &'static str, spoil: fn(&mut Vec<u8>, usize)) -> Class {
    edited(RSA15, name, "ENC-02", CONTENT, move |forge, n, parts, key| {
        let server = forge.server()?;
        let mut encoded = rsa::pkcs1(rsa::size(server), key);
        spoil(&mut encoded, n);
        parts.wrapped = rsa::raw(server, &encoded)?;
        parts.data = match n % 4 {
            0 => seal(RSA15, key, PAYLOAD.as_bytes())?,
            1 => seal(RSA15, key, &filled("<greetRequest ", ""))?,
            2 => seal(RSA15, key, b"")?,
            _ => seal_blocks(RSA15, key, &padded(0))?,
        };
        Ok(())
    })
}

fn pkcs1_key_size(name: &'static str, len: usize) -> Class {
    edited(RSA15, name, "ENC-02", CONTENT, move |forge, _, parts, _| {
        let server = forge.server()?;
        parts.wrapped = rsa::raw(server, &rsa::pkcs1(rsa::size(server), &rsa::octets(len)))?;
        Ok(())
    })
}

/// Where the key begins: 255 octets of a 2048-bit modulus less 32 of key.
const KEY_AT: usize = 256 - 32;

fn put(encoded: &mut [u8], at: usize, octet: u8) {
    if let Some(place) = encoded.get_mut(at) {
        *place = octet;
    }
}

fn rsa15() -> Vec<Class> {
    let by_chance = |name| {
        pkcs1(name, |encoded, _| {
            let len = encoded.len();
            *encoded = [&[0][..], &rsa::octets(len.saturating_sub(1))].concat();
        })
    };
    vec![
        by_chance("reference: no padding at all"),
        by_chance("reference again"),
        pkcs1("no 00 before the key", |encoded, _| {
            put(encoded, KEY_AT - 1, 1);
            for octet in encoded.iter_mut().skip(KEY_AT) {
                *octet = (*octet).max(1);
            }
        }),
        pkcs1("00 in the padding", |encoded, _| put(encoded, 100, 0)),
        pkcs1("00 among the first eight", |encoded, n| put(encoded, 2 + n % 8, 0)),
        with_variants(
            pkcs1("00 at every place of the padding", |encoded, n| put(encoded, 2 + n % 221, 0)),
            221,
        ),
        pkcs1("first octet wrong", |encoded, n| put(encoded, 0, 1 + u8::try_from(n % 64).unwrap_or(0))),
        pkcs1("second octet wrong", |encoded, n| {
            put(encoded, 1, [0, 1, 3, 0xff].get(n % 4).copied().unwrap_or(0))
        }),
        pkcs1_key_size("key of 8 octets", 8),
        pkcs1_key_size("key of 16 octets", 16),
        pkcs1_key_size("key of 24 octets", 24),
        pkcs1_key_size("key of 40 octets", 40),
        edited(RSA15, "right key, bad padding of the data", "ENC-02", CONTENT, |_, _, parts, key| {
            parts.data = seal_blocks(RSA15, key, &padded(0))?;
            Ok(())
        }),
        content(RSA15, "right key, ill-formed data", "ENC-02", |_| filled("<greetRequest ", "")),
        content(RSA15, "right key, empty data", "ENC-02", |_| Vec::new()),
        content(RSA15, "right key, another sound text", "ENC-02", other_text),
        not_below_the_modulus(RSA15, "ENC-02"),
        short_ciphertext(RSA15, "ENC-02"),
        digest_mismatch(RSA15),
        signature_mismatch(RSA15),
        unknown_recipient(RSA15),
    ]
}

/// One bit of the sealed octets, at a place counted from the front or from the end.
fn flipped(name: &'static str, place: fn(usize, usize) -> usize) -> Class {
    edited(GCM, name, "ENC-08", FAILED, move |_, n, parts, _| {
        let at = place(parts.data.len(), n);
        if let Some(octet) = parts.data.get_mut(at) {
            *octet ^= 1 << (n % 8);
        }
        Ok(())
    })
}

fn gcm() -> Vec<Class> {
    vec![
        flipped("reference: one bit of the tag", |len, n| len - 1 - n % 16),
        flipped("reference again", |len, n| len - 1 - n % 16),
        flipped("one bit of the vector", |_, n| n % 12),
        flipped("one bit of the ciphertext", |_, n| 12 + n),
        edited(GCM, "shorter than vector and tag", "ENC-08", FAILED, |_, n, parts, _| {
            parts.data.truncate(12 + n);
            Ok(())
        }),
        content(GCM, "right tag, ill-formed plaintext", "ENC-19", |_| filled("<greetRequest ", "")),
        digest_mismatch(GCM),
        signature_mismatch(GCM),
        unknown_recipient(GCM),
        wrong_key(GCM),
        oaep(GCM, "OAEP: first octet not 0", Oaep::First),
        oaep(GCM, "OAEP: digest of another label", Oaep::Label),
        key_size(GCM, "key of 16 octets", 16),
    ]
}

/// Sound messages that were there before: the harness sends each once before it counts.
fn replay() -> Class {
    class(REPLAY, "TOK-03", &["replay"], |forge, _| sound(forge, CBC))
}
