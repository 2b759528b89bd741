//! What the configuration decides where a policy is silent, or where peers differ.

use bartizan_crypto::suite::SignatureReading;
use bartizan_wss::plan::{Breach, ConfirmationRule, TimestampRule};

use super::Override;
use crate::normal::NormalLimits;

/// What the configuration decides where a policy is silent or where peers differ.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How the signature method of the `…Sha256` suites is read when we sign.
    pub reading: SignatureReading,
    /// Which readings we accept.
    pub accept: Accept,
    /// Whether a plan may demand no authentication.
    pub open: Open,
    /// Whose messages are to be expected.
    pub profile: Profile,
    /// Age limits where the policy asks for a Timestamp; also the lifetime of ours.
    pub timestamp: TimestampRule,
    /// What a breach of the layout does.
    pub layout: Breach,
    /// How keys must be named.
    pub references: References,
    /// What an initiator does about a missing SignatureConfirmation that the policy demands.
    pub confirmation: Confirmation,
    /// Foreign namespaces that may be ignored.
    pub ignore: Vec<Box<str>>,
    /// Single algorithms in place of the suite's.
    pub algorithms: Vec<Override>,
    /// Whether an action block also accepts the algorithms of WSS4J 1.5's time (`--legacy`).
    pub period: bool,
    /// How large the normal form may become.
    pub limits: NormalLimits,
}

/// Whether a plan that demands no authentication, or leaves the Body open, is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Open {
    /// No: such a policy is refused.
    #[default]
    Refused,
    /// Yes, said in so many words (`open = true`, `--open`).
    Said,
}

/// Which reading of the `…Sha256` suites is accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Accept {
    /// The one that we sign with.
    #[default]
    Own,
    /// Both.
    Either,
}

/// Whose messages are to be expected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Those of the specification.
    #[default]
    Standard,
    /// Those of Rampart/C's samples: a Timestamp may stand unsigned, the layout is not kept, a Nonce says no EncodingType, a ReferenceList
    /// may be empty.
    RampartCLegacy,
}

impl Profile {
    /// The name in configuration and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::RampartCLegacy => "rampart-c-legacy",
        }
    }

    /// The profile of that name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        [Self::Standard, Self::RampartCLegacy].into_iter().find(|profile| profile.name() == name)
    }
}

/// How keys must be named in what comes in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum References {
    /// In any way: stacks differ (wire formats: Rampart's direct Reference, CXF's thumbprint beside the token).
    #[default]
    Any,
    /// As the policy says.
    Strict,
}

/// What a missing SignatureConfirmation does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Confirmation {
    /// Refuses the reply.
    #[default]
    Demanded,
    /// Is a warning: for Rampart/C under Wss11 before Wss10, which sends none.
    Waived,
}

impl Options {
    pub(super) fn ignores(&self, namespace: &str) -> bool {
        self.ignore.iter().any(|ignored| **ignored == *namespace)
    }

    pub(crate) fn confirmation_rule(&self) -> ConfirmationRule {
        match self.confirmation {
            Confirmation::Demanded => ConfirmationRule::Demand,
            Confirmation::Waived => ConfirmationRule::Warn,
        }
    }
}
