//! One direction of an exchange: what its receiver demands and what its sender puts on.

use bartizan_crypto::OaepParams;
use bartizan_crypto::alg::{AlgSet, CipherAlg};
use bartizan_crypto::suite::Delivery;
use bartizan_wss::part::{EncryptHow, EncryptPart, Need, Part, Require};
use bartizan_wss::plan::Breach;
use bartizan_wss::plan::{
    ConfirmationRule, EncryptPlan, EncryptTo, HeaderRule, InPlan, Inclusion, KeyTransfer, OutPlan,
    PasswordForm, Protect, ProtectionOrder, SignPlan, SignedBy, StampPlan, Style, Surplus, Targets,
    TokenRule, TokenSent,
};
use bartizan_xml::c14n::C14nMethod;

use super::binding::Binding;
use super::chosen::{Chosen, choose};
use super::demand::{covers, demand, demand_how};
use super::parts::{self, Parts};
use super::supporting::{self, Supporting, UserToken};
use super::symmetric;
use super::token::{Supported, Token};
pub(crate) use super::way::{Asked, Way};
use super::{Findings, Open, Options, Profile, References, endorse, transport};
use crate::assertion::Kind;
use crate::error::{Diagnostic, Position, Problem};
use crate::model::Alternative;

/// Compiles one alternative for one direction; `None` if its binding is not built or not readable. What is missing in a
/// binding that is built is in the findings.
pub(super) fn compile(
    alternative: &Alternative,
    way: Way,
    asked: Asked,
    options: &Options,
    findings: &mut Findings,
) -> Option<(InPlan, OutPlan)> {
    let supporting = Supporting::read(alternative, findings);
    let user = supporting.user.clone();
    let parts = parts::read(alternative, findings);
    let plain = |user: &&UserToken| !user.signed && !user.encrypted && !supporting.endorses();
    let bare = user.as_ref().filter(plain).filter(|_| parts.are_none());
    let binding = match (choose(alternative, bare.is_some(), options, findings)?, bare) {
        (Chosen::Bare, Some(user)) => {
            return Some(super::bare::compile(alternative, user, way, options, findings));
        }
        (Chosen::Bare, None) => return None,
        (Chosen::Transport(binding), _) => {
            let supported = Supported::read(alternative);
            return transport::compile(binding, &supporting, &supported, &parts, way, options, findings);
        }
        (Chosen::Binding(binding), _) => binding,
    };
    let mut typed = Binding::read(binding, options, findings)?;
    typed.timestamp |= alternative.find(Kind::IncludeTimestamp).is_some();
    let named = user.is_some() || supporting.endorses();
    let flow = Flow {
        way,
        asked,
        options,
        supported: Supported::read(alternative),
        confirmation: confirmation(alternative),
        parts,
        at: binding.position,
        binding: typed,
        user: user.filter(|_| way == Way::Request),
        supporting: if way == Way::Request { supporting } else { Supporting::default() },
    };
    flow.judge(findings);
    let (mut inbound, mut outbound) = (flow.inbound(), flow.outbound(findings));
    if let (Some(secret), Some(token)) = (&flow.binding.secret, flow.reader().or(flow.signer())) {
        let suite = &flow.binding.algorithms.suite;
        symmetric::judge(
            secret,
            flow.user.as_ref(),
            suite,
            (outbound.encrypt.is_some(), binding.position),
            findings,
        );
        let reference = token.external(&flow.supported);
        if symmetric::put(secret, suite, reference, way, &mut inbound, &mut outbound).is_none() {
            findings.not_built("a symmetric binding without key transport", binding.position);
        }
        let asked = (named && secret.user.is_none())
            || !flow.parts.signed.is_empty()
            || !flow.parts.encrypted.is_empty()
            || flow.timestamp_signed();
        if way == Way::Reply && outbound.secret.is_some() && !asked {
            findings.not_built("a reply under a secret that no request carries", binding.position);
        }
        let unsigned = flow.uses_cbc() && flow.has_unsigned_ciphertext();
        inbound.lone_cipher = if inbound.open && unsigned { Breach::Warn } else { Breach::Refuse };
    }
    if !endorse::judge(&flow.supporting, &flow.binding, &inbound.required, findings) {
        // A plan that is not to be used, since something of it is missing.
        inbound.open = true;
    } else if outbound.sign.is_some() {
        endorse::put(&flow.supporting, &flow.around(), &mut inbound, &mut outbound);
    }
    Some((inbound, outbound))
}

fn confirmation(alternative: &Alternative) -> bool {
    alternative.all(Kind::Wss11).any(|wss| wss.child(Kind::RequireSignatureConfirmation).is_some())
}

struct Flow<'a> {
    way: Way,
    asked: Asked,
    options: &'a Options,
    binding: Binding,
    parts: Parts,
    supported: Supported,
    confirmation: bool,
    /// The UsernameToken of a request.
    user: Option<UserToken>,
    /// The supporting tokens of a request.
    supporting: Supporting,
    at: Position,
}

impl Flow<'_> {
    fn signer(&self) -> Option<&Token> {
        match self.way {
            Way::Request => self.binding.initiator_signature.as_ref(),
            Way::Reply => self.binding.recipient_signature.as_ref(),
        }
    }

    fn reader(&self) -> Option<&Token> {
        match self.way {
            Way::Request => self.binding.recipient_encryption.as_ref(),
            Way::Reply => self.binding.initiator_encryption.as_ref(),
        }
    }

    /// Whether the Timestamp must be signed; Rampart/C's samples leave it bare.
    fn timestamp_signed(&self) -> bool {
        self.binding.timestamp && self.options.profile == Profile::Standard
    }

    fn signs_body(&self) -> bool {
        self.parts.signed.contains(&Part::Body)
    }

    /// Whether elements inside of parts are signed. A policy that forbids just that and names some means them, as the
    /// stacks that wrote such policies do.
    fn signs_elements(&self) -> bool {
        self.parts.signed.iter().any(|part| matches!(part, Part::Element { .. }))
    }

    fn confirms(&self) -> bool {
        self.confirmation && self.way == Way::Reply
    }

    /// Everything that is signed: the message's parts first, then the Security header's.
    fn signed(&self) -> Vec<Part> {
        let mut signed = self.parts.signed.clone();
        let user = self.user.as_ref().is_some_and(|user| user.signed);
        let something = !signed.is_empty() || self.timestamp_signed() || self.confirms() || user;
        if self.timestamp_signed() {
            signed.push(Part::Timestamp);
        }
        if user {
            signed.push(Part::UsernameToken);
        }
        if self.binding.protect_tokens && something {
            signed.push(Part::Token);
        }
        if self.confirms() {
            signed.push(Part::SignatureConfirmation);
        }
        signed
    }

    /// Whether anything is demanded that proves who sent the message.
    fn authenticates(&self) -> bool {
        let user = self.user.as_ref().is_some_and(|user| user.rule.authenticates() && !user.endorses);
        // A secret that anybody can send says nothing of who did; the reply's, only the recipient of the request has.
        let known = self.binding.secret.as_ref().is_none_or(|secret| secret.user.is_some());
        let named = known || self.way == Way::Reply;
        // A token that nothing ties to the message could be anybody's.
        let tied = named || self.user.as_ref().is_some_and(|user| user.signed);
        let endorsed = self.supporting.endorses();
        ((named || endorsed) && (self.signs_body() || self.timestamp_signed())) || (user && tied)
    }

    /// Whether the UsernameToken is written encrypted: where that is demanded, and a password in clear wherever something is
    /// encrypted and a change would show.
    fn encrypts_user(&self) -> bool {
        self.user.as_ref().is_some_and(|user| {
            let shown = user.signed || !self.uses_cbc();
            let clear = user.out.password == PasswordForm::Text;
            user.encrypted || (clear && shown && !self.parts.encrypted.is_empty())
        })
    }

    fn around(&self) -> endorse::Around<'_> {
        endorse::Around {
            algorithms: &self.binding.algorithms,
            supported: &self.supported,
            options: self.options,
            protect: self.binding.protect_tokens,
        }
    }

    fn hides_confirmation(&self) -> bool {
        self.confirms() && self.asked == Asked::Hidden
    }

    fn encrypts_signature(&self) -> bool {
        self.binding.encrypt_signature && !self.signed().is_empty()
    }

    fn uses_cbc(&self) -> bool {
        matches!(
            self.binding.algorithms.suite.cipher,
            CipherAlg::TripleDesCbc | CipherAlg::Aes128Cbc | CipherAlg::Aes192Cbc | CipherAlg::Aes256Cbc
        )
    }

    /// What the configuration has to know or to allow.
    fn judge(&self, findings: &mut Findings) {
        let side = self.way.name();
        if self.options.open == Open::Refused && !self.authenticates() {
            findings.say(Problem::NothingDemanded { side }, self.at);
        }
        if self.options.open == Open::Refused && self.uses_cbc() && self.has_unsigned_ciphertext() {
            findings.say(Problem::UnsignedCbc { side }, self.at);
        }
        if self.encrypts_signature() || self.supporting.is_hidden() {
            findings.say(Problem::DecryptsFirst, self.at);
        }
        if self.protects_inside() {
            let (name, other) = (Kind::ProtectTokens.name(), Kind::RequireEmbeddedTokenReference.name());
            findings.say(Problem::Contradiction { name, other }, self.at);
        }
        if self.signs_ciphertext_by_path() {
            // When the signature is made, the element is in no tree.
            let (name, other) = (Kind::SignedElements.name(), Kind::EncryptBeforeSigning.name());
            findings.say(Problem::Contradiction { name, other }, self.at);
        }
        if self.binding.whole && self.signs_elements() {
            let (name, other) = (Kind::SignedElements.name(), Kind::OnlySignEntireHeadersAndBody.name());
            findings.add(Diagnostic::new(Problem::Contradiction { name, other }, Some(self.at)).as_warning());
        }
    }

    /// Whether an element is to be signed by path that is ciphertext when the signature is made, and no signed Body covers that.
    fn signs_ciphertext_by_path(&self) -> bool {
        let encrypted = |part: &Part| self.parts.encrypted.iter().any(|encrypted| encrypted.part == *part);
        let hidden = |part: &&Part| encrypted(&Part::Body) || encrypted(part);
        let mut elements = self.parts.signed.iter().filter(|part| matches!(part, Part::Element { .. }));
        let first = self.binding.order == ProtectionOrder::EncryptBeforeSign;
        first && !self.signs_body() && elements.any(|part| hidden(&part))
    }

    /// Whether the signing token is to be signed and stands in the signature's own KeyInfo, where none of our references reaches it.
    fn protects_inside(&self) -> bool {
        let inside = |token: &Token| {
            let (reference, sent) = token.signing(self.way, &self.supported);
            sent == TokenSent::No && reference.in_message()
        };
        let signs = self.binding.protect_tokens && self.binding.secret.is_none() && !self.signed().is_empty();
        signs && self.signer().is_some_and(inside)
    }

    fn has_unsigned_ciphertext(&self) -> bool {
        let user = self.user.as_ref().is_some_and(|user| user.encrypted && !user.signed);
        let mut encrypted = self.parts.encrypted.iter();
        user || encrypted.any(|one| !self.parts.signed.iter().any(|part| covers(part, &one.part)))
    }

    fn inbound(&self) -> InPlan {
        let open_said = self.options.open == Open::Said;
        let token = self.signer();
        let strict = self.options.references == References::Strict;
        let (inclusion, reference) = match token {
            Some(token) if strict => {
                let inclusion = if token.included(self.way) { Inclusion::Must } else { Inclusion::Any };
                (inclusion, token.accepted(self.way, &self.supported))
            }
            Some(_) | None => (Inclusion::Any, Vec::new()),
        };
        // Said, and needed: a plan that demands something is not open for having been told that it may be.
        let open =
            open_said && (!self.authenticates() || (self.uses_cbc() && self.has_unsigned_ciphertext()));
        InPlan {
            algorithms: self.accepted(),
            oaep: self.binding.algorithms.suite.oaep(),
            required: self.required(),
            open_parts: if open_said && !self.signs_body() { vec![Part::Body] } else { Vec::new() },
            username: self.user.as_ref().map(|user| user.rule.clone()),
            signed_by: SignedBy::X509,
            endorse: Vec::new(),
            secret: None,
            transport: None,
            lone_cipher: if open { Breach::Warn } else { Breach::Refuse },
            timestamp: self.binding.timestamp.then_some(self.options.timestamp),
            confirmation: if self.confirms() {
                self.options.confirmation_rule()
            } else {
                ConfirmationRule::Ignore
            },
            token: TokenRule {
                inclusion,
                reference,
                min_rsa: 0,
                protect: if self.binding.protect_tokens { Protect::Token } else { Protect::No },
            },
            order: self.binding.order,
            header: HeaderRule {
                layout: self.binding.layout,
                breach: match self.options.profile {
                    Profile::RampartCLegacy => Breach::Warn,
                    Profile::Standard => self.options.layout,
                },
                targets: if self.binding.whole && !self.signs_elements() {
                    Targets::Whole
                } else {
                    Targets::Any
                },
            },
            surplus: Surplus::Refuse,
            understood: Vec::new(),
            open,
        }
    }

    fn accepted(&self) -> AlgSet {
        self.binding.algorithms.accepted
    }

    /// What must hold of each part. A header or an element is protected if it is there; the Body and our own parts of
    /// the Security header must be there. What RequiredParts names must be there too.
    fn required(&self) -> Vec<Require> {
        let mut required: Vec<Require> = Vec::new();
        for part in self.signed() {
            let need = match part {
                Part::Body | Part::Timestamp | Part::UsernameToken => Need::Must,
                // They have rules of their own.
                Part::SignatureConfirmation | Part::Token => continue,
                ref other if self.parts.required.contains(other) => Need::Must,
                _ => Need::IfPresent,
            };
            demand(&mut required, &part, need, Need::No);
        }
        for encrypted in &self.parts.encrypted {
            let must = encrypted.part == Part::Body || self.parts.required.contains(&encrypted.part);
            demand(&mut required, &encrypted.part, Need::No, if must { Need::Must } else { Need::IfPresent });
            demand_how(&mut required, encrypted);
        }
        if self.user.as_ref().is_some_and(|user| user.encrypted) {
            demand(&mut required, &Part::UsernameToken, Need::No, Need::Must);
        }
        if self.confirms() && required.is_empty() {
            demand(&mut required, &Part::SignatureConfirmation, Need::Must, Need::No);
        }
        if self.encrypts_signature() {
            demand(&mut required, &Part::Signature, Need::No, Need::Must);
        }
        for part in &self.parts.required {
            demand(&mut required, part, Need::No, Need::No);
        }
        required
    }

    fn outbound(&self, findings: &mut Findings) -> OutPlan {
        let signed = self.signed();
        let sign = match (signed.is_empty(), self.signer()) {
            (true, _) => None,
            (false, Some(token)) => {
                let (reference, sent) = token.signing(self.way, &self.supported);
                let algorithms = &self.binding.algorithms;
                Some(SignPlan {
                    parts: signed,
                    method: algorithms.signature,
                    digest: algorithms.suite.digest,
                    c14n: C14nMethod::Exclusive,
                    by: SignedBy::X509,
                    reference,
                    token: sent,
                })
            }
            (false, None) => {
                self.missing_token("signature token", findings);
                None
            }
        };
        let mut parts = self.parts.encrypted.clone();
        parts.extend(self.encrypts_user().then(supporting::part));
        if self.encrypts_signature() && sign.is_some() {
            parts.push(EncryptPart { part: Part::Signature, how: EncryptHow::Element });
        }
        if self.hides_confirmation() {
            parts.push(EncryptPart { part: Part::SignatureConfirmation, how: EncryptHow::Element });
        }
        let encrypt = match (parts.is_empty() && !self.supporting.is_hidden(), self.reader()) {
            (true, _) => None,
            (false, Some(token)) => Some(EncryptPlan {
                parts,
                cipher: self.binding.algorithms.suite.cipher,
                key: self.key_transfer(),
                reference: token.external(&self.supported),
                to: match self.way {
                    Way::Request => EncryptTo::Peer,
                    Way::Reply => EncryptTo::Requester,
                },
            }),
            (false, None) => {
                self.missing_token("encryption token", findings);
                None
            }
        };
        OutPlan {
            sign,
            endorse: Vec::new(),
            encrypt,
            timestamp: self.binding.timestamp.then(|| StampPlan::lasting(self.options.timestamp.ttl)),
            username: self.user.as_ref().map(|user| user.out.clone()),
            secret: None,
            confirmation: self.confirms(),
            order: match self.binding.order {
                ProtectionOrder::EncryptBeforeSign => ProtectionOrder::EncryptBeforeSign,
                ProtectionOrder::SignBeforeEncrypt | ProtectionOrder::AsFound => {
                    ProtectionOrder::SignBeforeEncrypt
                }
            },
            layout: self.binding.layout,
            style: Style::Clean,
            steps: Vec::new(),
            over_tls: false,
        }
    }

    /// A token that is not built was named already; one that is not there at all is named here.
    fn missing_token(&self, missing: &'static str, findings: &mut Findings) {
        if findings.missing.is_empty() {
            findings.say(Problem::Incomplete { name: self.binding.kind.name(), missing }, self.at);
        }
    }

    fn key_transfer(&self) -> KeyTransfer {
        let suite = &self.binding.algorithms.suite;
        match suite.delivery {
            Delivery::Transport { transport, digest, mgf } => {
                KeyTransfer::Transport { method: transport, oaep: OaepParams::new(digest, mgf) }
            }
            Delivery::Agreement { agreement, kdf, digest } => {
                KeyTransfer::Agreement { method: agreement, kdf, digest, wrap: suite.wrap }
            }
        }
    }
}
