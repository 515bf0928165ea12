//! The thread that owns the engine: does what the lines say, one after the other.

use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};

use smalt_chess::perft::{DEEPEST, perft_until};
use smalt_chess::{Position, UciMove};
use smalt_protocol::SearchLimits;
use smalt_protocol::uci::client::Start;
use smalt_protocol::uci::engine::Id;
use smalt_protocol::uci::{ClientMessage, EngineMessage};

use super::board::Board;
use super::options::Settings;
use super::report::{tell_choice, tell_progress};
use super::{Job, RunningSearch};
use crate::bench::{self, BenchPlan};
use crate::engine::Engine;
use crate::evaluation::explain;
use crate::serve::output::Output;

/// Owns the engine and obeys.
pub(super) struct Servant {
    engine: Engine,
    settings: Settings,
    output: Output,
}

impl Servant {
    pub(super) fn new(output: Output) -> Servant {
        Servant { engine: Engine::new(), settings: Settings::new(), output }
    }

    /// Obeys until no further line can come.
    pub(super) fn run(mut self, queue: &mpsc::Receiver<Job>) {
        for Job { line, search } in queue {
            self.obey(&line, search);
        }
    }

    fn obey(&mut self, line: &str, search: Option<Arc<RunningSearch>>) {
        match ClientMessage::parse(line) {
            ClientMessage::Uci => self.introduce(),
            ClientMessage::IsReady => self.output.say(EngineMessage::ReadyOk),
            ClientMessage::UciNewGame => self.engine.new_game(),
            ClientMessage::SetOption { name, value } => {
                let set = self.settings.set(&mut self.engine, name, value.unwrap_or_default());
                self.complain(set.map_err(|error| error.to_string()));
            }
            ClientMessage::Position { start, moves } => {
                let set = self.set_position(start, moves.iter());
                self.complain(set);
            }
            ClientMessage::Go(limits) => {
                if let Some(search) = search {
                    self.go(&limits, &search);
                }
            }
            ClientMessage::Other(line) => self.obey_own_command(line),
            // The session has heard these; nothing is logged, nothing has to be registered.
            ClientMessage::Stop | ClientMessage::PonderHit | ClientMessage::Quit => {}
            ClientMessage::Debug(_) | ClientMessage::Register(_) => {}
        }
    }

    fn complain(&self, result: Result<(), String>) {
        if let Err(reason) = result {
            self.output.tell(reason);
        }
    }

    fn introduce(&self) {
        self.output.say(EngineMessage::Id(Id::Name(concat!("Smalt ", env!("CARGO_PKG_VERSION")))));
        self.output.say(EngineMessage::Id(Id::Author(env!("CARGO_PKG_AUTHORS"))));
        for option in self.settings.declarations() {
            self.output.say(EngineMessage::Option(option.clone()));
        }
        self.output.say(EngineMessage::UciOk);
    }

    fn set_position(&mut self, start: Start<'_>, moves: impl Iterator<Item = UciMove>) -> Result<(), String> {
        let start = match start {
            Start::Standard => Position::start(),
            Start::Fen(fen) => fen.parse().map_err(|error| format!("position refused: {error}"))?,
        };
        self.engine.set_position(start, moves).map_err(|error| error.to_string())
    }

    fn go(&mut self, limits: &SearchLimits, search: &RunningSearch) {
        match limits.perft {
            Some(depth) => self.perft(depth.clamp(1, DEEPEST), search),
            None => {
                let (output, settings) = (&self.output, &self.settings);
                let choice = self.engine.go(limits, &search.signals, &mut |progress| {
                    tell_progress(output, settings, progress);
                });
                // Before the move is told: whoever reads it may ask at once whether we are ready.
                search.is_over.store(true, Ordering::Release);
                tell_choice(output, settings.castling, choice);
            }
        }
        search.is_over.store(true, Ordering::Release);
    }

    fn perft(&self, depth: u32, search: &RunningSearch) {
        let position = self.engine.position();
        let mut total = 0;
        for &mv in &position.legal_moves() {
            let is_stopped = || search.signals.is_stopped();
            let Some(count) = perft_until(&position.after(mv), depth - 1, &is_stopped) else {
                return self.output.tell("perft stopped");
            };
            self.output.say(format_args!("{}: {count}", UciMove::from_move(mv, self.settings.castling)));
            total += count;
        }
        self.output.say(format_args!("\nNodes searched: {total}"));
    }

    /// What is not in the protocol: `d`, `eval`, `bench [depth]`.
    fn obey_own_command(&self, line: &str) {
        let mut words = line.split_whitespace();
        match words.next() {
            None => {}
            Some("d") => self.output.say(Board(self.engine.position())),
            Some("eval") => self.output.say(explain(self.engine.position(), self.engine.parameters())),
            Some("bench") => {
                let mut plan = BenchPlan::default();
                plan.depth = words.next().and_then(|word| word.parse().ok()).unwrap_or(plan.depth).max(1);
                let result = bench::run(plan);
                self.output.say(format_args!("{} nodes {} nps", result.nodes, result.speed()));
            }
            Some(_) => self.output.tell(format_args!("unknown command: {line}")),
        }
    }
}
