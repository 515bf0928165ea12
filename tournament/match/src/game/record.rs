//! The game record: replays a game, counts it, and shows an engine's fault. Plain values; store and PGN are derived
//! from them.

use std::num::NonZeroU64;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use smalt_chess::{Color, Outcome, UciMove};
use smalt_protocol::Score;
use smalt_stats::GameResult;

use super::search_warning::WarningCounts;
use super::termination::Termination;
use crate::schedule::ScheduledGame;

#[derive(Clone, Debug, PartialEq)]
pub struct GameRecord {
    pub game: ScheduledGame,
    /// Start position as FEN; `None` for the standard one.
    pub fen: Option<String>,
    /// All moves, opening included.
    pub plies: Vec<PlyRecord>,
    pub outcome: Outcome,
    pub termination: Termination,
    /// Start of the first search.
    pub started: SystemTime,
    /// From the first search to the end.
    pub duration: Duration,
    /// The fault that ended the game, if any.
    pub fault: Option<FaultReport>,
    /// Peak memory of White's and Black's process in bytes; `None` if the process had exited.
    pub peak_memory: [Option<u64>; 2],
    /// Machine that played it; `None` for the local one.
    pub machine: Option<Machine>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Name of the worker.
    pub name: String,
    /// Nodes per second of Smalt on it, for scaled clocks.
    pub speed: NonZeroU64,
}

impl GameRecord {
    /// The loser, if any.
    pub fn loser(&self) -> Option<Color> {
        match self.outcome {
            Outcome::Win(winner) => Some(winner.opposite()),
            Outcome::Draw => None,
        }
    }

    /// The result from White's point of view.
    pub fn white_outcome(&self) -> GameResult {
        match self.loser() {
            Some(Color::Black) => GameResult::Win,
            Some(Color::White) => GameResult::Loss,
            None => GameResult::Draw,
        }
    }

    pub(crate) fn walkover(game: ScheduledGame, fen: Option<String>, outcome: Outcome) -> GameRecord {
        GameRecord {
            game,
            fen,
            plies: Vec::new(),
            outcome,
            termination: Termination::Walkover,
            started: SystemTime::now(),
            duration: Duration::ZERO,
            fault: None,
            peak_memory: [None, None],
            machine: None,
        }
    }

    /// The ending as text: `White mates`, `Black makes an illegal move: e2e5`.
    pub fn sentence(&self) -> String {
        if (self.outcome, self.termination) == (Outcome::Draw, Termination::Walkover) {
            return "Neither player appears".to_owned();
        }
        let sentence = self.termination.sentence(self.loser().map_or(Color::White, Color::opposite));
        match self.fault.as_ref().and_then(|fault| fault.illegal_move) {
            Some(mv) if self.termination == Termination::IllegalMove => format!("{sentence}: {mv}"),
            _ => sentence,
        }
    }

    /// The ending as worded by fastchess, for scripts that compare it.
    pub fn fastchess_sentence(&self) -> String {
        let words = |termination: Termination| {
            termination.sentence(self.loser().map_or(Color::White, Color::opposite))
        };
        match self.termination {
            Termination::TimeForfeit => {
                let overrun = self.fault.as_ref().and_then(|fault| fault.overrun).unwrap_or_default();
                format!("{} ({}ms overrun)", words(self.termination), overrun.as_millis())
            }
            Termination::MaximumMoves => words(Termination::DrawAdjudication),
            Termination::MateAdjudication => words(Termination::WinAdjudication),
            Termination::IllegalMove
            | Termination::MissingMove
            | Termination::MalformedMove
            | Termination::EndlessLine => words(Termination::IllegalMove),
            _ => self.sentence(),
        }
    }

    /// Rounds all times down to the precision of the store, microseconds and milliseconds: the record is then equal to the
    /// stored one.
    pub(crate) fn round_times(&mut self) {
        let rounded =
            |time: Duration, unit: u32| Duration::new(time.as_secs(), time.subsec_nanos() / unit * unit);
        let since = self.started.duration_since(UNIX_EPOCH).unwrap_or_default();
        self.started = UNIX_EPOCH + rounded(since, 1_000_000);
        self.duration = rounded(self.duration, 1000);
        for search in self.plies.iter_mut().filter_map(|ply| ply.search.as_mut()) {
            search.elapsed = rounded(search.elapsed, 1000);
            search.latency = search.latency.map(|time| rounded(time, 1000));
            search.left = search.left.map(|time| rounded(time, 1000));
        }
        if let Some(fault) = &mut self.fault {
            fault.overrun = fault.overrun.map(|time| rounded(time, 1000));
        }
    }

    /// The entrant of this color.
    pub fn entrant(&self, color: Color) -> usize {
        match color {
            Color::White => self.game.white,
            Color::Black => self.game.black,
        }
    }

    /// Number of opening plies.
    pub fn book_plies(&self) -> usize {
        self.plies.iter().take_while(|ply| ply.search.is_none()).count()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct PlyRecord {
    pub mv: UciMove,
    /// The search; `None` for a book move.
    pub search: Option<SearchRecord>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchRecord {
    /// Score from the point of view of the side that moved.
    pub score: Option<Score>,
    /// Nominal depth in plies.
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    /// Time from the completed write of `go` to the read of the move.
    pub elapsed: Duration,
    /// Time from the read of the opponent's move to the completed write of `go`: the runner's own delay.
    pub latency: Option<Duration>,
    /// Selective depth in plies.
    pub selective_depth: Option<u32>,
    /// Transposition table use, in thousandths.
    pub hashfull: Option<u32>,
    pub tbhits: Option<u64>,
    /// Time left after the move.
    pub left: Option<Duration>,
    /// Principal variation; unless the plan keeps all, only at the losing move and the reply to it.
    pub pv: Box<[UciMove]>,
    /// Warnings about the output of the search.
    pub warnings: WarningCounts,
    /// Engine lines selected for the PGN.
    pub lines: Box<[Box<str>]>,
}

/// An engine's fault in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultReport {
    pub color: Color,
    /// Stable name for stores and JSON.
    pub name: String,
    /// Description that follows the engine's name.
    pub words: String,
    /// Last lines of the transcript.
    pub transcript: Vec<String>,
    /// The illegal move that it answered.
    pub illegal_move: Option<UciMove>,
    /// Time beyond its clock.
    pub overrun: Option<Duration>,
}

/// A fault outside a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineFault {
    /// Entrant, as an index into the plan's list.
    pub entrant: usize,
    /// Stable name for stores and JSON.
    pub name: String,
    /// Description that follows the engine's name.
    pub words: String,
    /// Last lines of the transcript.
    pub transcript: Vec<String>,
}

/// A machine and its engines, as a worker sends them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineReport {
    /// Name of the worker.
    pub name: String,
    /// Its program and version.
    pub program: String,
    /// The model of its processor.
    pub cpu: String,
    pub cores: u32,
    /// Number of concurrent games.
    pub slots: u32,
    /// Nodes per second of Smalt on one core.
    pub speed: u64,
    /// Engines by entrant, in plan order.
    pub engines: Vec<BinaryReport>,
}

/// An engine binary of a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BinaryReport {
    /// Name that the engine reports.
    pub name: String,
    pub author: String,
    /// SHA-256 of the program file, in hexadecimal.
    pub sha256: String,
}
