//! Every name of the action-style stacks in one table: what it does here, where else it is said, or why it is refused.
//!
//! The reader checks against it, `docs/actions.md` is made from it, and a test flips every name that does something.

mod others;

/// Whose name it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vocabulary {
    /// Our own, beside theirs.
    Own,
    /// WSS4J's `ConfigurationConstants`, those of 1.5 included; Axis2's parameters are the same names.
    Wss4j,
    /// The properties of Spring's `Wss4jSecurityInterceptor`.
    Spring,
    /// Merlin's properties, without their prefix.
    Merlin,
    /// `RampartConfig` of Rampart/Java.
    RampartJava,
    /// `RampartConfig` of Rampart/C.
    RampartC,
}

/// What becomes of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It does something.
    Does,
    /// It is another spelling of a name of WSS4J's.
    Same(&'static str),
    /// It is said elsewhere.
    Elsewhere(&'static str),
    /// It is refused, but for values that mean what happens anyway.
    Refused {
        /// Why.
        reason: &'static str,
        /// Values that are taken and change nothing.
        except: &'static [&'static str],
    },
}

/// Which of the two messages of an interceptor a name is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Either.
    Both,
    /// What is put on a message: `securement…`.
    PutOn,
    /// What is demanded of one: `validation…`.
    Demanded,
}

/// One name.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// As it is written.
    pub name: &'static str,
    /// Whose it is.
    pub vocabulary: Vocabulary,
    /// What becomes of it.
    pub fate: Fate,
    /// Which message it is about.
    pub side: Side,
    /// What it takes, and what silence means.
    pub takes: &'static str,
    /// What it does.
    pub means: &'static str,
}

impl Row {
    /// Whether it holds the actions.
    pub(super) fn is_actions(&self) -> bool {
        self.name == super::ACTIONS || self.fate == Fate::Same(super::ACTIONS)
    }
}

/// The row of a name that a block may hold.
pub(super) fn row(name: &str) -> Option<&'static Row> {
    blocks().find(|row| row.name == name)
}

/// Every name that a block may hold.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    blocks().map(|row| row.name)
}

fn blocks() -> impl Iterator<Item = &'static Row> {
    use Vocabulary::{Own, Spring, Wss4j};
    ROWS.iter().copied().flatten().filter(|row| matches!(row.vocabulary, Own | Wss4j | Spring))
}

const fn does(name: &'static str, takes: &'static str, means: &'static str) -> Row {
    Row { name, vocabulary: Vocabulary::Wss4j, fate: Fate::Does, side: Side::Both, takes, means }
}

const fn own(name: &'static str, takes: &'static str, means: &'static str) -> Row {
    Row { vocabulary: Vocabulary::Own, ..does(name, takes, means) }
}

const fn other(name: &'static str, place: &'static str) -> Row {
    Row { fate: Fate::Elsewhere(place), ..does(name, "", "") }
}

const fn no(name: &'static str, except: &'static [&'static str], reason: &'static str) -> Row {
    Row { fate: Fate::Refused { reason, except }, ..does(name, "", "") }
}

/// An older or another spelling of one of WSS4J's names.
const fn same(name: &'static str, of: &'static str) -> Row {
    Row { fate: Fate::Same(of), ..does(name, "", "") }
}

const fn spring(row: Row) -> Row {
    Row { vocabulary: Vocabulary::Spring, ..row }
}

const fn puts(row: Row) -> Row {
    Row { side: Side::PutOn, ..spring(row) }
}

const fn demands(row: Row) -> Row {
    Row { side: Side::Demanded, ..spring(row) }
}

const KEYS: &str = "`[keys.NAME] merlin = \"FILE\"`, or `--merlin FILE`";
const USERS: &str = "`[authentication.users]`, `--users FILE`; who sends: `--user NAME --password-file FILE`";
const WHO: &str = "`--user NAME`; the alias of a key: in the Merlin properties, or `[keys.NAME]`";
const REPLAY: &str = "`[[service]] replay`";
const SAML: &str = "assertions are not made or judged in this version";
const DERIVED: &str = "derived key tokens belong to the symmetric binding, which a policy asks for";
const CODE: &str = "it names code, which cannot be read";

/// Every name, group by group.
pub const ROWS: &[&[Row]] = &[OURS, WSS4J, SPRING, others::MERLIN, others::RAMPART_JAVA, others::RAMPART_C];

const OURS: &[Row] = &[
    own(
        "actions",
        "actions in their order; `NoSecurity` for none",
        "what is put on the message, and demanded of it",
    ),
    own(
        "defaults",
        "\"modern\" (default), \"wss4j15\", \"wss4j4\"",
        "where the values come from that are not said; wss4j15 also writes as WSS4J 1.5 does",
    ),
    own(
        "accept",
        "\"named\" (default), \"period\"",
        "which algorithms are accepted: those named, or also all that WSS4J 1.5 could write (`--legacy` says the same)",
    ),
    own(
        "interceptor",
        "\"server\", \"client\"",
        "whose `securement…` and `validation…` stand in `[policy.NAME]`: a server's (default where it validates) demands of the request, a client's puts on the request",
    ),
];

const WSS4J: &[Row] = &[
    same("action", "actions"),
    same("items", "actions"),
    no("actor", &[""], "a message has one Security header for us, and it names no actor"),
    other("user", WHO),
    other("signatureUser", WHO),
    does(
        "encryptionUser",
        "`useReqSigCert`, or an alias; in a reply `useReqSigCert`",
        "whom a reply is encrypted to: who signed the request, or the configured peer",
    ),
    other("passwordCallbackClass", USERS),
    other("passwordCallbackRef", USERS),
    no("samlCallbackClass", &[], SAML),
    no("samlCallbackRef", &[], SAML),
    other("signaturePropFile", KEYS),
    other("signaturePropRefId", KEYS),
    other("signatureVerificationPropFile", KEYS),
    other("signatureVerificationPropRefId", KEYS),
    other("encryptionPropFile", KEYS),
    other("encryptionPropRefId", KEYS),
    other("decryptionPropFile", KEYS),
    other("decryptionPropRefId", KEYS),
    does(
        "enableSignatureConfirmation",
        "true, false; wss4j15: true, else false",
        "a signed reply confirms the request's signatures, and is to",
    ),
    no("mustUnderstand", &["true", "1"], "the Security header always has to be understood"),
    does(
        "isBSPCompliant",
        "true, false; wss4j15: false, else true",
        "false: what the Basic Security Profile forbids is accepted in a UsernameToken: a Nonce without EncodingType, a Password without Type, a Created with `+00:00`",
    ),
    no(
        "addInclusivePrefixes",
        &["true", "false"],
        "ours are written without, theirs are accepted with and without",
    ),
    does(
        "addUTElements",
        "\"Nonce Created\", either, or nothing",
        "WSS4J 1.5: write them into the UsernameToken, and demand them",
    ),
    does(
        "addUsernameTokenNonce",
        "true, false (default)",
        "write a Nonce into the UsernameToken, and demand one",
    ),
    does(
        "addUsernameTokenCreated",
        "true, false (default)",
        "write Created into the UsernameToken, and demand it",
    ),
    does(
        "handleCustomPasswordTypes",
        "true, false (default)",
        "`passwordType` may be a URI of one's own; the text is compared as it stands",
    ),
    does(
        "allowUsernameTokenNoPassword",
        "true, false (default)",
        "a UsernameToken without password is accepted, which proves nothing: needs `open`",
    ),
    no(
        "allowNamespaceQualifiedPasswordTypes",
        &["false"],
        "a Type that is a qualified name is not the profile's",
    ),
    other(
        "enableRevocation",
        "`[keys.NAME] revocation`, `--crl FILE`, or `x509crl.file` of the Merlin properties",
    ),
    does(
        "useSingleCertificate",
        "true (default), false",
        "with DirectReference: our certificate alone, or with its chain",
    ),
    no(
        "useDerivedKeyForMAC",
        &["true"],
        "the key that signs is made for that; a key for encryption is another",
    ),
    does(
        "precisionInMilliseconds",
        "true (default), false",
        "times with three decimals, or in whole seconds",
    ),
    does(
        "timestampStrict",
        "true (default), false",
        "an Expires that has passed refuses the message; else the age alone counts",
    ),
    does("requireTimestampExpires", "true, false (default)", "a Timestamp without Expires is refused"),
    no(
        "encryptSymmetricEncryptionKey",
        &["true"],
        "a key that both sides know beforehand is not used: encrypt to a certificate",
    ),
    does(
        "requireSignedEncryptedDataElements",
        "true, false (default)",
        "ciphertext without integrity that no signature covers is refused, whatever `open` says",
    ),
    does(
        "allowRSA15KeyTransportAlgorithm",
        "true, false (default)",
        "RSA 1.5 is accepted beside the named key transport",
    ),
    no("validateSamlSubjectConfirmation", &["true", "false"], SAML),
    does(
        "includeSignatureToken",
        "true, false (default)",
        "our certificate is sent even where the key is named in another way",
    ),
    no("includeEncryptionToken", &["false"], "who decrypts has the certificate; `DirectReference` sends it"),
    no("use200512Namespace", &["true", "false"], DERIVED),
    no("getSecretKeyFromCallbackHandler", &["false"], CODE),
    no("storeBytesInAttachment", &["false"], "ciphertext stands in the message"),
    no("expandXOPInclude", &["false"], "attachments are not built"),
    does(
        "passwordType",
        "PasswordDigest (WSS4J's default), PasswordText (modern's), PasswordNone, or a URI",
        "how the password stands in the UsernameToken",
    ),
    does("signatureKeyIdentifier", KEY_IDS, "how our key is named in the signature"),
    does(
        "signatureAlgorithm",
        "a URI or a name; modern: rsa-sha256 and hmac-sha256, else with SHA-1",
        "signature method",
    ),
    does(
        "signatureDigestAlgorithm",
        "a URI or a name; modern: sha256, else sha1",
        "digest of the signed parts",
    ),
    does("signatureC14nAlgorithm", "a URI; exclusive C14N", "canonicalization of what is signed"),
    does("signatureParts", "parts; the Body", "what is signed, and is to be"),
    does("optionalSignatureParts", "parts; none", "what is signed if it is there, and is to be"),
    does(
        "derivedKeyIterations",
        "1000 to 10000; 1000",
        "iterations of the derived key that we make (UTP 1.1 §4)",
    ),
    does("wseSecretKeyLength", "16 to 32 octets; 16", "length of the WSE-style key"),
    does(
        "useDerivedKey",
        "true, false; wss4j15: false, else true",
        "UsernameTokenSignature: the key of the profile (Salt, Iteration), or the WSE-style one of nonce and Created",
    ),
    does("encryptionKeyIdentifier", KEY_IDS, "how the recipient's key is named"),
    does("encryptionSymAlgorithm", "a URI or a name; modern: aes256-gcm, else aes128-cbc", "content cipher"),
    does(
        "encryptionKeyTransportAlgorithm",
        "a URI or a name; wss4j15: rsa-1_5, wss4j4: rsa-oaep-mgf1p, modern: rsa-oaep",
        "how the content key is encrypted",
    ),
    does("encryptionDigestAlgorithm", "a URI or a name; modern: sha256, else sha1", "digest of OAEP"),
    does(
        "encryptionMGFAlgorithm",
        "a URI or a name; modern: mgf1-sha256, else mgf1-sha1",
        "mask function of OAEP",
    ),
    no("encryptionKeyAgreementMethod", &[], "say `suite = \"modern-ec\"` with a binding instead of actions"),
    no(
        "encryptionKeyDerivationFunction",
        &[],
        "say `suite = \"modern-ec\"` with a binding instead of actions",
    ),
    no("encryptionKeyDerivationParams", &[], "say `suite = \"modern-ec\"` with a binding instead of actions"),
    does("encryptionParts", "parts; the Body's content", "what is encrypted, and is to be"),
    does("optionalEncryptionParts", "parts; none", "what is encrypted if it is there, and is to be"),
    no("EmbeddedKeyName", &[], "a key that both sides know beforehand is not used: encrypt to a certificate"),
    does("timeToLive", "seconds; 300", "lifetime of our Timestamps, and greatest age of theirs"),
    does("futureTimeToLive", "seconds; 60", "how far a Timestamp may lie in the future"),
    does("utTimeToLive", "seconds; 300", "greatest age of a UsernameToken with Created"),
    does("utFutureTimeToLive", "seconds; 60", "how far Created of a UsernameToken may lie in the future"),
    no(
        "sigSubjectCertConstraints",
        &[],
        "who may sign is a matter of trust anchors and peers: `[keys.NAME] trust`",
    ),
    no(
        "sigIssuerCertConstraints",
        &[],
        "who may sign is a matter of trust anchors and peers: `[keys.NAME] trust`",
    ),
    no(
        "sigCertConstraintsSeparator",
        &[],
        "who may sign is a matter of trust anchors and peers: `[keys.NAME] trust`",
    ),
    no("derivedTokenReference", &[], DERIVED),
    no("derivedTokenKeyIdentifier", &[], DERIVED),
    no("derivedSignatureKeyLength", &[], DERIVED),
    no("derivedEncryptionKeyLength", &[], DERIVED),
    no("validatorMap", &[], CODE),
    other("nonceCacheInstance", REPLAY),
    other("timestampCacheInstance", REPLAY),
    no("samlOneTimeUseCacheInstance", &[], SAML),
    no("passwordEncryptorInstance", &[], CODE),
];

const KEY_IDS: &str = "IssuerSerial (WSS4J's default), DirectReference, SKIKeyIdentifier, X509KeyIdentifier, Thumbprint (modern's)";

const SPRING: &[Row] = &[
    puts(same("securementActions", "actions")),
    puts(other("securementUsername", WHO)),
    puts(no(
        "securementPassword",
        &[],
        "a password does not belong into a configuration: `--password-file FILE`",
    )),
    puts(other("securementCallbackHandler", USERS)),
    puts(other("securementCallbackHandlers", USERS)),
    puts(same("securementPasswordType", "passwordType")),
    puts(same("securementUsernameTokenElements", "addUTElements")),
    puts(same("securementUsernameTokenNonce", "addUsernameTokenNonce")),
    puts(same("securementUsernameTokenCreated", "addUsernameTokenCreated")),
    puts(no("securementActor", &[""], "a message has one Security header for us, and it names no actor")),
    puts(no("securementMustUnderstand", &["true", "1"], "the Security header always has to be understood")),
    puts(same("securementTimeToLive", "timeToLive")),
    puts(same("securementEncryptionParts", "encryptionParts")),
    puts(same("securementEncryptionUser", "encryptionUser")),
    puts(same("securementEncryptionKeyIdentifier", "encryptionKeyIdentifier")),
    puts(same("securementEncryptionSymAlgorithm", "encryptionSymAlgorithm")),
    puts(same("securementEncryptionKeyTransportAlgorithm", "encryptionKeyTransportAlgorithm")),
    puts(other("securementEncryptionCrypto", KEYS)),
    puts(no(
        "securementEncryptionEmbeddedKeyName",
        &[],
        "a key that both sides know beforehand is not used: encrypt to a certificate",
    )),
    puts(same("securementSignatureParts", "signatureParts")),
    puts(same("securementSignatureIfPresentParts", "optionalSignatureParts")),
    puts(other("securementSignatureUser", WHO)),
    puts(same("securementSignatureKeyIdentifier", "signatureKeyIdentifier")),
    puts(same("securementSignatureAlgorithm", "signatureAlgorithm")),
    puts(same("securementSignatureDigestAlgorithm", "signatureDigestAlgorithm")),
    puts(other("securementSignatureCrypto", KEYS)),
    puts(same("securementUseDerivedKey", "useDerivedKey")),
    puts(same("securementDerivedKeyIterations", "derivedKeyIterations")),
    puts(no("securementSamlCallbackHandler", &[], SAML)),
    demands(same("validationActions", "actions")),
    demands(no("validationActor", &[""], "a message has one Security header for us, and it names no actor")),
    demands(other("validationCallbackHandler", USERS)),
    demands(other("validationCallbackHandlers", USERS)),
    demands(other("validationDecryptionCrypto", KEYS)),
    demands(other("validationSignatureCrypto", KEYS)),
    demands(same("validationTimeToLive", "timeToLive")),
    demands(no(
        "validationSubjectDnConstraints",
        &[],
        "who may sign is a matter of trust anchors and peers: `[keys.NAME] trust`",
    )),
    spring(same("bspCompliant", "isBSPCompliant")),
    spring(same("timestampPrecisionInMilliseconds", "precisionInMilliseconds")),
    spring(same("requireSignedEncryptedData", "requireSignedEncryptedDataElements")),
    spring(no("secureRequest", &["true"], "leave the side out, and say `open = true`")),
    spring(no("secureResponse", &["true"], "leave the side out, and say `open = true`")),
    spring(no("validateRequest", &["true"], "leave the side out, and say `open = true`")),
    spring(no("validateResponse", &["true"], "leave the side out, and say `open = true`")),
    spring(no("removeSecurityHeader", &["true"], "what a back-end gets is never the Security header")),
];
