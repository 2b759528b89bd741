//! Messages with a UsernameToken as an attacker makes them, text by text: in the clear, signed with a key from a password, or
//! encrypted to the server. The token stands in its exclusive canonical form, so that its octets are what is digested.
//!
//! What is not here: which messages are sent ([`crate::users`]).

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use bartizan_crypto::alg::{DigestAlg, SignatureAlg};
use bartizan_crypto::digest::digest;
use bartizan_crypto::{SymmetricKey, base64, derive};
use bartizan_keys::Time;
use bartizan_xml::names::{ns, uri};

use crate::forge::{Forge, RSA15, Suite, signed_info, transport_method};
use crate::rsa::octets;

/// How long a message of a run may live: the policies of the measured services say the same.
pub(crate) const LIFETIME: Duration = Duration::from_secs(6 * 3600);

/// The algorithms of a signature with a derived key.
const BY_USER: Suite = Suite { signature: SignatureAlg::HmacSha1, digest: DigestAlg::Sha1, ..RSA15 };

/// A UsernameToken in the making. `None` leaves an element out.
#[derive(Clone, Debug)]
pub(crate) struct UserToken {
    pub(crate) name: &'static str,
    /// Fragment of the type's URI, and the text.
    pub(crate) password: Option<(&'static str, String)>,
    /// The text of the Nonce.
    pub(crate) nonce: Option<String>,
    pub(crate) created: Option<Time>,
    /// Salt and Iteration.
    pub(crate) salt: Option<(Vec<u8>, u32)>,
    /// What stands behind all that.
    pub(crate) more: &'static str,
}

/// The time of this machine.
pub(crate) fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

impl UserToken {
    fn of(name: &'static str) -> UserToken {
        let nonce = Some(base64::encode(&octets(16)));
        UserToken { name, password: None, nonce, created: Some(now()), salt: None, more: "" }
    }

    /// With the password as it is.
    pub(crate) fn text(name: &'static str, password: &str) -> UserToken {
        let password = Some(("#PasswordText", password.to_owned()));
        UserToken { password, ..UserToken::of(name) }
    }

    /// With the digest of a password.
    pub(crate) fn digest(name: &'static str, password: &str) -> UserToken {
        let mut token = UserToken::of(name);
        let nonce = token.nonce.as_deref().and_then(|text| base64::decode(text).ok()).unwrap_or_default();
        let created = token.created.map(|time| time.to_rfc3339()).unwrap_or_default();
        let value = digest(DigestAlg::Sha1, &[&nonce, created.as_bytes(), password.as_bytes()].concat());
        token.password = Some(("#PasswordDigest", base64::encode(value.as_ref())));
        token
    }

    /// With what a key is derived from.
    pub(crate) fn salted(name: &'static str) -> UserToken {
        let mut salt = octets(16);
        if let Some(usage) = salt.first_mut() {
            *usage = 1;
        }
        UserToken { salt: Some((salt, 1_000)), ..UserToken::of(name) }
    }

    /// The element in its exclusive canonical form.
    pub(crate) fn element(&self) -> String {
        let (wsse, wsse11, wsu) = (ns::WSSE.uri(), ns::WSSE11.uri(), ns::WSU.uri());
        let profile = uri::USERNAME_TOKEN.trim_end_matches("#UsernameToken");
        let mut out = format!(
            "<wsse:UsernameToken xmlns:wsse=\"{wsse}\" xmlns:wsu=\"{wsu}\" wsu:Id=\"b\"><wsse:Username>{}</wsse:Username>",
            self.name
        );
        if let Some((kind, text)) = &self.password {
            out += &format!("<wsse:Password Type=\"{profile}{kind}\">{text}</wsse:Password>");
        }
        if let Some(text) = &self.nonce {
            out += &format!("<wsse:Nonce EncodingType=\"{}\">{text}</wsse:Nonce>", uri::BASE64_BINARY);
        }
        if let Some(created) = self.created {
            out += &format!("<wsu:Created>{}</wsu:Created>", created.to_rfc3339());
        }
        if let Some((salt, iterations)) = &self.salt {
            out += &format!(
                "<wsse11:Salt xmlns:wsse11=\"{wsse11}\">{}</wsse11:Salt>\
                 <wsse11:Iteration xmlns:wsse11=\"{wsse11}\">{iterations}</wsse11:Iteration>",
                base64::encode(salt)
            );
        }
        out + self.more + "</wsse:UsernameToken>"
    }

    /// A message with the token in the clear.
    pub(crate) fn clear(&self) -> Vec<u8> {
        envelope(&self.element())
    }

    /// A message whose token is signed with the key that its Salt and `password` make.
    pub(crate) fn signed(&self, password: &str) -> Result<Vec<u8>> {
        let element = self.element();
        let info = signed_info(BY_USER, digest(BY_USER.digest, element.as_bytes()).as_ref());
        let ds = ns::DS.uri();
        let canonical = info.replacen("<ds:SignedInfo>", &format!("<ds:SignedInfo xmlns:ds=\"{ds}\">"), 1);
        let (salt, iterations) = self.salt.clone().unwrap_or_default();
        // The attacker stops where the server should.
        let key = derive::username_key(password.as_bytes(), &salt, iterations.min(20_000));
        let key = key.expose(|octets| SymmetricKey::new(octets.clone()));
        let value = base64::encode(&key.mac(BY_USER.signature, canonical.as_bytes())?);
        let signature = format!(
            "<ds:Signature xmlns:ds=\"{ds}\">{info}<ds:SignatureValue>{value}</ds:SignatureValue><ds:KeyInfo><wsse:SecurityTokenReference>\
             <wsse:Reference URI=\"#b\" ValueType=\"{}\"/></wsse:SecurityTokenReference></ds:KeyInfo></ds:Signature>",
            uri::USERNAME_TOKEN
        );
        Ok(envelope(&(element + &signature)))
    }
}

/// A message with an EncryptedKey of such octets, and such ciphertext where the token belongs.
pub(crate) fn sealed(forge: &Forge, wrapped: &[u8], data: &[u8]) -> Vec<u8> {
    let (ds, xenc, thumb) = (ns::DS.uri(), ns::XENC.uri(), uri::THUMBPRINT_SHA1);
    let (encoding, method) = (uri::BASE64_BINARY, transport_method(RSA15));
    let key = format!(
        "<xenc:EncryptedKey xmlns:xenc=\"{xenc}\" Id=\"k\">{method}<ds:KeyInfo xmlns:ds=\"{ds}\"><wsse:SecurityTokenReference>\
         <wsse:KeyIdentifier EncodingType=\"{encoding}\" ValueType=\"{thumb}\">{}</wsse:KeyIdentifier></wsse:SecurityTokenReference></ds:KeyInfo>\
         <xenc:CipherData><xenc:CipherValue>{}</xenc:CipherValue></xenc:CipherData>\
         <xenc:ReferenceList><xenc:DataReference URI=\"#e\"/></xenc:ReferenceList></xenc:EncryptedKey>",
        base64::encode(&forge.thumbprint()),
        base64::encode(wrapped),
    );
    let token = format!(
        "<xenc:EncryptedData xmlns:xenc=\"{xenc}\" Id=\"e\" Type=\"{}\"><xenc:EncryptionMethod Algorithm=\"{}\"/>\
         <ds:KeyInfo xmlns:ds=\"{ds}\"><wsse:SecurityTokenReference><wsse:Reference URI=\"#k\"/></wsse:SecurityTokenReference></ds:KeyInfo>\
         <xenc:CipherData><xenc:CipherValue>{}</xenc:CipherValue></xenc:CipherData></xenc:EncryptedData>",
        uri::XENC_ELEMENT,
        RSA15.cipher.uri(),
        base64::encode(data),
    );
    envelope(&(key + &token))
}

/// The envelope: a Timestamp, and what is said.
fn envelope(security: &str) -> Vec<u8> {
    let (soap, wsse, wsu) = (ns::SOAP12.uri(), ns::WSSE.uri(), ns::WSU.uri());
    let (created, end) = (now().to_rfc3339(), (now() + LIFETIME).to_rfc3339());
    format!(
        "<soap:Envelope xmlns:soap=\"{soap}\" xmlns:wsse=\"{wsse}\" xmlns:wsu=\"{wsu}\"><soap:Header><wsse:Security soap:mustUnderstand=\"true\">\
         <wsu:Timestamp wsu:Id=\"t\"><wsu:Created>{created}</wsu:Created><wsu:Expires>{end}</wsu:Expires></wsu:Timestamp>\
         {security}</wsse:Security></soap:Header><soap:Body>{}</soap:Body></soap:Envelope>",
        crate::forge::PAYLOAD
    )
    .into_bytes()
}
