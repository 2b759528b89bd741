//! PKCS#12 (RFC 7292), read: old PBE and PBES2, BER and DER, made by OpenSSL, Java, NSS or Windows.
//!
//! The integrity code is checked first, so that a wrong password is told as such. Stores that are
//! protected by public keys instead of a password do not exist in practice and are refused.

use bartizan_crypto::{SignatureAlg, SymmetricKey};
use zeroize::Zeroizing;

use super::assemble::{self, FoundCertificate, FoundKey};
use super::file::{decrypt_pkcs8, private_key};
use super::pbe::kdf::{self, Md};
use super::pbe::{self, Clear};
use super::{Entry, MAX_ENTRIES, Password, too_many_entries};
use crate::cert::{Certificate, name};
use crate::der::{
    INTEGER, OCTET_STRING, Reader, SEQUENCE, SET, Tlv, ber, context, context_primitive, oid, whole,
};
use crate::error::Error;

/// Bags in bags.
const MAX_DEPTH: usize = 8;

pub(super) fn read(octets: &[u8], password: Option<&Password>) -> Result<Vec<Entry>, Error> {
    let given = password.is_some();
    // Without a password there may still be nothing to decrypt, or the empty one may do.
    let empty = Password::new("");
    let result = read_store(octets, password.unwrap_or(&empty));
    match result {
        Err(Error::WrongPassword) if !given => Err(Error::PasswordNeeded),
        other => other,
    }
}

fn read_store(octets: &[u8], password: &Password) -> Result<Vec<Entry>, Error> {
    let der = Zeroizing::new(ber::to_der(octets).map_err(|_| Error::damaged("PKCS#12 structure"))?);
    let mut pfx = whole(&der, SEQUENCE, "PKCS#12")?;
    if pfx.small("PKCS#12 version")? != 3 {
        return Err(Error::unsupported("this version of PKCS#12"));
    }
    let mut safe = pfx.inside(SEQUENCE, "PKCS#12 content")?;
    if safe.oid("PKCS#12 content type")? != oid::DATA {
        return Err(Error::unsupported("PKCS#12 protected by a public key"));
    }
    let content = safe.inside(context(0), "PKCS#12 content")?.expect(OCTET_STRING, "PKCS#12 content")?.value;
    if let Some(mac) = pfx.optional(SEQUENCE, "PKCS#12 integrity")? {
        check_mac(mac.reader(), content, password)?;
    }

    let content = Zeroizing::new(ber::to_der(content)?);
    let mut found = Found::default();
    let mut safes = whole(&content, SEQUENCE, "PKCS#12 safes")?;
    while !safes.is_empty() {
        let mut info = safes.inside(SEQUENCE, "PKCS#12 safe")?;
        match info.oid("type of a PKCS#12 safe")? {
            id if id == oid::DATA => {
                let wrapped =
                    info.inside(context(0), "PKCS#12 safe")?.expect(OCTET_STRING, "PKCS#12 safe")?.value;
                found.safe(&Zeroizing::new(ber::to_der(wrapped)?), password, 0)?;
            }
            id if id == oid::ENCRYPTED_DATA => {
                let clear = decrypt_safe(info, password)?;
                // A wrong password that leaves right padding leaves something that is no safe.
                let der = ber::to_der(&clear).map_err(|_| Error::WrongPassword)?;
                found.safe(&Zeroizing::new(der), password, 0)?;
            }
            _ => return Err(Error::unsupported("PKCS#12 protected by a public key")),
        }
    }
    let mut entries = assemble::entries(found.keys, found.certificates);
    entries.append(&mut found.others);
    Ok(entries)
}

/// EncryptedData ::= SEQUENCE { version, EncryptedContentInfo }
fn decrypt_safe(mut info: Reader<'_>, password: &Password) -> Result<Clear, Error> {
    const WHAT: &str = "encrypted PKCS#12 safe";
    let mut data = info.inside(context(0), WHAT)?.inside(SEQUENCE, WHAT)?;
    data.expect(INTEGER, WHAT)?;
    let mut content = data.inside(SEQUENCE, WHAT)?;
    content.oid(WHAT)?;
    let mut algorithm = content.inside(SEQUENCE, WHAT)?;
    let sealed = content.any(WHAT)?;
    match sealed.tag {
        tag if tag == context_primitive(0) => pbe::decrypt(&mut algorithm, password, sealed.value),
        // Streaming writers cut the octets in pieces.
        tag if tag == context(0) => {
            let (mut pieces, mut joined) = (sealed.reader(), Vec::new());
            while !pieces.is_empty() {
                joined.extend_from_slice(pieces.expect(OCTET_STRING, WHAT)?.value);
            }
            pbe::decrypt(&mut algorithm, password, &joined)
        }
        _ => Err(Error::encoding(WHAT)),
    }
}

/// MacData ::= SEQUENCE { DigestInfo, salt, iterations DEFAULT 1 }
fn check_mac(mut mac: Reader<'_>, content: &[u8], password: &Password) -> Result<(), Error> {
    const WHAT: &str = "PKCS#12 integrity";
    let mut info = mac.inside(SEQUENCE, WHAT)?;
    let mut algorithm = info.inside(SEQUENCE, WHAT)?;
    let expected = info.expect(OCTET_STRING, WHAT)?.value;
    let salt = mac.expect(OCTET_STRING, WHAT)?.value;
    let iterations = if mac.is_empty() { 1 } else { pbe::iterations(&mut mac)? };

    let id = algorithm.oid(WHAT)?;
    if id == oid::PBMAC1 {
        return check_pbmac1(&mut algorithm, content, expected, password);
    }
    let (md, hmac, length) = match id {
        _ if id == oid::SHA1 => (Md::Sha1, SignatureAlg::HmacSha1, 20),
        _ if id == oid::SHA224 => (Md::Sha224, SignatureAlg::HmacSha224, 28),
        _ if id == oid::SHA256 => (Md::Sha256, SignatureAlg::HmacSha256, 32),
        _ if id == oid::SHA384 => (Md::Sha384, SignatureAlg::HmacSha384, 48),
        _ if id == oid::SHA512 => (Md::Sha512, SignatureAlg::HmacSha512, 64),
        _ => return Err(Error::unsupported("this digest in PKCS#12")),
    };
    let fits = password.bmp_candidates().iter().any(|secret| {
        let key = kdf::pkcs12(md, kdf::Pkcs12Use::Mac, secret, salt, iterations, length);
        SymmetricKey::new(key.to_vec()).verify_mac(hmac, content, expected).is_ok()
    });
    if fits { Ok(()) } else { Err(Error::WrongPassword) }
}

/// PBMAC1 (RFC 9579): PBKDF2 and HMAC.
fn check_pbmac1(
    algorithm: &mut Reader<'_>,
    content: &[u8],
    expected: &[u8],
    password: &Password,
) -> Result<(), Error> {
    let mut parameters = algorithm.inside(SEQUENCE, "PBMAC1 parameters")?;
    let derivation = parameters.inside(SEQUENCE, "PBMAC1 derivation")?;
    let (hmac, length) = match parameters.inside(SEQUENCE, "PBMAC1 code")?.oid("PBMAC1 code")? {
        id if id == oid::HMAC_SHA256 => (SignatureAlg::HmacSha256, 32),
        id if id == oid::HMAC_SHA384 => (SignatureAlg::HmacSha384, 48),
        id if id == oid::HMAC_SHA512 => (SignatureAlg::HmacSha512, 64),
        _ => return Err(Error::unsupported("this code in PBMAC1")),
    };
    let key = pbe::pbkdf2(derivation, password, length)?;
    let verdict = SymmetricKey::new(key.to_vec()).verify_mac(hmac, content, expected);
    verdict.map_err(|_| Error::WrongPassword)
}

#[derive(Default)]
struct Found {
    keys: Vec<FoundKey>,
    certificates: Vec<FoundCertificate>,
    others: Vec<Entry>,
}

/// What the attributes of a bag say.
#[derive(Default)]
struct Attributes {
    alias: Option<String>,
    id: Option<Vec<u8>>,
    trusted: bool,
}

impl Found {
    /// SafeContents ::= SEQUENCE OF SafeBag
    fn safe(&mut self, der: &[u8], password: &Password, depth: usize) -> Result<(), Error> {
        let mut bags = whole(der, SEQUENCE, "PKCS#12 bags")?;
        while !bags.is_empty() {
            let mut bag = bags.inside(SEQUENCE, "PKCS#12 bag")?;
            let kind = bag.oid("type of a PKCS#12 bag")?;
            let mut wrapped = bag.inside(context(0), "PKCS#12 bag")?;
            let value = wrapped.any("PKCS#12 bag")?;
            let attributes = match bag.optional(SET, "attributes of a PKCS#12 bag")? {
                Some(set) => Attributes::read(set.reader())?,
                None => Attributes::default(),
            };
            if self.keys.len() + self.certificates.len() + self.others.len() >= MAX_ENTRIES {
                return Err(too_many_entries());
            }
            self.bag(kind, &value, attributes, password, depth)?;
        }
        Ok(())
    }

    fn bag(
        &mut self,
        kind: &[u8],
        value: &Tlv<'_>,
        attributes: Attributes,
        password: &Password,
        depth: usize,
    ) -> Result<(), Error> {
        let Attributes { alias, id, trusted } = attributes;
        match kind {
            _ if kind == oid::KEY_BAG => {
                self.keys.push(FoundKey { key: private_key(value.raw), alias, id });
            }
            _ if kind == oid::SHROUDED_KEY_BAG => {
                let key = match decrypt_pkcs8(value.raw, password) {
                    Ok(clear) => private_key(&clear),
                    // Another scheme for one key should not close the store.
                    Err(error @ Error::Unsupported { .. }) => Err(error),
                    Err(error) => return Err(error),
                };
                self.keys.push(FoundKey { key, alias, id });
            }
            _ if kind == oid::CERT_BAG => {
                let mut bag = value.reader();
                if bag.oid("type of a certificate")? != oid::X509_CERTIFICATE {
                    return Ok(());
                }
                let wrapped =
                    bag.inside(context(0), "certificate in a bag")?.expect(OCTET_STRING, "certificate")?;
                let certificate = Certificate::from_der(wrapped.value)?;
                self.certificates.push(FoundCertificate { certificate, alias, id, trusted });
            }
            _ if kind == oid::CRL_BAG => {
                let mut bag = value.reader();
                bag.oid("type of a revocation list")?;
                let wrapped =
                    bag.inside(context(0), "list in a bag")?.expect(OCTET_STRING, "revocation list")?;
                crate::trust::check_crl(wrapped.value)?;
                self.others.push(Entry { crl: Some(wrapped.value.to_vec()), alias, ..Entry::default() });
            }
            _ if kind == oid::SAFE_CONTENTS_BAG => {
                if depth == MAX_DEPTH {
                    return Err(Error::TooMuch { what: "nested PKCS#12 bags", limit: MAX_DEPTH });
                }
                self.safe(value.raw, password, depth + 1)?;
            }
            _ => {
                let unusable = Some(Error::unsupported("secrets in PKCS#12"));
                self.others.push(Entry { alias, unusable, ..Entry::default() });
            }
        }
        Ok(())
    }
}

impl Attributes {
    fn read(mut set: Reader<'_>) -> Result<Attributes, Error> {
        const WHAT: &str = "attribute of a PKCS#12 bag";
        let mut found = Attributes::default();
        while !set.is_empty() {
            let mut attribute = set.inside(SEQUENCE, WHAT)?;
            let id = attribute.oid(WHAT)?;
            let mut values = attribute.inside(SET, WHAT)?;
            match id {
                _ if id == oid::FRIENDLY_NAME && !values.is_empty() => {
                    let text = values.any(WHAT)?;
                    found.alias = name::decode_string(text.tag, text.value);
                }
                _ if id == oid::LOCAL_KEY_ID && !values.is_empty() => {
                    found.id = Some(values.any(WHAT)?.value.to_vec());
                }
                _ if id == oid::JAVA_TRUSTED => found.trusted = true,
                _ => {}
            }
        }
        Ok(found)
    }
}
