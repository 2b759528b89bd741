//! `xml c14n|sign|verify|encrypt|decrypt`: the bare engine, without SOAP.

mod algorithm;
mod c14n;
mod decrypt;
mod encrypt;
mod keys;
mod sign;
mod verify;

use std::path::{Path, PathBuf};

use bartizan_crypto::alg::AlgSet;
use bartizan_xml::{Budget, Document, Element, Limits, Profile};
use bartizan_xmlsec::{Permit, TransformKind};
use clap::ArgMatches;

use crate::args::Values as _;
use crate::output::{self, Failure, Outcome, Where};

pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    match matches.subcommand() {
        Some(("c14n", matches)) => c14n::run(matches),
        Some(("sign", matches)) => sign::run(matches),
        Some(("verify", matches)) => verify::run(matches),
        Some(("encrypt", matches)) => encrypt::run(matches),
        Some(("decrypt", matches)) => decrypt::run(matches),
        _ => Err(Failure::could_not("xml does c14n, sign, verify, encrypt or decrypt")),
    }
}

/// A document of a file, with what is left of its budget.
pub(super) struct Input {
    pub(super) document: Document,
    pub(super) budget: Budget,
    pub(super) path: PathBuf,
}

impl Input {
    /// Reads and parses what `IN` names; extra Id attributes are declared.
    pub(super) fn read(matches: &ArgMatches) -> Result<Input, Failure> {
        let path = matches.path("IN");
        let bytes = output::read_input(path.as_deref())?;
        let path = path.filter(|path| path.as_os_str() != "-").unwrap_or_else(|| "standard input".into());
        let mut budget = Budget::new(&Limits::generous());
        let mut document = Document::parse(bytes.clone(), Profile::Bare, &mut budget)
            .map_err(|error| no_xml(&error, &path, &bytes))?;
        // As common a name for it as there is; in messages it is not one.
        document.declare_id_attr("Id");
        for name in matches.texts("id-attr") {
            document.declare_id_attr(name);
        }
        Ok(Input { document, budget, path })
    }

    /// The one element that `ID|/PATH` names.
    pub(super) fn find(&self, what: &str) -> Result<Element<'_>, Failure> {
        let none = || Failure::no(format_args!("{} has no element `{what}`", self.path.display()));
        if what.starts_with('/') {
            let path = bartizan_xml::path::Path::parse_local(what).map_err(|error| {
                Failure::could_not(format_args!("`{what}` is no path: {error}"))
                    .help("write local names with positions, like /Response/Assertion[2]")
            })?;
            let found = path.select(&self.document);
            return match found.as_slice() {
                [only] => Ok(*only),
                [] => Err(none()),
                more => Err(Failure::no(format_args!("`{what}` names {} elements", more.len()))
                    .help("add positions, like /a/b[2]")),
            };
        }
        let found = self.document.by_id(what).map_err(Failure::no)?;
        found.ok_or_else(|| none().help("--id-attr NAME declares a further attribute that holds Ids"))
    }
}

/// The input is not the XML that we read.
fn no_xml(error: &bartizan_xml::Error, path: &Path, bytes: &[u8]) -> Failure {
    let failure = Failure::no(error);
    match std::str::from_utf8(bytes) {
        Ok(text) => failure.at(Where::offset(path, text, error.offset()..error.offset() + 1)),
        Err(_) => failure.at(Where::file(path)),
    }
}

/// What a document may use: everything of status ok, and legacy if asked for.
pub(super) fn permit(matches: &ArgMatches) -> Permit {
    if !matches.on("legacy") {
        return Permit::document(AlgSet::all_ok());
    }
    // The base64 transform went out of use with the algorithms of its time.
    let mut permit = Permit::document(AlgSet::with_legacy());
    permit.transforms = permit.transforms.with(TransformKind::Base64);
    permit
}

/// A refusal of the engine.
pub(super) fn refused(error: &bartizan_xmlsec::Error) -> Failure {
    use bartizan_xmlsec::ErrorKind as E;
    let help = match &error.kind {
        E::KeyNotFound => Some("give the key with --key FILE or --secret FILE; [NAME=] matches ds:KeyName"),
        E::KeyAmbiguous => Some("name the keys: --key NAME=FILE matches ds:KeyName"),
        E::AlgorithmNotPermitted(alg) if alg.status() == bartizan_crypto::Status::Legacy => {
            Some("--legacy allows the algorithms of status legacy")
        }
        E::Xml(inner) if matches!(inner.kind(), bartizan_xml::ErrorKind::DuplicateId) => {
            Some("--id-attr NAME declares a further attribute that holds Ids")
        }
        _ => None,
    };
    Failure::no(error).help_if(help)
}
