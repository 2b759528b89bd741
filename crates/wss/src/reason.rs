//! `Reason`: the closed list of why a message is refused, each with a stable code and one sentence.
//!
//! A reason is for the local record, the evidence report and tests; it never goes on the wire. What goes there is [`Wire`], of which
//! there are five, and all failures of cryptography share one. Called by `inbound`, read by everything that reports.

/// What goes on the wire for a reason: one opaque fault, and the few exceptions that tell an attacker nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wire {
    /// `wsse:FailedCheck` with one constant sentence.
    FailedCheck,
    /// `wsu:MessageExpired`.
    MessageExpired,
    /// SOAP `VersionMismatch`.
    VersionMismatch,
    /// SOAP `MustUnderstand`.
    MustUnderstand,
    /// SOAP `Sender` (`Client`): the envelope is malformed.
    Sender,
}

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident $code:literal $wire:ident $sentence:literal;)*) => {
        /// Why a message was refused. The list is closed: a new reason is a change here, and every report knows it.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Reason {
            $(#[doc = $sentence] $(#[$doc])* $name,)*
        }

        impl Reason {
            /// Every reason, in the order of their codes' families.
            pub const ALL: &'static [Reason] = &[$(Reason::$name,)*];

            /// The stable machine code, such as `signature.digest_mismatch`.
            #[must_use]
            pub fn code(self) -> &'static str {
                match self { $(Reason::$name => $code,)* }
            }

            /// One sentence for people.
            #[must_use]
            pub fn sentence(self) -> &'static str {
                match self { $(Reason::$name => $sentence,)* }
            }

            /// What goes on the wire.
            #[must_use]
            pub fn wire(self) -> Wire {
                match self { $(Reason::$name => Wire::$wire,)* }
            }
        }
    };
}

reasons! {
    MessageMalformed "message.malformed" Sender "The bytes are not well-formed XML of the subset that SOAP allows.";
    MessageDtd "message.dtd" Sender "The message holds a document type declaration.";
    MessageLimit "message.limit" Sender "The message exceeds a limit.";
    MessageShape "message.shape" Sender "The XML is no SOAP envelope of the strict shape.";
    MessageMediaType "message.media_type" Sender "The media type is not the one of the envelope.";
    MessageVersion "message.version" VersionMismatch "The envelope is of no SOAP version that is served.";
    MessageNotUnderstood "message.not_understood" MustUnderstand "A header block must be understood and is not.";
    MessageDuplicateId "message.duplicate_id" FailedCheck "Two elements carry the same Id, or an attribute that looks like an Id carries the value of one.";
    MessageAddressing "message.addressing" FailedCheck "A WS-Addressing header is doubled or malformed.";
    HeaderMissing "header.missing" FailedCheck "There is no Security header addressed to us.";
    HeaderDuplicate "header.duplicate" FailedCheck "There is more than one Security header for one role.";
    HeaderAttribute "header.attribute" FailedCheck "The Security header carries an attribute that it must not.";
    HeaderUnknownChild "header.unknown_child" FailedCheck "The Security header holds an element that is not known.";
    HeaderDuplicateChild "header.duplicate_child" FailedCheck "The Security header holds an element twice that may stand there once.";
    HeaderMalformedChild "header.malformed_child" FailedCheck "An element in the Security header is not shaped as its profile says.";
    HeaderLayout "header.layout" FailedCheck "The order of the Security header breaks the layout that the policy demands.";
    TokenMalformed "token.malformed" FailedCheck "A security token cannot be read.";
    TokenUnsupported "token.unsupported" FailedCheck "A security token is of a kind that is not supported here.";
    TokenReferenceMalformed "token.reference_malformed" FailedCheck "A SecurityTokenReference is not shaped as the profile says.";
    TokenReferenceUnresolved "token.reference_unresolved" FailedCheck "A SecurityTokenReference names nothing that is known.";
    TokenReferenceForm "token.reference_form" FailedCheck "The key is named in a way that the policy does not allow.";
    TokenAmbiguous "token.ambiguous" FailedCheck "A SecurityTokenReference names more than one certificate.";
    TokenUntrusted "token.untrusted" FailedCheck "The signer's certificate does not lead to a trusted one.";
    TokenExpired "token.expired" FailedCheck "The signer's certificate is no longer valid, or not yet.";
    TokenNotPartner "token.not_partner" FailedCheck "The message is not signed by the other side.";
    TokenRevoked "token.revoked" FailedCheck "The signer's certificate is revoked, or its revocation state is unknown.";
    TokenKeyTooSmall "token.key_too_small" FailedCheck "The key is smaller than the policy or the key set allows.";
    TokenNotSent "token.not_sent" FailedCheck "The policy demands the signer's token in the message, and it is not there.";
    TokenDerivedKey "token.derived_key" FailedCheck "A key is derived from a shared secret in a way that the policy or the bounds do not accept.";
    TokenKeyNotKept "token.key_not_kept" FailedCheck "A secret of a request before is named, and none of that name is kept here.";
    TokenKeyOfAnother "token.key_of_another" FailedCheck "The secret that is named was bound to another caller, or came under another alternative of the policy.";
    SignatureMissing "signature.missing" FailedCheck "There is no signature that the policy demands.";
    SignatureUnexpected "signature.unexpected" FailedCheck "There is a signature that the policy does not ask for.";
    SignatureMalformed "signature.malformed" FailedCheck "A signature is not shaped as XML Signature says.";
    SignatureAlgorithm "signature.algorithm" FailedCheck "A signature uses an algorithm that the policy does not permit.";
    SignatureTransform "signature.transform" FailedCheck "A signature uses a transform that is not permitted.";
    SignatureReference "signature.reference" FailedCheck "A signature's Reference names nothing, or in a form that is not permitted.";
    SignatureKey "signature.key" FailedCheck "The key's kind does not fit the signature method.";
    SignatureValue "signature.value_mismatch" FailedCheck "The SignatureValue does not verify.";
    SignatureDigest "signature.digest_mismatch" FailedCheck "A digest differs from the one that was signed.";
    SignatureSigner "signature.signer" FailedCheck "The signature is made with another kind of key than the policy demands.";
    SignatureTarget "signature.target" FailedCheck "A signature covers something that is no whole header, Body or security element.";
    EndorsementMissing "endorsement.missing" FailedCheck "There is no endorsing signature that the policy demands.";
    EndorsementTarget "endorsement.target" FailedCheck "An endorsing signature does not cover the very signature of the message (over TLS: the Timestamp).";
    EndorsementSameKey "endorsement.same_key" FailedCheck "The endorsing signature is made with the key of the signature that it endorses.";
    EncryptionFailed "encryption.failed" FailedCheck "Decryption failed.";
    EncryptionAlgorithm "encryption.algorithm" FailedCheck "An encryption algorithm is not permitted by the policy.";
    EncryptionMalformed "encryption.malformed" FailedCheck "An encryption element is not shaped as XML Encryption says.";
    EncryptionReference "encryption.reference" FailedCheck "A DataReference is dangling, doubled or points at no encrypted data.";
    EncryptionUnexpected "encryption.unexpected" FailedCheck "There is encrypted data where the policy has none.";
    EncryptionUnusedKey "encryption.unused_key" FailedCheck "An EncryptedKey is used by nothing.";
    EncryptionPlaintext "encryption.plaintext" FailedCheck "The decrypted text does not fit its place in the message.";
    EncryptionTooMany "encryption.too_many" FailedCheck "There are more encrypted keys or more nesting than the limits allow.";
    EncryptionNoKey "encryption.no_key" FailedCheck "The message is encrypted to a key that is not ours.";
    EncryptionUnprotected "encryption.unprotected" FailedCheck "Encryption without integrity is covered by no signature.";
    CoverageNothing "coverage.nothing" FailedCheck "Nothing in the message is protected.";
    CoverageBodyNotSigned "coverage.body_not_signed" FailedCheck "The Body is not signed.";
    CoverageHeaderNotSigned "coverage.header_not_signed" FailedCheck "A header block that must be signed is not.";
    CoverageTimestampNotSigned "coverage.timestamp_not_signed" FailedCheck "The Timestamp is not signed.";
    CoverageTokenNotSigned "coverage.token_not_signed" FailedCheck "The signing token is not signed.";
    CoverageElementNotSigned "coverage.element_not_signed" FailedCheck "An element that must be signed is not.";
    CoverageConfirmationNotSigned "coverage.confirmation_not_signed" FailedCheck "A SignatureConfirmation is not covered by the signature.";
    CoverageBodyNotEncrypted "coverage.body_not_encrypted" FailedCheck "The Body is not encrypted.";
    CoverageHeaderNotEncrypted "coverage.header_not_encrypted" FailedCheck "A header block that must be encrypted is not.";
    CoverageElementNotEncrypted "coverage.element_not_encrypted" FailedCheck "An element that must be encrypted is not.";
    CoverageSignatureNotEncrypted "coverage.signature_not_encrypted" FailedCheck "The signature must be encrypted and is not.";
    CoveragePartMissing "coverage.part_missing" FailedCheck "A part that the policy demands is not in the message.";
    TransportPlain "transport.plain" FailedCheck "The policy demands a confidential transport, and the message came without one.";
    TransportNoCertificate "transport.no_certificate" FailedCheck "The policy demands that the client shows a certificate to the transport, and it showed none.";
    UsernameMissing "username.missing" FailedCheck "There is no UsernameToken that the policy demands.";
    UsernameUnexpected "username.unexpected" FailedCheck "There is a UsernameToken that the policy does not ask for, or a second one.";
    UsernameMalformed "username.malformed" FailedCheck "The UsernameToken is not shaped as its profile says.";
    UsernamePasswordType "username.password_type" FailedCheck "The password stands in the UsernameToken in a form that the policy does not accept.";
    UsernameNonce "username.nonce" FailedCheck "The Nonce is missing, not wanted, or not as the profile says.";
    UsernameCreated "username.created" FailedCheck "Created of the UsernameToken is missing, not wanted, or not as the profile says.";
    UsernameExpired "username.expired" FailedCheck "The UsernameToken is too old.";
    UsernameFuture "username.future" FailedCheck "The UsernameToken was created in the future.";
    UsernameSalt "username.salt" FailedCheck "The Salt of a derived key is not of 16 octets, or is for the other use.";
    UsernameIteration "username.iteration" FailedCheck "The Iteration of a derived key is outside of the bounds.";
    UsernameDerivedKey "username.derived_key" FailedCheck "A key is derived from the UsernameToken in a way that the policy does not accept.";
    UsernameInClear "username.in_clear" FailedCheck "A WSE-style key stands beside a UsernameToken that nothing keeps confidential.";
    UsernameNotProved "username.not_proved" FailedCheck "The UsernameToken names a user and nothing proves it.";
    UserNoSource "user.no_source" FailedCheck "No users are known here.";
    UserUnknown "user.unknown" FailedCheck "Nobody has this user name.";
    UserPassword "user.password" FailedCheck "The password, or its digest, is wrong.";
    UserDisabled "user.disabled" FailedCheck "The user is disabled.";
    UserExpired "user.expired" FailedCheck "The user has expired.";
    UserNoSecret "user.no_secret" FailedCheck "Only a hash of the user's password is stored, and a digest or a derived key needs the password.";
    UserBusy "user.busy" FailedCheck "Too many password checks, or keys derived from passwords, are waiting.";
    TimestampMissing "timestamp.missing" FailedCheck "There is no Timestamp.";
    TimestampMalformed "timestamp.malformed" FailedCheck "The Timestamp is not shaped as the profile says.";
    TimestampExpired "timestamp.expired" MessageExpired "The message has expired.";
    TimestampFuture "timestamp.future" MessageExpired "The message was created in the future.";
    ConfirmationMissing "confirmation.missing" FailedCheck "A signature of the request is not confirmed.";
    ConfirmationWrong "confirmation.wrong" FailedCheck "A SignatureConfirmation confirms a signature that was not sent.";
    ConfirmationDuplicate "confirmation.duplicate" FailedCheck "A signature of the request is confirmed twice.";
    ConfirmationUnbound "confirmation.unbound" FailedCheck "Nothing says to which request this is the reply, and its secret is that of several.";
    Replay "replay" FailedCheck "This message was seen before: a replay, or a peer that reuses Ids without a Timestamp.";
    ReplayFull "replay.full" FailedCheck "The memory of seen messages is full.";
    ReplayClock "replay.clock" FailedCheck "The clock went back behind the lifetime of this message.";
    ReplayForgotten "replay.forgotten" FailedCheck "The token was made before the memory of seen messages began.";
    ReplayUnavailable "replay.unavailable" FailedCheck "The shared memory of seen messages could not be asked.";
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.code())
    }
}

#[cfg(test)]
mod tests;
