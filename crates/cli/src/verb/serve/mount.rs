//! What is behind a service's path: the hosts of this version, as boxed services.

use std::sync::Arc;

use bartizan_gateway::config::{Config, Kind, Service};
use bartizan_gateway::{Hosted, Mounted};
use bartizan_service::{Echo, Host, Mirror, Need};

/// Makes the host of a configured service.
pub(crate) fn mount(service: &Service, config: &Config) -> Arc<dyn Hosted> {
    let host = match service.kind.value {
        Kind::Echo => Host::of(Echo::new(if service.open { Need::Nothing } else { Need::Proof })),
        Kind::Mirror => Host::of(Mirror::new(config.limits)),
    };
    Arc::new(Mounted(host))
}
