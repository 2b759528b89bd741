//! `docs/actions.md`, out of the table.

use std::fmt::Write as _;

use super::said::REFUSED;
use super::table::{Fate, ROWS, Row, Vocabulary};
use super::{ACTIONS, Action};

const HEAD: &str = "\
# Names of WSS4J, Spring and Rampart

Made from the program (`crates/policy/src/actions/table.rs`); a test holds this page to it. How to use them:
[guide.md](guide.md#usernametoken-and-actions).

Each name *does* what it says, is *the same* as another, is *said elsewhere* (`policy check` warns and says where), or is
*refused*: an error with the reason, unless its value means what happens anyway. Nothing is dropped in silence.

`parts` are written `{mode}{namespace}name;…`: mode `Content` (also where it is empty) or `Element`, an empty namespace is the
envelope's, `Null` is none.
";

/// The page.
#[must_use]
pub fn page() -> String {
    let mut out = HEAD.to_owned();
    // Writing to a String cannot fail.
    let _ = write!(out, "\n## Actions\n\n| action | |\n| --- | --- |\n");
    for (name, action) in Action::ALL {
        let _ = writeln!(out, "| `{name}` | does: {} |", meaning(action));
    }
    for (name, reason) in REFUSED {
        let _ = writeln!(out, "| `{name}` | refused: {reason} |");
    }
    for rows in ROWS {
        let Some(first) = rows.first() else { continue };
        let _ = write!(out, "\n## {}\n\n| name | takes | |\n| --- | --- | --- |\n", title(first.vocabulary));
        for row in *rows {
            let _ = writeln!(out, "| `{}` | {} | {} |", row.name, row.takes, fate(row));
        }
    }
    out
}

const fn title(vocabulary: Vocabulary) -> &'static str {
    match vocabulary {
        Vocabulary::Own => "Ours, beside theirs",
        Vocabulary::Wss4j => "WSS4J's handlers, and Axis2's parameters",
        Vocabulary::Spring => "Spring's Wss4jSecurityInterceptor",
        Vocabulary::Merlin => "Merlin's properties",
        Vocabulary::RampartJava => "RampartConfig of Rampart/Java",
        Vocabulary::RampartC => "RampartConfig of Rampart/C",
    }
}

const fn meaning(action: Action) -> &'static str {
    match action {
        Action::NoSecurity => "nothing is put on or demanded; needs `open`",
        Action::UsernameToken => "a UsernameToken; beside `UsernameTokenSignature` the same one",
        Action::UsernameTokenNoPassword => {
            "a UsernameToken without a password, which proves nothing; needs `open`"
        }
        Action::UsernameTokenSignature => {
            "a UsernameToken, and a signature with the key derived from its password"
        }
        Action::Signature => "a signature with the key of a certificate",
        Action::Encryption => {
            "encryption to a certificate; before a signature: the signature is over the ciphertext"
        }
        Action::Timestamp => "a Timestamp; signed only if `signatureParts` names it",
    }
}

fn fate(row: &Row) -> String {
    match row.fate {
        Fate::Does => format!("does: {}", row.means),
        Fate::Same(name) if name == ACTIONS => "the actions".to_owned(),
        Fate::Same(name) => format!("the same as `{name}`"),
        Fate::Elsewhere(place) => format!("elsewhere: {place}"),
        Fate::Refused { reason, except: [] } => format!("refused: {reason}"),
        Fate::Refused { reason, except } => {
            let taken: Vec<String> = except
                .iter()
                .map(|value| if value.is_empty() { "nothing".to_owned() } else { format!("`{value}`") })
                .collect();
            format!("refused, but {}: {reason}", taken.join(" and "))
        }
    }
}
