//! The words and codes of each [`Problem`]: one match each, without a catch-all.

use std::fmt;

use bartizan_xml::names::ns;

use super::{Problem, Severity};

/// Whether this is the namespace in which Rampart and Rampart/C keep their settings inside of a policy.
pub(crate) fn is_rampart_config(namespace: &str) -> bool {
    [ns::RAMPART.uri(), ns::RAMPART_C.uri()].contains(&namespace)
}

impl Problem {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Xml { .. } => "xml",
            Self::NoPolicy => "no_policy",
            Self::NoSuchPolicy { .. } => "no_such_policy",
            Self::SeveralPolicies { .. } => "several_policies",
            Self::UnknownAssertion { .. } => "unknown_assertion",
            Self::Misplaced { .. } => "misplaced_assertion",
            Self::Misspelt { .. } => "misspelt_assertion",
            Self::Version { .. } => "assertion_version",
            Self::Foreign { .. } | Self::ForeignUsed { .. } => "foreign_assertion",
            Self::SecurityPolicyOperator { .. } | Self::NoSuchOperator { .. } => "sp_policy",
            Self::UnknownOperator { .. } => "unknown_operator",
            Self::StrayText { .. } => "stray_text",
            Self::NoNestedPolicy { .. } => "no_nested_policy",
            Self::TwoNestedPolicies { .. } => "two_nested_policies",
            Self::MissingParameter { .. } => "missing_parameter",
            Self::UnknownParameter { .. } => "unknown_parameter",
            Self::BadAttribute { .. } => "bad_attribute",
            Self::UnknownAttribute { .. } => "unknown_attribute",
            Self::MixedVersions { .. } => "mixed_versions",
            Self::Path { .. } => "path",
            Self::PathPrefix { .. } => "path_prefix",
            Self::Unresolved { .. } => "unresolved_reference",
            Self::ReferenceCycle { .. } => "reference_cycle",
            Self::TooDeep { .. } => "too_deep",
            Self::TooManyAlternatives { .. } => "too_many_alternatives",
            Self::TooManyAssertions { .. } => "too_many_assertions",
            Self::TooManyParts { .. } => "too_many_parts",
            Self::AlternativesLeft { .. } => "alternatives_left",
            Self::NoAlternative => "no_alternative",
            Self::ReceiverSilent { .. } => "receiver_silent",
            Self::Fragment => "fragment",
            Self::Contradiction { .. } => "contradiction",
            Self::Twice { .. } => "twice",
            Self::Incomplete { .. } => "incomplete",
            Self::NotCompiled { .. } => "not_compiled",
            Self::NothingDemanded { .. } => "nothing_demanded",
            Self::UnsignedCbc { .. } => "unsigned_cbc",
            Self::DecryptsFirst => "decrypts_first",
            Self::OneSided { .. } => "one_sided",
            Self::SaidElsewhere { .. } => "said_elsewhere",
            Self::RefusedName { .. } => "refused_name",
            Self::BodyOpen { .. } => "body_open",
            Self::UnguardedToken { .. } => "unguarded_token",
            Self::NoNormalForm => "no_normal_form",
            Self::Toml { .. } => "toml",
            Self::UnknownKey { .. } => "unknown_key",
            Self::BadValue { .. } => "bad_value",
            Self::MissingKey { .. } => "missing_key",
            Self::UnknownBuiltin { .. } => "unknown_builtin",
            Self::Plan { .. } => "plan",
        }
    }

    /// The usual weight.
    #[must_use]
    pub const fn severity(&self) -> Severity {
        match self {
            Self::Misplaced { .. }
            | Self::Misspelt { .. }
            | Self::StrayText { .. }
            | Self::Version { .. }
            | Self::Foreign { .. }
            | Self::SecurityPolicyOperator { .. }
            | Self::UnknownAttribute { .. }
            | Self::MixedVersions { .. }
            | Self::ReceiverSilent { .. }
            | Self::Fragment
            | Self::NotCompiled { .. }
            | Self::DecryptsFirst
            | Self::SaidElsewhere { .. }
            | Self::BodyOpen { .. }
            | Self::UnguardedToken { .. }
            | Self::OneSided { .. } => Severity::Warning,
            Self::Xml { .. }
            | Self::NoPolicy
            | Self::NoSuchPolicy { .. }
            | Self::SeveralPolicies { .. }
            | Self::UnknownAssertion { .. }
            | Self::ForeignUsed { .. }
            | Self::NoSuchOperator { .. }
            | Self::UnknownOperator { .. }
            | Self::NoNestedPolicy { .. }
            | Self::TwoNestedPolicies { .. }
            | Self::MissingParameter { .. }
            | Self::UnknownParameter { .. }
            | Self::BadAttribute { .. }
            | Self::Path { .. }
            | Self::PathPrefix { .. }
            | Self::Unresolved { .. }
            | Self::ReferenceCycle { .. }
            | Self::TooDeep { .. }
            | Self::TooManyAlternatives { .. }
            | Self::TooManyAssertions { .. }
            | Self::TooManyParts { .. }
            | Self::AlternativesLeft { .. }
            | Self::NoAlternative
            | Self::Contradiction { .. }
            | Self::Twice { .. }
            | Self::Incomplete { .. }
            | Self::NothingDemanded { .. }
            | Self::UnsignedCbc { .. }
            | Self::RefusedName { .. }
            | Self::NoNormalForm
            | Self::Toml { .. }
            | Self::UnknownKey { .. }
            | Self::BadValue { .. }
            | Self::MissingKey { .. }
            | Self::UnknownBuiltin { .. }
            | Self::Plan { .. } => Severity::Error,
        }
    }

    /// How to mend it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Self::UnknownAssertion { namespace_of: Some(version), name, .. } => {
                Some(format!("`{name}` belongs to WS-SecurityPolicy {version}: write it in that namespace"))
            }
            Self::UnknownAssertion { nearest: Some(name), .. } => Some(format!("did you mean `{name}`?")),
            Self::NoSuchPolicy { nearest: Some(name), .. } => Some(format!("did you mean `{name}`?")),
            Self::SeveralPolicies { .. } => Some("pick one by its name, `FILE#NAME`, or by `--nth`".to_owned()),
            Self::BadAttribute { nearest: Some(value), .. } => Some(format!("did you mean `{value}`?")),
            Self::UnknownKey { nearest: Some(key), .. } => Some(format!("did you mean `{key}`?")),
            Self::BadValue { nearest: Some(value), .. } => Some(format!("did you mean `{value}`?")),
            Self::BadValue { expected, .. } => Some(format!("expected {expected}")),
            Self::UnknownBuiltin { nearest: Some(name), .. } => Some(format!("did you mean `{name}`?")),
            Self::UnknownBuiltin { nearest: None, .. } => {
                Some(format!("built in: {}", crate::builtin::NAMES.join(", ")))
            }
            Self::Misspelt { name, .. } => Some(format!("write `{name}`")),
            Self::Foreign { namespace, .. } | Self::ForeignUsed { namespace, .. } => self.help_of_foreign(namespace),
            Self::SecurityPolicyOperator { .. } | Self::NoSuchOperator { .. } => {
                Some("write `wsp:Policy`: the operators belong to WS-Policy".to_owned())
            }
            Self::NoNestedPolicy { .. } => Some("put an empty `wsp:Policy` into it if nothing is to be said".to_owned()),
            Self::Path { .. } => Some("use child steps from the envelope, as in `/soap:Envelope/soap:Body/app:order`, or `//app:order`".to_owned()),
            Self::Unresolved { .. } => Some("put the policy into the same file, with that wsu:Id or Name".to_owned()),
            Self::TooManyAlternatives { .. } | Self::TooManyAssertions { .. } => {
                Some("say fewer ExactlyOne and Optional, or split the policy".to_owned())
            }
            Self::ReceiverSilent { .. } => {
                Some("say them here as the senders do: WSS4J's receivers take whatever is signed or encrypted, and either password".to_owned())
            }
            Self::Fragment => Some("attach it together with a policy that has a binding".to_owned()),
            Self::NothingDemanded { .. } | Self::UnsignedCbc { .. } => {
                Some("if that is meant, say so: `open = true` (`--open`)".to_owned())
            }
            Self::SaidElsewhere { place, .. } => Some(format!("say it there: {place}")),
            Self::BodyOpen { .. } => {
                Some("sign it, or say that it is meant: `open = true` (`--open`)".to_owned())
            }
            Self::UnguardedToken { .. } => {
                Some("demand Nonce and Created: then it is accepted once".to_owned())
            }
            Self::NoNormalForm => Some("`policy explain` says in words what it means".to_owned()),
            Self::DecryptsFirst => Some("without EncryptSignature and encrypted endorsing tokens the signature is checked before anything is decrypted".to_owned()),
            Self::OneSided { open, .. } => Some(format!(
                "give a `{open}` table as well: with `actions = \"NoSecurity\"` it says that this is meant"
            )),
            Self::Xml { .. }
            | Self::NoPolicy
            | Self::NoSuchPolicy { .. }
            | Self::UnknownAssertion { .. }
            | Self::Misplaced { .. }
            | Self::Version { .. }
            | Self::UnknownOperator { .. }
            | Self::StrayText { .. }
            | Self::TwoNestedPolicies { .. }
            | Self::MissingParameter { .. }
            | Self::UnknownParameter { .. }
            | Self::BadAttribute { .. }
            | Self::UnknownAttribute { .. }
            | Self::MixedVersions { .. }
            | Self::PathPrefix { .. }
            | Self::ReferenceCycle { .. }
            | Self::TooDeep { .. }
            | Self::TooManyParts { .. }
            | Self::AlternativesLeft { .. }
            | Self::NoAlternative
            | Self::Contradiction { .. }
            | Self::Twice { .. }
            | Self::Incomplete { .. }
            | Self::NotCompiled { .. }
            | Self::RefusedName { .. }
            | Self::Toml { .. }
            | Self::UnknownKey { .. }
            | Self::MissingKey { .. }
            | Self::Plan { .. } => None,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Xml { expected } => write!(f, "not readable as XML: {expected}"),
            Self::NoPolicy => write!(f, "no policy in this file"),
            Self::NoSuchPolicy { wanted, present, .. } => {
                write!(f, "no policy `{wanted}`: the file has {present}")
            }
            Self::SeveralPolicies { present } => write!(f, "the file has {present} policies"),
            Self::UnknownAssertion { name, .. } => write!(f, "unknown assertion `{name}`"),
            Self::Misplaced { name, within } => write!(f, "`{name}` does not belong into `{within}`"),
            Self::Misspelt { written, name } => write!(f, "`{written}` read as `{name}`"),
            Self::Version { name, since, written } => {
                write!(
                    f,
                    "`{name}` is an assertion of WS-SecurityPolicy {since}, written in the namespace of {written}"
                )
            }
            Self::Foreign { name, namespace, .. } | Self::ForeignUsed { name, namespace } => {
                self.of_foreign(f, name, namespace)
            }
            Self::SecurityPolicyOperator { within } => {
                write!(f, "`sp:Policy` in `{within}` read as `wsp:Policy`")
            }
            Self::NoSuchOperator { within } => {
                write!(f, "`sp:Policy` in `{within}` is not an operator of WS-Policy")
            }
            Self::UnknownOperator { name } => write!(f, "unknown policy operator `{name}`"),
            Self::StrayText { within } => write!(f, "text in `{within}`, where only elements may stand"),
            Self::NoNestedPolicy { name } => write!(f, "`{name}` has no nested policy"),
            Self::TwoNestedPolicies { name } => write!(f, "`{name}` has more than one nested policy"),
            Self::MissingParameter { name, parameter } => write!(f, "`{name}` lacks `{parameter}`"),
            Self::UnknownParameter { name, parameter } => {
                write!(f, "`{name}` has no parameter `{parameter}`")
            }
            Self::BadAttribute { attribute, value, .. } => write!(f, "`{attribute}` does not take `{value}`"),
            Self::UnknownAttribute { attribute } => write!(f, "unknown attribute `{attribute}`"),
            Self::MixedVersions { value } => {
                write!(f, "`{value}` is a value of another version of WS-SecurityPolicy than its assertion")
            }
            Self::Path { path } => write!(f, "the path `{path}` is beyond what can be matched"),
            Self::PathPrefix { prefix } => write!(f, "the prefix `{prefix}` of the path is not declared"),
            Self::Unresolved { uri } => write!(f, "no policy `{uri}` in this file"),
            Self::ReferenceCycle { uri } => write!(f, "the policy `{uri}` refers to itself"),
            Self::TooDeep { limit } => write!(f, "policies nested more than {limit} deep"),
            Self::TooManyAlternatives { .. }
            | Self::TooManyAssertions { .. }
            | Self::TooManyParts { .. }
            | Self::AlternativesLeft { .. } => self.of_size(f),
            Self::NoAlternative => write!(f, "a policy without an alternative can never be met"),
            Self::Fragment => write!(f, "a fragment: no binding says how to protect what it names"),
            Self::Contradiction { name, other } => write!(f, "`{name}` contradicts `{other}`"),
            Self::Twice { name } => write!(f, "`{name}` is said twice"),
            Self::Incomplete { name, missing } => write!(f, "`{name}` does not say its {missing}"),
            Self::NotCompiled { name } => write!(f, "`{name}` is understood but not built yet"),
            Self::NothingDemanded { side } => write!(f, "the {side} proves nothing about its sender"),
            Self::UnsignedCbc { side } => {
                write!(f, "the {side} encrypts with CBC what no signature covers")
            }
            Self::DecryptsFirst => {
                write!(
                    f,
                    "an encrypted signature, or the encrypted token of one, has to be decrypted before anything is proved"
                )
            }
            Self::OneSided { given, open } => write!(f, "only `{given}` is given: `{open}` is open"),
            Self::SaidElsewhere { .. }
            | Self::RefusedName { .. }
            | Self::BodyOpen { .. }
            | Self::UnguardedToken { .. }
            | Self::ReceiverSilent { .. }
            | Self::NoNormalForm => self.of_actions(f),
            Self::Toml { expected } => write!(f, "not readable as TOML: {expected}"),
            Self::UnknownKey { key, .. } => write!(f, "unknown key `{key}`"),
            Self::BadValue { key, value, .. } => write!(f, "`{key}` does not take `{value}`"),
            Self::MissingKey { key } => write!(f, "`{key}` is missing"),
            Self::UnknownBuiltin { name, .. } => write!(f, "no built-in policy `{name}`"),
            Self::Plan { what } => write!(f, "nothing can be made of it: {what}"),
        }
    }
}

impl Problem {
    /// What is to be said of policies that are too large.
    fn of_size(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyAlternatives { count, limit } => {
                write!(f, "{count} alternatives, at most {limit} are allowed")
            }
            Self::TooManyAssertions { count, limit } => {
                write!(f, "a normal form of {count} assertions, at most {limit} are allowed")
            }
            Self::TooManyParts { count, limit } => {
                write!(f, "{count} parts are named, at most {limit} are allowed")
            }
            Self::AlternativesLeft { limit } => {
                write!(f, "more than {limit} alternatives can be used; the first {limit} are accepted")
            }
            other => f.write_str(other.code()),
        }
    }

    /// How to go on with an assertion that is not ours.
    fn help_of_foreign(&self, namespace: &str) -> Option<String> {
        match self {
            Self::Foreign { .. } if is_rampart_config(namespace) => Some(
                "keys, users and times are said elsewhere: `bartizan help actions` has its names".to_owned(),
            ),
            Self::Foreign { ignorable: true, .. } => None,
            _ => {
                Some(format!("if it does not matter here: `--ignore {namespace}`, or `ignore` of a service"))
            }
        }
    }

    /// What is to be said of one.
    fn of_foreign(&self, f: &mut fmt::Formatter<'_>, name: &str, namespace: &str) -> fmt::Result {
        match self {
            Self::Foreign { .. } if is_rampart_config(namespace) => {
                write!(f, "`{name}` is not read: it says nothing of messages")
            }
            Self::Foreign { .. } => {
                write!(f, "`{name}` of the foreign namespace {namespace} is not understood")
            }
            _ => {
                write!(f, "an alternative with `{name}` of the foreign namespace {namespace} cannot be used")
            }
        }
    }

    /// What is to be said of action blocks and of the tokens of users.
    fn of_actions(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SaidElsewhere { name, .. } => write!(f, "`{name}` is said elsewhere"),
            Self::RefusedName { name, reason } => write!(f, "`{name}` is refused: {reason}"),
            Self::BodyOpen { side } => {
                write!(f, "the {side} proves its sender, and leaves the Body open to changes")
            }
            Self::UnguardedToken { side } => write!(
                f,
                "a UsernameToken of the {side} need not carry Nonce and Created: nothing tells when it is sent again"
            ),
            Self::NoNormalForm => write!(f, "a block of actions has no normal form"),
            Self::ReceiverSilent { unsaid } => write!(
                f,
                "the list of this receiver comes without {unsaid}: what senders do by default is demanded"
            ),
            other => f.write_str(other.code()),
        }
    }
}
