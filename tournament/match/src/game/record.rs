//! What is kept of a game: enough to replay it, to count it, and to see what an engine did wrong. Plain values; the
//! store and PGN are made of these.

use std::num::NonZeroU64;
use std::time::{Duration, SystemTime};

use smalt_chess::{Color, Outcome, UciMove};
use smalt_protocol::Score;
use smalt_stats::Outcome as Points;

use super::termination::Termination;
use crate::schedule::ScheduledGame;

/// A finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRecord {
    /// Which game of the schedule it is.
    pub game: ScheduledGame,
    /// Where it began; the start position of chess if none.
    pub fen: Option<String>,
    /// Its moves: first those of the opening, then the engines'.
    pub plies: Vec<PlyRecord>,
    /// Who won.
    pub outcome: Outcome,
    /// Why it ended.
    pub termination: Termination,
    /// When the first move was asked for.
    pub started: SystemTime,
    /// From then to the end.
    pub duration: Duration,
    /// What an engine did wrong, if that ended the game.
    pub fault: Option<FaultReport>,
    /// The most memory that each engine's process had had by the end, in bytes, White's first; none if it was gone.
    pub peak_memory: [Option<u64>; 2],
    /// Who played it; none if it was the machine of the run itself.
    pub machine: Option<Machine>,
}

/// A machine that plays for a run elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// What its worker is called.
    pub name: String,
    /// Nodes a second of Smalt on it, to which its clocks were scaled where the plan wants that.
    pub speed: NonZeroU64,
}

impl GameRecord {
    /// The side that lost, if one did.
    pub fn loser(&self) -> Option<Color> {
        match self.outcome {
            Outcome::Win(winner) => Some(winner.opposite()),
            Outcome::Draw => None,
        }
    }

    /// What it counts for White.
    pub fn white_outcome(&self) -> Points {
        match self.loser() {
            Some(Color::Black) => Points::Win,
            Some(Color::White) => Points::Loss,
            None => Points::Draw,
        }
    }

    /// A game that nobody played, since one of the two, or none, is there: who is there wins.
    pub fn walkover(game: ScheduledGame, fen: Option<String>, outcome: Outcome) -> GameRecord {
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

    /// How it ended, in words: `White mates`, `Black makes an illegal move: e2e5`.
    pub fn sentence(&self) -> String {
        if (self.outcome, self.termination) == (Outcome::Draw, Termination::Walkover) {
            return "Nobody appears".to_owned();
        }
        let sentence = self.termination.sentence(self.loser().map_or(Color::White, Color::opposite));
        let culprit = self.fault.as_ref().filter(|_| self.termination == Termination::IllegalMove);
        match culprit.and_then(|fault| illegal_move_in(&fault.words)) {
            Some(mv) => format!("{sentence}: {mv}"),
            None => sentence,
        }
    }

    /// The entrant with these pieces.
    pub fn entrant(&self, color: Color) -> usize {
        match color {
            Color::White => self.game.white,
            Color::Black => self.game.black,
        }
    }

    /// How many plies are the opening's.
    pub fn book_plies(&self) -> usize {
        self.plies.iter().take_while(|ply| ply.search.is_none()).count()
    }
}

/// One move.
#[derive(Clone, Debug, PartialEq)]
pub struct PlyRecord {
    /// The move, legal where it was played.
    pub mv: UciMove,
    /// What the engine told; none for a move of the opening.
    pub search: Option<SearchRecord>,
}

/// What is kept of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchRecord {
    /// The score in the view of the side that moved.
    pub score: Option<Score>,
    /// Plies searched.
    pub depth: Option<u32>,
    /// Nodes visited.
    pub nodes: Option<u64>,
    /// From the end of our write of `go` to the read of the move.
    pub elapsed: Duration,
    /// From the read of the opponent's move to the end of our write of `go`: the runner's own delay.
    pub handover: Option<Duration>,
    /// The longest line looked at, in plies.
    pub selective_depth: Option<u32>,
    /// How full the transposition table was, in thousandths.
    pub hashfull: Option<u32>,
    /// Positions found in endgame tables.
    pub tbhits: Option<u64>,
    /// What the clock showed after the move.
    pub left: Option<Duration>,
    /// The principal variation, where the plan wants it kept; else empty.
    pub pv: Box<[UciMove]>,
}

/// What a report says of an illegal move.
pub(super) fn illegal_move_words(mv: UciMove, fen: &str) -> String {
    format!("answered {mv}, which is illegal in {fen}")
}

/// The move of [`illegal_move_words`].
fn illegal_move_in(words: &str) -> Option<&str> {
    words.strip_prefix("answered ")?.split_once(", which is illegal").map(|(mv, _)| mv)
}

/// What an engine did wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultReport {
    /// Whose engine.
    pub color: Color,
    /// A stable name.
    pub name: String,
    /// In words that fit after the engine's name.
    pub words: String,
    /// The last lines of the conversation.
    pub transcript: Vec<String>,
}

/// A fault outside of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineFault {
    /// Whose engine: an index of the plan's entrants.
    pub entrant: usize,
    /// A stable name.
    pub name: String,
    /// In words that fit after the engine's name.
    pub words: String,
    /// The last lines of the conversation.
    pub transcript: Vec<String>,
}

/// A machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineReport {
    /// What its worker is called.
    pub name: String,
    /// Its program and version.
    pub program: String,
    /// The model of its processor.
    pub cpu: String,
    /// How many it has.
    pub cores: u32,
    /// Games at the same time.
    pub slots: u32,
    /// Nodes a second of Smalt on one of its cores.
    pub speed: u64,
    /// One for each entrant, in the order of the plan.
    pub engines: Vec<BinaryReport>,
}

/// An engine of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BinaryReport {
    /// What it calls itself.
    pub name: String,
    /// Its author.
    pub author: String,
    /// SHA-256 of its program's file, in hexadecimal digits.
    pub sha256: String,
}
