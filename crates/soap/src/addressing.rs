//! WS-Addressing headers: 2005/08 read and written, 2004/08 read.
//!
//! Not here: whether a header may be believed. `bartizan-wss` hands over only the blocks that may be read (decision of the project: an unsigned
//! addressing header is unreadable; its MessageID may be echoed as an opaque IRI). Called by services and the exchange of the gateway.

use bartizan_xml::Element;
use bartizan_xml::names::{self, uri};
use bartizan_xml::write::Writer;

use crate::draft::Block;
use crate::error::Error;

/// Longest MessageID, in bytes, that is copied into RelatesTo; also the longest address or action that is read.
pub const MAX_IRI_BYTES: usize = 1024;

/// An edition of WS-Addressing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Edition {
    /// The member submission of August 2004 (read only).
    W2004,
    /// The recommendation of 2005/08.
    W2005,
}

impl Edition {
    /// The edition of a namespace.
    #[must_use]
    pub fn from_namespace(ns: &str) -> Option<Edition> {
        match ns {
            n if n == names::ns::WSA.uri() => Some(Edition::W2005),
            n if n == names::ns::WSA04.uri() => Some(Edition::W2004),
            _ => None,
        }
    }

    /// The namespace.
    #[must_use]
    pub fn namespace(self) -> &'static str {
        match self {
            Edition::W2004 => names::ns::WSA04.uri(),
            Edition::W2005 => names::ns::WSA.uri(),
        }
    }

    /// The address that means "answer on this connection".
    #[must_use]
    pub fn anonymous(self) -> &'static str {
        match self {
            Edition::W2004 => uri::WSA04_ANONYMOUS,
            Edition::W2005 => uri::WSA_ANONYMOUS,
        }
    }
}

/// An endpoint reference, as far as we use one: its address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Epr {
    /// The address, an IRI.
    pub address: String,
}

/// The message addressing properties of one message.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Addressing {
    /// The edition; `None` if there is no addressing header.
    pub edition: Option<Edition>,
    /// Destination.
    pub to: Option<String>,
    /// Action.
    pub action: Option<String>,
    /// Id of this message.
    pub message_id: Option<String>,
    /// Id of the message that this one answers (the first RelatesTo of relationship reply).
    pub relates_to: Option<String>,
    /// Where replies go.
    pub reply_to: Option<Epr>,
    /// Where faults go.
    pub fault_to: Option<Epr>,
    /// Who sent it.
    pub from: Option<Epr>,
}

impl Addressing {
    /// Reads the properties out of header blocks; blocks of other namespaces are passed over.
    ///
    /// # Errors
    /// [`Error::Addressing`] for a doubled header (other than RelatesTo), an empty or overlong value, or two editions in one message.
    pub fn read<'d>(blocks: impl Iterator<Item = Element<'d>>) -> Result<Addressing, Error> {
        let mut out = Addressing::default();
        for block in blocks {
            let Some(edition) = block.namespace().and_then(Edition::from_namespace) else { continue };
            if *out.edition.get_or_insert(edition) != edition {
                return Err(Error::Addressing { header: "edition", offset: block.span().start });
            }
            match block.local_name() {
                "To" => once(&mut out.to, "To", block, iri(block, "To")?)?,
                "Action" => once(&mut out.action, "Action", block, iri(block, "Action")?)?,
                "MessageID" => once(&mut out.message_id, "MessageID", block, iri(block, "MessageID")?)?,
                "ReplyTo" => once(&mut out.reply_to, "ReplyTo", block, epr(block, edition, "ReplyTo")?)?,
                "FaultTo" => once(&mut out.fault_to, "FaultTo", block, epr(block, edition, "FaultTo")?)?,
                "From" => once(&mut out.from, "From", block, epr(block, edition, "From")?)?,
                "RelatesTo" if out.relates_to.is_none() => out.relates_to = Some(iri(block, "RelatesTo")?),
                _ => {}
            }
        }
        Ok(out)
    }

    /// The properties of a reply to this message on the same connection.
    ///
    /// `message_id` is the id of the reply (an IRI such as `urn:uuid:…`, made by the caller, who owns chance).
    #[must_use]
    pub fn reply(&self, action: Option<&str>, message_id: String) -> Addressing {
        Addressing {
            edition: self.edition,
            to: self.edition.map(|e| e.anonymous().to_owned()),
            action: action.map(str::to_owned),
            message_id: Some(message_id),
            relates_to: self.message_id.clone(),
            ..Addressing::default()
        }
    }

    /// The header blocks for these properties in the edition of 2005/08 (of 2004/08 if they were read so).
    #[must_use]
    pub fn blocks(&self) -> Vec<Block> {
        let ns = self.edition.unwrap_or(Edition::W2005).namespace();
        let mut out = Vec::new();
        let mut leaf = |local: &str, value: &Option<String>| {
            if let Some(value) = value {
                let mut w = Writer::new();
                w.open("wsa", ns, local);
                w.text(value);
                w.close();
                if let Ok(octets) = w.finish() {
                    out.push(Block::new(ns, local, octets));
                }
            }
        };
        leaf("To", &self.to);
        leaf("Action", &self.action);
        leaf("MessageID", &self.message_id);
        leaf("RelatesTo", &self.relates_to);
        for (local, epr) in [("From", &self.from), ("ReplyTo", &self.reply_to), ("FaultTo", &self.fault_to)] {
            let Some(epr) = epr else { continue };
            let mut w = Writer::new();
            w.open("wsa", ns, local);
            w.open("wsa", ns, "Address");
            w.text(&epr.address);
            w.close();
            w.close();
            if let Ok(octets) = w.finish() {
                out.push(Block::new(ns, local, octets));
            }
        }
        out
    }
}

/// Whether an element belongs to WS-Addressing, either edition.
#[must_use]
pub fn is_addressing(block: Element<'_>) -> bool {
    block.namespace().is_some_and(|n| Edition::from_namespace(n).is_some())
}

fn once<T>(slot: &mut Option<T>, header: &'static str, at: Element<'_>, value: T) -> Result<(), Error> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(Error::Addressing { header, offset: at.span().start }),
    }
}

fn iri(block: Element<'_>, header: &'static str) -> Result<String, Error> {
    let bad = || Error::Addressing { header, offset: block.span().start };
    let text = block.leaf_text().map_err(|_| bad())?;
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    let sound =
        !text.is_empty() && text.len() <= MAX_IRI_BYTES && !text.chars().any(|c| c.is_control() || c == ' ');
    if sound { Ok(text.to_owned()) } else { Err(bad()) }
}

fn epr(block: Element<'_>, edition: Edition, header: &'static str) -> Result<Epr, Error> {
    let bad = || Error::Addressing { header, offset: block.span().start };
    let mut addresses = block
        .elements()
        .filter(|e| e.local_name() == "Address" && e.namespace() == Some(edition.namespace()));
    let address = addresses.next().ok_or_else(bad)?;
    if addresses.next().is_some() {
        return Err(bad());
    }
    Ok(Epr { address: iri(address, header)? })
}
