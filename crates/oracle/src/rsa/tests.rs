use bartizan_crypto::{Error, MgfAlg, OaepParams, PrivateKey, TransportAlg};

use super::*;

#[test]
fn sound_encodings_decrypt_and_each_fault_does_not() {
    let key = PrivateKey::generate_rsa(2048).unwrap();
    let (public, secret) = (key.public(), octets(32));
    let params = OaepParams::new(DigestAlg::Sha256, MgfAlg::Mgf1Sha256);
    let open = |alg, wrapped: &[u8]| {
        key.decrypt_key(alg, &params, wrapped, 32).map(|opened| opened.expose(|found| *found == *secret))
    };
    let sound = raw(public, &pkcs1(size(public), &secret)).unwrap();
    assert_eq!(open(TransportAlg::Rsa15, &sound), Ok(true), "the positive control of raw and pkcs1");
    for wrong in [Oaep::First, Oaep::Label, Oaep::Delimiter, Oaep::Padding] {
        let encoded = oaep(size(public), DigestAlg::Sha256, DigestAlg::Sha256, &secret, wrong);
        assert_eq!(encoded.len(), size(public));
        let wrapped = raw(public, &encoded).unwrap();
        assert_eq!(open(TransportAlg::RsaOaep, &wrapped), Err(Error::Failed), "{wrong:?}");
    }
    // The same encoding with its first octet mended is sound: the fault is the only one.
    let mut mended = oaep(size(public), DigestAlg::Sha256, DigestAlg::Sha256, &secret, Oaep::First);
    mended[0] = 0;
    assert_eq!(open(TransportAlg::RsaOaep, &raw(public, &mended).unwrap()), Ok(true));
}
