//! One operation of a service.

use std::future::Future;
use std::pin::Pin;

use bartizan_soap::{Draft, Fault};
use bartizan_wss::Verified;

/// The answer in the making.
pub type Answer = Pin<Box<dyn Future<Output = Result<Draft, Fault>> + Send>>;

/// Which requests an operation answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers<'a> {
    /// Any single element of the Body.
    Anything,
    /// The element of this name.
    Element {
        /// Its namespace; empty for none.
        namespace: &'a str,
        /// Its local name.
        local: &'a str,
    },
}

/// What must be proved of a request before the operation sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Need {
    /// The Body is protected by a signature or by the transport.
    #[default]
    Proof,
    /// Nothing: the operation answers strangers, too.
    Nothing,
}

/// An operation. It takes a [`Verified`] request, so an unchecked one is a type error:
///
/// ```compile_fail
/// use bartizan_service::{Answer, Operation};
/// fn serve(operation: &dyn Operation, message: bartizan_wss::Untrusted) -> Answer {
///     operation.call(message)
/// }
/// ```
///
/// while a verified one is what it is for:
///
/// ```
/// use bartizan_service::{Answer, Operation};
/// fn serve(operation: &dyn Operation, message: bartizan_wss::Verified) -> Answer {
///     operation.call(message)
/// }
/// ```
pub trait Operation: Send + Sync + 'static {
    /// Its name, for logs.
    fn name(&self) -> &str;

    /// Which requests it answers.
    fn answers(&self) -> Answers<'_>;

    /// What must be proved before.
    fn needs(&self) -> Need {
        Need::Proof
    }

    /// Answers one request, with a draft or a fault; both are secured as the plan says.
    fn call(&self, request: Verified) -> Answer;
}
