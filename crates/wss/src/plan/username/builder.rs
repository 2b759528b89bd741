//! Plans by hand whose sender is a user: a UsernameToken, signed with a key of its own or not, encrypted or not, and a Timestamp.
//!
//! The request carries the token and leaves the Body open, in so many words; the reply is open. Not here: UsernameTokens beside the
//! signature of a certificate, which is what policies are for. Called by tests, the scenarios with a name and library users.

use bartizan_crypto::alg::{AlgSet, CipherAlg, DigestAlg, MgfAlg, SignatureAlg, TransportAlg};
use bartizan_crypto::{OaepParams, OaepSet};
use bartizan_xml::c14n::C14nMethod;

use super::{
    Derive, Iterations, KeyRule, PasswordForm, Presence, SignedBy, Style, UsernameOut, UsernameRule,
};
use crate::error::Error;
use crate::part::{EncryptHow, EncryptPart, Need, Part, Require};
use crate::plan::{
    Breach, EncryptPlan, EncryptTo, HeaderRule, InPlan, KeyRef, KeyTransfer, Layout, OutPlan, Plan, PlanPair,
    Precision, Side, SignPlan, StampPlan, Step, Surplus, Targets, TimestampRule, TokenSent, TransportRule,
};

/// Builds the plans of both sides where a UsernameToken says who sends the request.
///
/// Defaults: password as text with Nonce and Created, Timestamp of five minutes, AES-128-GCM, RSA-OAEP and SHA-256 in our own manner.
#[derive(Clone, Debug)]
pub struct UsernameBuilder {
    password: PasswordForm,
    nonce: bool,
    created: bool,
    sign: Option<Derive>,
    parts: Vec<Part>,
    encrypt: Option<KeyRef>,
    cipher: CipherAlg,
    transport: (TransportAlg, DigestAlg),
    timestamp: Option<TimestampRule>,
    reply_timestamp: bool,
    precision: Precision,
    style: Style,
    iterations: Iterations,
    lenient: bool,
    over_tls: Option<TransportRule>,
}

impl Default for UsernameBuilder {
    fn default() -> Self {
        UsernameBuilder::new()
    }
}

impl UsernameBuilder {
    /// A token in clear and a Timestamp.
    #[must_use]
    pub fn new() -> UsernameBuilder {
        UsernameBuilder {
            password: PasswordForm::Text,
            nonce: true,
            created: true,
            sign: None,
            parts: vec![Part::UsernameToken],
            encrypt: None,
            cipher: CipherAlg::Aes128Gcm,
            transport: (TransportAlg::RsaOaep, DigestAlg::Sha256),
            timestamp: Some(TimestampRule::default()),
            reply_timestamp: false,
            precision: Precision::Milliseconds,
            style: Style::Clean,
            iterations: Iterations::default(),
            lenient: false,
            over_tls: None,
        }
    }

    /// As WSS4J 1.5 does it: its layout, AES-128-CBC, RSA 1.5, SHA-1. Both its key transports and all its ciphers are accepted, and that
    /// no signature covers the ciphertext.
    #[must_use]
    pub fn period(mut self) -> Self {
        self.style = Style::Wss4j15;
        self.cipher = CipherAlg::Aes128Cbc;
        self.transport = (TransportAlg::Rsa15, DigestAlg::Sha1);
        self.lenient = true;
        self
    }

    /// How the password is written, and which form is accepted.
    #[must_use]
    pub fn password(mut self, form: PasswordForm) -> Self {
        self.password = form;
        self
    }

    /// Whether the token carries a Nonce, and whether it carries Created. What it carries is demanded.
    #[must_use]
    pub fn elements(mut self, nonce: bool, created: bool) -> Self {
        (self.nonce, self.created) = (nonce, created);
        self
    }

    /// Signs the token with a key derived from its password.
    #[must_use]
    pub fn sign(mut self, key: Derive) -> Self {
        self.sign = Some(key);
        self
    }

    /// What the derived key signs, instead of the token alone.
    #[must_use]
    pub fn sign_parts(mut self, parts: Vec<Part>) -> Self {
        self.parts = parts;
        self
    }

    /// Encrypts the token to the peer, whose certificate is named in that way.
    #[must_use]
    pub fn encrypt(mut self, reference: KeyRef) -> Self {
        self.encrypt = Some(reference);
        self
    }

    /// The content cipher that is sent, and accepted besides those of the manner.
    #[must_use]
    pub fn cipher(mut self, cipher: CipherAlg) -> Self {
        self.cipher = cipher;
        self
    }

    /// The key transport that is sent, and accepted besides those of the manner.
    #[must_use]
    pub fn transport(mut self, method: TransportAlg, digest: DigestAlg) -> Self {
        self.transport = (method, digest);
        self
    }

    /// The rule for the Timestamp of the request; `None`: none is sent or demanded.
    #[must_use]
    pub fn timestamp(mut self, rule: Option<TimestampRule>) -> Self {
        self.timestamp = rule;
        self
    }

    /// Puts a Timestamp on the reply, too.
    #[must_use]
    pub fn reply_timestamp(mut self) -> Self {
        self.reply_timestamp = true;
        self
    }

    /// Leaves protection to TLS (TransportBinding): the messages go over nothing else, and Body and headers count as protected by it.
    #[must_use]
    pub fn over_tls(mut self, rule: TransportRule) -> Self {
        self.over_tls = Some(rule);
        self
    }

    /// How finely times are written.
    #[must_use]
    pub fn precision(mut self, precision: Precision) -> Self {
        self.precision = precision;
        self
    }

    /// Bounds of the iterations that are accepted.
    #[must_use]
    pub fn iterations(mut self, bounds: Iterations) -> Self {
        self.iterations = bounds;
        self
    }

    /// Builds both plans.
    ///
    /// # Errors
    /// Those of [`Plan::new`].
    pub fn build(self) -> Result<PlanPair, Error> {
        let reply = OutPlan {
            timestamp: self.stamp().filter(|_| self.reply_timestamp),
            style: self.style,
            over_tls: self.over_tls.is_some(),
            ..OutPlan::plain()
        };
        Ok(PlanPair {
            initiator: Plan::new(Side::Initiator, self.answer(), self.request())?,
            recipient: Plan::new(Side::Recipient, self.demands(), reply)?,
        })
    }

    /// What the sender demands of the reply: nothing, or that it comes over TLS. Its server is known by the connection.
    fn answer(&self) -> InPlan {
        let transport = self.over_tls.map(|_| TransportRule::default());
        let open_parts = if transport.is_some() { Vec::new() } else { vec![Part::Body] };
        InPlan { transport, open_parts, ..InPlan::open() }
    }

    fn stamp(&self) -> Option<StampPlan> {
        self.timestamp.map(|rule| StampPlan { ttl: rule.ttl, precision: self.precision })
    }

    fn is_period(&self) -> bool {
        self.style == Style::Wss4j15
    }

    fn digest(&self) -> DigestAlg {
        if self.is_period() { DigestAlg::Sha1 } else { DigestAlg::Sha256 }
    }

    fn mac(&self) -> SignatureAlg {
        if self.is_period() { SignatureAlg::HmacSha1 } else { SignatureAlg::HmacSha256 }
    }

    /// What the sender puts on a request.
    fn request(&self) -> OutPlan {
        let sign = self.sign.map(|_| SignPlan {
            parts: self.parts.clone(),
            method: self.mac(),
            digest: self.digest(),
            c14n: C14nMethod::Exclusive,
            by: SignedBy::UsernameToken,
            reference: KeyRef::Direct,
            token: TokenSent::No,
        });
        let (method, digest) = self.transport;
        let mgf = if method == TransportAlg::RsaOaep { MgfAlg::Mgf1Sha256 } else { MgfAlg::Mgf1Sha1 };
        let encrypt = self.encrypt.map(|reference| EncryptPlan {
            parts: vec![EncryptPart { part: Part::UsernameToken, how: EncryptHow::Element }],
            cipher: self.cipher,
            key: KeyTransfer::Transport { method, oaep: OaepParams::new(digest, mgf) },
            reference,
            to: EncryptTo::Peer,
        });
        OutPlan {
            sign,
            encrypt,
            timestamp: self.stamp(),
            username: Some(UsernameOut {
                password: self.password.clone(),
                nonce: self.nonce,
                created: self.created,
                derive: self.sign,
            }),
            style: self.style,
            steps: if self.is_period() { self.steps() } else { Vec::new() },
            over_tls: self.over_tls.is_some(),
            ..OutPlan::plain()
        }
    }

    /// In the order of the lists of actions that ask for such a request.
    fn steps(&self) -> Vec<Step> {
        let there = [
            (Step::Signature, self.sign.is_some()),
            (Step::UsernameToken, true),
            (Step::Encryption, self.encrypt.is_some()),
            (Step::Timestamp, self.timestamp.is_some()),
        ];
        there.into_iter().filter(|(_, there)| *there).map(|(step, _)| step).collect()
    }

    /// What the receiver demands of a request.
    fn demands(&self) -> InPlan {
        let (algorithms, oaep) = self.accepted();
        let need = |wanted: bool| if wanted { Need::Must } else { Need::No };
        let signed = self.sign.is_some();
        let mut required: Vec<Require> = Vec::new();
        if signed || self.encrypt.is_some() {
            let token = signed && self.parts.contains(&Part::UsernameToken);
            required.push(Require {
                part: Part::UsernameToken,
                signed: need(token),
                encrypted: need(self.encrypt.is_some()),
                how: EncryptHow::Content,
            });
        }
        let others = self.parts.iter().filter(|p| signed && **p != Part::UsernameToken);
        required.extend(others.map(|p| Require {
            part: p.clone(),
            signed: Need::Must,
            encrypted: Need::No,
            how: EncryptHow::Content,
        }));
        let body_signed = required.iter().any(|r| r.part == Part::Body);
        InPlan {
            algorithms,
            oaep,
            required,
            open_parts: if body_signed || self.over_tls.is_some() { Vec::new() } else { vec![Part::Body] },
            transport: self.over_tls,
            username: Some(self.rule()),
            signed_by: if signed { SignedBy::UsernameToken } else { SignedBy::X509 },
            lone_cipher: if self.is_period() { Breach::Warn } else { Breach::Refuse },
            timestamp: self.timestamp,
            header: HeaderRule { layout: Layout::Lax, targets: Targets::Whole, ..HeaderRule::default() },
            surplus: Surplus::Refuse,
            open: self.password == PasswordForm::Absent && !signed,
            ..InPlan::open()
        }
    }

    fn rule(&self) -> UsernameRule {
        let wants = |sent: bool| if sent { Presence::Must } else { Presence::May };
        let keys = self.sign.map(|derive| match derive {
            Derive::Wse { length } => KeyRule { wse: Some(length), profile: None },
            Derive::Profile { .. } => KeyRule { wse: None, profile: Some(self.iterations) },
        });
        // A token with a Salt has no password; the signature proves that its sender knows it.
        let by_key = matches!(self.sign, Some(Derive::Profile { .. }));
        UsernameRule {
            passwords: if by_key { Vec::new() } else { vec![self.password.clone()] },
            nonce: wants(self.nonce),
            created: wants(self.created),
            lenient: self.lenient,
            keys,
            ..UsernameRule::default()
        }
    }

    fn accepted(&self) -> (AlgSet, OaepSet) {
        let mut algorithms = AlgSet::empty();
        if self.sign.is_some() {
            algorithms.insert(self.mac());
            algorithms.insert(self.digest());
        }
        let mut oaep = OaepSet::EMPTY;
        if self.encrypt.is_some() {
            let (method, digest) = self.transport;
            algorithms.insert(self.cipher);
            algorithms.insert(method);
            if method != TransportAlg::Rsa15 {
                algorithms.insert(digest);
                oaep = oaep.union(OaepSet::of(method));
            }
            if self.is_period() {
                let ciphers = [
                    CipherAlg::Aes128Cbc,
                    CipherAlg::Aes192Cbc,
                    CipherAlg::Aes256Cbc,
                    CipherAlg::TripleDesCbc,
                ];
                ciphers.into_iter().for_each(|cipher| algorithms.insert(cipher));
                [TransportAlg::Rsa15, TransportAlg::RsaOaepMgf1p]
                    .into_iter()
                    .for_each(|t| algorithms.insert(t));
                algorithms.insert(DigestAlg::Sha1);
                algorithms.insert(MgfAlg::Mgf1Sha1);
                oaep.insert(TransportAlg::RsaOaepMgf1p, DigestAlg::Sha1, MgfAlg::Mgf1Sha1);
            } else {
                algorithms.insert(MgfAlg::Mgf1Sha256);
            }
        }
        (algorithms, oaep)
    }
}
