//! The rows of a run: what its turns came to, beside the floors.

use super::{Run, Side, Subject, rounds};
use crate::kind::Kind;
use crate::peer::Engine;
use crate::record::{Cell, FLOOR, Figures, Row};

impl Run<'_> {
    /// Makes the rows.
    pub(super) fn report(&mut self, side: &Side, subjects: &[&Subject]) {
        let (kind, floors) = (side.kind, side.floors.as_slice());
        if let Some(cpu) = rounds::spread(floors) {
            let bytes = subjects.iter().find(|subject| subject.running.engine == Engine::Own);
            let (request, reply) = bytes.map_or((0, 0), |own| (own.request_bytes, own.reply_bytes));
            let cell = Cell { peer: FLOOR.to_owned(), version: "AWS-LC".to_owned(), ..cell(kind, 0) };
            let figures = Some(rounds::of_floor(cpu, floors.len(), request, reply));
            self.rows.push(Row { cell, figures, ..self.context.clone() });
        }
        for (at, concurrency) in self.order.concurrency.clone().into_iter().enumerate() {
            let own = subjects.iter().find(|subject| subject.running.engine == Engine::Own);
            let own = own.and_then(|own| Some(own.series.get(at)?.cpu.clone()));
            for subject in subjects {
                let Some(series) = subject.series.get(at) else { continue };
                let mut tally = subject.tally.clone();
                tally.count(series.tally.errors, series.tally.first.clone().map(String::from));
                self.right &= tally.errors == 0;
                let engine = subject.running.engine;
                let cell = Cell {
                    peer: engine.name().to_owned(),
                    version: self.ground.peers.version(engine).into(),
                    ..cell(kind, concurrency)
                };
                let figures =
                    series.figures(subject.request_bytes, subject.reply_bytes, floors, own.as_deref());
                let figures = figures.map(|figures| Figures { warm_messages: subject.warmed, ..figures });
                let note = tally.first.map_or(String::new(), |first| format!("first error: {first}"));
                self.rows.push(Row { cell, figures, errors: tally.errors, note, ..self.context.clone() });
            }
        }
    }

    /// A row without figures for each concurrency.
    pub(super) fn push(&mut self, kind: Kind, engine: Engine, note: &str, errors: u64) {
        for concurrency in self.order.concurrency.clone() {
            let cell = Cell {
                peer: engine.name().to_owned(),
                version: self.ground.peers.version(engine).into(),
                ..cell(kind, concurrency)
            };
            self.rows.push(Row { cell, errors, note: note.to_owned(), ..self.context.clone() });
        }
    }
}

fn cell(kind: Kind, concurrency: usize) -> Cell {
    Cell { scenario: kind.scenario().to_owned(), keys: kind.name(), concurrency, ..Cell::default() }
}
