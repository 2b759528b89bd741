//! The command line as data: one table of flags, one of verbs; parser and help are made
//! from them.
//!
//! Not here: what a verb does (`verb`), or what the values mean (`keyset`, `plan`).

pub(crate) mod flags;
pub(crate) mod verbs;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use self::flags::Flag;
use self::verbs::{Positional, VERBS, Verb};

/// The whole parser.
pub(crate) fn command() -> Command {
    let about = "WS-Security for web-service traffic: verify, secure, serve, call";
    let mut command = Command::new("bartizan")
        .version(env!("CARGO_PKG_VERSION"))
        .about(about)
        .long_about(verbs::ABOUT)
        .after_help(verbs::EXAMPLES)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .arg(help_flag())
        .arg(
            Arg::new("version")
                .short('V')
                .long("version")
                .action(ArgAction::Version)
                .help("Print the version")
                .help_heading(flags::OPTIONS),
        )
        // The lines are broken where they are written, whatever the parser was built with.
        .term_width(0);
    for verb in VERBS {
        command = command.subcommand(subcommand(verb));
    }
    command
}

/// Width of the long help, in characters.
const WIDTH: usize = 96;
/// What the parser puts before an option's long help.
const INDENT: usize = 10;

/// Breaks `text` at blanks so that no line is wider than `width`.
fn wrap(text: &str, width: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out
}

/// `--help` is the short form everywhere; `help VERB` prints the long one.
fn help_flag() -> Arg {
    Arg::new("help")
        .short('h')
        .long("help")
        .action(ArgAction::HelpShort)
        .help("Print this help")
        .help_heading(flags::OPTIONS)
}

fn subcommand(verb: &'static Verb) -> Command {
    let mut command = Command::new(verb.name)
        .about(verb.about)
        .disable_help_flag(true)
        .disable_help_subcommand(true)
        .disable_version_flag(true)
        .arg(help_flag());
    if !verb.more.is_empty() {
        command = command.long_about(format!("{}\n\n{}", verb.about, wrap(verb.more, WIDTH)));
    }
    if !verb.examples.is_empty() {
        command = command.after_help(verb.examples);
    }
    for positional in verb.positionals {
        command = command.arg(argument(positional));
    }
    for id in verb.flags {
        // A name that is not in the table is a mistake of ours; a test looks for it.
        if let Some(flag) = flags::find(id, verb.name) {
            let required = verb.required.contains(id);
            command = command.arg(option(flag).required(required));
        }
    }
    for sub in verb.subs {
        command = command.subcommand(subcommand(sub)).subcommand_required(true).arg_required_else_help(true);
    }
    if verb.others {
        command = command.allow_external_subcommands(true);
    }
    command
}

fn argument(positional: &'static Positional) -> Arg {
    let arg = Arg::new(positional.id)
        .value_name(positional.id)
        .help(positional.help)
        .required(positional.required)
        .value_parser(value_parser!(OsString));
    if positional.many { arg.num_args(1..).action(ArgAction::Append) } else { arg }
}

fn option(flag: &'static Flag) -> Arg {
    let mut arg = Arg::new(flag.id).long(flag.long).help(flag.help).help_heading(flag.heading);
    if !flag.more.is_empty() {
        arg = arg.long_help(wrap(&format!("{}. {}", flag.help, flag.more), WIDTH - INDENT));
    }
    if let Some(also) = flag.also {
        arg = arg.visible_alias(also);
    }
    if let Some(short) = flag.short {
        arg = arg.short(short);
    }
    let Some(value) = flag.value else {
        return arg.action(ArgAction::SetTrue);
    };
    arg = arg.value_name(value).action(if flag.many { ArgAction::Append } else { ArgAction::Set });
    if flag.choices.is_empty() {
        arg.value_parser(value_parser!(OsString))
    } else {
        arg.value_parser(PossibleValuesParser::new(flag.choices.iter().copied()).map(OsString::from))
            .hide_possible_values(value.contains('|'))
    }
}

/// Reading values out of the matches, by the names of the tables.
pub(crate) trait Values {
    /// Whether the switch is there.
    fn on(&self, id: &str) -> bool;
    /// The text of an option or argument.
    fn text(&self, id: &str) -> Option<&str>;
    /// The path of an option or argument.
    fn path(&self, id: &str) -> Option<PathBuf>;
    /// All paths of a repeatable one.
    fn paths(&self, id: &str) -> Vec<PathBuf>;
    /// All texts of a repeatable one.
    fn texts(&self, id: &str) -> Vec<&str>;
}

impl Values for ArgMatches {
    fn on(&self, id: &str) -> bool {
        self.try_get_one::<bool>(id).ok().flatten().copied().unwrap_or(false)
    }

    fn text(&self, id: &str) -> Option<&str> {
        self.try_get_one::<OsString>(id).ok().flatten().and_then(|value| value.to_str())
    }

    fn path(&self, id: &str) -> Option<PathBuf> {
        self.try_get_one::<OsString>(id).ok().flatten().map(PathBuf::from)
    }

    fn paths(&self, id: &str) -> Vec<PathBuf> {
        let values = self.try_get_many::<OsString>(id).ok().flatten();
        values.map(|values| values.map(PathBuf::from).collect()).unwrap_or_default()
    }

    fn texts(&self, id: &str) -> Vec<&str> {
        let values = self.try_get_many::<OsString>(id).ok().flatten();
        values.map(|values| values.filter_map(|value| value.to_str()).collect()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
