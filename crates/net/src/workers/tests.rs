use std::sync::mpsc::channel;
use std::thread::ThreadId;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

use super::*;

#[test]
fn connections_spread_over_the_threads_and_leave_their_places() {
    let threads = WorkerThreads::start(2).unwrap();
    let workers = threads.workers();
    let (tell, told) = channel::<ThreadId>();
    let release = Arc::new(Notify::new());
    let main = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    main.block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let mut clients = Vec::new();
        for _ in 0..4 {
            clients.push(TcpStream::connect(listener.local_addr().unwrap()).await.unwrap());
            let (stream, _) = listener.accept().await.unwrap();
            let (tell, release) = (tell.clone(), Arc::clone(&release));
            workers.run(stream, move |stream| async move {
                // Proof that the stream lives on this runtime: it can be waited for here.
                stream.writable().await.unwrap();
                tell.send(std::thread::current().id()).unwrap();
                release.notified().await;
                drop(tell);
            });
        }
        let seen: Vec<ThreadId> = (0..4).map(|_| told.recv().unwrap()).collect();
        assert_eq!(workers.connections(), [2, 2]);
        for thread in &seen {
            assert_ne!(*thread, std::thread::current().id());
            assert_eq!(seen.iter().filter(|other| *other == thread).count(), 2);
        }
    });
    drop(tell);
    for _ in 0..4 {
        release.notify_one();
    }
    release.notify_waiters();
    while told.recv().is_ok() {}
    // The place goes just after the work's own things: what runs on the same two threads behind it comes later.
    let behind: Vec<_> = threads.runtimes.iter().map(|runtime| runtime.spawn(async {})).collect();
    main.block_on(async {
        for task in behind {
            task.await.unwrap();
        }
    });
    assert_eq!(workers.connections(), [0, 0]);
}
