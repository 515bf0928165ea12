//! Verifies a game reported by a worker: replays the moves by the rules, recomputes the clocks, and checks that the
//! ending follows from the last position. A worker can report false scores and faults of its engines, but not an
//! illegal game. Pure.

use std::time::{Duration, SystemTime};

use smalt_chess::{CastlingMode, Color, DrawClaims, Game, Move, Outcome, UciMove};

use super::wire::GameReport;
use smalt_match::game::{
    Adjudicator, ClockFlag, FaultReport, GameRecord, PlyRecord, RunningClock, SearchRecord,
    TablebaseAdjudicator, Termination,
};
use smalt_match::plan::{AdjudicationRules, MoveClock, Plan, PvRecord, TimeFlow, Variant};
use smalt_match::run::OpenedGame;

/// Tolerance of times rounded to microseconds, over the longest game.
const ROUNDING: Duration = Duration::from_millis(20);

/// Upper limits for plausible figures of a single search.
const MAX_NODES: u64 = 1_000_000_000_000;
const MAX_DEPTH: u32 = 10_000;
const MAX_DURATION: Duration = Duration::from_secs(365 * 24 * 3600);

/// Verifies the games of a run.
#[derive(Debug)]
pub struct GameVerifier {
    variant: Variant,
    flow: TimeFlow,
    pv: PvRecord,
    adjudication: AdjudicationRules,
    tablebases: Option<TablebaseAdjudicator>,
    /// Whether each entrant has a book, whose moves have no search data.
    has_book: Vec<bool>,
}

/// Why a game is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InvalidGame {
    #[error("it does not begin with the moves of its opening")]
    Opening,
    #[error("its ply {ply} is {mv}, which is illegal in {fen}")]
    Illegal {
        /// Ply, from 1.
        ply: usize,
        mv: UciMove,
        fen: String,
    },
    /// A move after the end of the game.
    #[error("it continues after ply {ply}, where it ended by {termination}")]
    GoesOn {
        /// Last ply of the game, from 1.
        ply: usize,
        /// Why it was over.
        termination: Termination,
    },
    /// The search data of a move is missing or impossible.
    #[error("the search data of its ply {ply} is impossible")]
    Search {
        /// Ply, from 1.
        ply: usize,
    },
    /// A move after the time forfeit.
    #[error("its ply {ply} was played after the time forfeit")]
    Late {
        /// Ply, from 1.
        ply: usize,
    },
    #[error("its duration is impossible")]
    Duration,
    /// An ending that does not follow from the last position.
    #[error("its end ({outcome} by {termination}) does not follow from its last position")]
    Ending { outcome: Outcome, termination: Termination },
    /// A fault report that contradicts the termination.
    #[error("its report of a fault does not fit its end ({termination})")]
    Fault { termination: Termination },
}

impl GameVerifier {
    /// The verifier of a plan.
    pub fn of(plan: &Plan, tablebases: Option<TablebaseAdjudicator>) -> GameVerifier {
        GameVerifier {
            variant: plan.settings.run.variant,
            flow: plan.flow(),
            pv: plan.settings.output.writing().pv_record(),
            adjudication: plan.settings.adjudication.rules(),
            tablebases,
            has_book: plan.entrants.iter().map(|entrant| entrant.engine.book.is_some()).collect(),
        }
    }

    /// Maximum number of pieces adjudicated by tablebases, if any.
    pub fn tables(&self) -> Option<u32> {
        self.tablebases.as_ref().map(TablebaseAdjudicator::pieces)
    }

    /// The record of a submitted game, given the time controls of White and Black as scaled on the worker. Other data
    /// than the moves is checked for plausibility.
    ///
    /// # Errors
    /// If the game is impossible.
    pub(crate) fn verify(
        &self,
        given: &OpenedGame,
        clocks: [&MoveClock; 2],
        report: GameReport,
        now: SystemTime,
    ) -> Result<GameRecord, InvalidGame> {
        let opening = &given.opening;
        let clocks = clocks.map(|clock| MoveClock { margin: clock.margin + ROUNDING, ..clock.clone() });
        let mut replay = Replay {
            rules: self,
            has_book: [given.game.white, given.game.black].map(|entrant| self.has_book[entrant]),
            variant: self.variant.mode(CastlingMode::of(&opening.position)),
            game: Game::new(opening.position),
            clocks: [RunningClock::new(&clocks[0]), RunningClock::new(&clocks[1])],
            adjudicator: Adjudicator::new(self.adjudication),
            adjudicated: None,
            spent: Duration::ZERO,
            plies: Vec::with_capacity(report.plies.len()),
        };
        let (book, played) =
            report.plies.split_at_checked(opening.moves.len()).ok_or(InvalidGame::Opening)?;
        replay.open(book, opening)?;
        for ply in played {
            replay.play(ply)?;
        }
        if report.duration > MAX_DURATION || replay.spent > report.duration + ROUNDING {
            return Err(InvalidGame::Duration);
        }
        replay.check_end(&report)?;
        let mut record = GameRecord {
            game: given.game,
            fen: opening.fen.clone(),
            plies: replay.plies,
            outcome: report.outcome,
            termination: report.termination,
            started: now.checked_sub(report.duration).unwrap_or(now),
            duration: report.duration,
            fault: report.fault,
            peak_memory: report.peak_memory,
            machine: None,
        };
        if self.pv == PvRecord::LosingMove {
            record.drop_variations();
        }
        Ok(record)
    }
}

/// A game being replayed.
struct Replay<'a> {
    rules: &'a GameVerifier,
    /// Whether White and Black have a book.
    has_book: [bool; 2],
    variant: CastlingMode,
    game: Game,
    clocks: [RunningClock<'a>; 2],
    adjudicator: Adjudicator,
    adjudicated: Option<(Outcome, Termination)>,
    spent: Duration,
    plies: Vec<PlyRecord>,
}

impl Replay<'_> {
    fn open(
        &mut self,
        book: &[PlyRecord],
        opening: &smalt_match::opening::Opening,
    ) -> Result<(), InvalidGame> {
        for (ply, &mv) in book.iter().zip(&opening.moves) {
            let is_same = ply.mv.to_move(self.game.position()) == Ok(mv);
            if !is_same || ply.search.is_some() {
                return Err(InvalidGame::Opening);
            }
            self.play_book_move(mv);
        }
        Ok(())
    }

    /// Plays a legal move of the opening or of a book: it has no search data and takes no time.
    fn play_book_move(&mut self, mv: Move) {
        let mover = self.game.position().turn();
        self.game.play(mv).expect("the move is legal");
        self.plies.push(PlyRecord { mv: UciMove::from_move(mv, self.variant), search: None });
        let _ = self.adjudicator.update(mover, None, false);
    }

    /// The next move of the game.
    fn legal_move(&self, mv: UciMove) -> Result<Move, InvalidGame> {
        let position = self.game.position();
        let illegal = |_| InvalidGame::Illegal { ply: self.plies.len() + 1, mv, fen: position.to_fen() };
        mv.to_move(position).map_err(illegal)
    }

    /// Ending by the rules of chess or by tablebases.
    fn ending(&self) -> Option<(Outcome, Termination)> {
        if let Some(ending) = self.game.ending(DrawClaims::Automatic) {
            return Some((ending.outcome(), ending.into()));
        }
        self.rules.tablebases.as_ref()?.adjudicate(self.game.position())
    }

    fn play(&mut self, ply: &PlyRecord) -> Result<(), InvalidGame> {
        let number = self.plies.len() + 1;
        if let Some((_, termination)) = self.ending().or(self.adjudicated) {
            return Err(InvalidGame::GoesOn { ply: number - 1, termination });
        }
        let mover = self.game.position().turn();
        if ply.search.is_none() && self.has_book[mover.index()] {
            let mv = self.legal_move(ply.mv)?;
            self.play_book_move(mv);
            return Ok(());
        }
        let search = ply.search.as_ref().filter(|search| is_plausible(search));
        let search = search.ok_or(InvalidGame::Search { ply: number })?;
        let clock = &mut self.clocks[mover.index()];
        if clock.spend(search.elapsed) != ClockFlag::Up {
            return Err(InvalidGame::Late { ply: number });
        }
        let left = clock.time_left().map(|time_left| time_left.remaining);
        if self.rules.flow == TimeFlow::Hourglass {
            self.clocks[mover.opposite().index()].gain(search.elapsed);
        }
        self.spent += search.elapsed;
        let mv = self.legal_move(ply.mv)?;
        self.game.play(mv).expect("the move was found among the legal ones");
        let search = SearchRecord { left, lines: Box::default(), ..search.clone() };
        let score = search.score;
        self.plies.push(PlyRecord { mv: UciMove::from_move(mv, self.variant), search: Some(search) });
        let is_irreversible = self.game.position().halfmove_clock() == 0;
        self.adjudicated = self.adjudicator.update(mover, score, is_irreversible);
        Ok(())
    }

    fn check_end(&self, report: &GameReport) -> Result<(), InvalidGame> {
        let GameReport { outcome, termination, ref fault, .. } = *report;
        let turn = self.game.position().turn();
        let refuse = InvalidGame::Ending { outcome, termination };
        let by_rules = self.ending();
        // An engine claims a result instead of a move, before adjudication.
        if termination == Termination::FalseClaim
            && by_rules.is_none()
            && outcome == Outcome::Win(turn)
            && !self.plies.is_empty()
        {
            return check_fault(fault.as_ref(), turn.opposite(), termination);
        }
        match by_rules.or(self.adjudicated) {
            Some(end) if end != (outcome, termination) => Err(refuse),
            Some(_) if fault.is_some() => Err(InvalidGame::Fault { termination }),
            Some(_) => Ok(()),
            None if outcome != Outcome::Win(turn.opposite()) => Err(refuse),
            None if termination == Termination::Resignation => match fault {
                Some(_) => Err(InvalidGame::Fault { termination }),
                None => Ok(()),
            },
            None if !termination.is_fault() => Err(refuse),
            // No time forfeit without a clock.
            None if termination == Termination::TimeForfeit
                && self.clocks[turn.index()].time_limit().is_none() =>
            {
                Err(refuse)
            }
            None => check_fault(fault.as_ref(), turn, termination),
        }
    }
}

fn check_fault(
    fault: Option<&FaultReport>,
    loser: Color,
    termination: Termination,
) -> Result<(), InvalidGame> {
    match fault {
        Some(fault) if fault.color == loser => Ok(()),
        _ => Err(InvalidGame::Fault { termination }),
    }
}

fn is_plausible(search: &SearchRecord) -> bool {
    let few = |count: Option<u64>| count.is_none_or(|count| count <= MAX_NODES);
    let shallow = |depth: Option<u32>| depth.is_none_or(|depth| depth <= MAX_DEPTH);
    let short = |time: Duration| time <= MAX_DURATION;
    few(search.nodes)
        && few(search.tbhits)
        && shallow(search.depth)
        && shallow(search.selective_depth)
        && short(search.elapsed)
        && search.latency.is_none_or(short)
}

#[cfg(test)]
mod tests;
