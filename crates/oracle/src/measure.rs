//! Times at the socket: classes in an order by chance within each round, over several kept connections.

use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::Options;
use crate::chance::Chance;
use crate::check::Prepared;
use crate::classes::{Class, REPLAY, Service};
use crate::forge::Forge;
use crate::server::Server;
use crate::stats::{Difference, compare};
use crate::wire::{Wire, request};

/// Rounds for what is not judged.
const FEW: usize = 300;
/// A pause of up to this before each request, so that requests and the ticks of timers do not run in step.
const PAUSE_US: usize = 1_000;

/// The quantum of the control: no multiple of it is one of the default's.
pub(crate) const SLOW: &str = "23ms";

/// Samples by class, in nanoseconds; the n-th of all were measured in the same round.
pub(crate) type Times = Vec<Vec<u32>>;

/// What the harness must see, or else it sees nothing.
#[derive(Debug)]
pub(crate) struct Control {
    pub(crate) what: &'static str,
    pub(crate) difference: Difference,
}

/// Binds this process to one CPU; false if the system has no way or does not want to.
pub(crate) fn pin(cpu: usize) -> bool {
    let id = std::process::id().to_string();
    let mut command = Command::new("taskset");
    command.args(["-c", "-p", &cpu.to_string(), &id]).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The requests of one class.
struct Source<'a> {
    class: &'a Class,
    path: &'static str,
    forge: &'a Forge,
    ready: &'a [Vec<u8>],
}

impl Source<'_> {
    /// The next request to send; made anew where the service remembers.
    fn next(&self, chance: &mut Chance) -> Result<Vec<u8>> {
        let n = chance.below(self.class.variants);
        if self.class.fresh {
            return Ok(request(self.path, &(self.class.make)(self.forge, n)?, false));
        }
        if self.class.name == REPLAY {
            // The classes beside it make a message each time: the same must precede this one's request.
            (self.class.make)(self.forge, n)?;
        }
        self.ready.get(n).cloned().context("no such message")
    }
}

fn sources<'a>(forge: &'a Forge, service: &'a Service, prepared: &'a Prepared) -> Vec<Source<'a>> {
    let pairs = service.classes.iter().zip(prepared);
    pairs.map(|(class, ready)| Source { class, path: service.path, forge, ready }).collect()
}

/// One connection's rounds. Every answer must be the reference's, octet by octet.
fn rounds(sources: &[Source<'_>], address: &str, rounds: usize, seed: u64) -> Result<Times> {
    let mut chance = Chance::new(seed);
    let mut wire = Wire::open(address)?;
    let mut times: Times = vec![Vec::with_capacity(rounds); sources.len()];
    let mut order: Vec<usize> = (0..sources.len()).collect();
    let mut reference = None;
    for _ in 0..rounds {
        chance.shuffle(&mut order);
        for place in &order {
            let source = sources.get(*place).context("no such class")?;
            let request = source.next(&mut chance)?;
            std::thread::sleep(Duration::from_micros(chance.below(PAUSE_US) as u64));
            let answer = wire.ask(&request).context(source.class.name)?;
            let same = *reference.get_or_insert_with(|| answer.masked.clone()) == answer.masked;
            ensure!(same, "the answer to `{}` is another", source.class.name);
            if let Some(samples) = times.get_mut(*place) {
                samples.push(answer.nanos);
            }
        }
    }
    Ok(times)
}

/// The times that are judged.
pub(crate) fn times(
    forge: &Forge,
    service: &Service,
    prepared: &Prepared,
    address: &str,
    options: &Options,
) -> Result<Times> {
    let each = options.samples.div_ceil(options.connections);
    let sources = sources(forge, service, prepared);
    let sources = &sources;
    let mut all: Times = vec![Vec::new(); sources.len()];
    std::thread::scope(|scope| {
        let run = |n: usize| {
            let seed = options.seed.wrapping_mul(1_000).wrapping_add(n as u64);
            scope.spawn(move || rounds(sources, address, each, seed))
        };
        let running: Vec<_> = (0..options.connections).map(run).collect();
        for thread in running {
            let times = thread.join().map_err(|_| anyhow::anyhow!("a thread panicked"))??;
            for (all, more) in all.iter_mut().zip(times) {
                all.extend(more);
            }
        }
        Ok(all)
    })
}

/// What a class costs where nothing hides it: at the socket, and by the server's own clock.
#[derive(Debug, Default)]
pub(crate) struct Bare {
    /// At the socket, in nanoseconds.
    pub(crate) socket: Times,
    /// Parsing and verifying as the log has it, in microseconds.
    pub(crate) verify: Vec<Vec<u32>>,
}

/// The same with `failure_quantum = 0`: not judged, it shows what the quantum hides.
pub(crate) fn without_quantum(
    forge: &Forge,
    service: &Service,
    prepared: &Prepared,
    server: &mut Server,
    options: &Options,
) -> Result<Bare> {
    let sources = sources(forge, service, prepared);
    let mut bare = Bare { socket: vec![Vec::new(); sources.len()], verify: vec![Vec::new(); sources.len()] };
    let mut chance = Chance::new(options.seed);
    let mut wire = Wire::open(&server.address)?;
    let mut order: Vec<usize> = (0..sources.len()).collect();
    // What must have been there before, was at the other server only.
    for source in sources.iter().filter(|source| !source.class.fresh) {
        for request in source.ready {
            wire.ask(request)?;
        }
    }
    server.keep_records(true);
    for _ in 0..options.samples.min(FEW) {
        chance.shuffle(&mut order);
        for place in &order {
            let Some(source) = sources.get(*place) else { continue };
            let answer = wire.ask(&source.next(&mut chance)?).context(source.class.name)?;
            let record = server.record(&answer.id)?;
            let took = record.get("verify_us").and_then(Value::as_u64).and_then(|us| u32::try_from(us).ok());
            if let (Some(socket), Some(verify)) = (bare.socket.get_mut(*place), bare.verify.get_mut(*place)) {
                socket.push(answer.nanos);
                verify.extend(took);
            }
        }
    }
    server.keep_records(false);
    Ok(bare)
}

/// Differences that exist: another quantum, and an answer that is no refusal.
pub(crate) fn controls(
    forge: &Forge,
    service: &Service,
    prepared: &Prepared,
    server: &Server,
    slow: &Server,
    options: &Options,
) -> Result<Vec<Control>> {
    let mut chance = Chance::new(options.seed);
    let all = sources(forge, service, prepared);
    let reference = all.first().context("no reference")?;
    let mut wires = (Wire::open(&server.address)?, Wire::open(&slow.address)?);
    let (mut refused, mut later, mut accepted) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..options.samples.min(FEW) {
        refused.push(wires.0.ask(&reference.next(&mut chance)?)?.nanos);
        if !service.costly {
            later.push(wires.1.ask(&reference.next(&mut chance)?)?.nanos);
        }
        let good = request(service.path, &(service.sound)(forge)?, false);
        let answer = wires.0.ask(&good)?;
        ensure!(answer.masked.starts_with(b"HTTP/1.1 200"), "a sound message was refused");
        accepted.push(answer.nanos);
    }
    let mut controls =
        vec![Control { what: "answer to a sound message", difference: compare(&accepted, &refused) }];
    // A slow hash takes several quanta, now more and now less: what one quantum does is not seen beside that.
    if !service.costly {
        controls
            .push(Control { what: "refusal at a quantum of 23 ms", difference: compare(&later, &refused) });
    }
    Ok(controls)
}
