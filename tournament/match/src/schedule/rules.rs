//! Rules of a pairing: number of games, colors, shared openings.

use crate::plan::{Colors, Lead, OpeningPolicy, Repeat, Swap};

/// Rules of a pairing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairingRules {
    /// Games of a pairing, at least one.
    pub games: u32,
    /// Number of games per opening.
    pub games_per_opening: u32,
    pub colors: Colors,
    /// Which pairings share openings.
    pub policy: OpeningPolicy,
}

impl PairingRules {
    pub(super) fn repeat(&self) -> Repeat {
        Repeat::of(self.games_per_opening)
    }

    /// Number of units that share an opening.
    pub(super) fn units_per_opening(&self) -> u32 {
        self.games_per_opening / self.unit_games()
    }

    /// Number of games of a unit: a pair, or a single game.
    pub(super) fn unit_games(&self) -> u32 {
        match self.repeat() {
            Repeat::Pairs => 2,
            Repeat::Never => 1,
        }
    }

    /// Color lead of a game of a unit. The lead alternates between units and rounds, to balance odd numbers of games.
    pub(super) fn white(&self, lead: Lead, round: u32, unit: u32, game: u32) -> Lead {
        let lead = lead.flipped_if(self.colors.lead == Lead::Second);
        match self.colors.swap {
            Swap::EachGame => lead.flipped_if(!(round + unit + game).is_multiple_of(2)),
            Swap::InPairs => lead.flipped_if(game == 1),
            Swap::Never => lead,
        }
    }
}
