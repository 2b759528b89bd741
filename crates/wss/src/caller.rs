//! `Caller`: who sent a message, and how that was proved. Only made from verified evidence.
//!
//! Not here: authorization. Called by `inbound::conform` at the end, read by services and the gateway's identity headers.

use std::sync::Arc;

use bartizan_keys::{Certificate, User};

/// How a caller was proved.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ProvedBy {
    /// By a signature made with the key of a trusted certificate.
    X509Signature,
    /// By a client certificate of the transport.
    ClientCertificate,
    /// By the password, as it is, in a UsernameToken.
    UsernamePassword,
    /// By a digest of the password in a UsernameToken.
    UsernameDigest,
    /// By a signature made with a key derived from the password.
    UsernameSignature,
    /// By an endorsing signature made with the key of a trusted certificate.
    X509Endorsement,
    /// By an endorsing signature made with a key derived from the password.
    UsernameEndorsement,
}

impl ProvedBy {
    /// The word used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ProvedBy::X509Signature => "x509-signature",
            ProvedBy::ClientCertificate => "client-certificate",
            ProvedBy::UsernamePassword => "username-password",
            ProvedBy::UsernameDigest => "username-digest",
            ProvedBy::UsernameSignature => "username-signature",
            ProvedBy::X509Endorsement => "x509-endorsement",
            ProvedBy::UsernameEndorsement => "username-endorsement",
        }
    }
}

/// A proved principal.
#[derive(Clone, Debug)]
pub struct Caller {
    proved_by: ProvedBy,
    principal: Principal,
}

#[derive(Clone, Debug)]
enum Principal {
    Certificate(Certificate),
    User(Arc<User>),
}

impl Caller {
    pub(crate) fn of_certificate(certificate: Certificate, proved_by: ProvedBy) -> Caller {
        Caller { proved_by, principal: Principal::Certificate(certificate) }
    }

    pub(crate) fn of_user(user: Arc<User>, proved_by: ProvedBy) -> Caller {
        Caller { proved_by, principal: Principal::User(user) }
    }

    /// The name: for a certificate the subject as RFC 4514 text, for a user the name in the source of users.
    #[must_use]
    pub fn name(&self) -> &str {
        match &self.principal {
            Principal::Certificate(certificate) => certificate.subject_text(),
            Principal::User(user) => user.name(),
        }
    }

    /// How it was proved.
    #[must_use]
    pub fn proved_by(&self) -> ProvedBy {
        self.proved_by
    }

    /// The certificate, if one proved it.
    #[must_use]
    pub fn certificate(&self) -> Option<&Certificate> {
        match &self.principal {
            Principal::Certificate(certificate) => Some(certificate),
            Principal::User(_) => None,
        }
    }

    /// The user, if a UsernameToken proved one.
    #[must_use]
    pub fn user(&self) -> Option<&User> {
        match &self.principal {
            Principal::Certificate(_) => None,
            Principal::User(user) => Some(user),
        }
    }

    /// The groups of the user; none for a certificate.
    #[must_use]
    pub fn groups(&self) -> &[String] {
        self.user().map_or(&[], User::groups)
    }
}
