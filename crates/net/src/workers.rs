//! The threads that connections run on: one runtime of one thread each.
//!
//! A connection stays on the thread that it was given to, so that a request is read, worked on and answered without waking another
//! thread: where threads share one queue of tasks, every event of a socket wakes a second one to look for work, which costs more than
//! all of HTTP. Each accepted connection goes to the thread that has the fewest. A runtime of one thread, unlike one that is bound to
//! its thread, lets the other connections of that thread go on elsewhere while a large message is worked on.
//! Not here: accepting. Called by the server at its start and by `listen` for each connection.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::TcpStream;
use tokio::runtime::{Builder, Handle, Runtime};

/// Owns the threads. When it is dropped they end, whatever still runs on them.
#[derive(Debug)]
pub struct WorkerThreads {
    runtimes: Vec<Runtime>,
    workers: Workers,
}

/// Where connections go. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Workers(Arc<[Worker]>);

/// One thread.
#[derive(Debug)]
struct Worker {
    runtime: Handle,
    connections: AtomicUsize,
}

/// A place on a thread, for as long as the connection is there.
#[derive(Debug)]
struct Place {
    workers: Workers,
    index: usize,
}

impl WorkerThreads {
    /// Starts `count` threads, at least one.
    ///
    /// # Errors
    /// If the operating system gives no thread or no event queue.
    pub fn start(count: usize) -> io::Result<WorkerThreads> {
        let runtimes = (0..count.max(1))
            .map(|_| {
                Builder::new_multi_thread().worker_threads(1).thread_name("bartizan").enable_all().build()
            })
            .collect::<io::Result<Vec<Runtime>>>()?;
        let workers = Workers::on(runtimes.iter().map(|runtime| runtime.handle().clone()));
        Ok(WorkerThreads { runtimes, workers })
    }

    /// Where connections go.
    pub fn workers(&self) -> Workers {
        self.workers.clone()
    }
}

impl Drop for WorkerThreads {
    fn drop(&mut self) {
        for runtime in self.runtimes.drain(..) {
            runtime.shutdown_background();
        }
    }
}

impl Workers {
    fn on(runtimes: impl IntoIterator<Item = Handle>) -> Workers {
        let worker = |runtime| Worker { runtime, connections: AtomicUsize::new(0) };
        Workers(runtimes.into_iter().map(worker).collect())
    }

    /// Runs `work` with the stream on the thread that has the fewest connections.
    pub(crate) fn run<F>(&self, stream: TcpStream, work: impl FnOnce(TcpStream) -> F + Send + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let fewest = self.0.iter().enumerate().min_by_key(|(_, w)| w.connections.load(Ordering::Relaxed));
        let Some((index, worker)) = fewest else { return };
        worker.connections.fetch_add(1, Ordering::Relaxed);
        let place = Place { workers: self.clone(), index };
        // A stream belongs to the event queue of the runtime that it was made on: it moves from the one here to the one there.
        let Ok(stream) = stream.into_std() else { return };
        worker.runtime.spawn(async move {
            if let Ok(stream) = TcpStream::from_std(stream) {
                work(stream).await;
            }
            drop(place);
        });
    }

    #[cfg(test)]
    fn connections(&self) -> Vec<usize> {
        self.0.iter().map(|w| w.connections.load(Ordering::Relaxed)).collect()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(worker) = self.workers.0.get(self.index) {
            worker.connections.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;
