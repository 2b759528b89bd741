//! Paths that `webpki` does not build: from a leaf that is an authority itself or of version 1, and with
//! signatures by DSA or MD5. Called by `chain` where those are permitted.
//!
//! The rules are those of RFC 5280 §6.1 on validity, signatures, authority, path length, critical
//! extensions, key usage and revocation. Name constraints are not compared here: a path with any is
//! refused. Candidates are tried depth first, within a budget of signature checks.

use super::chain::{Search, check_time};
use super::{TrustPath, TrustReason, algorithms};
use crate::cert::Certificate;

/// Certificates of one path, leaf and anchor included (`webpki` has six authorities between).
const MAX_PATH: usize = 8;
/// Signature checks for one leaf.
const MAX_CHECKS: usize = 64;

impl Search<'_> {
    /// The first good path from the leaf to an anchor.
    pub(super) fn climb(&self) -> Result<TrustPath, TrustReason> {
        if self.leaf.has_unknown_critical() {
            return Err(TrustReason::CriticalExtension);
        }
        let pool = self.reachable();
        let mut objection = None;
        let mut checks = 0;
        let mut open: Vec<Vec<&Certificate>> = vec![vec![self.leaf]];
        while let Some(path) = open.pop() {
            let Some(child) = path.last().copied() else { continue };
            let issuing = self.store.0.anchors.iter().filter(|anchor| anchor.issuer.is_some());
            let anchors = issuing.map(|anchor| (&anchor.certificate, true));
            let others = pool.iter().map(|certificate| (*certificate, false));
            for (issuer, trusted) in anchors.chain(others) {
                if issuer.subject_der() != child.issuer_der() || path.contains(&issuer) {
                    continue;
                }
                checks += 1;
                if checks > MAX_CHECKS {
                    return Err(TrustReason::WorkLimit);
                }
                let longer = || path.iter().copied().chain([issuer]);
                match self.link(&path, child, issuer, trusted) {
                    Err(reason) => objection = Some(reason),
                    Ok(()) if trusted => match self.judge_chain(longer().cloned().collect()) {
                        Ok(found) => return Ok(found),
                        Err(reason) => objection = Some(reason),
                    },
                    Ok(()) if path.len() + 1 >= MAX_PATH => objection = Some(TrustReason::PathLength),
                    Ok(()) => open.push(longer().collect()),
                }
            }
        }
        Err(objection.unwrap_or_else(|| self.missing_issuer(&pool)))
    }

    /// Whether `issuer` may stand, and has signed, above `child`, the last of `path`.
    fn link(
        &self,
        path: &[&Certificate],
        child: &Certificate,
        issuer: &Certificate,
        trusted: bool,
    ) -> Result<(), TrustReason> {
        // Which anchors issue was decided when they were listed; a version 1 root may.
        if !trusted && (!issuer.is_ca() || issuer.version() < 3) {
            return Err(TrustReason::NotAnAuthority);
        }
        check_time(issuer, self.at).map_err(|reason| match reason {
            TrustReason::NotYetValid => TrustReason::IssuerNotYetValid,
            _ => TrustReason::IssuerExpired,
        })?;
        if issuer.constrains_names() {
            return Err(TrustReason::NameConstraint);
        }
        if issuer.has_unknown_critical() {
            return Err(TrustReason::CriticalExtension);
        }
        let between = path.iter().skip(1).filter(|below| !below.is_self_issued()).count();
        if issuer.path_len().is_some_and(|most| between > most as usize) {
            return Err(TrustReason::PathLength);
        }
        let parts = child.signed_parts().map_err(|_| TrustReason::Malformed)?;
        let choice = self.store.0.algorithms;
        match algorithms::verify(choice, issuer.spki(), parts.algorithm, parts.signed, parts.signature) {
            Some(Ok(())) => Ok(()),
            Some(Err(_)) => Err(TrustReason::BadSignature),
            None => Err(TrustReason::Algorithm),
        }
    }
}
