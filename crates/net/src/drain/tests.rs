use std::time::Duration;

use super::Drain;

#[tokio::test]
async fn stop_waits_for_the_last_holder() {
    let (drain, mut drained) = Drain::new();
    let worker = tokio::spawn(async move {
        drained.told().await;
        assert!(drained.is_told());
    });
    assert!(drain.stop(Duration::from_secs(5)).await);
    worker.await.expect("the worker saw the stop");
}

#[tokio::test]
async fn stop_gives_up_when_a_holder_stays() {
    let (drain, drained) = Drain::new();
    assert!(!drain.stop(Duration::from_millis(5)).await);
    assert!(drained.is_told());
}
