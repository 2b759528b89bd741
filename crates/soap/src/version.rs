//! The two SOAP versions and what differs between them by name.
//!
//! Not here: how an envelope is read (`envelope`) or a fault is shaped (`fault`). Called from everywhere in this crate and from `bartizan-wss`.

use bartizan_xml::names::{self, Name, Ns};

/// A SOAP version (SOAP 1.1 note of 2000, SOAP 1.2 recommendation of 2007).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Version {
    /// SOAP 1.1, sent as `text/xml`.
    Soap11,
    /// SOAP 1.2, sent as `application/soap+xml`.
    Soap12,
}

impl Version {
    /// The version of an envelope namespace; `None` for any other (a VersionMismatch fault, SOAP 1.2 part 1 §5.4.7).
    #[must_use]
    pub fn from_namespace(uri: &str) -> Option<Version> {
        match uri {
            u if u == names::ns::SOAP11.uri() => Some(Version::Soap11),
            u if u == names::ns::SOAP12.uri() => Some(Version::Soap12),
            _ => None,
        }
    }

    /// The namespace of Envelope, Header, Body and Fault.
    #[must_use]
    pub fn ns(self) -> Ns {
        match self {
            Version::Soap11 => names::ns::SOAP11,
            Version::Soap12 => names::ns::SOAP12,
        }
    }

    /// The namespace as text.
    #[must_use]
    pub fn namespace(self) -> &'static str {
        self.ns().uri()
    }

    /// The name of the Envelope element.
    #[must_use]
    pub fn envelope(self) -> Name {
        match self {
            Version::Soap11 => names::soap11::ENVELOPE,
            Version::Soap12 => names::soap12::ENVELOPE,
        }
    }

    /// The name of the Header element.
    #[must_use]
    pub fn header(self) -> Name {
        match self {
            Version::Soap11 => names::soap11::HEADER,
            Version::Soap12 => names::soap12::HEADER,
        }
    }

    /// The name of the Body element.
    #[must_use]
    pub fn body(self) -> Name {
        match self {
            Version::Soap11 => names::soap11::BODY,
            Version::Soap12 => names::soap12::BODY,
        }
    }

    /// The name of the Fault element.
    #[must_use]
    pub fn fault(self) -> Name {
        match self {
            Version::Soap11 => names::soap11::FAULT,
            Version::Soap12 => names::soap12::FAULT,
        }
    }

    /// The name of the `mustUnderstand` attribute.
    #[must_use]
    pub fn must_understand(self) -> Name {
        match self {
            Version::Soap11 => names::soap11::MUST_UNDERSTAND,
            Version::Soap12 => names::soap12::MUST_UNDERSTAND,
        }
    }

    /// The attribute that addresses a header block: `actor` in 1.1, `role` in 1.2.
    #[must_use]
    pub fn role(self) -> Name {
        match self {
            Version::Soap11 => names::soap11::ACTOR,
            Version::Soap12 => names::soap12::ROLE_LOWER,
        }
    }

    /// How we write a true `mustUnderstand`: `1` in 1.1 (the only spelling there), `true` in 1.2.
    #[must_use]
    pub fn true_text(self) -> &'static str {
        match self {
            Version::Soap11 => "1",
            Version::Soap12 => "true",
        }
    }

    /// The media type without parameters.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Version::Soap11 => "text/xml",
            Version::Soap12 => "application/soap+xml",
        }
    }

    /// The local name of the attribute that addresses a block, for writers.
    #[must_use]
    pub fn role_local(self) -> &'static str {
        match self {
            Version::Soap11 => "actor",
            Version::Soap12 => "role",
        }
    }

    /// The version number as people write it.
    #[must_use]
    pub fn number(self) -> &'static str {
        match self {
            Version::Soap11 => "1.1",
            Version::Soap12 => "1.2",
        }
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SOAP {}", self.number())
    }
}
