//! The sub-verbs of `users`.

use super::{VERB, Verb, one};

pub(super) const USERS: &[Verb] = &[
    Verb {
        name: "hash",
        about: "Hash a password for `argon2id = …`",
        more: "Reads one line from standard input and prints the argon2id text: 19 MiB, two passes, a fresh salt. \
               Enough for text passwords; a password digest or a derived key needs the password itself.",
        examples: "Examples:\n  bartizan users hash\n  bartizan users hash --json",
        flags: &["json"],
        ..VERB
    },
    Verb {
        name: "seal",
        about: "Encrypt a password for `sealed = …`",
        more: "Reads one line from standard input and prints it encrypted with AES-256-GCM. The server opens it with the \
               same key file (`key_file` in `[authentication.users]`), so this keeps the password out of copies of the \
               users' file, not from whoever can read both.",
        examples: "Examples:\n  bartizan users seal --key-file users.key",
        flags: &["key-file", "json"],
        required: &["key-file"],
        ..VERB
    },
    Verb {
        name: "check",
        about: "Check a file of users",
        more: "Reads it as `serve` does, with the files and variables that it names, and shows no password. Warns of \
               passwords in clear, of weak hashes, of users who have expired and of files that others can read.",
        examples: "Examples:\n  bartizan users check users.toml\n  bartizan users check users.toml --key-file users.key --json",
        positionals: &[one("FILE", true, "The file of users")],
        flags: &["key-file", "strict", "json", "quiet"],
        ..VERB
    },
];
