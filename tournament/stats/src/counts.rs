//! Counts: results of games and pairs from one entrant's point of view.
//!
//! Interpreted by [`elo`](crate::elo) and [`sprt`](crate::sprt).

use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// Result of one game from the entrant's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// A win: one point.
    Win,
    /// A draw: half a point.
    Draw,
    /// A loss: no point.
    Loss,
}

impl GameResult {
    /// The same game from the opponent's view.
    pub fn mirrored(self) -> GameResult {
        match self {
            GameResult::Win => GameResult::Loss,
            GameResult::Draw => GameResult::Draw,
            GameResult::Loss => GameResult::Win,
        }
    }

    /// Points in halves: 2, 1 or 0.
    pub fn half_points(self) -> usize {
        match self {
            GameResult::Win => 2,
            GameResult::Draw => 1,
            GameResult::Loss => 0,
        }
    }
}

/// The largest count that users can give: sums of such counts are exact as numbers of 64 bits, whole or not.
pub const MAX_COUNT: u64 = 1 << 53;

/// Wins, draws and losses of one entrant (a trinomial sample).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Wdl {
    /// Number of wins.
    pub wins: u64,
    /// Number of draws.
    pub draws: u64,
    /// Number of losses.
    pub losses: u64,
}

impl Wdl {
    /// Counts in the order of the name.
    pub fn new(wins: u64, draws: u64, losses: u64) -> Wdl {
        Wdl { wins, draws, losses }
    }

    /// Counts one more game.
    pub fn record(&mut self, outcome: GameResult) {
        match outcome {
            GameResult::Win => self.wins += 1,
            GameResult::Draw => self.draws += 1,
            GameResult::Loss => self.losses += 1,
        }
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points made: 1 a win, ½ a draw.
    pub fn points(&self) -> f64 {
        self.wins as f64 + 0.5 * self.draws as f64
    }

    /// Share of drawn games. `None` without games.
    pub fn drawn(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.draws as f64 / self.games() as f64)
    }

    /// The same games from the opponent's view.
    pub fn mirrored(&self) -> Wdl {
        Wdl { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    /// Losses, draws, wins: by rising points.
    pub(crate) fn by_points(&self) -> [u64; 3] {
        [self.losses, self.draws, self.wins]
    }
}

impl Add for Wdl {
    type Output = Wdl;

    fn add(self, other: Wdl) -> Wdl {
        Wdl::new(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)
    }
}

impl AddAssign for Wdl {
    fn add_assign(&mut self, other: Wdl) {
        *self = *self + other;
    }
}

impl Sum for Wdl {
    fn sum<I: Iterator<Item = Wdl>>(counts: I) -> Wdl {
        counts.fold(Wdl::default(), Add::add)
    }
}

/// Pairs of games (one opening, both colors) by the points that the entrant made in them: 0, ½, 1, 1½ and 2.
///
/// Games of a pair share their opening, so they are not independent, but pairs are. Error bars and LLR from single
/// games are therefore too wide or too narrow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Counts one more pair.
    pub fn record(&mut self, first: GameResult, second: GameResult) {
        self.0[first.half_points() + second.half_points()] += 1;
    }

    /// The number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The number of games: two a pair.
    pub fn games(&self) -> u64 {
        2 * self.pairs()
    }

    /// Points made: 1 a win, ½ a draw.
    pub fn points(&self) -> f64 {
        let halves: u64 = self.0.iter().zip(0..).map(|(&count, points): (_, u64)| count * points).sum();
        halves as f64 / 2.0
    }

    /// The same pairs from the opponent's view.
    pub fn mirrored(&self) -> Pentanomial {
        let mut counts = self.0;
        counts.reverse();
        Pentanomial(counts)
    }
}

impl Add for Pentanomial {
    type Output = Pentanomial;

    fn add(self, other: Pentanomial) -> Pentanomial {
        Pentanomial(std::array::from_fn(|index| self.0[index] + other.0[index]))
    }
}

impl AddAssign for Pentanomial {
    fn add_assign(&mut self, other: Pentanomial) {
        *self = *self + other;
    }
}

impl Sum for Pentanomial {
    fn sum<I: Iterator<Item = Pentanomial>>(counts: I) -> Pentanomial {
        counts.fold(Pentanomial::default(), Add::add)
    }
}

/// Counts by the unit that statistics treat as independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// Single games.
    Games(Wdl),
    /// Pairs of games.
    Pairs(Pentanomial),
}

#[cfg(test)]
mod tests {
    use super::*;
    use GameResult::{Draw, Loss, Win};

    #[test]
    fn a_pair_is_counted_by_its_points() {
        let mut pairs = Pentanomial::default();
        for (first, second) in
            [(Loss, Loss), (Loss, Draw), (Win, Loss), (Draw, Draw), (Draw, Win), (Win, Win)]
        {
            pairs.record(first, second);
        }
        assert_eq!(pairs, Pentanomial([1, 1, 2, 1, 1]));
        assert_eq!((pairs.pairs(), pairs.games(), pairs.points()), (6, 12, 6.0));
    }

    #[test]
    fn recording_the_mirrored_outcomes_counts_the_mirror_image() {
        let (mut ours, mut theirs) = (Wdl::default(), Wdl::default());
        for outcome in [Win, Win, Draw, Loss, Win, Draw] {
            ours.record(outcome);
            theirs.record(outcome.mirrored());
        }
        assert_eq!(ours, Wdl::new(3, 2, 1));
        assert_eq!(ours.mirrored(), theirs);
        assert_eq!([ours, theirs].into_iter().sum::<Wdl>(), Wdl::new(4, 4, 4));
    }
}
