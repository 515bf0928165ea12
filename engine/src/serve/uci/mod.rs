//! The UCI loop: decides what a line context, answers at once what must not wait, and hands the rest to the thread
//! that owns the engine.

mod obey;
mod report;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};

use smalt_protocol::uci::{ClientMessage, EngineMessage};

use super::console::ConsoleCommand;
use super::output::Output;
use super::servant::Servant;
use super::{Event, Flow, converse};
use crate::search::{ClockState, SearchControl};
use obey::Desk;

/// A line for the thread that owns the engine.
struct Job {
    line: String,
    /// The search, or the count of moves, that the line starts.
    search: Option<Arc<RunningSearch>>,
}

/// A search that has been asked for, perhaps before it could begin.
struct RunningSearch {
    control: SearchControl,
    is_over: AtomicBool,
}

/// A conversation in UCI.
pub(crate) struct Session {
    output: Output,
    servant: Servant<Job>,
    latest: Option<Arc<RunningSearch>>,
    /// Whether something was asked for that nothing stops and whose end is awaited.
    has_errand: bool,
}

impl Session {
    pub(crate) fn new(output: Output) -> Session {
        let mut desk = Desk::new(output.clone());
        let servant = Servant::start(move |Job { line, search }| desk.obey(&line, search));
        Session { output, servant, latest: None, has_errand: false }
    }

    /// Serves from this line on until told to quit or a pipe ends.
    pub(crate) fn run(mut self, first: String, events: &mpsc::Receiver<Event>) {
        let is_read = converse(first, events, |event| match event {
            Event::Line(line) => self.hear(line),
            _ => Flow::GoOn,
        });
        self.stop();
        self.servant.dismiss(self.has_errand && is_read);
    }

    fn hear(&mut self, line: String) -> Flow {
        match ClientMessage::parse(&line) {
            ClientMessage::Quit => return Flow::Quit,
            ClientMessage::Stop => self.stop(),
            ClientMessage::PonderHit => {
                if let Some(search) = &self.latest {
                    search.control.ponder_hit();
                }
            }
            ClientMessage::IsReady if self.is_searching() && !self.is_stopped() => {
                self.output.say(EngineMessage::ReadyOk)
            }
            ClientMessage::Go(limits) => {
                self.start(line, if limits.ponder { ClockState::Pondering } else { ClockState::Running });
            }
            ClientMessage::Other(text) => match ConsoleCommand::parse(text) {
                Some(ConsoleCommand::Perft(_) | ConsoleCommand::Divide(_)) => {
                    self.start(line, ClockState::Running);
                }
                command => {
                    self.has_errand |= command.is_some_and(|command| command.is_errand());
                    self.servant.hand_over(Job { line, search: None });
                }
            },
            _ => self.servant.hand_over(Job { line, search: None }),
        }
        Flow::GoOn
    }

    /// Starts what `stop` can end.
    fn start(&mut self, line: String, clock: ClockState) {
        // A search that was never stopped would keep the new one waiting for ever.
        self.stop();
        let search = RunningSearch { control: SearchControl::new(clock), is_over: AtomicBool::new(false) };
        let search = Arc::new(search);
        self.latest = Some(Arc::clone(&search));
        self.servant.hand_over(Job { line, search: Some(search) });
    }

    fn is_searching(&self) -> bool {
        self.latest.as_ref().is_some_and(|search| !search.is_over.load(Ordering::Acquire))
    }

    /// Whether the latest search has been told to end: then what is asked waits for its move.
    fn is_stopped(&self) -> bool {
        self.latest.as_ref().is_some_and(|search| search.control.is_stopped())
    }

    fn stop(&self) {
        if let Some(search) = &self.latest {
            search.control.stop();
        }
    }
}
