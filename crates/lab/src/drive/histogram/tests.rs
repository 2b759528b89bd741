use super::*;

fn of(micros: impl IntoIterator<Item = u64>) -> Histogram {
    let mut histogram = Histogram::default();
    micros.into_iter().for_each(|value| histogram.add(Duration::from_micros(value)));
    histogram
}

#[track_caller]
fn near(found: Option<f64>, wanted: f64) {
    let found = found.unwrap();
    assert!((found / wanted - 1.0).abs() < 0.016, "{found} is not {wanted}");
}

#[test]
fn every_value_lies_in_its_bucket_and_buckets_are_in_order() {
    let mut last = 0;
    for nanos in (0..300).chain((0..38).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1, 5 << bit]))
    {
        let (low, width) = bounds(bucket(nanos) as u64);
        assert!((low..low + width).contains(&nanos), "{nanos} in {low}+{width}");
        assert!(width == 1 || width * 63 <= nanos, "{nanos} in a bucket {width} wide");
    }
    for nanos in 0..100_000 {
        assert!(bucket(nanos) == last || bucket(nanos) == last + 1, "a gap at {nanos}");
        last = bucket(nanos);
    }
}

#[test]
fn percentiles_are_those_of_the_values() {
    let histogram = of(1..=1000);
    near(histogram.micros(0.5), 500.0);
    near(histogram.micros(0.99), 990.0);
    near(histogram.micros(1.0), 1000.0);
    near(histogram.micros(0.0), 1.0);
    assert_eq!(histogram.len(), 1000);
}

#[test]
fn merged_histograms_count_what_both_did() {
    let mut merged = of([10, 20]);
    merged.merge(&of([5000]));
    assert_eq!(merged, of([5000, 20, 10]));
    near(merged.micros(1.0), 5000.0);
}

#[test]
fn nothing_has_no_percentile_and_the_longest_has_one() {
    assert_eq!(Histogram::default().micros(0.5), None);
    assert!(Histogram::default().is_empty());
    let mut histogram = Histogram::default();
    histogram.add(Duration::from_secs(1 << 40));
    near(histogram.micros(0.5), LONGEST as f64 / 1000.0);
}
