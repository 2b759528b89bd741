//! Two pinned threads against one: whether anything is shared that slows the second down.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use bartizan_lab::message::Size;
use bartizan_lab::sample::median;
use rustix::thread::{CpuSet, Pid, sched_setaffinity};

use crate::cases;
use crate::work::{self, Work as _};
use crate::world::World;

/// What two threads do together, as a multiple of one.
pub struct Scaling {
    pub name: String,
    /// By the clock on the wall: on a machine that does other things too, it says little.
    pub wall: f64,
    /// By CPU time per message: shows shared caches and spinning, not waiting.
    pub cpu: f64,
}

/// Messages per second of one thread, by the wall and by its CPU time.
fn rate(
    world: &'static World,
    requests: Vec<Vec<u8>>,
    core: usize,
    begin: &Barrier,
    length: Duration,
) -> (f64, f64) {
    let mut set = CpuSet::new();
    set.set(core);
    // Where the system refuses, the threads float.
    let _ = sched_setaffinity(None::<Pid>, &set);
    let mut work = cases::serving(world, requests);
    work.ready(16);
    work.run();
    begin.wait();
    let (mut wall, mut cpu, mut done) = (0.0, 0.0, 0.0);
    let started = Instant::now();
    while started.elapsed() < length {
        work.ready(64);
        let (began, spent) = (Instant::now(), work::thread_micros());
        work.run();
        cpu += (work::thread_micros() - spent) / 1e6;
        wall += began.elapsed().as_secs_f64();
        done += 64.0;
    }
    (done / wall, done / cpu)
}

fn together(world: &'static World, requests: &[Vec<u8>], cores: &[usize], length: Duration) -> (f64, f64) {
    let begin = &Barrier::new(cores.len());
    let rates: Vec<(f64, f64)> = thread::scope(|scope| {
        let threads: Vec<_> = cores
            .iter()
            .map(|core| {
                let requests = requests.to_vec();
                scope.spawn(move || rate(world, requests, *core, begin, length))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("a thread that ends")).collect()
    });
    (rates.iter().map(|(wall, _)| wall).sum(), rates.iter().map(|(_, cpu)| cpu).sum())
}

pub fn measure(world: World, size: Size, rounds: usize, length: Duration) -> Scaling {
    let name = format!("{} {}", world.name, size.label());
    let requests = cases::served(&world, size);
    let world: &'static World = Box::leak(Box::new(world));
    let (mut wall, mut cpu) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        // One thread on each core in turn: cores of a virtual machine need not be equal.
        let ones = [together(world, &requests, &[0], length), together(world, &requests, &[1], length)];
        let both = together(world, &requests, &[0, 1], length);
        let one = |pick: fn(&(f64, f64)) -> f64| ones.iter().map(pick).sum::<f64>() / 2.0;
        wall.push(both.0 / one(|rate| rate.0));
        cpu.push(both.1 / one(|rate| rate.1));
    }
    Scaling { name, wall: median(&wall).unwrap_or(f64::NAN), cpu: median(&cpu).unwrap_or(f64::NAN) }
}
