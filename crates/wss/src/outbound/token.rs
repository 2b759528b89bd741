//! Security tokens as we write them.

use bartizan_crypto::base64;
use bartizan_keys::Certificate;
use bartizan_xml::names::{ns, uri};
use bartizan_xml::write::Writer;

/// The canonical form that the STR-Transform gives a certificate which is not in the message: a BinarySecurityToken with the prefix of the
/// reference. (The transform itself adds the empty default namespace.)
pub(crate) fn canonical_bst(certificate: &Certificate, prefix: &str) -> Vec<u8> {
    let mut w = Writer::new();
    w.open(prefix, ns::WSSE.uri(), "BinarySecurityToken");
    w.attr("EncodingType", uri::BASE64_BINARY).attr("ValueType", uri::X509_V3);
    w.text(&base64::encode(certificate.der()));
    w.close();
    w.finish().unwrap_or_default()
}
