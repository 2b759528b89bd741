use super::{Call, MOST, slope};

fn calls(work: impl Fn(f64) -> f64) -> Vec<Call> {
    let sizes = [1e5, 2e5, 4e5];
    let call = |octets: f64| Call { octets, instructions: work(octets), verdict: String::new() };
    sizes.into_iter().map(call).collect()
}

#[test]
fn linear_and_sorting_work_passes_and_squares_do_not() {
    assert!((slope(&calls(|n| 40.0 * n)) - 1.0).abs() < 1e-9);
    assert!(slope(&calls(|n| n * n.log2())) < MOST);
    assert!((slope(&calls(|n| n * n)) - 2.0).abs() < 1e-9);
    // A square that is small beside the rest at these sizes is seen.
    assert!(slope(&calls(|n| 40.0 * n + n * n / 1e4)) > MOST);
}
