//! `WireMessage`: bytes that may go on the wire. Only a plan makes one.
//!
//! A message cannot be forged:
//! ```compile_fail,E0451
//! let _ = bartizan_wss::WireMessage { bytes: Vec::new(), version: bartizan_soap::Version::Soap12, action: None };
//! ```

use bartizan_soap::{Version, media};

use crate::request::SentSignatures;

/// A finished message.
pub struct WireMessage {
    bytes: Vec<u8>,
    version: Version,
    action: Option<String>,
}

impl WireMessage {
    /// Made in `outbound` only.
    pub(crate) fn seal(bytes: Vec<u8>, version: Version, action: Option<String>) -> Self {
        Self { bytes, version, action }
    }

    /// The octets, UTF-8, without an XML declaration.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The octets, owned.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// SOAP version.
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// The `Content-Type` to send, with the action in SOAP 1.2.
    #[must_use]
    pub fn content_type(&self) -> String {
        media::content_type(self.version, self.action.as_deref())
    }

    /// The `SOAPAction` header's value to send; only SOAP 1.1 has one.
    #[must_use]
    pub fn soap_action(&self) -> Option<String> {
        (self.version == Version::Soap11).then(|| media::soap_action(self.action.as_deref()))
    }
}

impl std::fmt::Debug for WireMessage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WireMessage")
            .field("bytes", &self.bytes.len())
            .field("version", &self.version)
            .finish()
    }
}

/// A secured message and what must be remembered of it.
#[derive(Debug)]
pub struct Secured {
    /// The message.
    pub message: WireMessage,
    /// Its signature values, which the reply must confirm.
    pub sent: SentSignatures,
}
