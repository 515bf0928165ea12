//! Section `[prior]`: results of a match that were played before this run, as by fastchess.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smalt_stats::{MAX_COUNT, Pentanomial, Wdl};

/// Results of a match between two engines, in the view of the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct PriorResults {
    /// Games won
    pub wins: u64,
    /// Games drawn
    pub draws: u64,
    /// Games lost
    pub losses: u64,
    /// Pairs by their points: none, half a point, one, one and a half, two
    pub pairs: [u64; 5],
    /// Pairs of two draws
    pub drawn_pairs: u64,
}

impl PriorResults {
    /// Whether a count is too large for exact sums.
    pub(super) fn is_excessive(&self) -> bool {
        let games = [self.wins, self.draws, self.losses, self.drawn_pairs];
        games.iter().chain(&self.pairs).any(|&count| count > MAX_COUNT)
    }

    pub fn games(&self) -> Wdl {
        Wdl::new(self.wins, self.draws, self.losses)
    }

    pub fn pairs(&self) -> Pentanomial {
        Pentanomial(self.pairs)
    }
}
