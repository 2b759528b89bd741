//! What the user sees: results on standard output, everything else on standard error,
//! failures in one form, files written as a whole or not at all.

use std::fmt::{self, Display, Write as _};
use std::fs;
use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use bartizan_crypto::random::{Random as _, SystemRandom};
use bartizan_gateway::config::diagnostic::Place;
use bartizan_gateway::error::plain;

/// The exit code. Every verb keeps to these three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Yes, done.
    Yes = 0,
    /// Refused, not verified, invalid.
    No = 1,
    /// Could not run: usage, file, network.
    CouldNot = 2,
}

/// A failure as it is shown.
#[derive(Debug)]
pub(crate) struct Failure(Box<Shown>);

#[derive(Debug)]
struct Shown {
    exit: Exit,
    what: String,
    place: Option<Where>,
    help: Option<String>,
}

/// Where in a file.
#[derive(Debug)]
pub(crate) struct Where {
    file: String,
    at: Option<(usize, usize)>,
    text: Option<(String, usize)>,
}

/// What a verb returns.
pub(crate) type Outcome = Result<Exit, Failure>;

impl Failure {
    /// The answer is no (exit 1).
    pub(crate) fn no(what: impl Display) -> Self {
        Failure::ending(Exit::No, &what)
    }

    /// It could not run (exit 2).
    pub(crate) fn could_not(what: impl Display) -> Self {
        Failure::ending(Exit::CouldNot, &what)
    }

    fn ending(exit: Exit, what: &dyn Display) -> Self {
        Failure(Box::new(Shown { exit, what: what.to_string(), place: None, help: None }))
    }

    /// A file could not be read or written (exit 2).
    pub(crate) fn file(doing: &str, path: &Path, error: &io::Error) -> Self {
        Failure::could_not(format_args!("cannot {doing} {}: {}", path.display(), plain(error)))
    }

    /// Adds the way out.
    pub(crate) fn help(mut self, help: impl Display) -> Self {
        self.0.help = Some(help.to_string());
        self
    }

    /// Adds the way out if there is one.
    pub(crate) fn help_if(self, help: Option<impl Display>) -> Self {
        match help {
            Some(help) => self.help(help),
            None => self,
        }
    }

    /// Adds the place.
    pub(crate) fn at(mut self, place: Where) -> Self {
        self.0.place = Some(place);
        self
    }

    /// Prints only the way out, after the answer was printed as a result.
    pub(crate) fn print_help(&self) {
        if let Some(help) = &self.0.help {
            say(format_args!("help: {help}"));
        }
    }

    /// Its exit code.
    pub(crate) fn exit(&self) -> Exit {
        self.0.exit
    }

    /// Prints it on standard error.
    pub(crate) fn print(&self) {
        note("error", &self.0.what, self.0.place.as_ref(), self.0.help.as_deref());
    }
}

impl Where {
    /// A file as a whole.
    pub(crate) fn file(file: &Path) -> Self {
        Where { file: file.display().to_string(), at: None, text: None }
    }

    /// A place of a file whose text is not to be shown.
    pub(crate) fn line(file: &Path, at: Option<(usize, usize)>) -> Self {
        Where { at, ..Where::file(file) }
    }

    /// A line with its text and a caret.
    pub(crate) fn shown(file: &Path, place: &Place<'_>) -> Self {
        Where {
            file: file.display().to_string(),
            at: Some((place.line, place.column)),
            text: Some((place.text.to_owned(), place.width)),
        }
    }

    /// A byte offset of a text.
    pub(crate) fn offset(file: &Path, text: &str, at: std::ops::Range<usize>) -> Self {
        Where::shown(file, &bartizan_gateway::config::Source { text }.place(&at))
    }
}

/// Widest line that is shown under an error; the caret stays in sight.
const SHOWN_WIDTH: usize = 96;

/// Prints one message in the common form on standard error.
pub(crate) fn note(severity: &str, what: &str, place: Option<&Where>, help: Option<&str>) {
    let colour = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let text = render(severity, what, place, help, colour);
    // Nothing is left to do when standard error is gone.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// The message as text.
pub(crate) fn render(
    severity: &str,
    what: &str,
    place: Option<&Where>,
    help: Option<&str>,
    colour: bool,
) -> String {
    let (bold, tint, off) = match (colour, severity) {
        (false, _) => ("", "", ""),
        (true, "error") => ("\u{1b}[1m", "\u{1b}[1;31m", "\u{1b}[0m"),
        (true, _) => ("\u{1b}[1m", "\u{1b}[1;33m", "\u{1b}[0m"),
    };
    let mut out = format!("{tint}{severity}{off}{bold}: {what}{off}\n");
    match place {
        Some(Where { file, at: Some((line, column)), text }) => {
            let _ = writeln!(out, "  --> {file}:{line}:{column}");
            if let Some((text, width)) = text {
                let (text, caret) = window(text, *column);
                let gutter = line.to_string();
                let blank = " ".repeat(gutter.len());
                let room = text.chars().count().saturating_sub(caret).max(1);
                let mark = "^".repeat((*width).clamp(1, room));
                let pad = " ".repeat(caret);
                let _ = write!(out, "{blank} |\n{gutter} | {text}\n{blank} | {pad}{tint}{mark}{off}\n");
            }
        }
        Some(Where { file, at: None, .. }) => drop(writeln!(out, "  --> {file}")),
        None => {}
    }
    if let Some(help) = help {
        let _ = writeln!(out, "{bold}help{off}: {help}");
    }
    out
}

/// The part of a long line around `column` (from 1), with tabs as blanks, and the caret's
/// distance from its start.
fn window(text: &str, column: usize) -> (String, usize) {
    let chars: Vec<char> = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let caret = column.saturating_sub(1).min(chars.len());
    if chars.len() <= SHOWN_WIDTH {
        return (chars.into_iter().collect(), caret);
    }
    let start = caret.saturating_sub(SHOWN_WIDTH / 2).min(chars.len() - SHOWN_WIDTH);
    (chars.into_iter().skip(start).take(SHOWN_WIDTH).collect(), caret - start)
}

/// A warning on standard error.
pub(crate) fn warn(what: impl Display) {
    note("warning", &what.to_string(), None, None);
}

/// Something to say on standard error that is no warning.
pub(crate) fn say(what: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{what}");
}

/// A line of the result on standard output. A closed pipe ends the program quietly.
pub(crate) fn line(what: impl Display) {
    put(format!("{what}\n").as_bytes());
}

/// Octets of the result on standard output.
pub(crate) fn put(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    if let Err(error) = out.write_all(bytes).and_then(|()| out.flush()) {
        // Who reads only the first lines knows why there are no more.
        if error.kind() != io::ErrorKind::BrokenPipe {
            say(format_args!("error: cannot write to standard output: {error}"));
        }
        std::process::exit(Exit::CouldNot as i32);
    }
}

/// A JSON object on standard output.
pub(crate) fn json(value: &serde_json::Value) {
    line(format_args!("{value:#}"));
}

/// A JSON object that tells of a document: on standard error where the document has standard output.
pub(crate) fn json_beside(target: &Target, value: &serde_json::Value) {
    match target {
        Target::Stdout => say(format_args!("{value:#}")),
        Target::File(_) => json(value),
    }
}

/// Where an answer goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Standard output.
    Stdout,
    /// A file, as a whole or not at all.
    File(PathBuf),
}

impl Target {
    /// From `-o`; `-` and nothing are standard output.
    pub(crate) fn new(path: Option<PathBuf>) -> Self {
        match path {
            Some(path) if path.as_os_str() != "-" => Target::File(path),
            _ => Target::Stdout,
        }
    }

    /// Writes the answer.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        match self {
            Target::Stdout => {
                put(bytes);
                Ok(())
            }
            Target::File(path) => {
                write_whole(path, bytes, 0o666).map_err(|error| Failure::file("write", path, &error))
            }
        }
    }

    /// Writes an answer that may hold what was encrypted: a new file is its owner's alone.
    pub(crate) fn write_private(&self, bytes: &[u8]) -> Result<(), Failure> {
        match self {
            Target::Stdout => self.write(bytes),
            Target::File(path) => {
                write_whole(path, bytes, 0o600).map_err(|error| Failure::file("write", path, &error))
            }
        }
    }
}

impl Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Stdout => f.write_str("standard output"),
            Target::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// Writes to a neighbour and renames it, so that nobody ever reads half a file. What is no
/// regular file (a device, a pipe) is written in place. A file that is there keeps its mode, a new one gets `mode` less the
/// umask. The neighbour's name is by chance and it must be new: nobody can have put a link there.
fn write_whole(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let found = fs::metadata(path).ok();
    if found.as_ref().is_some_and(|found| !found.is_file()) {
        return fs::write(path, bytes);
    }
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
    let mut chance = [0_u8; 8];
    SystemRandom.fill(&mut chance);
    let neighbour = path.with_file_name(format!(".{name}.{:016x}.part", u64::from_be_bytes(chance)));
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(&neighbour)?;
    let kept = found.map_or(Ok(()), |found| file.set_permissions(found.permissions()));
    let written = kept.and_then(|()| file.write_all(bytes)).and_then(|()| fs::rename(&neighbour, path));
    if written.is_err() {
        let _ = fs::remove_file(&neighbour);
    }
    written
}

/// Reads a whole input; `-` and nothing are standard input.
pub(crate) fn read_input(path: Option<&Path>) -> Result<Vec<u8>, Failure> {
    match path {
        Some(path) if path.as_os_str() != "-" => read_file(path),
        _ => {
            let path = Path::new("standard input");
            read_bounded(io::stdin().lock(), path)
        }
    }
}

/// Reads a whole file.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
    let file = fs::File::open(path).map_err(|error| Failure::file("read", path, &error))?;
    read_bounded(file, path)
}

/// Bytes of a file that are read at most; every parser behind has a narrower limit.
const LARGEST: u64 = 512 << 20;

fn read_bounded(source: impl io::Read, path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = source.take(LARGEST + 1).read_to_end(&mut bytes);
    match read.map_err(|error| Failure::file("read", path, &error))? {
        read if read as u64 > LARGEST => {
            Err(Failure::could_not(format_args!("{} is larger than {} MiB", path.display(), LARGEST >> 20)))
        }
        _ => Ok(bytes),
    }
}

/// A name that others open: `-` is standard input there, too.
pub(crate) fn openable(path: PathBuf) -> PathBuf {
    if path.as_os_str() == "-" { PathBuf::from("/dev/stdin") } else { path }
}

/// Reads a text file; `-` is standard input.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    let bytes = read_input(Some(path))?;
    String::from_utf8(bytes).map_err(|_| Failure::no(format_args!("{} is not UTF-8", path.display())))
}

/// A number of things: `1 error`, `2 errors`.
pub(crate) fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// A time in the unit that suits it.
pub(crate) fn show_time(time: std::time::Duration) -> String {
    let micros = time.as_micros();
    if micros < 10_000 { format!("{micros} µs") } else { format!("{:.1} ms", time.as_secs_f64() * 1e3) }
}

#[cfg(test)]
mod tests;
