//! The guards of a server: the memory of this process in front, and behind it, where it is shared, an engine that the other
//! servers of the same name ask too.
//!
//! A claim goes to the memory first: what this server has seen it refuses without asking, and goes on refusing whatever
//! becomes of the engine. Not here: the journal of the memory ([`crate::state::replay`]). Made by `build`, called in `wss`.

mod connection;
mod engine;
mod resp;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bartizan_crypto::Secret as Hidden;
use bartizan_crypto::random::Random;
use bartizan_keys::Time;
use bartizan_wss::replay::{Claim, Counts, Remember, ReplayCache, ReplayKey};

pub use self::engine::Engine;
use crate::config::replay::{OnLoss, Replay, Shared};
use crate::config::{Config, Secret};
use crate::error::Problem;
use crate::keyset;
use crate::state::replay::{KeptReplay, Tell};

/// Why the engine could not be asked, in words without a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lost(String);

impl Lost {
    fn said(code: &str) -> Lost {
        Lost(format!("it says {code}"))
    }
}

/// The memory and the engines that the services of a server are guarded by.
pub struct Guards {
    local: Arc<KeptReplay>,
    /// Window and capacity that the memory is to have.
    size: (Duration, usize),
    engines: Vec<Arc<Engine>>,
    counters: Arc<Counters>,
}

/// What the memory does not count, over all services.
#[derive(Default)]
struct Counters {
    shared_repeats: AtomicU64,
    unavailable: AtomicU64,
    alone: AtomicU64,
}

/// What became of the claims of all services so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GuardCounts {
    /// By the memory of this process.
    pub local: Counts,
    /// Fresh here, and claimed by another server before.
    pub shared_repeats: u64,
    /// Refused because the engine did not answer.
    pub unavailable: u64,
    /// Guarded by this process alone because the engine did not answer.
    pub alone: u64,
}

impl Guards {
    /// Guards with this memory, the size (window and capacity) that it is to have, and the engines of a configuration. Engines of `before` that are set up the same go on.
    pub fn new(
        config: &Config,
        local: Arc<KeptReplay>,
        size: (Duration, usize),
        before: Option<&Guards>,
        random: &dyn Random,
        tell: &Tell,
    ) -> Guards {
        let mut engines: Vec<Arc<Engine>> = Vec::new();
        for shared in config.services.iter().filter_map(|service| shared(&service.replay)) {
            if engines.iter().any(|engine| engine.shared() == shared) {
                continue;
            }
            let known = before.and_then(|before| before.engines.iter().find(|e| e.shared() == shared));
            engines.push(known.map(Arc::clone).unwrap_or_else(|| {
                let mut name = [0; 8];
                random.fill(&mut name);
                Arc::new(Engine::new(shared.clone(), name, Arc::clone(tell)))
            }));
        }
        let counters = before.map_or_else(Arc::default, |before| Arc::clone(&before.counters));
        Guards { local, size, engines, counters }
    }

    /// Gives the memory the size of this configuration: to be called when its table is in force.
    pub fn settle(&self) {
        let (window, capacity) = self.size;
        self.local.resize(window, capacity);
    }

    /// The memory of this process.
    pub fn local(&self) -> &Arc<KeptReplay> {
        &self.local
    }

    /// The guard of a service; `None` if it has none.
    pub fn guard(&self, replay: &Replay) -> Option<Arc<dyn ReplayCache>> {
        let Replay::On { shared, .. } = replay else { return None };
        let Some(shared) = shared else { return Some(Arc::clone(&self.local) as Arc<dyn ReplayCache>) };
        let engine = self.engines.iter().find(|engine| engine.shared() == &**shared).map(Arc::clone);
        let (local, counters) = (Arc::clone(&self.local), Arc::clone(&self.counters));
        Some(Arc::new(Guard { local, engine, on_loss: shared.on_loss, counters }))
    }

    /// What became of the claims so far.
    pub fn counts(&self) -> GuardCounts {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        GuardCounts {
            local: self.local.counts(),
            shared_repeats: read(&self.counters.shared_repeats),
            unavailable: read(&self.counters.unavailable),
            alone: read(&self.counters.alone),
        }
    }
}

/// The engine of a service, if it has one.
pub(crate) fn shared(replay: &Replay) -> Option<&Shared> {
    match replay {
        Replay::On { shared, .. } => shared.as_deref(),
        Replay::Off => None,
    }
}

/// The password of an engine.
///
/// # Errors
/// [`Problem::Read`], [`Problem::EnvUnset`].
pub(crate) fn password(secret: &Secret) -> Result<Hidden, Problem> {
    keyset::reveal(secret).map(|text| Hidden::new(text.into_bytes()))
}

/// The guard of services that share an engine.
struct Guard {
    local: Arc<KeptReplay>,
    /// `None` for a service that is not of the configuration that the guards were made of: nobody can be asked.
    engine: Option<Arc<Engine>>,
    on_loss: OnLoss,
    counters: Arc<Counters>,
}

impl ReplayCache for Guard {
    fn claim(&self, key: &ReplayKey, remember: Remember, now: Time) -> Claim {
        let local = self.local.claim(key, remember, now);
        if local != Claim::Fresh {
            return local;
        }
        let answer = self.engine.as_ref().and_then(|e| e.claim(key, remember, self.window(), now).ok());
        let (claim, counter) = match (answer, self.on_loss) {
            (Some(Claim::Repeat), _) => (Claim::Repeat, &self.counters.shared_repeats),
            (Some(claim), _) => return claim,
            (None, OnLoss::Refuse) => (Claim::Unavailable, &self.counters.unavailable),
            (None, OnLoss::Local) => (Claim::Fresh, &self.counters.alone),
        };
        counter.fetch_add(1, Ordering::Relaxed);
        claim
    }

    fn window(&self) -> Duration {
        self.local.window()
    }

    fn started(&self) -> Time {
        match (self.engine.as_ref().and_then(|engine| engine.since()), self.on_loss) {
            (Some(since), _) => since,
            // The claim will say that it cannot be asked.
            (None, OnLoss::Refuse) => Time::from_millis(i64::MIN),
            (None, OnLoss::Local) => self.local.started(),
        }
    }

    fn may_wait(&self) -> bool {
        true
    }
}
