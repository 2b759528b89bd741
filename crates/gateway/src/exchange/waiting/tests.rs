use std::sync::{Arc, mpsc};

use tokio::runtime::Builder;
use tokio::task::yield_now;

use super::*;

#[test]
fn limit_places_for_work_that_waits_turns_the_next_one_away_and_is_given_back() {
    let waiting = Waiting::new(1);
    let inner = waiting.run(|| waiting.run(|| "a second one"));
    assert_eq!(inner, Some(None), "the one place is taken");
    assert_eq!(waiting.run(|| "later"), Some("later"));
}

#[test]
fn place_of_work_that_panics_is_given_back() {
    let waiting = Waiting::new(1);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| waiting.run(|| panic!("a bug"))));
    assert!(panicked.is_err());
    assert_eq!(waiting.run(|| "later"), Some("later"));
}

#[test]
fn other_tasks_of_a_runtime_of_one_thread_run_while_work_waits() {
    // As `net` makes its worker threads.
    let runtime = Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
    let (asked, question) = mpsc::channel();
    let (answer, answered) = mpsc::channel();
    let waits = runtime.spawn(async move {
        Waiting::new(1).run(|| {
            asked.send(()).expect("somebody asks");
            // Only the other task answers: if it had no thread, this would never end.
            answered.recv().expect("an answer")
        })
    });
    let answers = runtime.spawn(async move {
        while question.try_recv().is_err() {
            yield_now().await;
        }
        answer.send("answered").expect("somebody waits");
    });
    runtime.block_on(async {
        assert_eq!(waits.await.expect("no panic"), Some("answered"));
        answers.await.expect("no panic");
    });
}

/// Derives under one lane, and lets one wait.
fn one_derivation() -> Derivations {
    Derivations::new(1, 1)
}

#[test]
fn limit_derivations_that_wait_turn_the_next_one_away_and_hold_up_nobody_else() {
    let derivations = Arc::new(one_derivation());
    let lane = derivations.lanes().take().expect("free");
    // As `net` makes its worker threads.
    let runtime = Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
    let run = |derivations: &Arc<Derivations>| {
        let derivations = Arc::clone(derivations);
        runtime.spawn(async move {
            let mut ran = false;
            (derivations.run(&mut || ran = true), ran)
        })
    };
    let waits = run(&derivations);
    while derivations.lanes().waiting() == 0 {
        std::thread::yield_now();
    }
    // The one thread of the runtime is waited on, and another task of it runs all the same: to be turned away.
    assert_eq!(runtime.block_on(run(&derivations)).expect("no panic"), (false, false));
    drop(lane);
    assert_eq!(runtime.block_on(waits).expect("no panic"), (true, true));
    assert_eq!(runtime.block_on(run(&derivations)).expect("no panic"), (true, true));
}
