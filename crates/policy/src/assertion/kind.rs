//! Every assertion, one a line: variant, name, first version, where it may stand, shape, and what stands in it.

use super::{Place, Version};

/// What an assertion holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Nothing.
    Flag,
    /// A nested policy, always.
    Policy,
    /// A nested policy, perhaps.
    MayPolicy,
    /// A token: parameters and perhaps a nested policy.
    Token,
    /// Body, Header, Attachments.
    Parts,
    /// XPath expressions.
    Paths,
    /// The name of an algorithm suite; CXF's custom one has attributes.
    Suite,
    /// A policy of its own.
    Bootstrap,
    /// Anything (foreign).
    Any,
}

pub(super) struct Row {
    name: &'static str,
    since: Version,
    place: Place,
    shape: Shape,
    inside: Place,
}

macro_rules! kinds {
    ($($kind:ident $name:literal $since:ident [$($place:ident)+] $shape:ident $inside:ident;)*) => {
        /// Which assertion. Names are those of the specifications.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Kind {
            $(#[doc = concat!("`", $name, "`")] $kind,)*
            /// An assertion of a namespace that we do not know.
            Foreign,
        }

        impl Kind {
            /// Every assertion that has a name.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            fn row(self) -> Row {
                match self {
                    $(Self::$kind => Row {
                        name: $name,
                        since: Version::$since,
                        place: Place::NOWHERE$(.or(Place::$place))+,
                        shape: Shape::$shape,
                        inside: Place::$inside,
                    },)*
                    Self::Foreign => Row {
                        name: "foreign",
                        since: Version::Sp11,
                        place: Place::TOP,
                        shape: Shape::Any,
                        inside: Place::FOREIGN,
                    },
                }
            }
        }
    };
}

kinds! {
    SignedParts "SignedParts" Sp11 [TOP SUPPORTING] Parts NOWHERE;
    EncryptedParts "EncryptedParts" Sp11 [TOP SUPPORTING] Parts NOWHERE;
    RequiredParts "RequiredParts" Sp12 [TOP] Parts NOWHERE;
    SignedElements "SignedElements" Sp11 [TOP SUPPORTING] Paths NOWHERE;
    EncryptedElements "EncryptedElements" Sp11 [TOP SUPPORTING] Paths NOWHERE;
    ContentEncryptedElements "ContentEncryptedElements" Sp12 [TOP SUPPORTING] Paths NOWHERE;
    RequiredElements "RequiredElements" Sp11 [TOP] Paths NOWHERE;
    UsernameToken "UsernameToken" Sp11 [HOLDER SUPPORTING] Token USERNAME;
    IssuedToken "IssuedToken" Sp11 [HOLDER SUPPORTING] Token ISSUED;
    X509Token "X509Token" Sp11 [HOLDER SUPPORTING] Token X509;
    KerberosToken "KerberosToken" Sp11 [HOLDER SUPPORTING] Token KERBEROS;
    SpnegoContextToken "SpnegoContextToken" Sp11 [HOLDER SUPPORTING] Token SPNEGO;
    SecurityContextToken "SecurityContextToken" Sp11 [HOLDER SUPPORTING] Token CONTEXT;
    SecureConversationToken "SecureConversationToken" Sp11 [HOLDER SUPPORTING] Token CONVERSATION;
    SamlToken "SamlToken" Sp11 [HOLDER SUPPORTING] Token SAML;
    RelToken "RelToken" Sp11 [HOLDER SUPPORTING] Token REL;
    HttpsToken "HttpsToken" Sp11 [HOLDER SUPPORTING] Token HTTPS;
    KeyValueToken "KeyValueToken" Sp12 [HOLDER SUPPORTING] Token KEY_VALUE;
    NoPassword "NoPassword" Sp12 [USERNAME] Flag NOWHERE;
    HashPassword "HashPassword" Sp12 [USERNAME] Flag NOWHERE;
    WssUsernameToken10 "WssUsernameToken10" Sp11 [USERNAME] Flag NOWHERE;
    WssUsernameToken11 "WssUsernameToken11" Sp11 [USERNAME] Flag NOWHERE;
    Created "Created" Sp13 [USERNAME] Flag NOWHERE;
    Nonce "Nonce" Sp13 [USERNAME] Flag NOWHERE;
    RequireDerivedKeys "RequireDerivedKeys" Sp11 [USERNAME ISSUED X509 KERBEROS SPNEGO CONTEXT CONVERSATION SAML REL] Flag NOWHERE;
    RequireExplicitDerivedKeys "RequireExplicitDerivedKeys" Sp12 [USERNAME ISSUED X509 KERBEROS SPNEGO CONTEXT CONVERSATION SAML REL] Flag NOWHERE;
    RequireImpliedDerivedKeys "RequireImpliedDerivedKeys" Sp12 [USERNAME ISSUED X509 KERBEROS SPNEGO CONTEXT CONVERSATION SAML REL] Flag NOWHERE;
    RequireExternalReference "RequireExternalReference" Sp11 [ISSUED] Flag NOWHERE;
    RequireInternalReference "RequireInternalReference" Sp11 [ISSUED] Flag NOWHERE;
    RequireKeyIdentifierReference "RequireKeyIdentifierReference" Sp11 [X509 KERBEROS SAML REL] Flag NOWHERE;
    RequireIssuerSerialReference "RequireIssuerSerialReference" Sp11 [X509] Flag NOWHERE;
    RequireEmbeddedTokenReference "RequireEmbeddedTokenReference" Sp11 [X509] Flag NOWHERE;
    RequireThumbprintReference "RequireThumbprintReference" Sp11 [X509] Flag NOWHERE;
    WssX509V1Token10 "WssX509V1Token10" Sp11 [X509] Flag NOWHERE;
    WssX509V3Token10 "WssX509V3Token10" Sp11 [X509] Flag NOWHERE;
    WssX509Pkcs7Token10 "WssX509Pkcs7Token10" Sp11 [X509] Flag NOWHERE;
    WssX509PkiPathV1Token10 "WssX509PkiPathV1Token10" Sp11 [X509] Flag NOWHERE;
    WssX509V1Token11 "WssX509V1Token11" Sp11 [X509] Flag NOWHERE;
    WssX509V3Token11 "WssX509V3Token11" Sp11 [X509] Flag NOWHERE;
    WssX509Pkcs7Token11 "WssX509Pkcs7Token11" Sp11 [X509] Flag NOWHERE;
    WssX509PkiPathV1Token11 "WssX509PkiPathV1Token11" Sp11 [X509] Flag NOWHERE;
    WssKerberosV5ApReqToken11 "WssKerberosV5ApReqToken11" Sp11 [KERBEROS] Flag NOWHERE;
    WssGssKerberosV5ApReqToken11 "WssGssKerberosV5ApReqToken11" Sp11 [KERBEROS] Flag NOWHERE;
    MustNotSendCancel "MustNotSendCancel" Sp12 [SPNEGO CONVERSATION] Flag NOWHERE;
    MustNotSendAmend "MustNotSendAmend" Sp12 [SPNEGO CONVERSATION] Flag NOWHERE;
    MustNotSendRenew "MustNotSendRenew" Sp12 [SPNEGO CONVERSATION] Flag NOWHERE;
    RequireExternalUriReference "RequireExternalUriReference" Sp11 [CONTEXT CONVERSATION] Flag NOWHERE;
    Sc10SecurityContextToken "SC10SecurityContextToken" Sp11 [CONTEXT CONVERSATION] Flag NOWHERE;
    Sc13SecurityContextToken "SC13SecurityContextToken" Sp12 [CONTEXT CONVERSATION] Flag NOWHERE;
    BootstrapPolicy "BootstrapPolicy" Sp11 [CONVERSATION] Bootstrap TOP;
    WssSamlV10Token10 "WssSamlV10Token10" Sp11 [SAML] Flag NOWHERE;
    WssSamlV11Token10 "WssSamlV11Token10" Sp11 [SAML] Flag NOWHERE;
    WssSamlV10Token11 "WssSamlV10Token11" Sp11 [SAML] Flag NOWHERE;
    WssSamlV11Token11 "WssSamlV11Token11" Sp11 [SAML] Flag NOWHERE;
    WssSamlV20Token11 "WssSamlV20Token11" Sp11 [SAML] Flag NOWHERE;
    WssRelV10Token10 "WssRelV10Token10" Sp11 [REL] Flag NOWHERE;
    WssRelV20Token10 "WssRelV20Token10" Sp11 [REL] Flag NOWHERE;
    WssRelV10Token11 "WssRelV10Token11" Sp11 [REL] Flag NOWHERE;
    WssRelV20Token11 "WssRelV20Token11" Sp11 [REL] Flag NOWHERE;
    HttpBasicAuthentication "HttpBasicAuthentication" Sp12 [HTTPS] Flag NOWHERE;
    HttpDigestAuthentication "HttpDigestAuthentication" Sp12 [HTTPS] Flag NOWHERE;
    RequireClientCertificate "RequireClientCertificate" Sp12 [HTTPS] Flag NOWHERE;
    RsaKeyValue "RsaKeyValue" Sp12 [KEY_VALUE] Flag NOWHERE;
    TransportBinding "TransportBinding" Sp11 [TOP] Policy TRANSPORT;
    SymmetricBinding "SymmetricBinding" Sp11 [TOP] Policy SYMMETRIC;
    AsymmetricBinding "AsymmetricBinding" Sp11 [TOP] Policy ASYMMETRIC;
    TransportToken "TransportToken" Sp11 [TRANSPORT] Policy HOLDER;
    ProtectionToken "ProtectionToken" Sp11 [SYMMETRIC] Policy HOLDER;
    SignatureToken "SignatureToken" Sp11 [SYMMETRIC] Policy HOLDER;
    EncryptionToken "EncryptionToken" Sp11 [SYMMETRIC] Policy HOLDER;
    InitiatorToken "InitiatorToken" Sp11 [ASYMMETRIC] Policy HOLDER;
    InitiatorSignatureToken "InitiatorSignatureToken" Sp12 [ASYMMETRIC] Policy HOLDER;
    InitiatorEncryptionToken "InitiatorEncryptionToken" Sp12 [ASYMMETRIC] Policy HOLDER;
    RecipientToken "RecipientToken" Sp11 [ASYMMETRIC] Policy HOLDER;
    RecipientSignatureToken "RecipientSignatureToken" Sp12 [ASYMMETRIC] Policy HOLDER;
    RecipientEncryptionToken "RecipientEncryptionToken" Sp12 [ASYMMETRIC] Policy HOLDER;
    AlgorithmSuite "AlgorithmSuite" Sp11 [ASYMMETRIC SYMMETRIC TRANSPORT SUPPORTING] Policy SUITE;
    Layout "Layout" Sp11 [ASYMMETRIC SYMMETRIC TRANSPORT] Policy LAYOUT;
    IncludeTimestamp "IncludeTimestamp" Sp11 [TOP ASYMMETRIC SYMMETRIC TRANSPORT] Flag NOWHERE;
    EncryptBeforeSigning "EncryptBeforeSigning" Sp11 [ASYMMETRIC SYMMETRIC] Flag NOWHERE;
    SignBeforeEncrypting "SignBeforeEncrypting" Sp11 [ASYMMETRIC SYMMETRIC] Flag NOWHERE;
    EncryptSignature "EncryptSignature" Sp11 [ASYMMETRIC SYMMETRIC] Flag NOWHERE;
    ProtectTokens "ProtectTokens" Sp11 [ASYMMETRIC SYMMETRIC] Flag NOWHERE;
    OnlySignEntireHeadersAndBody "OnlySignEntireHeadersAndBody" Sp11 [ASYMMETRIC SYMMETRIC] Flag NOWHERE;
    Strict "Strict" Sp11 [LAYOUT] Flag NOWHERE;
    Lax "Lax" Sp11 [LAYOUT] Flag NOWHERE;
    LaxTsFirst "LaxTsFirst" Sp11 [LAYOUT] Flag NOWHERE;
    LaxTsLast "LaxTsLast" Sp11 [LAYOUT] Flag NOWHERE;
    Basic256 "Basic256" Sp11 [SUITE] Suite NOWHERE;
    Basic256Rsa15 "Basic256Rsa15" Sp11 [SUITE] Suite NOWHERE;
    Basic256Sha256 "Basic256Sha256" Sp11 [SUITE] Suite NOWHERE;
    Basic256Sha256Rsa15 "Basic256Sha256Rsa15" Sp11 [SUITE] Suite NOWHERE;
    Basic192 "Basic192" Sp11 [SUITE] Suite NOWHERE;
    Basic192Rsa15 "Basic192Rsa15" Sp11 [SUITE] Suite NOWHERE;
    Basic192Sha256 "Basic192Sha256" Sp11 [SUITE] Suite NOWHERE;
    Basic192Sha256Rsa15 "Basic192Sha256Rsa15" Sp11 [SUITE] Suite NOWHERE;
    Basic128 "Basic128" Sp11 [SUITE] Suite NOWHERE;
    Basic128Rsa15 "Basic128Rsa15" Sp11 [SUITE] Suite NOWHERE;
    Basic128Sha256 "Basic128Sha256" Sp11 [SUITE] Suite NOWHERE;
    Basic128Sha256Rsa15 "Basic128Sha256Rsa15" Sp11 [SUITE] Suite NOWHERE;
    TripleDes "TripleDes" Sp11 [SUITE] Suite NOWHERE;
    TripleDesRsa15 "TripleDesRsa15" Sp11 [SUITE] Suite NOWHERE;
    TripleDesSha256 "TripleDesSha256" Sp11 [SUITE] Suite NOWHERE;
    TripleDesSha256Rsa15 "TripleDesSha256Rsa15" Sp11 [SUITE] Suite NOWHERE;
    CxfBasic128Gcm "Basic128GCM" Cxf [SUITE] Suite NOWHERE;
    CxfBasic128GcmRsa15 "Basic128GCMRsa15" Cxf [SUITE] Suite NOWHERE;
    CxfBasic128GcmSha256 "Basic128GCMSha256" Cxf [SUITE] Suite NOWHERE;
    CxfBasic128GcmSha256Rsa15 "Basic128GCMSha256Rsa15" Cxf [SUITE] Suite NOWHERE;
    CxfBasic128GcmMgf256 "Basic128GCMMGFSHA256" Cxf [SUITE] Suite NOWHERE;
    CxfBasic128GcmMgf256Digest "Basic128GCMMGFSHA256Digest" Cxf [SUITE] Suite NOWHERE;
    CxfBasic192Gcm "Basic192GCM" Cxf [SUITE] Suite NOWHERE;
    CxfBasic192GcmRsa15 "Basic192GCMRsa15" Cxf [SUITE] Suite NOWHERE;
    CxfBasic192GcmSha256 "Basic192GCMSha256" Cxf [SUITE] Suite NOWHERE;
    CxfBasic192GcmSha256Rsa15 "Basic192GCMSha256Rsa15" Cxf [SUITE] Suite NOWHERE;
    CxfBasic192GcmMgf256 "Basic192GCMMGFSHA256" Cxf [SUITE] Suite NOWHERE;
    CxfBasic192GcmMgf256Digest "Basic192GCMMGFSHA256Digest" Cxf [SUITE] Suite NOWHERE;
    CxfBasic256Gcm "Basic256GCM" Cxf [SUITE] Suite NOWHERE;
    CxfBasic256GcmRsa15 "Basic256GCMRsa15" Cxf [SUITE] Suite NOWHERE;
    CxfBasic256GcmSha256 "Basic256GCMSha256" Cxf [SUITE] Suite NOWHERE;
    CxfBasic256GcmSha256Rsa15 "Basic256GCMSha256Rsa15" Cxf [SUITE] Suite NOWHERE;
    CxfBasic256GcmMgf256 "Basic256GCMMGFSHA256" Cxf [SUITE] Suite NOWHERE;
    CxfBasic256GcmMgf256Digest "Basic256GCMMGFSHA256Digest" Cxf [SUITE] Suite NOWHERE;
    CxfBasic128RsaSha512 "Basic128RsaSha512" Cxf [SUITE] Suite NOWHERE;
    ModernRsa "ModernRsa" Own [SUITE] Suite NOWHERE;
    ModernEc "ModernEc" Own [SUITE] Suite NOWHERE;
    CustomAlgorithmSuite "CustomAlgorithmSuite" Cxf [SUITE] Suite NOWHERE;
    InclusiveC14N "InclusiveC14N" Sp11 [SUITE] Flag NOWHERE;
    InclusiveC14N11 "InclusiveC14N11" Sp13 [SUITE] Flag NOWHERE;
    SoapNormalization10 "SOAPNormalization10" Sp11 [SUITE] Flag NOWHERE;
    StrTransform10 "STRTransform10" Sp11 [SUITE] Flag NOWHERE;
    XPath10 "XPath10" Sp11 [SUITE] Flag NOWHERE;
    Path10 "Path10" Sp11 [SUITE] Flag NOWHERE;
    XPathFilter20 "XPathFilter20" Sp11 [SUITE] Flag NOWHERE;
    AbsXPath "AbsXPath" Sp12 [SUITE] Flag NOWHERE;
    SupportingTokens "SupportingTokens" Sp11 [TOP] Policy SUPPORTING;
    SignedSupportingTokens "SignedSupportingTokens" Sp11 [TOP] Policy SUPPORTING;
    EndorsingSupportingTokens "EndorsingSupportingTokens" Sp11 [TOP] Policy SUPPORTING;
    SignedEndorsingSupportingTokens "SignedEndorsingSupportingTokens" Sp11 [TOP] Policy SUPPORTING;
    EncryptedSupportingTokens "EncryptedSupportingTokens" Sp12 [TOP] Policy SUPPORTING;
    SignedEncryptedSupportingTokens "SignedEncryptedSupportingTokens" Sp12 [TOP] Policy SUPPORTING;
    EndorsingEncryptedSupportingTokens "EndorsingEncryptedSupportingTokens" Sp12 [TOP] Policy SUPPORTING;
    SignedEndorsingEncryptedSupportingTokens "SignedEndorsingEncryptedSupportingTokens" Sp12 [TOP] Policy SUPPORTING;
    Wss10 "Wss10" Sp11 [TOP] Policy WSS10;
    Wss11 "Wss11" Sp11 [TOP] Policy WSS11;
    MustSupportRefKeyIdentifier "MustSupportRefKeyIdentifier" Sp11 [WSS10 WSS11] Flag NOWHERE;
    MustSupportRefIssuerSerial "MustSupportRefIssuerSerial" Sp11 [WSS10 WSS11] Flag NOWHERE;
    MustSupportRefExternalUri "MustSupportRefExternalURI" Sp11 [WSS10 WSS11] Flag NOWHERE;
    MustSupportRefEmbeddedToken "MustSupportRefEmbeddedToken" Sp11 [WSS10 WSS11] Flag NOWHERE;
    MustSupportRefThumbprint "MustSupportRefThumbprint" Sp11 [WSS11] Flag NOWHERE;
    MustSupportRefEncryptedKey "MustSupportRefEncryptedKey" Sp11 [WSS11] Flag NOWHERE;
    RequireSignatureConfirmation "RequireSignatureConfirmation" Sp11 [WSS11] Flag NOWHERE;
    Trust10 "Trust10" Sp11 [TOP] Policy TRUST10;
    Trust13 "Trust13" Sp12 [TOP] Policy TRUST13;
    MustSupportClientChallenge "MustSupportClientChallenge" Sp11 [TRUST10 TRUST13] Flag NOWHERE;
    MustSupportServerChallenge "MustSupportServerChallenge" Sp11 [TRUST10 TRUST13] Flag NOWHERE;
    RequireClientEntropy "RequireClientEntropy" Sp11 [TRUST10 TRUST13] Flag NOWHERE;
    RequireServerEntropy "RequireServerEntropy" Sp11 [TRUST10 TRUST13] Flag NOWHERE;
    MustSupportIssuedTokens "MustSupportIssuedTokens" Sp11 [TRUST10 TRUST13] Flag NOWHERE;
    RequireRequestSecurityTokenCollection "RequireRequestSecurityTokenCollection" Sp12 [TRUST13] Flag NOWHERE;
    RequireAppliesTo "RequireAppliesTo" Sp12 [TRUST13] Flag NOWHERE;
    ScopePolicy15 "ScopePolicy15" Sp13 [TRUST13] Flag NOWHERE;
    MustSupportInteractiveChallenge "MustSupportInteractiveChallenge" Sp13 [TRUST13] Flag NOWHERE;
    UsingAddressing "UsingAddressing" Wsaw [TOP] Flag NOWHERE;
    Addressing "Addressing" Wsam [TOP] MayPolicy ADDRESSING;
    AnonymousResponses "AnonymousResponses" Wsam [ADDRESSING] Flag NOWHERE;
    NonAnonymousResponses "NonAnonymousResponses" Wsam [ADDRESSING] Flag NOWHERE;
}

/// Spellings in the wild that are no name of the specification: written, meant.
pub(crate) const ALIASES: &[(&str, Kind)] = &[
    ("LaxTimestampFirst", Kind::LaxTsFirst),
    ("LaxTimestampLast", Kind::LaxTsLast),
    ("WssX509v3Token10", Kind::WssX509V3Token10),
];

impl Kind {
    /// The name in the specification.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The version that brought it.
    #[must_use]
    pub fn since(self) -> Version {
        self.row().since
    }

    /// Where it may stand.
    #[must_use]
    pub fn place(self) -> Place {
        self.row().place
    }

    /// What its nested policy is the place of.
    #[must_use]
    pub fn inside(self) -> Place {
        self.row().inside
    }

    pub(crate) fn shape(self) -> Shape {
        self.row().shape
    }

    /// Whether it is one of the eight kinds of supporting tokens.
    #[must_use]
    pub fn is_supporting(self) -> bool {
        self.inside() == Place::SUPPORTING
    }

    /// Whether it is a token.
    #[must_use]
    pub fn is_token(self) -> bool {
        self.shape() == Shape::Token
    }

    /// Whether it is a binding.
    #[must_use]
    pub fn is_binding(self) -> bool {
        matches!(self, Self::AsymmetricBinding | Self::SymmetricBinding | Self::TransportBinding)
    }

    /// Every algorithm suite by the name that configuration knows it under.
    pub(crate) fn suites() -> impl Iterator<Item = (&'static str, Self)> {
        Self::ALL.iter().copied().filter(|kind| kind.shape() == Shape::Suite).filter_map(|kind| match kind {
            Self::ModernRsa => Some(("modern-rsa", kind)),
            Self::ModernEc => Some(("modern-ec", kind)),
            // Its algorithms stand in CXF's configuration, not in the policy.
            Self::CustomAlgorithmSuite => None,
            _ => Some((kind.name(), kind)),
        })
    }

    /// The assertion of that name, in any namespace.
    pub(crate) fn by_name(name: &str) -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(move |kind| kind.name() == name)
    }
}
