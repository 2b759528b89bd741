//! Securing a message: the entry.

pub(crate) mod token;

use bartizan_soap::Draft;

use crate::env::Env;
use crate::error::Error;
use crate::message::Secured;
use crate::plan::Plan;
use crate::request::RequestFacts;

impl Plan {
    /// Secures a draft as this plan says.
    ///
    /// `request` is what the reply answers (recipient); `None` for a request.
    ///
    /// # Errors
    /// [`Error`] where a key is missing or does not fit, or where a part of the plan is not in the draft.
    pub fn secure(&self, draft: Draft, env: &Env<'_>, request: Option<&RequestFacts>) -> Result<Secured, Error> {
        todo!("{:?} {} {}", draft.version(), env.now.millis(), request.is_some())
    }
}
