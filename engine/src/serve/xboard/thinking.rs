//! What is searched, what for, and what becomes of it: moves, pondering, analysis, hints.

use std::sync::Arc;
use std::time::Duration;

use smalt_chess::{Color, Move, Position};
use smalt_protocol::SearchLimits;
use smalt_protocol::xboard::EngineMessage;

use super::work::Job;
use super::{Mode, Session, claims, report};
use crate::engine::Choice;
use crate::search::{ClockState, Progress, SearchControl};
use crate::serve::console::ConsoleCommand;

/// What a search is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    /// A move to play.
    Move,
    /// The answer to a move that is expected, on the opponent's time.
    Ponder {
        /// The move.
        awaited: Move,
        /// What the engine's clock showed.
        clock: Duration,
    },
    /// The position, until something changes.
    Analysis,
    /// A move to recommend.
    Hint,
    /// A count of moves, for somebody at a terminal.
    Count,
}

/// A search that has been asked for, perhaps before it could begin.
pub(super) struct RunningSearch {
    number: u64,
    purpose: Purpose,
    control: Arc<SearchControl>,
    /// Where it begins.
    position: Position,
    latest: Option<Progress>,
    has_begun: bool,
    /// Pings to be answered when it has begun.
    pings: Vec<u64>,
}

/// Nodes that a hint is worth.
const HINT_NODES: u64 = 200_000;

impl Session {
    fn purpose(&self) -> Option<Purpose> {
        self.search.as_ref().map(|search| search.purpose)
    }

    /// Whether the engine is at its move.
    pub(super) fn is_thinking_of_move(&self) -> bool {
        self.purpose() == Some(Purpose::Move)
    }

    /// Ends the search that runs, if any: nothing that it still reports will be heard.
    pub(super) fn abandon(&mut self) {
        if let Some(search) = self.search.take() {
            search.control.stop();
            search.pings.into_iter().for_each(|number| self.servant.hand_over(Job::Answer(number)));
        }
    }

    /// Begins a search in place of the one that runs.
    pub(super) fn start(&mut self, purpose: Purpose) {
        self.abandon();
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
        self.servant.hand_over(Job::Search { number: self.searches, line, limits, control });
    }

    /// Notes what is going to run; its signals.
    fn watch(&mut self, purpose: Purpose, awaited: Option<Move>, clock: ClockState) -> Arc<SearchControl> {
        let control = Arc::new(SearchControl::new(clock));
        let position = *self.board.position();
        self.searches += 1;
        self.search = Some(RunningSearch {
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

    /// What a move of the engine may take.
    fn limits(&self) -> SearchLimits {
        let color = self.own_color();
        self.clocks.limits(color, self.board.moves_of(color, self.clocks.since()))
    }

    fn own_color(&self) -> Color {
        match self.mode {
            Mode::Playing(color) => color,
            Mode::Force | Mode::Analysis => self.board.turn(),
        }
    }

    /// Analyzes the position if that is the mode and there is something to search.
    pub(super) fn analyze_on(&mut self) {
        let has_moves = match self.board.moves_to_search() {
            Some(moves) => !moves.is_empty(),
            None => self.board.position().has_legal_move(),
        };
        if self.mode == Mode::Analysis && has_moves && !self.board.is_refused() {
            self.start(Purpose::Analysis);
        }
    }

    /// Thinks on the opponent's time if it may and knows what to expect.
    pub(super) fn ponder(&mut self) {
        let is_waiting = self.mode == Mode::Playing(!self.board.turn());
        let Some(awaited) = self.expected.filter(|_| is_waiting && self.ponders) else { return };
        if !self.board.position().after(awaited).has_legal_move() {
            return;
        }
        if self.posts {
            self.output.say(EngineMessage::Hint(&self.board.write_move(awaited)));
        }
        self.start(Purpose::Ponder { awaited, clock: self.clocks.own() });
    }

    pub(super) fn ponder_from_now_on(&mut self) {
        self.ponders = true;
        if self.search.is_none() {
            self.ponder();
        }
    }

    pub(super) fn ponder_no_more(&mut self) {
        self.ponders = false;
        if let Some(Purpose::Ponder { .. }) = self.purpose() {
            self.abandon();
        }
    }

    /// Ponders with the time control that has just been set.
    pub(super) fn ponder_anew(&mut self) {
        if let Some(Purpose::Ponder { .. }) = self.purpose() {
            self.abandon();
            self.ponder();
        }
    }

    /// Whether this very move is pondered on, with a clock that has not fallen short of what was reckoned.
    pub(super) fn is_awaited(&self, mv: Move) -> bool {
        match self.purpose() {
            Some(Purpose::Ponder { awaited, clock }) => awaited == mv && self.clocks.own() >= clock / 8 * 7,
            _ => false,
        }
    }

    /// The move pondered on has been played: the search goes on, for a move.
    pub(super) fn move_was_awaited(&mut self) {
        self.expected = None;
        if self.claim() {
            return self.abandon();
        }
        if let Some(search) = &mut self.search {
            search.purpose = Purpose::Move;
            search.control.ponder_hit();
        }
    }

    pub(super) fn move_now(&self) {
        if let Some(RunningSearch { purpose: Purpose::Move | Purpose::Count, control, .. }) = &self.search {
            control.stop();
        }
    }

    /// Answers behind everything that was asked before: thinking about a move too, pondering and analysis not.
    pub(super) fn answer_ping(&mut self, number: u64) {
        match &mut self.search {
            Some(RunningSearch {
                purpose: Purpose::Ponder { .. } | Purpose::Analysis,
                has_begun,
                pings,
                ..
            }) => {
                if *has_begun {
                    self.output.say(EngineMessage::Pong(number));
                } else {
                    pings.push(number);
                }
            }
            _ => self.servant.hand_over(Job::Answer(number)),
        }
    }

    /// Has something done that needs the engine: at once if it ponders or analyzes, and then it begins anew; else behind
    /// the search for a move.
    pub(super) fn aside(&mut self, job: Job) {
        let purpose = self.purpose();
        if matches!(purpose, Some(Purpose::Ponder { .. } | Purpose::Analysis)) {
            self.abandon();
        }
        self.servant.hand_over(job);
        match purpose {
            Some(Purpose::Ponder { .. }) => self.ponder(),
            Some(Purpose::Analysis) => self.analyze_on(),
            _ => {}
        }
    }

    /// Does what somebody at a terminal wants.
    pub(super) fn console(&mut self, command: ConsoleCommand, line: &str) {
        let is_count = matches!(command, ConsoleCommand::Perft(_) | ConsoleCommand::Divide(_));
        if self.is_thinking_of_move() || is_count && self.mode == Mode::Analysis {
            return self.refuse("command not legal now", line);
        }
        self.has_errand |= command.is_errand();
        let line = self.board.line(None);
        if is_count {
            self.abandon();
            let control = self.watch(Purpose::Count, None, ClockState::Running);
            return self.servant.hand_over(Job::Console { command, line, control });
        }
        let control = Arc::new(SearchControl::new(ClockState::Running));
        self.aside(Job::Console { command, line, control });
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
            Some(mv) => self.output.say(EngineMessage::Hint(&self.board.write_move(mv))),
            None if self.search.is_some() || self.board.is_refused() => {}
            None if self.board.position().has_legal_move() => self.start(Purpose::Hint),
            None => {}
        }
    }

    pub(super) fn tell_status(&self) {
        if let Some(search) = self.search.as_ref().filter(|search| search.purpose == Purpose::Analysis) {
            let status = report::status(&search.position, search.latest.as_ref(), search.control.elapsed());
            self.output.say(EngineMessage::Status(status));
        }
    }

    /// Takes a draw that is offered, at once or with the next move.
    pub(super) fn consider_draw(&mut self) {
        self.is_draw_offered = true;
        if !self.is_thinking_of_move() {
            self.answer_draw();
        }
    }

    fn answer_draw(&mut self) {
        let accepts = |score| claims::accepts_draw(score, self.board.position());
        if self.is_draw_offered && self.score.is_some_and(accepts) {
            self.is_draw_offered = false;
            self.output.say(EngineMessage::OfferDraw);
        }
    }

    fn current(&mut self, number: u64) -> Option<&mut RunningSearch> {
        self.search.as_mut().filter(|search| search.number == number)
    }

    pub(super) fn search_begun(&mut self, number: u64) {
        let Some(search) = self.current(number) else { return };
        search.has_begun = true;
        for number in std::mem::take(&mut search.pings) {
            self.output.say(EngineMessage::Pong(number));
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
            report::tell_progress(&output, &search.position, &progress);
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
                    self.output.say(EngineMessage::Hint(&self.board.write_move(mv)));
                }
            }
            // These end only when they are no longer wanted.
            Purpose::Ponder { .. } | Purpose::Analysis | Purpose::Count => {}
        }
    }

    fn make_move(&mut self, search: &RunningSearch, choice: Choice) {
        let Some(mv) = choice.best else { return };
        self.score = search.latest.as_ref().map(|progress| progress.lines[0].score).or(self.score);
        self.answer_draw();
        self.is_draw_offered = false;
        self.output.say(EngineMessage::Move(&self.board.write_move(mv)));
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
