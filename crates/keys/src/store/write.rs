//! Writing stores, for the demo PKI only: PKCS#12 and JKS with one key and its chain.

use bartizan_crypto::random::Random;
use bartizan_crypto::{Secret, SignatureAlg, SymmetricKey};
use zeroize::Zeroizing;

use super::pbe::kdf::{self, Md};
use super::{Password, jks, pbe};
use crate::cert::Certificate;
use crate::der::{context, context_primitive, oid, write};
use crate::error::Error;
use crate::time::Time;

/// Iterations of the integrity code.
const MAC_ITERATIONS: u32 = 10_000;

/// What a store of one key holds.
pub(crate) struct Contents<'a> {
    pub alias: &'a str,
    /// PKCS#8 in clear.
    pub key: &'a Secret,
    /// Leaf first.
    pub chain: &'a [Certificate],
    /// Certificates to be marked as trusted, with their aliases (JKS only).
    pub trusted: &'a [(&'a str, Certificate)],
}

/// PKCS#12 as OpenSSL 3 and Java 17 write it: PBES2 with AES-256-CBC, integrity by HMAC-SHA-256.
pub(crate) fn pkcs12(
    contents: &Contents<'_>,
    password: &Password,
    random: &dyn Random,
) -> Result<Vec<u8>, Error> {
    let leaf = contents.chain.first().ok_or(Error::NoCertificate)?;
    let id = leaf.thumbprint_sha1();
    let mut bags = Vec::new();
    for (at, certificate) in contents.chain.iter().enumerate() {
        let value = write::sequence(&[
            &write::oid(oid::X509_CERTIFICATE),
            &write::tlv(context(0), &[&write::octets(certificate.der())]),
        ]);
        // Only the leaf is linked to the key; the name is what Java calls its alias.
        let attributes = if at == 0 { attributes(contents.alias, &id) } else { Vec::new() };
        bags.push(write::sequence(&[
            &write::oid(oid::CERT_BAG),
            &write::tlv(context(0), &[&value]),
            &attributes,
        ]));
    }
    let parts: Vec<&[u8]> = bags.iter().map(Vec::as_slice).collect();
    let (algorithm, sealed) = seal(&write::sequence(&parts), password, random)?;
    let content =
        write::sequence(&[&write::oid(oid::DATA), &algorithm, &write::tlv(context_primitive(0), &[&sealed])]);
    let encrypted = write::sequence(&[&write::small(0), &content]);
    let certificates =
        write::sequence(&[&write::oid(oid::ENCRYPTED_DATA), &write::tlv(context(0), &[&encrypted])]);

    let (algorithm, sealed) = contents.key.expose(|key| seal(key, password, random))?;
    let shrouded = write::sequence(&[&algorithm, &write::octets(&sealed)]);
    let bag = write::sequence(&[
        &write::oid(oid::SHROUDED_KEY_BAG),
        &write::tlv(context(0), &[&shrouded]),
        &attributes(contents.alias, &id),
    ]);
    let key = data(&write::sequence(&[&bag]));

    let safes = write::sequence(&[&key, &certificates]);
    let mac = mac(&safes, password, random)?;
    Ok(write::sequence(&[&write::small(3), &data(&safes), &mac]))
}

fn data(contents: &[u8]) -> Vec<u8> {
    write::sequence(&[&write::oid(oid::DATA), &write::tlv(context(0), &[&write::octets(contents)])])
}

fn attributes(alias: &str, id: &[u8]) -> Vec<u8> {
    let name: Vec<u8> = alias.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let name = write::set(&[&write::tlv(0x1e, &[&name])]);
    let name = write::sequence(&[&write::oid(oid::FRIENDLY_NAME), &name]);
    let id = write::sequence(&[&write::oid(oid::LOCAL_KEY_ID), &write::set(&[&write::octets(id)])]);
    write::set(&[&name, &id])
}

fn seal(clear: &[u8], password: &Password, random: &dyn Random) -> Result<(Vec<u8>, Vec<u8>), Error> {
    let (mut salt, mut iv) = ([0; 16], [0; 16]);
    random.fill(&mut salt);
    random.fill(&mut iv);
    pbe::encrypt(password, clear, &salt, iv)
}

fn mac(content: &[u8], password: &Password, random: &dyn Random) -> Result<Vec<u8>, Error> {
    let mut salt = [0; 16];
    random.fill(&mut salt);
    let secret = password.bmp_candidates().into_iter().next().unwrap_or_default();
    let key = kdf::pkcs12(Md::Sha256, kdf::Pkcs12Use::Mac, &secret, &salt, MAC_ITERATIONS, 32);
    let code = SymmetricKey::new(key.to_vec()).mac(SignatureAlg::HmacSha256, content)?;
    let algorithm = write::sequence(&[&write::oid(oid::SHA256), &write::null()]);
    let info = write::sequence(&[&algorithm, &write::octets(&code)]);
    Ok(write::sequence(&[&info, &write::octets(&salt), &write::small(MAC_ITERATIONS)]))
}

/// JKS, version 2, with the same password for store and key.
pub(crate) fn jks(
    contents: &Contents<'_>,
    password: &Password,
    created: Time,
    random: &dyn Random,
) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    let count = u32::try_from(1 + contents.trusted.len()).unwrap_or(u32::MAX);
    for word in [0xfeed_feed, 2, count] {
        out.extend_from_slice(&u32::to_be_bytes(word));
    }
    head(&mut out, 1, contents.alias, created)?;
    block(&mut out, &protect(contents.key, password, random))?;
    out.extend_from_slice(&u32::try_from(contents.chain.len()).unwrap_or(u32::MAX).to_be_bytes());
    for certificate in contents.chain {
        text(&mut out, "X.509")?;
        block(&mut out, certificate.der())?;
    }
    for (alias, certificate) in contents.trusted {
        head(&mut out, 2, alias, created)?;
        text(&mut out, "X.509")?;
        block(&mut out, certificate.der())?;
    }
    let digest = Md::Sha1.digest(&[&password.utf16(), jks::WHITENER, &out]);
    out.extend_from_slice(&digest);
    Ok(out)
}

fn head(out: &mut Vec<u8>, kind: u32, alias: &str, created: Time) -> Result<(), Error> {
    out.extend_from_slice(&kind.to_be_bytes());
    text(out, alias)?;
    out.extend_from_slice(&created.millis().to_be_bytes());
    Ok(())
}

fn text(out: &mut Vec<u8>, text: &str) -> Result<(), Error> {
    let length = u16::try_from(text.len())
        .map_err(|_| Error::TooMuch { what: "octets of an alias", limit: 65_535 })?;
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

fn block(out: &mut Vec<u8>, octets: &[u8]) -> Result<(), Error> {
    let length = u32::try_from(octets.len())
        .map_err(|_| Error::TooMuch { what: "octets of an entry", limit: 1 << 31 })?;
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(octets);
    Ok(())
}

fn protect(key: &Secret, password: &Password, random: &dyn Random) -> Vec<u8> {
    let mut salt = [0; 20];
    random.fill(&mut salt);
    let password = password.utf16();
    let (sealed, check) =
        key.expose(|key| (jks::apply_stream(key, &salt, &password), Md::Sha1.digest(&[&password, key])));
    let data = Zeroizing::new([salt.as_slice(), &sealed, &check].concat());
    let algorithm = write::sequence(&[&write::oid(oid::JKS_KEY_PROTECTOR), &write::null()]);
    write::sequence(&[&algorithm, &write::octets(&data)])
}
