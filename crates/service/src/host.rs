//! A service: its operations, and which one a request means.
//!
//! The operation is chosen by the name of the first element of the Body, as the plan shows
//! it: by what was verified, never by a header of the transport.

pub mod operation;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bartizan_soap::{Draft, Fault, ToFault as _};
use bartizan_wss::{Protection, Verified};
use tower_service::Service;

use self::operation::{Answers, Need, Operation};
use crate::Error;

/// The operations of one service. Cheap to clone.
#[derive(Clone)]
pub struct Host {
    operations: Arc<Vec<Arc<dyn Operation>>>,
}

impl Host {
    /// A host of these operations; the first one that answers an element gets it.
    pub fn new(operations: Vec<Arc<dyn Operation>>) -> Self {
        Host { operations: Arc::new(operations) }
    }

    /// A host of one operation.
    pub fn of(operation: impl Operation) -> Self {
        Host::new(vec![Arc::new(operation)])
    }

    /// The operation that `request` means.
    ///
    /// # Errors
    /// [`Error::BodyUnseen`], [`Error::Payload`], [`Error::NoOperation`],
    /// [`Error::Unproved`].
    pub fn choose(&self, request: &Verified) -> Result<Arc<dyn Operation>, Error> {
        let body = request.body().ok_or(Error::BodyUnseen)?;
        let mut elements = body.elements();
        let (Some(payload), None) = (elements.next(), elements.next()) else { return Err(Error::Payload) };
        let operation = self
            .operations
            .iter()
            .find(|operation| match operation.answers() {
                Answers::Anything => true,
                Answers::Element { namespace, local } => {
                    payload.namespace().unwrap_or_default() == namespace && payload.local_name() == local
                }
            })
            .ok_or(Error::NoOperation)?;
        match (operation.needs(), body.protection()) {
            (Need::Proof, Protection::Open) => Err(Error::Unproved),
            (Need::Proof | Need::Nothing, _) => Ok(Arc::clone(operation)),
        }
    }

    /// Serves one request.
    ///
    /// # Errors
    /// The fault to be secured and sent.
    pub async fn serve(&self, request: Verified) -> Result<Draft, Fault> {
        let operation = self.choose(&request).map_err(|error| error.to_fault())?;
        operation.call(request).await
    }
}

impl Service<Verified> for Host {
    type Response = Draft;
    type Error = Fault;
    type Future = Pin<Box<dyn Future<Output = Result<Draft, Fault>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Verified) -> Self::Future {
        let host = self.clone();
        Box::pin(async move { host.serve(request).await })
    }
}
