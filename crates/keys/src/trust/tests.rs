//! Paths, pinning, constraints and revocation, with certificates made for each case.

use super::{ChainAlgorithms, MAX_EXTRA, Purpose, TrustReason, TrustStore, TrustStoreBuilder};
use crate::cert::Certificate;
use crate::der::{context, context_primitive, oid, write};
use crate::error::Error;
use crate::forge::{DAY, Forge, ForgeCrl, alt_dns, authority, extension, key_usage, name, now};

const DIGITAL_SIGNATURE: u8 = 0;
const KEY_ENCIPHERMENT: u8 = 2;
const KEY_CERT_SIGN: u8 = 5;
const CRL_SIGN: u8 = 6;

fn root() -> Certificate {
    Forge::root("Root", 0).self_signed()
}

fn leaf() -> Forge {
    Forge::new("Leaf", "Root", 1).serial(&[7])
}

fn trusting(anchor: Certificate) -> TrustStoreBuilder {
    TrustStore::builder().anchor(anchor)
}

fn verdict(store: TrustStoreBuilder, leaf: &Certificate, extra: &[Certificate]) -> Result<usize, Error> {
    store.build().verify(leaf, extra, now(), 2048).map(|path| path.chain.len())
}

fn refused(reason: TrustReason) -> Result<usize, Error> {
    Err(Error::Trust(reason))
}

#[test]
fn a_leaf_below_an_anchor_is_trusted_and_nothing_is_without_one() {
    assert_eq!(verdict(trusting(root()), &leaf().signed_by(0), &[]), Ok(2));
    assert_eq!(verdict(TrustStore::builder(), &leaf().signed_by(0), &[]), refused(TrustReason::NoAnchors));
}

#[test]
fn attack_sig_03_a_clone_of_a_known_certificate_with_another_key_is_not_trusted() {
    let genuine = leaf().signed_by(0);
    let mut clone = leaf();
    clone.key = 2;
    // Signed by itself under the name of the root, and by a root that is only called so.
    for forged in [clone.signed_by(2), clone.signed_by(3)] {
        assert_eq!(forged.serial_der(), genuine.serial_der());
        assert_eq!(verdict(trusting(root()), &forged, &[]), refused(TrustReason::BadSignature));
    }
    let false_root = Forge::root("Root", 3).self_signed();
    let forged = clone.signed_by(3);
    assert!(verdict(trusting(root()), &forged, &[false_root]).is_err());
    // The genuine one beside it does not lend its trust.
    assert!(verdict(trusting(root()), &forged, &[genuine, root()]).is_err());
    let stranger = Forge::new("Leaf", "Leaf", 4).self_signed();
    assert_eq!(verdict(trusting(root()), &stranger, &[]), refused(TrustReason::UnknownIssuer));
}

#[test]
fn attack_sig_16_intermediates_come_from_the_message_or_the_store_in_any_order() {
    let first = Forge::intermediate("First", "Root", 2).signed_by(0);
    let second = Forge::intermediate("Second", "First", 3).signed_by(2);
    let leaf = Forge::new("Leaf", "Second", 1).signed_by(3);
    let extra = [second.clone(), first.clone()];
    assert_eq!(verdict(trusting(root()), &leaf, &extra), Ok(4));
    assert_eq!(verdict(trusting(root()), &leaf, &[first.clone(), leaf.clone(), second.clone()]), Ok(4));
    assert_eq!(verdict(trusting(root()).intermediate(second).intermediate(first), &leaf, &[]), Ok(4));
    assert_eq!(verdict(trusting(root()), &leaf, &[]), refused(TrustReason::UnknownIssuer));
}

#[test]
fn attack_sig_16_times_of_every_certificate_count() {
    let past = |forge: Forge| forge.valid(now() - DAY * 9, now() - DAY);
    let future = |forge: Forge| forge.valid(now() + DAY, now() + DAY * 9);
    let middle = || Forge::intermediate("Middle", "Root", 2);
    let below = Forge::new("Leaf", "Middle", 1).signed_by(2);

    assert_eq!(verdict(trusting(root()), &past(leaf()).signed_by(0), &[]), refused(TrustReason::Expired));
    assert_eq!(
        verdict(trusting(root()), &future(leaf()).signed_by(0), &[]),
        refused(TrustReason::NotYetValid)
    );
    let extra = [past(middle()).signed_by(0)];
    assert_eq!(verdict(trusting(root()), &below, &extra), refused(TrustReason::IssuerExpired));
    let extra = [future(middle()).signed_by(0)];
    assert_eq!(verdict(trusting(root()), &below, &extra), refused(TrustReason::IssuerNotYetValid));
    let old_root = past(Forge::root("Root", 0)).self_signed();
    assert_eq!(
        verdict(trusting(old_root.clone()), &leaf().signed_by(0), &[]),
        refused(TrustReason::IssuerExpired)
    );
    let new_root = future(Forge::root("Root", 0)).self_signed();
    assert_eq!(
        verdict(trusting(new_root), &leaf().signed_by(0), &[]),
        refused(TrustReason::IssuerNotYetValid)
    );
    // A renewed root with the same key beside the old one.
    assert_eq!(verdict(trusting(old_root).anchor(root()), &leaf().signed_by(0), &[]), Ok(2));
}

#[test]
fn the_last_second_is_valid_and_the_next_is_not() {
    let store = trusting(root()).build();
    let leaf = leaf().signed_by(0);
    let last = leaf.not_after();
    assert!(store.verify(&leaf, &[], last, 2048).is_ok());
    let next = store.verify(&leaf, &[], last + std::time::Duration::from_secs(1), 2048);
    assert_eq!(next.unwrap_err(), Error::Trust(TrustReason::Expired));
    assert!(store.verify(&leaf, &[], leaf.not_before(), 2048).is_ok());
}

#[test]
fn attack_sig_16_only_authorities_issue() {
    let user = Forge::new("User", "Root", 2).signed_by(0);
    let below = Forge::new("Leaf", "User", 1).signed_by(2);
    assert_eq!(
        verdict(trusting(root()), &below, std::slice::from_ref(&user)),
        refused(TrustReason::NotAnAuthority)
    );
    // Being listed makes a certificate trusted, not an authority.
    assert_eq!(verdict(trusting(user.clone()), &user, &[]), Ok(1));
    assert_eq!(verdict(trusting(user), &below, &[]), refused(TrustReason::UnknownIssuer));

    let signs_nothing = Forge::intermediate("Middle", "Root", 2).with(key_usage(&[CRL_SIGN])).signed_by(0);
    let below = Forge::new("Leaf", "Middle", 1).signed_by(2);
    assert_eq!(verdict(trusting(root()), &below, &[signs_nothing]), refused(TrustReason::NotAnAuthority));
}

#[test]
fn attack_sig_16_path_lengths_are_kept() {
    let short = Forge::new("Root", "Root", 0).with(authority(Some(0))).self_signed();
    let middle = Forge::new("Middle", "Root", 2).with(authority(Some(0))).signed_by(0);
    let lower = Forge::intermediate("Lower", "Middle", 3).signed_by(2);
    let leaf = Forge::new("Leaf", "Lower", 1).signed_by(3);
    assert_eq!(verdict(trusting(root()), &leaf, &[middle.clone(), lower]), refused(TrustReason::PathLength));
    // RFC 5280 takes only name and key from an anchor.
    let direct = Forge::new("Leaf", "Middle", 1).signed_by(2);
    assert_eq!(verdict(trusting(short), &direct, &[middle]), Ok(3));
}

#[test]
fn attack_sig_16_limit_of_six_intermediates() {
    let chain = |count: usize| -> (Certificate, Vec<Certificate>) {
        let mut issuer = ("Root".to_owned(), 0);
        let mut extra = Vec::new();
        for at in 0..count {
            let subject = format!("Level {at}");
            extra.push(Forge::intermediate(&subject, &issuer.0, at + 2).signed_by(issuer.1));
            issuer = (subject, at + 2);
        }
        (Forge::new("Leaf", &issuer.0, 1).signed_by(issuer.1), extra)
    };
    let (leaf, extra) = chain(6);
    assert_eq!(verdict(trusting(root()), &leaf, &extra), Ok(8));
    let (leaf, extra) = chain(7);
    assert_eq!(verdict(trusting(root()), &leaf, &extra), refused(TrustReason::PathLength));
}

#[test]
fn limit_extra_certificates() {
    let extra: Vec<Certificate> =
        (0..=MAX_EXTRA).map(|at| Forge::new(&format!("Extra {at}"), "Root", 2).signed_by(0)).collect();
    let leaf = leaf().signed_by(0);
    assert_eq!(verdict(trusting(root()), &leaf, &extra[..MAX_EXTRA]), Ok(2));
    let error = verdict(trusting(root()), &leaf, &extra).unwrap_err();
    assert!(matches!(error, Error::TooMuch { limit: MAX_EXTRA, .. }));
}

#[test]
fn attack_sig_16_cross_certified_loops_end_in_a_refusal() {
    // Every one certifies every other, none is certified by the root's key.
    let names = ["A", "B", "C", "Root"];
    let mut extra = Vec::new();
    for (subject, key) in names.iter().zip(2..) {
        for (issuer, signer) in names.iter().zip(2..) {
            if subject != issuer && extra.len() < MAX_EXTRA {
                extra.push(Forge::intermediate(subject, issuer, key).signed_by(signer));
            }
        }
    }
    let leaf = Forge::new("Leaf", "A", 1).signed_by(2);
    assert!(verdict(trusting(root()), &leaf, &extra).is_err());
}

#[test]
fn attack_sig_16_key_usage_of_the_leaf_binds_it_and_extended_usage_does_not() {
    let enciphers = leaf().with(key_usage(&[KEY_ENCIPHERMENT])).signed_by(0);
    assert_eq!(verdict(trusting(root()), &enciphers, &[]), refused(TrustReason::KeyUsage));
    let store = trusting(root()).build();
    assert!(store.verify_for(Purpose::Encryption, &enciphers, &[], now(), 2048).is_ok());
    let signs = leaf().with(key_usage(&[DIGITAL_SIGNATURE])).signed_by(0);
    assert_eq!(verdict(trusting(root()), &signs, &[]), Ok(2));
    let refusal = store.verify_for(Purpose::Encryption, &signs, &[], now(), 2048).unwrap_err();
    assert_eq!(refusal, Error::Trust(TrustReason::KeyUsage));
    let code_signing = write::oid(&[0x2b, 6, 1, 5, 5, 7, 3, 3]);
    let usage = extension(oid::EXTENDED_KEY_USAGE, true, &write::sequence(&[&code_signing]));
    assert_eq!(verdict(trusting(root()), &leaf().with(usage).signed_by(0), &[]), Ok(2));
}

#[test]
fn attack_sig_16_unknown_critical_extensions_refuse_and_others_do_not() {
    let strange = |critical| extension(&[0x2a, 3, 4], critical, b"\x05\x00");
    assert_eq!(
        verdict(trusting(root()), &leaf().with(strange(true)).signed_by(0), &[]),
        refused(TrustReason::CriticalExtension)
    );
    assert_eq!(verdict(trusting(root()), &leaf().with(strange(false)).signed_by(0), &[]), Ok(2));
}

/// NameConstraints that permit one subtree, given as a GeneralName.
fn permits(general_name: &[u8]) -> Vec<u8> {
    let subtree = write::sequence(&[general_name]);
    let permitted = write::tlv(context(0), &[&subtree]);
    extension(&[0x55, 0x1d, 0x1e], true, &write::sequence(&[&permitted]))
}

#[test]
fn attack_sig_16_name_constraints_bind_what_is_below() {
    let dns = write::tlv(context_primitive(2), &[b"example.org"]);
    let constrained = Forge::root("Root", 0).with(permits(&dns)).self_signed();
    let inside = leaf().with(alt_dns(&["a.example.org"])).signed_by(0);
    let outside = leaf().with(alt_dns(&["a.example.org", "example.com"])).signed_by(0);
    assert_eq!(verdict(trusting(constrained.clone()), &inside, &[]), Ok(2));
    assert_eq!(verdict(trusting(constrained), &outside, &[]), refused(TrustReason::NameConstraint));

    let middle = Forge::intermediate("Middle", "Root", 2).with(permits(&dns)).signed_by(0);
    let below = Forge::new("Leaf", "Middle", 1).with(alt_dns(&["example.com"])).signed_by(2);
    assert_eq!(verdict(trusting(root()), &below, &[middle]), refused(TrustReason::NameConstraint));
}

#[test]
fn attack_sig_16_constraints_on_directory_names_are_never_ignored() {
    let directory = write::tlv(context(4), &[&name("Elsewhere")]);
    let constrained = Forge::root("Root", 0).with(permits(&directory)).self_signed();
    assert_eq!(
        verdict(trusting(constrained), &leaf().signed_by(0), &[]),
        refused(TrustReason::NameConstraint)
    );
}

#[test]
fn attack_sig_16_version_one_is_for_anchors_and_pinned_certificates() {
    let old_root = Forge::new("Root", "Root", 0).version(1).self_signed();
    assert_eq!(verdict(trusting(old_root), &leaf().signed_by(0), &[]), Ok(2));
    let old_leaf = leaf().version(1).signed_by(0);
    assert_eq!(verdict(trusting(root()), &old_leaf, &[]), refused(TrustReason::Version));
    assert_eq!(verdict(trusting(root()).anchor(old_leaf.clone()), &old_leaf, &[]), Ok(1));
    let old_middle = Forge::new("Middle", "Root", 2).version(1).signed_by(0);
    let below = Forge::new("Leaf", "Middle", 1).signed_by(2);
    assert!(verdict(trusting(root()), &below, std::slice::from_ref(&old_middle)).is_err());
    // Listed, but certified by another: no root.
    assert_eq!(verdict(trusting(old_middle), &below, &[]), refused(TrustReason::UnknownIssuer));
}

#[test]
fn attack_sig_16_authority_may_sign_a_message_but_only_on_a_path_as_good_as_any() {
    let middle = || Forge::intermediate("Middle", "Root", 2);
    let authority = middle().signed_by(0);
    assert_eq!(verdict(trusting(root()), &authority, &[]), Ok(2));
    let below = Forge::intermediate("Below", "Middle", 3).signed_by(2);
    assert_eq!(verdict(trusting(root()), &below, std::slice::from_ref(&authority)), Ok(3));
    assert_eq!(verdict(trusting(root()), &below, &[]), refused(TrustReason::UnknownIssuer));
    // A clone of the authority that signs for itself, and one signed by nobody's root.
    let forged = middle().signed_by(4);
    assert_eq!(verdict(trusting(root()), &forged, &[]), refused(TrustReason::BadSignature));
    assert!(verdict(trusting(root()), &below, &[forged]).is_err());
    // A certificate without authority between them.
    let plain = Forge::new("Middle", "Root", 2).signed_by(0);
    assert_eq!(verdict(trusting(root()), &below, &[plain]), refused(TrustReason::NotAnAuthority));
    let revoked = ForgeCrl::new("Root", &[authority.serial_der()]).signed_by(0);
    let listed = trusting(root()).crl(&revoked).expect("a list");
    assert_eq!(verdict(listed, &authority, &[]), refused(TrustReason::Revoked));
}

#[test]
fn attack_sig_16_version_one_below_an_authority_is_for_the_period_only() {
    let old_leaf = leaf().version(1).signed_by(0);
    let period = || trusting(root()).algorithms(ChainAlgorithms::Legacy);
    assert_eq!(verdict(period(), &old_leaf, &[]), Ok(2));
    let forged = leaf().version(1).signed_by(3);
    assert_eq!(verdict(period(), &forged, &[]), refused(TrustReason::BadSignature));
    let old_middle = Forge::new("Middle", "Root", 2).version(1).signed_by(0);
    let below = Forge::new("Leaf", "Middle", 1).version(1).signed_by(2);
    assert_eq!(verdict(period(), &below, &[old_middle]), refused(TrustReason::NotAnAuthority));
}

#[test]
fn pinned_certificates_are_trusted_whatever_they_are_but_not_beyond_their_time() {
    let authority = Forge::intermediate("Middle", "Root", 2).signed_by(0);
    assert_eq!(verdict(trusting(root()).anchor(authority.clone()), &authority, &[]), Ok(1));
    let lone = Forge::new("Lone", "Lone", 3);
    let pinned = lone.self_signed();
    assert_eq!(verdict(trusting(pinned.clone()), &pinned, &[]), Ok(1));
    let old = lone.valid(now() - DAY * 9, now() - DAY).self_signed();
    assert_eq!(verdict(trusting(old.clone()), &old, &[]), refused(TrustReason::Expired));
    // Another certificate for the same key and name is not the pinned one.
    let twin = Forge::new("Lone", "Lone", 3).serial(&[2]).self_signed();
    assert_eq!(verdict(trusting(pinned), &twin, &[]), refused(TrustReason::UnknownIssuer));
}

#[test]
fn two_anchors_of_one_name_are_told_apart_by_their_keys() {
    let (right, other) = (root(), Forge::root("Root", 5).self_signed());
    for store in
        [trusting(other.clone()).anchor(right.clone()), trusting(right.clone()).anchor(other.clone())]
    {
        let path = store.build().verify(&leaf().signed_by(0), &[], now(), 2048).unwrap();
        assert_eq!(path.chain.last(), Some(&right));
    }
}

#[test]
fn a_verdict_holds_for_the_time_that_all_of_the_path_is_valid() {
    let middle =
        Forge::intermediate("Middle", "Root", 2).valid(now() - DAY * 2, now() + DAY * 5).signed_by(0);
    let leaf = Forge::new("Leaf", "Middle", 1).valid(now() - DAY * 3, now() + DAY * 9).signed_by(2);
    let path = trusting(root()).build().verify(&leaf, &[middle], now(), 2048).unwrap();
    assert_eq!((path.valid_from, path.valid_until), (now() - DAY, now() + DAY * 5));
    assert_eq!((path.revocation_checked, path.pinned), (0, false));
}

fn with_crl(crl: &ForgeCrl, signer: usize) -> TrustStoreBuilder {
    trusting(root()).crl(&crl.signed_by(signer)).unwrap()
}

#[test]
fn attack_sig_17_revoked_stale_and_unprovable_certificates_are_refused() {
    let leaf = leaf().signed_by(0);
    let good = ForgeCrl::new("Root", &[&[9]]);
    assert_eq!(verdict(with_crl(&good, 0), &leaf, &[]), Ok(2));
    let revoked = ForgeCrl::new("Root", &[&[9], &[7]]);
    assert_eq!(verdict(with_crl(&revoked, 0), &leaf, &[]), refused(TrustReason::Revoked));
    let stale = ForgeCrl::new("Root", &[]).until(Some(now()));
    assert_eq!(verdict(with_crl(&stale, 0), &leaf, &[]), refused(TrustReason::RevocationStale));
    let fresh = ForgeCrl::new("Root", &[]).until(Some(now() + DAY));
    assert_eq!(verdict(with_crl(&fresh, 0), &leaf, &[]), Ok(2));
    // A list under the issuer's name that somebody else signed proves nothing.
    assert_eq!(verdict(with_crl(&good, 5), &leaf, &[]), refused(TrustReason::RevocationUnknown));
    // What an old list says stays said; what it does not say needs a new one.
    let both = with_crl(&ForgeCrl::new("Root", &[&[7]]).until(Some(now() - DAY)), 0);
    let both = both.crl(&good.signed_by(0)).unwrap();
    assert_eq!(verdict(both, &leaf, &[]), refused(TrustReason::Revoked));
    let both = with_crl(&stale, 0).crl(&good.signed_by(0)).unwrap();
    assert_eq!(verdict(both, &leaf, &[]), Ok(2));
}

#[test]
fn attack_sig_17_a_list_bounds_the_verdict_and_leaves_other_issuers_alone() {
    let crl = ForgeCrl::new("Root", &[]);
    let path = with_crl(&crl, 0).build().verify(&leaf().signed_by(0), &[], now(), 2048).unwrap();
    assert_eq!(
        (path.revocation_checked, path.valid_until),
        (1, now() + DAY * 30 - std::time::Duration::from_millis(1))
    );
    let other = Forge::root("Other", 5).self_signed();
    let theirs = Forge::new("Leaf", "Other", 1).signed_by(5);
    assert_eq!(verdict(with_crl(&crl, 0).anchor(other), &theirs, &[]), Ok(2));
}

#[test]
fn attack_sig_17_intermediates_are_checked_too() {
    let middle = Forge::intermediate("Middle", "Root", 2).serial(&[8]).signed_by(0);
    let below = Forge::new("Leaf", "Middle", 1).signed_by(2);
    let crl = ForgeCrl::new("Root", &[&[8]]);
    assert_eq!(verdict(with_crl(&crl, 0), &below, &[middle]), refused(TrustReason::Revoked));
}

#[test]
fn attack_sig_17_an_issuer_that_may_not_sign_lists_proves_nothing_with_one() {
    let anchor = Forge::root("Root", 0).with(key_usage(&[KEY_CERT_SIGN])).self_signed();
    let store = trusting(anchor).crl(&ForgeCrl::new("Root", &[]).signed_by(0)).unwrap();
    assert_eq!(verdict(store, &leaf().signed_by(0), &[]), refused(TrustReason::RevocationUnknown));
}

fn scope(fields: &[&[u8]]) -> Vec<u8> {
    extension(oid::ISSUING_DISTRIBUTION_POINT, true, &write::sequence(fields))
}

fn yes(field: u8) -> Vec<u8> {
    write::tlv(context_primitive(field), &[&[0xff]])
}

fn uri(text: &[u8]) -> Vec<u8> {
    let full = write::tlv(context(0), &[&write::tlv(context_primitive(6), &[text])]);
    write::tlv(context(0), &[&full])
}

#[test]
fn attack_sig_17_lists_out_of_scope_prove_nothing() {
    let leaf_certificate = leaf().signed_by(0);
    let users = ForgeCrl::new("Root", &[]).with(scope(&[&yes(1)]));
    assert_eq!(verdict(with_crl(&users, 0), &leaf_certificate, &[]), Ok(2));
    let authorities = ForgeCrl::new("Root", &[]).with(scope(&[&yes(2)]));
    assert_eq!(
        verdict(with_crl(&authorities, 0), &leaf_certificate, &[]),
        refused(TrustReason::RevocationUnknown)
    );
    // A partition speaks for the certificates that name its distribution point.
    let part = ForgeCrl::new("Root", &[]).with(scope(&[&uri(b"ldap:part-1")]));
    let points = |text: &[u8]| {
        extension(oid::CRL_DISTRIBUTION_POINTS, false, &write::sequence(&[&write::sequence(&[&uri(text)])]))
    };
    let named = leaf().with(points(b"ldap:part-1")).signed_by(0);
    assert_eq!(verdict(with_crl(&part, 0), &named, &[]), Ok(2));
    for other in [leaf().with(points(b"ldap:part-2")).signed_by(0), leaf_certificate] {
        assert_eq!(verdict(with_crl(&part, 0), &other, &[]), refused(TrustReason::RevocationUnknown));
    }
}

#[test]
fn attack_sig_17_lists_that_would_not_protect_are_refused_when_configured() {
    let some_reasons = write::tlv(context_primitive(3), &[&[0, 0]]);
    for extension in [
        scope(&[&some_reasons]),
        scope(&[&yes(4)]),
        scope(&[&yes(5)]),
        extension(oid::DELTA_CRL, true, &write::small(1)),
        extension(&[0x2a, 3, 4], true, &write::null()),
    ] {
        let der = ForgeCrl::new("Root", &[]).with(extension).signed_by(0);
        assert!(matches!(trusting(root()).crl(&der), Err(Error::Unsupported { .. })));
    }
    let endless = ForgeCrl::new("Root", &[]).until(None).signed_by(0);
    assert!(matches!(trusting(root()).crl(&endless), Err(Error::Unsupported { .. })));
    assert!(trusting(root()).crl(b"0\x00").is_err());
}

#[test]
fn a_store_says_what_it_holds() {
    let middle = Forge::intermediate("Middle", "Root", 2).signed_by(0);
    let crl = ForgeCrl::new("Root", &[]).signed_by(0);
    let anchor = root();
    let store = trusting(anchor.clone()).anchor(anchor).intermediate(middle).crl(&crl).unwrap();
    let store = store.algorithms(ChainAlgorithms::Legacy).build();
    assert_eq!((store.anchors().count(), store.intermediates().count(), store.crl_count()), (1, 1, 1));
    assert!(!store.is_empty() && TrustStore::empty().is_empty());
}
