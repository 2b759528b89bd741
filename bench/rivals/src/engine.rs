//! What an engine is to this program: some of six cases, done with one document, and turns of many of them.
//!
//! Not here: any engine. Called by the checks and by the rounds.

use std::hint::black_box;

use bartizan_lab::clock::thread_cpu;
use bartizan_lab::message::Size;

use crate::documents::Document;

/// What went wrong, in the words of the engine.
pub type Outcome<T> = Result<T, String>;

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Case {
    /// Text to a tree (quick-xml: to events), and the tree dropped.
    Parse,
    /// A parsed document to the exclusive canonical octets of its Body.
    Canonical,
    /// Text with a signature over Timestamp and Body to a verdict.
    Verify,
    /// Text to text with such a signature.
    Sign,
    /// Text to text with the content of the Body encrypted.
    Encrypt,
    /// And back.
    Decrypt,
}

impl Case {
    /// All of them, in the order of the table.
    pub const ALL: [Case; 6] =
        [Case::Parse, Case::Canonical, Case::Verify, Case::Sign, Case::Encrypt, Case::Decrypt];

    /// Whether there is cryptography in it.
    pub const fn is_cryptography(self) -> bool {
        !matches!(self, Case::Parse | Case::Canonical)
    }

    /// As it is written in tables, and to the Python driver.
    pub const fn label(self) -> &'static str {
        match self {
            Case::Parse => "parse",
            Case::Canonical => "c14n",
            Case::Verify => "verify",
            Case::Sign => "sign",
            Case::Encrypt => "encrypt",
            Case::Decrypt => "decrypt",
        }
    }
}

/// One turn: works for at least so many µs of CPU time and gives the µs of one operation.
pub type Turn = Box<dyn FnMut(f64) -> f64>;

/// An engine under test.
pub trait Engine {
    /// As it is written in tables.
    fn name(&self) -> &str;

    /// Version, and who does the cryptography where a case has some.
    fn note(&self, case: Case) -> String;

    /// Whether it can do a case.
    fn offers(&self, case: Case) -> bool;

    /// Does a case once. The answer is, by case: the number of elements in decimal, the canonical octets, nothing, the
    /// signed text, the encrypted text, the decrypted text.
    ///
    /// # Errors
    /// What the engine says; a refused signature is an error.
    fn act(&self, case: Case, document: &Document) -> Outcome<Vec<u8>>;

    /// Makes turns of a case ready. Whatever need not be done for every document anew is done here.
    fn turns(&'static self, case: Case, size: Size, documents: &'static [Document]) -> Turn;
}

/// Turns of a closure over a rotation of inputs. A batch of inputs is cloned before the clock starts; what the closure
/// gives is dropped while it runs.
pub fn rotation<I: Clone + 'static, R>(
    size: Size,
    inputs: Vec<I>,
    mut act: impl FnMut(I) -> R + 'static,
) -> Turn {
    assert!(!inputs.is_empty(), "a rotation of nothing");
    let batch = match size {
        Size::Small => 64,
        Size::Medium => 16,
        Size::Large => 1,
    };
    let mut next = 0;
    Box::new(move |least| {
        let (mut spent, mut done) = (0.0, 0_u32);
        while done == 0 || spent < least {
            let ready: Vec<I> = (next..next + batch).map(|at| inputs[at % inputs.len()].clone()).collect();
            next = (next + batch) % inputs.len();
            let start = thread_cpu();
            for input in ready {
                black_box(act(black_box(input)));
            }
            spent += (thread_cpu() - start).as_secs_f64() * 1e6;
            done += u32::try_from(batch).expect("a small batch");
        }
        spent / f64::from(done)
    })
}

/// Turns of [`Engine::act`], for cases that begin with a text.
pub fn plain_turns(
    engine: &'static dyn Engine,
    case: Case,
    size: Size,
    documents: &'static [Document],
) -> Turn {
    rotation(size, documents.iter().collect(), move |document: &'static Document| {
        engine.act(case, document).expect("it was done before")
    })
}
