//! The thread that owns the engine: what it is asked, what it reports. It says nothing itself: whether a report is still
//! of interest, the session alone can tell.

use std::fmt::Display;
use std::sync::{Arc, mpsc};

use smalt_chess::{Move, Position, San};
use smalt_protocol::SearchLimits;

use super::board::Line;
use crate::engine::{Choice, Engine};
use crate::search::{Progress, SearchControl};
use crate::serve::Event;
use crate::serve::console::ConsoleCommand;
use crate::serve::settings::Settings;

/// Something to do.
pub(super) enum Job {
    /// Forget the games before.
    NewGame,
    /// Set an option; the line that asked for it, for complaints.
    Set { name: String, value: String, asked: String },
    /// Search, and report under this number.
    Search { number: u64, line: Line, limits: SearchLimits, control: Arc<SearchControl> },
    /// Show what the book has for the position.
    ShowBook(Position),
    /// Do what somebody at a terminal wants, where this line has led.
    Console { command: ConsoleCommand, line: Line, control: Arc<SearchControl> },
    /// Say when everything before has been done.
    Answer(u64),
}

/// What has been done, or seen.
pub(crate) enum Report {
    /// The search of this number has begun: everything before it has been done.
    Begun(u64),
    /// News of a search.
    Progress(u64, Progress),
    /// The end of a search.
    Choice(u64, Choice),
    /// Lines to be passed on.
    Said(String),
    /// Everything before this [`Job::Answer`] has been done.
    Reached(u64),
}

/// What the thread owns.
pub(super) struct Desk {
    engine: Engine,
    settings: Settings,
    events: mpsc::Sender<Event>,
}

impl Desk {
    pub(super) fn new(events: mpsc::Sender<Event>) -> Desk {
        Desk { engine: Engine::new(), settings: Settings::new(), events }
    }

    pub(super) fn work(&mut self, job: Job) {
        match job {
            Job::NewGame => self.engine.new_game(),
            Job::Set { name, value, asked } => {
                match self.settings.set(&mut self.engine, &name, &value) {
                    Ok(None) => {}
                    // What interfaces only log.
                    Ok(Some(news)) => self.say(&format_args!("# {news}")),
                    Err(error) => self.say(&format_args!("Error ({error}): {asked}")),
                }
            }
            Job::Search { number, line, limits, control } => {
                self.report(Report::Begun(number));
                self.set_position(line);
                let Desk { engine, events, .. } = self;
                let choice = engine.go(&limits, &control, &mut |progress| {
                    // Nobody listens when the conversation has ended.
                    let _ = events.send(Event::Report(Report::Progress(number, progress.clone())));
                });
                self.report(Report::Choice(number, choice));
            }
            Job::ShowBook(position) => self.show_book(&position),
            Job::Console { command, line, control } => {
                self.set_position(line);
                let Desk { engine, settings, events } = self;
                command.run(engine, settings, &control, &mut |text| {
                    let _ = events.send(Event::Report(Report::Said(text.to_string())));
                });
            }
            Job::Answer(number) => self.report(Report::Reached(number)),
        }
    }

    fn set_position(&mut self, line: Line) {
        self.engine.set_position(line.start, line.moves).expect("the board has played these moves");
    }

    fn report(&self, report: Report) {
        let _ = self.events.send(Event::Report(report));
    }

    fn say(&self, text: &dyn Display) {
        self.report(Report::Said(text.to_string()));
    }

    /// Every line begins with a space, and an empty one ends them.
    fn show_book(&self, position: &Position) {
        let moves = self.engine.book_moves(position);
        let total: u32 = moves.iter().map(|book_move| u32::from(book_move.weight)).sum();
        let write = |mv: Move| San::from_move(mv, position).to_string();
        match moves.is_empty() {
            true => self.say(&" no book move\n"),
            false => {
                let share = |weight: u16| 100.0 * f64::from(weight) / f64::from(total.max(1));
                let lines = moves.iter().map(|one| format!(" {} {:.0}%\n", write(one.mv), share(one.weight)));
                self.say(&lines.collect::<String>());
            }
        }
    }
}
