//! The UCI loop: answers `stop`, `ponderhit` and `isready` at once and passes all other commands to the engine thread.

mod handler;
mod report;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};

use smalt_protocol::uci::{ClientMessage, EngineMessage};

use super::console::ConsoleCommand;
use super::diagram::BoardStyle;
use super::engine_thread::EngineThread;
use super::output::Output;
use super::terminal;
use super::{Flow, ServeEvent, run_loop};
use crate::search::{ClockState, SearchControl};
use handler::CommandHandler;

/// A line for the engine thread.
struct UciJob {
    line: String,
    /// The search or perft that the line starts.
    search: Option<Arc<QueuedSearch>>,
}

/// A requested search; it may still wait in the queue.
struct QueuedSearch {
    control: SearchControl,
    is_over: AtomicBool,
}

pub(crate) struct UciSession {
    output: Output,
    engine_thread: EngineThread<UciJob>,
    latest: Option<Arc<QueuedSearch>>,
    /// Whether a queued job ignores `stop` and must finish before the program exits.
    has_pending_job: bool,
    is_terminal: bool,
}

impl UciSession {
    /// A session over pipes; with a board style, at a terminal.
    pub(crate) fn new(output: Output, style: Option<BoardStyle>) -> UciSession {
        let mut handler = CommandHandler::new(output.clone(), style);
        let engine_thread = EngineThread::start(move |UciJob { line, search }| handler.handle(&line, search));
        UciSession {
            output,
            engine_thread,
            latest: None,
            has_pending_job: false,
            is_terminal: style.is_some(),
        }
    }

    /// Runs from this line on until `quit` or the end of a pipe.
    pub(crate) fn run(mut self, first: String, events: &mpsc::Receiver<ServeEvent>) {
        let is_read = run_loop(first, events, |event| match event {
            ServeEvent::Line(line) => self.on_line(line),
            _ => Flow::Continue,
        });
        self.stop();
        self.engine_thread.finish(self.has_pending_job && is_read);
    }

    fn on_line(&mut self, line: String) -> Flow {
        match ClientMessage::parse(&line) {
            ClientMessage::Quit => return Flow::Quit,
            ClientMessage::Stop => self.stop(),
            ClientMessage::PonderHit => {
                if let Some(search) = &self.latest {
                    search.control.ponder_hit();
                }
            }
            ClientMessage::IsReady if self.is_searching() && !self.is_stopped() => {
                self.output.send(EngineMessage::ReadyOk)
            }
            ClientMessage::Go(_) | ClientMessage::Other(_)
                if self.is_terminal && terminal::is_search(&line) =>
            {
                self.start(line, ClockState::Running);
            }
            ClientMessage::Go(limits) => {
                self.start(line, if limits.ponder { ClockState::Pondering } else { ClockState::Running });
            }
            ClientMessage::Other(text) => match ConsoleCommand::parse(text) {
                Some(command) if command.is_count() => self.start(line, ClockState::Running),
                command => {
                    self.has_pending_job |= command.is_some();
                    self.engine_thread.send(UciJob { line, search: None });
                }
            },
            _ => self.engine_thread.send(UciJob { line, search: None }),
        }
        Flow::Continue
    }

    /// Starts a job that `stop` can end.
    fn start(&mut self, line: String, clock: ClockState) {
        // A search that is never stopped would block the new one.
        self.stop();
        let search = QueuedSearch { control: SearchControl::new(clock), is_over: AtomicBool::new(false) };
        let search = Arc::new(search);
        self.latest = Some(Arc::clone(&search));
        self.engine_thread.send(UciJob { line, search: Some(search) });
    }

    fn is_searching(&self) -> bool {
        self.latest.as_ref().is_some_and(|search| !search.is_over.load(Ordering::Acquire))
    }

    /// Whether the latest search was stopped: `isready` is then answered after its best move.
    fn is_stopped(&self) -> bool {
        self.latest.as_ref().is_some_and(|search| search.control.is_stopped())
    }

    fn stop(&self) {
        if let Some(search) = &self.latest {
            search.control.stop();
        }
    }
}
