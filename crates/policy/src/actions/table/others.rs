//! Names that stand outside of action blocks: Merlin's properties, and Rampart's own assertions.

use super::{CODE, KEYS, REPLAY, Row, SAML, USERS, Vocabulary, WHO, does, no, other};

const KERBEROS: &str = "Kerberos tokens are not built";

const fn c(row: Row) -> Row {
    Row { vocabulary: Vocabulary::RampartC, ..row }
}

const fn java(row: Row) -> Row {
    Row { vocabulary: Vocabulary::RampartJava, ..row }
}

const fn merlin(row: Row) -> Row {
    Row { vocabulary: Vocabulary::Merlin, ..row }
}

pub(super) const MERLIN: &[Row] = &[
    merlin(does(
        "keystore.file",
        "a path",
        "the store with our key, or with the certificates that are trusted",
    )),
    merlin(does("keystore.password", "a password", "of the store")),
    merlin(does("keystore.type", "JKS, PKCS12", "of the store; by its content if it is not said")),
    merlin(does("keystore.alias", "an alias", "which key of the store is ours")),
    merlin(does("keystore.private.password", "a password", "of the key, if it is not the store's")),
    merlin(no("keystore.private.caching", &["true", "false"], "keys are held open while the program runs")),
    merlin(no("keystore.provider", &[], CODE)),
    merlin(does(
        "truststore.file",
        "a path",
        "the store with the certificates that are trusted; else the key store",
    )),
    merlin(does("truststore.password", "a password", "of that store")),
    merlin(does("truststore.type", "JKS, PKCS12", "of that store; by its content if it is not said")),
    merlin(no("truststore.provider", &[], CODE)),
    merlin(no(
        "load.cacerts",
        &["false"],
        "the public authorities of a Java runtime do not say whose messages are to be believed",
    )),
    merlin(does("x509crl.file", "a path", "a revocation list")),
    merlin(no("cert.provider", &[], CODE)),
    merlin(no("cert.provider.nameconstraints", &[], CODE)),
    merlin(no(
        "provider",
        &["Merlin"],
        "of the providers only Merlin: MerlinDevice, MerlinAKI and CertificateStore are code or hardware",
    )),
    merlin(no("ENC(…)", &[], "a value that is encrypted with a password of the application's code")),
];

const POLICY_TTL: &str = "`timestamp = { ttl = …, skew = … }` of the short form, or `--ttl`";

pub(super) const RAMPART_JAVA: &[Row] = &[
    java(other("user", WHO)),
    java(other("userCertAlias", WHO)),
    java(other(
        "encryptionUser",
        "`encryptionUser`; a policy's reply is encrypted to who signed the request",
    )),
    java(no("stsAlias", &[], "a token service is not asked in this version")),
    java(other("passwordCallbackClass", USERS)),
    java(no("policyValidatorCbClass", &[], CODE)),
    java(no("rampartConfigCallbackClass", &[], CODE)),
    java(other("signatureCrypto", KEYS)),
    java(other("encryptionCrypto", KEYS)),
    java(other("decryptionCrypto", KEYS)),
    java(no("stsCrypto", &[], "a token service is not asked in this version")),
    java(other("timestampTTL", POLICY_TTL)),
    java(other("timestampMaxSkew", POLICY_TTL)),
    java(other("timestampStrict", "`timestampStrict` of an action block")),
    java(other("timestampFutureTTL", "`futureTimeToLive` of an action block")),
    java(other("timestampPrecisionInMilliseconds", "`precisionInMilliseconds` of an action block")),
    java(other("utTTL", "`utTimeToLive` of an action block")),
    java(other("utFutureTTL", "`utFutureTimeToLive` of an action block")),
    java(other("disableBSPEnforcement", "`isBSPCompliant` of an action block")),
    java(other("allowUsernameTokenNoPassword", "`sp:NoPassword`, or `allowUsernameTokenNoPassword`")),
    java(other("handleCustomPasswordTypes", "`handleCustomPasswordTypes` of an action block")),
    java(no(
        "allowNamespaceQualifiedPasswordTypes",
        &[],
        "a Type that is a qualified name is not the profile's",
    )),
    java(no("encodePasswords", &[], "passwords are UTF-8 text, as the profile says")),
    java(no("validateSamlSubjectConfirmation", &[], SAML)),
    java(other(
        "allowRSA15KeyTransportAlgorithm",
        "a suite that names it, or `allowRSA15KeyTransportAlgorithm`",
    )),
    java(no("mustUnderstandSecurityHeader", &["true"], "the Security header always has to be understood")),
    java(no("optimizeParts", &[], "attachments are not built")),
    java(no("tokenStoreClass", &[], CODE)),
    java(other("nonceLifeTime", REPLAY)),
    java(no("sslConfig", &[], "TLS belongs to the listener")),
    java(no("kerberosConfig", &[], KERBEROS)),
    java(no("cryptoKey", &[], CODE)),
    java(no("cacheRefreshInterval", &[], "keys are read again on reload")),
    java(no("enableCryptoCaching", &[], "keys are held open while the program runs")),
    java(other("enableTTLCheck", POLICY_TTL)),
    java(no("actor", &[], "a message has one Security header for us, and it names no actor")),
];

pub(super) const RAMPART_C: &[Row] = &[
    c(other("User", WHO)),
    c(other("TimeToLive", POLICY_TTL)),
    c(other("ClockSkewBuffer", POLICY_TTL)),
    c(other("PrecisionInMilliseconds", "`precisionInMilliseconds` of an action block")),
    c(other("EncryptionUser", WHO)),
    c(other("PasswordType", "`sp:HashPassword`, or `passwordType`")),
    c(other("PasswordCallbackClass", USERS)),
    c(other("AuthnModuleName", USERS)),
    c(other("ReplayDetectionModule", REPLAY)),
    c(no("SecurityContextTokenProvider", &[], "secure conversations are not built")),
    c(other("ReceiverCertificate", "`[keys.NAME] peers`, `--peer FILE`")),
    c(other("Certificate", "`[keys.NAME] certificate`, `--cert FILE`")),
    c(other("PrivateKey", "`[keys.NAME] private_key`, `--key FILE`")),
    c(other("Pkcs12KeyStore", "`[keys.NAME] pkcs12`, `--pkcs12 FILE`")),
    c(no("StsCertificate", &[], "a token service is not asked in this version")),
];
