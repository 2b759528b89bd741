//! What makes a plan none: demands and additions that cannot go together. Found when the plan is made, not when a message comes.

/// How a plan contradicts itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Contradiction {
    /// The signature is to be encrypted and nothing is to be signed.
    EncryptedSignatureOfNothing,
    /// SignatureConfirmation is demanded and nothing is signed.
    ConfirmationUnsigned,
    /// Parts are to be signed and no signer is named.
    SignWithoutSigner,
    /// A part is to be encrypted that cannot be.
    CannotEncrypt,
    /// The signature's key is to be derived from a UsernameToken, and no derived key is accepted.
    SignedByNobody,
    /// A secret is to sign or encrypt, and none is made or known.
    SecretOfNothing,
    /// No form of password and no derived key of a UsernameToken is accepted.
    NoPassword,
    /// More alternatives than are judged.
    TooManyAlternatives,
    /// A key is to be derived from a UsernameToken, and there is none, or none with a key.
    KeyOfNoToken,
    /// One derived key is to sign and to encrypt.
    KeyUsedTwice,
    /// A digest or a key is to be made of a nonce and Created that are not in the token.
    NonceMissing,
    /// The steps leave out something that the plan makes, name it twice, or name what it does not make; or there is a secret or an endorsement, which are no steps.
    Steps,
    /// The signing token is to be signed and stands inside the signature's own KeyInfo.
    ProtectedTokenInside,
    /// An endorsing signature is to be made with a key that names nobody, or two with keys of one kind.
    EndorsedByNobody,
    /// An endorsing signature is demanded or to be made, and there is no signature for it, or under TLS no Timestamp.
    EndorsesNothing,
}
