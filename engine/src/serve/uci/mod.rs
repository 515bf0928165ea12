//! The UCI loop: decides what a line means, answers at once what must not wait, and hands the rest to the thread
//! that owns the engine.

mod board;
mod obey;
mod options;
mod report;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use smalt_protocol::uci::{ClientMessage, EngineMessage};

use super::Event;
use super::output::Output;
use crate::search::{ClockState, Signals};
use obey::Servant;

/// How long a quitting program waits for work that can't be interrupted: a bench.
const PATIENCE: Duration = Duration::from_millis(500);

/// A line for the thread that owns the engine.
struct Job {
    line: String,
    /// The search that the line starts.
    search: Option<Arc<RunningSearch>>,
}

/// A search that has been asked for, perhaps before it could begin.
struct RunningSearch {
    signals: Signals,
    is_over: AtomicBool,
}

/// A conversation in UCI.
pub(crate) struct Session {
    output: Output,
    jobs: mpsc::Sender<Job>,
    servant: JoinHandle<()>,
    latest: Option<Arc<RunningSearch>>,
}

#[derive(PartialEq, Eq)]
enum Flow {
    GoOn,
    Quit,
}

impl Session {
    pub(crate) fn new(output: Output) -> Session {
        let (jobs, queue) = mpsc::channel();
        let servant = Servant::new(output.clone());
        let servant = std::thread::Builder::new()
            .name("search".to_owned())
            .stack_size(crate::search::STACK_SIZE)
            .spawn(move || servant.run(&queue))
            .expect("a machine that can run a chess engine can start a thread");
        Session { output, jobs, servant, latest: None }
    }

    /// Serves until told to quit or a pipe ends.
    pub(crate) fn run(mut self, events: &mpsc::Receiver<Event>) {
        while let Ok(Event::Line(line)) = events.recv() {
            if self.hear(line) == Flow::Quit {
                break;
            }
        }
        self.close();
    }

    fn hear(&mut self, line: String) -> Flow {
        match ClientMessage::parse(&line) {
            ClientMessage::Quit => return Flow::Quit,
            ClientMessage::Stop => self.stop(),
            ClientMessage::PonderHit => {
                if let Some(search) = &self.latest {
                    search.signals.ponder_hit();
                }
            }
            ClientMessage::IsReady if self.is_searching() => self.output.say(EngineMessage::ReadyOk),
            ClientMessage::Go(limits) => {
                // A search that was never stopped would keep the new one waiting for ever.
                self.stop();
                let clock = if limits.ponder { ClockState::Pondering } else { ClockState::Running };
                let search = RunningSearch { signals: Signals::new(clock), is_over: AtomicBool::new(false) };
                let search = Arc::new(search);
                self.latest = Some(Arc::clone(&search));
                return self.hand_over(Job { line, search: Some(search) });
            }
            _ => return self.hand_over(Job { line, search: None }),
        }
        Flow::GoOn
    }

    fn hand_over(&self, job: Job) -> Flow {
        // The servant can only have gone by a fault of ours; without it there is nothing left to do.
        if self.jobs.send(job).is_ok() { Flow::GoOn } else { Flow::Quit }
    }

    fn is_searching(&self) -> bool {
        self.latest.as_ref().is_some_and(|search| !search.is_over.load(Ordering::Acquire))
    }

    fn stop(&self) {
        if let Some(search) = &self.latest {
            search.signals.stop();
        }
    }

    /// Stops the search and lets the servant finish what was asked before, if it can do so soon.
    fn close(self) {
        self.stop();
        drop(self.jobs);
        let deadline = Instant::now() + PATIENCE;
        while !self.servant.is_finished() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
