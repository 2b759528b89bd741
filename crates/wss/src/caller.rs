//! `Caller`: who sent a message, and how that was proved. Only made from verified evidence.
//!
//! Not here: authorization. Called by `inbound::conform` at the end, read by services and the gateway's identity headers.

use bartizan_keys::Certificate;

/// How a caller was proved.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ProvedBy {
    /// By a signature made with the key of a trusted certificate.
    X509Signature,
    /// By a client certificate of the transport.
    ClientCertificate,
}

impl ProvedBy {
    /// The word used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ProvedBy::X509Signature => "x509-signature",
            ProvedBy::ClientCertificate => "client-certificate",
        }
    }
}

/// A proved principal.
#[derive(Clone, Debug)]
pub struct Caller {
    proved_by: ProvedBy,
    certificate: Option<Certificate>,
}

impl Caller {
    pub(crate) fn of_certificate(certificate: Certificate, proved_by: ProvedBy) -> Caller {
        Caller { proved_by, certificate: Some(certificate) }
    }

    /// The name: for a certificate the subject as RFC 4514 text.
    #[must_use]
    pub fn name(&self) -> &str {
        self.certificate.as_ref().map_or("", Certificate::subject_text)
    }

    /// How it was proved.
    #[must_use]
    pub fn proved_by(&self) -> ProvedBy {
        self.proved_by
    }

    /// The certificate, if one proved it.
    #[must_use]
    pub fn certificate(&self) -> Option<&Certificate> {
        self.certificate.as_ref()
    }
}
