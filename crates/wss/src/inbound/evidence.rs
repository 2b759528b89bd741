//! Small facts for the evidence that several steps add.

use bartizan_keys::Certificate;

use super::Work;
use crate::context::{SeenToken, TokenEvidence, Use};
use crate::plan::KeyRef;

impl Work<'_> {
    /// Notes that a key of ours was used to decrypt.
    pub(super) fn note_own_token(&mut self, certificate: &Certificate, named: Option<KeyRef>) {
        let known = self.context.tokens.iter_mut().find(|t| t.is_certificate(certificate.der()));
        match known {
            Some(token) if !token.used_for.contains(&Use::Encryption) => token.used_for.push(Use::Encryption),
            Some(_) => {}
            None => self.context.tokens.push(TokenEvidence {
                token: SeenToken::X509(certificate.clone()),
                named,
                in_message: false,
                used_for: vec![Use::Encryption],
            }),
        }
    }
}
