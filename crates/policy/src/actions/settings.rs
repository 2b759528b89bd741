//! The settings of a block, typed and with their defaults: token, signature, encryption, Timestamp.

use bartizan_crypto::OaepParams;
use bartizan_crypto::alg::{
    AlgSet, CipherAlg, DigestAlg, MgfAlg, SignatureAlg, SignatureFamily, TransportAlg,
};
use bartizan_wss::part::{EncryptHow, EncryptPart, Need, Part};
use bartizan_wss::plan::{
    Derive, EncryptTo, Iterations, KeyRef, KeyRule, PasswordForm, Precision, Presence, SignedBy,
    TimestampRule, TokenSent, UsernameOut, UsernameRule,
};
use bartizan_xml::c14n::C14nMethod;

use super::Defaults;
use super::parts::Use;
use super::said::{Action, Said};
use super::value::Values;
use crate::compile::{Options, Way};
use crate::error::Problem;

/// A UsernameToken, as demanded and as written.
pub(super) struct Username {
    pub(super) rule: UsernameRule,
    pub(super) out: UsernameOut,
}

/// A signature.
pub(super) struct Signature {
    pub(super) must: Vec<Part>,
    pub(super) if_there: Vec<Part>,
    pub(super) by: SignedBy,
    pub(super) method: SignatureAlg,
    pub(super) digest: DigestAlg,
    pub(super) c14n: C14nMethod,
    pub(super) reference: KeyRef,
    pub(super) token: TokenSent,
}

/// An encryption.
pub(super) struct Encryption {
    pub(super) must: Vec<EncryptPart>,
    pub(super) if_there: Vec<EncryptPart>,
    pub(super) cipher: CipherAlg,
    pub(super) transport: TransportAlg,
    pub(super) oaep: OaepParams,
    pub(super) also: AlgSet,
    pub(super) reference: KeyRef,
}

const REFERENCES: [(&str, KeyRef); 5] = [
    ("IssuerSerial", KeyRef::IssuerSerial),
    ("DirectReference", KeyRef::Direct),
    ("SKIKeyIdentifier", KeyRef::SubjectKeyIdentifier),
    ("X509KeyIdentifier", KeyRef::RawCertificate),
    ("Thumbprint", KeyRef::ThumbprintSha1),
];

impl Values<'_, '_> {
    pub(super) fn username(&mut self, said: &Said) -> Option<Username> {
        let action = said.username?;
        let signs = said.signs == Some(SignedBy::UsernameToken);
        let password =
            if action == Action::UsernameTokenNoPassword { PasswordForm::Absent } else { self.password() };
        let (nonce, created) = self.elements(signs || password == PasswordForm::Digest);
        let wse = self.number("wseSecretKeyLength", 16, 64, "octets of a key, 16 to 64").unwrap_or(16);
        let wse = usize::try_from(wse).unwrap_or(16);
        let iterations = self.number("derivedKeyIterations", 1_000, 10_000, "1000 to 10000 iterations");
        let iterations = iterations.unwrap_or(1_000);
        let profile = self.switch("useDerivedKey");
        if let (Some(true), false, Some(entry)) = (profile, signs, self.entry("useDerivedKey")) {
            // A token with Salt carries no password, and without a signature nobody shows that he knows it.
            let problem = Problem::Contradiction { name: "useDerivedKey", other: action.name() };
            self.findings.say(problem, entry.at);
        }
        let profile = profile.unwrap_or(self.by_default(true, false, true));
        let keys = signs.then(|| match profile {
            true => KeyRule { wse: None, profile: Some(Iterations::default()) },
            false => KeyRule { wse: Some(wse), profile: None },
        });
        let derive = signs.then_some(if profile {
            Derive::Profile { iterations }
        } else {
            Derive::Wse { length: wse }
        });
        let by_key = signs && profile;
        // A token with Salt carries no password: the signature shows that its sender knows it.
        let mut passwords = if by_key { Vec::new() } else { vec![password.clone()] };
        let password = if by_key { PasswordForm::Absent } else { password };
        let unproved = self.switch("allowUsernameTokenNoPassword").unwrap_or(false);
        if let (true, true, Some(entry)) = (unproved, signs, self.entry("allowUsernameTokenNoPassword")) {
            let (name, other) = ("allowUsernameTokenNoPassword", Action::UsernameTokenSignature.name());
            self.findings.say(Problem::Contradiction { name, other }, entry.at);
        } else if unproved && !passwords.contains(&PasswordForm::Absent) {
            passwords.push(PasswordForm::Absent);
        }
        let presence = |said: bool| if said { Presence::Must } else { Presence::May };
        let standard = UsernameRule::default();
        let rule = UsernameRule {
            need: Need::Must,
            passwords,
            nonce: presence(nonce),
            created: presence(created),
            lenient: !self.switch("isBSPCompliant").unwrap_or(self.by_default(true, false, true)),
            ttl: self.seconds("utTimeToLive").unwrap_or(standard.ttl),
            future: self.seconds("utFutureTimeToLive").unwrap_or(standard.future),
            keys,
            ..standard
        };
        Some(Username { rule, out: UsernameOut { password, nonce, created, derive } })
    }

    fn password(&mut self) -> PasswordForm {
        let custom = self.switch("handleCustomPasswordTypes").unwrap_or(false);
        let Some(entry) = self.entry("passwordType") else {
            return self.by_default(PasswordForm::Text, PasswordForm::Digest, PasswordForm::Digest);
        };
        match &*entry.text {
            "PasswordText" => PasswordForm::Text,
            "PasswordDigest" => PasswordForm::Digest,
            "PasswordNone" => PasswordForm::Absent,
            uri if custom && uri.contains(':') => PasswordForm::Custom(uri.to_owned()),
            _ => {
                let expected =
                    "PasswordText, PasswordDigest, PasswordNone, or a URI with handleCustomPasswordTypes";
                self.bad("passwordType", expected, None);
                PasswordForm::Text
            }
        }
    }

    /// Whether Nonce and Created are written and demanded; a digest and a derived key need both.
    fn elements(&mut self, needed: bool) -> (bool, bool) {
        // Of ours: without them nothing guards a token against being sent again.
        let standard = self.by_default(true, false, false);
        let (mut nonce, mut created) = (None, None);
        if let Some(entry) = self.entry("addUTElements") {
            (nonce, created) = (Some(false), Some(false));
            for word in entry.text.split_ascii_whitespace() {
                match word {
                    "Nonce" => nonce = Some(true),
                    "Created" => created = Some(true),
                    _ => self.bad("addUTElements", "\"Nonce Created\", either of them, or nothing", None),
                }
            }
        }
        let nonce = self.switch("addUsernameTokenNonce").or(nonce).unwrap_or(standard);
        let created = self.switch("addUsernameTokenCreated").or(created).unwrap_or(standard);
        (nonce || needed, created || needed)
    }

    pub(super) fn signature(&mut self, said: &Said) -> Option<Signature> {
        let by = said.signs?;
        let digest =
            self.algorithm("signatureDigestAlgorithm", DigestAlg::from_uri, DigestAlg::from_short_name);
        let method =
            self.algorithm("signatureAlgorithm", SignatureAlg::from_uri, SignatureAlg::from_short_name);
        let shared = by == SignedBy::UsernameToken;
        let method = match method {
            Some(method) if (method.family() == SignatureFamily::Hmac) == shared => Some(method),
            Some(_) => {
                let expected =
                    if shared { "an HMAC: the key is a derived one" } else { "a method for key pairs" };
                self.bad("signatureAlgorithm", expected, None);
                None
            }
            None => None,
        };
        let method = method.unwrap_or(match (shared, self.defaults) {
            (false, Defaults::Modern) => SignatureAlg::RsaSha256,
            (false, Defaults::Wss4j15 | Defaults::Wss4j4) => SignatureAlg::RsaSha1,
            (true, Defaults::Modern) => SignatureAlg::HmacSha256,
            (true, Defaults::Wss4j15 | Defaults::Wss4j4) => SignatureAlg::HmacSha1,
        });
        let c14n = self.algorithm("signatureC14nAlgorithm", C14nMethod::from_uri, |_| None);
        let chain = !self.switch("useSingleCertificate").unwrap_or(true);
        let include = self.switch("includeSignatureToken").unwrap_or(false);
        let reference = self.reference("signatureKeyIdentifier");
        // A derived key is named by its token.
        let reference = if shared { KeyRef::Direct } else { reference };
        let sent = if chain { TokenSent::PkiPath } else { TokenSent::X509 };
        let only = |parts: Vec<EncryptPart>| parts.into_iter().map(|one| one.part).collect();
        let must = self.parts("signatureParts", Use::Sign).map_or_else(|| vec![Part::Body], only);
        let if_there = self.parts("optionalSignatureParts", Use::Sign).map_or_else(Vec::new, only);
        Some(Signature {
            must,
            if_there,
            by,
            method,
            digest: digest.unwrap_or(self.by_default(DigestAlg::Sha256, DigestAlg::Sha1, DigestAlg::Sha1)),
            c14n: c14n.unwrap_or(C14nMethod::Exclusive),
            reference,
            token: if !shared && (include || reference == KeyRef::Direct) { sent } else { TokenSent::No },
        })
    }

    fn reference(&mut self, key: &'static str) -> KeyRef {
        let standard = self.by_default(KeyRef::ThumbprintSha1, KeyRef::IssuerSerial, KeyRef::IssuerSerial);
        self.word(key, &REFERENCES).unwrap_or(standard)
    }

    pub(super) fn encryption(&mut self, said: &Said) -> Option<Encryption> {
        if !said.encrypts {
            return None;
        }
        let cipher =
            self.algorithm("encryptionSymAlgorithm", CipherAlg::from_uri, CipherAlg::from_short_name);
        let transport = self.algorithm(
            "encryptionKeyTransportAlgorithm",
            TransportAlg::from_uri,
            TransportAlg::from_short_name,
        );
        let transport = transport.unwrap_or(self.by_default(
            TransportAlg::RsaOaep,
            TransportAlg::Rsa15,
            TransportAlg::RsaOaepMgf1p,
        ));
        let digest =
            self.algorithm("encryptionDigestAlgorithm", DigestAlg::from_uri, DigestAlg::from_short_name);
        let digest = digest.unwrap_or(self.by_default(DigestAlg::Sha256, DigestAlg::Sha1, DigestAlg::Sha1));
        let mgf = self.algorithm("encryptionMGFAlgorithm", MgfAlg::from_uri, MgfAlg::from_short_name);
        let mgf = mgf.unwrap_or(self.by_default(MgfAlg::Mgf1Sha256, MgfAlg::Mgf1Sha1, MgfAlg::Mgf1Sha1));
        // Under `rsa-oaep-mgf1p` the mask is SHA-1's whatever is said (XML Encryption 1.1 §5.5.2).
        let mgf = if transport == TransportAlg::RsaOaepMgf1p { MgfAlg::Mgf1Sha1 } else { mgf };
        let mut also = AlgSet::empty();
        if self.switch("allowRSA15KeyTransportAlgorithm").unwrap_or(false) {
            also.insert(TransportAlg::Rsa15);
        }
        let body = || vec![EncryptPart { part: Part::Body, how: EncryptHow::Content }];
        let must = self.parts("encryptionParts", Use::Encrypt).unwrap_or_else(body);
        let if_there = self.parts("optionalEncryptionParts", Use::Encrypt).unwrap_or_default();
        Some(Encryption {
            must,
            if_there,
            cipher: cipher.unwrap_or(self.by_default(
                CipherAlg::Aes256Gcm,
                CipherAlg::Aes128Cbc,
                CipherAlg::Aes128Cbc,
            )),
            transport,
            oaep: OaepParams::new(digest, mgf),
            also,
            reference: self.reference("encryptionKeyIdentifier"),
        })
    }

    pub(super) fn timestamp(&mut self, options: &Options) -> TimestampRule {
        TimestampRule {
            ttl: self.seconds("timeToLive").unwrap_or(options.timestamp.ttl),
            skew: options.timestamp.skew,
            future: self.seconds("futureTimeToLive").or(options.timestamp.future),
            require_expires: self
                .switch("requireTimestampExpires")
                .unwrap_or(options.timestamp.require_expires),
            strict: self.switch("timestampStrict").unwrap_or(options.timestamp.strict),
        }
    }

    pub(super) fn precision(&mut self) -> Precision {
        match self.switch("precisionInMilliseconds") {
            Some(false) => Precision::Seconds,
            Some(true) | None => Precision::Milliseconds,
        }
    }

    /// Only a signed reply can confirm anything.
    pub(super) fn confirms(&mut self, said: &Said, way: Way) -> bool {
        let said_so = self.switch("enableSignatureConfirmation");
        let wanted = said_so.unwrap_or(self.by_default(false, true, false));
        wanted && way == Way::Reply && said.signs == Some(SignedBy::X509)
    }

    pub(super) fn recipient(&mut self, way: Way) -> EncryptTo {
        match (way, self.entry("encryptionUser")) {
            (Way::Request, Some(entry)) if &*entry.text == "useReqSigCert" => {
                let problem =
                    Problem::Contradiction { name: "encryptionUser = useReqSigCert", other: "a request" };
                self.findings.say(problem, entry.at);
                EncryptTo::Peer
            }
            (Way::Reply, Some(entry)) if &*entry.text != "useReqSigCert" => EncryptTo::Peer,
            (Way::Reply, _) => EncryptTo::Requester,
            (Way::Request, _) => EncryptTo::Peer,
        }
    }
}
