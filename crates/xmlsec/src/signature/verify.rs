//! Checking: SignatureValue over SignedInfo, then each reference's digest.

use bartizan_xml::{Budget, Document, Quantity};

use crate::error::{Error, ErrorKind};
use crate::signature::{Covered, Signature, StrTargets, VerifyKey};
use crate::tap::DigestTap;

impl Signature {
    /// SignedInfo in canonical form: what the value signs, and half of the replay key.
    pub fn canonical_signed_info(&self) -> &[u8] {
        &self.signed_info_octets
    }

    /// Checks SignatureValue over SignedInfo with a key that the caller trusts.
    ///
    /// Costs one public-key operation or one MAC; digests are not looked at.
    ///
    /// # Errors
    /// [`ErrorKind::WrongKey`] if the key is of another family than the method (a public key
    /// for an HMAC above all); [`ErrorKind::SignatureInvalid`] otherwise.
    pub fn verify_value(&self, key: &VerifyKey<'_>) -> Result<(), Error> {
        let octets = self.canonical_signed_info();
        let verdict = match (key, self.method.is_mac()) {
            (VerifyKey::Public(public), false) => {
                // Old signers write the halves of an ECDSA value one octet too long or too short.
                public.verify(self.method, octets, &public.fixed_signature(self.method, &self.value))
            }
            (VerifyKey::Secret(secret), true) => secret.verify_mac(self.method, octets, &self.value),
            _ => Err(bartizan_crypto::Error::WrongKey),
        };
        verdict.map_err(|error| {
            let kind = match error {
                bartizan_crypto::Error::WrongKey => ErrorKind::WrongKey(self.method),
                _ => ErrorKind::SignatureInvalid,
            };
            Error { node: Some(self.element), ..Error::new(kind) }
        })
    }

    /// Digests what reference `index` names and compares. Call it only after
    /// [`verify_value`](Self::verify_value) succeeded.
    ///
    /// Cost is linear in the canonical octets, which are charged to `budget`.
    ///
    /// # Errors
    /// Those of [`resolve`](Self::resolve), [`ErrorKind::EnvelopedNotAncestor`],
    /// [`ErrorKind::StrTarget`], [`ErrorKind::EmptyTarget`], [`ErrorKind::Xml`] where no
    /// canonical form exists or the budget is used up, [`ErrorKind::DigestMismatch`].
    pub fn verify_reference(
        &self,
        index: usize,
        document: &Document,
        tokens: &dyn StrTargets,
        budget: &mut Budget,
    ) -> Result<Covered, Error> {
        let reference = self.reference(index)?;
        let mut tap = DigestTap::new(reference.digest, budget.digestible());
        let written = self.write_reference(index, document, tokens, &mut tap);
        // Paid for even if it failed, or a failure could be had again and again for nothing.
        budget
            .spend(Quantity::DigestedBytes, tap.octets())
            .map_err(|e| Error::new(ErrorKind::Xml(e)).in_reference(index))?;
        let covered = written?;
        let matches = tap.finish().is_some_and(|digest| digest.matches(&reference.value));
        if matches {
            return Ok(covered);
        }
        let error = Error::new(ErrorKind::DigestMismatch).in_reference(index);
        Err(match document.element(covered.target) {
            Some(element) => error.or_at(element),
            None => error,
        })
    }

    /// The octets that reference `index` digests, for a report on a mismatch.
    ///
    /// # Errors
    /// As [`verify_reference`](Self::verify_reference), without the comparison.
    pub fn digest_octets(
        &self,
        index: usize,
        document: &Document,
        tokens: &dyn StrTargets,
    ) -> Result<Vec<u8>, Error> {
        let mut octets = Vec::new();
        self.write_reference(index, document, tokens, &mut octets)?;
        Ok(octets)
    }

    /// Checks every reference in order.
    ///
    /// # Errors
    /// The first failing one's.
    pub fn verify_references(
        &self,
        document: &Document,
        tokens: &dyn StrTargets,
        budget: &mut Budget,
    ) -> Result<Vec<Covered>, Error> {
        (0..self.references.len())
            .map(|index| self.verify_reference(index, document, tokens, budget))
            .collect()
    }
}
