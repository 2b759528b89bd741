use super::*;
use crate::replay::MemoryReplay;

const WINDOW: Duration = Duration::from_secs(600);

fn key(n: u64) -> ReplayKey {
    ReplayKey::of_token("user", &n.to_be_bytes(), "")
}

fn at(seconds: i64) -> Time {
    Time::from_unix(seconds)
}

fn memory(least: u64) -> AtLeast {
    AtLeast::new(Arc::new(MemoryReplay::new(1000, WINDOW)), Duration::from_secs(least))
}

#[test]
fn claim_outlasts_its_message_for_the_least_time_and_for_the_window() {
    for (least, kept) in [(3600, 3600), (10, 600)] {
        let memory = memory(least);
        assert_eq!(memory.claim(&key(1), Remember::Until(at(5)), at(0)), Claim::Fresh);
        assert_eq!(memory.claim(&key(2), Remember::Window, at(0)), Claim::Fresh);
        // Under a plan that lets messages live longer.
        let long = Remember::Until(at(100_000));
        for (time, wanted) in [(kept - 1, Claim::Repeat), (kept, Claim::Fresh)] {
            assert_eq!(memory.claim(&key(1), long, at(time)), wanted, "{least}, at {time}");
            assert_eq!(memory.claim(&key(2), long, at(time)), wanted, "{least}, at {time}");
        }
    }
}

#[test]
fn attack_tok_04_claim_that_is_kept_longer_does_not_make_its_message_live_longer() {
    let memory = memory(600);
    let until = Remember::Until(at(300));
    assert_eq!(memory.claim(&key(1), until, at(0)), Claim::Fresh);
    // The claim is over and forgotten; then the clock goes back by five minutes, to where the message would live.
    assert_eq!(memory.claim(&key(2), Remember::Window, at(600)), Claim::Fresh);
    assert_eq!(memory.claim(&key(1), until, at(299)), Claim::Stale);
}

#[test]
fn message_without_a_time_is_taken_after_the_clock_went_back_by_hours() {
    let memory = memory(600);
    assert_eq!(memory.claim(&key(1), Remember::Window, at(86_400)), Claim::Fresh);
    assert_eq!(memory.claim(&key(2), Remember::Window, at(0)), Claim::Fresh);
    assert_eq!(memory.claim(&key(2), Remember::Window, at(86_400 + 599)), Claim::Repeat);
}
