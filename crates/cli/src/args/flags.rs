//! Every option, once. A verb names the ones that it takes.

/// One option.
pub(crate) struct Flag {
    /// Its name in the table of verbs.
    pub(crate) id: &'static str,
    /// What is typed, without the dashes; most often the same.
    pub(crate) long: &'static str,
    /// Its one-letter name.
    pub(crate) short: Option<char>,
    /// The value's name in the help; `None` is a switch.
    pub(crate) value: Option<&'static str>,
    /// Another long name for the same.
    pub(crate) also: Option<&'static str>,
    /// May be given several times.
    pub(crate) many: bool,
    /// The only values that it takes; empty: any.
    pub(crate) choices: &'static [&'static str],
    /// One line.
    pub(crate) help: &'static str,
    /// What the long help adds.
    pub(crate) more: &'static str,
    /// The heading it stands under.
    pub(crate) heading: &'static str,
    /// The only verb that these words are for; it stands before the entry of all others.
    pub(crate) of: Option<&'static str>,
}

/// The heading of most.
pub(crate) const OPTIONS: &str = "Options";
const KEYS: &str = "Keys and trust";

const fn switch(id: &'static str, help: &'static str, more: &'static str) -> Flag {
    Flag {
        id,
        long: id,
        short: None,
        also: None,
        value: None,
        many: false,
        choices: &[],
        help,
        more,
        heading: OPTIONS,
        of: None,
    }
}

const fn value(id: &'static str, value: &'static str, help: &'static str, more: &'static str) -> Flag {
    Flag {
        id,
        long: id,
        short: None,
        also: None,
        value: Some(value),
        many: false,
        choices: &[],
        help,
        more,
        heading: OPTIONS,
        of: None,
    }
}

const fn one_of(
    id: &'static str,
    value: &'static str,
    choices: &'static [&'static str],
    help: &'static str,
    more: &'static str,
) -> Flag {
    Flag {
        id,
        long: id,
        short: None,
        also: None,
        value: Some(value),
        many: false,
        choices,
        help,
        more,
        heading: OPTIONS,
        of: None,
    }
}

const fn key(id: &'static str, value: &'static str, help: &'static str, more: &'static str) -> Flag {
    Flag {
        id,
        long: id,
        short: None,
        also: None,
        value: Some(value),
        many: false,
        choices: &[],
        help,
        more,
        heading: KEYS,
        of: None,
    }
}

const fn many(flag: Flag) -> Flag {
    Flag { many: true, ..flag }
}

/// The same words on the command line for another meaning in some verbs.
const fn typed(long: &'static str, flag: Flag) -> Flag {
    Flag { long, ..flag }
}

const fn also(name: &'static str, flag: Flag) -> Flag {
    Flag { also: Some(name), ..flag }
}

/// The words of an option for one verb, where they differ.
const fn of(verb: &'static str, flag: Flag) -> Flag {
    Flag { of: Some(verb), ..flag }
}

const fn short(letter: char, flag: Flag) -> Flag {
    Flag { short: Some(letter), ..flag }
}

/// The options that say who we are and whom we trust; taken by every verb that uses keys.
pub(crate) const KEY_OPTIONS: &[&str] = &[
    "keys",
    "as-name",
    "peer-name",
    "key",
    "cert",
    "peer",
    "trust",
    "untrusted",
    "crl",
    "pkcs12",
    "jks",
    "merlin",
    "store-password-file",
    "min-rsa",
];

/// The option of that name as a verb has it.
pub(crate) fn find(id: &str, verb: &str) -> Option<&'static Flag> {
    FLAGS.iter().find(|flag| flag.id == id && flag.of.is_none_or(|of| of == verb))
}

/// The table.
pub(crate) const FLAGS: &[Flag] = &[
    of(
        "call",
        short(
            'o',
            value(
                "output",
                "OUT",
                "Write what was verified of the reply, a whole envelope, to this file",
                "Without it the elements in its Body are printed. The file is written as a whole or not at all, and never when the answer is no; `-` is standard output.",
            ),
        ),
    ),
    short(
        'o',
        value(
            "output",
            "OUT",
            "Write to this file instead of standard output",
            "The file is written as a whole or not at all, and never when the answer is no; `-` is standard output.",
        ),
    ),
    short(
        'q',
        switch("quiet", "Say nothing but the answer", "Warnings are left out; the exit code tells the rest."),
    ),
    short('v', switch("verbose", "Say more", "")),
    switch(
        "json",
        "Print the result as one JSON object",
        "Where standard output is taken by a document, the object goes to standard error.",
    ),
    of(
        "verify",
        value(
            "policy",
            "FILE",
            "The policy: a file, a built-in name such as scenario:rampart-c, or none",
            "A file holds WS-SecurityPolicy in any XML (a policy, a WSDL, a services.xml) or TOML with `[policy.NAME]` tables, picked by `FILE.toml#NAME`. `none` checks the cryptography and reports what is protected. `bartizan help policy` lists the built-in names.",
        ),
    ),
    value(
        "policy",
        "FILE",
        "The policy: a file or a built-in name such as scenario:rampart-c",
        "A file holds WS-SecurityPolicy in any XML (a policy, a WSDL, a services.xml) or TOML with `[policy.NAME]` tables, picked by `FILE.toml#NAME`. `bartizan help policy` lists the built-in names.",
    ),
    value("nth", "N", "Take the Nth policy of the file, counted from 0", ""),
    one_of(
        "as",
        "ROLE",
        &["initiator", "recipient"],
        "Whose side we are on",
        "The initiator sends requests and verifies replies; the recipient verifies requests and sends replies. `verify --as recipient` checks a request, `secure --as recipient` makes a reply.",
    ),
    value(
        "request",
        "FILE",
        "The secured request that this is the reply to",
        "Needed for SignatureConfirmation and for the keys that the reply uses.",
    ),
    value(
        "save-secret",
        "FILE",
        "Keep the secret that the reply will be made with (symmetric binding)",
        "For `verify --secret`. A new file that only its owner can read: who has it can make replies to this request.",
    ),
    typed(
        "secret",
        value(
            "request-secret",
            "FILE",
            "The secret of --request, as --save-secret kept it",
            "For a reply under the symmetric binding. Where the request has a UsernameToken that the secret is derived by, --user and --password-file do as well.",
        ),
    ),
    value("at", "TIME", "Pretend that it is this time (RFC 3339, UTC)", ""),
    value(
        "ttl",
        "DURATION",
        "Oldest Timestamp that is accepted, such as 5m",
        "Where the policy itself says no `ttl`. The difference of clocks that is allowed (`skew`, 60 s unless the policy says another) is added.",
    ),
    switch(
        "explain",
        "Print the evidence: tokens, keys, algorithms, covered parts",
        "On failure: the first check that failed, with measured values; for a digest mismatch the canonical bytes that we digested go to a file beside the message, IN.referenceN.c14n.",
    ),
    value(
        "compare",
        "FILE",
        "Compare the canonical bytes of a failed digest with this file",
        "Prints the first byte that differs, with its surroundings.",
    ),
    switch(
        "keep-uncovered",
        "With -o: keep what no demanded protection covers",
        "Said aloud, since such parts prove nothing.",
    ),
    one_of(
        "profile",
        "NAME",
        &["standard", "rampart-c-legacy"],
        "Whose messages are to be expected",
        "The legacy profile takes an unsigned Timestamp, any layout, an empty ReferenceList, a Nonce without EncodingType and a digest where text is asked for, \
         as the samples of Rampart/C have them.",
    ),
    switch("open", "Accept a policy that demands no authentication", ""),
    switch(
        "legacy",
        "Allow algorithms of status legacy (see `bartizan crypto`)",
        "Permits what the period used where the policy does not name a suite; reported in the evidence.",
    ),
    value(
        "body",
        "FILE",
        "The body's element (or a whole envelope) to send",
        "Default: the greeting of the benchmark.",
    ),
    of(
        "verify",
        value(
            "user",
            "NAME",
            "Whose password made the secret of --request",
            "Together with --password-file, for a reply that is made with the key of our UsernameToken.",
        ),
    ),
    value(
        "user",
        "NAME",
        "Who we are in a UsernameToken",
        "Together with --password-file, where the policy puts a UsernameToken on the message.",
    ),
    value(
        "password-file",
        "FILE",
        "The user's password: the first line of this file",
        "The password of a key store is --store-password-file.",
    ),
    value("action", "URI", "The action, for SOAPAction or the media type and WS-Addressing", ""),
    one_of("soap", "VERSION", &["1.1", "1.2"], "SOAP version", "Default 1.2."),
    one_of(
        "addressing",
        "VERSION",
        &["none", "2005", "2004"],
        "WS-Addressing headers",
        "Default: as the policy says, none otherwise.",
    ),
    one_of("show", "WHAT", &["request", "reply", "both"], "Print the messages as they were on the wire", ""),
    value("timeout", "DURATION", "Give up after this time, such as 30s", ""),
    value("config", "FILE", "The configuration (see `bartizan help config`)", ""),
    value(
        "state",
        "DIR",
        "Folder for demo keys and the replay window",
        "Default: $XDG_STATE_HOME/bartizan or ~/.local/state/bartizan.",
    ),
    value("listen", "ADDR", "Where to listen, such as 127.0.0.1:8080; port 0 takes a free one", ""),
    one_of(
        "replay",
        "on|off",
        &["on", "off"],
        "Refuse a message that was there before [default: on]",
        "Off is for benchmarks that send one message again and again.",
    ),
    value("rsa", "BITS", "Size of the RSA keys [default: 2048]", ""),
    typed("jks", switch("java-stores", "Also write server.jks and client.jks", "")),
    switch("strict", "A warning is a failure", ""),
    value(
        "users",
        "FILE",
        "Who may show a UsernameToken (users.toml)",
        "One table for each user; `bartizan help config` lists its keys.",
    ),
    value("users-key", "FILE", "The key that sealed passwords of --users are opened with", ""),
    value(
        "key-file",
        "FILE",
        "The key for sealed passwords",
        "32 bytes, or their base64, such as `openssl rand -base64 32` prints.",
    ),
    many(value(
        "ignore",
        "NAMESPACE",
        "Pass over assertions of this namespace",
        "Without it an alternative that holds one is passed over if another serves, and is an error otherwise.",
    )),
    // bench
    value(
        "peers",
        "DIR",
        "The folder of the Java peers [default: interop/java of the checkout]",
        "Each as MODULE/target/classes and MODULE/target/lib; `interop/java/build.sh` makes them.",
    ),
    value(
        "only",
        "NAMES",
        "Only these engines, with commas: own, wss4j, cxf, rampart; of unt: own, bartizan-replay, wss4j15, cxf",
        "",
    ),
    value("keys-sizes", "LIST", "Kinds of keys, with commas [default: 2048,1024,p256; of unt 2048,1024]", ""),
    value(
        "rounds",
        "N",
        "Rounds [default: 9]",
        "Each server has its turn in each of them; the median is reported.",
    ),
    value(
        "duration",
        "DURATION",
        "Length of one turn [default: 2s; of unt 1s, and on until the calls are made]",
        "",
    ),
    value("threads", "N", "Requests in flight [default: 10]", ""),
    value(
        "calls",
        "N",
        "Calls of each thread, over all rounds [default: 5000]",
        "So many at least: a turn is not shorter than --duration.",
    ),
    value(
        "warm",
        "DURATION",
        "Least warm-up of each server [default: 60s]",
        "Half as long again at most, while it still gets faster. A number alone is seconds.",
    ),
    switch("quick", "Warm up for 1 s, one round of 0.3 s: tries everything, says nothing of speed", ""),
    of("report", value("out", "DIR", "Write SCENARIO.txt and SCENARIO.html there", "")),
    value("out", "DIR", "Write the record there, as SCENARIO.csv, .txt and .html", ""),
    // keys
    key(
        "keys",
        "DIR",
        "A folder as `bartizan keys demo` makes it",
        "An initiator acts as `client` towards `server`, a recipient as `server`; trust is ca.pem, with ca.crl if it is there.",
    ),
    key("as-name", "NAME", "In --keys: who we are", ""),
    key("peer-name", "NAME", "In --keys: who the other side is", ""),
    key("key", "FILE", "Our private key (PEM)", ""),
    key("cert", "FILE", "Our certificate, then its chain (PEM)", ""),
    many(key(
        "peer",
        "FILE",
        "A certificate of the other side (PEM)",
        "Encrypted to, and looked up by thumbprint, SKI or issuer and serial.",
    )),
    many(key("trust", "FILE", "Trust anchors (PEM)", "")),
    many(key("untrusted", "FILE", "Intermediate certificates that complete a path (PEM)", "")),
    many(key(
        "crl",
        "FILE",
        "A revocation list",
        "A certificate of its issuer whose status it does not tell is refused. An issuer without a list is not asked, and a certificate that is an anchor itself is taken as it is.",
    )),
    switch(
        "over-tls",
        "The message came, or goes, over TLS",
        "For a policy that leaves protection to the transport: whoever ended TLS says that it did. Nothing in a file proves it.",
    ),
    Flag {
        heading: KEYS,
        ..switch(
            "any-peer",
            "Take a reply of anybody who is trusted",
            "Without it a reply must be signed by the peer (--peer, or the other name in --keys); with none, no signed reply is taken. \
             A message that our own key signed is never one.",
        )
    },
    key("pkcs12", "FILE", "A PKCS#12 store with key and certificate", ""),
    key(
        "jks",
        "FILE",
        "A Java key store with key and certificate",
        "JKS, JCEKS, or the PKCS#12 that `keytool` writes today.",
    ),
    key(
        "merlin",
        "FILE",
        "Merlin's crypto properties, which say where keys and trust are",
        "--as-name and --peer-name choose by alias then.",
    ),
    key(
        "store-password-file",
        "FILE",
        "The store's password, in a file",
        "Else $BARTIZAN_STORE_PASSWORD, else it is asked for on a terminal. A demo folder's `password` file is found by itself.",
    ),
    key("min-rsa", "BITS", "Smallest RSA key that is accepted [default: 2048]", "1024 for old peers."),
    // xml
    typed(
        "key",
        many(key(
            "xml-key",
            "[NAME=]FILE",
            "A key: private, public, or a certificate's (PEM or DER)",
            "A certificate's key is used without a path check. NAME matches ds:KeyName.",
        )),
    ),
    typed("pkcs12", many(key("xml-pkcs12", "[NAME=]FILE", "A PKCS#12 store with keys", ""))),
    typed("jks", many(key("xml-jks", "[NAME=]FILE", "A Java key store with keys", ""))),
    many(value("id-attr", "NAME", "A further attribute that holds Ids", "")),
    switch(
        "key-from-message",
        "Check with the key that the message carries, and say that it is not trusted",
        "",
    ),
    many(key(
        "secret",
        "[NAME=]FILE",
        "A secret key: raw bytes",
        "For HMAC, AES, 3DES and key derivation. NAME matches ds:KeyName.",
    )),
    many(value("reference", "ID|/PATH", "What to sign; default: the whole document", "")),
    switch("enveloped", "Put the signature into the root element and sign around it", ""),
    value("c14n", "METHOD", "Canonicalization: exc, 1.0 or 1.1 [default: exc]", ""),
    value(
        "algorithm",
        "NAME",
        "Signature method, by a name of `bartizan crypto`",
        "Default: by the kind of the key.",
    ),
    value("digest", "NAME", "Digest [default: sha256]", ""),
    value("element", "ID|/PATH", "The element to encrypt; default: the root", ""),
    switch("content", "Encrypt the element's content, not the element", ""),
    value("to", "CERT", "Encrypt the key for this certificate or public key", ""),
    also(
        "algorithm",
        value("cipher", "NAME", "Cipher [default: aes256-gcm]", "By a name of `bartizan crypto`."),
    ),
    value("transport", "NAME", "Key transport [default: rsa-oaep-mgf1p]; with --secret a key wrap", ""),
    value("method", "METHOD", "1.0, 1.1 or exc", ""),
    switch("with-comments", "Keep comments", ""),
    value(
        "inclusive-prefixes",
        "LIST",
        "Prefixes that exclusive C14N treats inclusively, \"a b #default\"",
        "",
    ),
    value("subset", "ID|/PATH", "Canonicalize this element only", ""),
];
