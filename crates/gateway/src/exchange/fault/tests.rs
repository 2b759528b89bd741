use std::time::{Duration, Instant};

use super::send_at;

#[test]
fn refusal_is_sent_at_the_next_multiple_of_the_quantum() {
    let arrived = Instant::now();
    let quantum = Duration::from_millis(10);
    for (worked_us, sent_ms) in [(0, 10), (1, 10), (9_999, 10), (10_000, 10), (10_001, 20), (42_000, 50)] {
        let done = arrived + Duration::from_micros(worked_us);
        assert_eq!(send_at(arrived, done, quantum), arrived + Duration::from_millis(sent_ms), "{worked_us}");
    }
}

#[test]
fn no_quantum_sends_at_once() {
    let arrived = Instant::now();
    let done = arrived + Duration::from_micros(1234);
    assert_eq!(send_at(arrived, done, Duration::ZERO), done);
}
