//! The thread that owns the engine and executes jobs from a queue. Each protocol defines its own jobs.

use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long an exit waits for a job that cannot be interrupted, such as clearing a large hash table.
pub(super) const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(500);

/// Handle of the engine thread.
pub(super) struct EngineThread<J> {
    queue: mpsc::Sender<J>,
    thread: JoinHandle<()>,
}

impl<J: Send + 'static> EngineThread<J> {
    pub(super) fn start(mut work: impl FnMut(J) + Send + 'static) -> EngineThread<J> {
        let (queue, jobs) = mpsc::channel();
        let thread = std::thread::Builder::new()
            .name("search".to_owned())
            .stack_size(crate::search::STACK_SIZE)
            .spawn(move || jobs.into_iter().for_each(&mut work))
            .expect("a machine that can run a chess engine can start a thread");
        EngineThread { queue, thread }
    }

    pub(super) fn send(&self, job: J) {
        // The thread ends early only by a panic; the session then ends with its input.
        let _ = self.queue.send(job);
    }

    /// Waits for the queued jobs: at most [`SHUTDOWN_TIMEOUT`], or without limit if `wait`.
    pub(super) fn finish(self, wait: bool) {
        drop(self.queue);
        let deadline = Instant::now() + SHUTDOWN_TIMEOUT;
        while !self.thread.is_finished() && (wait || Instant::now() < deadline) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
