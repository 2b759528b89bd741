//! That it never returns early; how late it may be is nothing for a test, see `cargo xtask oracle`.

use std::time::{Duration, Instant};

use super::until;

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

#[test]
fn many_waits_at_a_time_are_never_early() {
    let late: Vec<Duration> = runtime().block_on(async {
        let waits = (0..50u32).map(|number| {
            let due = Instant::now() + Duration::from_micros(u64::from(number) * 333);
            tokio::spawn(async move {
                until(due).await;
                Instant::now().checked_duration_since(due).expect("not before it is due")
            })
        });
        let waits: Vec<_> = waits.collect();
        let mut late = Vec::new();
        for wait in waits {
            late.push(wait.await.expect("it ended"));
        }
        late
    });
    assert_eq!(late.len(), 50);
}

#[test]
fn what_is_past_needs_no_waiting_and_no_driver() {
    let bare = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    bare.block_on(until(Instant::now()));
}
