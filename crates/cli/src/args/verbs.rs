//! Every verb, once: its words, its options, its examples.

mod bench;
mod keys;
mod users;

use self::keys::KEYS;
use self::users::USERS;
use super::flags::KEY_OPTIONS;

/// A positional argument.
pub(crate) struct Positional {
    /// Its name in the help.
    pub(crate) id: &'static str,
    /// Whether it must be there.
    pub(crate) required: bool,
    /// Whether several may be given.
    pub(crate) many: bool,
    /// One line.
    pub(crate) help: &'static str,
}

/// A verb or sub-verb.
pub(crate) struct Verb {
    /// The word.
    pub(crate) name: &'static str,
    /// One line.
    pub(crate) about: &'static str,
    /// What the long help adds.
    pub(crate) more: &'static str,
    /// Two or three, at the end of the help.
    pub(crate) examples: &'static str,
    /// Its arguments.
    pub(crate) positionals: &'static [Positional],
    /// The options it takes, by their names in the table.
    pub(crate) flags: &'static [&'static str],
    /// Those of them that must be there.
    pub(crate) required: &'static [&'static str],
    /// Its sub-verbs.
    pub(crate) subs: &'static [Verb],
    /// Whether it answers itself when a sub-verb is not in the table.
    pub(crate) others: bool,
}

const VERB: Verb = Verb {
    name: "",
    about: "",
    more: "",
    examples: "",
    positionals: &[],
    flags: &[],
    required: &[],
    subs: &[],
    others: false,
};

const fn one(id: &'static str, required: bool, help: &'static str) -> Positional {
    Positional { id, required, many: false, help }
}

/// `a` followed by the key options; the length is the sum.
#[allow(clippy::indexing_slicing, reason = "runs at compile time, where out of bounds is an error")]
const fn with_keys<const N: usize, const M: usize>(own: [&'static str; N]) -> [&'static str; M] {
    assert!(M == N + KEY_OPTIONS.len());
    let mut all = [""; M];
    let mut at = 0;
    while at < M {
        all[at] = if at < N { own[at] } else { KEY_OPTIONS[at - N] };
        at += 1;
    }
    all
}

/// Above the list of verbs in the long help.
pub(crate) const ABOUT: &str = "\
WS-Security for web-service traffic: verify, secure, serve, call.

Exit codes: 0 yes, done; 1 refused, not verified, or invalid; 2 could not run.
Results go to standard output, everything else to standard error. `-` is standard input or output.
`bartizan VERB --help` is short, `bartizan help VERB` is long; `bartizan help reasons` lists every
reason of refusal, `bartizan help config` every key of the configuration, `bartizan help actions`
every name of WSS4J's and Spring's action-style configuration, `bartizan help policy` the built-in
policies.";

/// Below it.
pub(crate) const EXAMPLES: &str = "\
Examples:
  bartizan demo
  bartizan serve --listen 127.0.0.1:8080
  bartizan verify message.xml --policy policy.xml --as recipient --keys DIR --explain";

/// The table.
pub(crate) const VERBS: &[Verb] = &[
    Verb {
        name: "demo",
        about: "See it work: keys, a server, one call, one attack",
        more: "Makes keys in a temporary folder, serves the benchmark policy on a free loopback port, calls it once \
               as a client, prints the evidence of all four steps with time and size, shows attacks refused, and \
               leaves nothing behind.",
        examples: "Examples:\n  bartizan demo\n  bartizan demo --json",
        flags: &["json", "verbose"],
        ..VERB
    },
    Verb {
        name: "serve",
        about: "Run the server",
        more: "Without --config: `sec_echo` at /sec_echo and /axis2/services/sec_echo under the benchmark policy on \
               127.0.0.1:8080, with demo keys that are made on the first run; the other options change just these. \
               Prints `listening NAME SCHEME://ADDRESS:PORT` for each listener, then `ready`. SIGTERM and SIGINT \
               end it in order, SIGHUP reads the configuration again and keeps the old one if the new one fails.",
        examples: "Examples:\n  bartizan serve\n  bartizan serve --config bartizan.toml\n  \
                   bartizan serve --policy policy.xml --keys DIR --listen 127.0.0.1:0 --replay off",
        flags: &with_keys::<12, 26>([
            "config",
            "state",
            "policy",
            "listen",
            "replay",
            "open",
            "profile",
            "ignore",
            "users",
            "users-key",
            "legacy",
            "quiet",
        ]),
        ..VERB
    },
    Verb {
        name: "call",
        about: "Send one request under a policy and verify the reply",
        more: "Exit 0 means that the reply was verified. A fault that is not secured is printed as unverified and \
               ends with 1. The reply must be signed by the peer. Without any key option the demo keys are used that a first \
               `bartizan serve` made.",
        examples: "Examples:\n  bartizan call http://127.0.0.1:8080/sec_echo --policy scenario:rampart-c\n  \
                   bartizan call URL --policy policy.xml --keys DIR --body body.xml --action urn:greet --show both\n  \
                   bartizan call URL --policy scenario:unt3 --user alice --password-file password --keys DIR",
        positionals: &[one("URL", true, "Where to send it")],
        flags: &with_keys::<19, 33>([
            "policy",
            "user",
            "password-file",
            "save-secret",
            "nth",
            "body",
            "action",
            "soap",
            "addressing",
            "show",
            "output",
            "timeout",
            "any-peer",
            "open",
            "profile",
            "ignore",
            "legacy",
            "json",
            "quiet",
        ]),
        required: &["policy"],
        ..VERB
    },
    Verb {
        name: "secure",
        about: "Envelope in, secured envelope out",
        more: "As initiator this makes a request, as recipient a reply; --request gives the secured request that \
               a reply answers, which is verified first.",
        examples: "Examples:\n  bartizan secure plain.xml -o request.xml --policy policy.xml --as initiator --keys DIR\n  \
                   bartizan secure answer.xml -o reply.xml --policy policy.xml --as recipient --keys DIR --request request.xml",
        positionals: &[one("IN", false, "The envelope; default standard input")],
        flags: &with_keys::<18, 32>([
            "output",
            "policy",
            "nth",
            "as",
            "user",
            "password-file",
            "save-secret",
            "request",
            "users",
            "users-key",
            "at",
            "over-tls",
            "open",
            "profile",
            "ignore",
            "legacy",
            "json",
            "quiet",
        ]),
        required: &["policy", "as"],
        ..VERB
    },
    Verb {
        name: "verify",
        about: "Check a secured message and say what is proved",
        more: "-o writes the envelope only if it is verified: decrypted, and without what the policy did not cover. \
               A file tool keeps no replay window: a message that was sent twice is verified twice.",
        examples: "Examples:\n  bartizan verify request.xml --policy policy.xml --as recipient --keys DIR\n  \
                   bartizan verify reply.xml --policy policy.xml --as initiator --keys DIR --request request.xml --explain\n  \
                   bartizan verify request.xml --policy none --keys DIR --as-name server --json",
        positionals: &[one("IN", false, "The message; default standard input")],
        flags: &with_keys::<23, 37>([
            "output",
            "policy",
            "nth",
            "as",
            "request",
            "request-secret",
            "user",
            "password-file",
            "at",
            "ttl",
            "users",
            "users-key",
            "explain",
            "compare",
            "keep-uncovered",
            "any-peer",
            "over-tls",
            "open",
            "profile",
            "ignore",
            "legacy",
            "json",
            "quiet",
        ]),
        required: &["policy"],
        ..VERB
    },
    Verb {
        name: "check",
        about: "Check a configuration without serving",
        more: "Also warns: weak algorithms, `replay = \"off\"`, certificates about to end.",
        examples: "Examples:\n  bartizan check bartizan.toml\n  bartizan check bartizan.toml --strict --json",
        positionals: &[one("FILE", true, "The configuration")],
        flags: &["strict", "json", "quiet"],
        ..VERB
    },
    Verb {
        name: "policy",
        about: "Check, normalise, explain or convert policies",
        more: "A policy is a file or one of the built-in names: scenario:rampart-c (the benchmark policy), scenario:unt1, \
               scenario:unt2a, scenario:unt2b, scenario:unt3, scenario:unt4a, scenario:unt4b (UsernameTokens; a: the key \
               of WSE, b: the key of the profile).",
        subs: POLICY,
        examples: "Examples:\n  bartizan policy check policy.xml\n  bartizan policy explain scenario:rampart-c",
        ..VERB
    },
    Verb {
        name: "keys",
        about: "Make demo keys, look into key stores",
        subs: KEYS,
        examples: "Examples:\n  bartizan keys demo ./keys\n  bartizan keys inspect keys/server.pem store.p12",
        ..VERB
    },
    Verb {
        name: "users",
        about: "Make and check what a file of users is made of",
        subs: USERS,
        examples: "Examples:\n  bartizan users hash\n  bartizan users check users.toml",
        ..VERB
    },
    Verb {
        name: "xml",
        about: "XML Signature and XML Encryption without SOAP",
        subs: XML,
        examples: "Examples:\n  bartizan xml verify signed.xml --trust ca.pem\n  bartizan xml c14n in.xml --method exc",
        ..VERB
    },
    Verb {
        name: "bench",
        about: "Measure: our server beside other engines and the bare cryptography",
        subs: bench::BENCH,
        others: true,
        examples: "Examples:\n  bartizan bench list\n  bartizan bench rampart --only own --quick\n  \
                   bartizan bench rampart --out record",
        ..VERB
    },
    Verb {
        name: "crypto",
        about: "List the algorithms: URI, strength, status",
        more: "Status ok is allowed by default; legacy where a policy names it, or with --legacy; refused is known \
               and never done, with the reason.",
        examples: "Examples:\n  bartizan crypto\n  bartizan crypto --json",
        flags: &["json"],
        ..VERB
    },
    Verb {
        name: "help",
        about: "The long help of a verb, or a topic: reasons, config, actions",
        examples: "Examples:\n  bartizan help verify\n  bartizan help reasons\n  bartizan help config",
        positionals: &[Positional {
            id: "TOPIC",
            required: false,
            many: true,
            help: "A verb (and its sub-verb), `reasons` (and a reason), `config` or `actions`",
        }],
        flags: &["json"],
        ..VERB
    },
];

const POLICY: &[Verb] = &[
    Verb {
        name: "check",
        about: "Say what is wrong with a policy, and where",
        more: "The file may be a policy or any XML that holds some; default is all of them. Warnings are allowed \
               unless --strict.",
        examples: "Examples:\n  bartizan policy check policy.xml\n  bartizan policy check service.wsdl --nth 1 --json",
        positionals: &[one("FILE", true, "The policy")],
        flags: &["nth", "strict", "ignore", "json", "quiet"],
        ..VERB
    },
    Verb {
        name: "normalise",
        about: "Print the normal form as XML",
        examples: "Examples:\n  bartizan policy normalise policy.xml -o normal.xml",
        positionals: &[one("FILE", true, "The policy")],
        flags: &["nth", "output", "ignore", "json", "quiet"],
        ..VERB
    },
    Verb {
        name: "explain",
        about: "Say in words what a policy demands and does",
        more: "\"streams\" says that nothing in the policy keeps a message from being verified while it arrives; where \
               something does, it is named.",
        examples: "Examples:\n  bartizan policy explain policy.xml\n  bartizan policy explain scenario:rampart-c",
        positionals: &[one("FILE", true, "The policy")],
        flags: &["nth", "ignore", "json", "quiet"],
        ..VERB
    },
    Verb {
        name: "convert",
        about: "Write actions as the TOML short form",
        more: "Reads action blocks, and the parameters OutflowSecurity and InflowSecurity of axis2.xml or services.xml. In an \
               axisconfig they are a client's, elsewhere a service's. Names that are said elsewhere are warnings that say where.",
        examples: "Examples:\n  bartizan policy convert services.xml -o policies.toml\n  bartizan policy convert scenario:unt3",
        positionals: &[one("FILE", true, "The file")],
        flags: &["nth", "output", "quiet"],
        ..VERB
    },
];

const XML: &[Verb] = &[
    Verb {
        name: "c14n",
        about: "Print the canonical form",
        examples: "Examples:\n  bartizan xml c14n in.xml --method exc\n  bartizan xml c14n in.xml --method 1.0 --subset /doc/part -o out.c14n",
        positionals: &[one("IN", false, "The document; default standard input")],
        flags: &["method", "with-comments", "inclusive-prefixes", "subset", "id-attr", "output", "json"],
        required: &["method"],
        ..VERB
    },
    Verb {
        name: "sign",
        about: "Sign a document or parts of it",
        more: "--key [NAME=]FILE signs (PEM or DER; with --cert the certificate goes into KeyInfo), --secret makes an HMAC.",
        examples: "Examples:\n  bartizan xml sign in.xml -o out.xml --enveloped --key key.pem --cert cert.pem\n  \
                   bartizan xml sign in.xml -o out.xml --reference part1 --secret mac.bin --algorithm hmac-sha256",
        positionals: &[one("IN", false, "The document; default standard input")],
        flags: &[
            "output",
            "reference",
            "enveloped",
            "c14n",
            "with-comments",
            "inclusive-prefixes",
            "algorithm",
            "digest",
            "xml-key",
            "cert",
            "secret",
            "xml-pkcs12",
            "xml-jks",
            "store-password-file",
            "id-attr",
            "legacy",
            "json",
            "quiet",
        ],
        ..VERB
    },
    Verb {
        name: "verify",
        about: "Verify every signature of a document",
        more: "Exit 0 only if there is at least one Signature and every one of them verifies.",
        examples: "Examples:\n  bartizan xml verify in.xml --trust ca.pem\n  bartizan xml verify in.xml --key peer=pub.pem --json\n  \
                   bartizan xml verify in.xml --key-from-message",
        positionals: &[one("IN", false, "The document; default standard input")],
        flags: &[
            "xml-key",
            "secret",
            "xml-pkcs12",
            "xml-jks",
            "store-password-file",
            "trust",
            "untrusted",
            "crl",
            "min-rsa",
            "at",
            "key-from-message",
            "id-attr",
            "legacy",
            "json",
            "quiet",
        ],
        ..VERB
    },
    Verb {
        name: "encrypt",
        about: "Encrypt an element or its content",
        examples: "Examples:\n  bartizan xml encrypt in.xml -o out.xml --element /doc/card --to server.pem\n  \
                   bartizan xml encrypt in.xml -o out.xml --content --secret aes.bin --cipher aes256-gcm",
        positionals: &[one("IN", false, "The document; default standard input")],
        flags: &[
            "output",
            "element",
            "content",
            "to",
            "xml-key",
            "secret",
            "cipher",
            "transport",
            "id-attr",
            "legacy",
            "json",
            "quiet",
        ],
        ..VERB
    },
    Verb {
        name: "decrypt",
        about: "Replace every EncryptedData by its plaintext",
        more: "If it is the root, the output holds the bytes of the plaintext.",
        examples: "Examples:\n  bartizan xml decrypt in.xml -o out.xml --key server.key\n  \
                   bartizan xml decrypt in.xml -o out.xml --secret aes.bin",
        positionals: &[one("IN", false, "The document; default standard input")],
        flags: &[
            "output",
            "xml-key",
            "secret",
            "xml-pkcs12",
            "xml-jks",
            "store-password-file",
            "trust",
            "untrusted",
            "crl",
            "min-rsa",
            "at",
            "id-attr",
            "legacy",
            "json",
            "quiet",
        ],
        ..VERB
    },
];
