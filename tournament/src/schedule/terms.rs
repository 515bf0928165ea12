//! What holds whenever two meet: how many games, who has White in which, and which of them share an opening.

use serde::{Deserialize, Serialize};

/// How two meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Games of an encounter, at least one.
    pub games: u32,
    /// Which games share an opening.
    pub repeat: Repeat,
    /// Who has White.
    pub colors: Colors,
    /// Which encounters share openings.
    pub policy: OpeningPolicy,
}

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
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
    pub(super) fn flipped_if(self, flip: bool) -> Lead {
        match (self, flip) {
            (lead, false) => lead,
            (Lead::First, true) => Lead::Second,
            (Lead::Second, true) => Lead::First,
        }
    }
}

impl Terms {
    /// How many games share an opening.
    pub(super) fn unit_games(&self) -> u32 {
        match self.repeat {
            Repeat::Pairs => 2,
            Repeat::Never => 1,
        }
    }

    /// Who has White in a game of a unit: the lead changes from unit to unit and from round to round, so that an odd
    /// number of games is spread fairly, too.
    pub(super) fn white(&self, lead: Lead, round: u32, unit: u32, game: u32) -> Lead {
        let lead = lead.flipped_if(self.colors.lead == Lead::Second);
        match self.colors.swap {
            Swap::EachGame => lead.flipped_if(!(round + unit + game).is_multiple_of(2)),
            Swap::InPairs => lead.flipped_if(game == 1),
            Swap::Never => lead,
        }
    }
}
