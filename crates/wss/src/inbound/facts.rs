//! `Facts`: what processing observed, by node identity. Append-only; `conform` is a pure function of it and the plan.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bartizan_keys::Certificate;
use bartizan_xml::{Document, Element, NodeId};
use bartizan_xmlsec::{ContentKey, Covered};

use super::derived::{Base, SecretKey};
use super::targets::KeySource;
use super::user::{UserFact, UserKey};
use crate::plan::KeyRef;
use crate::secret::ExchangeSecret;

/// What was observed.
#[derive(Default)]
pub(super) struct Facts {
    pub(super) covered: Vec<CoveredFact>,
    /// What endorsing signatures cover, which protects no part.
    pub(super) endorsed: Vec<CoveredFact>,
    pub(super) decrypted: Vec<DecryptedFact>,
    pub(super) signers: Vec<SignerFact>,
    /// References to the Timestamp, and of endorsing signatures to what they endorse, whose digests were checked before the others, until those
    /// are.
    pub(super) stamped: Vec<StampFact>,
    /// What came out, all of `decrypted`, with the EncryptedData that it came out of.
    restored: HashMap<NodeId, NodeId>,
    /// Elements whose whole content came out.
    emptied: HashSet<NodeId>,
    /// Content keys that were unwrapped, each once.
    pub(super) content_keys: Vec<(KeySource, ContentKey)>,
    /// Secrets that were unwrapped or found, each once.
    pub(super) secrets: Vec<(Base, Arc<ExchangeSecret>)>,
    /// Which DerivedKeyTokens were used.
    pub(super) derived_used: Vec<usize>,
    /// The user of the UsernameToken, once somebody was asked.
    pub(super) user: Option<UserFact>,
    /// The key of that user, where it is the secret of the message, until a signature was made with it.
    pub(super) user_key: Option<UserKey>,
}

/// A node whose octets were digested and fit.
pub(super) struct CoveredFact {
    /// Which signature, from 0.
    pub(super) signature: usize,
    pub(super) target: NodeId,
    /// The signature that the enveloped transform cut out.
    pub(super) removed: Option<NodeId>,
    /// The PrefixList that the canonical form was made with.
    pub(super) prefixes: Vec<String>,
    /// SecurityTokenReferences that tokens were digested in the place of: the references are not covered.
    pub(super) replaced: Vec<NodeId>,
    /// Tokens digested in their place: covered.
    pub(super) tokens: Vec<NodeId>,
}

/// A Reference whose digest was checked early and fits.
pub(super) struct StampFact {
    /// Which signature, from 0.
    pub(super) signature: usize,
    /// Which of its References, from 0.
    pub(super) reference: usize,
    pub(super) covered: Covered,
}

/// A piece of ciphertext that was replaced by plaintext.
pub(super) struct DecryptedFact {
    /// The EncryptedData.
    pub(super) data: NodeId,
    /// Its parent.
    pub(super) parent: NodeId,
    /// The elements that came out.
    pub(super) restored: Vec<NodeId>,
    /// Whether it is the whole content of its parent.
    pub(super) whole_content: bool,
    /// Whether the cipher has integrity of its own.
    pub(super) aead: bool,
}

/// Who made a signature.
pub(super) struct SignerFact {
    /// The Signature element.
    pub(super) element: NodeId,
    pub(super) key: SignerKey,
    pub(super) form: KeyRef,
    /// The token in the header that it was read from.
    pub(super) token: Option<NodeId>,
    /// The SecurityTokenReference in its KeyInfo.
    pub(super) reference: Option<NodeId>,
    /// The signature came out of ciphertext.
    pub(super) was_encrypted: bool,
}

/// Whose key made a signature.
pub(super) enum SignerKey {
    /// That of a trusted certificate.
    Certificate(Certificate),
    /// One derived from the password of the user who is named.
    User {
        /// The user's name.
        name: String,
        key: UserKey,
    },
    /// A secret that both sides share, or a key derived from it. Names nobody.
    Secret(SecretKey),
}

impl SignerFact {
    /// Whether both signatures were made with the same key.
    pub(super) fn is_same(&self, other: &SignerFact) -> bool {
        match (&self.key, &other.key) {
            (SignerKey::Certificate(a), SignerKey::Certificate(b)) => a.der() == b.der(),
            (SignerKey::User { name: a, .. }, SignerKey::User { name: b, .. }) => a == b,
            (SignerKey::Secret(a), SignerKey::Secret(b)) => a.base == b.base,
            _ => false,
        }
    }

    /// The signer's certificate, if it is one.
    pub(super) fn certificate(&self) -> Option<&Certificate> {
        match &self.key {
            SignerKey::Certificate(certificate) => Some(certificate),
            SignerKey::User { .. } | SignerKey::Secret(_) => None,
        }
    }
}

impl Facts {
    /// Notes what was decrypted.
    pub(super) fn decrypt(&mut self, fact: DecryptedFact) {
        self.restored.extend(fact.restored.iter().map(|node| (*node, fact.data)));
        if fact.whole_content {
            self.emptied.insert(fact.parent);
        }
        self.decrypted.push(fact);
    }

    /// The signature of lowest number that covers `node`, with the fact. Costs the References, of which the budget allows few, and the depth.
    pub(super) fn covering(&self, document: &Document, node: Element<'_>) -> Option<&CoveredFact> {
        self.covered.iter().find(|c| c.covers(document, node) || self.covers_cipher(c, node))
    }

    /// The signature of lowest number whose digest was made over `node` itself, and not over the ciphertext that it came out of.
    pub(super) fn covering_plaintext(&self, document: &Document, node: Element<'_>) -> Option<&CoveredFact> {
        self.covered.iter().find(|c| c.covers(document, node) && !self.covers_cipher(c, node))
    }

    /// Whether the ciphertext that `node` came out of is what was digested (a signature over ciphertext).
    fn covers_cipher(&self, fact: &CoveredFact, node: Element<'_>) -> bool {
        !self.restored.is_empty()
            && upwards(node).any(|e| self.restored.get(&e.id()).is_some_and(|data| *data == fact.target))
    }

    /// Whether `node` was encrypted: it came out of ciphertext, or all of its content did. Costs the depth of the node.
    pub(super) fn encrypted(&self, node: Element<'_>) -> bool {
        self.emptied.contains(&node.id()) || self.was_ciphertext(node)
    }

    /// Whether `node` itself came out of ciphertext, or stands in what did.
    pub(super) fn was_ciphertext(&self, node: Element<'_>) -> bool {
        !self.restored.is_empty() && upwards(node).any(|e| self.restored.contains_key(&e.id()))
    }
}

/// An element and those around it.
fn upwards(element: Element<'_>) -> impl Iterator<Item = Element<'_>> {
    std::iter::successors(Some(element), |e| e.parent())
}

impl CoveredFact {
    /// Whether `node` is the target or below it, and not below what was cut out or replaced. An element that holds a replaced reference is not
    /// covered either: what stands in the reference was never digested, and whoever reads the element would read it.
    fn covers(&self, document: &Document, node: Element<'_>) -> bool {
        if self.tokens.contains(&node.id()) {
            return true;
        }
        let cut = self.removed.iter().chain(&self.replaced).any(|hole| is_in(document, node, *hole));
        let holed = self
            .replaced
            .iter()
            .filter_map(|hole| document.element(*hole))
            .any(|hole| node.is_ancestor_of(hole));
        is_in(document, node, self.target) && !cut && !holed
    }
}

/// Whether `node` is `of` or below it.
pub(super) fn is_in(document: &Document, node: Element<'_>, of: NodeId) -> bool {
    node.id() == of || document.element(of).is_some_and(|e| e.is_ancestor_of(node))
}
