//! Namespaces known to every document, one a line with its usual prefix. Ids are positions in the table, so the order is
//! not part of the interface: use the constants.

use super::Ns;

super::table! {
    Ns, NAMESPACES, USUAL_PREFIXES;
    /// No namespace.
    NONE "" "",
    /// The `xml` prefix.
    XML "http://www.w3.org/XML/1998/namespace" "xml",
    /// The `xmlns` prefix.
    XMLNS "http://www.w3.org/2000/xmlns/" "xmlns",
    /// SOAP 1.1 envelope.
    SOAP11 "http://schemas.xmlsoap.org/soap/envelope/" "soap",
    /// SOAP 1.2 envelope.
    SOAP12 "http://www.w3.org/2003/05/soap-envelope" "env",
    /// WS-Security 1.0 extensions.
    WSSE "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd" "wsse",
    /// WS-Security utility.
    WSU "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd" "wsu",
    /// WS-Security 1.1 extensions.
    WSSE11 "http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd" "wsse11",
    /// XML Signature.
    DS "http://www.w3.org/2000/09/xmldsig#" "ds",
    /// XML Signature 1.1.
    DSIG11 "http://www.w3.org/2009/xmldsig11#" "dsig11",
    /// XML Encryption.
    XENC "http://www.w3.org/2001/04/xmlenc#" "xenc",
    /// XML Encryption 1.1.
    XENC11 "http://www.w3.org/2009/xmlenc11#" "xenc11",
    /// XML Security URIs of RFC 9231, the names of 2021.
    DSIG_MORE21 "http://www.w3.org/2021/04/xmldsig-more#" "dsig-more",
    /// Exclusive canonicalization (`InclusiveNamespaces`).
    EXC_C14N "http://www.w3.org/2001/10/xml-exc-c14n#" "ec",
    /// XPath filter 2.0 transform.
    XPATH_FILTER2 "http://www.w3.org/2002/06/xmldsig-filter2" "dsxp",
    /// WS-Addressing 1.0.
    WSA "http://www.w3.org/2005/08/addressing" "wsa",
    /// WS-Addressing, 2004 submission.
    WSA04 "http://schemas.xmlsoap.org/ws/2004/08/addressing" "wsa",
    /// WS-Addressing metadata.
    WSAM "http://www.w3.org/2007/05/addressing/metadata" "wsam",
    /// WS-Addressing WSDL binding, 2006.
    WSAW "http://www.w3.org/2006/05/addressing/wsdl" "wsaw",
    /// WS-Addressing policy, 2004.
    WSAP04 "http://schemas.xmlsoap.org/ws/2004/08/addressing/policy" "wsap",
    /// WS-Policy 1.2.
    WSP04 "http://schemas.xmlsoap.org/ws/2004/09/policy" "wsp",
    /// WS-Policy 1.5.
    WSP15 "http://www.w3.org/ns/ws-policy" "wsp",
    /// WS-Policy, 2002.
    WSP02 "http://schemas.xmlsoap.org/ws/2002/12/policy" "wsp",
    /// WS-Policy 1.5, 2006 draft.
    WSP06 "http://www.w3.org/2006/07/ws-policy" "wsp",
    /// WS-SecurityPolicy 1.1.
    SP11 "http://schemas.xmlsoap.org/ws/2005/07/securitypolicy" "sp",
    /// WS-SecurityPolicy 1.2.
    SP12 "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702" "sp",
    /// WS-SecurityPolicy 1.3 additions.
    SP13 "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200802" "sp13",
    /// SAML 1.0 and 1.1 assertions.
    SAML1 "urn:oasis:names:tc:SAML:1.0:assertion" "saml",
    /// SAML 2.0 assertions.
    SAML2 "urn:oasis:names:tc:SAML:2.0:assertion" "saml2",
    /// SAML 1.0 and 1.1 protocol.
    SAML1P "urn:oasis:names:tc:SAML:1.0:protocol" "samlp",
    /// SAML 2.0 protocol.
    SAML2P "urn:oasis:names:tc:SAML:2.0:protocol" "saml2p",
    /// WS-Trust 2005/02.
    WST05 "http://schemas.xmlsoap.org/ws/2005/02/trust" "wst",
    /// WS-Trust 1.3.
    WST13 "http://docs.oasis-open.org/ws-sx/ws-trust/200512" "wst",
    /// WS-Trust 1.4.
    WST14 "http://docs.oasis-open.org/ws-sx/ws-trust/200802" "wst14",
    /// WS-SecureConversation 2005/02.
    WSC05 "http://schemas.xmlsoap.org/ws/2005/02/sc" "wsc",
    /// WS-SecureConversation 1.3.
    WSC13 "http://docs.oasis-open.org/ws-sx/ws-secureconversation/200512" "wsc",
    /// MTOM policy assertion.
    MTOM "http://schemas.xmlsoap.org/ws/2004/09/policy/optimizedmimeserialization" "wsoma",
    /// MTOM policy assertion, W3C.
    MTOM11 "http://www.w3.org/2007/08/soap12-mtom-policy" "wsmtom",
    /// XOP Include.
    XOP "http://www.w3.org/2004/08/xop/include" "xop",
    /// XML media types of binary content.
    XMIME "http://www.w3.org/2005/05/xmlmime" "xmime",
    /// XML Schema instance.
    XSI "http://www.w3.org/2001/XMLSchema-instance" "xsi",
    /// XML Schema.
    XSD "http://www.w3.org/2001/XMLSchema" "xsd",
    /// WSDL 1.1.
    WSDL11 "http://schemas.xmlsoap.org/wsdl/" "wsdl",
    /// WSDL 1.1 binding for SOAP 1.1.
    WSDL_SOAP11 "http://schemas.xmlsoap.org/wsdl/soap/" "wsoap",
    /// WSDL 1.1 binding for SOAP 1.2.
    WSDL_SOAP12 "http://schemas.xmlsoap.org/wsdl/soap12/" "wsoap12",
    /// WSDL 2.0.
    WSDL20 "http://www.w3.org/ns/wsdl" "wsdl2",
    /// WS-ReliableMessaging policy 2005/02.
    WSRMP05 "http://schemas.xmlsoap.org/ws/2005/02/rm/policy" "wsrmp",
    /// WS-ReliableMessaging policy 1.1.
    WSRMP11 "http://docs.oasis-open.org/ws-rx/wsrmp/200702" "wsrmp",
    /// WS-MetadataExchange.
    WSX "http://schemas.xmlsoap.org/ws/2004/09/mex" "wsx",
    /// Rampart/Java configuration.
    RAMPART "http://ws.apache.org/rampart/policy" "ramp",
    /// Rampart/C configuration.
    RAMPART_C "http://ws.apache.org/rampart/c/policy" "rampc",
    /// WS-Security utility, 2003 draft.
    WSU_2003 "http://schemas.xmlsoap.org/ws/2003/06/utility" "wsu",
    /// WS-Security, 2003 draft.
    WSSE_2003 "http://schemas.xmlsoap.org/ws/2003/06/secext" "wsse",
}
