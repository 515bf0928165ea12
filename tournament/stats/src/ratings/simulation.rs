//! Errors by simulation: the games are replayed many times by the fitted model, the list is fitted each time, and the
//! scatter gives the errors. Needs no assumption of normality, unlike the covariance, which it checks.

use super::search::ParameterValues;
use super::{Pairing, RatingError, RatingOptions, Ratings, fit};
use crate::counts::Wdl;
use crate::elo::{Elo, Estimate};
use crate::normal::Z_95;
use crate::random::SplitMix;

/// Ratings from replayed games: values without errors.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay(ParameterValues);

impl Replay {
    /// A player's rating, in Elo. `None` if unrated in this list or unknown.
    pub fn rating(&self, player: usize) -> Option<f64> {
        self.0.players.get(player).copied().flatten()
    }
}

impl Ratings {
    /// Refits the list to replayed games: each game between rated players gets a random result by the fitted model,
    /// and anchors with errors get ratings drawn from their prior. The same seed and number always give the same
    /// list. The search starts at this list and computes no covariance: with hundreds of players that takes half the
    /// time of [`Ratings::fit`].
    ///
    /// # Errors
    /// As [`Ratings::fit`]: with few games no players may be comparable.
    pub fn replay(
        &self,
        pairings: &[Pairing],
        options: &RatingOptions,
        seed: u64,
        number: u64,
    ) -> Result<Replay, RatingError> {
        let mut random = SplitMix::stream(seed, number);
        let games: Vec<Pairing> = pairings
            .iter()
            .filter_map(|pairing| {
                let difference = self.rating(pairing.white)? - self.rating(pairing.black)?;
                let results = self.play(difference, pairing.results.games(), &mut random);
                Some(Pairing { results, ..*pairing })
            })
            .collect();
        let mut options = options.clone();
        for anchor in &mut options.anchors {
            // Centered on the fitted rating, since the replay samples the fitted model.
            let center = self.rating(anchor.player).unwrap_or(anchor.rating.0);
            if anchor.error.0 > 0.0 {
                anchor.rating = Elo(center + random.normal() * anchor.error.0 / Z_95);
            }
        }
        fit::values_near(self, &games, &options).map(Replay)
    }

    fn play(&self, difference: f64, games: u64, random: &mut SplitMix) -> Wdl {
        let chances = self.model().probabilities(Elo(difference));
        let mut results = Wdl::default();
        for _ in 0..games {
            let point = random.unit();
            if point < chances.win {
                results.wins += 1;
            } else if point < chances.win + chances.draw {
                results.draws += 1;
            } else {
                results.losses += 1;
            }
        }
        results
    }
}

/// Sums over replayed lists.
#[derive(Clone, Debug)]
pub struct Simulation {
    players: Vec<Scatter>,
    white_advantage: Scatter,
    draw_rate: Scatter,
    lists: u64,
    /// Number of lists without comparable players.
    failed: u64,
}

/// Minimum share of lists that rate a player. With fewer, the lists without a rating are the extreme ones, and
/// ignoring them would make the error too small.
const LEAST_RATED: f64 = 0.99;

impl Simulation {
    /// A simulation without lists; scatter is measured from `ratings`.
    pub fn around(ratings: &Ratings) -> Simulation {
        let scatter = |rating: &super::Rating| Scatter::around(rating.estimate().map(|found| found.value));
        Simulation {
            players: ratings.players().iter().map(scatter).collect(),
            white_advantage: Scatter::around(Some(ratings.white_advantage().value)),
            draw_rate: Scatter::around(Some(ratings.draw_rate().value)),
            lists: 0,
            failed: 0,
        }
    }

    /// Adds a replayed list.
    pub fn add(&mut self, Replay(values): &Replay) {
        self.lists += 1;
        for (scatter, &rating) in self.players.iter_mut().zip(&values.players) {
            scatter.add(rating);
        }
        self.white_advantage.add(Some(values.white_advantage));
        self.draw_rate.add(Some(values.draw_rate));
    }

    /// Counts a list without comparable players.
    pub fn add_failed(&mut self) {
        self.failed += 1;
    }

    /// Adds all lists of another simulation of the same ratings.
    pub fn merge(&mut self, other: &Simulation) {
        self.lists += other.lists;
        self.failed += other.failed;
        for (scatter, more) in self.players.iter_mut().zip(&other.players) {
            scatter.merge(more);
        }
        self.white_advantage.merge(&other.white_advantage);
        self.draw_rate.merge(&other.draw_rate);
    }

    /// Number of lists.
    pub fn lists(&self) -> u64 {
        self.lists
    }

    /// Number of lists in which a player has a rating. In the others the player made all points, or none.
    pub fn lists_rating(&self, player: usize) -> u64 {
        self.players.get(player).map_or(0, |scatter| scatter.count)
    }

    /// Half-width of a player's 95% interval, in Elo. `None` for an unrated or unknown player, and if more than 1% of
    /// the lists do not rate the player: the error would be too small.
    pub fn error(&self, player: usize) -> Option<f64> {
        let all = (self.lists + self.failed) as f64;
        let scatter = self.players.get(player)?;
        scatter.error().filter(|_| scatter.count as f64 >= LEAST_RATED * all)
    }

    /// Half-width of the 95% interval of White's advantage, in Elo.
    pub fn white_advantage_error(&self) -> Option<f64> {
        self.white_advantage.error()
    }

    /// Half-width of the 95% interval of the draw rate, in [0, 1].
    pub fn draw_rate_error(&self) -> Option<f64> {
        self.draw_rate.error()
    }

    /// The rating with its simulated error.
    pub fn estimate(&self, player: usize) -> Option<Estimate> {
        let center = self.players.get(player)?.center?;
        Some(Estimate { value: center, error: self.error(player) })
    }
}

/// Scatter of a number around its fitted value.
#[derive(Clone, Debug)]
struct Scatter {
    center: Option<f64>,
    count: u64,
    sum: f64,
    squares: f64,
}

impl Scatter {
    fn around(center: Option<f64>) -> Scatter {
        Scatter { center, count: 0, sum: 0.0, squares: 0.0 }
    }

    fn add(&mut self, value: Option<f64>) {
        if let (Some(center), Some(value)) = (self.center, value) {
            self.count += 1;
            self.sum += value - center;
            self.squares += (value - center).powi(2);
        }
    }

    fn merge(&mut self, other: &Scatter) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    fn error(&self) -> Option<f64> {
        if self.count < 2 {
            return None;
        }
        let count = self.count as f64;
        let variance = (self.squares - self.sum * self.sum / count) / (count - 1.0);
        Some(Z_95 * variance.max(0.0).sqrt())
    }
}
