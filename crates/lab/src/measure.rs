//! A run: servers are started, their answers are checked, they are warmed, and then measured in interleaved rounds.
//!
//! For each kind of keys all servers are alive at once, and in every round each of them has its turn, in another order each
//! time: what the machine does to one it does to all. A server whose answers are not right is reported and not measured. Not
//! here: how load is put on (`drive`), how a server is started (`peer`). Called by the command line.

mod rounds;
mod rows;

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use bartizan_keys::Time;

use self::rounds::{Series, Tally};
use crate::Error;
use crate::bare::Bare;
use crate::credentials::Credentials;
use crate::drive::{self, Extent, Kept, Target};
use crate::initiator::{Initiator, Request};
use crate::kind::{Kind, Token};
use crate::machine::Machine;
use crate::message::ROTATION;
use crate::peer::{Engine, Folder, Ground, Running, java_version};
use crate::process::{Span, Tools};
use crate::record::Row;

/// Requests in flight unless said otherwise, one series each.
pub const CONCURRENCY: [usize; 2] = [1, 10];
/// New messages for each second of a turn where a server remembers those that it saw: about what it answers in that time.
const FRESH: f64 = 20_000.0;
/// Requests in flight while warming.
const WARM_CONCURRENCY: usize = 10;
/// A pause before each turn, in which what the last one left behind comes to rest.
const PAUSE: Duration = Duration::from_millis(100);
/// How long the floor is measured in a round.
const FLOOR_TIME: Duration = Duration::from_millis(250);
/// A reply of the load is plausible if it is as long as a checked one, give or take this share: Ids grow by a digit.
const PLAUSIBLE: f64 = 0.02;

/// What to run.
// tidy: bag the options of a run, each of them by itself
#[derive(Clone, Debug)]
pub struct Order {
    /// The engines.
    pub engines: Vec<Engine>,
    /// Whether they were asked for by name: then a missing one is an error, else it is reported as missing.
    pub named: bool,
    /// The kinds of messages and keys.
    pub kinds: Vec<Kind>,
    /// Whether the servers of all kinds live and take turns together, so that kinds can be compared; else one kind comes after
    /// the other.
    pub together: bool,
    /// Requests in flight, one series each.
    pub concurrency: Vec<usize>,
    /// Calls that each connection makes in a turn, at least.
    pub calls: u64,
    /// Rounds.
    pub rounds: usize,
    /// Length of one turn, at least.
    pub duration: Duration,
    /// Warm-up of each server, at least; half as long again at most.
    pub warm: Duration,
    /// Our binary.
    pub binary: PathBuf,
    /// The folder of Java peers.
    pub peers: PathBuf,
    /// An empty folder for keys, configurations and logs.
    pub work: PathBuf,
    /// The present.
    pub now: Time,
}

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The rows.
    pub rows: Vec<Row>,
    /// Whether every server that ran gave right answers only.
    pub right: bool,
}

/// Runs it; `tell` hears what is being done.
///
/// # Errors
/// What keeps the run from going on: [`Error::Missing`] for a peer that was asked for by name, and whatever concerns our own
/// side. What concerns a peer becomes its row.
pub fn run(order: &Order, tell: &mut dyn FnMut(&str)) -> Result<Outcome, Error> {
    let ground = Ground {
        binary: order.binary.clone(),
        work: order.work.clone(),
        peers: Folder::new(&order.peers),
        tools: Tools::find(),
    };
    let java = order.engines.iter().any(|engine| *engine != Engine::Own).then(java_version).flatten();
    let mut run = Run {
        order,
        context: Row {
            setting: setting(order, &ground.tools, java.as_deref()),
            machine: Machine::read().to_string(),
            date: order.now.to_rfc3339(),
            ..Row::default()
        },
        java: java.is_some(),
        ground,
        rows: Vec::new(),
        right: true,
    };
    for engine in &order.engines {
        if let (true, Some(how)) = (order.named, run.missing(*engine)) {
            return Err(Error::Missing { peer: engine.name(), how });
        }
    }
    for kinds in order.kinds.chunks(if order.together { order.kinds.len().max(1) } else { 1 }) {
        run.batch(kinds, tell)?;
    }
    Ok(Outcome { rows: run.rows, right: run.right })
}

/// How it is run, in words.
fn setting(order: &Order, tools: &Tools, java: Option<&str>) -> String {
    let pinned = match (tools.server(), tools.load()) {
        (Some(server), Some(load)) => format!("server on core {server}, load and floor on core {load}"),
        _ => "not pinned".to_owned(),
    };
    let (warm, turn) = (order.warm.as_secs_f64(), order.duration.as_secs_f64());
    let calls = if order.calls > 0 { format!(" and {} calls a thread", order.calls) } else { String::new() };
    let mut text = format!(
        "{pinned}; warmed for {warm} s or more; {} rounds of {turn} s{calls}; {ROTATION} requests in rotation",
        order.rounds
    );
    // A machine with other work gives figures that are not worth keeping; the reader should see it.
    let busy = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    if let Some(busy) = busy.split_ascii_whitespace().next() {
        text.push_str("; load average at the start ");
        text.push_str(busy);
    }
    if let Some(java) = java {
        text.push_str("; ");
        text.push_str(java);
    }
    text
}

struct Run<'a> {
    order: &'a Order,
    context: Row,
    java: bool,
    ground: Ground,
    rows: Vec<Row>,
    right: bool,
}

/// A server with what belongs to it for one kind.
struct Subject {
    /// Which of the sides it serves.
    side: usize,
    running: Running,
    wire: Vec<Vec<u8>>,
    plausible: RangeInclusive<usize>,
    request_bytes: usize,
    reply_bytes: usize,
    /// Wrong answers of the warm-up, and the first in words.
    tally: Tally,
    /// Right answers of the warm-up.
    warmed: u64,
    series: Vec<Series>,
}

/// One kind: both sides of it.
struct Side {
    kind: Kind,
    credentials: Credentials,
    initiator: Initiator,
    requests: Vec<Request>,
    floor: Option<Bare>,
    /// The floor of each round.
    floors: Vec<f64>,
}

impl Run<'_> {
    /// Everything of some kinds whose servers live together.
    fn batch(&mut self, kinds: &[Kind], tell: &mut dyn FnMut(&str)) -> Result<(), Error> {
        let (mut sides, mut subjects) = (Vec::new(), Vec::new());
        for kind in kinds {
            tell(&format!("{kind}: keys and {ROTATION} requests"));
            let mut side = self.side(*kind)?;
            self.start(&mut side, sides.len(), &mut subjects, tell)?;
            sides.push(side);
        }
        self.warm(&sides, &mut subjects, tell);
        self.ground.tools.pin_self(Span::Load);
        self.rounds(&mut sides, &mut subjects, tell)?;
        self.ground.tools.pin_self(Span::All);
        for (at, side) in sides.iter().enumerate() {
            let own: Vec<&Subject> = subjects.iter().filter(|subject| subject.side == at).collect();
            self.report(side, &own);
        }
        Ok(())
    }

    fn side(&self, kind: Kind) -> Result<Side, Error> {
        let Order { now, .. } = *self.order;
        let credentials = match self.ground.peers.credentials(kind.keys()) {
            Some(credentials) => credentials,
            None => Credentials::make(kind.keys(), &self.order.work, now)?,
        };
        let initiator = Initiator::new(kind, &credentials, now)?;
        let requests = initiator.requests(self.ground.peers.payload(), ROTATION)?;
        Ok(Side { kind, credentials, initiator, requests, floor: None, floors: Vec::new() })
    }

    /// The floor of a side, by a request and our own reply. The token of an encrypted set-up is seen in the one that is the same but
    /// for the encryption.
    fn floor(&self, side: &Side, reply: &Kept) -> Result<Option<Bare>, Error> {
        let Some(request) = side.requests.first() else { return Ok(None) };
        let Side { kind, credentials, initiator, .. } = side;
        let clear = match kind {
            Kind::Unt(Token::Unt3, keys) => Some(Kind::Unt(Token::Unt1, *keys)),
            Kind::Unt(Token::Unt4a, keys) => Some(Kind::Unt(Token::Unt2a, *keys)),
            Kind::Unt(Token::Unt4b, keys) => Some(Kind::Unt(Token::Unt2b, *keys)),
            Kind::Rampart(_) | Kind::Unt(..) => None,
        };
        let clear = clear.map(|kind| {
            let initiator = Initiator::new(kind, credentials, self.order.now)?;
            initiator.requests(self.ground.peers.payload(), 1)
        });
        let clear = clear.transpose()?;
        let clear = clear.as_ref().and_then(|requests| requests.first());
        Bare::new(*kind, credentials, initiator, request, &reply.body, clear)
    }

    /// Why an engine cannot run, and how to mend it.
    fn missing(&self, engine: Engine) -> Option<Box<str>> {
        if engine.is_own() {
            return None;
        }
        let no_java = || "there is no `java` on the path: install a JDK 17".into();
        self.ground.peers.missing(engine).or_else(|| (!self.java).then(no_java))
    }

    /// Starts the servers of a side one after the other and checks every answer. Our own server is always started: the floor is
    /// taken from an exchange with it.
    fn start(
        &mut self,
        side: &mut Side,
        at: usize,
        subjects: &mut Vec<Subject>,
        tell: &mut dyn FnMut(&str),
    ) -> Result<(), Error> {
        for engine in Engine::ALL {
            let wanted = self.order.engines.contains(&engine) && engine.can(side.kind);
            if !wanted && engine != Engine::Own {
                continue;
            }
            if let Some(how) = self.missing(engine) {
                self.push(side.kind, engine, &format!("missing: {how}"), 0);
                continue;
            }
            tell(&format!("{}: {} starts, its {ROTATION} answers are checked", side.kind, engine.name()));
            match self.subject(side, at, engine) {
                Ok((subject, replies)) => {
                    if let (Engine::Own, Some(reply)) = (engine, replies.first()) {
                        side.floor = self.floor(side, reply)?;
                    }
                    if wanted {
                        subjects.push(subject);
                    }
                }
                Err(Unfit::Error(error)) if engine == Engine::Own => return Err(error),
                Err(unfit) => {
                    self.right = false;
                    self.push(side.kind, engine, &unfit.to_string(), unfit.errors());
                }
            }
        }
        Ok(())
    }

    /// A server that gives right answers to all requests.
    fn subject(&self, side: &Side, at: usize, engine: Engine) -> Result<(Subject, Vec<Kept>), Unfit> {
        let core = self.ground.tools.server();
        let running = self.ground.start(engine, side.kind, &side.credentials, core).map_err(Unfit::Error)?;
        let fresh = if engine == Engine::Guarded {
            self.fresh(side, ROTATION).map_err(Unfit::Error)?
        } else {
            Vec::new()
        };
        let requests = if engine == Engine::Guarded { &fresh } else { &side.requests };
        let wire = drive::wire(requests, running.address, &running.path);
        let target = Target {
            process: &running.process,
            address: running.address,
            wire: &wire,
            plausible: &(0..=usize::MAX),
            once: true,
        };
        let replies = drive::once(&target).map_err(Unfit::Error)?;
        let tally = self.check(side, engine, requests, &replies);
        if let Some(why) = tally.first {
            return Err(Unfit::Wrong { errors: tally.errors, of: replies.len(), why });
        }
        let lengths = replies.iter().map(|reply| reply.body.len());
        let (shortest, longest) = (lengths.clone().min().unwrap_or(0), lengths.max().unwrap_or(0));
        // INVARIANT: two per cent of a length are a small length.
        let slack = (longest as f64 * PLAUSIBLE) as usize;
        let subject = Subject {
            side: at,
            running,
            wire,
            plausible: shortest.saturating_sub(slack)..=longest + slack,
            request_bytes: side.requests.first().map_or(0, |request| request.bytes.len()),
            reply_bytes: longest,
            tally: Tally::default(),
            warmed: 0,
            series: self.order.concurrency.iter().map(|_| Series::default()).collect(),
        };
        Ok((subject, replies))
    }

    /// New requests of this very moment: a server that remembers messages takes none that is older than itself, since it cannot know
    /// whether it was seen before.
    fn fresh(&self, side: &Side, count: usize) -> Result<Vec<Request>, Error> {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now = Time::from_millis(i64::try_from(since.as_millis()).unwrap_or_default());
        side.initiator.requests_at(self.ground.peers.payload(), count, now)
    }

    /// Verifies answers as the client that sent the requests.
    fn check(&self, side: &Side, engine: Engine, requests: &[Request], replies: &[Kept]) -> Tally {
        let answer = self.ground.peers.answer(engine);
        let mut tally = Tally::default();
        for kept in replies {
            let Some(request) = requests.get(kept.request) else { continue };
            if let Err(wrong) = side.initiator.check(request, kept.status, kept.body.clone(), answer) {
                tally.count(1, Some(wrong.to_string()));
            }
        }
        tally
    }

    /// Warms the servers, two at a time, each on a core of its own. One that remembers messages is the same program as one that
    /// does not, and needs none.
    fn warm(&self, sides: &[Side], subjects: &mut [Subject], tell: &mut dyn FnMut(&str)) {
        let tools = &self.ground.tools;
        let mut cold: Vec<&mut Subject> = subjects.iter_mut().filter(|subject| !subject.guards()).collect();
        for pair in cold.chunks_mut(2) {
            let names: Vec<String> = pair.iter().map(|subject| subject.title(sides)).collect();
            tell(&format!("warming {}", names.join(" and ")));
            std::thread::scope(|scope| {
                for (subject, core) in pair.iter_mut().zip([tools.server(), tools.load()]) {
                    subject.running.process.pin(core);
                    scope.spawn(move || subject.warm(self.order.warm));
                }
            });
        }
        for subject in subjects {
            subject.running.process.pin(tools.server());
        }
    }

    /// The rounds, with the floor of each.
    fn rounds(
        &self,
        sides: &mut [Side],
        subjects: &mut [Subject],
        tell: &mut dyn FnMut(&str),
    ) -> Result<(), Error> {
        for round in 0..self.order.rounds {
            tell(&format!("round {} of {}", round + 1, self.order.rounds));
            for side in sides.iter_mut() {
                side.floors.extend(side.floor.as_ref().map(|floor| floor.micros(FLOOR_TIME)).transpose()?);
            }
            for (series, concurrency) in self.order.concurrency.iter().enumerate() {
                let count = subjects.len();
                for turn in 0..count {
                    std::thread::sleep(PAUSE);
                    let Some(subject) = subjects.get_mut((turn + round) % count.max(1)) else { continue };
                    let Some(side) = sides.get(subject.side) else { continue };
                    self.turn(side, subject, series, *concurrency)?;
                }
            }
        }
        Ok(())
    }

    /// One turn of one server, and a look at what it answered.
    fn turn(
        &self,
        side: &Side,
        subject: &mut Subject,
        series: usize,
        concurrency: usize,
    ) -> Result<(), Error> {
        let fresh = if subject.guards() {
            // INVARIANT: a turn is no year long.
            let least = (FRESH * self.order.duration.as_secs_f64()) as u64;
            let count = least.max(self.order.calls * concurrency as u64);
            self.fresh(side, usize::try_from(count).unwrap_or(0))?
        } else {
            Vec::new()
        };
        let (running, wire) =
            (&subject.running, drive::wire(&fresh, subject.running.address, &subject.running.path));
        let requests = if subject.guards() { &fresh } else { &side.requests };
        let target = Target {
            process: &running.process,
            address: running.address,
            wire: if subject.guards() { &wire } else { &subject.wire },
            plausible: &subject.plausible,
            once: subject.guards(),
        };
        let extent = Extent { time: self.order.duration, calls: self.order.calls };
        let window = drive::run(&target, concurrency, extent);
        let engine = running.engine;
        let Some(series) = subject.series.get_mut(series) else { return Ok(()) };
        match window {
            Ok(window) => {
                let checked = self.check(side, engine, requests, &window.kept);
                series.add(&window);
                series.tally.count(checked.errors, checked.first.map(String::from));
            }
            Err(error) => series.tally.count(1, Some(error.to_string())),
        }
        Ok(())
    }
}

impl Subject {
    /// Whether it remembers messages, so that each is sent once.
    fn guards(&self) -> bool {
        self.running.engine == Engine::Guarded
    }

    fn title(&self, sides: &[Side]) -> String {
        let kind = sides.get(self.side).map_or(String::new(), |side| side.kind.name());
        format!("{} for {kind}", self.running.engine.name())
    }

    fn target(&self) -> Target<'_> {
        Target {
            process: &self.running.process,
            address: self.running.address,
            wire: &self.wire,
            plausible: &self.plausible,
            once: false,
        }
    }

    /// Warms it for so long, and on while it still gets faster; what goes wrong here counts against it, too.
    fn warm(&mut self, least: Duration) {
        let mut slices = Vec::new();
        while rounds::still_warming(&slices) {
            match drive::run(&self.target(), WARM_CONCURRENCY, Extent::time(least / rounds::WARM_SLICES)) {
                Ok(window) => {
                    self.tally.count(window.errors, window.first_error.map(String::from));
                    self.warmed += window.answered;
                    slices.push(window.ticks as f64 / window.answered as f64);
                }
                Err(error) => return self.tally.count(1, Some(error.to_string())),
            }
        }
    }
}

/// Why a server is not measured.
enum Unfit {
    /// It does not start, or breaks off.
    Error(Error),
    /// Its answers are not right.
    Wrong { errors: u64, of: usize, why: Box<str> },
}

impl Unfit {
    fn errors(&self) -> u64 {
        match self {
            Unfit::Error(_) => 1,
            Unfit::Wrong { errors, .. } => *errors,
        }
    }
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unfit::Error(error) => write!(f, "not measured: {error}"),
            Unfit::Wrong { errors, of, why } => {
                write!(f, "not measured: {errors} of {of} answers are not right; the first: {why}")
            }
        }
    }
}
