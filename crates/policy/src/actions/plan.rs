//! A block into the plans of one message: what its receiver demands and its sender puts on.
//!
//! The same [`InPlan`] and [`OutPlan`] that a policy compiles to. Called by `compile`.

use bartizan_crypto::OaepSet;
use bartizan_crypto::alg::{AlgSet, CipherAlg, DigestAlg, MgfAlg, SignatureAlg, TransportAlg};
use bartizan_wss::part::{EncryptHow, EncryptPart, Need, Part, Require};
use bartizan_wss::plan::{
    Breach, ConfirmationRule, EncryptPlan, EncryptTo, HeaderRule, InPlan, KeyTransfer, Layout, OutPlan,
    Precision, Presence, ProtectionOrder, SignPlan, SignedBy, StampPlan, Style, Surplus, Targets,
    TimestampRule, TokenRule,
};

use super::Block;
use super::said::Said;
use super::settings::{Encryption, Signature, Username};
use super::value::Values;
use crate::compile::{Asked, Findings, Open, Options, Way, demand, demand_how};
use crate::error::{Diagnostic, Problem};

/// Compiles a block for one direction; `None` if its actions cannot be read, which was said.
pub(crate) fn compile(
    block: &Block,
    way: Way,
    asked: Asked,
    options: &Options,
    findings: &mut Findings,
) -> Option<(InPlan, OutPlan)> {
    let said = Said::read(block, findings)?;
    let mut values = Values::new(block, findings);
    if let (Some(action), Way::Reply) = (said.username, way) {
        let problem = Problem::Contradiction { name: action.name(), other: "a reply" };
        values.findings.say(problem, said.at);
    }
    if said.nothing {
        if options.open == Open::Refused {
            values.findings.say(Problem::NothingDemanded { side: way.name() }, said.at);
        }
        return Some((InPlan::open(), OutPlan::plain()));
    }
    let message = Message {
        period: values.word("accept", &[("named", false), ("period", true)]).unwrap_or(false)
            || options.period,
        way,
        asked,
        username: values.username(&said),
        sign: values.signature(&said),
        encrypt: values.encryption(&said),
        stamp: said.stamp.then(|| values.timestamp(options)),
        precision: values.precision(),
        confirms: values.confirms(&said, way),
        lone_refused: values.switch("requireSignedEncryptedDataElements").unwrap_or(false),
        to: values.recipient(way),
        style: values.by_default(Style::Clean, Style::Wss4j15, Style::Clean),
        said,
    };
    // Read for their findings even where an action that would use them is missing.
    message.judge(options, values.findings);
    let inbound = message.inbound(options);
    Some((inbound, message.outbound()))
}

/// One message, all of it read.
struct Message {
    /// Every algorithm of the period is accepted beside those that are named.
    period: bool,
    way: Way,
    asked: Asked,
    said: Said,
    username: Option<Username>,
    sign: Option<Signature>,
    encrypt: Option<Encryption>,
    stamp: Option<TimestampRule>,
    precision: Precision,
    confirms: bool,
    lone_refused: bool,
    to: EncryptTo,
    style: Style,
}

impl Message {
    fn signs(&self, part: &Part) -> bool {
        let all = self.sign.iter().flat_map(|sign| sign.must.iter().chain(&sign.if_there));
        all.into_iter().any(|signed| signed == part)
    }

    fn encrypted(&self) -> impl Iterator<Item = &EncryptPart> {
        self.encrypt.iter().flat_map(|encrypt| encrypt.must.iter().chain(&encrypt.if_there))
    }

    fn encrypts(&self, part: &Part) -> bool {
        self.encrypted().any(|one| one.part == *part)
    }

    /// Ciphertext that a change to it would go unnoticed in, and that no signature covers.
    fn has_lone_cipher(&self) -> bool {
        let cbc = self.encrypt.as_ref().is_some_and(|encrypt| self.period || !encrypt.cipher.is_aead());
        cbc && self.encrypted().any(|one| {
            let within = matches!(one.part, Part::Element { .. }) && self.signs(&Part::Body);
            !within && !self.signs(&one.part)
        })
    }

    fn authenticates(&self) -> bool {
        let by_token = self.username.as_ref().is_some_and(|username| username.rule.authenticates());
        by_token || self.demands_signature()
    }

    /// Whether some part must be signed. The signing token and confirmations are signed beside others, and prove nothing alone.
    fn demands_signature(&self) -> bool {
        let proves = |part: &Part| !matches!(part, Part::Token | Part::SignatureConfirmation);
        self.sign.as_ref().is_some_and(|sign| sign.must.iter().any(proves))
    }

    /// An action that is named and demands nothing would be met by a message without it.
    fn judge_demands(&self, findings: &mut Findings) {
        let encrypts = self.encrypt.as_ref().is_none_or(|e| !(e.must.is_empty() && e.if_there.is_empty()));
        let empty = [
            ("signatureParts", "an action that signs", self.sign.is_none() || self.demands_signature()),
            ("encryptionParts", "an action that encrypts", encrypts),
        ];
        for (name, other, _) in empty.into_iter().filter(|(.., demands)| !demands) {
            findings.say(Problem::Contradiction { name, other }, self.said.at);
        }
    }

    fn judge(&self, options: &Options, findings: &mut Findings) {
        let (side, at) = (self.way.name(), self.said.at);
        self.judge_demands(findings);
        let token = Part::UsernameToken;
        if self.encrypts(&token) && !self.said.token_first {
            let problem =
                Problem::Contradiction { name: "Encrypt", other: "a UsernameToken that comes later" };
            findings.say(problem, at);
        }
        for (key, used) in
            [("signatureParts", self.signs(&token)), ("encryptionParts", self.encrypts(&token))]
        {
            if used && self.username.is_none() {
                let problem = Problem::Contradiction { name: key, other: "actions without a UsernameToken" };
                findings.say(problem, at);
            }
        }
        if self.encrypts(&Part::Signature) {
            if self.sign.is_none() || self.said.order == ProtectionOrder::EncryptBeforeSign {
                let problem =
                    Problem::Contradiction { name: "encryptionParts", other: "no signature before Encrypt" };
                findings.say(problem, at);
            }
            findings.say(Problem::DecryptsFirst, at);
        }
        if options.open == Open::Refused {
            if !self.authenticates() {
                findings.say(Problem::NothingDemanded { side }, at);
            }
            if self.has_lone_cipher() {
                findings.say(Problem::UnsignedCbc { side }, at);
            }
            if self.authenticates() && !self.signs(&Part::Body) {
                findings.add(Diagnostic::new(Problem::BodyOpen { side }, Some(at)));
            }
        }
        let unguarded = self.username.as_ref().is_some_and(|username| {
            let rule = &username.rule;
            rule.keys.is_none() && (rule.nonce != Presence::Must || rule.created != Presence::Must)
        });
        if unguarded {
            findings.say(Problem::UnguardedToken { side }, at);
        }
    }

    fn inbound(&self, options: &Options) -> InPlan {
        let open_said = options.open == Open::Said;
        let lone = open_said && self.has_lone_cipher() && !self.lone_refused;
        let (algorithms, oaep) = self.accepted();
        InPlan {
            algorithms,
            oaep,
            required: self.required(),
            open_parts: if self.signs(&Part::Body) { Vec::new() } else { vec![Part::Body] },
            username: self.username.as_ref().map(|username| username.rule.clone()),
            signed_by: self.sign.as_ref().map_or(SignedBy::X509, |sign| sign.by),
            endorse: Vec::new(),
            secret: None,
            transport: None,
            lone_cipher: if lone { Breach::Warn } else { Breach::Refuse },
            timestamp: self.stamp,
            confirmation: if self.confirms { options.confirmation_rule() } else { ConfirmationRule::Ignore },
            token: TokenRule::default(),
            order: self.said.order,
            // Actions say nothing of a layout.
            header: HeaderRule { layout: Layout::Lax, targets: self.targets(), ..HeaderRule::default() },
            surplus: Surplus::Refuse,
            understood: Vec::new(),
            open: open_said && !self.authenticates(),
        }
    }

    /// A signature points at whole parts, unless an element by its name is one.
    fn targets(&self) -> Targets {
        let mut signed = self.sign.iter().flat_map(|sign| sign.must.iter().chain(&sign.if_there));
        if signed.any(|part| matches!(part, Part::Element { .. })) { Targets::Any } else { Targets::Whole }
    }

    fn accepted(&self) -> (AlgSet, OaepSet) {
        let (mut algorithms, mut oaep) = (AlgSet::empty(), OaepSet::EMPTY);
        if let Some(sign) = &self.sign {
            algorithms.insert(sign.method);
            algorithms.insert(sign.digest);
        }
        if let Some(encrypt) = &self.encrypt {
            algorithms.insert(encrypt.cipher);
            algorithms.insert(encrypt.transport);
            algorithms = algorithms.union(encrypt.also);
            if encrypt.transport != TransportAlg::Rsa15 {
                algorithms.insert(encrypt.oaep.mgf);
                oaep.insert(encrypt.transport, encrypt.oaep.digest, encrypt.oaep.mgf);
            }
        }
        if self.period {
            algorithms = algorithms.union(self.of_the_period());
            if self.encrypt.is_some() {
                oaep.insert(TransportAlg::RsaOaepMgf1p, DigestAlg::Sha1, MgfAlg::Mgf1Sha1);
            }
        }
        (algorithms, oaep)
    }

    /// What WSS4J 1.5 could write, of the actions that the block has.
    fn of_the_period(&self) -> AlgSet {
        let mut set = AlgSet::empty();
        if let Some(sign) = &self.sign {
            set.insert(DigestAlg::Sha1);
            match sign.by {
                SignedBy::UsernameToken => set.insert(SignatureAlg::HmacSha1),
                // Nothing that the actions of that time name signs with a secret of another kind.
                SignedBy::X509 | SignedBy::Secret => set.insert(SignatureAlg::RsaSha1),
            }
        }
        if self.encrypt.is_some() {
            for cipher in
                [CipherAlg::TripleDesCbc, CipherAlg::Aes128Cbc, CipherAlg::Aes192Cbc, CipherAlg::Aes256Cbc]
            {
                set.insert(cipher);
            }
            set.insert(TransportAlg::Rsa15);
            set.insert(TransportAlg::RsaOaepMgf1p);
            set.insert(MgfAlg::Mgf1Sha1);
        }
        set
    }

    fn required(&self) -> Vec<Require> {
        let mut required = Vec::new();
        if let Some(sign) = &self.sign {
            for (parts, need) in [(&sign.must, Need::Must), (&sign.if_there, Need::IfPresent)] {
                for part in parts {
                    // They have rules of their own.
                    if !matches!(part, Part::Token | Part::SignatureConfirmation) {
                        demand(&mut required, part, need, Need::No);
                    }
                }
            }
        }
        if let Some(encrypt) = &self.encrypt {
            for (parts, need) in [(&encrypt.must, Need::Must), (&encrypt.if_there, Need::IfPresent)] {
                for one in parts {
                    if one.part != Part::SignatureConfirmation {
                        demand(&mut required, &one.part, Need::No, need);
                        demand_how(&mut required, one);
                    }
                }
            }
        }
        required
    }

    fn outbound(&self) -> OutPlan {
        let sign = self.sign.as_ref().map(|sign| {
            let mut parts: Vec<Part> = sign.must.iter().chain(&sign.if_there).cloned().collect();
            if self.confirms && !parts.contains(&Part::SignatureConfirmation) {
                parts.push(Part::SignatureConfirmation);
            }
            SignPlan {
                parts,
                method: sign.method,
                digest: sign.digest,
                c14n: sign.c14n,
                by: sign.by,
                reference: sign.reference,
                token: sign.token,
            }
        });
        let encrypt = self.encrypt.as_ref().map(|encrypt| {
            let mut parts: Vec<EncryptPart> = self.encrypted().cloned().collect();
            if self.confirms && self.asked == Asked::Hidden && !self.encrypts(&Part::SignatureConfirmation) {
                parts.push(EncryptPart { part: Part::SignatureConfirmation, how: EncryptHow::Element });
            }
            EncryptPlan {
                parts,
                cipher: encrypt.cipher,
                key: KeyTransfer::Transport { method: encrypt.transport, oaep: encrypt.oaep.clone() },
                reference: encrypt.reference,
                to: self.to,
            }
        });
        OutPlan {
            sign,
            endorse: Vec::new(),
            encrypt,
            timestamp: self.stamp.map(|rule| StampPlan { ttl: rule.ttl, precision: self.precision }),
            username: self.username.as_ref().map(|username| username.out.clone()),
            secret: None,
            confirmation: self.confirms,
            order: self.said.order,
            layout: Layout::Strict,
            style: self.style,
            // WSS4J 1.5 puts what each action makes on top of the header.
            steps: if self.style == Style::Wss4j15 { self.said.steps.clone() } else { Vec::new() },
            over_tls: false,
        }
    }
}
