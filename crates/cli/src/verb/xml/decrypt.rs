//! `xml decrypt`: every EncryptedData replaced by its plaintext.

use bartizan_xmlsec::ErrorKind;
use bartizan_xmlsec::engine::decrypt_document;
use clap::ArgMatches;
use serde_json::{Value, json};

use super::keys::Keys;
use super::{Input, permit, refused};
use crate::args::Values as _;
use crate::output::{self, Exit, Failure, Outcome, Target};

pub(super) fn run(matches: &ArgMatches) -> Outcome {
    let keys = Keys::load(matches)?;
    let mut input = Input::read(matches)?;
    let permit = permit(matches);
    let decrypted = decrypt_document(&mut input.document, &keys, &permit, &mut input.budget);
    let decryption = decrypted.map_err(|error| match error.kind {
        ErrorKind::NothingToDo => {
            Failure::no(format_args!("{} holds no EncryptedData", input.path.display()))
        }
        _ => refused(&error),
    })?;
    let target = Target::new(matches.path("output"));
    let octets = decryption.render(&input.document);
    target.write_private(&octets)?;
    if matches.on("json") {
        let parts: Vec<Value> = decryption
            .parts
            .iter()
            .map(|part| json!({ "path": part.path, "cipher": part.cipher.uri() }))
            .collect();
        let value = json!({ "verdict": "decrypted", "parts": parts, "bytes": octets.len() });
        output::json_beside(&target, &value);
    } else if !matches.on("quiet") {
        let parts = output::count(decryption.parts.len(), "part");
        output::say(format_args!("decrypted: {parts}, {} bytes, to {target}", octets.len()));
    }
    Ok(Exit::Yes)
}
