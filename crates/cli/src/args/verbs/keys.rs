//! The sub-verbs of `keys`.

use super::{Positional, VERB, Verb, one};

pub(super) const KEYS: &[Verb] = &[
    Verb {
        name: "demo",
        about: "Make a CA and keys to play with",
        more: "ca, server, client, client2, expired and revoked, RSA and P-256 each, with a revocation list and \
               PKCS#12 stores (password in the file `password`). An existing file is never overwritten.",
        examples: "Examples:\n  bartizan keys demo ./keys\n  bartizan keys demo ./old-keys --rsa 1024",
        positionals: &[one("DIR", true, "The folder to make")],
        flags: &["rsa", "java-stores", "json", "quiet"],
        ..VERB
    },
    Verb {
        name: "inspect",
        about: "List the certificates and keys in files and stores",
        examples: "Examples:\n  bartizan keys inspect keys/server.pem\n  \
                   bartizan keys inspect store.p12 --store-password-file password --json",
        positionals: &[Positional {
            id: "FILE",
            required: true,
            many: true,
            help: "PEM, DER, PKCS#12 or Java store",
        }],
        flags: &["store-password-file", "json"],
        ..VERB
    },
];
