use std::time::Duration;

use super::*;

fn window(answered: u64, ticks: u64, errors: u64) -> Window {
    let mut latencies = Histogram::default();
    (0..answered).for_each(|_| latencies.add(Duration::from_micros(500)));
    Window {
        answered,
        elapsed: Duration::from_secs(2),
        latencies,
        ticks,
        resident: 1000 * answered,
        errors,
        first_error: (errors > 0).then(|| "broken".into()),
        kept: Vec::new(),
    }
}

#[test]
fn figures_are_medians_over_turns_and_ratios_are_paired() {
    let mut series = Series::default();
    // 2 s with 100, 150 and 120 ticks: 1.0, 1.5 and 1.2 s of CPU.
    for (answered, ticks) in [(1000, 100), (1000, 150), (1000, 120)] {
        series.add(&window(answered, ticks, 0));
    }
    let figures = series.figures(10, 20, &[500.0, 750.0, 400.0], Some(&[250.0, 750.0, 600.0])).unwrap();
    assert_eq!(figures.cpu, Spread { median: 1200.0, low: 1000.0, high: 1500.0 });
    assert_eq!(figures.rate.median, 500.0);
    assert_eq!((figures.rounds, figures.messages), (3, 3000));
    assert_eq!(figures.to_floor, Some(2.0));
    assert_eq!(figures.to_own, Some(2.0));
    assert_eq!(figures.resident, Some(1_000_000));
}

#[test]
fn turn_without_a_right_answer_leaves_errors_and_no_figures() {
    let mut series = Series::default();
    series.add(&window(0, 7, 3));
    assert_eq!(series.figures(1, 1, &[], None), None);
    assert_eq!(series.tally, Tally { errors: 3, first: Some("broken".into()) });
    series.tally.count(2, Some("later".to_owned()));
    assert_eq!(series.tally, Tally { errors: 5, first: Some("broken".into()) });
}

#[test]
fn warming_goes_on_while_a_server_gets_faster_and_ends_in_any_case() {
    assert!(still_warming(&[]) && still_warming(&[5.0; 5]));
    assert!(!still_warming(&[5.0; 6]));
    assert!(still_warming(&[9.0, 8.0, 7.0, 6.0, 5.0, 4.0]));
    assert!(!still_warming(&[9.0, 8.0, 7.0, 6.0, 4.0, 3.9]));
    assert!(!still_warming(&[9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]));
    // Parts without an answer are no sign of anything.
    assert!(!still_warming(&[f64::INFINITY; 6]));
}
