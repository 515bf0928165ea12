//! Plays one game between two running engines: sends positions, checks moves, runs the clocks. An engine's fault ends
//! in a game record; only an interrupt or a system failure ends a game without one.

mod books;
mod claims;
mod deadline;
mod search_checks;

use std::time::{Duration, Instant, SystemTime};

use regex::Regex;
use smalt_chess::{CastlingMode, Color, DrawClaims, Game, Move, Outcome, UciMove};
use smalt_driver::process::Interrupt;
use smalt_driver::{
    ConversationError, Engine, Fault, LastOutput, Pondering, ResultClaim, SearchControl, SearchEnd,
    SearchObserver, SearchReport, SearchRequest, SearchResult, State, WaitContext,
};
use smalt_protocol::uci::client::Start;
use smalt_protocol::{Bound, Clock, Info, ReportedScore, Score, SearchLimits};

use self::deadline::{MoveDeadline, overrun_warning, slow_move_warning};
use self::search_checks::UncheckedSearch;
use super::adjudicate::Adjudicator;
use super::clock::{ClockFlag, RunningClock, Stalled};
use super::observer::{GameObserver, MoveStart};
use super::record::{FaultReport, GameRecord, PlyRecord, SearchRecord};
use super::search_warning::WarningCounts;
use super::tablebases::TablebaseAdjudicator;
use super::termination::Termination;
use crate::opening::{EngineBook, Opening};
use crate::plan::{AdjudicationRules, MoveClock, PvRecord, ScoreView, TimeFlow};
use crate::schedule::ScheduledGame;

/// Extra wait beyond clock and margin, so that a late move is measured.
const LATE_GRACE: Duration = Duration::from_millis(250);

/// Time within which a stop request explains an engine's exit: a shutdown ends all processes of a service at once.
const STOP_GRACE: Duration = Duration::from_millis(200);

/// Searches are shown on live boards if the previous one took at least this long.
const LONG_SEARCH: Duration = Duration::from_millis(50);

/// Minimum interval between updates of a live board.
const INFO_INTERVAL: Duration = Duration::from_millis(100);

/// Minimum time sent to an engine: zero would mean no limit.
const MIN_TIME: Duration = Duration::from_millis(1);

/// Setup of a game.
#[derive(Clone, Copy)]
pub(crate) struct GameSetup<'a> {
    /// Its entry in the schedule.
    pub game: ScheduledGame,
    pub opening: &'a Opening,
    /// Whether other games have the same opening.
    pub shares_opening: bool,
    /// Castling mode; in Chess960 castling is written as king takes rook.
    pub variant: CastlingMode,
    /// Normal clock or hourglass.
    pub flow: TimeFlow,
    /// Which principal variations are stored.
    pub pv: PvRecord,
    /// Whether the PVs of mate scores are checked.
    pub check_mate_pvs: bool,
    /// Patterns of engine lines stored with a move: for each, the last matching line of the search.
    pub match_lines: &'a [Regex],
    pub adjudication: AdjudicationRules,
    /// Endgame tables for adjudication.
    pub tablebases: Option<&'a TablebaseAdjudicator>,
    /// Observer of the game.
    pub observer: &'a dyn GameObserver,
    /// Interrupt that ends the game at once.
    pub interrupt: &'a Interrupt,
}

/// One side: an engine that has received the new-game commands, and its time control.
pub(crate) struct Player<'a> {
    pub engine: &'a mut dyn Engine,
    pub clock: &'a MoveClock,
    pub pondering: Pondering,
    /// Point of view of its scores.
    pub scores: ScoreView,
    /// Whether its result claims are accepted unchecked.
    pub trust: bool,
    /// Its own opening book.
    pub book: Option<&'a EngineBook>,
}

/// Why a game has no record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Interrupted {
    #[error("interrupted")]
    Stopped,
    /// This process stalled for this long while an engine's clock ran: the game is void.
    #[error("the runner was suspended for {:.1} s", .0.as_secs_f64())]
    Stalled(Duration),
    /// A system failure, not an engine's fault.
    #[error("{0}")]
    System(String),
}

/// Whether an engine exited because the whole run is being stopped; waits for the stop request.
pub(crate) fn is_part_of_stop(fault: &Fault, interrupt: &Interrupt) -> bool {
    fault.is_exit() && interrupt.wait(STOP_GRACE)
}

/// Plays a game to its end. After a fault an engine may be closed or still searching.
///
/// # Errors
/// If the interrupt was raised, this process stalled while a clock ran, or the system failed.
pub(crate) fn play(setup: GameSetup<'_>, players: [Player<'_>; 2]) -> Result<GameRecord, Interrupted> {
    let clocks = [RunningClock::new(players[0].clock), RunningClock::new(players[1].clock)];
    let [white, black] = players;
    let position = setup.opening.position;
    let mut table = LiveGame {
        setup,
        pondering: [white.pondering, black.pondering],
        scores: [white.scores, black.scores],
        trust: [white.trust, black.trust],
        books: [white.book, black.book],
        engines: [white.engine, black.engine],
        clocks,
        game: Game::new(position),
        expected: [None; 2],
        pondered: [None; 2],
        moves: Vec::with_capacity(256),
        plies: Vec::with_capacity(256),
        adjudicator: Adjudicator::new(setup.adjudication),
        answered_at: None,
        last: [None, None],
        warned: [false; 2],
        stopping: Duration::ZERO,
        unchecked: None,
        mate_lines: [const { None }; 2],
    };
    table.keep_search_lines();
    let started = SystemTime::now();
    let begun = Instant::now();
    table.play_opening();
    let verdict = match table.end_by_rules() {
        Some(verdict) => verdict,
        None => loop {
            if let Some(verdict) = table.play_move()? {
                break verdict;
            }
        },
    };
    table.check_search();
    table.end_pondering();
    let mut record = GameRecord {
        game: setup.game,
        fen: setup.opening.fen.clone(),
        plies: table.plies,
        outcome: verdict.outcome,
        termination: verdict.termination,
        started,
        duration: begun.elapsed(),
        fault: verdict.fault,
        peak_memory: table.engines.map(|engine| engine.process().peak_memory_bytes()),
        machine: None,
    };
    if setup.pv == PvRecord::LosingMove {
        record.drop_variations();
    }
    Ok(record)
}

/// How a game ended.
struct GameEnd {
    outcome: Outcome,
    termination: Termination,
    fault: Option<FaultReport>,
}

/// A game in progress.
struct LiveGame<'a> {
    setup: GameSetup<'a>,
    engines: [&'a mut dyn Engine; 2],
    clocks: [RunningClock<'a>; 2],
    pondering: [Pondering; 2],
    scores: [ScoreView; 2],
    trust: [bool; 2],
    books: [Option<&'a EngineBook>; 2],
    /// The reply that each side expects and may ponder on.
    expected: [Option<UciMove>; 2],
    /// The move that each side ponders on.
    pondered: [Option<UciMove>; 2],
    game: Game,
    moves: Vec<UciMove>,
    plies: Vec<PlyRecord>,
    adjudicator: Adjudicator,
    answered_at: Option<Instant>,
    /// Report and duration of each side's last search.
    last: [Option<(SearchReport, Duration)>; 2],
    /// Whether the user was warned that a side exceeds its limits: once per game.
    warned: [bool; 2],
    /// Time from `stop` to the answer after a ponder miss: part of the mover's time.
    stopping: Duration,
    /// The last search, whose lines are checked while the other side thinks.
    unchecked: Option<UncheckedSearch>,
    /// Mate score that each side reported with its last move, and the line.
    mate_lines: [Option<(i32, String)>; 2],
}

impl LiveGame<'_> {
    fn play_opening(&mut self) {
        for &mv in &self.setup.opening.moves {
            self.play_book_move(mv);
        }
        self.play_books();
    }

    fn play_book_move(&mut self, mv: Move) {
        let mover = self.game.position().turn();
        self.game.play(mv).expect("moves of books are legal");
        let uci = UciMove::from_move(mv, self.setup.variant);
        self.moves.push(uci);
        self.plies.push(PlyRecord { mv: uci, search: None });
        // A book move never ends a game, but it counts for adjudication.
        let _ = self.adjudicator.update(mover, None, false);
    }

    /// End by the rules of chess (draws are automatic) or by tablebases.
    fn end_by_rules(&self) -> Option<GameEnd> {
        if let Some(ending) = self.game.ending(DrawClaims::Automatic) {
            return Some(GameEnd { outcome: ending.outcome(), termination: ending.into(), fault: None });
        }
        let (outcome, termination) = self.setup.tablebases?.adjudicate(self.game.position())?;
        Some(GameEnd { outcome, termination, fault: None })
    }

    /// Searches and plays a move for the side to move; returns the end of the game instead, if it ended.
    fn play_move(&mut self) -> Result<Option<GameEnd>, Interrupted> {
        let mover = self.game.position().turn();
        if let Some(mv) = self.book_move(mover) {
            self.play_book_move(mv);
            return Ok(self.end_by_rules());
        }
        let stalled_before = self.engines[mover.index()].process().stalled();
        let searched = self.search(mover);
        let stall = self.engines[mover.index()].process().stalled().saturating_sub(stalled_before);
        let is_disturbed = self.clocks[mover.index()].stall(stall) == Stalled::TooLong;
        let searched = match searched {
            Err(ConversationError::Interrupted) => return Err(Interrupted::Stopped),
            Err(error @ ConversationError::System { .. }) => {
                return Err(Interrupted::System(error.to_string()));
            }
            Ok(searched) => searched,
            Err(ConversationError::Fault(fault)) if is_part_of_stop(&fault, self.setup.interrupt) => {
                return Err(Interrupted::Stopped);
            }
            Err(ConversationError::Fault(fault)) if fault.is_timeout() && is_disturbed => {
                return Err(Interrupted::Stalled(self.clocks[mover.index()].stalled()));
            }
            Err(ConversationError::Fault(fault)) => return self.game_lost_by_fault(mover, &fault).map(Some),
        };
        let position = *self.game.position();
        let best = searched.best.and_then(|mv| mv.to_move(&position).ok());
        self.unchecked = Some(UncheckedSearch {
            mover,
            position,
            plies: self.moves.len(),
            best: searched.best.filter(|_| best.is_some()),
            score: exact_score(&searched.report),
            has_score: searched.report.score.is_some(),
        });
        let flag = self.clocks[mover.index()].spend(searched.elapsed);
        let stalls = self.clocks[mover.index()].stalled();
        let margin = self.clocks[mover.index()].terms().margin;
        let is_late_by_stalls =
            matches!(flag, ClockFlag::Fallen(late) if late.saturating_sub(stalls) <= margin);
        if is_disturbed || is_late_by_stalls {
            // A wrong answer does not depend on the time.
            if best.is_none() && self.check_claim(mover, &searched).is_none() {
                return Ok(Some(self.wrong_answer(mover, searched.best)));
            }
            return Err(Interrupted::Stalled(stalls));
        }
        if let ClockFlag::Fallen(late) = flag {
            let words = format!("overstepped its time by {:.3} s", late.as_secs_f64());
            return Ok(Some(self.lost_on_time(mover, late, words)));
        }
        if self.setup.flow == TimeFlow::Hourglass {
            self.clocks[mover.opposite().index()].gain(searched.elapsed);
        }
        if let Some(verdict) = self.check_claim(mover, &searched) {
            return Ok(Some(verdict));
        }
        let Some(mv) = best else { return Ok(Some(self.wrong_answer(mover, searched.best))) };
        self.game.play(mv).expect("the move was found among the legal ones");
        self.record_ply(mover, UciMove::from_move(mv, self.setup.variant), &searched);
        if let Some(verdict) = self.end_by_rules() {
            return Ok(Some(verdict));
        }
        if let Some(ResultClaim::Result { outcome, comment }) = &searched.claim {
            return Ok(Some(self.end_by_claim(mover, *outcome, comment)));
        }
        self.expected[mover.index()] = self.expected_answer(mover, &searched);
        let score = exact_score(&searched.report);
        let is_irreversible = self.game.position().halfmove_clock() == 0;
        let adjudicated = self.adjudicator.update(mover, score, is_irreversible);
        self.last[mover.index()] = Some((searched.report, searched.elapsed));
        Ok(adjudicated.map(|(outcome, termination)| GameEnd { outcome, termination, fault: None }))
    }

    /// The end of the game by an answer without a legal move.
    fn wrong_answer(&self, mover: Color, answer: Option<UciMove>) -> GameEnd {
        let Some(uci) = answer else {
            let words = "reported no move in a position with legal moves".to_owned();
            return self.lost(mover, Termination::MissingMove, "no-move", words);
        };
        let words = format!("answered {uci}, which is illegal in {}", self.game.position().to_fen());
        let mut end = self.lost(mover, Termination::IllegalMove, "illegal-move", words);
        if let Some(fault) = &mut end.fault {
            fault.illegal_move = Some(uci);
        }
        end
    }

    /// The legal reply on which a side may ponder.
    fn expected_answer(&self, mover: Color, searched: &SearchResult) -> Option<UciMove> {
        let expected = searched.ponder.filter(|_| self.pondering[mover.index()] == Pondering::On)?;
        let mv = expected.to_move(self.game.position()).ok()?;
        Some(UciMove::from_move(mv, self.setup.variant))
    }

    /// The mover's clock runs from the write of `go` (or `ponderhit`) to the read of its move; after a ponder miss
    /// also from `stop` to its answer. The other side starts to ponder after that, which costs no clock time.
    fn search(&mut self, mover: Color) -> Result<SearchResult, ConversationError> {
        let was_right = self.pondered[mover.index()].take().is_some_and(|mv| self.moves.last() == Some(&mv));
        let (engine, mut context) = sides(&mut self.engines, mover, self.setup.interrupt);
        self.stopping = if was_right { Duration::ZERO } else { engine.abandon(&mut context)?.took };
        let limits = self.limits(mover, self.stopping);
        let deadline = self.move_deadline(mover, self.stopping);
        let request = SearchRequest {
            start: self.setup.opening.fen.as_deref().map_or(Start::Standard, Start::Fen),
            moves: &self.moves,
            limits: &limits,
            deadline: deadline.first(),
            stop_after: None,
        };
        let (engine, mut context) = sides(&mut self.engines, mover, self.setup.interrupt);
        if was_right {
            engine.ponder_hit(&request, &mut context)?;
        } else {
            engine.begin(&request, &mut context)?;
        }
        self.check_search();
        if let Some(expected) = self.expected[mover.opposite().index()].take() {
            self.ponder(mover.opposite(), expected)?;
        }
        self.report_move_start(mover);
        let (observer, ply) = (self.setup.observer, self.moves.len());
        let is_followed = self.is_followed(mover);
        let view = self.scores[mover.index()];
        let own_view = |reported: ReportedScore| view.of_mover(mover, reported);
        let mut shown_at = Duration::ZERO;
        let mut follow = |info: &Info<'_>, time: Duration| {
            if time >= shown_at + INFO_INTERVAL {
                let score = info.score.map(own_view);
                observer.info(mover, ply, &Info { score, ..*info });
                shown_at = time;
            }
            SearchControl::Continue
        };
        let (engine, mut context) = sides(&mut self.engines, mover, self.setup.interrupt);
        let mut finished =
            engine.finish(&mut context, is_followed.then_some(&mut follow as &mut SearchObserver<'_>));
        if let (Err(ConversationError::Fault(Fault::NoBestmove { .. })), MoveDeadline::Unclocked(longest)) =
            (&finished, deadline)
        {
            observer.warning(mover, slow_move_warning(deadline.first(), longest));
            engine.allow(longest);
            finished =
                engine.finish(&mut context, is_followed.then_some(&mut follow as &mut SearchObserver<'_>));
        }
        let mut searched = finished?;
        searched.elapsed += self.stopping;
        if searched.ending == SearchEnd::Overrun && !std::mem::replace(&mut self.warned[mover.index()], true)
        {
            observer.warning(mover, overrun_warning(self.clocks[mover.index()].terms()));
        }
        searched.report.score = searched.report.score.map(own_view);
        Ok(searched)
    }

    /// Reports the new search to the observer while the engine thinks, which costs no clock time.
    fn report_move_start(&self, mover: Color) {
        let left = Color::ALL
            .map(|color| self.clocks[color.index()].time_left().map(|time_left| time_left.remaining));
        let other = mover.opposite();
        let last = self.last[other.index()].as_ref().map(|(report, elapsed)| (other, report, *elapsed));
        self.setup.observer.move_started(&MoveStart {
            game: self.setup.game,
            opening: self.setup.opening,
            moves: &self.moves,
            left,
            last,
        });
    }

    /// Whether search lines are forwarded: an observer needs them and the search is likely to be long.
    fn is_followed(&self, mover: Color) -> bool {
        let is_long = self.last[mover.index()].as_ref().is_none_or(|(_, took)| *took >= LONG_SEARCH);
        is_long && self.setup.observer.wants_info()
    }

    /// Starts pondering on the expected reply. Faults are handled on that side's turn.
    fn ponder(&mut self, ponderer: Color, expected: UciMove) -> Result<(), ConversationError> {
        let limits = SearchLimits { ponder: true, ..self.limits(ponderer, Duration::ZERO) };
        self.moves.push(expected);
        let request = SearchRequest {
            start: self.setup.opening.fen.as_deref().map_or(Start::Standard, Start::Fen),
            moves: &self.moves,
            limits: &limits,
            deadline: self.move_deadline(ponderer, Duration::ZERO).last(),
            stop_after: None,
        };
        let (engine, mut context) = sides(&mut self.engines, ponderer, self.setup.interrupt);
        let begun = engine.begin(&request, &mut context);
        self.moves.pop();
        match begun {
            Ok(()) => self.pondered[ponderer.index()] = Some(expected),
            Err(ConversationError::Fault(_)) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Stops pondering at the end of a game. An engine that does not stop is not reused for the next game.
    fn end_pondering(&mut self) {
        for color in Color::ALL {
            let (engine, mut context) = sides(&mut self.engines, color, self.setup.interrupt);
            if self.pondered[color.index()].take().is_some() && engine.state() == State::Thinking {
                let _ = engine.abandon(&mut context);
            }
        }
    }

    /// Timeout of the mover's search, given the time already used.
    fn move_deadline(&self, mover: Color, used: Duration) -> MoveDeadline {
        let clock = &self.clocks[mover.index()];
        let terms = clock.terms();
        clock.time_limit().map_or(MoveDeadline::Unclocked(terms.longest_move), |time| {
            MoveDeadline::Clocked(time.saturating_sub(used) + terms.margin + LATE_GRACE)
        })
    }

    /// Search limits for the mover, given the time already used.
    fn limits(&self, mover: Color, used: Duration) -> SearchLimits {
        let clock = &self.clocks[mover.index()];
        let terms = clock.terms();
        let rest =
            |time: Duration| if used.is_zero() { time } else { time.saturating_sub(used).max(MIN_TIME) };
        let own =
            clock.time_left().map(|time_left| Clock { remaining: rest(time_left.remaining), ..time_left });
        // An engine with a clock gets both clocks; if its opponent has none, its own clock twice.
        let other = own.and_then(|own| self.clocks[mover.opposite().index()].time_left().or(Some(own)));
        let [white, black] = if mover == Color::White { [own, other] } else { [other, own] };
        SearchLimits {
            white,
            black,
            moves_to_go: clock.moves_to_go(),
            depth: terms.depth,
            nodes: terms.nodes,
            move_time: terms.move_time.map(rest),
            ..SearchLimits::default()
        }
    }

    fn record_ply(&mut self, mover: Color, uci: UciMove, searched: &SearchResult) {
        let latency = self.answered_at.map(|answered| {
            searched.asked_at.saturating_duration_since(answered).saturating_sub(self.stopping)
        });
        self.answered_at = Some(searched.answered_at);
        self.moves.push(uci);
        let report = &searched.report;
        self.plies.push(PlyRecord {
            mv: uci,
            search: Some(SearchRecord {
                score: exact_score(report),
                depth: report.depth,
                nodes: report.nodes,
                elapsed: searched.elapsed,
                latency,
                selective_depth: report.selective_depth,
                hashfull: report.hashfull,
                tbhits: report.tbhits,
                left: self.clocks[mover.index()].time_left().map(|time_left| time_left.remaining),
                pv: report.pv.as_slice().into(),
                warnings: WarningCounts::default(),
                lines: self.matching_lines(mover),
            }),
        });
    }

    /// A fault during a search: the mover loses. A late engine gets `stop` first, which distinguishes a slow engine
    /// from a hung one and makes it ready for the next game.
    fn game_lost_by_fault(&mut self, mover: Color, fault: &Fault) -> Result<GameEnd, Interrupted> {
        let termination = match fault {
            Fault::NoBestmove { waited, last } => return self.handle_timeout(mover, *waited, last),
            Fault::StopIgnored { .. }
            | Fault::NoFeaturesDone { .. }
            | Fault::NoPong { .. }
            | Fault::NotReading { .. }
            | Fault::NoUciok { .. }
            | Fault::NoLine { .. }
            | Fault::NoReadyok { .. } => Termination::Stall,
            Fault::IllegalMove { .. } => Termination::IllegalMove,
            // Only legal moves are sent, so the engine's claim is false.
            Fault::Refused { .. } => Termination::FalseClaim,
            Fault::NoMove { .. } => Termination::MissingMove,
            Fault::MalformedBestmove { .. } => Termination::MalformedMove,
            Fault::LineTooLong { .. } => Termination::EndlessLine,
            Fault::WouldNotStart(_)
            | Fault::NoNodeLimit
            | Fault::NoChess960 { .. }
            | Fault::NoSetBoard { .. }
            | Fault::OptionsTooLong { .. }
            | Fault::Exited { .. }
            | Fault::StdoutClosed { .. }
            | Fault::StdinClosed { .. }
            | Fault::Closed => Termination::Disconnect,
        };
        Ok(self.lost(mover, termination, fault.name(), fault.to_string()))
    }

    fn handle_timeout(
        &mut self,
        mover: Color,
        waited: Duration,
        last: &LastOutput,
    ) -> Result<GameEnd, Interrupted> {
        let fault = Fault::NoBestmove { waited, last: LastOutput::Nothing };
        let has_clock = self.clocks[mover.index()].time_limit().is_some();
        let mut context = WaitContext::interruptible(self.setup.interrupt);
        match self.engines[mover.index()].abandon(&mut context) {
            Ok(stopped) if has_clock => {
                let words = if stopped.has_moved {
                    "overstepped its time, and answered only after stop".to_owned()
                } else {
                    format!("{fault}, though it answered `ping`{last}")
                };
                let waited = self.clocks[mover.index()].terms().margin + LATE_GRACE;
                Ok(self.lost_on_time(mover, waited, words))
            }
            Ok(_) => Ok(self.lost(mover, Termination::Stall, fault.name(), format!("{fault}{last}"))),
            Err(ConversationError::Fault(worse)) => {
                let words = format!("{fault}, and then {worse}{last}");
                Ok(self.lost(mover, Termination::Stall, worse.name(), words))
            }
            Err(ConversationError::Interrupted) => Err(Interrupted::Stopped),
            Err(error @ ConversationError::System { .. }) => Err(Interrupted::System(error.to_string())),
        }
    }

    fn lost_on_time(&self, loser: Color, overrun: Duration, words: String) -> GameEnd {
        let mut end = self.lost(loser, Termination::TimeForfeit, "time-forfeit", words);
        if let Some(fault) = &mut end.fault {
            fault.overrun = Some(overrun);
        }
        end
    }

    fn lost(&self, loser: Color, termination: Termination, name: &str, words: String) -> GameEnd {
        let report = FaultReport {
            color: loser,
            name: name.to_owned(),
            words,
            transcript: transcript_of(&*self.engines[loser.index()]),
            illegal_move: None,
            overrun: None,
        };
        GameEnd { outcome: Outcome::Win(loser.opposite()), termination, fault: Some(report) }
    }
}

/// The exact score of a search, if it reported one.
fn exact_score(report: &SearchReport) -> Option<Score> {
    report.score.filter(|reported| reported.bound == Bound::Exact).map(|reported| reported.score)
}

/// The engine of a side, and a wait context with the other engine and the interrupt.
fn sides<'e>(
    engines: &'e mut [&mut dyn Engine; 2],
    side: Color,
    interrupt: &'e Interrupt,
) -> (&'e mut dyn Engine, WaitContext<'e>) {
    let [white, black] = engines;
    let (engine, other) = match side {
        Color::White => (&mut **white, &mut **black),
        Color::Black => (&mut **black, &mut **white),
    };
    (engine, WaitContext::interruptible(interrupt).with_other(other))
}

/// Last lines of the transcript, including standard error.
pub(crate) fn transcript_of(engine: &dyn Engine) -> Vec<String> {
    engine.last_lines().iter().map(ToString::to_string).collect()
}
