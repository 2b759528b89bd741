//! Work that is timed: a rotation of inputs through one closure, in batches that are made ready outside the clock.

use std::hint::black_box;
use std::rc::Rc;

use bartizan_lab::clock::thread_cpu;

/// CPU time of this thread in µs.
pub fn thread_micros() -> f64 {
    thread_cpu().as_secs_f64() * 1e6
}

/// Something that can be done again and again.
pub trait Work {
    /// Makes `count` operations ready; not timed.
    fn ready(&mut self, count: usize);
    /// Does what is ready; timed.
    fn run(&mut self);
}

/// A rotation of inputs, cloned for each operation, and what is done with one.
pub struct Rotation<I, F> {
    inputs: Rc<Vec<I>>,
    next: usize,
    waiting: Vec<I>,
    before: Box<dyn FnMut()>,
    act: F,
}

impl<I: Clone, R, F: FnMut(I) -> R> Rotation<I, F> {
    pub fn new(inputs: Vec<I>, act: F) -> Self {
        Self::shared(Rc::new(inputs), act)
    }

    pub fn shared(inputs: Rc<Vec<I>>, act: F) -> Self {
        assert!(!inputs.is_empty(), "a rotation of nothing");
        Rotation { inputs, next: 0, waiting: Vec::new(), before: Box::new(|| ()), act }
    }

    /// Something to be done before each batch, outside the clock.
    pub fn before(mut self, before: impl FnMut() + 'static) -> Self {
        self.before = Box::new(before);
        self
    }
}

impl<I: Clone, R, F: FnMut(I) -> R> Work for Rotation<I, F> {
    fn ready(&mut self, count: usize) {
        (self.before)();
        self.waiting.clear();
        for _ in 0..count {
            self.waiting.push(self.inputs[self.next].clone());
            self.next = (self.next + 1) % self.inputs.len();
        }
    }

    fn run(&mut self) {
        for input in self.waiting.drain(..) {
            black_box((self.act)(black_box(input)));
        }
    }
}

/// CPU µs per operation over at least `micros` of work, in batches of at most `batch`.
pub fn sample(work: &mut dyn Work, batch: usize, micros: f64) -> f64 {
    let (mut spent, mut done) = (0.0, 0);
    while spent < micros {
        work.ready(batch);
        let start = thread_micros();
        work.run();
        spent += thread_micros() - start;
        done += batch;
    }
    spent / done as f64
}

/// Allocations and octets allocated of one operation, on average.
pub fn allocations(work: &mut dyn Work, count: usize) -> (f64, f64) {
    work.ready(count);
    let seen = allocation_counter::measure(|| work.run());
    (seen.count_total as f64 / count as f64, seen.bytes_total as f64 / count as f64)
}
