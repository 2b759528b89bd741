//! Arbitrary octets: whatever comes in, nothing panics, and wrong input is never taken.

use bartizan_crypto::alg::{self, Alg};
use bartizan_crypto::digest::{Hasher, digest};
use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::{
    CipherAlg, Curve, DigestAlg, DsaComponents, Error, PrivateKey, PublicKey, SignatureAlg, SymmetricKey,
    WrapAlg, base64,
};
use proptest::collection::vec;
use proptest::prelude::*;

fn octets() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..200)
}

/// Octets that begin like DER, so that the readers get beyond the first tag.
fn der_like() -> impl Strategy<Value = Vec<u8>> {
    let tags = prop::sample::select(vec![0x02_u8, 0x03, 0x04, 0x05, 0x06, 0x30, 0xa0, 0xa1]);
    let value = (tags, vec(any::<u8>(), 0..20)).prop_map(|(tag, content)| {
        let mut der = vec![tag, u8::try_from(content.len()).unwrap()];
        der.extend(content);
        der
    });
    vec(value, 0..6).prop_map(|values| {
        let content = values.concat();
        let mut der = vec![0x30, 0x81, u8::try_from(content.len()).unwrap()];
        if content.len() < 0x80 {
            der.remove(1);
        }
        der.extend(content);
        der
    })
}

/// Octets cut into pieces at any places, empty ones among them.
fn cut<'o>(octets: &'o [u8], cuts: &[prop::sample::Index]) -> Vec<&'o [u8]> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(octets.len() + 1)).collect();
    at.extend([0, octets.len()]);
    at.sort_unstable();
    at.windows(2).map(|pair| &octets[pair[0]..pair[1]]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_are_hashed_and_decoded_as_the_whole(
        octets in vec(any::<u8>(), 0..600), cuts in vec(any::<prop::sample::Index>(), 0..8),
        alg in prop::sample::select(DigestAlg::ALL.to_vec()), noise in vec(any::<u8>(), 0..3),
    ) {
        let mut hasher = Hasher::new(alg);
        cut(&octets, &cuts).into_iter().for_each(|piece| hasher.update(piece));
        let (pieces, whole) = (hasher.finish(), digest(alg, &octets));
        prop_assert_eq!(pieces.as_ref(), whole.as_ref());
        let mut text = base64::encode(&octets).into_bytes();
        // Refused in pieces as it is refused as a whole.
        for octet in noise {
            let at = usize::from(octet) * text.len() / 256;
            text.insert(at, b" \n=A-\xff"[usize::from(octet) % 6]);
        }
        let (mut out, mut decoder) = (Vec::new(), base64::Decoder::new());
        let pieces = cut(&text, &cuts).into_iter().try_for_each(|piece| decoder.update(piece, &mut out));
        let pieces = pieces.and_then(|()| decoder.finish()).map(|()| out);
        prop_assert_eq!(pieces.ok(), base64::decode_bytes(&text).ok());
    }

    #[test]
    fn no_octets_are_taken_for_a_key_by_chance(der in prop_oneof![octets(), der_like()]) {
        prop_assert!(PrivateKey::from_der(&der).is_err());
        prop_assert!(PrivateKey::from_pkcs8(&der).is_err());
        prop_assert!(PrivateKey::from_pkcs1(&der).is_err());
        prop_assert!(PrivateKey::from_sec1(&der).is_err());
        prop_assert!(PublicKey::from_spki(&der).is_err());
        prop_assert!(PublicKey::from_spki_legacy(&der).is_err());
        for curve in Curve::ALL {
            prop_assert!(PublicKey::from_ec_point(*curve, &der).is_err());
        }
    }

    #[test]
    fn components_of_any_length_are_judged_without_panic(
        p in octets(), q in vec(any::<u8>(), 0..40), g in octets(), y in octets(),
    ) {
        let _ = PublicKey::from_rsa_components_legacy(&p, &q);
        let _ = PublicKey::from_dsa_components(&DsaComponents { p, q, g, y });
    }

    #[test]
    fn opening_arbitrary_octets_is_one_failure(
        sealed in octets(), seed in any::<u8>(), cipher in prop::sample::select(CipherAlg::ALL.to_vec()),
    ) {
        let key = SymmetricKey::new(vec![seed; cipher.key_len()]);
        match key.open(cipher, &sealed) {
            // By chance the last octet of CBC is right one time in sixteen.
            Ok(plaintext) => prop_assert!(!cipher.is_aead() && plaintext.len() < sealed.len()),
            Err(error) => prop_assert_eq!(error, Error::Failed),
        }
    }

    #[test]
    fn unwrapping_arbitrary_octets_is_one_failure(
        wrapped in octets(), seed in any::<u8>(), alg in prop::sample::select(WrapAlg::ALL.to_vec()),
    ) {
        let key = SymmetricKey::new(vec![seed; alg.key_len()]);
        prop_assert_eq!(key.unwrap(alg, &wrapped).err(), Some(Error::Failed));
    }

    #[test]
    fn what_is_sealed_opens_and_what_is_wrapped_unwraps(
        plaintext in octets(), blocks in 2..8_usize,
        cipher in prop::sample::select(CipherAlg::ALL.to_vec()), alg in prop::sample::select(WrapAlg::ALL.to_vec()),
    ) {
        let key = SymmetricKey::generate(cipher.key_len(), &SystemRandom);
        let sealed = key.seal(cipher, &plaintext, &SystemRandom).unwrap();
        prop_assert_eq!(key.open(cipher, &sealed).unwrap(), plaintext);
        let (kek, key) =
            (SymmetricKey::generate(alg.key_len(), &SystemRandom), SymmetricKey::generate(8 * blocks, &SystemRandom));
        let wrapped = kek.wrap(alg, &key, &SystemRandom).unwrap();
        let unwrapped = kek.unwrap(alg, &wrapped).unwrap();
        prop_assert!(unwrapped.expose(|ours| key.expose(|theirs| ours == theirs)));
    }

    #[test]
    fn base64_of_any_text_is_decoded_or_refused(text in any::<String>(), octets in octets()) {
        if let Ok(decoded) = base64::decode(&text) {
            let stripped: String = text.split([' ', '\t', '\r', '\n']).collect();
            prop_assert_eq!(base64::encode(&decoded), stripped, "one octet string has one text");
        }
        prop_assert_eq!(base64::decode(&base64::encode(&octets)).unwrap(), octets);
    }

    #[test]
    fn identifiers_of_any_text_are_looked_up_without_panic(text in any::<String>()) {
        prop_assert!(alg::lookup(&text).is_none());
        prop_assert!(alg::near_miss(&text).is_none_or(|uri| alg::lookup(uri).is_some()));
    }

    #[test]
    fn one_slip_in_an_identifier_still_finds_an_algorithm_of_that_kind(
        index in 0..1000_usize, at in 0..100_usize, with in "[a-z0-9#/]",
    ) {
        let all: Vec<Alg> = alg::AlgSet::with_legacy().iter().collect();
        let uri = all[index % all.len()].uri();
        let at = at % uri.len();
        let slip = format!("{}{with}{}", &uri[..at], &uri[at + 1..]);
        if alg::lookup(&slip).is_none() {
            prop_assert!(alg::near_miss(&slip).is_some(), "{slip}");
        }
    }

    #[test]
    fn arbitrary_signatures_are_refused(message in octets(), signature in octets()) {
        let key = PublicKey::from_ed25519(&[7; 32]).unwrap();
        prop_assert!(key.verify(SignatureAlg::Ed25519, &message, &signature).is_err());
        let secret = SymmetricKey::new(vec![7; 32]);
        prop_assert!(secret.verify_mac(SignatureAlg::HmacSha256, &message, &signature).is_err());
    }
}
