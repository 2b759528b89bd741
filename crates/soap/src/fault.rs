//! SOAP faults: built once, written in either version, read from replies.
//!
//! Rules: SOAP 1.1 §4.4, SOAP 1.2 part 1 §5.4; a security subcode stands in `faultcode` itself in 1.1 and in `Subcode` in 1.2 (SMS 1.1 §12).
//! Not here: which error becomes which fault (each error's own file does that by [`ToFault`]). Called by services, the gateway and `bartizan-wss`.

use bartizan_xml::Element;
use bartizan_xml::write::Writer;

use crate::draft::{Block, Draft};
use crate::envelope::Envelope;
use crate::error::Error;
use crate::version::Version;

/// What every error of ours can become: the fault that goes on the wire. One sentence for each code, no detail that helps an attacker.
pub trait ToFault {
    /// The fault for this error.
    fn to_fault(&self) -> Fault;
}

/// The first-level fault codes of SOAP 1.2; `Sender` is `Client` and `Receiver` is `Server` in 1.1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FaultCode {
    /// The namespace of the envelope is not supported.
    VersionMismatch,
    /// A header block that must be understood was not.
    MustUnderstand,
    /// The encoding style is not supported (1.2 only; `Client` in 1.1).
    DataEncodingUnknown,
    /// The sender's mistake.
    Sender,
    /// The receiver's trouble.
    Receiver,
}

impl FaultCode {
    /// The local name in a version.
    #[must_use]
    pub fn local(self, version: Version) -> &'static str {
        match (self, version) {
            (FaultCode::VersionMismatch, _) => "VersionMismatch",
            (FaultCode::MustUnderstand, _) => "MustUnderstand",
            (FaultCode::DataEncodingUnknown, Version::Soap12) => "DataEncodingUnknown",
            (FaultCode::Sender, Version::Soap12) => "Sender",
            (FaultCode::Sender | FaultCode::DataEncodingUnknown, Version::Soap11) => "Client",
            (FaultCode::Receiver, Version::Soap12) => "Receiver",
            (FaultCode::Receiver, Version::Soap11) => "Server",
        }
    }

    fn from_local(local: &str) -> Option<FaultCode> {
        // SOAP 1.1 allows Client.Authentication and the like (§4.4.1).
        match local.split('.').next().unwrap_or_default() {
            "VersionMismatch" => Some(FaultCode::VersionMismatch),
            "MustUnderstand" => Some(FaultCode::MustUnderstand),
            "DataEncodingUnknown" => Some(FaultCode::DataEncodingUnknown),
            "Sender" | "Client" => Some(FaultCode::Sender),
            "Receiver" | "Server" => Some(FaultCode::Receiver),
            _ => None,
        }
    }
}

/// A second-level code: a qualified name with the prefix it is written with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subcode {
    /// Namespace URI.
    pub namespace: String,
    /// Prefix to write it with.
    pub prefix: String,
    /// Local name.
    pub local: String,
}

/// A header block that was not understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotUnderstood {
    /// Namespace URI of the block.
    pub namespace: String,
    /// Local name of the block.
    pub local: String,
}

/// A fault, independent of the version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    code: FaultCode,
    subcode: Option<Subcode>,
    reason: String,
    actor: Option<String>,
    detail: Option<Vec<u8>>,
    not_understood: Vec<NotUnderstood>,
}

impl Fault {
    /// A fault with a code and a sentence (English).
    pub fn new(code: FaultCode, reason: impl Into<String>) -> Fault {
        Fault {
            code,
            subcode: None,
            reason: reason.into(),
            actor: None,
            detail: None,
            not_understood: Vec::new(),
        }
    }

    /// With a second-level code.
    #[must_use]
    pub fn with_subcode(
        mut self,
        prefix: impl Into<String>,
        namespace: impl Into<String>,
        local: impl Into<String>,
    ) -> Fault {
        self.subcode =
            Some(Subcode { namespace: namespace.into(), prefix: prefix.into(), local: local.into() });
        self
    }

    /// With a detail entry: octets of one or more elements, each exclusive-canonical with itself as apex.
    #[must_use]
    pub fn with_detail(mut self, octets: Vec<u8>) -> Fault {
        self.detail = Some(octets);
        self
    }

    /// With the node that raised it (`faultactor` in 1.1, `Role` in 1.2).
    #[must_use]
    pub fn with_actor(mut self, actor: impl Into<String>) -> Fault {
        self.actor = Some(actor.into());
        self
    }

    /// With the blocks that were not understood; each becomes a NotUnderstood header block in 1.2.
    #[must_use]
    pub fn with_not_understood(mut self, blocks: Vec<NotUnderstood>) -> Fault {
        self.not_understood = blocks;
        self
    }

    /// The first-level code.
    #[must_use]
    pub fn code(&self) -> FaultCode {
        self.code
    }

    /// The second-level code.
    #[must_use]
    pub fn subcode(&self) -> Option<&Subcode> {
        self.subcode.as_ref()
    }

    /// The sentence.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The node that raised it.
    #[must_use]
    pub fn actor(&self) -> Option<&str> {
        self.actor.as_deref()
    }

    /// The detail's content as canonical octets.
    #[must_use]
    pub fn detail(&self) -> Option<&[u8]> {
        self.detail.as_deref()
    }

    /// The blocks that were not understood.
    #[must_use]
    pub fn not_understood(&self) -> &[NotUnderstood] {
        &self.not_understood
    }

    /// The HTTP status that goes with it: 500 in SOAP 1.1; in 1.2 400 for Sender, 500 for the rest (SOAP 1.2 part 2 §7.5.2.2).
    #[must_use]
    pub fn http_status(&self, version: Version) -> u16 {
        match (version, self.code) {
            (Version::Soap12, FaultCode::Sender | FaultCode::DataEncodingUnknown) => 400,
            _ => 500,
        }
    }

    /// The fault as a message of `version`.
    #[must_use]
    pub fn to_draft(&self, version: Version) -> Draft {
        let mut draft = Draft::new(version).as_fault();
        if let Some(sub) = &self.subcode {
            draft = draft.declaring(&sub.prefix, &sub.namespace);
        }
        if version == Version::Soap12 {
            for (i, block) in self.not_understood.iter().enumerate() {
                let prefix = format!("nu{i}");
                draft = draft.declaring(&prefix, &block.namespace).with_block(not_understood(&prefix, block));
            }
        }
        let octets = self.octets(version);
        draft.with_body(octets)
    }

    /// The Fault element, canonical with itself as apex.
    fn octets(&self, version: Version) -> Vec<u8> {
        let (ns, prefix) = (version.namespace(), "soap");
        let mut w = Writer::new();
        let code = format!("{prefix}:{}", self.code.local(version));
        w.open(prefix, ns, "Fault");
        match version {
            Version::Soap11 => {
                let code = self.subcode.as_ref().map_or(code, |s| format!("{}:{}", s.prefix, s.local));
                leaf(&mut w, "", "", "faultcode", &code);
                leaf(&mut w, "", "", "faultstring", &self.reason);
                if let Some(actor) = &self.actor {
                    leaf(&mut w, "", "", "faultactor", actor);
                }
                if let Some(detail) = &self.detail {
                    w.open("", "", "detail");
                    w.raw(detail);
                    w.close();
                }
            }
            Version::Soap12 => {
                w.open(prefix, ns, "Code");
                leaf(&mut w, prefix, ns, "Value", &code);
                if let Some(sub) = &self.subcode {
                    w.open(prefix, ns, "Subcode");
                    leaf(&mut w, prefix, ns, "Value", &format!("{}:{}", sub.prefix, sub.local));
                    w.close();
                }
                w.close();
                w.open(prefix, ns, "Reason");
                w.open(prefix, ns, "Text");
                w.attr_ns("xml", bartizan_xml::names::ns::XML.uri(), "lang", "en");
                w.text(&clean(&self.reason));
                w.close();
                w.close();
                if let Some(actor) = &self.actor {
                    leaf(&mut w, prefix, ns, "Role", actor);
                }
                if let Some(detail) = &self.detail {
                    w.open(prefix, ns, "Detail");
                    w.raw(detail);
                    w.close();
                }
            }
        }
        w.close();
        finished(w)
    }

    /// Reads the fault of an envelope, if its Body holds one. What it says is only as trustworthy as the envelope.
    ///
    /// # Errors
    /// [`Error::FaultShape`] for a Fault element without a readable code.
    pub fn read(envelope: &Envelope) -> Result<Option<Fault>, Error> {
        let version = envelope.version();
        match envelope.payload() {
            Some(payload) if payload.is(version.fault()) => Fault::read_element(payload, version).map(Some),
            _ => Ok(None),
        }
    }

    /// Reads a Fault element.
    ///
    /// # Errors
    /// [`Error::FaultShape`].
    pub fn read_element(fault: Element<'_>, version: Version) -> Result<Fault, Error> {
        let bad = || Error::FaultShape { offset: fault.span().start };
        match version {
            Version::Soap11 => {
                let (code, subcode) =
                    split_code(text_of(named(fault, version, "faultcode").ok_or_else(bad)?), fault, version);
                let mut out = Fault::new(
                    code.unwrap_or(FaultCode::Receiver),
                    text_or_empty(named(fault, version, "faultstring")),
                );
                out.subcode = subcode;
                out.actor = named(fault, version, "faultactor").map(text_of);
                out.detail = named(fault, version, "detail").map(content_octets);
                Ok(out)
            }
            Version::Soap12 => {
                let code_element = named(fault, version, "Code").ok_or_else(bad)?;
                let value = named(code_element, version, "Value").ok_or_else(bad)?;
                let (code, _) = split_code(text_of(value), value, version);
                let reason = named(fault, version, "Reason").and_then(|r| named(r, version, "Text"));
                let mut out = Fault::new(code.ok_or_else(bad)?, text_or_empty(reason));
                if let Some(sub) =
                    named(code_element, version, "Subcode").and_then(|s| named(s, version, "Value"))
                {
                    out.subcode = Some(qname(&text_of(sub), sub));
                }
                out.actor = named(fault, version, "Role").map(text_of);
                out.detail = named(fault, version, "Detail").map(content_octets);
                Ok(out)
            }
        }
    }
}

fn named<'d>(parent: Element<'d>, version: Version, local: &str) -> Option<Element<'d>> {
    let ns = (version == Version::Soap12).then(|| version.namespace());
    parent.elements().find(|e| e.local_name() == local && e.namespace() == ns)
}

fn text_of(element: Element<'_>) -> String {
    element.text().trim().to_owned()
}

fn text_or_empty(element: Option<Element<'_>>) -> String {
    element.map(text_of).unwrap_or_default()
}

fn content_octets(element: Element<'_>) -> Vec<u8> {
    // A fault is read before anything of it is verified: its octets are bounded.
    let mut out = bartizan_xml::sink::Capped::for_document(element.document());
    let c14n = bartizan_xml::c14n::C14n::new(bartizan_xml::c14n::C14nMethod::Exclusive);
    for child in element.elements() {
        if c14n.write(child, &mut out).is_err() {
            return Vec::new();
        }
    }
    out.into_octets()
}

fn qname(text: &str, at: Element<'_>) -> Subcode {
    let (prefix, local) = text.split_once(':').unwrap_or(("", text));
    let namespace = at.lookup_namespace(prefix).unwrap_or_default();
    Subcode { namespace: namespace.into(), prefix: prefix.into(), local: local.into() }
}

/// A SOAP 1.1 `faultcode` is either one of SOAP's own codes or somebody's subcode.
fn split_code(text: String, at: Element<'_>, version: Version) -> (Option<FaultCode>, Option<Subcode>) {
    let name = qname(&text, at);
    let soap = name.namespace == version.namespace() || name.namespace.is_empty();
    if let Some(code) = FaultCode::from_local(&name.local)
        && soap
    {
        return (Some(code), None);
    }
    (None, Some(name))
}

fn not_understood(prefix: &str, block: &NotUnderstood) -> Block {
    let ns = Version::Soap12.namespace();
    let mut w = Writer::new();
    w.open("soap", ns, "NotUnderstood");
    w.attr("qname", &format!("{prefix}:{}", block.local));
    w.close();
    Block::new(ns, "NotUnderstood", finished(w))
}

/// INVARIANT: names here are constants and text is cleaned, so the writer has nothing to refuse; were it otherwise the fault would be empty.
fn finished(w: Writer) -> Vec<u8> {
    w.finish().unwrap_or_default()
}

fn leaf(w: &mut Writer, prefix: &str, ns: &str, local: &str, text: &str) {
    w.open(prefix, ns, local);
    w.text(&clean(text));
    w.close();
}

/// Characters that XML forbids (XML 1.0 §2.2) become a question mark.
fn clean(text: &str) -> std::borrow::Cow<'_, str> {
    let bad =
        |c: char| matches!(c, '\0'..='\x08' | '\x0B' | '\x0C' | '\x0E'..='\x1F' | '\u{FFFE}' | '\u{FFFF}');
    if text.contains(bad) { text.replace(bad, "?").into() } else { text.into() }
}
