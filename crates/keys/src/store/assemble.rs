//! Keys and certificates that lie side by side in a file, put together to entries and identities.

use bartizan_crypto::PrivateKey;

use super::Entry;
use crate::cert::Certificate;
use crate::error::Error;
use crate::keystore::Identity;

/// Certificates of one chain.
const MAX_CHAIN: usize = 10;

/// A private key as a reader found it.
pub(super) struct FoundKey {
    pub key: Result<PrivateKey, Error>,
    pub alias: Option<String>,
    /// What PKCS#12 links a key to its certificate with.
    pub id: Option<Vec<u8>>,
}

/// A certificate as a reader found it.
pub(super) struct FoundCertificate {
    pub certificate: Certificate,
    pub alias: Option<String>,
    pub id: Option<Vec<u8>>,
    pub trusted: bool,
}

/// One entry for each key with its chain, and one for each certificate that is in no chain or that the
/// store marks as trusted.
pub(super) fn entries(keys: Vec<FoundKey>, certificates: Vec<FoundCertificate>) -> Vec<Entry> {
    let mut used = vec![false; certificates.len()];
    let mut entries = Vec::new();
    for found in keys {
        let chain: Vec<usize> = match leaf_of(&found, &certificates) {
            Some(leaf) => chain_from(leaf, &certificates),
            None => Vec::new(),
        };
        for at in &chain {
            if let Some(mark) = used.get_mut(*at) {
                *mark = true;
            }
        }
        let leaf = chain.first().and_then(|at| certificates.get(*at));
        let alias = found.alias.or_else(|| leaf.and_then(|leaf| leaf.alias.clone()));
        let chain =
            chain.iter().filter_map(|at| certificates.get(*at)).map(|found| found.certificate.clone());
        let (key, unusable) = match found.key {
            Ok(key) => (Some(key), None),
            Err(error) => (None, Some(error)),
        };
        entries.push(Entry { alias, key, unusable, chain: chain.collect(), ..Entry::default() });
    }
    for (found, used) in certificates.into_iter().zip(used) {
        if !used || found.trusted {
            let FoundCertificate { certificate, alias, trusted, .. } = found;
            entries.push(Entry { alias, chain: vec![certificate], trusted, ..Entry::default() });
        }
    }
    entries
}

fn leaf_of(found: &FoundKey, certificates: &[FoundCertificate]) -> Option<usize> {
    let fits = |certificate: &Certificate| match &found.key {
        Ok(key) => certificate.public_key().is_ok_and(|public| public == key.public()),
        // A key that could not be read cannot be compared.
        Err(_) => true,
    };
    let linked = certificates
        .iter()
        .position(|candidate| found.id.is_some() && candidate.id == found.id && fits(&candidate.certificate));
    linked.or_else(|| match &found.key {
        Ok(_) => certificates.iter().position(|candidate| fits(&candidate.certificate)),
        Err(_) if certificates.len() == 1 => Some(0),
        Err(_) => None,
    })
}

/// From a leaf upwards by names, as far as the file reaches.
fn chain_from(leaf: usize, certificates: &[FoundCertificate]) -> Vec<usize> {
    let mut chain = vec![leaf];
    while let Some(last) = chain.last().and_then(|at| certificates.get(*at)) {
        if last.certificate.is_self_issued() || chain.len() == MAX_CHAIN {
            break;
        }
        let issuer = last.certificate.issuer_der();
        let next = certificates.iter().position(|candidate| candidate.certificate.subject_der() == issuer);
        match next {
            Some(next) if !chain.contains(&next) => chain.push(next),
            _ => break,
        }
    }
    chain
}

/// All certificates of some entries, in their order, each once.
#[must_use]
pub fn certificates(entries: &[Entry]) -> Vec<Certificate> {
    let mut list: Vec<Certificate> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for certificate in entries.iter().flat_map(|entry| &entry.chain) {
        if seen.insert(certificate.thumbprint_sha256()) {
            list.push(certificate.clone());
        }
    }
    list
}

/// All revocation lists of some entries, in DER.
pub fn crls(entries: &[Entry]) -> impl Iterator<Item = &[u8]> {
    entries.iter().filter_map(|entry| entry.crl.as_deref())
}

/// The identities among some entries with their aliases: every usable key that has a certificate.
///
/// # Errors
/// [`Error::KeyMismatch`] if a store puts a key beside a certificate of another.
pub fn identities(entries: &[Entry]) -> Result<Vec<(Option<&str>, Identity)>, Error> {
    let mut found = Vec::new();
    for entry in entries {
        if let (Some(key), false) = (&entry.key, entry.chain.is_empty()) {
            found.push((entry.alias.as_deref(), Identity::new(key.clone(), entry.chain.clone())?));
        }
    }
    Ok(found)
}

/// Puts a private key from one file and certificates from another together, as `--key` and `--cert` do.
///
/// # Errors
/// [`Error::NoCertificate`] if there is no key or no certificate, [`Error::Ambiguous`] if there are
/// several keys, [`Error::KeyMismatch`] if no certificate is the key's; the reason why a key is unusable,
/// if that is all there is.
pub fn pair(keys: &[Entry], certificates_from: &[Entry]) -> Result<Identity, Error> {
    let mut usable = keys.iter().filter_map(|entry| entry.key.as_ref());
    let key = match (usable.next(), usable.next()) {
        (Some(key), None) => key.clone(),
        (Some(_), Some(_)) => return Err(Error::Ambiguous),
        (None, _) => {
            return Err(keys.iter().find_map(|entry| entry.unusable.clone()).unwrap_or(Error::NoCertificate));
        }
    };
    let known = certificates(certificates_from);
    if known.is_empty() {
        return Err(Error::NoCertificate);
    }
    let found = known.into_iter().map(|certificate| FoundCertificate {
        certificate,
        alias: None,
        id: None,
        trusted: false,
    });
    let lone = FoundKey { key: Ok(key), alias: None, id: None };
    let entry = entries(vec![lone], found.collect()).into_iter().find(|entry| entry.key.is_some());
    match entry {
        Some(Entry { key: Some(key), chain, .. }) if !chain.is_empty() => Identity::new(key, chain),
        _ => Err(Error::KeyMismatch),
    }
}
