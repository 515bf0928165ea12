//! Searches of an xboard session: moves, pondering, analysis and hints.

use std::sync::Arc;
use std::time::Duration;

use smalt_chess::{Color, Move, Position};
use smalt_protocol::SearchLimits;
use smalt_protocol::xboard::EngineMessage;

use super::handler::XboardJob;
use super::{Mode, XboardSession, claims, report};
use crate::engine::Choice;
use crate::search::{ClockState, Progress, SearchControl};
use crate::serve::console::ConsoleCommand;

/// Purpose of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    /// A move to play.
    Move,
    /// Pondering: the reply to the expected move, on the opponent's time.
    Ponder {
        awaited: Move,
        /// The engine's clock at the start.
        clock: Duration,
    },
    /// Analysis of the position.
    Analysis,
    Hint,
    /// A perft on the console.
    Count,
}

/// A requested search; it may still wait in the queue.
pub(super) struct QueuedSearch {
    number: u64,
    purpose: Purpose,
    control: Arc<SearchControl>,
    position: Position,
    latest: Option<Progress>,
    has_begun: bool,
    /// Pings to answer when the search has started.
    pings: Vec<u64>,
}

/// Node limit of a hint.
const HINT_NODES: u64 = 200_000;

impl XboardSession {
    fn purpose(&self) -> Option<Purpose> {
        self.search.as_ref().map(|search| search.purpose)
    }

    /// Whether the engine searches its own move.
    pub(super) fn is_searching_move(&self) -> bool {
        self.purpose() == Some(Purpose::Move)
    }

    /// Aborts the running search, if any, and ignores its further reports.
    pub(super) fn abort_search(&mut self) {
        if let Some(search) = self.search.take() {
            search.control.stop();
            search.pings.into_iter().for_each(|number| self.engine_thread.send(XboardJob::Answer(number)));
        }
    }

    /// Starts a search in place of the running one.
    pub(super) fn start(&mut self, purpose: Purpose) {
        self.abort_search();
        let limits = match purpose {
            Purpose::Move | Purpose::Ponder { .. } => self.limits(),
            Purpose::Hint => SearchLimits { nodes: Some(HINT_NODES), ..SearchLimits::default() },
            Purpose::Analysis | Purpose::Count => SearchLimits { infinite: true, ..SearchLimits::default() },
        };
        let (awaited, clock) = match purpose {
            Purpose::Ponder { awaited, .. } => (Some(awaited), ClockState::Pondering),
            _ => (None, ClockState::Running),
        };
        let search_moves = match awaited {
            Some(_) => Vec::new(),
            None => self.board.moves_to_search().unwrap_or_default(),
        };
        let limits = SearchLimits { ponder: awaited.is_some(), search_moves, ..limits };
        let control = self.watch(purpose, awaited, clock);
        let line = self.board.line(awaited);
        self.engine_thread.send(XboardJob::Search { number: self.searches, line, limits, control });
    }

    /// Registers the search about to run and returns its control.
    fn watch(&mut self, purpose: Purpose, awaited: Option<Move>, clock: ClockState) -> Arc<SearchControl> {
        let control = Arc::new(SearchControl::new(clock));
        let position = *self.board.position();
        self.searches += 1;
        self.search = Some(QueuedSearch {
            number: self.searches,
            purpose,
            control: Arc::clone(&control),
            position: awaited.map_or(position, |mv| position.after(mv)),
            latest: None,
            has_begun: false,
            pings: Vec::new(),
        });
        control
    }

    /// Search limits of the engine's next move.
    fn limits(&self) -> SearchLimits {
        let color = self.own_color();
        let moves_before = self.board.moves_of(color, self.clocks.since());
        self.clocks.limits(color, moves_before, self.board.position().fullmove_number().into())
    }

    fn own_color(&self) -> Color {
        match self.mode {
            Mode::Playing(color) => color,
            Mode::Force | Mode::Analysis => self.board.turn(),
        }
    }

    /// Starts analysis in analysis mode, if there is a move to search.
    pub(super) fn analyze_on(&mut self) {
        let has_moves = match self.board.moves_to_search() {
            Some(moves) => !moves.is_empty(),
            None => self.board.position().has_legal_move(),
        };
        if self.mode == Mode::Analysis && has_moves && !self.board.is_refused() {
            self.start(Purpose::Analysis);
        }
    }

    /// Ponders, if enabled and a reply is expected.
    pub(super) fn ponder(&mut self) {
        let is_waiting = self.mode == Mode::Playing(!self.board.turn());
        let Some(awaited) = self.expected.filter(|_| is_waiting && self.ponders) else { return };
        if !self.board.position().after(awaited).has_legal_move() {
            return;
        }
        if self.posts {
            self.output.send(EngineMessage::Hint(&self.board.write_move(awaited)));
        }
        self.start(Purpose::Ponder { awaited, clock: self.clocks.own() });
    }

    pub(super) fn enable_pondering(&mut self) {
        self.ponders = true;
        if self.search.is_none() {
            self.ponder();
        }
    }

    pub(super) fn disable_pondering(&mut self) {
        self.ponders = false;
        if let Some(Purpose::Ponder { .. }) = self.purpose() {
            self.abort_search();
        }
    }

    /// Restarts pondering with a new time control.
    pub(super) fn restart_pondering(&mut self) {
        if let Some(Purpose::Ponder { .. }) = self.purpose() {
            self.abort_search();
            self.ponder();
        }
    }

    /// Whether the move is a ponder hit, with at least as much time on the clock as assumed.
    pub(super) fn is_ponder_hit(&self, mv: Move) -> bool {
        match self.purpose() {
            Some(Purpose::Ponder { awaited, clock }) => awaited == mv && self.clocks.own() >= clock / 8 * 7,
            _ => false,
        }
    }

    /// Ponder hit: the search continues as a search for a move.
    pub(super) fn on_ponderhit(&mut self) {
        self.expected = None;
        if self.claim() {
            return self.abort_search();
        }
        if let Some(search) = &mut self.search {
            search.purpose = Purpose::Move;
            search.control.ponder_hit();
        }
    }

    pub(super) fn move_now(&self) {
        if let Some(QueuedSearch { purpose: Purpose::Move | Purpose::Count, control, .. }) = &self.search {
            control.stop();
        }
    }

    /// Answers a ping after all earlier commands, including a search for a move, but not pondering or analysis.
    pub(super) fn answer_ping(&mut self, number: u64) {
        match &mut self.search {
            Some(QueuedSearch {
                purpose: Purpose::Ponder { .. } | Purpose::Analysis,
                has_begun,
                pings,
                ..
            }) => {
                if *has_begun {
                    self.output.send(EngineMessage::Pong(number));
                } else {
                    pings.push(number);
                }
            }
            _ => self.engine_thread.send(XboardJob::Answer(number)),
        }
    }

    /// Queues a job for the engine: interrupts and restarts pondering or analysis, but waits for a search for a move.
    pub(super) fn aside(&mut self, job: XboardJob) {
        let purpose = self.purpose();
        if matches!(purpose, Some(Purpose::Ponder { .. } | Purpose::Analysis)) {
            self.abort_search();
        }
        self.engine_thread.send(job);
        match purpose {
            Some(Purpose::Ponder { .. }) => self.ponder(),
            Some(Purpose::Analysis) => self.analyze_on(),
            _ => {}
        }
    }

    /// Runs a console command.
    pub(super) fn console(&mut self, command: ConsoleCommand, line: &str) {
        let is_count = command.is_count();
        if self.is_searching_move() || is_count && self.mode == Mode::Analysis {
            return self.refuse("command not legal now", line);
        }
        self.has_pending_job |= !is_count;
        let line = self.board.line(None);
        if is_count {
            self.abort_search();
            let control = self.watch(Purpose::Count, None, ClockState::Running);
            return self.engine_thread.send(XboardJob::Console { command, line, control });
        }
        let control = Arc::new(SearchControl::new(ClockState::Running));
        self.aside(XboardJob::Console { command, line, control });
    }

    pub(super) fn hint(&mut self) {
        let known = match &self.search {
            None => self.expected,
            Some(search) => match search.purpose {
                Purpose::Ponder { awaited, .. } => Some(awaited),
                Purpose::Analysis => {
                    search.latest.as_ref().and_then(|progress| progress.lines[0].moves.first().copied())
                }
                Purpose::Move | Purpose::Hint | Purpose::Count => return,
            },
        };
        match known {
            Some(mv) => self.output.send(EngineMessage::Hint(&self.board.write_move(mv))),
            None if self.search.is_some() || self.board.is_refused() => {}
            None if self.board.position().has_legal_move() => self.start(Purpose::Hint),
            None => {}
        }
    }

    pub(super) fn send_status(&self) {
        if let Some(search) = self.search.as_ref().filter(|search| search.purpose == Purpose::Analysis) {
            let status = report::status(&search.position, search.latest.as_ref(), search.control.elapsed());
            self.output.send(EngineMessage::Status(status));
        }
    }

    /// Answers a draw offer, at once or with the next move.
    pub(super) fn consider_draw(&mut self) {
        self.is_draw_offered = true;
        if !self.is_searching_move() {
            self.answer_draw();
        }
    }

    fn answer_draw(&mut self) {
        let accepts = |score| claims::accepts_draw(score, self.board.position());
        if self.is_draw_offered && self.score.is_some_and(accepts) {
            self.is_draw_offered = false;
            self.output.send(EngineMessage::OfferDraw);
        }
    }

    fn current(&mut self, number: u64) -> Option<&mut QueuedSearch> {
        self.search.as_mut().filter(|search| search.number == number)
    }

    pub(super) fn search_begun(&mut self, number: u64) {
        let Some(search) = self.current(number) else { return };
        search.has_begun = true;
        for number in std::mem::take(&mut search.pings) {
            self.output.send(EngineMessage::Pong(number));
        }
    }

    pub(super) fn search_progressed(&mut self, number: u64, progress: Progress) {
        let posts = self.posts;
        let output = self.output.clone();
        let Some(search) = self.current(number) else { return };
        let is_shown = match search.purpose {
            Purpose::Move | Purpose::Ponder { .. } => posts,
            Purpose::Analysis => true,
            Purpose::Hint | Purpose::Count => false,
        };
        if is_shown {
            report::send_info(&output, &search.position, &progress);
        }
        search.latest = Some(progress);
    }

    pub(super) fn search_ended(&mut self, number: u64, choice: Choice) {
        if self.current(number).is_none() {
            return;
        }
        let Some(search) = self.search.take() else { return };
        match search.purpose {
            Purpose::Move => self.make_move(&search, choice),
            Purpose::Hint => {
                if let Some(mv) = choice.best {
                    self.output.send(EngineMessage::Hint(&self.board.write_move(mv)));
                }
            }
            // These searches end only when aborted.
            Purpose::Ponder { .. } | Purpose::Analysis | Purpose::Count => {}
        }
    }

    fn make_move(&mut self, search: &QueuedSearch, choice: Choice) {
        let Some(mv) = choice.best else { return };
        self.score = search.latest.as_ref().map(|progress| progress.lines[0].score).or(self.score);
        self.answer_draw();
        self.is_draw_offered = false;
        self.output.send(EngineMessage::Move(&self.board.write_move(mv)));
        let color = self.own_color();
        let moves_before = self.board.moves_of(color, self.clocks.since());
        self.clocks.spend(search.control.own_time().unwrap_or_default(), moves_before);
        self.board.play(mv);
        self.expected = choice.ponder;
        if !self.claim() {
            self.ponder();
        }
    }
}
