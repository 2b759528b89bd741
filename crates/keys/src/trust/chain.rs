//! From a leaf to an anchor: what is handed to `webpki`, and how its verdict reads.

use std::cell::Cell;
use std::time::Duration;

use bartizan_crypto::{KeyKind, PublicKey};
use rustls_pki_types::{CertificateDer, TrustAnchor, UnixTime};
use webpki::{EndEntityCert, ExtendedKeyUsageValidator, KeyPurposeIdIter, VerifiedPath};

use super::revoke::Standing;
use super::{ChainAlgorithms, MAX_EXTRA, TrustPath, TrustReason, TrustStore, algorithms};
use crate::cert::{Certificate, KeyUsage};
use crate::error::Error;
use crate::time::Time;

/// Message signatures have no extended key usage of their own: any will do.
struct AnyUsage;

impl ExtendedKeyUsageValidator for AnyUsage {
    fn validate(&self, _: KeyPurposeIdIter<'_, '_>) -> Result<(), webpki::Error> {
        Ok(())
    }
}

/// Where a certificate stands relative to its own validity.
pub(super) fn check_time(certificate: &Certificate, at: Time) -> Result<(), TrustReason> {
    // The certificate is valid through the whole last second.
    if at < certificate.not_before() {
        Err(TrustReason::NotYetValid)
    } else if at.unix() > certificate.not_after().unix() {
        Err(TrustReason::Expired)
    } else {
        Ok(())
    }
}

fn usable_key(certificate: &Certificate) -> Result<&PublicKey, TrustReason> {
    certificate.public_key().map_err(|error| match error {
        Error::Key(bartizan_crypto::Error::KeyTooSmall) => TrustReason::KeyTooSmall,
        _ => TrustReason::UnsupportedKey,
    })
}

fn check_size(key: &PublicKey, min_rsa: u32) -> Result<(), TrustReason> {
    let small = matches!(key.kind(), KeyKind::Rsa | KeyKind::Dsa) && key.bits() < min_rsa;
    if small { Err(TrustReason::KeyTooSmall) } else { Ok(()) }
}

impl TrustStore {
    pub(crate) fn path(
        &self,
        leaf: &Certificate,
        extra: &[Certificate],
        at: Time,
        min_rsa: u32,
    ) -> Result<TrustPath, Error> {
        if extra.len() > MAX_EXTRA {
            return Err(Error::TooMuch { what: "certificates in a message", limit: MAX_EXTRA });
        }
        if self.is_empty() {
            return Err(TrustReason::NoAnchors.into());
        }
        let key = usable_key(leaf)?;
        check_time(leaf, at)?;
        check_size(key, min_rsa)?;
        if self.0.pinned.contains_key(&leaf.thumbprint_sha256()) {
            return Ok(TrustPath {
                chain: vec![leaf.clone()],
                valid_from: leaf.not_before(),
                valid_until: leaf.not_after(),
                revocation_checked: 0,
                pinned: true,
            });
        }
        let search = Search { store: self, leaf, extra, at, min_rsa };
        // `webpki` takes neither as the end of a path (see `climb`).
        let modern = self.0.algorithms == ChainAlgorithms::Modern;
        if leaf.is_ca() || (leaf.version() < 3 && !modern) {
            return Ok(search.climb()?);
        }
        match search.run() {
            Err(TrustReason::Algorithm) if !modern => Ok(search.climb()?),
            verdict => Ok(verdict?),
        }
    }
}

pub(super) struct Search<'a> {
    pub(super) store: &'a TrustStore,
    pub(super) leaf: &'a Certificate,
    extra: &'a [Certificate],
    pub(super) at: Time,
    min_rsa: u32,
}

impl Search<'_> {
    fn run(&self) -> Result<TrustPath, TrustReason> {
        let inner = &self.store.0;
        // `webpki` does not look at the validity of anchors, so those outside theirs are left out.
        let (trusted, anchors): (Vec<TrustAnchor<'_>>, Vec<&Certificate>) = inner
            .anchors
            .iter()
            .filter(|anchor| check_time(&anchor.certificate, self.at).is_ok())
            .filter_map(|anchor| anchor.issuer.clone().map(|issuer| (issuer, &anchor.certificate)))
            .unzip();
        let pool = self.reachable();
        let intermediates: Vec<CertificateDer<'_>> =
            pool.iter().map(|certificate| CertificateDer::from(certificate.der())).collect();

        let leaf_der = CertificateDer::from(self.leaf.der());
        let end_entity = EndEntityCert::try_from(&leaf_der).map_err(|error| reason(&error))?;
        let seconds = u64::try_from(self.at.unix()).unwrap_or(0);
        let found = Cell::new(None);
        let objection = Cell::new(None);
        let judge = |path: &VerifiedPath<'_>| {
            let anchor = trusted.iter().position(|anchor| std::ptr::eq(anchor, path.anchor()));
            let anchor = anchor.and_then(|at| anchors.get(at)).copied();
            match anchor.ok_or(TrustReason::Malformed).and_then(|anchor| self.judge(path, &pool, anchor)) {
                Ok(path) => {
                    found.set(Some(path));
                    Ok(())
                }
                Err(reason) => {
                    objection.set(Some(reason));
                    // Any error makes `webpki` go on with the next path; ours is kept beside it.
                    Err(webpki::Error::UnknownIssuer)
                }
            }
        };
        let verdict = end_entity.verify_for_usage(
            &algorithms::permitted(inner.algorithms),
            &trusted,
            &intermediates,
            UnixTime::since_unix_epoch(Duration::from_secs(seconds)),
            AnyUsage,
            None,
            Some(&judge),
        );
        match (verdict, found.take(), objection.get()) {
            (Ok(_), Some(path), _) => Ok(path),
            (_, _, Some(objection)) => Err(objection),
            (Err(webpki::Error::UnknownIssuer), _, None) => Err(self.missing_issuer(&pool)),
            (Err(error), _, None) => Err(reason(&error)),
            (Ok(_), None, None) => Err(TrustReason::Malformed),
        }
    }

    /// The intermediates that can be part of a path from the leaf, by names alone. It keeps certificates
    /// that only cost work away from the path builder.
    pub(super) fn reachable(&self) -> Vec<&Certificate> {
        let mut candidates: Vec<&Certificate> = self.store.0.intermediates.iter().chain(self.extra).collect();
        let mut pool: Vec<&Certificate> = Vec::new();
        let mut wanted = vec![self.leaf.issuer_der()];
        while let Some(name) = wanted.pop() {
            let (found, rest): (Vec<_>, Vec<_>) =
                candidates.into_iter().partition(|candidate| candidate.subject_der() == name);
            wanted.extend(found.iter().map(|certificate| certificate.issuer_der()));
            pool.extend(found);
            candidates = rest;
        }
        pool
    }

    /// What `webpki` leaves to us, for one path that is otherwise good.
    fn judge(
        &self,
        path: &VerifiedPath<'_>,
        pool: &[&Certificate],
        anchor: &Certificate,
    ) -> Result<TrustPath, TrustReason> {
        let mut chain = vec![self.leaf.clone()];
        for intermediate in path.intermediate_certificates() {
            let der = intermediate.der();
            let known = pool.iter().find(|certificate| certificate.der() == der.as_ref());
            chain.push((*known.ok_or(TrustReason::Malformed)?).clone());
        }
        chain.push(anchor.clone());
        self.judge_chain(chain)
    }

    /// Key usage, key size and revocation of a whole chain, and how long the verdict holds.
    pub(super) fn judge_chain(&self, chain: Vec<Certificate>) -> Result<TrustPath, TrustReason> {
        let mut valid_from = self.leaf.not_before();
        let mut valid_until = self.leaf.not_after();
        let mut revocation_checked = 0;
        for (certificate, issuer) in chain.iter().zip(chain.iter().skip(1)) {
            if issuer.usage().key.is_some_and(|usage| !usage.has(KeyUsage::KEY_CERT_SIGN)) {
                return Err(TrustReason::NotAnAuthority);
            }
            check_size(usable_key(issuer)?, self.min_rsa)?;
            match self.store.0.crls.standing(certificate, issuer, self.at, self.store.0.algorithms) {
                Standing::Unlisted => {}
                Standing::Good(next_update) => {
                    revocation_checked += 1;
                    // A list is out of date from that instant on; a verdict holds up to its end.
                    valid_until = valid_until.min(next_update - Duration::from_millis(1));
                }
                Standing::Bad(reason) => return Err(reason),
            }
            valid_from = valid_from.max(issuer.not_before());
            valid_until = valid_until.min(issuer.not_after());
        }
        Ok(TrustPath { chain, valid_from, valid_until, revocation_checked, pinned: false })
    }

    /// Tells an issuer that nobody knows from one that is known but outside its time.
    pub(super) fn missing_issuer(&self, pool: &[&Certificate]) -> TrustReason {
        let mut outside = None;
        let issuing = self.store.0.anchors.iter().filter(|anchor| anchor.issuer.is_some());
        for anchor in issuing.map(|anchor| &anchor.certificate) {
            let named = std::iter::once(self.leaf)
                .chain(pool.iter().copied())
                .any(|certificate| certificate.issuer_der() == anchor.subject_der());
            match check_time(anchor, self.at) {
                Err(TrustReason::Expired) if named => return TrustReason::IssuerExpired,
                Err(_) if named => outside = Some(TrustReason::IssuerNotYetValid),
                _ => {}
            }
        }
        outside.unwrap_or(TrustReason::UnknownIssuer)
    }
}

/// The certificate as an issuer for `webpki`; `None` if it cannot be read as one.
pub(super) fn trust_anchor(certificate: &Certificate) -> Option<TrustAnchor<'static>> {
    let der = CertificateDer::from(certificate.der());
    webpki::anchor_from_trusted_cert(&der).ok().map(|anchor| anchor.to_owned())
}

fn reason(error: &webpki::Error) -> TrustReason {
    use webpki::Error as E;
    match error {
        E::UnknownIssuer => TrustReason::UnknownIssuer,
        // The leaf's own time is checked before `webpki` sees it.
        E::CertExpired { .. } => TrustReason::IssuerExpired,
        E::CertNotValidYet { .. } => TrustReason::IssuerNotYetValid,
        E::InvalidSignatureForPublicKey => TrustReason::BadSignature,
        E::UnsupportedSignatureAlgorithmContext(_)
        | E::UnsupportedSignatureAlgorithmForPublicKeyContext(_)
        | E::SignatureAlgorithmMismatch => TrustReason::Algorithm,
        E::CaUsedAsEndEntity => TrustReason::AuthorityAsLeaf,
        E::EndEntityUsedAsCa => TrustReason::NotAnAuthority,
        E::NameConstraintViolation => TrustReason::NameConstraint,
        E::PathLenConstraintViolated | E::MaximumPathDepthExceeded => TrustReason::PathLength,
        E::MaximumSignatureChecksExceeded
        | E::MaximumPathBuildCallsExceeded
        | E::MaximumNameConstraintComparisonsExceeded => TrustReason::WorkLimit,
        E::UnsupportedCertVersion => TrustReason::Version,
        E::UnsupportedCriticalExtension => TrustReason::CriticalExtension,
        _ => TrustReason::Malformed,
    }
}
