//! python-xmlsec and lxml in a process of their own, which gets its turns from here.
//!
//! Not here: what it does with them (`driver.py`, which also says how the two talk).

use std::cell::RefCell;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;

use bartizan_lab::message::Size;

use crate::documents::{Document, Keys, sealing_template};
use crate::engine::{Case, Engine, Outcome, Turn};

/// The process. It ends with this value.
pub struct Driver {
    child: Child,
    talk: RefCell<(ChildStdin, BufReader<ChildStdout>)>,
    folder: PathBuf,
    /// What it has, in its own words.
    pub has: String,
}

impl Driver {
    /// Starts it on a fresh folder.
    ///
    /// # Errors
    /// In words for whoever runs this program: there is no such interpreter, or it has no lxml.
    pub fn start(python: &Path, script: &Path, folder: &Path, keys: &Keys) -> Outcome<Driver> {
        let broken = |error: std::io::Error| format!("{}: {error}", python.display());
        fs::create_dir_all(folder.join("check")).map_err(broken)?;
        for (name, text) in
            [("key.pem", &keys.pem), ("cert.pem", &keys.certificate), ("sealing.xml", &sealing_template())]
        {
            fs::write(folder.join(name), text).map_err(broken)?;
        }
        let mut child = Command::new(python)
            .args([script, folder])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(broken)?;
        let (Some(into), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("no pipes".to_owned());
        };
        let talk = RefCell::new((into, BufReader::new(from)));
        let mut driver = Driver { child, talk, folder: folder.to_owned(), has: String::new() };
        driver.has = driver.heard()?;
        Ok(driver)
    }

    fn heard(&self) -> Outcome<String> {
        let mut line = String::new();
        self.talk.borrow_mut().1.read_line(&mut line).map_err(|error| error.to_string())?;
        match line.trim_end().split_once(' ').unwrap_or((line.trim_end(), "")) {
            ("ok", rest) => Ok(rest.to_owned()),
            ("no", reason) => Err(reason.to_owned()),
            _ => Err("the Python driver ended".to_owned()),
        }
    }

    fn ask(&self, command: &str) -> Outcome<String> {
        writeln!(self.talk.borrow_mut().0, "{command}").map_err(|error| error.to_string())?;
        self.heard()
    }

    fn write(&self, folder: &str, document: &Document) -> Outcome<()> {
        let folder = self.folder.join(folder);
        let kinds = [
            ("unsigned", &document.unsigned),
            ("template", &document.template),
            ("signed", &document.signed),
            ("sealed", &document.sealed),
        ];
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        for (kind, text) in kinds {
            fs::write(folder.join(kind), text).map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One of the two libraries in the process.
pub struct Python {
    driver: Rc<Driver>,
    name: &'static str,
    note: String,
    cases: &'static [Case],
}

impl Python {
    /// Those that the process has.
    pub fn all(driver: &Rc<Driver>) -> Vec<Python> {
        let words: Vec<&str> = driver.has.split(' ').collect();
        let version = |name: &str| {
            let at = words.iter().position(|word| *word == name)?;
            words.get(at + 1).copied()
        };
        let made = |name, note, cases| Python { driver: Rc::clone(driver), name, note, cases };
        let mut all = Vec::new();
        if let (Some(lxml), Some(libxml)) = (version("lxml"), version("libxml2")) {
            let note = format!("{lxml}, libxml2 {libxml}; Python");
            all.push(made("lxml", note, &[Case::Parse, Case::Canonical]));
        }
        if let (Some(xmlsec), Some(library)) = (version("xmlsec"), version("libxmlsec")) {
            let note = format!("{xmlsec}, libxmlsec {library}, OpenSSL; Python");
            all.push(made("python-xmlsec", note, &[Case::Verify, Case::Sign, Case::Encrypt, Case::Decrypt]));
        }
        all
    }
}

impl Engine for Python {
    fn name(&self) -> &str {
        self.name
    }

    fn note(&self, _: Case) -> String {
        self.note.clone()
    }

    fn offers(&self, case: Case) -> bool {
        self.cases.contains(&case)
    }

    fn act(&self, case: Case, document: &Document) -> Outcome<Vec<u8>> {
        self.driver.write("check", document)?;
        self.driver.ask(&format!("check {}", case.label()))?;
        fs::read(self.driver.folder.join("answer")).map_err(|error| error.to_string())
    }

    fn turns(&'static self, case: Case, size: Size, documents: &'static [Document]) -> Turn {
        let label = size.label();
        if !self.driver.folder.join(label).exists() {
            for (at, document) in documents.iter().enumerate() {
                self.driver.write(&format!("{label}/{at}"), document).expect("a folder to write to");
            }
        }
        self.driver
            .ask(&format!("turns {} {label} {}", case.label(), documents.len()))
            .expect("it has read them");
        // The interpreter's own loop is small beside any of the cases; batches as elsewhere.
        let batch = if size == Size::Large { 1 } else { 16 };
        Box::new(move |least| {
            let spent = self.driver.ask(&format!("turn {least} {batch}")).expect("a turn");
            spent.parse().expect("a number")
        })
    }
}
