//! The thread that owns the engine: takes jobs from a queue and does one after the other. What a job is, each protocol
//! says for itself.

use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long a program that ends waits for a job that can't be interrupted, such as the clearing of a large table.
const PATIENCE: Duration = Duration::from_millis(500);

/// A handle on the thread.
pub(super) struct Servant<J> {
    queue: mpsc::Sender<J>,
    thread: JoinHandle<()>,
}

impl<J: Send + 'static> Servant<J> {
    /// Starts the thread.
    pub(super) fn start(mut work: impl FnMut(J) + Send + 'static) -> Servant<J> {
        let (queue, jobs) = mpsc::channel();
        let thread = std::thread::Builder::new()
            .name("search".to_owned())
            .stack_size(crate::search::STACK_SIZE)
            .spawn(move || jobs.into_iter().for_each(&mut work))
            .expect("a machine that can run a chess engine can start a thread");
        Servant { queue, thread }
    }

    /// Puts a job behind the others.
    pub(super) fn hand_over(&self, job: J) {
        // The thread can only have gone by a fault of ours; then the conversation ends with its input.
        let _ = self.queue.send(job);
    }

    /// Lets it finish what it was given, if it can do so soon; if it is to be awaited, however long that takes.
    pub(super) fn dismiss(self, is_awaited: bool) {
        drop(self.queue);
        let deadline = Instant::now() + PATIENCE;
        while !self.thread.is_finished() && (is_awaited || Instant::now() < deadline) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
