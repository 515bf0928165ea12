//! Plays one game between two running engines: asks for moves, judges them, runs the clocks. Whatever an engine does,
//! a record comes out; only an interrupt or a failure of our own system ends a game without one.

use std::time::{Duration, Instant, SystemTime};

use smalt_chess::{CastlingMode, Color, DrawClaims, Game, Outcome, UciMove};
use smalt_driver::process::Interrupt;
use smalt_driver::{
    ConversationError, Engine, Fault, Pondering, ResultClaim, SearchControl, SearchEnd, SearchObserver,
    SearchReport, SearchRequest, SearchResult, State, WaitContext,
};
use smalt_protocol::uci::client::Start;
use smalt_protocol::{Bound, Clock, Info, ReportedScore, Score, SearchLimits};

use super::adjudicate::Adjudicator;
use super::clock::{ClockFlag, RunningClock};
use super::observer::{GameObserver, MoveStart};
use super::record::{FaultReport, GameRecord, PlyRecord, SearchRecord, illegal_move_words};
use super::tablebases::Tablebases;
use super::termination::Termination;
use crate::opening::Opening;
use crate::plan::{AdjudicationRules, MoveClock, PvRecord, ScoreView, TimeFlow};
use crate::schedule::ScheduledGame;

/// How long a move is awaited beyond clock and margin, so that a late one is seen to be late, and by how much.
const LATE_GRACE: Duration = Duration::from_millis(250);

/// A search after one that took so long is worth being followed by onlookers.
const LONG_SEARCH: Duration = Duration::from_millis(50);

/// How often they are shown what it found.
const INFO_INTERVAL: Duration = Duration::from_millis(100);

/// A game is disturbed when this program stood still, while an engine's clock ran, for half of the time that the engine had,
/// within these bounds; or when the engine would not have lost on time without all such times.
const MIN_DISTURBANCE: Duration = Duration::from_millis(500);
const MAX_DISTURBANCE: Duration = Duration::from_secs(1);

/// Least time sent to an engine: zero would mean no limit.
const MIN_TIME: Duration = Duration::from_millis(1);

/// After this share of the longest time for a move users are told that it is being awaited.
const WARNING_SHARE: u32 = 10;

/// What is played.
#[derive(Clone, Copy)]
pub struct GameSetup<'a> {
    /// Which game of the schedule.
    pub game: ScheduledGame,
    /// Where it begins.
    pub opening: &'a Opening,
    /// Which chess it is; in Chess960 castling is written as king takes rook.
    pub variant: CastlingMode,
    /// Where the time goes that a side uses.
    pub flow: TimeFlow,
    /// Whether principal variations are kept.
    pub pv: PvRecord,
    /// When it ends early.
    pub adjudication: AdjudicationRules,
    /// The endgame tables that end it, too.
    pub tablebases: Option<&'a Tablebases>,
    /// Follows it.
    pub observer: &'a dyn GameObserver,
    /// What ends it at once.
    pub interrupt: &'a Interrupt,
}

/// One side: an engine that has been told that a new game begins, and its time.
pub struct Player<'a> {
    /// The engine.
    pub engine: &'a mut dyn Engine,
    /// What its moves may take.
    pub clock: &'a MoveClock,
    /// Whether it thinks on its opponent's time.
    pub pondering: Pondering,
    /// From whose view it tells its scores.
    pub scores: ScoreView,
}

/// Why there is no record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Interrupted {
    /// We were told to stop.
    #[error("interrupted")]
    Stopped,
    /// This program itself stood still for so long while an engine's clock ran: the game says nothing.
    #[error("this program stood still for {:.1} s", .0.as_secs_f64())]
    Stalled(Duration),
    /// The system failed us, not an engine.
    #[error("{0}")]
    System(String),
}

/// Plays to the end. An engine that did wrong may be closed afterwards, or still think.
///
/// # Errors
/// If the interrupt was raised, this program was held up while a clock ran, or the system failed.
pub fn play(setup: GameSetup<'_>, players: [Player<'_>; 2]) -> Result<GameRecord, Interrupted> {
    let clocks = [RunningClock::new(players[0].clock), RunningClock::new(players[1].clock)];
    let [white, black] = players;
    let position = setup.opening.position;
    let mut table = LiveGame {
        setup,
        pondering: [white.pondering, black.pondering],
        scores: [white.scores, black.scores],
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
        stalls: [Duration::ZERO; 2],
    };
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
    table.end_pondering();
    Ok(GameRecord {
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
    })
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
    /// The answer that a side expects to its last move, if it may ponder on it.
    expected: [Option<UciMove>; 2],
    /// The move that a side ponders on, as if it had been played.
    pondered: [Option<UciMove>; 2],
    game: Game,
    moves: Vec<UciMove>,
    plies: Vec<PlyRecord>,
    adjudicator: Adjudicator,
    answered_at: Option<Instant>,
    /// What each side told of its last search, and how long that took.
    last: [Option<(SearchReport, Duration)>; 2],
    /// Whether users were told that a side overruns its limits: once a game is enough.
    warned: [bool; 2],
    /// How long the mover took to stop pondering on a wrong guess: part of its time for the move.
    stopping: Duration,
    /// How long this program stood still in all searches of each side.
    stalls: [Duration; 2],
}

impl LiveGame<'_> {
    fn play_opening(&mut self) {
        for &mv in &self.setup.opening.moves {
            let mover = self.game.position().turn();
            self.game.play(mv).expect("openings are replayed when they are read");
            let uci = UciMove::from_move(mv, self.setup.variant);
            self.moves.push(uci);
            self.plies.push(PlyRecord { mv: uci, search: None });
            // A book move never ends a game, but it counts as one.
            let _ = self.adjudicator.update(mover, None, false);
        }
    }

    /// The end by the rules of chess, where draws are claimed as soon as they can be, or by the tables.
    fn end_by_rules(&self) -> Option<GameEnd> {
        if let Some(ending) = self.game.ending(DrawClaims::Automatic) {
            return Some(GameEnd { outcome: ending.outcome(), termination: ending.into(), fault: None });
        }
        let (outcome, termination) = self.setup.tablebases?.adjudicate(self.game.position())?;
        Some(GameEnd { outcome, termination, fault: None })
    }

    /// Asks the side to move for its move, and plays it; or tells how the game ends without it.
    fn play_move(&mut self) -> Result<Option<GameEnd>, Interrupted> {
        let mover = self.game.position().turn();
        let stalled_before = self.engines[mover.index()].process().stalled();
        let time_limit = self.clocks[mover.index()].time_limit();
        let searched = self.search(mover);
        let stall = self.engines[mover.index()].process().stalled().saturating_sub(stalled_before);
        let searched = match searched {
            Err(ConversationError::Interrupted) => return Err(Interrupted::Stopped),
            Err(error @ ConversationError::System { .. }) => {
                return Err(Interrupted::System(error.to_string()));
            }
            _ if time_limit.is_some_and(|time_limit| is_disturbing(stall, time_limit)) => {
                return Err(Interrupted::Stalled(stall));
            }
            Ok(searched) => searched,
            Err(ConversationError::Fault(fault)) => return self.game_lost_by_fault(mover, &fault).map(Some),
        };
        self.stalls[mover.index()] += stall;
        if let ClockFlag::Fallen(late) = self.clocks[mover.index()].spend(searched.elapsed) {
            let stalls = self.stalls[mover.index()];
            if late.saturating_sub(stalls) <= self.clocks[mover.index()].terms().margin {
                return Err(Interrupted::Stalled(stalls));
            }
            let words = format!("overstepped its time by {:.3} s", late.as_secs_f64());
            return Ok(Some(self.lost(mover, Termination::TimeForfeit, "time-forfeit", words)));
        }
        if self.setup.flow == TimeFlow::Hourglass {
            self.clocks[mover.opposite().index()].gain(searched.elapsed);
        }
        if let Some(verdict) = self.check_claim(mover, &searched) {
            return Ok(Some(verdict));
        }
        let Some(uci) = searched.best else {
            let words = "said that it has no move, where it has one".to_owned();
            return Ok(Some(self.lost(mover, Termination::MissingMove, "no-move", words)));
        };
        let Ok(mv) = uci.to_move(self.game.position()) else {
            let words = illegal_move_words(uci, &self.game.position().to_fen());
            return Ok(Some(self.lost(mover, Termination::IllegalMove, "illegal-move", words)));
        };
        self.game.play(mv).expect("the move was found among the legal ones");
        self.record_ply(mover, UciMove::from_move(mv, self.setup.variant), &searched);
        if let Some(verdict) = self.end_by_rules() {
            return Ok(Some(verdict));
        }
        if let Some(ResultClaim::Result { outcome, comment }) = &searched.claim {
            return Ok(Some(self.false_claim(mover, *outcome, comment)));
        }
        self.expected[mover.index()] = self.expected_answer(mover, &searched);
        let score = exact_score(&searched.report);
        let is_irreversible = self.game.position().halfmove_clock() == 0;
        let judged = self.adjudicator.update(mover, score, is_irreversible);
        self.last[mover.index()] = Some((searched.report, searched.elapsed));
        Ok(judged.map(|(outcome, termination)| GameEnd { outcome, termination, fault: None }))
    }

    /// An engine may give up, or claim a result instead of a move; a draw is had by the rules alone.
    fn check_claim(&self, mover: Color, searched: &SearchResult) -> Option<GameEnd> {
        let lost = Outcome::Win(mover.opposite());
        match searched.claim.as_ref()? {
            ResultClaim::Resigns => {}
            ResultClaim::Result { outcome, .. } if *outcome == lost => {}
            ResultClaim::Result { outcome, comment } if searched.best.is_none() => {
                return Some(self.false_claim(mover, *outcome, comment));
            }
            ResultClaim::Result { .. } | ResultClaim::OffersDraw => return None,
        }
        Some(GameEnd { outcome: lost, termination: Termination::Resignation, fault: None })
    }

    fn false_claim(&self, mover: Color, outcome: Outcome, comment: &str) -> GameEnd {
        let words = format!("claimed {outcome} {{{comment}}}, where the game goes on");
        self.lost(mover, Termination::FalseClaim, "false-claim", words)
    }

    /// The answer on which a side may ponder: a legal one.
    fn expected_answer(&self, mover: Color, searched: &SearchResult) -> Option<UciMove> {
        let expected = searched.ponder.filter(|_| self.pondering[mover.index()] == Pondering::On)?;
        let mv = expected.to_move(self.game.position()).ok()?;
        Some(UciMove::from_move(mv, self.setup.variant))
    }

    /// The mover's clock runs from the write of its `go` (or `ponderhit`) to the read of its move, and before that from
    /// `stop` to its answer, if it pondered on another move. Only when it runs is the other side told to ponder, so that
    /// this costs nobody time.
    fn search(&mut self, mover: Color) -> Result<SearchResult, ConversationError> {
        let was_right = self.pondered[mover.index()].take().is_some_and(|mv| self.moves.last() == Some(&mv));
        let (engine, mut context) = sides(&mut self.engines, mover, self.setup.interrupt);
        self.stopping = if was_right { Duration::ZERO } else { engine.abandon(&mut context)? };
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
        if let Some(expected) = self.expected[mover.opposite().index()].take() {
            self.ponder(mover.opposite(), expected)?;
        }
        self.report_move_start(mover);
        let (observer, ply) = (self.setup.observer, self.moves.len());
        let is_followed = self.is_followed(mover);
        let is_of_white = (mover, self.scores[mover.index()]) == (Color::Black, ScoreView::White);
        let own_view = |told: ReportedScore| if is_of_white { told.negated() } else { told };
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

    /// Tells the observer of the search that has just begun: while the engine thinks, so that it costs nobody time.
    fn report_move_start(&self, mover: Color) {
        let left = Color::ALL
            .map(|color| self.clocks[color.index()].time_left().map(|time_left| time_left.remaining));
        let other = mover.opposite();
        let last = self.last[other.index()].as_ref().map(|(report, elapsed)| (other, report, *elapsed));
        let fen = self.setup.opening.fen.as_deref();
        self.setup.observer.move_started(&MoveStart {
            game: self.setup.game,
            fen,
            moves: &self.moves,
            left,
            last,
        });
    }

    /// Whether a search is followed line by line: where somebody looks on and the search is likely to last.
    fn is_followed(&self, mover: Color) -> bool {
        let is_long = self.last[mover.index()].as_ref().is_none_or(|(_, took)| *took >= LONG_SEARCH);
        is_long && self.setup.observer.wants_info()
    }

    /// Lets a side think on as if this answer had been played. What goes wrong with it shows when it is its turn.
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

    /// The game is over, and so is what engines thought ahead. One that does not stop is unfit for the next game,
    /// which its state tells.
    fn end_pondering(&mut self) {
        for color in Color::ALL {
            let (engine, mut context) = sides(&mut self.engines, color, self.setup.interrupt);
            if self.pondered[color.index()].take().is_some() && engine.state() == State::Thinking {
                let _ = engine.abandon(&mut context);
            }
        }
    }

    /// How long the mover is waited for when it has used so much of its time already.
    fn move_deadline(&self, mover: Color, used: Duration) -> MoveDeadline {
        let clock = &self.clocks[mover.index()];
        let terms = clock.terms();
        clock.time_limit().map_or(MoveDeadline::Unclocked(terms.longest_move), |time| {
            MoveDeadline::Clocked(time.saturating_sub(used) + terms.margin + LATE_GRACE)
        })
    }

    /// Clock to send to the mover when it has used part of its time already.
    fn limits(&self, mover: Color, used: Duration) -> SearchLimits {
        let clock = &self.clocks[mover.index()];
        let terms = clock.terms();
        let rest =
            |time: Duration| if used.is_zero() { time } else { time.saturating_sub(used).max(MIN_TIME) };
        let own =
            clock.time_left().map(|time_left| Clock { remaining: rest(time_left.remaining), ..time_left });
        // An engine with a clock is told of both; where its opponent has none, of its own twice.
        let time_left =
            |color: Color| if color == mover { own } else { self.clocks[color.index()].time_left().or(own) };
        let has_clock = clock.time_left().is_some();
        SearchLimits {
            white: time_left(Color::White).filter(|_| has_clock),
            black: time_left(Color::Black).filter(|_| has_clock),
            moves_to_go: clock.moves_to_go(),
            depth: terms.depth,
            nodes: terms.nodes,
            move_time: terms.move_time.map(rest),
            ..SearchLimits::default()
        }
    }

    fn record_ply(&mut self, mover: Color, uci: UciMove, searched: &SearchResult) {
        let handover = self.answered_at.map(|answered| {
            searched.asked_at.saturating_duration_since(answered).saturating_sub(self.stopping)
        });
        self.answered_at = Some(searched.answered_at);
        self.moves.push(uci);
        let report = &searched.report;
        let pv = match self.setup.pv {
            PvRecord::Kept => report.pv.as_slice().into(),
            PvRecord::Dropped => Box::default(),
        };
        self.plies.push(PlyRecord {
            mv: uci,
            search: Some(SearchRecord {
                score: exact_score(report),
                depth: report.depth,
                nodes: report.nodes,
                elapsed: searched.elapsed,
                handover,
                selective_depth: report.selective_depth,
                hashfull: report.hashfull,
                tbhits: report.tbhits,
                left: self.clocks[mover.index()].time_left().map(|time_left| time_left.remaining),
                pv,
            }),
        });
    }

    /// A fault while a move was awaited: the mover loses. An engine that is only late is asked to stop, which tells
    /// a slow one from a dead one, and leaves it fit for the next game.
    fn game_lost_by_fault(&mut self, mover: Color, fault: &Fault) -> Result<GameEnd, Interrupted> {
        let termination = match fault {
            Fault::NoBestmove { .. } => return self.handle_timeout(mover, fault),
            Fault::StopIgnored { .. }
            | Fault::NoFeaturesDone { .. }
            | Fault::NoPong { .. }
            | Fault::NotReading { .. }
            | Fault::NoUciok { .. }
            | Fault::NoReadyok { .. } => Termination::Stall,
            Fault::IllegalMove { .. } => Termination::IllegalMove,
            // What we tell it is legal: it claims the contrary.
            Fault::Refused { .. } => Termination::FalseClaim,
            Fault::NoMove { .. } => Termination::MissingMove,
            Fault::MalformedBestmove { .. } => Termination::MalformedMove,
            Fault::LineTooLong { .. } => Termination::EndlessLine,
            Fault::WouldNotStart(_)
            | Fault::NoNodeLimit
            | Fault::NoChess960 { .. }
            | Fault::NoSetBoard { .. }
            | Fault::Exited { .. }
            | Fault::StdoutClosed { .. }
            | Fault::StdinClosed { .. }
            | Fault::Closed => Termination::Disconnect,
        };
        Ok(self.lost(mover, termination, fault.name(), fault.to_string()))
    }

    fn handle_timeout(&mut self, mover: Color, fault: &Fault) -> Result<GameEnd, Interrupted> {
        let has_clock = self.clocks[mover.index()].time_limit().is_some();
        let mut context = WaitContext::interruptible(self.setup.interrupt);
        match self.engines[mover.index()].abandon(&mut context) {
            Ok(_) if has_clock => {
                let words = "overstepped its time, and answered only when told to stop".to_owned();
                Ok(self.lost(mover, Termination::TimeForfeit, "time-forfeit", words))
            }
            Ok(_) => Ok(self.lost(mover, Termination::Stall, fault.name(), fault.to_string())),
            Err(ConversationError::Fault(worse)) => {
                let words = format!("{fault}, and then {worse}");
                Ok(self.lost(mover, Termination::Stall, worse.name(), words))
            }
            Err(ConversationError::Interrupted) => Err(Interrupted::Stopped),
            Err(error @ ConversationError::System { .. }) => Err(Interrupted::System(error.to_string())),
        }
    }

    fn lost(&self, loser: Color, termination: Termination, name: &str, words: String) -> GameEnd {
        let report = FaultReport {
            color: loser,
            name: name.to_owned(),
            words,
            transcript: transcript_of(&*self.engines[loser.index()]),
        };
        GameEnd { outcome: Outcome::Win(loser.opposite()), termination, fault: Some(report) }
    }
}

/// Whether a game says nothing after this program stood still for so long in a search that might take so long.
fn is_disturbing(stall: Duration, time_limit: Duration) -> bool {
    stall >= (time_limit / 2).clamp(MIN_DISTURBANCE, MAX_DISTURBANCE)
}

/// The score of a search, if the engine told one that is more than a bound.
fn exact_score(report: &SearchReport) -> Option<Score> {
    report.score.filter(|reported| reported.bound == Bound::Exact).map(|reported| reported.score)
}

/// How long a move is awaited.
#[derive(Clone, Copy)]
enum MoveDeadline {
    /// As its clock says.
    Clocked(Duration),
    /// Nothing limits its time, so that nobody knows whether it hangs: users are told before it is given up.
    Unclocked(Duration),
}

impl MoveDeadline {
    /// Until something is done.
    fn first(self) -> Duration {
        match self {
            MoveDeadline::Clocked(time) => time,
            MoveDeadline::Unclocked(longest) => longest / WARNING_SHARE,
        }
    }

    /// Until it is given up.
    fn last(self) -> Duration {
        match self {
            MoveDeadline::Clocked(time) | MoveDeadline::Unclocked(time) => time,
        }
    }
}

fn slow_move_warning(waited: Duration, longest: Duration) -> String {
    format!(
        "has thought about one move for {} s, and no limit of time ends it: it is given up after {} s (longest-move)",
        waited.as_secs_f64(),
        longest.as_secs_f64()
    )
}

fn overrun_warning(terms: &MoveClock) -> String {
    let nodes = terms.nodes.map(|nodes| format!("{nodes} nodes"));
    let depth = terms.depth.map(|plies| format!("{plies} plies"));
    let limit: Vec<String> = nodes.into_iter().chain(depth).collect();
    format!(
        "ignores its limit of {} a move and is stopped beyond it: it plays with more than was agreed",
        limit.join(" and ")
    )
}

/// The engine of a side, and what is heeded while it is waited for: the other engine, and the interrupt.
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

/// The last lines of a conversation, and of what the engine wrote to standard error.
pub(crate) fn transcript_of(engine: &dyn Engine) -> Vec<String> {
    engine.last_lines().iter().map(ToString::to_string).collect()
}
