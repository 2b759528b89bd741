//! Securing a message: what the plan says, written in one pass, canonical by construction.
//!
//! Digests are computed over octets that are then written as they are; nothing is canonicalized and nothing that was signed is touched again.
//! Not here: which parts and algorithms (the plan). Called by services, the gateway, the client and the file tool.

mod compose;
mod elements;
mod endorse;
mod ids;
mod seal;
mod secret;
mod sign;
mod start_tag;
mod steps;
pub(crate) mod token;
mod username;
mod write;

use bartizan_soap::Draft;

use crate::env::{Env, Transport};
use crate::error::Error;
use crate::message::{Secured, WireMessage};
use crate::plan::Plan;
use crate::request::RequestFacts;

impl Plan {
    /// Secures a draft as this plan says.
    ///
    /// A plan of several alternatives answers as the one that the request satisfied says.
    /// `request` is what the reply answers (recipient); `None` for a request. Costs one private-key operation for each signature and one public-key
    /// operation for encryption.
    ///
    /// # Errors
    /// [`Error::AlreadySecured`], [`Error::NoOwnKey`], [`Error::NoEndorser`], [`Error::NoRecipient`], [`Error::NoRequest`], [`Error::NoSecret`], [`Error::PlainTransport`], [`Error::WrongKey`], [`Error::WrongPeerKey`], [`Error::KeyReference`],
    /// [`Error::MissingPart`], and what the layers below refuse.
    pub fn secure(
        &self,
        draft: Draft,
        env: &Env<'_>,
        request: Option<&RequestFacts>,
    ) -> Result<Secured, Error> {
        let plan = self.outbound_for(request);
        if plan.over_tls && !matches!(env.transport, Transport::Tls { .. }) {
            return Err(Error::PlainTransport);
        }
        let version = draft.version();
        let action = draft.action().map(str::to_owned);
        let (bytes, sent) = compose::Composer::new(plan, draft, env, request)?.run()?;
        // INVARIANT: the only place that makes a `WireMessage`.
        Ok(Secured { message: WireMessage::seal(bytes, version, action), sent })
    }
}
