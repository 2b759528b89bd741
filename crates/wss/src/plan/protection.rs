//! What the builders of all bindings have in common: which parts are signed and encrypted, the Timestamp, the layout, and the rules that follow.
//!
//! Whose keys do it is for each builder to say. Not here: the public builders (`builder`, `symmetric::builder`), which get their setters from
//! `setters!`.

use bartizan_crypto::OaepSet;
use bartizan_crypto::alg::{AlgSet, TransportAlg};
use bartizan_crypto::suite::{SignatureReading, Suite};

use super::{
    ConfirmationRule, HeaderRule, InPlan, Layout, OutPlan, Protect, ProtectionOrder, Side, StampPlan,
    Surplus, Targets, TimestampRule, TokenRule, UsernameRule,
};
use crate::part::{EncryptHow, EncryptPart, Need, Part, Require};

/// What is protected, and how a header looks.
#[derive(Clone, Debug)]
pub(super) struct Protection {
    pub(super) suite: &'static Suite,
    pub(super) sign: Vec<(Part, Need)>,
    pub(super) encrypt: Vec<(EncryptPart, Need)>,
    pub(super) timestamp: Option<TimestampRule>,
    pub(super) confirmation: bool,
    pub(super) order: ProtectionOrder,
    pub(super) header: HeaderRule,
    pub(super) min_rsa: u32,
    pub(super) protect: Protect,
    pub(super) also: AlgSet,
}

impl Protection {
    pub(super) fn new(suite: &'static Suite) -> Protection {
        Protection {
            suite,
            sign: Vec::new(),
            encrypt: Vec::new(),
            timestamp: None,
            confirmation: false,
            order: ProtectionOrder::SignBeforeEncrypt,
            header: HeaderRule { layout: Layout::Strict, targets: Targets::Whole, ..HeaderRule::default() },
            min_rsa: 0,
            protect: Protect::No,
            also: AlgSet::empty(),
        }
    }

    pub(super) fn sign(&mut self, part: Part) {
        let optional = matches!(part, Part::Header { .. } | Part::Headers);
        self.sign.push((part, if optional { Need::IfPresent } else { Need::Must }));
    }

    pub(super) fn encrypt(&mut self, part: Part) {
        let how = if part == Part::Body { EncryptHow::Content } else { EncryptHow::Element };
        let need = if matches!(part, Part::Header { .. }) { Need::IfPresent } else { Need::Must };
        self.encrypt.push((EncryptPart { part, how }, need));
    }

    fn confirms(&self, side: Side) -> bool {
        self.confirmation && side == Side::Recipient
    }

    /// What `side` demands of what comes in. `rule` is for the UsernameToken of that message, which is signed and encrypted; `open` says that
    /// nobody needs to be proved.
    pub(super) fn demands(
        &self,
        side: Side,
        reading: SignatureReading,
        rule: Option<&UsernameRule>,
        open: bool,
    ) -> InPlan {
        let mut algorithms = self.suite.algorithms(reading);
        self.also.iter().for_each(|a| algorithms.insert(a));
        // Of what is accepted beyond the suite the transport is named and nothing else.
        let further = TransportAlg::ALL.iter().filter(|alg| self.also.permits(**alg));
        let oaep = further.fold(self.suite.oaep(), |set, alg| set.union(OaepSet::of(*alg)));
        let required = self.required(rule.is_some());
        let body_covered = required.iter().any(|r| r.part == Part::Body && r.signed != Need::No);
        InPlan {
            algorithms,
            oaep,
            required,
            open_parts: if open && !body_covered { vec![Part::Body] } else { Vec::new() },
            username: rule.cloned(),
            lone_cipher: super::Breach::Refuse,
            timestamp: self.timestamp,
            confirmation: match side {
                Side::Initiator if self.confirmation => ConfirmationRule::Demand,
                _ => ConfirmationRule::Ignore,
            },
            token: TokenRule { min_rsa: self.min_rsa, protect: self.protect, ..TokenRule::default() },
            order: self.order,
            header: self.header,
            surplus: Surplus::Refuse,
            open,
            ..InPlan::open()
        }
    }

    /// What is demanded of which part.
    fn required(&self, named: bool) -> Vec<Require> {
        let mut required: Vec<Require> = Vec::new();
        let signed = self.sign.iter().cloned().map(|(p, n)| (p, n, Need::No));
        let stamp = self.timestamp.iter().filter(|_| !self.sign.is_empty());
        let stamped = stamp.map(|_| (Part::Timestamp, Need::Must, Need::No));
        let encrypted = self.encrypt.iter().map(|(p, n)| (p.part.clone(), Need::No, *n));
        let named = named.then_some((Part::UsernameToken, Need::Must, Need::Must));
        for (part, signed, encrypted) in signed.chain(stamped).chain(encrypted).chain(named) {
            match required.iter_mut().find(|r| r.part == part) {
                Some(r) if encrypted == Need::No => r.signed = signed,
                Some(r) => r.encrypted = encrypted,
                None => required.push(Require { part, signed, encrypted, how: EncryptHow::Content }),
            }
        }
        let whole = |p: &EncryptPart| p.how == EncryptHow::Element && matches!(p.part, Part::Element { .. });
        for (part, _) in self.encrypt.iter().filter(|(p, _)| whole(p)) {
            required.iter_mut().filter(|r| r.part == part.part).for_each(|r| r.how = EncryptHow::Element);
        }
        required
    }

    /// What `side` signs; `None`: nothing. `token`: what its key stands in is sent; `named`: it sends a UsernameToken.
    pub(super) fn signed(&self, side: Side, token: bool, named: bool) -> Option<Vec<Part>> {
        if self.sign.is_empty() {
            return None;
        }
        let more = [
            (Part::Timestamp, self.timestamp.is_some()),
            (Part::Token, self.protect == Protect::Token && token),
            (Part::SignatureConfirmation, self.confirms(side)),
            (Part::UsernameToken, named),
        ];
        let parts = self.sign.iter().map(|(p, _)| p.clone());
        Some(parts.chain(more.into_iter().filter(|(_, wanted)| *wanted).map(|(part, _)| part)).collect())
    }

    /// What `side` encrypts; `None`: nothing. `named`: it sends a UsernameToken.
    pub(super) fn sealed(&self, side: Side, named: bool) -> Option<Vec<EncryptPart>> {
        let whole = |part| EncryptPart { part, how: EncryptHow::Element };
        let mut sealed: Vec<EncryptPart> = self.encrypt.iter().map(|(p, _)| p.clone()).collect();
        // A hidden signature is not to be shown by its confirmation (SMS 1.1 §8.5).
        let hides = sealed.iter().any(|p| p.part == Part::Signature);
        sealed.extend((self.confirms(side) && hides).then(|| whole(Part::SignatureConfirmation)));
        sealed.extend(named.then(|| whole(Part::UsernameToken)));
        if sealed.is_empty() { None } else { Some(sealed) }
    }

    /// What `side` puts on what goes out besides signature and encryption.
    pub(super) fn added(&self, side: Side) -> OutPlan {
        OutPlan {
            timestamp: self.timestamp.map(|t| StampPlan::lasting(t.ttl)),
            confirmation: self.confirms(side),
            order: self.order,
            layout: self.header.layout,
            ..OutPlan::plain()
        }
    }
}

/// The setters of a builder that holds a [`Protection`] in its field `protection`.
macro_rules! setters {
    () => {
        /// Signs a part; a header block only if it is there.
        #[must_use]
        pub fn sign(mut self, part: Part) -> Self {
            self.protection.sign(part);
            self
        }

        /// Encrypts a part: the Body's content, a header block, the signature; an element by path as a whole.
        #[must_use]
        pub fn encrypt(mut self, part: Part) -> Self {
            self.protection.encrypt(part);
            self
        }

        /// Sends, demands and signs a Timestamp.
        #[must_use]
        pub fn timestamp(mut self, rule: TimestampRule) -> Self {
            self.protection.timestamp = Some(rule);
            self
        }

        /// Demands and sends SignatureConfirmation.
        #[must_use]
        pub fn confirmation(mut self) -> Self {
            self.protection.confirmation = true;
            self
        }

        /// Sets the order of protection.
        #[must_use]
        pub fn order(mut self, order: ProtectionOrder) -> Self {
            self.protection.order = order;
            self
        }

        /// Sets the header's rules.
        #[must_use]
        pub fn header(mut self, header: HeaderRule) -> Self {
            self.protection.header = header;
            self
        }

        /// Smallest RSA key accepted, in bits.
        #[must_use]
        pub fn min_rsa(mut self, bits: u32) -> Self {
            self.protection.min_rsa = bits;
            self
        }

        /// Demands and makes the token signed that the signing key stands in, where it is in the message: a certificate, an EncryptedKey.
        #[must_use]
        pub fn protect_tokens(mut self) -> Self {
            self.protection.protect = Protect::Token;
            self
        }

        /// Accepts further algorithms beyond the suite's.
        #[must_use]
        pub fn also_accept(mut self, algorithms: AlgSet) -> Self {
            algorithms.iter().for_each(|a| self.protection.also.insert(a));
            self
        }
    };
}
pub(super) use setters;
