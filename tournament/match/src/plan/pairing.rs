//! Colors and openings in the games of a pairing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Grouping of the games of a pairing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// Two consecutive games with reversed colors: a pair.
    Pairs,
    /// Single games.
    Never,
}

impl Repeat {
    /// Grouping if this number of games share an opening: even numbers consist of pairs.
    #[must_use]
    pub(crate) fn of(games: u32) -> Repeat {
        if games.is_multiple_of(2) { Repeat::Pairs } else { Repeat::Never }
    }
}

/// Colors in the games of a pairing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colors {
    pub swap: Swap,
    /// White in the first game.
    pub lead: Lead,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swap {
    /// Colors alternate from game to game and from pair to pair.
    EachGame,
    /// Colors alternate within a pair; every pair starts like the first.
    InPairs,
    Never,
}

/// One of the two entrants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lead {
    First,
    Second,
}

/// Which pairings share openings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OpeningPolicy {
    /// All pairings of a round share openings.
    Round,
    /// Every pair of games has its own opening.
    Pair,
    /// As fastchess: every pair has the next of as many openings as there are rounds, and pairings come as listed.
    Cycle,
    /// All games of a pairing share one opening.
    #[serde(alias = "encounter")]
    Pairing,
}

impl Lead {
    /// The other entrant if `flip`.
    #[must_use]
    pub(crate) fn flipped_if(self, flip: bool) -> Lead {
        match (self, flip) {
            (lead, false) => lead,
            (Lead::First, true) => Lead::Second,
            (Lead::Second, true) => Lead::First,
        }
    }
}
