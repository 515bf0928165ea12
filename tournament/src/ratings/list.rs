//! The rating list: ratings, head-to-head results, expected and actual scores.

use smalt_stats::normal::{Z_95, quantile};
use smalt_stats::ratings::{
    Anchor, Pairing, Parameter, Rating, RatingError, RatingOptions, Ratings, Replay, Simulation, Unrated,
    groups,
};
use smalt_stats::{Elo, Estimate, Wdl};
use smalt_workbench::concurrency::cores;

use super::Games;

/// Options of a rating list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ListOptions {
    pub anchors: Vec<Anchor>,
    /// Mean of all ratings without anchors.
    pub average: Elo,
    /// Half-width of the 95% prior around the average for every player without an anchor; `None` for no prior.
    pub prior: Option<Elo>,
    /// White's advantage in Elo.
    pub white_advantage: Parameter,
    /// Draw rate between equals.
    pub draw_rate: Parameter,
    /// Number of simulated lists.
    pub simulations: u64,
    /// Random seed of simulations.
    pub seed: u64,
    /// Probability that the true rating lies within the error shown.
    pub confidence: f64,
    /// Players with fewer games are rated but not shown.
    pub least_games: u64,
}

impl Default for ListOptions {
    /// No anchors and no prior, a mean of 0, White's advantage and the draw rate fitted, no simulations.
    fn default() -> ListOptions {
        ListOptions {
            anchors: Vec::new(),
            average: Elo(0.0),
            prior: None,
            white_advantage: Parameter::Fitted,
            draw_rate: Parameter::Fitted,
            simulations: 0,
            seed: 1,
            confidence: 0.95,
            least_games: 0,
        }
    }
}

/// A fitted rating list. Players have the indices of [`Games`].
#[derive(Clone, Debug)]
pub(crate) struct RatingList {
    names: Vec<String>,
    ratings: Ratings,
    simulation: Option<Simulation>,
    simulations_tried: u64,
    has_anchors: bool,
    players: Vec<PlayerTally>,
    pairings: Vec<HeadToHead>,
    groups: Vec<Vec<usize>>,
    order: Vec<usize>,
    hidden: usize,
    confidence: f64,
}

/// Results of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PlayerTally {
    pub results: Wdl,
    /// Games between rated players.
    pub rated: Wdl,
    /// Expected points of these.
    pub expected: f64,
}

/// Results of two players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HeadToHead {
    /// Player with the lower index.
    pub first: usize,
    pub second: usize,
    /// Results from the point of view of the first.
    pub results: Wdl,
    /// Expected points of the first; `None` unless both are rated.
    pub expected: Option<f64>,
}

impl RatingList {
    /// Fits the list. `progress` is called for each simulated list, from any thread.
    /// Fits the list. `tell_simulated` is called after each simulated list, from any thread.
    /// # Errors
    /// As [`Ratings::fit`].
    pub(crate) fn fit(
        games: &Games,
        options: &ListOptions,
        tell_simulated: impl Fn() + Sync,
    ) -> Result<RatingList, RatingError> {
        let pairings = games.pairings();
        let count = games.names().len();
        let rating_options = rating_options(count, options);
        let ratings = Ratings::fit(count, &pairings, &rating_options)?;
        let simulation = (options.simulations > 0).then(|| {
            let replay = |number| {
                let replayed = ratings.replay(&pairings, &rating_options, options.seed, number);
                tell_simulated();
                replayed
            };
            simulate(&ratings, options.simulations, replay)
        });
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|&a, &b| height(&ratings.players()[b]).total_cmp(&height(&ratings.players()[a])));
        let mut list = RatingList {
            names: games.names().to_vec(),
            ratings,
            simulation,
            simulations_tried: options.simulations,
            has_anchors: !options.anchors.is_empty(),
            players: vec![PlayerTally::default(); count],
            pairings: Vec::new(),
            groups: groups(count, &pairings),
            order,
            hidden: 0,
            confidence: options.confidence,
        };
        pairings.iter().for_each(|pairing| list.count(pairing));
        let is_shown = |&player: &usize| list.players[player].results.games() >= options.least_games;
        list.order = list.order.iter().copied().filter(is_shown).collect();
        list.hidden = count - list.order.len();
        list.pairings.sort_by_key(|pairing| (pairing.first, pairing.second));
        list.join_pairings();
        Ok(list)
    }

    /// Adds games for both players, and as a head-to-head entry not yet merged with its mirror image.
    fn count(&mut self, pairing: &Pairing) {
        let Pairing { white, black, results } = *pairing;
        self.players[white].results += results;
        self.players[black].results += results.mirrored();
        let expected = self.expected(white, black).map(|score| score * results.games() as f64);
        if let Some(points) = expected {
            self.players[white].rated += results;
            self.players[black].rated += results.mirrored();
            self.players[white].expected += points;
            self.players[black].expected += results.games() as f64 - points;
        }
        let pairing = HeadToHead { first: white, second: black, results, expected };
        self.pairings.push(if white < black { pairing } else { pairing.mirrored() });
    }

    fn join_pairings(&mut self) {
        let mut joined: Vec<HeadToHead> = Vec::with_capacity(self.pairings.len());
        for pairing in self.pairings.drain(..) {
            match joined.last_mut() {
                Some(last) if (last.first, last.second) == (pairing.first, pairing.second) => {
                    last.results += pairing.results;
                    last.expected = last.expected.zip(pairing.expected).map(|(a, b)| a + b);
                }
                _ => joined.push(pairing),
            }
        }
        self.pairings = joined;
    }

    /// Expected score of White in one game; `None` unless both are rated.
    fn expected(&self, white: usize, black: usize) -> Option<f64> {
        let rating = |player: usize| self.ratings.players()[player].estimate();
        let difference = rating(white)?.value - rating(black)?.value;
        Some(self.ratings.model().probabilities(Elo(difference)).score())
    }

    pub(crate) fn name(&self, player: usize) -> &str {
        &self.names[player]
    }

    /// The ratings, White's advantage and the draw rate.
    pub(crate) fn ratings(&self) -> &Ratings {
        &self.ratings
    }

    /// Whether no anchor is comparable with any player.
    pub(super) fn lost_its_anchors(&self) -> bool {
        self.has_anchors && !self.ratings.is_anchored()
    }

    /// Result of the simulations.
    pub(super) fn simulation(&self) -> Option<&Simulation> {
        self.simulation.as_ref()
    }

    /// Number of simulations, including those without ratings.
    pub(super) fn simulations_tried(&self) -> u64 {
        self.simulations_tried
    }

    pub(crate) fn players(&self) -> &[PlayerTally] {
        &self.players
    }

    /// Head-to-head results, one per pair of players.
    pub(super) fn pairings(&self) -> &[HeadToHead] {
        &self.pairings
    }

    /// Groups of connected players; one group if all are connected.
    pub(super) fn groups(&self) -> &[Vec<usize>] {
        &self.groups
    }

    /// Players from highest to lowest; those who won all games first, those who lost all or met no rated player last.
    pub(crate) fn order(&self) -> &[usize] {
        &self.order
    }

    /// Number of players with too few games to be shown.
    pub(crate) fn hidden(&self) -> usize {
        self.hidden
    }

    /// Probability that the true value lies within an error.
    pub(crate) fn confidence(&self) -> f64 {
        self.confidence
    }

    /// Half-width at the list's confidence, from that of a 95% interval.
    fn scaled(&self, error: f64) -> f64 {
        if self.confidence == ListOptions::default().confidence {
            return error;
        }
        error * quantile(0.5 + 0.5 * self.confidence) / Z_95
    }

    fn with_scaled_error(&self, estimate: Estimate) -> Estimate {
        Estimate { error: estimate.error.map(|error| self.scaled(error)), ..estimate }
    }

    /// White's advantage, in Elo.
    pub(crate) fn white_advantage(&self) -> Estimate {
        self.with_scaled_error(self.ratings.white_advantage())
    }

    /// Share of draws between equals.
    pub(crate) fn draw_rate(&self) -> Estimate {
        self.with_scaled_error(self.ratings.draw_rate())
    }

    /// Rating difference of two players with its error.
    pub(super) fn difference(&self, first: usize, second: usize) -> Option<Estimate> {
        self.ratings.difference(first, second).map(|estimate| self.with_scaled_error(estimate))
    }

    /// A player's rating error by simulation.
    pub(super) fn simulated_error(&self, player: usize) -> Option<f64> {
        Some(self.scaled(self.simulation.as_ref()?.error(player)?))
    }

    /// Note on a player without a rating.
    pub(crate) fn note(&self, player: usize) -> &'static str {
        match self.ratings.players()[player] {
            Rating::Rated(_) => "",
            Rating::Unrated(Unrated::AboveAll) => "lost no points to the list: above it",
            Rating::Unrated(Unrated::BelowAll) => "won no points from the list: below it",
            Rating::Unrated(Unrated::Unlinked) => "met no rated player",
        }
    }

    /// A player's rating, if any.
    pub(crate) fn rating(&self, player: usize) -> Option<Estimate> {
        self.ratings.players()[player].estimate().map(|estimate| self.with_scaled_error(estimate))
    }
}

impl HeadToHead {
    fn mirrored(self) -> HeadToHead {
        HeadToHead {
            first: self.second,
            second: self.first,
            results: self.results.mirrored(),
            expected: self.expected.map(|points| self.results.games() as f64 - points),
        }
    }
}

fn height(rating: &Rating) -> f64 {
    match rating {
        Rating::Rated(found) => found.value,
        Rating::Unrated(Unrated::AboveAll) => f64::INFINITY,
        Rating::Unrated(Unrated::BelowAll) => f64::MIN,
        Rating::Unrated(Unrated::Unlinked) => f64::NEG_INFINITY,
    }
}

/// A prior is an anchor with a large error for every player without an anchor.
fn rating_options(players: usize, options: &ListOptions) -> RatingOptions {
    let mut anchors = options.anchors.clone();
    if let Some(error) = options.prior {
        let known: Vec<usize> = anchors.iter().map(|anchor| anchor.player).collect();
        let mean = |sum: f64| Elo(sum / known.len() as f64);
        let rating = match known.len() {
            0 => options.average,
            _ => mean(anchors.iter().map(|anchor| anchor.rating.0).sum()),
        };
        let others = (0..players).filter(|player| !known.contains(player));
        anchors.extend(others.map(|player| Anchor { player, rating, error }));
    }
    RatingOptions {
        anchors,
        average: options.average,
        white_advantage: options.white_advantage,
        draw_rate: options.draw_rate,
    }
}

/// Uses all cores; the result depends on their number only in the last digits.
fn simulate(
    ratings: &Ratings,
    simulations: u64,
    replay: impl Fn(u64) -> Result<Replay, RatingError> + Sync,
) -> Simulation {
    let workers = cores() as u64;
    let work = |worker: u64| {
        let mut part = Simulation::around(ratings);
        for number in (worker..simulations).step_by(workers as usize) {
            // With few games a simulation may have no comparable players.
            match replay(number) {
                Ok(replayed) => part.add(&replayed),
                Err(_) => part.add_failed(),
            }
        }
        part
    };
    let mut whole = Simulation::around(ratings);
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..workers).map(|worker| scope.spawn(move || work(worker))).collect();
        for thread in threads {
            match thread.join() {
                Ok(part) => whole.merge(&part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    whole
}
