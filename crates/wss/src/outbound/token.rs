//! Security tokens and references to keys as we write them.
//!
//! TokenType is written wherever the profile wants it (SMS 1.1 §7, BSP R3069, R5217): on references to EncryptedKeys and PKIPaths.

use bartizan_crypto::base64;
use bartizan_keys::Certificate;
use bartizan_xml::names::{ns, uri};
use bartizan_xml::write::Writer;
use bartizan_xmlsec::key_info::{IssuerSerial, KeyInfoItem, X509Spec};
use bartizan_xmlsec::signature::WriteInto;

use crate::error::Error;
use crate::plan::{KeyRef, Style, TokenSent};

/// The canonical form that the STR-Transform gives a certificate which is not in the message: a BinarySecurityToken with the prefix of the
/// reference. (The transform itself adds the empty default namespace.)
pub(crate) fn canonical_bst(certificate: &Certificate, prefix: &str) -> Vec<u8> {
    let mut w = Writer::new();
    w.open(prefix, ns::WSSE.uri(), "BinarySecurityToken");
    w.attr("EncodingType", uri::BASE64_BINARY).attr("ValueType", uri::X509_V3);
    w.raw(base64::encode(certificate.der()).as_bytes());
    w.close();
    w.finish().unwrap_or_default()
}

/// Writes a BinarySecurityToken.
pub(super) fn write_bst(w: &mut Writer, id: &str, value_type: &str, octets: &[u8]) {
    w.open("wsse", ns::WSSE.uri(), "BinarySecurityToken");
    w.attr("EncodingType", uri::BASE64_BINARY).attr("ValueType", value_type);
    w.attr_ns("wsu", ns::WSU.uri(), "Id", id);
    w.raw(base64::encode(octets).as_bytes());
    w.close();
}

/// The value type of a token that is sent.
pub(super) fn value_type(sent: TokenSent) -> &'static str {
    if sent == TokenSent::PkiPath { uri::X509_PKI_PATH_V1 } else { uri::X509_V3 }
}

/// A certificate to be named, and how.
pub(super) struct Naming<'a> {
    pub(super) form: KeyRef,
    pub(super) certificate: &'a Certificate,
    /// Id and value type of the token in the header, for direct references.
    pub(super) token: Option<(&'a str, &'static str)>,
    /// `wsu:Id` of the reference, where it gets one.
    pub(super) id: Option<&'a str>,
}

impl Naming<'_> {
    /// Whether the form is possible; so that writing cannot fail half-way.
    pub(super) fn check(&self) -> Result<(), Error> {
        let possible = match self.form {
            KeyRef::Direct => self.token.is_some(),
            KeyRef::SubjectKeyIdentifier => self.certificate.ski().is_some(),
            KeyRef::KeyName => self.certificate.common_name().is_some(),
            KeyRef::KeyValue => self.certificate.public_key().is_ok(),
            KeyRef::Embedded
            | KeyRef::ThumbprintSha1
            | KeyRef::RawCertificate
            | KeyRef::IssuerSerial
            | KeyRef::X509Certificate => true,
            // Read only: no profile names a way to write them.
            KeyRef::ThumbprintSha256 | KeyRef::SubjectName | KeyRef::EncryptedKeySha1 => false,
        };
        if possible { Ok(()) } else { Err(Error::KeyReference) }
    }
}

impl WriteInto for Naming<'_> {
    /// Writes the content of KeyInfo.
    fn write_into(&self, w: &mut Writer) {
        match self.form {
            KeyRef::KeyName => {
                let name = self.certificate.common_name().unwrap_or_default();
                KeyInfoItem::KeyName(name.into()).write_into(w);
            }
            KeyRef::KeyValue => {
                if let Ok(key) = self.certificate.public_key() {
                    KeyInfoItem::KeyValue(key.clone()).write_into(w);
                }
            }
            _ => self.write_reference(w),
        }
    }
}

impl Naming<'_> {
    /// Writes the SecurityTokenReference.
    fn write_reference(&self, w: &mut Writer) {
        let wsse = ns::WSSE.uri();
        w.open("wsse", wsse, "SecurityTokenReference");
        if let Some(id) = self.id {
            w.attr_ns("wsu", ns::WSU.uri(), "Id", id);
        }
        match (self.form, self.token) {
            (KeyRef::Direct, Some((id, value_type))) => {
                if value_type == uri::X509_PKI_PATH_V1 {
                    w.attr_ns("wsse11", ns::WSSE11.uri(), "TokenType", value_type);
                }
                w.open("wsse", wsse, "Reference");
                w.attr("URI", &format!("#{id}")).attr("ValueType", value_type);
                w.close();
            }
            (KeyRef::Embedded, _) => {
                w.open("wsse", wsse, "Embedded");
                w.raw(&canonical_bst(self.certificate, "wsse"));
                w.close();
            }
            (KeyRef::IssuerSerial, _) => {
                let issuer_serial = IssuerSerial {
                    issuer: self.certificate.issuer().into(),
                    serial: self.certificate.serial_decimal().into(),
                };
                X509Spec { issuer_serial: Some(issuer_serial), ..X509Spec::default() }.write_into(w);
            }
            (KeyRef::X509Certificate, _) => {
                X509Spec { certificates: vec![self.certificate.der().to_vec()], ..X509Spec::default() }
                    .write_into(w);
            }
            (KeyRef::SubjectKeyIdentifier, _) => {
                identifier(w, uri::X509_SUBJECT_KEY_IDENTIFIER, self.certificate.ski().unwrap_or_default());
            }
            (KeyRef::RawCertificate, _) => identifier(w, uri::X509_V3, self.certificate.der()),
            _ => identifier(w, uri::THUMBPRINT_SHA1, &self.certificate.thumbprint_sha1()),
        }
        w.close();
    }
}

pub(super) fn identifier(w: &mut Writer, value_type: &str, octets: &[u8]) {
    w.open("wsse", ns::WSSE.uri(), "KeyIdentifier");
    w.attr("EncodingType", uri::BASE64_BINARY).attr("ValueType", value_type);
    w.raw(base64::encode(octets).as_bytes());
    w.close();
}

/// Writes a reference to the UsernameToken of the header (UTP 1.1 §3.2), with a `wsu:Id` of its own where it gets one.
pub(super) fn write_username_reference(w: &mut Writer, token: &str, id: Option<&str>) {
    w.open("wsse", ns::WSSE.uri(), "SecurityTokenReference");
    if let Some(id) = id {
        w.attr_ns("wsu", ns::WSU.uri(), "Id", id);
    }
    w.open("wsse", ns::WSSE.uri(), "Reference");
    w.attr("URI", &format!("#{token}")).attr("ValueType", uri::USERNAME_TOKEN);
    w.close().close();
}

/// Writes KeyInfo with a reference to an EncryptedKey of the header.
pub(super) fn write_encrypted_key_reference(w: &mut Writer, id: &str, style: Style) {
    w.open("ds", ns::DS.uri(), "KeyInfo");
    w.open("wsse", ns::WSSE.uri(), "SecurityTokenReference");
    // A profile of 2006 wants it; WSS4J 1.5 is older than that.
    if style == Style::Clean {
        w.attr_ns("wsse11", ns::WSSE11.uri(), "TokenType", uri::ENCRYPTED_KEY);
    }
    w.open("wsse", ns::WSSE.uri(), "Reference");
    w.attr("URI", &format!("#{id}"));
    w.close().close().close();
}
