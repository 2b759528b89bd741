//! Namespaces known to every document, one a line. Ids are positions in the table, so the order is not part of
//! the interface: use the constants.

use super::Ns;

super::table! {
    Ns, NAMESPACES;
    /// No namespace.
    NONE "",
    /// The `xml` prefix. Usual prefix `xml`.
    XML "http://www.w3.org/XML/1998/namespace",
    /// The `xmlns` prefix. Usual prefix `xmlns`.
    XMLNS "http://www.w3.org/2000/xmlns/",
    /// SOAP 1.1 envelope. Usual prefix `soap`.
    SOAP11 "http://schemas.xmlsoap.org/soap/envelope/",
    /// SOAP 1.2 envelope. Usual prefix `env`.
    SOAP12 "http://www.w3.org/2003/05/soap-envelope",
    /// WS-Security 1.0 extensions. Usual prefix `wsse`.
    WSSE "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd",
    /// WS-Security utility. Usual prefix `wsu`.
    WSU "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd",
    /// WS-Security 1.1 extensions. Usual prefix `wsse11`.
    WSSE11 "http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd",
    /// XML Signature. Usual prefix `ds`.
    DS "http://www.w3.org/2000/09/xmldsig#",
    /// XML Signature 1.1. Usual prefix `dsig11`.
    DSIG11 "http://www.w3.org/2009/xmldsig11#",
    /// XML Encryption. Usual prefix `xenc`.
    XENC "http://www.w3.org/2001/04/xmlenc#",
    /// XML Encryption 1.1. Usual prefix `xenc11`.
    XENC11 "http://www.w3.org/2009/xmlenc11#",
    /// XML Security URIs of RFC 9231, the names of 2021. Usual prefix `dsig-more`.
    DSIG_MORE21 "http://www.w3.org/2021/04/xmldsig-more#",
    /// Exclusive canonicalization (`InclusiveNamespaces`). Usual prefix `ec`.
    EXC_C14N "http://www.w3.org/2001/10/xml-exc-c14n#",
    /// XPath filter 2.0 transform. Usual prefix `dsxp`.
    XPATH_FILTER2 "http://www.w3.org/2002/06/xmldsig-filter2",
    /// WS-Addressing 1.0. Usual prefix `wsa`.
    WSA "http://www.w3.org/2005/08/addressing",
    /// WS-Addressing, 2004 submission. Usual prefix `wsa`.
    WSA04 "http://schemas.xmlsoap.org/ws/2004/08/addressing",
    /// WS-Addressing metadata. Usual prefix `wsam`.
    WSAM "http://www.w3.org/2007/05/addressing/metadata",
    /// WS-Addressing WSDL binding, 2006. Usual prefix `wsaw`.
    WSAW "http://www.w3.org/2006/05/addressing/wsdl",
    /// WS-Addressing policy, 2004. Usual prefix `wsap`.
    WSAP04 "http://schemas.xmlsoap.org/ws/2004/08/addressing/policy",
    /// WS-Policy 1.2. Usual prefix `wsp`.
    WSP04 "http://schemas.xmlsoap.org/ws/2004/09/policy",
    /// WS-Policy 1.5. Usual prefix `wsp`.
    WSP15 "http://www.w3.org/ns/ws-policy",
    /// WS-Policy, 2002. Usual prefix `wsp`.
    WSP02 "http://schemas.xmlsoap.org/ws/2002/12/policy",
    /// WS-Policy 1.5, 2006 draft. Usual prefix `wsp`.
    WSP06 "http://www.w3.org/2006/07/ws-policy",
    /// WS-SecurityPolicy 1.1. Usual prefix `sp`.
    SP11 "http://schemas.xmlsoap.org/ws/2005/07/securitypolicy",
    /// WS-SecurityPolicy 1.2. Usual prefix `sp`.
    SP12 "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702",
    /// WS-SecurityPolicy 1.3 additions. Usual prefix `sp13`.
    SP13 "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200802",
    /// SAML 1.0 and 1.1 assertions. Usual prefix `saml`.
    SAML1 "urn:oasis:names:tc:SAML:1.0:assertion",
    /// SAML 2.0 assertions. Usual prefix `saml2`.
    SAML2 "urn:oasis:names:tc:SAML:2.0:assertion",
    /// SAML 1.0 and 1.1 protocol. Usual prefix `samlp`.
    SAML1P "urn:oasis:names:tc:SAML:1.0:protocol",
    /// SAML 2.0 protocol. Usual prefix `saml2p`.
    SAML2P "urn:oasis:names:tc:SAML:2.0:protocol",
    /// WS-Trust 2005/02. Usual prefix `wst`.
    WST05 "http://schemas.xmlsoap.org/ws/2005/02/trust",
    /// WS-Trust 1.3. Usual prefix `wst`.
    WST13 "http://docs.oasis-open.org/ws-sx/ws-trust/200512",
    /// WS-Trust 1.4. Usual prefix `wst14`.
    WST14 "http://docs.oasis-open.org/ws-sx/ws-trust/200802",
    /// WS-SecureConversation 2005/02. Usual prefix `wsc`.
    WSC05 "http://schemas.xmlsoap.org/ws/2005/02/sc",
    /// WS-SecureConversation 1.3. Usual prefix `wsc`.
    WSC13 "http://docs.oasis-open.org/ws-sx/ws-secureconversation/200512",
    /// MTOM policy assertion. Usual prefix `wsoma`.
    MTOM "http://schemas.xmlsoap.org/ws/2004/09/policy/optimizedmimeserialization",
    /// MTOM policy assertion, W3C. Usual prefix `wsmtom`.
    MTOM11 "http://www.w3.org/2007/08/soap12-mtom-policy",
    /// XOP Include. Usual prefix `xop`.
    XOP "http://www.w3.org/2004/08/xop/include",
    /// XML media types of binary content. Usual prefix `xmime`.
    XMIME "http://www.w3.org/2005/05/xmlmime",
    /// XML Schema instance. Usual prefix `xsi`.
    XSI "http://www.w3.org/2001/XMLSchema-instance",
    /// XML Schema. Usual prefix `xsd`.
    XSD "http://www.w3.org/2001/XMLSchema",
    /// WSDL 1.1. Usual prefix `wsdl`.
    WSDL11 "http://schemas.xmlsoap.org/wsdl/",
    /// WSDL 1.1 binding for SOAP 1.1. Usual prefix `wsoap`.
    WSDL_SOAP11 "http://schemas.xmlsoap.org/wsdl/soap/",
    /// WSDL 1.1 binding for SOAP 1.2. Usual prefix `wsoap12`.
    WSDL_SOAP12 "http://schemas.xmlsoap.org/wsdl/soap12/",
    /// WSDL 2.0. Usual prefix `wsdl2`.
    WSDL20 "http://www.w3.org/ns/wsdl",
    /// WS-ReliableMessaging policy 2005/02. Usual prefix `wsrmp`.
    WSRMP05 "http://schemas.xmlsoap.org/ws/2005/02/rm/policy",
    /// WS-ReliableMessaging policy 1.1. Usual prefix `wsrmp`.
    WSRMP11 "http://docs.oasis-open.org/ws-rx/wsrmp/200702",
    /// WS-MetadataExchange. Usual prefix `wsx`.
    WSX "http://schemas.xmlsoap.org/ws/2004/09/mex",
    /// Rampart/Java configuration. Usual prefix `ramp`.
    RAMPART "http://ws.apache.org/rampart/policy",
    /// Rampart/C configuration. Usual prefix `rampc`.
    RAMPART_C "http://ws.apache.org/rampart/c/policy",
    /// WS-Security utility, 2003 draft. Usual prefix `wsu`.
    WSU_2003 "http://schemas.xmlsoap.org/ws/2003/06/utility",
    /// WS-Security, 2003 draft. Usual prefix `wsse`.
    WSSE_2003 "http://schemas.xmlsoap.org/ws/2003/06/secext",
}

/// Usual prefixes, in the order of the table.
pub(crate) const USUAL_PREFIXES: &[&str] = &[
    "", "xml", "xmlns", "soap", "env", "wsse", "wsu", "wsse11", "ds", "dsig11", "xenc", "xenc11", "ec",
    "dsxp", "wsa", "wsa", "wsam", "wsaw", "wsap", "wsp", "wsp", "wsp", "wsp", "sp", "sp", "sp13", "saml",
    "saml2", "samlp", "saml2p", "wst", "wst", "wst14", "wsc", "wsc", "wsoma", "wsmtom", "xop", "xmime",
    "xsi", "xsd", "wsdl", "wsoap", "wsoap12", "wsdl2", "wsrmp", "wsrmp", "wsx", "ramp", "rampc", "wsu",
    "wsse",
];
