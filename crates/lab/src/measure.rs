//! A run: servers are started, their answers are checked, they are warmed, and then measured in interleaved rounds.
//!
//! For each kind of keys all servers are alive at once, and in every round each of them has its turn, in another order each
//! time: what the machine does to one it does to all. A server whose answers are not right is reported and not measured. Not
//! here: how load is put on (`drive`), how a server is started (`peer`). Called by the command line.

mod rounds;

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use bartizan_keys::Time;

use self::rounds::{Series, Tally};
use crate::Error;
use crate::bare::ServerFloor;
use crate::credentials::Credentials;
use crate::drive::{self, Kept, Target};
use crate::initiator::{Initiator, Request};
use crate::machine::Machine;
use crate::message::ROTATION;
use crate::peer::{Engine, Folder, Ground, Running, java_version};
use crate::process::{Span, Tools};
use crate::record::{Cell, FLOOR, Figures, Row};
use crate::scenario::Keys;

/// Requests in flight, one series each.
pub const CONCURRENCY: [usize; 2] = [1, 10];
/// Requests in flight while warming.
const WARM_CONCURRENCY: usize = 10;
/// A pause before each turn, in which what the last one left behind comes to rest.
const PAUSE: Duration = Duration::from_millis(100);
/// How long the floor is measured in a round.
const FLOOR_TIME: Duration = Duration::from_millis(250);
/// A reply of the load is plausible if it is as long as a checked one, give or take this share: Ids grow by a digit.
const PLAUSIBLE: f64 = 0.02;

/// What to run.
#[derive(Clone, Debug)]
pub struct Order {
    /// The engines.
    pub engines: Vec<Engine>,
    /// Whether they were asked for by name: then a missing one is an error, else it is reported as missing.
    pub named: bool,
    /// The kinds of keys.
    pub keys: Vec<Keys>,
    /// Rounds.
    pub rounds: usize,
    /// Length of one turn.
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
    for keys in &order.keys {
        run.kind(*keys, tell)?;
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
    let mut text = format!(
        "{pinned}; warmed for {warm} s or more; {} rounds of {turn} s; {ROTATION} requests in rotation",
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

/// A server with what belongs to it for one kind of keys.
struct Subject {
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

/// One kind of keys: both sides of it.
struct Side {
    keys: Keys,
    credentials: Credentials,
    initiator: Initiator,
    requests: Vec<Request>,
}

impl Run<'_> {
    /// Everything of one kind of keys.
    fn kind(&mut self, keys: Keys, tell: &mut dyn FnMut(&str)) -> Result<(), Error> {
        tell(&format!("{keys}: keys and {ROTATION} requests"));
        let Order { now, .. } = *self.order;
        let credentials = match self.ground.peers.credentials(keys) {
            Some(credentials) => credentials,
            None => Credentials::make(keys, &self.order.work, now)?,
        };
        let initiator = Initiator::new(keys, &credentials, now)?;
        let requests = initiator.requests(self.ground.peers.payload(), ROTATION)?;
        let side = Side { keys, credentials, initiator, requests };
        let (mut subjects, floor) = self.start(&side, tell)?;
        self.warm(keys, &mut subjects, tell);
        self.ground.tools.pin_self(Span::Load);
        let floors = self.rounds(&side, &mut subjects, floor.as_ref(), tell)?;
        self.ground.tools.pin_self(Span::All);
        self.report(keys, subjects, &floors);
        Ok(())
    }

    /// Why an engine cannot run, and how to mend it.
    fn missing(&self, engine: Engine) -> Option<Box<str>> {
        if engine == Engine::Own {
            return None;
        }
        let no_java = || "there is no `java` on the path: install a JDK 17".into();
        self.ground.peers.missing(engine).or_else(|| (!self.java).then(no_java))
    }

    /// Starts the servers one after the other and checks every answer. Our own server is always started: the floor is taken
    /// from an exchange with it.
    fn start(
        &mut self,
        side: &Side,
        tell: &mut dyn FnMut(&str),
    ) -> Result<(Vec<Subject>, Option<ServerFloor>), Error> {
        let (mut subjects, mut floor) = (Vec::new(), None);
        for engine in Engine::ALL {
            let wanted = self.order.engines.contains(&engine) && engine.can(side.keys);
            if !wanted && engine != Engine::Own {
                continue;
            }
            if let Some(how) = self.missing(engine) {
                self.push(side.keys, engine, &format!("missing: {how}"), 0);
                continue;
            }
            tell(&format!("{}: {} starts, its {ROTATION} answers are checked", side.keys, engine.name()));
            match self.subject(side, engine) {
                Ok((subject, replies)) => {
                    if let (Engine::Own, Some(reply), Some(request)) =
                        (engine, replies.first(), side.requests.first())
                    {
                        let Side { keys, credentials, initiator, .. } = side;
                        floor = Some(ServerFloor::new(*keys, credentials, initiator, request, &reply.body)?);
                    }
                    if wanted {
                        subjects.push(subject);
                    }
                }
                Err(Unfit::Error(error)) if engine == Engine::Own => return Err(error),
                Err(unfit) => {
                    self.right = false;
                    self.push(side.keys, engine, &unfit.to_string(), unfit.errors());
                }
            }
        }
        Ok((subjects, floor))
    }

    /// A server that gives right answers to all requests.
    fn subject(&self, side: &Side, engine: Engine) -> Result<(Subject, Vec<Kept>), Unfit> {
        let core = self.ground.tools.server();
        let running = self.ground.start(engine, side.keys, &side.credentials, core).map_err(Unfit::Error)?;
        let wire = drive::wire(&side.requests, running.address, running.path);
        let target = Target {
            process: &running.process,
            address: running.address,
            wire: &wire,
            plausible: &(0..=usize::MAX),
        };
        let replies = drive::once(&target).map_err(Unfit::Error)?;
        let tally = self.check(side, engine, &replies);
        if let Some(why) = tally.first {
            return Err(Unfit::Wrong { errors: tally.errors, of: replies.len(), why });
        }
        let lengths = replies.iter().map(|reply| reply.body.len());
        let (shortest, longest) = (lengths.clone().min().unwrap_or(0), lengths.max().unwrap_or(0));
        // INVARIANT: two per cent of a length are a small length.
        let slack = (longest as f64 * PLAUSIBLE) as usize;
        let subject = Subject {
            running,
            wire,
            plausible: shortest.saturating_sub(slack)..=longest + slack,
            request_bytes: side.requests.first().map_or(0, |request| request.bytes.len()),
            reply_bytes: longest,
            tally: Tally::default(),
            warmed: 0,
            series: CONCURRENCY.iter().map(|_| Series::default()).collect(),
        };
        Ok((subject, replies))
    }

    /// Verifies answers as the client that sent the requests.
    fn check(&self, side: &Side, engine: Engine, replies: &[Kept]) -> Tally {
        let answer = self.ground.peers.answer(engine);
        let mut tally = Tally::default();
        for kept in replies {
            let Some(request) = side.requests.get(kept.request) else { continue };
            if let Err(wrong) = side.initiator.check(request, kept.status, kept.body.clone(), answer) {
                tally.count(1, Some(wrong.to_string()));
            }
        }
        tally
    }

    /// Warms the servers, two at a time, each on a core of its own.
    fn warm(&self, keys: Keys, subjects: &mut [Subject], tell: &mut dyn FnMut(&str)) {
        let tools = &self.ground.tools;
        for pair in subjects.chunks_mut(2) {
            let names: Vec<&str> = pair.iter().map(|subject| subject.running.engine.name()).collect();
            tell(&format!("{keys}: warming {}", names.join(" and ")));
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

    /// The rounds; returns the floor of each.
    fn rounds(
        &self,
        side: &Side,
        subjects: &mut [Subject],
        floor: Option<&ServerFloor>,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Vec<f64>, Error> {
        let mut floors = Vec::new();
        for round in 0..self.order.rounds {
            tell(&format!("{}: round {} of {}", side.keys, round + 1, self.order.rounds));
            floors.extend(floor.map(|floor| floor.micros(FLOOR_TIME)).transpose()?);
            for (series, concurrency) in CONCURRENCY.into_iter().enumerate() {
                let count = subjects.len();
                for turn in 0..count {
                    std::thread::sleep(PAUSE);
                    let Some(subject) = subjects.get_mut((turn + round) % count.max(1)) else { continue };
                    self.turn(side, subject, series, concurrency);
                }
            }
        }
        Ok(floors)
    }

    /// One turn of one server, and a look at what it answered.
    fn turn(&self, side: &Side, subject: &mut Subject, series: usize, concurrency: usize) {
        let window = drive::run(&subject.target(), concurrency, self.order.duration);
        let engine = subject.running.engine;
        let Some(series) = subject.series.get_mut(series) else { return };
        match window {
            Ok(window) => {
                let checked = self.check(side, engine, &window.kept);
                series.add(&window);
                series.tally.count(checked.errors, checked.first.map(String::from));
            }
            Err(error) => series.tally.count(1, Some(error.to_string())),
        }
    }

    /// Makes the rows.
    fn report(&mut self, keys: Keys, subjects: Vec<Subject>, floors: &[f64]) {
        if let Some(cpu) = rounds::spread(floors) {
            let bytes = subjects.iter().find(|subject| subject.running.engine == Engine::Own);
            let (request, reply) = bytes.map_or((0, 0), |own| (own.request_bytes, own.reply_bytes));
            let cell = Cell { peer: FLOOR.to_owned(), version: "AWS-LC".to_owned(), ..self.cell(keys, 0) };
            let figures = Some(rounds::of_floor(cpu, floors.len(), request, reply));
            self.rows.push(Row { cell, figures, ..self.context.clone() });
        }
        for (at, concurrency) in CONCURRENCY.into_iter().enumerate() {
            let own = subjects.iter().find(|subject| subject.running.engine == Engine::Own);
            let own = own.and_then(|own| Some(own.series.get(at)?.cpu.clone()));
            for subject in &subjects {
                let Some(series) = subject.series.get(at) else { continue };
                let mut tally = subject.tally.clone();
                tally.count(series.tally.errors, series.tally.first.clone().map(String::from));
                self.right &= tally.errors == 0;
                let engine = subject.running.engine;
                let cell = Cell {
                    peer: engine.name().to_owned(),
                    version: self.ground.peers.version(engine).into(),
                    ..self.cell(keys, concurrency)
                };
                let figures =
                    series.figures(subject.request_bytes, subject.reply_bytes, floors, own.as_deref());
                let figures = figures.map(|figures| Figures { warm_messages: subject.warmed, ..figures });
                let note = tally.first.map_or(String::new(), |first| format!("first error: {first}"));
                self.rows.push(Row { cell, figures, errors: tally.errors, note, ..self.context.clone() });
            }
        }
    }

    fn cell(&self, keys: Keys, concurrency: usize) -> Cell {
        Cell { scenario: "rampart".to_owned(), keys: keys.name().to_owned(), concurrency, ..Cell::default() }
    }

    /// A row without figures for each concurrency.
    fn push(&mut self, keys: Keys, engine: Engine, note: &str, errors: u64) {
        for concurrency in CONCURRENCY {
            let cell = Cell {
                peer: engine.name().to_owned(),
                version: self.ground.peers.version(engine).into(),
                ..self.cell(keys, concurrency)
            };
            self.rows.push(Row { cell, errors, note: note.to_owned(), ..self.context.clone() });
        }
    }
}

impl Subject {
    fn target(&self) -> Target<'_> {
        Target {
            process: &self.running.process,
            address: self.running.address,
            wire: &self.wire,
            plausible: &self.plausible,
        }
    }

    /// Warms it for so long, and on while it still gets faster; what goes wrong here counts against it, too.
    fn warm(&mut self, least: Duration) {
        let mut slices = Vec::new();
        while rounds::still_warming(&slices) {
            match drive::run(&self.target(), WARM_CONCURRENCY, least / rounds::WARM_SLICES) {
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
