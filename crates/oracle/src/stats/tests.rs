use super::*;
use crate::chance::Chance;

/// Twenty thousand times like those at a socket: 10 ms, a tick of one millisecond, noise, some outliers.
fn times(seed: u64, more_ns: u32) -> Vec<u32> {
    let mut chance = Chance::new(seed);
    let mut one = || {
        let tick = u32::try_from(chance.below(1_000_000)).unwrap();
        let noise = u32::try_from((0..8).map(|_| chance.below(20_000)).sum::<usize>()).unwrap();
        let outlier = if chance.below(100) == 0 { 8_000_000 } else { 0 };
        10_000_000 + tick + noise + outlier + more_ns
    };
    (0..20_000).map(|_| one()).collect()
}

#[test]
fn fifty_microseconds_are_seen_by_both_tests() {
    let difference = compare(&times(1, 50_000), &times(2, 0));
    assert!(difference.t > LIMIT && difference.sign > LIMIT, "{difference:?}");
    assert!((40_000.0..=60_000.0).contains(&difference.mean), "{difference:?}");
    let faster = compare(&times(3, 0), &times(4, 50_000));
    assert!(faster.t < -LIMIT && faster.sign < -LIMIT && faster.is_seen(), "{faster:?}");
}

#[test]
fn equal_classes_are_not_told_apart() {
    let mut beyond_two = 0;
    for seed in 0..40 {
        let difference = compare(&times(2 * seed + 100, 0), &times(2 * seed + 101, 0));
        assert!(!difference.is_seen(), "{seed}: {difference:?}");
        beyond_two += usize::from(difference.t.abs() > 2.0);
    }
    // One in twenty is beyond two standard errors if the error is right; half of them if it were too small.
    assert!(beyond_two <= 8, "{beyond_two} of 40");
}

#[test]
fn outliers_on_one_side_do_not_count() {
    let reference = times(7, 0);
    let mut class = times(8, 0);
    for sample in class.iter_mut().step_by(50) {
        *sample += 40_000_000;
    }
    assert!(!compare(&class, &reference).is_seen());
}

#[test]
fn constant_samples_give_no_number_that_is_none() {
    let same = compare(&[5; 10], &[5; 10]);
    assert_eq!((same.t, same.sign, same.error), (0.0, 0.0, 0.0));
    assert!(!compare(&[], &[]).is_seen());
}

#[test]
fn median_and_quantiles_are_values_of_the_samples() {
    assert_eq!(median(&[9, 1, 5]), 5);
    assert_eq!(median(&[]), 0);
    assert_eq!(quantile(&[1, 2, 3, 4, 5], 0.9), 5);
}
