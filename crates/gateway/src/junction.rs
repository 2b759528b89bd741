//! A mount: the path, the plan in front, the keys and the memory it runs with, and what is
//! behind it. Built by `build`, never half valid.

pub mod table;

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;

use bartizan_keys::{Keystore, UserSource};
use bartizan_soap::addressing::Edition;
use bartizan_soap::{Draft, Fault};
use bartizan_wss::replay::ReplayCache;
use bartizan_wss::{KeptSecrets, Plan, Verified};
use bartizan_xml::Limits;
use tower_service::Service;

pub use table::{Load, Table};

/// The answer of something hosted, in the making.
pub type Serving<'a> = Pin<Box<dyn Future<Output = Result<Draft, Fault>> + Send + 'a>>;

/// Something that answers verified requests in this process.
pub trait Hosted: Send + Sync {
    /// Serves one request.
    fn serve(&self, request: Verified) -> Serving<'_>;
}

/// A tower service as a [`Hosted`]. The service is cloned for each request.
#[derive(Clone, Debug)]
pub struct Mounted<S>(pub S);

impl<S> Hosted for Mounted<S>
where
    S: Service<Verified, Response = Draft, Error = Fault> + Clone + Send + Sync,
    S::Future: Send,
{
    fn serve(&self, request: Verified) -> Serving<'_> {
        let mut service = self.0.clone();
        Box::pin(async move {
            poll_fn(|context| service.poll_ready(context)).await?;
            service.call(request).await
        })
    }
}

/// How the answer of a service goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// As the plan says.
    Secured,
    /// As it is (only a mirror, on loopback).
    Plain,
}

/// One mount.
#[derive(Clone)]
pub struct Junction {
    /// The exact path of its requests.
    pub path: String,
    /// The recipient's plan.
    pub plan: Arc<Plan>,
    /// One snapshot; an exchange sees it from start to end.
    pub keys: Keystore,
    /// The memory of seen messages; `None`: replay is not guarded.
    pub replay: Option<Arc<dyn ReplayCache>>,
    /// Secrets of requests before, which a request may name; `None`: none may. Its own, so that no other service's plan or keys vouch for them,
    /// and gone with the table that it stands in.
    pub kept: Option<Arc<KeptSecrets>>,
    /// Who may show a UsernameToken; `None`: nobody.
    pub users: Option<Arc<dyn UserSource>>,
    /// What a message may hold.
    pub limits: Limits,
    /// How answers go out.
    pub reply: Reply,
    /// The edition of WS-Addressing that the policy asks for.
    pub addressing: Option<Edition>,
    /// What is behind it.
    pub target: Arc<dyn Hosted>,
}

impl Junction {
    /// Whether verifying a message of this mount may wait for something outside of this process, or is slow on purpose.
    /// Then it takes one of the places that `[limits] waiting` counts.
    pub fn may_wait(&self) -> bool {
        self.replay.as_ref().is_some_and(|replay| replay.may_wait())
            || self.users.as_ref().is_some_and(|users| users.is_costly() && takes_users(&self.plan))
    }
}

/// Whether a plan accepts a UsernameToken in any of its alternatives.
pub fn takes_users(plan: &Plan) -> bool {
    plan.alternatives().any(|(inbound, _)| inbound.username.is_some())
}
