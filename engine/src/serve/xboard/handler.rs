//! The engine thread's side of xboard: jobs and reports. It writes no search output: the session decides whether a
//! report is current.

use std::fmt::Display;
use std::sync::{Arc, mpsc};

use smalt_chess::{Move, Position, San};
use smalt_protocol::SearchLimits;

use super::board::GameMoves;
use crate::engine::{Choice, Engine};
use crate::search::{Progress, SearchControl};
use crate::serve::ServeEvent;
use crate::serve::console::ConsoleCommand;
use crate::serve::settings::Settings;

/// A job for the engine thread.
pub(super) enum XboardJob {
    /// Start a new game.
    NewGame,
    /// Set an option; `asked` is the command line, for error messages.
    Set { name: String, value: String, asked: String },
    /// Search; reports carry this number.
    Search { number: u64, line: GameMoves, limits: SearchLimits, control: Arc<SearchControl> },
    /// Show the book moves of a position.
    ShowBook(Position),
    /// Run a console command in a position.
    Console { command: ConsoleCommand, line: GameMoves, control: Arc<SearchControl> },
    /// Report when all earlier jobs are done (ping).
    Answer(u64),
}

/// A report of the engine thread.
pub(crate) enum Report {
    /// The search has started; all earlier jobs are done.
    Begun(u64),
    Progress(u64, Progress),
    /// The search has ended.
    Choice(u64, Choice),
    Said(String),
    /// All jobs before this [`XboardJob::Answer`] are done.
    Reached(u64),
}

/// The engine, its options and the report channel.
pub(super) struct CommandHandler {
    engine: Engine,
    settings: Settings,
    events: mpsc::Sender<ServeEvent>,
}

impl CommandHandler {
    pub(super) fn new(events: mpsc::Sender<ServeEvent>) -> CommandHandler {
        CommandHandler { engine: Engine::new(), settings: Settings::new(), events }
    }

    pub(super) fn handle(&mut self, job: XboardJob) {
        match job {
            XboardJob::NewGame => self.engine.new_game(),
            XboardJob::Set { name, value, asked } => {
                match self.settings.set(&mut self.engine, &name, &value) {
                    Ok(None) => {}
                    // A comment, which interfaces log.
                    Ok(Some(news)) => self.send(&format_args!("# {news}")),
                    Err(error) => self.send(&format_args!("Error ({error}): {asked}")),
                }
            }
            XboardJob::Search { number, line, limits, control } => {
                self.report(Report::Begun(number));
                self.set_position(line);
                let CommandHandler { engine, events, .. } = self;
                let choice = engine.go(&limits, &control, &mut |progress| {
                    // The session may have ended.
                    let _ = events.send(ServeEvent::Report(Report::Progress(number, progress.clone())));
                });
                self.report(Report::Choice(number, choice));
            }
            XboardJob::ShowBook(position) => self.show_book(&position),
            XboardJob::Console { command, line, control } => {
                self.set_position(line);
                let CommandHandler { engine, settings, events } = self;
                command.run(engine, settings, &control, &mut |text| {
                    let _ = events.send(ServeEvent::Report(Report::Said(text.to_string())));
                });
            }
            XboardJob::Answer(number) => self.report(Report::Reached(number)),
        }
    }

    fn set_position(&mut self, line: GameMoves) {
        self.engine.set_position(line.start, line.moves).expect("the board has played these moves");
    }

    fn report(&self, report: Report) {
        let _ = self.events.send(ServeEvent::Report(report));
    }

    fn send(&self, text: &dyn Display) {
        self.report(Report::Said(text.to_string()));
    }

    /// Prints the book moves: each line starts with a space; an empty line ends the list.
    fn show_book(&self, position: &Position) {
        let moves = self.engine.book_moves(position);
        let total: u32 = moves.iter().map(|book_move| u32::from(book_move.weight)).sum();
        let write = |mv: Move| San::from_move(mv, position).to_string();
        match moves.is_empty() {
            true => self.send(&" no book move\n"),
            false => {
                let share = |weight: u16| 100.0 * f64::from(weight) / f64::from(total.max(1));
                let lines = moves.iter().map(|one| format!(" {} {:.0}%\n", write(one.mv), share(one.weight)));
                self.send(&lines.collect::<String>());
            }
        }
    }
}
