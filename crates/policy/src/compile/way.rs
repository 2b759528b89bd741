//! Which message of an exchange is compiled, and what a reply has to know of its request.

use bartizan_wss::plan::InPlan;

/// Which message of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Request,
    Reply,
}

impl Way {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Reply => "reply",
        }
    }
}

/// What a reply has to know of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Its signature is in the clear, or there is none.
    Plainly,
    /// Its signature is encrypted, so that its confirmation has to be, too (WS-Security 1.1 §8.5).
    Hidden,
}

impl Asked {
    /// As the plan of the request says.
    pub(crate) fn by(request: &InPlan) -> Self {
        if request.wants_encrypted_signature() { Self::Hidden } else { Self::Plainly }
    }
}
