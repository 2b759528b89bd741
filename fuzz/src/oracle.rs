//! libxml2 as a child process that lives as long as the fuzzer.

use std::io::{BufReader, BufWriter, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The interpreter to use; it must have `lxml`.
const INTERPRETER: &str = "BARTIZAN_FUZZ_PYTHON";
/// The length that stands for a form that does not exist.
const NONE: u32 = u32::MAX;

/// What libxml2 makes of a document.
pub enum Verdict {
    /// Its forms: inclusive, inclusive with comments, exclusive, exclusive with comments, exclusive with a PrefixList.
    Forms(Vec<Option<Vec<u8>>>),
    /// Not well-formed, says libxml2.
    Refused(String),
}

/// The child.
pub struct Oracle {
    _child: Child,
    questions: BufWriter<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Oracle {
    /// Starts it; `None` if no interpreter was named.
    pub fn start() -> Option<Oracle> {
        let interpreter = std::env::var_os(INTERPRETER).filter(|name| !name.is_empty())?;
        let mut child = Command::new(interpreter)
            .args(["-u", "-c", include_str!("oracle.py")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the interpreter that the environment names");
        let questions = BufWriter::new(child.stdin.take().expect("piped"));
        let answers = BufReader::new(child.stdout.take().expect("piped"));
        Some(Oracle { _child: child, questions, answers })
    }

    /// Asks for the forms of a document.
    pub fn ask(&mut self, prefixes: &str, document: &[u8]) -> Verdict {
        self.put(prefixes.as_bytes());
        self.put(document);
        self.questions.flush().expect("the child lives");
        match self.number() {
            NONE => {
                let why = self.take().unwrap_or_default();
                Verdict::Refused(String::from_utf8_lossy(&why).into_owned())
            }
            count => Verdict::Forms((0..count).map(|_| self.take()).collect()),
        }
    }

    fn put(&mut self, octets: &[u8]) {
        let length = u32::try_from(octets.len()).expect("a small document");
        self.questions.write_all(&length.to_be_bytes()).expect("the child lives");
        self.questions.write_all(octets).expect("the child lives");
    }

    fn number(&mut self) -> u32 {
        let mut octets = [0; 4];
        self.answers.read_exact(&mut octets).expect("the child lives");
        u32::from_be_bytes(octets)
    }

    fn take(&mut self) -> Option<Vec<u8>> {
        let length = self.number();
        if length == NONE {
            return None;
        }
        let mut octets = vec![0; length as usize];
        self.answers.read_exact(&mut octets).expect("the child lives");
        Some(octets)
    }
}
