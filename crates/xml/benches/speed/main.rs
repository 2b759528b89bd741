//! Speed of parsing and of the exclusive canonical form, with allocations, beside quick-xml on the same envelopes.
//! Run: `cargo bench -p bartizan-xml`. Ratios within one run mean more than the figures themselves.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failed measurement may end")]

mod documents;

use std::cell::Cell;

use aws_lc_rs::digest::{Context, SHA256};
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::names::soap11;
use bartizan_xml::sink::{Counter, Sink};
use bartizan_xml::{Budget, Document, Limits, Profile};
use divan::counter::BytesCount;
use divan::{AllocProfiler, Bencher, black_box};
use quick_xml::events::Event;
use quick_xml::reader::NsReader;

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

/// Octets of the envelopes.
const SIZES: [usize; 3] = [1_717, 10_211, 1_000_215];

fn main() {
    divan::main();
}

/// Envelopes in rotation.
struct Rotation<T> {
    items: Vec<T>,
    at: Cell<usize>,
}

impl<T> Rotation<T> {
    fn new(octets: usize, make: impl Fn(String) -> T) -> Self {
        let count = if octets > 100_000 { 8 } else { 64 };
        Self {
            items: (1..=count).map(|seed| make(documents::envelope(octets, seed))).collect(),
            at: Cell::new(0),
        }
    }

    fn next(&self) -> &T {
        let at = self.at.get();
        self.at.set((at + 1) % self.items.len());
        &self.items[at]
    }
}

fn parsed(text: &str) -> Document {
    let mut budget = Budget::new(&Limits::default());
    Document::parse(text.as_bytes().to_vec(), Profile::Message, &mut budget).unwrap()
}

fn canonical(document: &Document, sink: &mut dyn Sink) -> u64 {
    let body = document.root().child(soap11::BODY).unwrap();
    C14n::new(C14nMethod::Exclusive).write(body, sink).unwrap()
}

#[divan::bench(args = SIZES)]
fn parse(bencher: Bencher<'_, '_>, octets: usize) {
    let texts = Rotation::new(octets, |text| text);
    bencher.counter(BytesCount::new(texts.items[0].len())).bench_local(|| parsed(texts.next()));
}

/// Names resolved and attributes read, as whoever checks a message must.
#[divan::bench(args = SIZES)]
fn quick_xml_with_namespaces(bencher: Bencher<'_, '_>, octets: usize) {
    let texts = Rotation::new(octets, |text| text);
    bencher.counter(BytesCount::new(texts.items[0].len())).bench_local(|| {
        let mut reader = NsReader::from_reader(texts.next().as_bytes());
        let mut seen = 0;
        loop {
            match reader.read_resolved_event().unwrap() {
                (_, Event::Eof) => return seen,
                (namespace, Event::Start(tag) | Event::Empty(tag)) => {
                    black_box(namespace);
                    for attribute in tag.attributes() {
                        let attribute = attribute.unwrap();
                        black_box(reader.resolver().resolve_attribute(attribute.key));
                        seen += attribute.value.len();
                    }
                }
                (_, Event::Text(text)) => seen += text.len(),
                _ => {}
            }
        }
    });
}

#[divan::bench(args = SIZES)]
fn c14n_counted(bencher: Bencher<'_, '_>, octets: usize) {
    let documents = Rotation::new(octets, |text| parsed(&text));
    let count = canonical(&documents.items[0], &mut Counter::default());
    bencher
        .counter(BytesCount::new(count))
        .bench_local(|| canonical(documents.next(), &mut Counter::default()));
}

#[divan::bench(args = SIZES)]
fn c14n_into_vec(bencher: Bencher<'_, '_>, octets: usize) {
    let documents = Rotation::new(octets, |text| parsed(&text));
    let count = canonical(&documents.items[0], &mut Counter::default());
    bencher.counter(BytesCount::new(count)).bench_local(|| {
        let mut octets = Vec::with_capacity(count as usize + 1_024);
        canonical(documents.next(), &mut octets);
        octets
    });
}

/// A digest as sink.
struct Digest(Context);

impl Sink for Digest {
    fn put(&mut self, octets: &[u8]) {
        self.0.update(octets);
    }
}

#[divan::bench(args = SIZES)]
fn c14n_into_sha256(bencher: Bencher<'_, '_>, octets: usize) {
    let documents = Rotation::new(octets, |text| parsed(&text));
    let count = canonical(&documents.items[0], &mut Counter::default());
    bencher.counter(BytesCount::new(count)).bench_local(|| {
        let mut digest = Digest(Context::new(&SHA256));
        canonical(documents.next(), &mut digest);
        digest.0.finish()
    });
}

/// The floor of [`c14n_into_sha256`].
#[divan::bench(args = SIZES)]
fn sha256_alone(bencher: Bencher<'_, '_>, octets: usize) {
    let canon = Rotation::new(octets, |text| {
        let mut octets = Vec::new();
        canonical(&parsed(&text), &mut octets);
        octets
    });
    bencher.counter(BytesCount::new(canon.items[0].len())).bench_local(|| {
        let mut context = Context::new(&SHA256);
        context.update(canon.next());
        context.finish()
    });
}
