use std::collections::HashSet;

use super::{ALIASES, Kind, Place, Version};

#[test]
fn names_are_unique_within_their_namespace() {
    let mut seen = HashSet::new();
    for kind in Kind::ALL {
        assert!(seen.insert((kind.name(), kind.since())), "{}", kind.name());
    }
    assert!(Kind::ALL.len() > 150, "{}", Kind::ALL.len());
}

#[test]
fn every_assertion_of_the_feature_table_is_known() {
    let table = "TransportBinding TransportToken HttpsToken RequireClientCertificate HttpBasicAuthentication \
        HttpDigestAuthentication SymmetricBinding ProtectionToken SignatureToken EncryptionToken AsymmetricBinding \
        InitiatorToken RecipientToken InitiatorSignatureToken InitiatorEncryptionToken RecipientSignatureToken \
        RecipientEncryptionToken AlgorithmSuite Basic256 Basic192 Basic128 TripleDes Basic256Rsa15 Basic192Rsa15 \
        Basic128Rsa15 TripleDesRsa15 Basic256Sha256 Basic192Sha256 Basic128Sha256 TripleDesSha256 Basic256Sha256Rsa15 \
        Basic192Sha256Rsa15 Basic128Sha256Rsa15 TripleDesSha256Rsa15 InclusiveC14N SOAPNormalization10 STRTransform10 \
        XPath10 XPathFilter20 Basic128GCM Basic192GCM Basic256GCM Basic256GCMRsa15 Basic256GCMSha256Rsa15 \
        CustomAlgorithmSuite Layout Strict Lax LaxTsFirst LaxTsLast IncludeTimestamp EncryptBeforeSigning \
        SignBeforeEncrypting EncryptSignature ProtectTokens OnlySignEntireHeadersAndBody SupportingTokens \
        SignedSupportingTokens EndorsingSupportingTokens SignedEndorsingSupportingTokens EncryptedSupportingTokens \
        SignedEncryptedSupportingTokens EndorsingEncryptedSupportingTokens SignedEndorsingEncryptedSupportingTokens \
        UsernameToken WssUsernameToken10 WssUsernameToken11 NoPassword HashPassword Created Nonce RequireDerivedKeys \
        RequireImpliedDerivedKeys RequireExplicitDerivedKeys X509Token WssX509V1Token10 WssX509V3Token10 \
        WssX509Pkcs7Token10 WssX509PkiPathV1Token10 WssX509V1Token11 WssX509V3Token11 WssX509Pkcs7Token11 \
        WssX509PkiPathV1Token11 RequireKeyIdentifierReference RequireIssuerSerialReference \
        RequireEmbeddedTokenReference RequireThumbprintReference IssuedToken RequireExternalReference \
        RequireInternalReference SamlToken WssSamlV11Token10 WssSamlV11Token11 WssSamlV20Token11 KerberosToken \
        WssKerberosV5ApReqToken11 WssGssKerberosV5ApReqToken11 SpnegoContextToken RelToken KeyValueToken RsaKeyValue \
        SecurityContextToken SecureConversationToken BootstrapPolicy SC10SecurityContextToken \
        SC13SecurityContextToken MustNotSendCancel MustNotSendAmend MustNotSendRenew RequireExternalUriReference \
        SignedParts EncryptedParts SignedElements EncryptedElements ContentEncryptedElements RequiredElements \
        RequiredParts Wss10 Wss11 MustSupportRefKeyIdentifier MustSupportRefIssuerSerial MustSupportRefExternalURI \
        MustSupportRefEmbeddedToken MustSupportRefThumbprint MustSupportRefEncryptedKey RequireSignatureConfirmation \
        Trust10 Trust13 MustSupportClientChallenge MustSupportServerChallenge RequireClientEntropy \
        RequireServerEntropy MustSupportIssuedTokens RequireRequestSecurityTokenCollection RequireAppliesTo \
        ScopePolicy15 MustSupportInteractiveChallenge";
    for name in table.split_whitespace() {
        assert!(Kind::by_name(name).next().is_some(), "{name}");
    }
}

#[test]
fn aliases_are_no_names_themselves() {
    for (written, _) in ALIASES {
        assert_eq!(Kind::by_name(written).next(), None, "{written}");
    }
}

#[test]
fn namespaces_lead_back_to_their_version() {
    for version in Version::ALL {
        assert_eq!(Version::from_uri(version.uri()), Some(version));
    }
    assert_eq!(Version::from_uri(""), None);
}

#[test]
fn places_meet_where_they_share_one() {
    assert!(Place::TOP.or(Place::SUITE).meets(Place::SUITE));
    assert!(!Place::TOP.meets(Place::SUITE));
    assert!(!Place::NOWHERE.meets(Place::NOWHERE));
}
