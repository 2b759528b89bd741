//! The one error of this crate, and the fault that each becomes.
//!
//! Every request that gets here was verified, so the fault may say what is wrong: it goes
//! to a known caller, secured like a reply.

use std::fmt;

use bartizan_soap::{Fault, FaultCode, ToFault};

/// Why a verified request is not served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The Body is not among what the plan shows.
    BodyUnseen,
    /// The Body is empty, or holds more than one element.
    Payload,
    /// No operation answers this element.
    NoOperation,
    /// The operation wants proof, and the plan left the Body open.
    Unproved,
    /// The verified view is no envelope; a mistake of ours.
    View,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Error::BodyUnseen => "The policy of this service does not cover the Body.",
            Error::Payload => "The Body must hold exactly one element.",
            Error::NoOperation => "No operation of this service answers this element.",
            Error::Unproved => "This operation needs a protected Body.",
            Error::View => "The request could not be shown.",
        })
    }
}

impl std::error::Error for Error {}

impl ToFault for Error {
    fn to_fault(&self) -> Fault {
        let code = match self {
            Error::BodyUnseen | Error::View => FaultCode::Receiver,
            Error::Payload | Error::NoOperation | Error::Unproved => FaultCode::Sender,
        };
        Fault::new(code, self.to_string())
    }
}
