//! Which ciphertext is opened, where it may stand, and with which key: everything that can be refused by looking, before a key is used.
//!
//! Refused are lists that name nothing or something twice, ciphertext at a place that the plan has none for, keys that nothing uses. Not here:
//! the decryption (`decrypt`).

use bartizan_xml::names::{wsse11, xenc};
use bartizan_xml::{Document, Element, NodeId};
use bartizan_xmlsec::EncryptedData;
use bartizan_xmlsec::encryption::DataKind;

use super::Work;
use super::derived::{Base, Scope, SecretRef};
use super::facts::is_in;
use super::map::{self, Area};
use super::reference::{self, Named};
use super::shape::{ChildKind, Header};
use crate::error::{Hint, Reject};
use crate::part::{Need, Part};
use crate::plan::{InPlan, SecretFrom, Surplus};
use crate::reason::Reason;

/// A piece of ciphertext that a list names.
pub(super) struct Target {
    pub(super) data: EncryptedData,
    /// Its parent.
    pub(super) parent: NodeId,
    pub(super) place: Place,
    pub(super) key: KeySource,
    pub(super) opened: bool,
}

/// Where ciphertext stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// Child of the Body.
    Body,
    /// Child of our Security header.
    Security,
    /// A header block, or the content of an EncryptedHeader.
    Header,
    /// Anywhere else.
    Deep,
}

/// Which key opens it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum KeySource {
    /// The n-th EncryptedKey of the header.
    Header(usize),
    /// The one inside its own KeyInfo.
    Embedded,
    /// The one derived from the UsernameToken.
    User,
    /// A secret that both sides share, or a key derived from it.
    Secret(SecretRef),
}

impl Header {
    /// Resolves every DataReference, and judges each place and key, before any private-key operation.
    pub(super) fn find_targets(&mut self, work: &mut Work<'_>) -> Result<(), Reject> {
        let permit = work.plan.permit();
        let scope = work.scope();
        let Work { envelope, budget, plan, .. } = work;
        let document = envelope.document();
        // Under a shared secret a message has one key, that of its signature: what stands under another was made by somebody else.
        if let (true, Some(second)) = (plan.secret.is_some(), self.keys.get(1)) {
            return Err(Reject::at_node(Reason::EncryptionUnexpected, document, Some(second.element)));
        }
        let of_keys = self
            .keys
            .iter()
            .enumerate()
            .filter_map(|(i, k)| Some((Some(i), k.element, k.references.as_ref()?)));
        let alone = self.lists.iter().map(|(node, list)| (None, *node, list));
        let mut used = vec![false; self.keys.len()];
        let mut targets: Vec<Target> = Vec::new();
        for (owner, node, list) in of_keys.chain(alone) {
            let at = |reason| Reject::at_node(reason, document, Some(node));
            if !list.keys.is_empty() {
                return Err(at(Reason::EncryptionReference));
            }
            for id in &list.data {
                let found = document.by_id(id).map_err(|e| map::xml(e, Reason::EncryptionReference))?;
                let element = found
                    .filter(|e| e.is(xenc::ENCRYPTED_DATA))
                    .ok_or_else(|| at(Reason::EncryptionReference))?;
                if targets.iter().any(|t| t.data.element == element.id() || nested(document, t, element)) {
                    return Err(at(Reason::EncryptionReference));
                }
                let place = self.place(element, envelope.body_id(), envelope.header_id());
                judge(plan, place, element)?;
                let data = EncryptedData::read(element, &permit, budget);
                let data = data.map_err(|e| map::xmlsec(e, Area::Encryption, document).placed(element))?;
                check_kind(&data, place, element)?;
                let key = self.key_source(&data, owner, document, scope)?;
                if let KeySource::Header(index) | KeySource::Secret(SecretRef::Whole(Base::Key(index))) = key
                {
                    used.iter_mut().skip(index).take(1).for_each(|u| *u = true);
                }
                let Some(parent) = element.parent() else { return Err(at(Reason::EncryptionReference)) };
                targets.push(Target { data, parent: parent.id(), place, key, opened: false });
            }
        }
        let unused = |index: usize| !self.is_secret_used(scope, document, index);
        let mut idle = self.keys.iter().enumerate().zip(&used).filter(|(_, used)| !**used);
        if let Some(((_, key), _)) = idle.find(|((index, _), _)| unused(*index)) {
            return Err(Reject::at_node(Reason::EncryptionUnusedKey, document, Some(key.element)));
        }
        self.check_listed(&targets, document)?;
        self.targets = targets;
        Ok(())
    }

    /// Ciphertext in the header that no list names is a decoy.
    fn check_listed(&self, targets: &[Target], document: &Document) -> Result<(), Reject> {
        let mut loose = self.children.iter().filter(|c| c.kind == ChildKind::EncryptedData);
        match loose.find(|c| targets.iter().all(|t| t.data.element != c.node)) {
            Some(child) => Err(Reject::at_node(Reason::EncryptionReference, document, Some(child.node))),
            None => Ok(()),
        }
    }

    fn place(&self, element: Element<'_>, body: NodeId, header: Option<NodeId>) -> Place {
        let Some(parent) = element.parent() else { return Place::Deep };
        let above = parent.parent().map(|p| p.id());
        match parent.id() {
            id if id == body => Place::Body,
            id if Some(id) == self.security => Place::Security,
            id if Some(id) == header => Place::Header,
            _ if parent.is(wsse11::ENCRYPTED_HEADER) && above == header => Place::Header,
            _ => Place::Deep,
        }
    }

    /// Which key opens `data`: the one whose list names it, unless its own KeyInfo says otherwise, which is refused.
    fn key_source(
        &self,
        data: &EncryptedData,
        owner: Option<usize>,
        document: &Document,
        scope: Scope<'_>,
    ) -> Result<KeySource, Reject> {
        let plan = scope.plan;
        let at_token = |reason| Reject::at_node(reason, document, Some(data.element));
        let refuse = || Reject::at_node(Reason::EncryptionReference, document, Some(data.element));
        let stated = match &data.key_info {
            None => None,
            // The key alone: of two in one place, one would be there for nothing, and nobody could say which.
            Some(info) if info.encrypted_key().is_some() && info.items.len() == 1 => {
                // Beside a shared secret everything is under that: another key would be somebody else's.
                if plan.secret.is_some() {
                    return Err(refuse());
                }
                Some(KeySource::Embedded)
            }
            Some(info) => match reference::read(info, document, &self.tokens)? {
                named
                    if plan.secret.is_some_and(|rule| {
                        rule.from == SecretFrom::User || !matches!(named, Named::User(_))
                    }) =>
                {
                    Some(KeySource::Secret(self.secret_of(data, &named, document, scope)?))
                }
                Named::EncryptedKey(id) => {
                    let index =
                        self.keys.iter().position(|k| k.id.as_deref() == Some(&*id)).ok_or_else(refuse)?;
                    Some(KeySource::Header(index))
                }
                Named::User(node) => {
                    let token = self.username.as_ref().filter(|t| t.node == node).ok_or_else(refuse)?;
                    let derives = plan.username.as_ref().is_some_and(|rule| rule.keys.is_some());
                    // The profile gives 160 bits; a cipher that needs more has no key here (UsernameToken Profile 1.1 §4).
                    if !derives || data.method.key_len() > token.key_len(plan) {
                        return Err(at_token(Reason::UsernameDerivedKey));
                    }
                    Some(KeySource::User)
                }
                Named::Name(name) => {
                    return Err(at_token(Reason::EncryptionNoKey).hinting(Hint::KeyName(name)));
                }
                _ => return Err(at_token(Reason::EncryptionNoKey)),
            },
        };
        let secret = |index| KeySource::Secret(SecretRef::Whole(Base::Key(index)));
        let owned = if plan.secret.is_some() { secret } else { KeySource::Header };
        match (owner.map(owned), stated) {
            (Some(a), Some(b)) if a != b => Err(refuse()),
            // A list inside of a secret's own EncryptedKey, without a word in the data: nothing says that it may be used as it is.
            (Some(KeySource::Secret(_)), None) => Err(refuse()),
            (Some(a), _) => Ok(a),
            (None, Some(b)) => Ok(b),
            (None, None) => Err(refuse()),
        }
    }
}

impl Header {
    /// The shared secret that opens `data`, of the length that its cipher needs.
    fn secret_of(
        &self,
        data: &EncryptedData,
        named: &Named,
        document: &Document,
        scope: Scope<'_>,
    ) -> Result<SecretRef, Reject> {
        let at = |reason| Reject::at_node(reason, document, Some(data.element));
        let secret = self.secret_ref(scope, named)?.ok_or_else(|| at(Reason::EncryptionNoKey))?;
        if self.gives_key(scope, secret, data.method.key_len()) {
            Ok(secret)
        } else {
            Err(at(Reason::TokenDerivedKey))
        }
    }
}

fn nested(document: &Document, target: &Target, element: Element<'_>) -> bool {
    is_in(document, element, target.data.element)
        || document.element(target.data.element).is_some_and(|e| element.is_ancestor_of(e))
}

/// Whether the plan has encrypted data at this place.
fn judge(plan: &InPlan, place: Place, element: Element<'_>) -> Result<(), Reject> {
    if plan.surplus == Surplus::Allow {
        return Ok(());
    }
    let wants = |wanted: &dyn Fn(&Part) -> bool| {
        plan.required.iter().any(|r| r.encrypted != Need::No && wanted(&r.part))
    };
    let deep = wants(&|p| matches!(p, Part::Element { .. }));
    let fits = match place {
        Place::Body => wants(&|p| *p == Part::Body) || deep,
        Place::Security => {
            plan.takes_encrypted_token()
                || plan.hides_endorser()
                || wants(&|p| matches!(p, Part::Signature | Part::SignatureConfirmation))
        }
        Place::Header => wants(&|p| matches!(p, Part::Header { .. })),
        Place::Deep => deep,
    };
    if fits { Ok(()) } else { Err(Reject::at(Reason::EncryptionUnexpected, element)) }
}

/// Content stands for content and an element for an element; nothing else is an XML plaintext.
fn check_kind(data: &EncryptedData, place: Place, element: Element<'_>) -> Result<(), Reject> {
    let plain = data.mime_type.is_none() && data.encoding.is_none();
    let fits = match (&data.kind, place) {
        (DataKind::Element, _) => true,
        (DataKind::Content, Place::Body | Place::Deep) => true,
        (DataKind::Content, Place::Header | Place::Security) | (DataKind::Octets | DataKind::Other(_), _) => {
            false
        }
    };
    if fits && plain { Ok(()) } else { Err(Reject::at(Reason::EncryptionMalformed, element)) }
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Target({:?}, {:?})", self.place, self.key)
    }
}
