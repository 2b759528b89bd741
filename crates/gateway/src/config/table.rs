//! Every key of the configuration in one table: the reader checks against it, and the
//! documentation is made from it.

use std::fmt::Write as _;

use bartizan_policy::short::KEYS as POLICY_KEYS;

/// One key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// The table it stands in, as it is written: `server`, `keys.NAME`, `[listener]`.
    pub table: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What may be written.
    pub value: &'static str,
    /// What holds when it is left out; `required` if it cannot be.
    pub default: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

const fn key(
    table: &'static str,
    name: &'static str,
    value: &'static str,
    default: &'static str,
    meaning: &'static str,
) -> Key {
    Key { table, name, value, default, meaning }
}

/// The tables of policies in the short form.
const POLICY_TABLE: &str = "policy.NAME";

/// A user's table in the file of users.
pub const USER_TABLE: &str = "NAME of users.toml";

/// The tables at the top of a file, with what they are for.
pub const TABLES: &[(&str, &str)] = &[
    ("server", "The process."),
    ("limits", "What one message, one exchange and all of them together may take."),
    ("keys.NAME", "A named key set: who we are, whom we know, whom we trust."),
    ("[listener]", "A socket. Without any, `127.0.0.1:8080` under the name `main`."),
    ("[service]", "A service hosted here."),
    (
        "service.replay",
        "The replay guard of the service above, also written `replay = { … }`. What it guards and what it costs: [replay.md](replay.md).",
    ),
    (
        "service.reuse",
        "What the service above keeps of its requests for later ones, also written `reuse = { … }`. What that means: [reuse.md](reuse.md).",
    ),
    (
        POLICY_TABLE,
        "A policy in the short form. Some keys may stand in `[policy.NAME.request]` and `[policy.NAME.reply]` as well.",
    ),
    ("authentication.users", "Who may show a UsernameToken. The file is read again when it changes."),
    (
        USER_TABLE,
        "One user, in the file that `[authentication.users]` names: one table each, with the name as its key. \
         Exactly one of `argon2id`, `password` and `sealed` must be there.",
    ),
    ("log", "What is written about each exchange."),
];

/// Every key that this version knows.
pub const KEYS: &[Key] = &[
    key("server", "workers", "a number or \"cores\"", "\"cores\"", "Worker threads."),
    key("server", "state", "a path", "`--state`", "Folder of demo keys and of the replay window."),
    key(
        "server",
        "drain",
        "a duration like \"10s\"",
        "\"30s\"",
        "How long a stop waits for running exchanges.",
    ),
    key(
        "server",
        "failure_quantum",
        "a duration like \"10s\"",
        "\"10ms\"",
        "Security refusals are sent at the arrival of the whole message plus a multiple of this, so that their time tells nothing.",
    ),
    key(
        "limits",
        "message",
        "a size like \"8 MiB\"",
        "\"8 MiB\"",
        "Bytes of a message; more is answered with 413 before it is buffered.",
    ),
    key("limits", "depth", "a positive number", "64", "Nesting of elements."),
    key("limits", "children", "a positive number", "50000", "Children of one element."),
    key("limits", "nodes", "a positive number", "200000", "Elements of a message, plaintext included."),
    key("limits", "attributes", "a positive number", "128", "Attributes of one element."),
    key(
        "limits",
        "attribute_bytes",
        "a size like \"8 MiB\"",
        "\"64 KiB\"",
        "Bytes of one attribute's value.",
    ),
    key("limits", "name_bytes", "a size like \"8 MiB\"", "\"1 KiB\"", "Bytes of one name."),
    key("limits", "references", "a positive number", "32", "References of one signature."),
    key("limits", "transforms", "a positive number", "3", "Transforms of one reference."),
    key("limits", "encrypted_data", "a positive number", "64", "EncryptedData elements of a message."),
    key("limits", "encrypted_keys", "a positive number", "8", "EncryptedKey elements of a message."),
    key(
        "limits",
        "head",
        "a size like \"8 MiB\"",
        "\"64 KiB\"",
        "Bytes of an HTTP head; more is answered with 431.",
    ),
    key(
        "limits",
        "headers",
        "a positive number",
        "100",
        "Fields of an HTTP head; more is answered with 431.",
    ),
    key(
        "limits",
        "head_timeout",
        "a duration like \"10s\"",
        "\"15s\"",
        "For a whole HTTP head, idle time of a kept connection included.",
    ),
    key(
        "limits",
        "body_timeout",
        "a duration like \"10s\"",
        "\"30s\"",
        "For a whole HTTP body; later is answered with 408.",
    ),
    key(
        "limits",
        "write_timeout",
        "a duration like \"10s\"",
        "\"30s\"",
        "For how long a client may take nothing of its answer.",
    ),
    key(
        "limits",
        "connections",
        "a positive number",
        "10000",
        "Open connections over all listeners; more wait in the kernel's queue.",
    ),
    key(
        "limits",
        "connections_per_peer",
        "a positive number",
        "half of `connections`",
        "Of these for one address (IPv6: one /64); more are closed. Behind a proxy all are of one.",
    ),
    key(
        "limits",
        "in_flight",
        "a positive number",
        "10000",
        "Exchanges at work over all listeners; more are answered with 503.",
    ),
    key(
        "limits",
        "in_flight_per_peer",
        "a positive number",
        "half of `in_flight`",
        "Of these for one address (IPv6: one /64); more are answered with 503.",
    ),
    key(
        "limits",
        "work_per_peer",
        "a positive number",
        "twice the cores less one",
        "Messages of one address that are verified or secured, with the private key, at a time; more wait for their turn.",
    ),
    key(
        "limits",
        "waiting",
        "a positive number",
        "128",
        "Messages at a time whose verification may wait for something outside (`replay = { shared = … }`) or is slow on purpose (users with `argon2id`), and besides as many whose key is to be derived from a password; more are answered with 503.",
    ),
    key(
        "limits",
        "large",
        "a size like \"8 MiB\"",
        "\"512 MiB\"",
        "Memory for messages on their way, beyond 64 KiB of each; those that find none are answered with 503.",
    ),
    key(
        "keys.NAME",
        "folder",
        "a path",
        "none",
        "A folder as `bartizan keys demo` makes it; stands for all keys below but `min_rsa`.",
    ),
    key("keys.NAME", "name", "a name", "\"server\"", "In `folder`: who we are."),
    key("keys.NAME", "peer_name", "a name", "\"client\"", "In `folder`: who the other side is."),
    key("keys.NAME", "certificate", "a path", "none", "PEM: our certificate, then its chain."),
    key("keys.NAME", "private_key", "a path", "none", "PEM: our private key."),
    key("keys.NAME", "pkcs12", "a path", "none", "A PKCS#12 store with both."),
    key("keys.NAME", "jks", "a path", "none", "A Java key store with both."),
    key(
        "keys.NAME",
        "merlin",
        "a path",
        "none",
        "Merlin's properties ([actions.md](actions.md)); `name` and `peer_name` are aliases of its stores then.",
    ),
    key("keys.NAME", "password", "{ file = path } or { env = name }", "none", "Password of the store."),
    key(
        "keys.NAME",
        "peers",
        "a list of paths",
        "[]",
        "PEM: certificates of the other side, found by thumbprint, SKI, issuer and serial.",
    ),
    key("keys.NAME", "trust", "a list of paths", "[]", "PEM: trust anchors."),
    key(
        "keys.NAME",
        "untrusted",
        "a list of paths",
        "[]",
        "PEM: intermediate certificates that complete a path.",
    ),
    key(
        "keys.NAME",
        "revocation",
        "a list of paths",
        "[]",
        "Revocation lists. Where an issuer has one here, its certificates are refused if that list does not say that they are good; an issuer without one is not asked, and a certificate that stands in `trust` itself is taken as it is.",
    ),
    key(
        "keys.NAME",
        "legacy",
        "true or false",
        "false",
        "Trust certificates that are signed with algorithms of status legacy.",
    ),
    key(
        "keys.NAME",
        "min_rsa",
        "a positive number",
        "2048",
        "Smallest RSA modulus in bits; 1024 for old peers.",
    ),
    key("[listener]", "name", "a name", "its address", "Name in the readiness line and the log."),
    key(
        "[listener]",
        "address",
        "an address with a port",
        "required",
        "Where it listens; port 0 takes a free one.",
    ),
    key("[service]", "path", "a path of URLs", "required", "The exact path of requests to it."),
    key(
        "[service]",
        "kind",
        "\"echo\" or \"mirror\"",
        "required",
        "`echo` answers the body; `mirror` answers the verified view, unsecured, on loopback only.",
    ),
    key(
        "[service]",
        "policy",
        "a name, a file, file#name or \"open\"",
        "required",
        "WS-SecurityPolicy in any XML file, a `[policy.NAME]`, or a built-in such as `scenario:rampart-c`.",
    ),
    key("[service]", "keys", "a name", "none", "The key set."),
    key(
        "[service]",
        "replay",
        "\"on\", \"off\" or a table",
        "\"on\"",
        "Refuse a message that was there before; the table is `[service.replay]`.",
    ),
    key(
        "[service]",
        "reuse",
        "\"on\", \"off\" or a table",
        "\"off\"",
        "Under a symmetric binding: a request may name the EncryptedKey of an earlier one of the same caller (EncryptedKeySHA1); the table is `[service.reuse]`.",
    ),
    key(
        "[service]",
        "open",
        "true or false",
        "false",
        "Must be true where the policy demands no authentication.",
    ),
    key(
        "[service]",
        "profile",
        "\"standard\" or \"rampart-c-legacy\"",
        "\"standard\"",
        "Whose messages are to be expected; the legacy one takes an unsigned Timestamp, any layout, an empty ReferenceList, a Nonce without EncodingType, and a digest where text is asked for.",
    ),
    key(
        "[service]",
        "ignore",
        "a list of namespaces",
        "[]",
        "Assertions of these namespaces do not matter here; any other that is not known keeps the policy from being used.",
    ),
    key(
        "service.replay",
        "window",
        "a duration like \"10s\"",
        "\"10m\"",
        "For how long a message without a signed Timestamp is remembered; the longest of all services counts.",
    ),
    key(
        "service.replay",
        "capacity",
        "a positive number",
        "4000000",
        "Messages that are remembered at most (64 bytes each); full refuses. The largest of all services counts.",
    ),
    key(
        "service.replay",
        "shared",
        "redis://[user@]host[:port][/database]",
        "none",
        "A Valkey or Redis that all servers of this name ask, so that none accepts what another accepted.",
    ),
    key(
        "service.replay",
        "password",
        "{ file = path } or { env = name }",
        "none",
        "Its password, read anew at each connection.",
    ),
    key(
        "service.replay",
        "prefix",
        "up to 64 visible ASCII characters",
        "\"bartizan\"",
        "What its keys begin with: servers that share a window share it, others must not.",
    ),
    key(
        "service.replay",
        "on_loss",
        "\"refuse\" or \"local\"",
        "\"refuse\"",
        "When it does not answer: refuse messages (`replay.unavailable`), or let each server guard alone.",
    ),
    key(
        "service.replay",
        "timeout",
        "a duration like \"10s\"",
        "\"1s\"",
        "How long one claim may take there, connecting included.",
    ),
    key("service.replay", "connections", "a positive number", "16", "Connections to it at the same time."),
    key(
        "service.reuse",
        "lifetime",
        "a duration like \"10s\"",
        "\"5m\"",
        "For how long a secret is kept after the request that brought it; use does not prolong it.",
    ),
    key(
        "service.reuse",
        "capacity",
        "a positive number",
        "10000",
        "Secrets that are kept at most for all callers; full keeps no more, and forgets nothing that lives.",
    ),
    key(
        "service.reuse",
        "per_caller",
        "a positive number",
        "16",
        "Of these for one caller; a further one takes the place of the one that was not used for longest.",
    ),
    key(
        "service.reuse",
        "nameless",
        "a positive number",
        "none are kept",
        "Secrets that are kept of requests which prove no caller, for all of those together: they are bound to nothing but their possession.",
    ),
    key(
        "authentication.users",
        "file",
        "a path",
        "required",
        "The file of users; `bartizan users check` looks at it alone.",
    ),
    key(
        "authentication.users",
        "key_file",
        "a path",
        "none",
        "The key that `sealed` passwords are opened with: 32 bytes, or their base64.",
    ),
    key(USER_TABLE, "groups", "a list of texts", "[]", "The groups."),
    key(USER_TABLE, "dn", "a text", "none", "The distinguished name."),
    key(USER_TABLE, "attributes", "a table of texts or lists of texts", "{}", "Further facts by name."),
    key(USER_TABLE, "disabled", "true or false", "false", "Not let in."),
    key(
        USER_TABLE,
        "expires",
        "a time with its zone like 2027-01-31T00:00:00Z",
        "none",
        "From then on not let in.",
    ),
    key(
        USER_TABLE,
        "argon2id",
        "a text like `bartizan users hash` prints",
        "none",
        "The hash of the password: for text passwords.",
    ),
    key(
        USER_TABLE,
        "password",
        "a text, { file = path } or { env = name }",
        "none",
        "The password itself, which digests and derived keys need: written out, the first line of a file, or a variable.",
    ),
    key(
        USER_TABLE,
        "sealed",
        "a text like `bartizan users seal` prints",
        "none",
        "The password itself, encrypted under `key_file`.",
    ),
    key(
        "log",
        "access",
        "{ format = \"json\", to = \"stdout\" | \"stderr\" | \"off\" | path }",
        "{ to = \"stdout\" }",
        "One line for each exchange.",
    ),
];

/// Tables and keys that are fixed already but belong to a later version: said so, instead
/// of "unknown".
pub const LATER: &[&str] = &[
    "crypto",
    "listener.proxy_protocol",
    "listener.tls",
    "junction",
    "authentication.methods",
    "admin",
    "store",
    "delivery",
    "service.profiles",
    "service.store",
    "service.limits",
    "keys.pkcs11",
    "server.public",
];

/// The names that `table` knows.
pub fn names(table: &str) -> impl Iterator<Item = &'static str> {
    KEYS.iter().filter(move |key| key.table == table).map(|key| key.name)
}

/// The table as a Markdown page.
pub fn markdown() -> String {
    let mut page = String::from(
        "# Every key of the configuration\n\n\
         Made from the code by `bartizan help config`; do not edit by hand.\n\n\
         Sizes are written `\"8 MiB\"`, `\"64 KiB\"` or in bytes, durations `\"10ms\"`, `\"60s\"`, `\"5m\"`, `\"1h30m\"`.\n\
         Relative paths start at the configuration file's folder. An unknown key is an error.\n",
    );
    for (table, purpose) in TABLES {
        let _ = write!(page, "\n## `[{table}]`\n\n{purpose}\n");
        page.push_str("\n| key | value | default | meaning |\n| --- | --- | --- | --- |\n");
        for key in KEYS.iter().filter(|key| key.table == *table) {
            row(&mut page, [key.name, key.value, key.default, key.meaning]);
        }
        // The policy crate reads these itself, and so keeps their table.
        for key in POLICY_KEYS.iter().filter(|_| *table == POLICY_TABLE) {
            row(&mut page, [key.name, key.takes, key.default, key.does]);
        }
    }
    page
}

/// One row, with what Markdown would take for a column escaped.
fn row(page: &mut String, cells: [&str; 4]) {
    let [name, value, default, meaning] = cells.map(|cell| cell.replace('|', "\\|"));
    let _ = writeln!(page, "| `{name}` | {value} | {default} | {meaning} |");
}
