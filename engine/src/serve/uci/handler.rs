//! The engine thread's side of UCI: executes commands one by one.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use smalt_chess::perft::DEEPEST;
use smalt_chess::{Color, Position, UciMove};
use smalt_protocol::uci::client::{Start, unread_words_of_go};
use smalt_protocol::uci::engine::Id;
use smalt_protocol::uci::{ClientMessage, EngineMessage};
use smalt_protocol::{Moves, SearchLimits};

use super::QueuedSearch;
use super::report::{send_bestmove, send_info};
use crate::engine::Engine;
use crate::search::{ClockState, SearchControl};
use crate::serve::console::{self, ConsoleCommand};
use crate::serve::diagram::BoardStyle;
use crate::serve::output::Output;
use crate::serve::settings::Settings;
use crate::serve::terminal::{PROMPT, Terminal};

/// The engine, its options and the output.
pub(super) struct CommandHandler {
    engine: Engine,
    settings: Settings,
    output: Output,
    terminal: Option<Terminal>,
}

impl CommandHandler {
    pub(super) fn new(output: Output, style: Option<BoardStyle>) -> CommandHandler {
        let terminal = style.map(Terminal::new);
        CommandHandler { engine: Engine::new(), settings: Settings::new(), output, terminal }
    }

    /// Executes a command line, then prompts at a terminal.
    pub(super) fn handle(&mut self, line: &str, search: Option<Arc<QueuedSearch>>) {
        if !self.handle_terminal(line, search.as_deref()) {
            self.handle_uci(line, search);
        }
        if self.terminal.is_some() {
            self.output.prompt(PROMPT);
        }
    }

    /// Executes a terminal command; false if it is not one.
    fn handle_terminal(&mut self, line: &str, search: Option<&QueuedSearch>) -> bool {
        let Some(terminal) = &mut self.terminal else { return false };
        let output = &self.output;
        let unused = SearchControl::new(ClockState::Running);
        let control = search.map_or(&unused, |search| &search.control);
        let is_done = terminal.run(line.trim(), &mut self.engine, &mut self.settings, control, &mut |text| {
            output.send(text);
        });
        if let Some(search) = search.filter(|_| is_done) {
            search.is_over.store(true, Ordering::Release);
        }
        is_done
    }

    fn handle_uci(&mut self, line: &str, search: Option<Arc<QueuedSearch>>) {
        match ClientMessage::parse(line) {
            ClientMessage::Uci => self.send_id(),
            ClientMessage::IsReady => self.output.send(EngineMessage::ReadyOk),
            ClientMessage::UciNewGame => {
                self.engine.new_game();
                if let Some(terminal) = &mut self.terminal {
                    terminal.set_game(Position::start(), []);
                }
            }
            ClientMessage::SetOption { name, value } => {
                match self.settings.set(&mut self.engine, name, value.unwrap_or_default()) {
                    Ok(None) => {}
                    Ok(Some(note)) => self.output.info_string(note),
                    Err(error) => self.output.info_string(error),
                }
            }
            ClientMessage::Position { start, moves } => {
                let set = self.set_position(start, moves);
                self.report_error(set);
            }
            ClientMessage::Go(limits) => {
                if let Some(search) = search {
                    self.report_skipped_words(line, &limits);
                    self.go(&limits, &search);
                }
            }
            ClientMessage::Other(line) => self.handle_console_command(line, search.as_deref()),
            // Handled by the session, or without effect here.
            ClientMessage::Stop | ClientMessage::PonderHit | ClientMessage::Quit => {}
            ClientMessage::Debug(_) | ClientMessage::Register(_) => {}
        }
    }

    fn report_error(&self, result: Result<(), String>) {
        if let Err(reason) = result {
            self.output.info_string(reason);
        }
    }

    fn send_id(&self) {
        self.output.send(EngineMessage::Id(Id::Name(&format!("Smalt {}", smalt_about::VERSION))));
        self.output.send(EngineMessage::Id(Id::Author(env!("CARGO_PKG_AUTHORS"))));
        for option in self.settings.declarations() {
            self.output.send(EngineMessage::Option(option.clone()));
        }
        self.output.send(EngineMessage::UciOk);
    }

    fn set_position(&mut self, start: Start<'_>, moves: Moves<'_>) -> Result<(), String> {
        let start = match start {
            Start::Standard => Position::start(),
            Start::Fen(fen) => fen.parse().map_err(|error| format!("position refused: {error}"))?,
        };
        if let Some(terminal) = &mut self.terminal {
            terminal.set_game(start, moves.iter());
        }
        self.engine.set_position(start, moves.iter()).map_err(|error| error.to_string())?;
        match moves.iter().stopped_at() {
            Some(word) => Err(format!("move {} can't be read: {word:?}", moves.iter().count() + 1)),
            None => Ok(()),
        }
    }

    /// Reports skipped words of `go` and illegal `searchmoves`.
    fn report_skipped_words(&self, line: &str, limits: &SearchLimits) {
        let unread = unread_words_of_go(line);
        if !unread.is_empty() {
            let consequence = match is_endless(limits, self.engine.position().turn()) {
                true => ": no limit is left, the search runs until stop",
                false => "",
            };
            self.output.info_string(format_args!("not understood in go: {}{consequence}", unread.join(" ")));
        }
        let is_illegal = |mv: &&UciMove| mv.to_move(self.engine.position()).is_err();
        let illegal: Vec<String> =
            limits.search_moves.iter().filter(is_illegal).map(ToString::to_string).collect();
        if !illegal.is_empty() {
            let consequence = match illegal.len() == limits.search_moves.len() {
                true => ": all moves are searched",
                false => "",
            };
            self.output.info_string(format_args!("no legal moves here: {}{consequence}", illegal.join(" ")));
        }
    }

    fn go(&mut self, limits: &SearchLimits, search: &QueuedSearch) {
        match limits.perft {
            Some(depth) => self.perft(depth.clamp(1, DEEPEST), search),
            None => {
                let (output, settings) = (&self.output, &self.settings);
                let choice = self.engine.go(limits, &search.control, &mut |progress| {
                    send_info(output, settings, progress);
                });
                // Before the move is sent, since its reader may send isready at once.
                search.is_over.store(true, Ordering::Release);
                send_bestmove(output, settings.castling, choice);
            }
        }
        search.is_over.store(true, Ordering::Release);
    }

    fn perft(&self, depth: u32, search: &QueuedSearch) {
        let castling = self.settings.castling;
        let total = console::divide(self.engine.position(), depth, &search.control, &mut |mv, count| {
            self.output.send(format_args!("{}: {count}", UciMove::from_move(mv, castling)));
        });
        match total {
            Some(total) => self.output.send(format_args!("\nNodes searched: {total}")),
            None => self.output.info_string("perft stopped"),
        }
    }

    fn handle_console_command(&mut self, line: &str, search: Option<&QueuedSearch>) {
        match ConsoleCommand::parse(line) {
            Some(command) => {
                let output = &self.output;
                let uncontrolled = SearchControl::new(ClockState::Running);
                let control = search.map_or(&uncontrolled, |search| &search.control);
                command.run(&mut self.engine, &mut self.settings, control, &mut |text| output.send(text));
                if let Some(search) = search {
                    search.is_over.store(true, Ordering::Release);
                }
            }
            None if line.is_empty() => {}
            None => self.output.info_string(format_args!("unknown command: {line}")),
        }
    }
}

/// Whether only `stop` would end the search although `infinite` was not given.
fn is_endless(limits: &SearchLimits, turn: Color) -> bool {
    let clock = match turn {
        Color::White => limits.white,
        Color::Black => limits.black,
    };
    let has_count = limits.depth.is_some() || limits.nodes.is_some() || limits.mate.is_some();
    let has_time = limits.move_time.is_some() || clock.is_some();
    !(has_count || has_time || limits.infinite || limits.ponder || limits.perft.is_some())
}
