//! What an engine tells about a running search. A line carries a few of these facts, so all are optional.

use std::time::Duration;

use smalt_chess::UciMove;

use crate::moves::Moves;
use crate::score::{ReportedScore, Wdl};

/// Facts about a running search. Scores and chances take the view of the side to move at the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Info<'a> {
    /// Nominal depth, in plies.
    pub depth: Option<u32>,
    /// The longest line looked at, in plies.
    pub selective_depth: Option<u32>,
    /// Which of several best lines this is, from 1.
    pub multipv: Option<u32>,
    /// The score of the line.
    pub score: Option<ReportedScore>,
    /// Chances to win, draw and lose.
    pub wdl: Option<Wdl>,
    /// Nodes visited since the search began.
    pub nodes: Option<u64>,
    /// Nodes a second.
    pub nps: Option<u64>,
    /// How full the transposition table is, in thousandths.
    pub hashfull: Option<u32>,
    /// Positions found in endgame tables.
    pub tbhits: Option<u64>,
    /// Positions found in tables of shredder's kind.
    pub sbhits: Option<u64>,
    /// Time since the search began; written in whole milliseconds.
    pub time: Option<Duration>,
    /// Load of the processor, in thousandths.
    pub cpuload: Option<u32>,
    /// The root move being searched.
    pub current_move: Option<UciMove>,
    /// Its number, from 1.
    pub current_move_number: Option<u32>,
    /// A root move and why it is bad.
    pub refutation: Option<Refutation<'a>>,
    /// The line being looked at.
    pub current_line: Option<CurrentLine<'a>>,
    /// The principal variation from the root. Empty when the line has none.
    pub pv: Moves<'a>,
    /// Free text for people.
    pub string: Option<&'a str>,
}

/// A root move, and the line that refutes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refutation<'a> {
    /// The bad move.
    pub refuted: UciMove,
    /// What punishes it; may be empty.
    pub line: Moves<'a>,
}

/// The line that a processor is looking at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CurrentLine<'a> {
    /// Which processor, from 1, where there are several.
    pub processor: Option<u32>,
    /// The moves from the root.
    pub line: Moves<'a>,
}
