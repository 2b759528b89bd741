use super::*;

#[test]
fn median_of_odd_and_even_counts_and_of_nothing() {
    assert_eq!(median(&[9.0, 1.0, 5.0]), Some(5.0));
    assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
    assert_eq!(median(&[]), None);
}

#[test]
fn percentile_is_the_nearest_rank() {
    let values: Vec<f64> = (1..=100).rev().map(f64::from).collect();
    assert_eq!(percentile(&values, 0.5), Some(50.0));
    assert_eq!(percentile(&values, 0.99), Some(99.0));
    assert_eq!(percentile(&values, 1.0), Some(100.0));
    assert_eq!(percentile(&values, 0.0), Some(1.0));
    assert_eq!(percentile(&[], 0.5), None);
}

#[test]
fn paired_ratio_cancels_what_slowed_a_whole_round() {
    // The second round ran at half the speed; the ratio of each round is 2.
    assert_eq!(paired_ratio(&[20.0, 40.0, 21.0], &[10.0, 20.0, 10.5]), Some(2.0));
    assert_eq!(paired_ratio(&[20.0], &[0.0]), None);
    assert_eq!(paired_ratio(&[], &[]), None);
}

#[test]
fn best_and_spread_of_rounds() {
    assert_eq!(best(&[3.0, 2.0, 8.0]), Some(2.0));
    assert_eq!(spread(&[10.0, 10.0, 10.0, 10.0]), Some(0.0));
    assert_eq!(spread(&[8.0, 9.0, 10.0, 11.0]), Some((10.0 - 8.0) / 9.5));
}
