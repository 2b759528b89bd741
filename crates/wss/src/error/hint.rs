//! What is known beyond a reason, in words. Text of a message goes through [`Shown`].
//!
//! Not here: the reasons and their sentences (`reason`). Called by `Reject` for the local record only.

use super::Hint;
use crate::plan::{Layout, Side};

/// Why a trusted signer is not the other side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotPartner {
    /// A key of ours made the signature; on which side we are.
    Ourselves(Side),
    /// The reply is not of the peer that the key set names.
    Another,
    /// The key set names no peer, so nobody's reply can be told from another's.
    NobodyExpected,
}

impl std::fmt::Display for NotPartner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NotPartner::Ourselves(Side::Recipient) => {
                "A key of ours made the signature: it is a message of this side, and requests come from the other. Where both sides \
                 have one key, name its certificate as the peer"
            }
            NotPartner::Ourselves(Side::Initiator) => {
                "A key of ours made the signature: it is a request of this side, which its recipient verifies, and no reply"
            }
            NotPartner::Another => {
                "It was not signed by the peer that the key set names; if it is a request, its recipient verifies it"
            }
            NotPartner::NobodyExpected => {
                "The key set names no peer, and anybody with a certificate of the same authority could have answered"
            }
        })
    }
}

/// Text of a message as it may be shown: on one line, without what a terminal obeys or what turns the direction of writing. Anybody can send
/// such text, and it must not look like a word of ours.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'t>(pub &'t str);

impl std::fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for c in self.0.chars() {
            match c {
                '"' | '\'' => write!(f, "{c}")?,
                c => write!(f, "{}", c.escape_debug())?,
            }
        }
        Ok(())
    }
}

impl std::fmt::Display for Hint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Hint::None => Ok(()),
            Hint::Skew { millis } => {
                let (word, ms) = if *millis < 0 {
                    ("early", -(i128::from(*millis)))
                } else {
                    ("late", i128::from(*millis))
                };
                write!(f, "By our clock the message is {}.{:03} s too {word}.", ms / 1000, ms % 1000)
            }
            Hint::Uri { uri, likely: Some(likely) } => {
                write!(f, "Found `{}`; probably `{likely}` was meant.", Shown(uri))
            }
            Hint::Uri { uri, likely: None } => write!(f, "Found `{}`.", Shown(uri)),
            Hint::Reference { index, uri } => write!(f, "It is Reference {index} (`{}`).", Shown(uri)),
            Hint::Part(part) => write!(f, "It is {part}."),
            Hint::Signer(not) => write!(f, "{not}."),
            Hint::SecretOfItsOwn => f.write_str(
                "The secret stands in the reply itself: anybody who has our certificate can make such a one, and a reply is to be made with that of \
                 its request (EncryptedKeySHA1). Rampart/C makes a fresh one.",
            ),
            Hint::ExpiresFirst => f.write_str("Expires is not after Created."),
            Hint::Time(found) => {
                write!(f, "Found `{}`; a time is in UTC and ends with `Z`, as `2026-11-30T13:56:32Z`.", Shown(found))?;
                if found.ends_with("+00:00") {
                    f.write_str(" `+00:00` means the same and is another form: let the sender write `Z`; a lenient policy reads it in a UsernameToken.")?;
                }
                Ok(())
            }
            Hint::KeyName(name) => write!(
                f,
                "The ciphertext names its key, `{}`, and the message holds no EncryptedKey: both sides would have to know the key beforehand, which \
                 is not supported. Let the sender encrypt to our certificate.",
                Shown(name)
            ),
            Hint::Layout(layout) => f.write_str(match layout {
                Layout::Strict => {
                    "The policy demands the layout Strict: a token stands before what uses it, what is signed in the header before \
                     the signature, an EncryptedKey before what it opens, and what is to be undone first stands first."
                }
                Layout::LaxTimestampFirst => {
                    "The policy demands the layout LaxTsFirst: the Timestamp is the first child of the Security header."
                }
                Layout::LaxTimestampLast => {
                    "The policy demands the layout LaxTsLast: the Timestamp is the last child of the Security header."
                }
                Layout::Lax => "The policy takes any order.",
            }),
            Hint::Trust(reason) => write!(f, "The path says: {reason}."),
            Hint::Element(local) => write!(f, "It is `{}`.", Shown(local)),
            Hint::PasswordDigest(reading) => write!(f, "The digest was made {reading}."),
            Hint::SecretLength(octets) => write!(
                f,
                "Its key is the secret in the EncryptedKey, or derived from that, and the suite wants one of {octets} octets there: Rampart 1.7's \
                 client sends 16 under every suite, which would be 128 bits under the name of more."
            ),
            Hint::Xml(e) => write!(f, "The parser says: {}.", Shown(&e.to_string())),
            Hint::Soap(e) => write!(f, "The envelope reader says: {}.", Shown(&e.to_string())),
            Hint::Xmlsec(e) => write!(f, "The reader says: {}.", Shown(&e.to_string())),
            Hint::Keys(e) => write!(f, "The key set says: {}.", Shown(&e.to_string())),
        }
    }
}
