//! URIs that are values, not namespaces: canonical forms, transforms, token types, encodings, roles, addresses.
//! Algorithm URIs (digest, signature, cipher, key transport) live in the crypto crate.

macro_rules! uris {
    ($($(#[$doc:meta])* $id:ident = $uri:literal;)*) => {
        $($(#[$doc])* pub const $id: &str = $uri;)*
        /// Every URI of this module with the name of its constant, for "did you mean" hints.
        pub const ALL: &[(&str, &str)] = &[$((stringify!($id), $uri)),*];
    };
}

uris! {
    /// Canonical XML 1.0 without comments.
    C14N10 = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
    /// Canonical XML 1.0 with comments.
    C14N10_WITH_COMMENTS = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments";
    /// Canonical XML 1.1 without comments.
    C14N11 = "http://www.w3.org/2006/12/xml-c14n11";
    /// Canonical XML 1.1 with comments.
    C14N11_WITH_COMMENTS = "http://www.w3.org/2006/12/xml-c14n11#WithComments";
    /// Exclusive XML Canonicalization without comments.
    EXC_C14N = "http://www.w3.org/2001/10/xml-exc-c14n#";
    /// Exclusive XML Canonicalization with comments.
    EXC_C14N_WITH_COMMENTS = "http://www.w3.org/2001/10/xml-exc-c14n#WithComments";

    /// Enveloped signature transform (XMLDSig §6.6.4).
    ENVELOPED = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
    /// Base64 decoding transform (XMLDSig §6.6.2).
    BASE64_TRANSFORM = "http://www.w3.org/2000/09/xmldsig#base64";
    /// XPath filtering transform (XMLDSig §6.6.3). Refused by design.
    XPATH = "http://www.w3.org/TR/1999/REC-xpath-19991116";
    /// XPath filter 2.0 transform. Refused by design.
    XPATH_FILTER2 = "http://www.w3.org/2002/06/xmldsig-filter2";
    /// XSLT transform (XMLDSig §6.6.5). Refused by design.
    XSLT = "http://www.w3.org/TR/1999/REC-xslt-19991116";
    /// XPointer. Refused by design.
    XPTR = "http://www.w3.org/2001/04/xmldsig-more/xptr";
    /// Decryption transform. Refused by design.
    DECRYPT_XML = "http://www.w3.org/2002/07/decrypt#XML";
    /// Decryption transform, binary. Refused by design.
    DECRYPT_BINARY = "http://www.w3.org/2002/07/decrypt#Binary";
    /// Relationship transform of Open Packaging. Refused by design.
    RELATIONSHIP = "http://schemas.openxmlformats.org/package/2006/RelationshipTransform";
    /// STR Dereference Transform (SMS 1.1 §8.3).
    STR_TRANSFORM = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#STR-Transform";
    /// Attachment content, signature (SwA Profile 1.1 §5.4.2).
    ATTACHMENT_CONTENT_SIGNATURE = "http://docs.oasis-open.org/wss/oasis-wss-SwAProfile-1.1#Attachment-Content-Signature-Transform";
    /// Attachment with its headers, signature (SwA Profile 1.1 §5.4.3).
    ATTACHMENT_COMPLETE_SIGNATURE = "http://docs.oasis-open.org/wss/oasis-wss-SwAProfile-1.1#Attachment-Complete-Signature-Transform";
    /// Attachment ciphertext transform (SwA Profile 1.1 §5.5).
    ATTACHMENT_CIPHERTEXT = "http://docs.oasis-open.org/wss/oasis-wss-SwAProfile-1.1#Attachment-Ciphertext-Transform";

    /// `xenc:EncryptedData/@Type` of a whole element (XMLEnc §3.1).
    XENC_ELEMENT = "http://www.w3.org/2001/04/xmlenc#Element";
    /// `xenc:EncryptedData/@Type` of element content (XMLEnc §3.1).
    XENC_CONTENT = "http://www.w3.org/2001/04/xmlenc#Content";
    /// Type of a reference to an EncryptedKey (XMLEnc §3.5.2).
    XENC_ENCRYPTED_KEY = "http://www.w3.org/2001/04/xmlenc#EncryptedKey";
    /// Type of a reference to a DerivedKey (XMLEnc 1.1 §3.5.3).
    XENC11_DERIVED_KEY = "http://www.w3.org/2009/xmlenc11#DerivedKey";
    /// `@Type` of an encrypted attachment's content.
    ATTACHMENT_CONTENT_ONLY = "http://docs.oasis-open.org/wss/oasis-wss-SwAProfile-1.1#Attachment-Content-Only";
    /// `@Type` of an encrypted attachment with its headers.
    ATTACHMENT_COMPLETE = "http://docs.oasis-open.org/wss/oasis-wss-SwAProfile-1.1#Attachment-Complete";

    /// Reference type of a ds:Object.
    DS_OBJECT = "http://www.w3.org/2000/09/xmldsig#Object";
    /// Reference type of a ds:Manifest.
    DS_MANIFEST = "http://www.w3.org/2000/09/xmldsig#Manifest";
    /// Reference type of ds:SignatureProperties.
    DS_SIGNATURE_PROPERTIES = "http://www.w3.org/2000/09/xmldsig#SignatureProperties";
    /// RetrievalMethod type: X509Data.
    DS_X509_DATA = "http://www.w3.org/2000/09/xmldsig#X509Data";
    /// RetrievalMethod type: a raw DER certificate.
    DS_RAW_X509_CERTIFICATE = "http://www.w3.org/2000/09/xmldsig#rawX509Certificate";
    /// RetrievalMethod type: RSAKeyValue.
    DS_RSA_KEY_VALUE = "http://www.w3.org/2000/09/xmldsig#RSAKeyValue";
    /// RetrievalMethod type: DSAKeyValue.
    DS_DSA_KEY_VALUE = "http://www.w3.org/2000/09/xmldsig#DSAKeyValue";
    /// RetrievalMethod type: ECKeyValue.
    DSIG11_EC_KEY_VALUE = "http://www.w3.org/2009/xmldsig11#ECKeyValue";
    /// RetrievalMethod type: DEREncodedKeyValue.
    DSIG11_DER_ENCODED_KEY_VALUE = "http://www.w3.org/2009/xmldsig11#DEREncodedKeyValue";

    /// EncodingType of base64 (SMS 1.1 §6.3).
    BASE64_BINARY = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary";
    /// ValueType of an X.509 v3 certificate (X.509 Token Profile 1.1 §3.1).
    X509_V3 = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0#X509v3";
    /// ValueType of an X.509 v1 certificate (X.509 Token Profile 1.1 §3.1).
    X509_V1 = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0#X509v1";
    /// ValueType of a certificate path (X.509 Token Profile 1.1 §3.1).
    X509_PKI_PATH_V1 = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0#X509PKIPathv1";
    /// ValueType of a PKCS#7 certificate bag (X.509 Token Profile 1.1 §3.1).
    PKCS7 = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0#PKCS7";
    /// KeyIdentifier by subject key identifier (X.509 Token Profile 1.1 §3.2.1).
    X509_SUBJECT_KEY_IDENTIFIER = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0#X509SubjectKeyIdentifier";
    /// KeyIdentifier by SHA-1 of the certificate (SMS 1.1 §7.3).
    THUMBPRINT_SHA1 = "http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1#ThumbprintSHA1";
    /// KeyIdentifier by SHA-256 of the certificate, as some stacks extend it.
    THUMBPRINT_SHA256 = "http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1#ThumbprintSHA256";
    /// ValueType and TokenType of an EncryptedKey (SMS 1.1 §7.7).
    ENCRYPTED_KEY = "http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1#EncryptedKey";
    /// KeyIdentifier by SHA-1 of an encrypted key's octets (SMS 1.1 §7.7).
    ENCRYPTED_KEY_SHA1 = "http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1#EncryptedKeySHA1";
    /// Type of an encrypted header's EncryptedHeader (SMS 1.1 §9.3).
    ENCRYPTED_HEADER = "http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd#EncryptedHeader";
    /// ValueType of a UsernameToken (UsernameToken Profile 1.1 §3.2).
    USERNAME_TOKEN = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#UsernameToken";
    /// Password type: text (UsernameToken Profile 1.1 §3.1).
    PASSWORD_TEXT = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordText";
    /// Password type: digest (UsernameToken Profile 1.1 §3.1).
    PASSWORD_DIGEST = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordDigest";
    /// KeyIdentifier of a SAML 1.x assertion (SAML Token Profile 1.1 §3.3).
    SAML_ASSERTION_ID = "http://docs.oasis-open.org/wss/oasis-wss-saml-token-profile-1.0#SAMLAssertionID";
    /// KeyIdentifier of a SAML 2.0 assertion (SAML Token Profile 1.1 §3.3).
    SAML_ID = "http://docs.oasis-open.org/wss/oasis-wss-saml-token-profile-1.1#SAMLID";
    /// TokenType of SAML 1.1 (SAML Token Profile 1.1 §3.4).
    SAML11_TOKEN = "http://docs.oasis-open.org/wss/oasis-wss-saml-token-profile-1.1#SAMLV1.1";
    /// TokenType of SAML 2.0 (SAML Token Profile 1.1 §3.4).
    SAML20_TOKEN = "http://docs.oasis-open.org/wss/oasis-wss-saml-token-profile-1.1#SAMLV2.0";
    /// KeyIdentifier of a Kerberos ticket by SHA-1 (Kerberos Token Profile 1.1).
    KERBEROS_V5_AP_REQ_SHA1 = "http://docs.oasis-open.org/wss/oasis-wss-kerberos-token-profile-1.1#Kerberosv5APREQSHA1";
    /// ValueType of a GSS-wrapped Kerberos ticket (Kerberos Token Profile 1.1).
    GSS_KERBEROS_V5_AP_REQ = "http://docs.oasis-open.org/wss/oasis-wss-kerberos-token-profile-1.1#GSS_Kerberosv5_AP_REQ";
    /// ValueType of a SecurityContextToken, 2005/02.
    SCT05 = "http://schemas.xmlsoap.org/ws/2005/02/sc/sct";
    /// ValueType of a SecurityContextToken, 200512.
    SCT13 = "http://docs.oasis-open.org/ws-sx/ws-secureconversation/200512/sct";
    /// ValueType of a DerivedKeyToken, 2005/02.
    DKT05 = "http://schemas.xmlsoap.org/ws/2005/02/sc/dk";
    /// ValueType of a DerivedKeyToken, 200512.
    DKT13 = "http://docs.oasis-open.org/ws-sx/ws-secureconversation/200512/dk";
    /// P_SHA1 derivation, 2005/02.
    P_SHA1_05 = "http://schemas.xmlsoap.org/ws/2005/02/sc/dk/p_sha1";
    /// P_SHA1 derivation, 200512.
    P_SHA1_13 = "http://docs.oasis-open.org/ws-sx/ws-secureconversation/200512/dk/p_sha1";

    /// SOAP 1.1 actor "next" (SOAP 1.1 §4.2.2).
    SOAP11_NEXT = "http://schemas.xmlsoap.org/soap/actor/next";
    /// SOAP 1.2 role "next" (Part 1 §2.2).
    SOAP12_NEXT = "http://www.w3.org/2003/05/soap-envelope/role/next";
    /// SOAP 1.2 role "none" (Part 1 §2.2).
    SOAP12_NONE = "http://www.w3.org/2003/05/soap-envelope/role/none";
    /// SOAP 1.2 role "ultimateReceiver" (Part 1 §2.2).
    SOAP12_ULTIMATE_RECEIVER = "http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver";
    /// SOAP 1.1 encoding.
    SOAP11_ENCODING = "http://schemas.xmlsoap.org/soap/encoding/";
    /// SOAP 1.2 encoding.
    SOAP12_ENCODING = "http://www.w3.org/2003/05/soap-encoding";
    /// SOAP over HTTP as a WSDL 1.1 transport.
    SOAP_HTTP_TRANSPORT = "http://schemas.xmlsoap.org/soap/http";

    /// WS-Addressing 1.0 anonymous address (Core §2.1).
    WSA_ANONYMOUS = "http://www.w3.org/2005/08/addressing/anonymous";
    /// WS-Addressing 1.0 none address (Core §2.1).
    WSA_NONE = "http://www.w3.org/2005/08/addressing/none";
    /// WS-Addressing 1.0 reply relationship (Core §3.1).
    WSA_REPLY = "http://www.w3.org/2005/08/addressing/reply";
    /// WS-Addressing 1.0 action of addressing faults (SOAP Binding §6).
    WSA_FAULT_ACTION = "http://www.w3.org/2005/08/addressing/fault";
    /// WS-Addressing 1.0 action of SOAP faults (SOAP Binding §6).
    WSA_SOAP_FAULT_ACTION = "http://www.w3.org/2005/08/addressing/soap/fault";
    /// WS-Addressing 1.0 placeholder of an unknown message id.
    WSA_UNSPECIFIED = "http://www.w3.org/2005/08/addressing/unspecified";
    /// WS-Addressing 2004/08 anonymous address.
    WSA04_ANONYMOUS = "http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous";
    /// WS-Addressing 2004/08 action of faults.
    WSA04_FAULT_ACTION = "http://schemas.xmlsoap.org/ws/2004/08/addressing/fault";
    /// WS-Addressing 2004/08 placeholder of an unknown message id.
    WSA04_UNSPECIFIED = "http://schemas.xmlsoap.org/ws/2004/08/addressing/id/unspecified";

    /// IncludeToken values of WS-SecurityPolicy 1.1 begin so (§5.1.1); then Never, Once, AlwaysToRecipient, Always.
    SP11_INCLUDE_TOKEN = "http://schemas.xmlsoap.org/ws/2005/07/securitypolicy/IncludeToken/";
    /// IncludeToken values of WS-SecurityPolicy 1.2 and 1.3 begin so (§5.1.1); AlwaysToInitiator is new there.
    SP12_INCLUDE_TOKEN = "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702/IncludeToken/";
    /// Namespace of Apache CXF's GCM suites inside sp:AlgorithmSuite.
    CXF_CUSTOM_SUITES = "http://cxf.apache.org/custom/security-policy";
}

/// PrefixList token for the default namespace (Exclusive XML Canonicalization §4).
pub const DEFAULT_PREFIX: &str = "#default";
