//! `help`: the long help of a verb, every reason of refusal, every key of the configuration, every name of actions.

use bartizan_wss::reason::{Reason, Wire};
use clap::{ArgMatches, Command};
use serde_json::{Value, json};

use crate::args::{self, Values as _};
use crate::output::{self, Exit, Failure, Outcome};

pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    let topic = matches.texts("TOPIC");
    match topic.as_slice() {
        ["reasons"] => reasons(matches.on("json")),
        ["actions"] => output::put(bartizan_policy::actions::page().as_bytes()),
        ["config"] => output::put(bartizan_gateway::config::table::markdown().as_bytes()),
        words => {
            let mut command = args::command();
            command.build();
            output::line(find(&mut command, words)?.render_long_help());
        }
    }
    Ok(Exit::Yes)
}

/// The (sub-)command that `words` name.
fn find<'c>(command: &'c mut Command, words: &[&str]) -> Result<&'c mut Command, Failure> {
    let Some((first, rest)) = words.split_first() else { return Ok(command) };
    let known: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    match command.find_subcommand_mut(first) {
        Some(sub) => find(sub, rest),
        None => {
            let names = known.iter().map(String::as_str).chain(["reasons", "config", "actions"]);
            let nearest = bartizan_gateway::config::value::nearest(first, names);
            Err(Failure::could_not(format_args!("there is no help on `{first}`")).help(nearest.map_or_else(
                || "`bartizan help` lists the verbs; `reasons`, `config` and `actions` are topics".to_owned(),
                |name| format!("did you mean `{name}`?"),
            )))
        }
    }
}

/// The closed list of reasons.
fn reasons(as_json: bool) {
    if as_json {
        let all: Vec<Value> = Reason::ALL
            .iter()
            .map(|r| json!({ "reason": r.code(), "sentence": r.sentence(), "fault": fault(r.wire()) }))
            .collect();
        return output::json(&json!({ "reasons": all }));
    }
    output::line(
        "Why a message is refused. The reason stands in evidence and in the log; on the wire goes only the fault.\n",
    );
    for reason in Reason::ALL {
        output::line(format_args!(
            "{}  [{}]\n    {}",
            reason.code(),
            fault(reason.wire()),
            reason.sentence()
        ));
    }
}

/// The fault code that goes on the wire.
pub(crate) fn fault(wire: Wire) -> &'static str {
    match wire {
        Wire::FailedCheck => "wsse:FailedCheck",
        Wire::MessageExpired => "wsu:MessageExpired",
        Wire::VersionMismatch => "soap:VersionMismatch",
        Wire::MustUnderstand => "soap:MustUnderstand",
        Wire::Sender => "soap:Sender",
    }
}
