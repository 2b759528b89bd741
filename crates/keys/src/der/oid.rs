//! Object identifiers: the contents octets of those that are used, and the dotted form of any.

/// 1.2.840.113549.1.7.1, PKCS#7 data
pub(crate) const DATA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x01];
/// 1.2.840.113549.1.7.6, PKCS#7 encryptedData
pub(crate) const ENCRYPTED_DATA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x06];
/// 1.2.840.113549.1.12.10.1.1, a PKCS#8 key in clear
pub(crate) const KEY_BAG: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x0c, 0x0a, 0x01, 0x01];
/// 1.2.840.113549.1.12.10.1.2, an encrypted PKCS#8 key
pub(crate) const SHROUDED_KEY_BAG: &[u8] =
    &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x0c, 0x0a, 0x01, 0x02];
/// 1.2.840.113549.1.12.10.1.3, a certificate
pub(crate) const CERT_BAG: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x0c, 0x0a, 0x01, 0x03];
/// 1.2.840.113549.1.12.10.1.4, a revocation list
pub(crate) const CRL_BAG: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x0c, 0x0a, 0x01, 0x04];
/// 1.2.840.113549.1.12.10.1.6, bags in a bag
pub(crate) const SAFE_CONTENTS_BAG: &[u8] =
    &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x0c, 0x0a, 0x01, 0x06];
/// 1.2.840.113549.1.9.22.1, PKCS#9 x509Certificate
pub(crate) const X509_CERTIFICATE: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x16, 0x01];
/// 1.2.840.113549.1.9.20, PKCS#9 friendlyName
pub(crate) const FRIENDLY_NAME: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x14];
/// 1.2.840.113549.1.9.21, PKCS#9 localKeyID
pub(crate) const LOCAL_KEY_ID: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x15];
/// 2.16.840.1.113894.746875.1.1, Java's mark of a trusted certificate
pub(crate) const JAVA_TRUSTED: &[u8] =
    &[0x60, 0x86, 0x48, 0x01, 0x86, 0xf9, 0x66, 0xad, 0xca, 0x7b, 0x01, 0x01];
/// 1.2.840.113549.1.12.1.3, PKCS#12 PBE
pub(crate) const PBE_SHA1_3DES: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x0c, 0x01, 0x03];
/// 1.2.840.113549.1.12.1.4, PKCS#12 PBE
pub(crate) const PBE_SHA1_2DES: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x0c, 0x01, 0x04];
/// 1.2.840.113549.1.12.1.5, PKCS#12 PBE
pub(crate) const PBE_SHA1_RC2_128: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x0c, 0x01, 0x05];
/// 1.2.840.113549.1.12.1.6, PKCS#12 PBE
pub(crate) const PBE_SHA1_RC2_40: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x0c, 0x01, 0x06];
/// 1.2.840.113549.1.5.3, PKCS#5 v1.5
pub(crate) const PBE_MD5_DES: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x03];
/// 1.2.840.113549.1.5.10, PKCS#5 v1.5
pub(crate) const PBE_SHA1_DES: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0a];
/// 1.2.840.113549.1.5.6, PKCS#5 v1.5
pub(crate) const PBE_MD5_RC2: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x06];
/// 1.2.840.113549.1.5.11, PKCS#5 v1.5
pub(crate) const PBE_SHA1_RC2: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0b];
/// 1.2.840.113549.1.5.12, PBKDF2
pub(crate) const PBKDF2: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0c];
/// 1.2.840.113549.1.5.13, PBES2
pub(crate) const PBES2: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0d];
/// 1.2.840.113549.1.5.14, PBMAC1 (RFC 9579)
pub(crate) const PBMAC1: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0e];
/// 1.2.840.113549.2.7, hmacWithSHA1
pub(crate) const HMAC_SHA1: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, 0x07];
/// 1.2.840.113549.2.9, hmacWithSHA256
pub(crate) const HMAC_SHA256: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, 0x09];
/// 1.2.840.113549.2.10, hmacWithSHA384
pub(crate) const HMAC_SHA384: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, 0x0a];
/// 1.2.840.113549.2.11, hmacWithSHA512
pub(crate) const HMAC_SHA512: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, 0x0b];
/// 2.16.840.1.101.3.4.1.2, AES-128-CBC
pub(crate) const AES128_CBC: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x02];
/// 2.16.840.1.101.3.4.1.22, AES-192-CBC
pub(crate) const AES192_CBC: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x16];
/// 2.16.840.1.101.3.4.1.42, AES-256-CBC
pub(crate) const AES256_CBC: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x2a];
/// 1.2.840.113549.3.7, 3DES-CBC
pub(crate) const DES_EDE3_CBC: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x03, 0x07];
/// 1.3.14.3.2.7, DES-CBC
pub(crate) const DES_CBC: &[u8] = &[0x2b, 0x0e, 0x03, 0x02, 0x07];
/// 1.3.14.3.2.26, SHA-1
pub(crate) const SHA1: &[u8] = &[0x2b, 0x0e, 0x03, 0x02, 0x1a];
/// 2.16.840.1.101.3.4.2.4, SHA-224
pub(crate) const SHA224: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x04];
/// 2.16.840.1.101.3.4.2.1, SHA-256
pub(crate) const SHA256: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01];
/// 2.16.840.1.101.3.4.2.2, SHA-384
pub(crate) const SHA384: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02];
/// 2.16.840.1.101.3.4.2.3, SHA-512
pub(crate) const SHA512: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03];
/// 1.2.840.113549.1.1.11, sha256WithRSAEncryption
pub(crate) const RSA_SHA256: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b];
/// 1.3.6.1.4.1.42.2.17.1.1, the key protection of JKS
pub(crate) const JKS_KEY_PROTECTOR: &[u8] = &[0x2b, 0x06, 0x01, 0x04, 0x01, 0x2a, 0x02, 0x11, 0x01, 0x01];
/// 1.3.6.1.4.1.42.2.19.1, PBEWithMD5AndTripleDES
pub(crate) const JCEKS_KEY_PROTECTOR: &[u8] = &[0x2b, 0x06, 0x01, 0x04, 0x01, 0x2a, 0x02, 0x13, 0x01];
/// 2.5.29.14
pub(crate) const SUBJECT_KEY_IDENTIFIER: &[u8] = &[0x55, 0x1d, 0x0e];
/// 2.5.29.15
pub(crate) const KEY_USAGE: &[u8] = &[0x55, 0x1d, 0x0f];
/// 2.5.29.17
pub(crate) const SUBJECT_ALT_NAME: &[u8] = &[0x55, 0x1d, 0x11];
/// 2.5.29.19
pub(crate) const BASIC_CONSTRAINTS: &[u8] = &[0x55, 0x1d, 0x13];
/// 2.5.29.20
pub(crate) const CRL_NUMBER: &[u8] = &[0x55, 0x1d, 0x14];
/// nameConstraints.
pub(crate) const NAME_CONSTRAINTS: &[u8] = &[0x55, 0x1d, 0x1e];
/// 2.5.29.27
pub(crate) const DELTA_CRL: &[u8] = &[0x55, 0x1d, 0x1b];
/// 2.5.29.28
pub(crate) const ISSUING_DISTRIBUTION_POINT: &[u8] = &[0x55, 0x1d, 0x1c];
/// 2.5.29.31
pub(crate) const CRL_DISTRIBUTION_POINTS: &[u8] = &[0x55, 0x1d, 0x1f];
/// 2.5.29.35
pub(crate) const AUTHORITY_KEY_IDENTIFIER: &[u8] = &[0x55, 0x1d, 0x23];
/// 2.5.29.37
pub(crate) const EXTENDED_KEY_USAGE: &[u8] = &[0x55, 0x1d, 0x25];
/// 2.5.4.3
pub(crate) const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
/// 2.5.4.10
pub(crate) const ORGANIZATION: &[u8] = &[0x55, 0x04, 0x0a];
/// 2.5.4.11
pub(crate) const ORGANIZATIONAL_UNIT: &[u8] = &[0x55, 0x04, 0x0b];

/// Longest encoding that is printed or read in dotted form; real ones have under 16 octets.
const MAX_OCTETS: usize = 64;

/// `1.2.840.113549.1.9.1`. An encoding that is broken or absurdly long is shown as far as it goes.
pub(crate) fn to_dotted(contents: &[u8]) -> String {
    let mut text = String::new();
    let mut arc = 0_u64;
    let mut first = true;
    for octet in contents.iter().take(MAX_OCTETS) {
        arc = arc.wrapping_shl(7) | u64::from(octet & 0x7f);
        if octet & 0x80 != 0 {
            continue;
        }
        if first {
            let top = (arc / 40).min(2);
            text.push_str(&format!("{top}.{}", arc - top * 40));
            first = false;
        } else {
            text.push_str(&format!(".{arc}"));
        }
        arc = 0;
    }
    text
}

/// The contents octets of a dotted form.
pub(crate) fn from_dotted(text: &str) -> Option<Vec<u8>> {
    if text.len() > 2 * MAX_OCTETS {
        return None;
    }
    let mut arcs = text.split('.').map(|arc| {
        let digits = !arc.is_empty() && arc.bytes().all(|octet| octet.is_ascii_digit());
        if digits { arc.parse::<u32>().ok() } else { None }
    });
    let (top, second) = (arcs.next()??, arcs.next()??);
    if top > 2 || (top < 2 && second > 39) {
        return None;
    }
    let mut contents = Vec::new();
    push_arc(&mut contents, u64::from(top) * 40 + u64::from(second));
    for arc in arcs {
        push_arc(&mut contents, u64::from(arc?));
    }
    Some(contents)
}

fn push_arc(contents: &mut Vec<u8>, arc: u64) {
    let groups = (64 - arc.leading_zeros()).div_ceil(7).max(1);
    for group in (0..groups).rev() {
        let low = u8::try_from(arc >> (7 * group) & 0x7f).unwrap_or(0);
        contents.push(if group == 0 { low } else { low | 0x80 });
    }
}
