//! How two entrants meet: who has White in which game, and which games share an opening.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which games of an encounter share an opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// Two games after each other: a pair.
    Pairs,
    /// None: each game has an opening of its own.
    Never,
}

/// Who has White in the games of an encounter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colors {
    /// Whether colors change from game to game.
    pub swap: Swap,
    /// Who would have White in the first game.
    pub lead: Lead,
}

/// Whether colors change from game to game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swap {
    /// They do, and from pair to pair, too.
    EachGame,
    /// They do within a pair; every pair begins like the first.
    InPairs,
    /// Everybody keeps the color of the first game.
    Never,
}

/// One of two who meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lead {
    /// The one that is named first.
    First,
    /// The other.
    Second,
}

/// Which encounters begin with the same openings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OpeningPolicy {
    /// All encounters of a round, so that their results can be compared.
    Round,
    /// None: each pair of games has an opening of its own.
    Pair,
    /// None, and all games of an encounter share one.
    Encounter,
}

impl Lead {
    /// The other one, if asked.
    #[must_use]
    pub(crate) fn flipped_if(self, flip: bool) -> Lead {
        match (self, flip) {
            (lead, false) => lead,
            (Lead::First, true) => Lead::Second,
            (Lead::Second, true) => Lead::First,
        }
    }
}
