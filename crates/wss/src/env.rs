//! `Env`: everything that processing takes from outside: keys, time, chance, the replay memory, facts of the transport.
//!
//! It is the only way they enter; nothing in this crate asks a clock or the system. Made anew for each message by the caller.

use bartizan_crypto::Secret;
use bartizan_crypto::random::Random;
use bartizan_keys::{Certificate, Keystore, Time, UserSource};

use crate::derived::DerivedKeys;
use crate::kept::KeptSecrets;
use crate::replay::ReplayCache;
use crate::request::SentSignatures;
use crate::reuse::ReusedSecret;

/// The surroundings of one message.
#[derive(Clone, Copy)]
pub struct Env<'a> {
    /// The key set, one snapshot from start to end of the message.
    pub keys: &'a Keystore,
    /// The time of the message.
    pub now: Time,
    /// Chance, for Ids and keys.
    pub random: &'a dyn Random,
    /// The memory of seen messages; `None` where replay is not guarded (noted in the evidence).
    pub replay: Option<&'a dyn ReplayCache>,
    /// What we sent, if the message answers a request of ours.
    pub sent: Option<&'a SentSignatures>,
    /// What the transport proves.
    pub transport: Transport<'a>,
    /// Who may show a UsernameToken; `None` where nobody may.
    pub users: Option<&'a dyn UserSource>,
    /// Keys that were derived from passwords before; `None`: each is derived anew.
    pub derived: Option<&'a DerivedKeys>,
    /// Where keys are derived from passwords; `None`: here and at once.
    pub slow: Option<&'a dyn Aside>,
    /// Secrets of requests before, which a request may name by EncryptedKeySHA1 (recipient); `None`: none may.
    pub kept: Option<&'a KeptSecrets>,
    /// The secret of a request before, for the next ones (initiator); `None`: each request has a fresh one.
    pub reuse: Option<&'a ReusedSecret>,
    /// Who we are in an outgoing UsernameToken.
    pub login: Option<&'a Login>,
}

/// A user's name and password, for an outgoing UsernameToken.
#[derive(Debug)]
pub struct Login {
    /// The name.
    pub name: String,
    /// The password, UTF-8.
    pub password: Secret,
}

impl<'a> Env<'a> {
    /// Surroundings without replay memory, request and transport facts.
    #[must_use]
    pub fn new(keys: &'a Keystore, now: Time, random: &'a dyn Random) -> Env<'a> {
        Env {
            keys,
            now,
            random,
            replay: None,
            sent: None,
            transport: Transport::Plain,
            users: None,
            derived: None,
            slow: None,
            kept: None,
            reuse: None,
            login: None,
        }
    }

    /// With a replay memory.
    #[must_use]
    pub fn with_replay(mut self, replay: &'a dyn ReplayCache) -> Env<'a> {
        self.replay = Some(replay);
        self
    }

    /// With the users who may show a UsernameToken.
    #[must_use]
    pub fn with_users(mut self, users: &'a dyn UserSource) -> Env<'a> {
        self.users = Some(users);
        self
    }

    /// With the keys that were derived from passwords before.
    #[must_use]
    pub fn with_derived(mut self, derived: &'a DerivedKeys) -> Env<'a> {
        self.derived = Some(derived);
        self
    }

    /// With a place for work that is slow on purpose.
    #[must_use]
    pub fn with_slow(mut self, slow: &'a dyn Aside) -> Env<'a> {
        self.slow = Some(slow);
        self
    }

    /// Runs slow work in its place; `false`, and nothing ran, if too much waits there.
    pub(crate) fn aside(&self, work: &mut dyn FnMut()) -> bool {
        match self.slow {
            Some(slow) => slow.run(work),
            None => {
                work();
                true
            }
        }
    }

    /// With the secrets of requests before: for one plan and one key set.
    #[must_use]
    pub fn with_kept(mut self, kept: &'a KeptSecrets) -> Env<'a> {
        self.kept = Some(kept);
        self
    }

    /// With a secret that serves several requests: for one plan, in `secure` and in `verify` of the reply.
    #[must_use]
    pub fn reusing(mut self, reuse: &'a ReusedSecret) -> Env<'a> {
        self.reuse = Some(reuse);
        self
    }

    /// For the reply to what we sent.
    #[must_use]
    pub fn answering(mut self, sent: &'a SentSignatures) -> Env<'a> {
        self.sent = Some(sent);
        self
    }

    /// As that user.
    #[must_use]
    pub fn as_user(mut self, login: &'a Login) -> Env<'a> {
        self.login = Some(login);
        self
    }

    /// With facts of the transport.
    #[must_use]
    pub fn over(mut self, transport: Transport<'a>) -> Env<'a> {
        self.transport = transport;
        self
    }
}

/// Where work runs that is slow on purpose (deriving a key from a password costs thousands of hashes), so that the thread that serves
/// connections goes on with others meanwhile.
pub trait Aside: Send + Sync {
    /// Runs `work` once, when it is its turn, and returns when it has run; `false`, and nothing ran, if too many wait already.
    fn run(&self, work: &mut dyn FnMut()) -> bool;
}

/// What the transport proves.
#[derive(Clone, Copy, Default)]
pub enum Transport<'a> {
    /// Nothing.
    #[default]
    Plain,
    /// Confidentiality and integrity, and who the client is if it showed a certificate.
    Tls {
        /// The verified client certificate.
        client: Option<&'a Certificate>,
    },
    /// The message does not leave this machine: it came over the loopback interface, or it is a file that is looked at. Nothing is proved;
    /// what nothing keeps confidential may be read here all the same (passwords in clear beside a key made from them).
    Local,
}

impl Transport<'_> {
    /// Whether nobody else reads what is sent.
    #[must_use]
    pub fn is_confidential(self) -> bool {
        matches!(self, Transport::Tls { .. } | Transport::Local)
    }
}
