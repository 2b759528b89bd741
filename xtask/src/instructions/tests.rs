use super::*;

#[test]
fn more_than_the_tolerance_fails_and_less_does_not() {
    assert!(judge(Some(1000), 1050).1);
    assert!(!judge(Some(1000), 1051).1);
    let (text, within) = judge(Some(1000), 900);
    assert!(within && text.contains("--bless"), "{text}");
}

#[test]
fn case_without_a_baseline_fails() {
    assert!(!judge(None, 5).1);
    assert!(!judge(Some(0), 5).1);
}

#[test]
fn baseline_is_read_back_as_written() {
    let counts: BTreeMap<&str, u64> = CASES.iter().map(|(name, count)| (*name, count * 1000)).collect();
    let read = read(&write(&counts)).unwrap();
    assert_eq!(read.len(), CASES.len());
    assert!(CASES.iter().all(|(name, count)| read[*name] == count * 1000));
    assert!(super::read("a-name without-a-count").is_err());
}

#[test]
fn the_count_is_found_in_what_callgrind_says() {
    let said = "==1== Events    : Ir\n==1== Collected : 123456\n==1==\n";
    assert_eq!(collected(said), Some(123_456));
    assert_eq!(collected("==1== nothing"), None);
}
