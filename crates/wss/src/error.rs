//! The errors of this crate: `Reject` for a message that came in, `Error` for one that could not be made, and the one place where a
//! refusal becomes a wire fault.
//!
//! A `Reject` knows everything but secrets; a fault made of it knows next to nothing. Called by `inbound` and `outbound`.

mod hint;

use bartizan_crypto::alg;
use bartizan_keys::TrustReason;
use bartizan_soap::{Fault, FaultCode, ToFault};
use bartizan_xml::names::ns;
use bartizan_xml::{Document, Element, NodeId};

use crate::context::SecurityContext;
use crate::part::Part;
use crate::plan::{Contradiction, Layout, Plan};
use crate::reason::{Reason, Wire};
pub use hint::{NotPartner, Shown};

/// Why a message was refused, for the local record. The fault that goes out is [`ToFault::to_fault`].
#[derive(Debug)]
pub struct Reject(Box<Inner>);

#[derive(Debug)]
struct Inner {
    reason: Reason,
    /// On the wire it looks like every other failure.
    masked: bool,
    hint: Hint,
    place: Option<Place>,
    context: SecurityContext,
    octets: Option<DigestOctets>,
    /// What is permitted instead of an algorithm that is not.
    permitted: Vec<&'static str>,
}

/// Where in the message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Local names with positions from 1, such as `/Envelope/Header/Security/Signature`.
    pub path: Box<str>,
    /// Byte offset in the UTF-8 form of the message, or in the decrypted text the element came from.
    pub offset: usize,
    /// The offset is in decrypted text, not in the message.
    pub decrypted: bool,
}

/// The octets that were digested and did not fit, kept only on the local explaining path.
#[derive(Clone, Debug)]
pub struct DigestOctets {
    /// Which Reference of the signature, from 0.
    pub reference: usize,
    /// The canonical octets as we computed them.
    pub octets: Vec<u8>,
}

/// What is known beyond the reason, in typed form.
#[derive(Debug)]
#[non_exhaustive]
pub enum Hint {
    /// Nothing.
    None,
    /// By how many milliseconds a time limit was missed.
    Skew {
        /// Our clock less the message's limit, in milliseconds; negative if the message is from the future.
        millis: i64,
    },
    /// A URI that is not permitted or not known, and the one that was probably meant.
    Uri {
        /// As found.
        uri: Box<str>,
        /// The likely intended one.
        likely: Option<&'static str>,
    },
    /// Which Reference of the signature, from 0, and its URI.
    Reference {
        /// Position in SignedInfo.
        index: usize,
        /// Its URI.
        uri: Box<str>,
    },
    /// Which part of the plan.
    Part(Part),
    /// Why the signer is not the one whom we speak with.
    Signer(NotPartner),
    /// A reply whose secret is not that of the request.
    SecretOfItsOwn,
    /// Expires is not after Created.
    ExpiresFirst,
    /// A time that is not written as it must be, as found.
    Time(Box<str>),
    /// The name of a key that encrypts, and that no certificate of ours and no EncryptedKey has.
    KeyName(Box<str>),
    /// The layout that the plan demands.
    Layout(Layout),
    /// What was wrong with the certificate path.
    Trust(TrustReason),
    /// An element that is not known, by local name.
    Element(Box<str>),
    /// The password digest is right for another reading of the profile: which one.
    PasswordDigest(&'static str),
    /// How many octets the secret in the EncryptedKey must have. Said whatever failed: the length of what stood in it is told to nobody.
    SecretLength(usize),
    /// The XML layer's own words.
    Xml(bartizan_xml::Error),
    /// The envelope layer's own words.
    Soap(bartizan_soap::Error),
    /// The signature and encryption layer's own words.
    Xmlsec(bartizan_xmlsec::Error),
    /// The key layer's own words.
    Keys(bartizan_keys::Error),
}

impl Reject {
    /// A refusal without a place.
    #[must_use]
    pub fn new(reason: Reason) -> Reject {
        Reject(Box::new(Inner {
            reason,
            masked: false,
            hint: Hint::None,
            place: None,
            context: SecurityContext::default(),
            octets: None,
            permitted: Vec::new(),
        }))
    }

    /// A refusal at an element.
    #[must_use]
    pub fn at(reason: Reason, element: Element<'_>) -> Reject {
        Reject::new(reason).placed(element)
    }

    /// A refusal at a node that may be gone.
    pub(crate) fn at_node(reason: Reason, document: &Document, node: Option<NodeId>) -> Reject {
        match node.and_then(|n| document.element(n)) {
            Some(element) => Reject::at(reason, element),
            None => Reject::new(reason),
        }
    }

    /// With a place, unless there is one.
    #[must_use]
    pub(crate) fn placed(mut self, element: Element<'_>) -> Reject {
        if self.0.place.is_none() {
            let (offset, decrypted) = (element.span().start, element.grafted());
            self.0.place = Some(Place { path: element.path().into(), offset, decrypted });
        }
        self
    }

    /// With a byte offset and no path.
    #[must_use]
    pub(crate) fn at_offset(mut self, offset: usize) -> Reject {
        self.0.place = Some(Place { path: "".into(), offset, decrypted: false });
        self
    }

    /// The same refusal after something was decrypted: on the wire it is one with all other failures. The reason of
    /// time stays, for the local record; what else would show belongs to the plaintext.
    #[must_use]
    pub(crate) fn masked(mut self) -> Reject {
        match self.0.reason.wire() {
            Wire::FailedCheck => {}
            Wire::MessageExpired => self.0.masked = true,
            Wire::VersionMismatch | Wire::MustUnderstand | Wire::Sender => {
                self.0.reason = Reason::EncryptionPlaintext;
            }
        }
        self
    }

    /// What goes on the wire: the reason's, or the common fault if telling it would show something of a plaintext.
    #[must_use]
    pub fn wire(&self) -> Wire {
        if self.0.masked { Wire::FailedCheck } else { self.0.reason.wire() }
    }

    /// With a hint.
    #[must_use]
    pub(crate) fn hinting(mut self, hint: Hint) -> Reject {
        self.0.hint = hint;
        self
    }

    /// With what was seen until then.
    #[must_use]
    pub(crate) fn having_seen(mut self, context: SecurityContext) -> Reject {
        self.0.context = context;
        self
    }

    /// With the octets that were digested.
    #[must_use]
    pub(crate) fn with_octets(mut self, octets: DigestOctets) -> Reject {
        self.0.octets = Some(octets);
        self
    }

    /// A refusal for an algorithm, with those that the plan permits: of its kind if it is one that we know.
    #[must_use]
    pub(crate) fn permitting(mut self, plan: &Plan) -> Reject {
        let kinds: &[&str] = if self.0.reason == Reason::SignatureAlgorithm {
            &["signature", "digest"]
        } else if self.0.reason == Reason::EncryptionAlgorithm {
            &["cipher", "transport", "wrap", "agreement", "derivation", "digest", "mgf"]
        } else {
            return self;
        };
        let Hint::Uri { uri, .. } = &self.0.hint else { return self };
        let found = alg::lookup(uri).map(alg::Alg::kind).filter(|kind| kinds.contains(kind));
        let permits = plan.alternatives().map(|(inbound, _)| inbound.algorithms);
        let all = permits.fold(alg::AlgSet::empty(), alg::AlgSet::union);
        let wanted = |kind: &str| found.map_or(kinds.contains(&kind), |found| found == kind);
        self.0.permitted = all.iter().filter(|a| wanted(a.kind())).map(alg::Alg::short_name).collect();
        self
    }

    /// The reason.
    #[must_use]
    pub fn reason(&self) -> Reason {
        self.0.reason
    }

    /// What is known beyond it.
    #[must_use]
    pub fn hint(&self) -> &Hint {
        &self.0.hint
    }

    /// Where.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }

    /// What processing had seen until it refused.
    #[must_use]
    pub fn context(&self) -> &SecurityContext {
        &self.0.context
    }

    /// The octets that were digested, if the message was verified by [`Plan::verify_explaining`](crate::Plan::verify_explaining) and a digest differed.
    #[must_use]
    pub fn octets(&self) -> Option<&DigestOctets> {
        self.0.octets.as_ref()
    }

    /// One sentence for people: the reason's, and what is known beyond it.
    #[must_use]
    pub fn detail(&self) -> String {
        match &self.0.hint {
            Hint::None => self.0.reason.sentence().to_owned(),
            // It would say the same in other words.
            Hint::Xmlsec(e) if matches!(e.kind, bartizan_xmlsec::ErrorKind::SignatureInvalid) => {
                self.0.reason.sentence().to_owned()
            }
            hint if self.0.permitted.is_empty() => format!("{} {hint}", self.0.reason.sentence()),
            hint => {
                format!(
                    "{} {hint} Permitted here: {}.",
                    self.0.reason.sentence(),
                    self.0.permitted.join(", ")
                )
            }
        }
    }
}

impl std::fmt::Display for Reject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.0.reason.code(), self.detail())?;
        match &self.0.place {
            Some(p) if !p.path.is_empty() => {
                let of = if p.decrypted { " of the decrypted text" } else { "" };
                write!(f, " (at {}, byte {}{of})", p.path, p.offset)
            }
            Some(p) => write!(f, " (at byte {})", p.offset),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Reject {}

/// The constant sentence of the one security fault. It is the same for every cause.
pub const FAILED_CHECK: &str = "The message does not satisfy the security policy.";

impl ToFault for Reject {
    fn to_fault(&self) -> Fault {
        match self.wire() {
            Wire::FailedCheck => Fault::new(FaultCode::Sender, FAILED_CHECK).with_subcode(
                "wsse",
                ns::WSSE.uri(),
                "FailedCheck",
            ),
            Wire::MessageExpired => Fault::new(FaultCode::Sender, "The message has expired.").with_subcode(
                "wsu",
                ns::WSU.uri(),
                "MessageExpired",
            ),
            Wire::VersionMismatch => {
                Fault::new(FaultCode::VersionMismatch, "The SOAP version of the message is not supported.")
            }
            Wire::MustUnderstand => {
                let blocks = match &self.0.hint {
                    Hint::Soap(bartizan_soap::Error::MustUnderstand { blocks, .. }) => blocks.clone(),
                    Hint::Soap(e) => return e.to_fault(),
                    Hint::None
                    | Hint::Skew { .. }
                    | Hint::Uri { .. }
                    | Hint::Reference { .. }
                    | Hint::Part(_)
                    | Hint::Signer(_)
                    | Hint::SecretOfItsOwn
                    | Hint::ExpiresFirst
                    | Hint::Time(_)
                    | Hint::KeyName(_)
                    | Hint::Layout(_)
                    | Hint::Trust(_)
                    | Hint::Element(_)
                    | Hint::PasswordDigest(_)
                    | Hint::SecretLength(_)
                    | Hint::Xml(_)
                    | Hint::Xmlsec(_)
                    | Hint::Keys(_) => Vec::new(),
                };
                Fault::new(
                    FaultCode::MustUnderstand,
                    "A header block that must be understood was not understood.",
                )
                .with_not_understood(blocks)
            }
            Wire::Sender => Fault::new(FaultCode::Sender, "The message is not a well-formed SOAP envelope."),
        }
    }
}

/// Why a plan could not be made or a message could not be secured.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The plan demands no authentication and is not marked open.
    PlanNotOpen,
    /// The plan contradicts itself.
    PlanContradiction(Contradiction),
    /// The plan signs and the key set has no key of our own.
    NoOwnKey,
    /// The plan endorses the signature of our certificate, and there is no other key of ours to do it with.
    NoEndorser,
    /// The plan encrypts and it is not known to whom.
    NoRecipient,
    /// The plan leaves protection to the transport, and the message is to go over a plain one.
    PlainTransport,
    /// The plan sends a UsernameToken and it is not known for whom.
    NoLogin,
    /// The user's name or password cannot stand in XML.
    Login,
    /// The draft already has a Security header for the same role.
    AlreadySecured,
    /// The plan protects a part that the draft has not.
    MissingPart(Part),
    /// The plan protects elements by a path that names some outside of the Body, where nothing is protected by path.
    OutsideBody(Part),
    /// The plan's path is for the envelope of the other SOAP version, and names nothing in this one.
    OtherVersion(Part),
    /// The key cannot be named the way the plan says (no key identifier in the certificate and the like).
    KeyReference,
    /// Our own key does not fit the plan's algorithm.
    WrongKey,
    /// The key of the other side, whom we encrypt to, does not fit the plan's algorithm.
    WrongPeerKey,
    /// A reply is to confirm signatures, and it is not known which request it answers.
    NoRequest,
    /// The reply is to be made with the secret of the request, and no request is given, or one without a secret.
    NoSecret,
    /// The request's signature was encrypted, its confirmation must be, too (SMS 1.1 §8.5), and the plan encrypts nothing.
    ConfirmationInClear,
    /// The draft's octets are not canonical XML.
    Draft(bartizan_xml::Error),
    /// The signature and encryption layer failed.
    Xmlsec(bartizan_xmlsec::Error),
    /// The crypto layer failed.
    Crypto(bartizan_crypto::Error),
    /// The key layer failed.
    Keys(bartizan_keys::Error),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::PlanNotOpen => f.write_str("the policy demands no authentication and does not say `open`"),
            Error::PlanContradiction(c) => write!(f, "the policy contradicts itself: {c:?}"),
            Error::NoOwnKey => f.write_str("the policy signs, and there is no key of our own"),
            Error::NoEndorser => f.write_str(
                "the policy endorses our signature, which takes a second key of our own (a further entry of the key store), and there is one only",
            ),
            Error::PlainTransport => f.write_str(
                "the policy leaves protection to TLS, and the message would go over a plain connection",
            ),
            Error::NoLogin => {
                f.write_str("the policy sends a UsernameToken, and no user and password were given")
            }
            Error::Login => f.write_str("the user's name or password has a character that XML has not"),
            Error::NoRecipient => f.write_str("the policy encrypts, and it is not known to whom"),
            Error::AlreadySecured => f.write_str("the envelope already has a Security header"),
            Error::MissingPart(p) => write!(f, "the policy protects {p}, which the message has not"),
            Error::OutsideBody(p) => {
                write!(
                    f,
                    "the policy protects {p}, which names something outside of the Body's content: only what is in there can be protected by path"
                )
            }
            Error::OtherVersion(p) => {
                write!(
                    f,
                    "the policy protects {p}, which is for the envelope of the other SOAP version and names nothing in this one"
                )
            }
            Error::KeyReference => f.write_str("the key cannot be named the way the policy says"),
            Error::WrongKey => f.write_str("the kind of our own key does not fit the policy's algorithms"),
            Error::WrongPeerKey => {
                f.write_str("the kind of the other side's key does not fit the policy's algorithms")
            }
            Error::NoSecret => f.write_str(
                "the reply is made with the secret of the request, and no request with one is given",
            ),
            Error::NoRequest => f.write_str("the reply confirms signatures, and no request is given"),
            Error::ConfirmationInClear => {
                f.write_str("the request's signature was encrypted and the reply would show its value")
            }
            Error::Draft(e) => write!(f, "{e}"),
            Error::Xmlsec(e) => write!(f, "{e}"),
            Error::Crypto(e) => write!(f, "{e}"),
            Error::Keys(e) => write!(f, "{e}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<bartizan_xmlsec::Error> for Error {
    fn from(e: bartizan_xmlsec::Error) -> Self {
        Error::Xmlsec(e)
    }
}

impl From<bartizan_crypto::Error> for Error {
    fn from(e: bartizan_crypto::Error) -> Self {
        Error::Crypto(e)
    }
}

impl From<bartizan_keys::Error> for Error {
    fn from(e: bartizan_keys::Error) -> Self {
        Error::Keys(e)
    }
}

impl From<bartizan_xml::Error> for Error {
    fn from(e: bartizan_xml::Error) -> Self {
        Error::Draft(e)
    }
}
