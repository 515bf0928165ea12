//! Search information (`info`, thinking output). All fields are optional.

use std::time::Duration;

use smalt_chess::UciMove;

use crate::moves::Moves;
use crate::score::{ReportedScore, Wdl};

/// Search information. Scores and WDL are from the view of the side to move at the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Info<'a> {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Selective depth in plies.
    pub selective_depth: Option<u32>,
    /// MultiPV index, from 1.
    pub multipv: Option<u32>,
    pub score: Option<ReportedScore>,
    /// Win, draw and loss chances (`wdl`).
    pub wdl: Option<Wdl>,
    pub nodes: Option<u64>,
    pub nps: Option<u64>,
    /// Permille of the transposition table in use.
    pub hashfull: Option<u32>,
    pub tbhits: Option<u64>,
    /// Shredder base hits.
    pub sbhits: Option<u64>,
    /// Search time; written in whole milliseconds.
    pub time: Option<Duration>,
    /// CPU load in permille.
    pub cpuload: Option<u32>,
    /// The root move being searched.
    pub current_move: Option<UciMove>,
    /// Its move number, from 1.
    pub current_move_number: Option<u32>,
    /// A refuted root move.
    pub refutation: Option<Refutation<'a>>,
    pub current_line: Option<CurrentLine<'a>>,
    /// Principal variation from the root; may be empty.
    pub pv: Moves<'a>,
    pub string: Option<&'a str>,
}

/// A root move and the line that refutes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refutation<'a> {
    pub refuted: UciMove,
    /// The refutation; may be empty.
    pub line: Moves<'a>,
}

/// The current line of a CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CurrentLine<'a> {
    /// CPU number, from 1.
    pub processor: Option<u32>,
    /// The moves from the root.
    pub line: Moves<'a>,
}
