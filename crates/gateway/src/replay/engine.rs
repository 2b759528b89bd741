//! The shared engine, Valkey or Redis: one `SET key value NX PX ttl` a claim, over a bounded pool of connections.
//!
//! Its clock is the one that counts: each claim asks for it behind the `SET`, so that a message whose time is over there is
//! stale even where our own clock was set back. After a failure it is left alone for a while that doubles, so that messages
//! are refused (or guarded here) at once instead of each waiting for its time-out.
//! Not here: what a failure means for a message ([`Guard`](super::Guard) decides).

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bartizan_crypto::Secret as Hidden;
use bartizan_keys::Time;
use bartizan_wss::replay::{Claim, Remember, ReplayKey};

use super::connection::Connection;
use super::resp::{self, Reply};
use super::{Lost, password};
use crate::config::replay::{OnLoss, Shared};
use crate::state::replay::Tell;

/// The first wait after a failure.
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// The longest one.
const LAST_WAIT: Duration = Duration::from_secs(5);
/// Clocks that differ by more are told of.
const CLOCKS_APART: i64 = 10_000;

/// A shared engine.
pub struct Engine {
    shared: Shared,
    tell: Tell,
    pool: Mutex<Pool>,
    freed: Condvar,
    /// Our name in the values, so that a claim whose answer was lost is known again as ours.
    name: [u8; 8],
    claims: AtomicU64,
    /// Since when the engine knows every claim, in ms; [`UNKNOWN`] before it was asked.
    since: AtomicI64,
    /// The engine's clock less ours that only goes forward; never less than the truth.
    ahead: AtomicI64,
    epoch: Instant,
    clocks_told: AtomicBool,
    policy_told: AtomicBool,
}

const UNKNOWN: i64 = i64::MIN;

#[derive(Default)]
struct Pool {
    idle: Vec<Connection>,
    /// Connections there are, those at work included.
    open: usize,
    /// After a failure.
    down: Option<Down>,
}

#[derive(Clone, Copy)]
struct Down {
    /// Nobody tries before.
    until: Instant,
    wait: Duration,
}

impl Engine {
    /// An engine that is not asked yet. `name` is random and no other server's.
    pub(super) fn new(shared: Shared, name: [u8; 8], tell: Tell) -> Engine {
        Engine {
            shared,
            tell,
            pool: Mutex::default(),
            freed: Condvar::new(),
            name,
            claims: AtomicU64::new(0),
            since: AtomicI64::new(UNKNOWN),
            ahead: AtomicI64::new(UNKNOWN),
            epoch: Instant::now(),
            clocks_told: AtomicBool::new(false),
            policy_told: AtomicBool::new(false),
        }
    }

    /// How it is set up.
    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Claims a key for all servers that share the engine.
    pub(super) fn claim(
        &self,
        key: &ReplayKey,
        remember: Remember,
        window: Duration,
        now: Time,
    ) -> Result<Claim, Lost> {
        let deadline = Instant::now() + self.shared.timeout;
        let set = Set { key: self.key(b":seen:", key.octets()), value: self.value(), remember, window };
        let (connection, used) = self.connection(deadline)?;
        match self.ask(connection, &set, now, deadline, Attempt::First) {
            Err(_) if used => {
                // It may have been closed long ago; whether this claim came through, the value tells.
                let (connection, _) = self.connection(deadline)?;
                let answer = self.ask(connection, &set, now, deadline, Attempt::Again);
                answer.inspect_err(|lost| self.went_down(lost))
            }
            answer => answer.inspect_err(|lost| self.went_down(lost)),
        }
    }

    /// From when on it knows every claim; `None` if it cannot be asked.
    pub(super) fn since(&self) -> Option<Time> {
        if self.since.load(Ordering::Acquire) == UNKNOWN {
            let (connection, _) = self.connection(Instant::now() + self.shared.timeout).ok()?;
            self.give_back(connection);
        }
        Some(self.since.load(Ordering::Acquire)).filter(|since| *since != UNKNOWN).map(Time::from_millis)
    }

    /// One attempt; the connection is given back unless it failed.
    fn ask(
        &self,
        mut connection: Connection,
        set: &Set,
        now: Time,
        deadline: Instant,
        attempt: Attempt,
    ) -> Result<Claim, Lost> {
        match self.ask_on(&mut connection, set, now, deadline, attempt) {
            Ok(claim) => {
                self.give_back(connection);
                Ok(claim)
            }
            Err(lost) => {
                // The others are as old or older.
                let mut pool = self.pool();
                pool.open = pool.open.saturating_sub(1 + pool.idle.len());
                pool.idle.clear();
                drop(pool);
                self.freed.notify_all();
                Err(lost)
            }
        }
    }

    fn ask_on(
        &self,
        connection: &mut Connection,
        set: &Set,
        now: Time,
        deadline: Instant,
        attempt: Attempt,
    ) -> Result<Claim, Lost> {
        let (end, least) = set.remember.spans(set.window);
        // Counted from the engine's clock at the earliest that it can be: the key lives as long as the message.
        let left = end.map(|end| end.millis().saturating_sub(self.engine_clock()));
        let life = left.unwrap_or_default().max(i64::try_from(least.as_millis()).unwrap_or(i64::MAX));
        if left.is_some_and(|left| left <= 0) || life <= 0 {
            let mut time = Vec::new();
            resp::command(&mut time, &[b"TIME"]);
            connection.send(&time, deadline)?;
            self.saw_clock(connection.time(deadline)?, now);
            return Ok(Claim::Stale);
        }
        let mut out = Vec::with_capacity(192);
        resp::command(&mut out, &[b"SET", &set.key, &set.value, b"NX", b"PX", life.to_string().as_bytes()]);
        // Behind the SET: if the message's time is not over then, it was not over when the key was looked for.
        resp::command(&mut out, &[b"TIME"]);
        if attempt == Attempt::Again {
            resp::command(&mut out, &[b"GET", &set.key]);
        }
        connection.send(&out, deadline)?;
        let mut claim = match connection.reply(deadline)? {
            Reply::Text(_) => Claim::Fresh,
            Reply::Nil => Claim::Repeat,
            // It has no memory left, and is told to forget nothing.
            Reply::Error(code) if code == "OOM" => Claim::Full,
            Reply::Error(code) => return Err(Lost::said(&code)),
            Reply::Number(_) | Reply::List(_) => {
                return Err(Lost("its answer is no answer to SET".to_owned()));
            }
        };
        self.saw_clock(connection.time(deadline)?, now);
        if attempt == Attempt::Again {
            let ours = matches!(connection.reply(deadline)?, Reply::Text(value) if value == set.value);
            if ours && claim == Claim::Repeat {
                claim = Claim::Fresh;
            }
        }
        match end {
            Some(end) if claim == Claim::Fresh && end.millis() <= self.engine_clock() => Ok(Claim::Stale),
            _ => Ok(claim),
        }
    }

    /// An idle connection, a new one, or the next that is given back; and whether it was used before.
    fn connection(&self, deadline: Instant) -> Result<(Connection, bool), Lost> {
        let mut pool = self.pool();
        loop {
            if let Some(connection) = pool.idle.pop() {
                return Ok((connection, true));
            }
            let now = Instant::now();
            if let Some(down) = &mut pool.down {
                if now < down.until {
                    return Err(Lost("it did not answer a moment ago".to_owned()));
                }
                // This one tries; the others wait for what comes of it.
                down.until = now + down.wait.max(self.shared.timeout);
            }
            if pool.open < self.shared.connections {
                pool.open += 1;
                break;
            }
            let left = deadline.saturating_duration_since(now);
            if left.is_zero() {
                return Err(Lost("all connections to it are busy".to_owned()));
            }
            pool = self.freed.wait_timeout(pool, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(pool);
        match self.connect(deadline) {
            Ok(connection) => {
                if self.pool().down.take().is_some() {
                    (self.tell)(&format!(
                        "the shared replay window at {} answers again",
                        self.shared.address
                    ));
                }
                Ok((connection, false))
            }
            Err(lost) => {
                self.pool().open -= 1;
                self.freed.notify_one();
                self.went_down(&lost);
                Err(lost)
            }
        }
    }

    fn give_back(&self, connection: Connection) {
        self.pool().idle.push(connection);
        self.freed.notify_one();
    }

    /// Leaves it alone for a while; told once.
    fn went_down(&self, lost: &Lost) {
        let mut pool = self.pool();
        let first = pool.down.is_none();
        let wait = pool.down.map_or(FIRST_WAIT, |down| (down.wait * 2).min(LAST_WAIT));
        pool.down = Some(Down { until: Instant::now() + wait, wait });
        drop(pool);
        if first {
            let then = match self.shared.on_loss {
                OnLoss::Refuse => "messages are refused",
                OnLoss::Local => "this server guards alone",
            };
            (self.tell)(&format!(
                "the shared replay window at {} does not answer ({}): {then} until it does",
                self.shared.address, lost.0
            ));
        }
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Connects, says who we are, and learns what the engine knows.
    fn connect(&self, deadline: Instant) -> Result<Connection, Lost> {
        let address = &self.shared.address;
        let mut connection = Connection::open(address, deadline)?;
        if let Some(secret) = &self.shared.password {
            // Read anew each time: it may have been changed.
            let password: Hidden = password(secret).map_err(|problem| Lost(problem.to_string()))?;
            password.expose(|password| match &address.user {
                Some(user) => connection.call(&[b"AUTH", user.as_bytes(), password], deadline),
                None => connection.call(&[b"AUTH", password], deadline),
            })?;
        }
        if address.database != 0 {
            connection.call(&[b"SELECT", address.database.to_string().as_bytes()], deadline)?;
        }
        let mut time = Vec::new();
        resp::command(&mut time, &[b"TIME"]);
        connection.send(&time, deadline)?;
        let now = connection.time(deadline)?;
        self.note_clock(now);
        self.learn_since(&mut connection, now, deadline)?;
        self.learn_policy(&mut connection, deadline)?;
        Ok(connection)
    }

    /// Since when the engine knows every claim: since the first of us met this run of it. A run that began anew may have lost
    /// claims, whatever it keeps on disk.
    fn learn_since(&self, connection: &mut Connection, now: i64, deadline: Instant) -> Result<(), Lost> {
        let about = info(connection, b"server", deadline)?;
        let Some(run) = about.as_deref().and_then(|about| field(about, "run_id")) else {
            // It does not say which run it is: each time that it was gone counts as a new one.
            if self.pool().down.is_some() || self.since.load(Ordering::Acquire) == UNKNOWN {
                self.since.store(now, Ordering::Release);
            }
            return Ok(());
        };
        let mark = self.key(b":since", b"");
        let known = match connection.call(&[b"GET", &mark], deadline)? {
            Reply::Text(text) => String::from_utf8(text).ok(),
            _ => None,
        };
        let known = known.as_deref().and_then(|known| known.split_once(' '));
        let since = match known.filter(|(of, _)| *of == run).and_then(|(_, since)| since.parse().ok()) {
            Some(since) => since,
            None => {
                connection.call(&[b"SET", &mark, format!("{run} {now}").as_bytes()], deadline)?;
                now
            }
        };
        self.since.store(since, Ordering::Release);
        Ok(())
    }

    /// An engine that forgets live keys when it is full is worth a warning.
    fn learn_policy(&self, connection: &mut Connection, deadline: Instant) -> Result<(), Lost> {
        let about = info(connection, b"memory", deadline)?.unwrap_or_default();
        let policy = field(&about, "maxmemory_policy").unwrap_or("noeviction");
        let bounded = field(&about, "maxmemory").is_some_and(|bytes| bytes != "0");
        if bounded && policy != "noeviction" && !self.policy_told.swap(true, Ordering::Relaxed) {
            (self.tell)(&format!(
                "the shared replay window at {} forgets live messages when its memory is full: set `maxmemory-policy noeviction`",
                self.shared.address
            ));
        }
        Ok(())
    }

    fn key(&self, kind: &[u8], octets: &[u8]) -> Vec<u8> {
        [self.shared.prefix.as_bytes(), kind, octets].concat()
    }

    /// A value that no other claim has.
    fn value(&self) -> [u8; 16] {
        let mut value = [0; 16];
        let (name, number) = value.split_at_mut(8);
        name.copy_from_slice(&self.name);
        number.copy_from_slice(&self.claims.fetch_add(1, Ordering::Relaxed).to_be_bytes());
        value
    }

    /// Milliseconds of the clock that only goes forward.
    fn elapsed(&self) -> i64 {
        i64::try_from(self.epoch.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    /// The engine's clock: not later than it is there, unless that was set back, and then as if it had not been.
    fn engine_clock(&self) -> i64 {
        self.ahead.load(Ordering::Acquire).saturating_add(self.elapsed())
    }

    fn note_clock(&self, theirs: i64) {
        self.ahead.fetch_max(theirs.saturating_sub(self.elapsed()), Ordering::AcqRel);
    }

    fn saw_clock(&self, theirs: i64, now: Time) {
        self.note_clock(theirs);
        let apart = theirs.saturating_sub(now.millis());
        if apart.saturating_abs() > CLOCKS_APART && !self.clocks_told.swap(true, Ordering::Relaxed) {
            (self.tell)(&format!(
                "the clock of the shared replay window at {} and ours are {} s apart",
                self.shared.address,
                apart.saturating_abs() / 1000
            ));
        }
    }
}

/// A claim to be made.
struct Set {
    key: Vec<u8>,
    value: [u8; 16],
    remember: Remember,
    window: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Attempt {
    First,
    Again,
}

/// A section of the engine's description of itself; `None` if it does not let us see it.
fn info(connection: &mut Connection, section: &[u8], deadline: Instant) -> Result<Option<String>, Lost> {
    let mut out = Vec::new();
    resp::command(&mut out, &[b"INFO", section]);
    connection.send(&out, deadline)?;
    match connection.reply(deadline)? {
        Reply::Text(text) => Ok(Some(String::from_utf8_lossy(&text).into_owned())),
        Reply::Error(code) if code == "NOPERM" => Ok(None),
        Reply::Error(code) => Err(Lost::said(&code)),
        _ => Ok(None),
    }
}

/// The value of a line `name:value`.
fn field<'a>(about: &'a str, name: &str) -> Option<&'a str> {
    about.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
}
