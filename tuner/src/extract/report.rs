//! Report of an extraction: games and positions read, dropped (by reason) and kept.

use schemars::JsonSchema;
use serde::Serialize;
use smalt::evaluation::taper::FULL_PHASE;
use smalt_dataset::choose::Dropped;
use smalt_dataset::write::{UnfitCounts, Written};

/// Bins of the phase histogram: 0 (endgame) to 24 (all pieces).
pub(crate) const PHASES: usize = FULL_PHASE as usize + 1;

/// Skipped games listed individually; the others are counted.
const NAMED: usize = 100;

/// Why a whole game was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GameReason {
    /// A move, tag or start position is unreadable or illegal.
    Unreadable,
    NoResult,
    /// The result tag and the result after the moves disagree.
    Contradiction,
    TimeLoss,
    IllegalMove,
    /// An engine crashed, hung or was disconnected.
    Crash,
}

impl GameReason {
    /// All reasons, in the order of the report.
    pub const ALL: [GameReason; 6] = [
        GameReason::Unreadable,
        GameReason::NoResult,
        GameReason::Contradiction,
        GameReason::TimeLoss,
        GameReason::IllegalMove,
        GameReason::Crash,
    ];

    /// The reason in words.
    pub(crate) fn name(self) -> &'static str {
        match self {
            GameReason::Unreadable => "could not be read",
            GameReason::NoResult => "no result",
            GameReason::Contradiction => "two different results",
            GameReason::TimeLoss => "lost on time",
            GameReason::IllegalMove => "lost by an illegal move",
            GameReason::Crash => "engine failed",
        }
    }
}

/// A skipped game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BadGame {
    /// The file.
    pub path: String,
    /// Line of the fault, or else of the game's start; from 1.
    pub line: u64,
    /// Reason of the skip.
    pub reason: GameReason,
    /// Description of the fault.
    pub words: String,
}

/// Report of an extraction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtractReport {
    /// Games in the files.
    pub games: u64,
    /// Games with positions considered.
    pub used_games: u64,
    /// The first hundred skipped games.
    pub bad_games: Vec<BadGame>,
    /// Skipped games, by reason.
    pub skipped: [u64; GameReason::ALL.len()],
    /// Dropped positions, by reason.
    pub dropped: Dropped,
    /// Positions written, by phase.
    pub phases: [u64; PHASES],
    pub positions: u64,
    /// Records written: one for each game of a position.
    pub records: u64,
    /// Hash of the records.
    pub hash: u64,
    /// Records that the format cannot store.
    pub unfit: UnfitCounts,
    /// Contents of the file.
    pub written: Written,
}

impl ExtractReport {
    pub(super) fn skip_game(&mut self, path: &str, line: u64, reason: GameReason, words: &str) {
        self.skipped[reason as usize] += 1;
        if self.bad_games.len() < NAMED {
            self.bad_games.push(BadGame { path: path.to_owned(), line, reason, words: words.to_owned() });
        }
    }

    /// Number of skipped games.
    pub(crate) fn skipped_games(&self) -> u64 {
        self.skipped.iter().sum()
    }
}
