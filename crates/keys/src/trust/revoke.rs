//! Certificate revocation lists (RFC 5280 §5): reading, scope, and the verdict for one certificate.
//!
//! Full lists of the issuer itself, version 1 or 2. Delta lists, indirect lists and lists for some
//! reasons only are refused when they are configured, so that nobody believes to be protected by them.

use std::collections::{HashMap, HashSet};

use super::algorithms;
use super::{ChainAlgorithms, TrustReason};
use crate::cert::extension::full_name_uris;
use crate::cert::name::Dn;
use crate::cert::{Certificate, KeyUsage};
use crate::der::{
    BOOLEAN, GENERALIZED_TIME, INTEGER, OCTET_STRING, Reader, SEQUENCE, UTC_TIME, context, context_primitive,
    oid, whole,
};
use crate::error::Error;
use crate::time::Time;

/// Octets of one list.
const MAX_CRL: usize = 16 * 1024 * 1024;
/// Entries of one list.
const MAX_ENTRIES: usize = 1_000_000;

/// All configured lists, by the DER of the issuer's name.
#[derive(Default)]
pub(super) struct Crls(HashMap<Vec<u8>, Vec<Crl>>);

struct Crl {
    signed: Vec<u8>,
    algorithm: Vec<u8>,
    signature: Vec<u8>,
    this_update: Time,
    next_update: Time,
    serials: HashSet<Vec<u8>>,
    scope: Scope,
}

/// What a revocation list says of itself, for people who look into a file. Nothing of it is verified.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CrlFacts {
    /// The issuer's name in RFC 4514 form.
    pub issuer: String,
    /// The issuer for people.
    pub issuer_display: String,
    /// When it was made.
    pub this_update: Time,
    /// From when on it is out of date.
    pub next_update: Time,
    /// Certificates that it revokes.
    pub entries: usize,
}

impl CrlFacts {
    /// Reads a list in DER.
    ///
    /// # Errors
    /// As [`TrustStoreBuilder::crl`](super::TrustStoreBuilder::crl): a list that could not be used.
    pub fn read(der: &[u8]) -> Result<CrlFacts, Error> {
        let (issuer, crl) = Crl::from_der(der)?;
        let issuer = Dn::from_der(&issuer)?;
        Ok(CrlFacts {
            issuer: issuer.to_rfc4514(),
            issuer_display: issuer.to_display(),
            this_update: crl.this_update,
            next_update: crl.next_update,
            entries: crl.serials.len(),
        })
    }
}

/// The IssuingDistributionPoint: which certificates of the issuer the list speaks for.
#[derive(Default)]
struct Scope {
    user_certificates_only: bool,
    authorities_only: bool,
    /// If there is a distribution point name, one of these must be in the certificate.
    uris: Option<Vec<Vec<u8>>>,
}

/// What the lists say about one certificate.
pub(super) enum Standing {
    /// No list of its issuer is configured.
    Unlisted,
    /// Not revoked; the list that says so is good until then.
    Good(Time),
    Bad(TrustReason),
}

impl Crls {
    pub(super) fn len(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    pub(super) fn add(&mut self, der: &[u8]) -> Result<(), Error> {
        let (issuer, crl) = Crl::from_der(der)?;
        self.0.entry(issuer).or_default().push(crl);
        Ok(())
    }

    /// Judges `certificate`, whose issuer has been established to be `issuer`.
    pub(super) fn standing(
        &self,
        certificate: &Certificate,
        issuer: &Certificate,
        at: Time,
        choice: ChainAlgorithms,
    ) -> Standing {
        let Some(lists) = self.0.get(certificate.issuer_der()) else { return Standing::Unlisted };
        if issuer.usage().key.is_some_and(|usage| !usage.has(KeyUsage::CRL_SIGN)) {
            return Standing::Bad(TrustReason::RevocationUnknown);
        }
        let in_scope = lists.iter().filter(|list| list.scope.covers(certificate));
        let mut found = None;
        for list in in_scope.filter(|list| list.is_signed_by(issuer, choice)) {
            if list.serials.contains(certificate.serial_der()) {
                return Standing::Bad(TrustReason::Revoked);
            }
            found = found.max(Some(list.next_update));
        }
        match found {
            None => Standing::Bad(TrustReason::RevocationUnknown),
            Some(next_update) if at >= next_update => Standing::Bad(TrustReason::RevocationStale),
            Some(next_update) => Standing::Good(next_update),
        }
    }
}

impl Crl {
    fn from_der(der: &[u8]) -> Result<(Vec<u8>, Crl), Error> {
        if der.len() > MAX_CRL {
            return Err(Error::TooMuch { what: "octets of a revocation list", limit: MAX_CRL });
        }
        let mut outer = whole(der, SEQUENCE, "revocation list")?;
        let tbs = outer.expect(SEQUENCE, "TBSCertList")?;
        let algorithm = outer.expect(SEQUENCE, "signature algorithm")?;
        let signature = outer.bit_octets("signature")?.to_vec();
        outer.finish("end of the revocation list")?;

        let mut list = tbs.reader();
        let version = if list.peek() == Some(INTEGER) { list.small("version")? } else { 0 };
        if version > 1 || list.expect(SEQUENCE, "signature algorithm")?.raw != algorithm.raw {
            return Err(Error::encoding("revocation list"));
        }
        let issuer = list.expect(SEQUENCE, "issuer")?.raw.to_vec();
        let this_update = list.time("thisUpdate")?;
        if !matches!(list.peek(), Some(UTC_TIME | GENERALIZED_TIME)) {
            return Err(Error::unsupported("a revocation list without nextUpdate"));
        }
        let next_update = list.time("nextUpdate")?;
        let serials = match list.optional(SEQUENCE, "revoked certificates")? {
            Some(entries) => read_entries(entries.reader())?,
            None => HashSet::new(),
        };
        let scope = match list.optional(context(0), "extensions of a revocation list")? {
            Some(wrapped) => {
                read_extensions(whole(wrapped.value, SEQUENCE, "extensions of a revocation list")?)?
            }
            None => Scope::default(),
        };
        list.finish("TBSCertList")?;
        let (signed, algorithm) = (tbs.raw.to_vec(), algorithm.value.to_vec());
        Ok((issuer, Crl { signed, algorithm, signature, this_update, next_update, serials, scope }))
    }

    fn is_signed_by(&self, issuer: &Certificate, choice: ChainAlgorithms) -> bool {
        let verdict =
            algorithms::verify(choice, issuer.spki(), &self.algorithm, &self.signed, &self.signature);
        verdict.is_some_and(|result| result.is_ok())
    }
}

impl Scope {
    fn covers(&self, certificate: &Certificate) -> bool {
        let authority = certificate.is_ca();
        let kind = if authority { !self.user_certificates_only } else { !self.authorities_only };
        // RFC 5280 §6.3.3 (b): a list with a name speaks for the certificates that name it.
        let named =
            self.uris.as_ref().is_none_or(|uris| certificate.crl_uris().iter().any(|uri| uris.contains(uri)));
        kind && named
    }
}

fn read_entries(mut entries: Reader<'_>) -> Result<HashSet<Vec<u8>>, Error> {
    let mut serials = HashSet::new();
    while !entries.is_empty() {
        if serials.len() == MAX_ENTRIES {
            return Err(Error::TooMuch { what: "entries of a revocation list", limit: MAX_ENTRIES });
        }
        let mut entry = entries.inside(SEQUENCE, "revoked certificate")?;
        serials.insert(entry.integer("revoked serial number")?.to_vec());
        entry.time("revocation date")?;
        if let Some(extensions) = entry.optional(SEQUENCE, "entry extensions")? {
            // The only critical one in use is certificateIssuer, which makes the list an indirect one.
            each_extension(extensions.reader(), |_, critical, _| match critical {
                true => Err(Error::unsupported("a critical extension in an entry of a revocation list")),
                false => Ok(()),
            })?;
        }
        entry.finish("revoked certificate")?;
    }
    Ok(serials)
}

fn read_extensions(list: Reader<'_>) -> Result<Scope, Error> {
    let mut scope = Scope::default();
    each_extension(list, |id, critical, value| {
        if id == oid::DELTA_CRL {
            return Err(Error::unsupported("a delta revocation list"));
        }
        if id == oid::ISSUING_DISTRIBUTION_POINT {
            scope = read_scope(value)?;
            return Ok(());
        }
        if critical && id != oid::AUTHORITY_KEY_IDENTIFIER && id != oid::CRL_NUMBER {
            return Err(Error::unsupported("a critical extension of a revocation list"));
        }
        Ok(())
    })?;
    Ok(scope)
}

fn each_extension(
    mut list: Reader<'_>,
    mut visit: impl FnMut(&[u8], bool, &[u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    while !list.is_empty() {
        let mut extension = list.inside(SEQUENCE, "extension")?;
        let id = extension.oid("extension id")?;
        let critical = extension.peek() == Some(BOOLEAN) && extension.boolean("extension criticality")?;
        visit(id, critical, extension.expect(OCTET_STRING, "extension value")?.value)?;
    }
    Ok(())
}

fn read_scope(value: &[u8]) -> Result<Scope, Error> {
    const WHAT: &str = "issuing distribution point";
    let mut point = whole(value, SEQUENCE, WHAT)?;
    let mut scope = Scope::default();
    if let Some(name) = point.optional(context(0), WHAT)? {
        scope.uris = Some(full_name_uris(name.value)?);
    }
    while !point.is_empty() {
        let field = point.any(WHAT)?;
        let set = field.value == [0xff];
        match field.tag {
            tag if tag == context_primitive(1) => scope.user_certificates_only = set,
            tag if tag == context_primitive(2) => scope.authorities_only = set,
            tag if tag == context_primitive(3) => {
                return Err(Error::unsupported("a revocation list for some reasons only"));
            }
            tag if tag == context_primitive(4) && set => {
                return Err(Error::unsupported("an indirect revocation list"));
            }
            tag if tag == context_primitive(5) && set => {
                return Err(Error::unsupported("a revocation list for attribute certificates"));
            }
            tag if tag == context_primitive(4) || tag == context_primitive(5) => {}
            _ => return Err(Error::encoding(WHAT)),
        }
    }
    Ok(scope)
}
