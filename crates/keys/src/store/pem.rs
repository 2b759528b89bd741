//! PEM files: any number of blocks, with whatever text stands between them (RFC 7468, and OpenSSL's
//! older encrypted form with `DEK-Info`).

use bartizan_crypto::{PublicKey, base64};
use zeroize::Zeroizing;

use super::assemble::{self, FoundCertificate, FoundKey};
use super::file::{decrypt_pkcs8, private_key, rsa_public};
use super::pbe::{self, Clear};
use super::{Entry, MAX_ENTRIES, Password, too_many_entries};
use crate::cert::Certificate;
use crate::der::Reader;
use crate::error::Error;

struct Block {
    label: String,
    /// Line of the BEGIN, from 1.
    line: usize,
    /// Cipher and initialization vector of `DEK-Info`.
    encryption: Option<(String, Vec<u8>)>,
    body: Clear,
}

pub(super) fn read(octets: &[u8], password: Option<&Password>) -> Result<Vec<Entry>, Error> {
    let text = std::str::from_utf8(octets).map_err(|_| Error::Pem { line: 1, what: "not a text file" })?;
    let (mut keys, mut certificates, mut others) = (Vec::new(), Vec::new(), Vec::new());
    let mut request = false;
    let mut lines = Lines { lines: text.lines(), number: 0 };
    while let Some(block) = lines.block()? {
        if keys.len() + certificates.len() + others.len() == MAX_ENTRIES {
            return Err(too_many_entries());
        }
        match block.label.as_str() {
            "CERTIFICATE" | "X509 CERTIFICATE" | "TRUSTED CERTIFICATE" => {
                certificates.push(FoundCertificate {
                    certificate: certificate(&block)?,
                    alias: None,
                    id: None,
                    trusted: false,
                });
            }
            "PRIVATE KEY"
            | "RSA PRIVATE KEY"
            | "EC PRIVATE KEY"
            | "DSA PRIVATE KEY"
            | "ENCRYPTED PRIVATE KEY" => {
                let clear = decrypt(&block, password)?;
                let key = match private_key(&clear) {
                    Err(Error::Key(bartizan_crypto::Error::MalformedKey)) => {
                        return Err(block.broken("not a private key"));
                    }
                    key => key,
                };
                keys.push(FoundKey { key, alias: None, id: None });
            }
            "PUBLIC KEY" => {
                let public = Some(PublicKey::from_spki(&block.body)?);
                others.push(Entry { public, ..Entry::default() });
            }
            "RSA PUBLIC KEY" => {
                others.push(Entry { public: Some(rsa_public(&block.body)?), ..Entry::default() });
            }
            "X509 CRL" => {
                crate::trust::check_crl(&block.body)?;
                others.push(Entry { crl: Some(block.body.to_vec()), ..Entry::default() });
            }
            "CERTIFICATE REQUEST" | "NEW CERTIFICATE REQUEST" => request = true,
            // EC PARAMETERS and the like say nothing that the key does not.
            _ => {}
        }
    }
    let mut entries = assemble::entries(keys, certificates);
    entries.append(&mut others);
    match (entries.is_empty(), request) {
        (false, _) => Ok(entries),
        (true, true) => Err(Error::unsupported("a certificate request")),
        (true, false) => {
            Err(Error::Pem { line: 1, what: "no certificate, key or revocation list in the file" })
        }
    }
}

fn certificate(block: &Block) -> Result<Certificate, Error> {
    let der = match block.label.as_str() {
        // OpenSSL appends what the certificate is trusted for; our configuration says that.
        "TRUSTED CERTIFICATE" => Reader::new(&block.body).any("certificate")?.raw,
        _ => &block.body,
    };
    Certificate::from_der(der)
}

fn decrypt(block: &Block, password: Option<&Password>) -> Result<Clear, Error> {
    if let Some((cipher, iv)) = &block.encryption {
        let password = password.ok_or(Error::PasswordNeeded)?;
        let clear = pbe::decrypt_traditional(cipher, iv, password, &block.body)?;
        return match crate::der::whole(&clear, crate::der::SEQUENCE, "private key") {
            Ok(_) => Ok(clear),
            Err(_) => Err(Error::WrongPassword),
        };
    }
    if block.label == "ENCRYPTED PRIVATE KEY" {
        return decrypt_pkcs8(&block.body, password.ok_or(Error::PasswordNeeded)?);
    }
    Ok(block.body.clone())
}

impl Block {
    fn broken(&self, what: &'static str) -> Error {
        Error::Pem { line: self.line, what }
    }
}

struct Lines<'a> {
    lines: std::str::Lines<'a>,
    number: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a str> {
        self.number += 1;
        self.lines.next()
    }

    /// The next block, skipping what is outside of blocks.
    fn block(&mut self) -> Result<Option<Block>, Error> {
        let label = loop {
            let Some(line) = self.next() else { return Ok(None) };
            // A byte order mark or spaces may stand before it.
            let line = line.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            if let Some(label) = line.strip_prefix("-----BEGIN ").and_then(|rest| rest.strip_suffix("-----"))
            {
                break label;
            }
        };
        let begin = self.number;
        let mut encryption = None;
        let mut encoded = Zeroizing::new(String::new());
        loop {
            let unfinished = Error::Pem { line: begin, what: "the block has no END line" };
            let line = self.next().ok_or(unfinished)?.trim();
            if let Some(end) = line.strip_prefix("-----END ") {
                if end.strip_suffix("-----") != Some(label) {
                    return Err(Error::Pem { line: self.number, what: "END does not fit BEGIN" });
                }
                break;
            }
            match line.split_once(':') {
                Some(("DEK-Info", value)) => encryption = Some(self.dek_info(value)?),
                // Proc-Type says only that DEK-Info follows.
                Some(_) => {}
                None => encoded.push_str(line),
            }
        }
        let body =
            base64::decode(&encoded).map_err(|_| Error::Pem { line: begin, what: "not valid base64" })?;
        Ok(Some(Block { label: label.to_owned(), line: begin, encryption, body: Zeroizing::new(body) }))
    }

    fn dek_info(&self, value: &str) -> Result<(String, Vec<u8>), Error> {
        let broken = || Error::Pem { line: self.number, what: "DEK-Info cannot be read" };
        let (cipher, hex) = value.trim().split_once(',').ok_or_else(broken)?;
        let (pairs, []) = hex.as_bytes().as_chunks::<2>() else { return Err(broken()) };
        let mut iv = Vec::with_capacity(pairs.len());
        for pair in pairs {
            let octet = std::str::from_utf8(pair).ok().and_then(|text| u8::from_str_radix(text, 16).ok());
            iv.push(octet.ok_or_else(broken)?);
        }
        Ok((cipher.to_owned(), iv))
    }
}
