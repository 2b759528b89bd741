//! `help`: the long help of a verb, every reason of refusal, every key of the configuration, every name of actions.

use bartizan_wss::reason::{Reason, Wire};
use clap::{ArgMatches, Command};
use serde_json::{Value, json};

use crate::args::{self, Values as _};
use crate::output::{self, Exit, Failure, Outcome};

pub(crate) fn run(matches: &ArgMatches) -> Outcome {
    let topic = matches.texts("TOPIC");
    match topic.as_slice() {
        ["reasons", which @ ..] => return reasons(which, matches.on("json")),
        [topic @ ("actions" | "config"), more, ..] => {
            return Err(Failure::could_not(format_args!(
                "`{topic}` is one page: there is no `{more}` in it"
            ))
            .help(format_args!("`bartizan help {topic}` prints all of it")));
        }
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

/// The closed list of reasons; of words, only the reasons and families that they name.
fn reasons(which: &[&str], as_json: bool) -> Outcome {
    let family = |code: &'static str| code.split('.').next().unwrap_or(code);
    for word in which {
        if !Reason::ALL.iter().any(|r| r.code() == *word || family(r.code()) == *word) {
            let known = Reason::ALL.iter().flat_map(|r| [r.code(), family(r.code())]);
            let nearest = bartizan_gateway::config::value::nearest(word, known);
            return Err(Failure::could_not(format_args!("there is no reason `{word}`")).help(
                nearest.map_or_else(
                    || "`bartizan help reasons` lists all of them".to_owned(),
                    |name| format!("did you mean `{name}`?"),
                ),
            ));
        }
    }
    let wanted = |code| which.is_empty() || which.contains(&code) || which.contains(&family(code));
    let chosen = Reason::ALL.iter().filter(|reason| wanted(reason.code()));
    if as_json {
        let all: Vec<Value> = chosen
            .map(|r| json!({ "reason": r.code(), "sentence": r.sentence(), "fault": fault(r.wire()) }))
            .collect();
        output::json(&json!({ "reasons": all }));
        return Ok(Exit::Yes);
    }
    output::line(
        "Why a message is refused. The reason stands in evidence and in the log; on the wire goes only the fault.\n",
    );
    for reason in chosen {
        output::line(format_args!(
            "{}  [{}]\n    {}",
            reason.code(),
            fault(reason.wire()),
            reason.sentence()
        ));
    }
    Ok(Exit::Yes)
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
