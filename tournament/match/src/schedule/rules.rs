//! What holds whenever two meet: how many games, who has White in which, and which of them share an opening.

use crate::plan::{Colors, Lead, OpeningPolicy, Repeat, Swap};

/// How two meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncounterRules {
    /// Games of an encounter, at least one.
    pub games: u32,
    /// Which games share an opening.
    pub repeat: Repeat,
    /// Who has White.
    pub colors: Colors,
    /// Which encounters share openings.
    pub policy: OpeningPolicy,
}

impl EncounterRules {
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
