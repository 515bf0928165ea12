//! The list: ratings, who met whom, what was expected and what was scored. Values only.

use smalt_stats::ratings::{
    Anchor, Pairing, Parameter, Rating, RatingError, RatingOptions, Ratings, Replay, Simulation, Unrated,
    groups,
};
use smalt_stats::{Elo, Estimate, Wdl};

use super::Games;

/// What to hold, and how errors are found.
#[derive(Clone, Debug, PartialEq)]
pub struct ListOptions {
    /// Known ratings.
    pub anchors: Vec<Anchor>,
    /// The mean of all ratings, where there is no anchor.
    pub average: Elo,
    /// Half-width of the 95% interval around the average in which every player without an anchor is taken to be before
    /// any game; none if nothing is known.
    pub prior: Option<Elo>,
    /// What the first move is worth.
    pub white_advantage: Parameter,
    /// The share of draws between equals.
    pub draw_rate: Parameter,
    /// How often the games are played again by chance.
    pub simulations: u64,
    /// What that chance follows from.
    pub seed: u64,
}

impl Default for ListOptions {
    /// No anchors and no prior, a mean of 0, White's advantage and the draw rate fitted, nothing simulated.
    fn default() -> ListOptions {
        ListOptions {
            anchors: Vec::new(),
            average: Elo(0.0),
            prior: None,
            white_advantage: Parameter::Fitted,
            draw_rate: Parameter::Fitted,
            simulations: 0,
            seed: 1,
        }
    }
}

/// A fitted list with all that goes with it. Players have the numbers of [`Games`].
#[derive(Clone, Debug)]
pub struct RatingList {
    names: Vec<String>,
    ratings: Ratings,
    simulation: Option<Simulation>,
    simulations_tried: u64,
    has_anchors: bool,
    players: Vec<PlayerTally>,
    encounters: Vec<HeadToHead>,
    groups: Vec<Vec<usize>>,
    order: Vec<usize>,
}

/// What a player did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayerTally {
    /// All games.
    pub results: Wdl,
    /// Those between rated players, from which the ratings come.
    pub rated: Wdl,
    /// The points that the model expects of those.
    pub expected: f64,
}

/// Two who met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadToHead {
    /// The one with the lower number.
    pub first: usize,
    /// The other.
    pub second: usize,
    /// Their games, in the view of the first.
    pub results: Wdl,
    /// The points that the model expects of the first; none unless both are rated.
    pub expected: Option<f64>,
}

impl RatingList {
    /// Fits the list. Each finished simulated list is reported, from any thread.
    ///
    /// # Errors
    /// As [`Ratings::fit`].
    pub fn fit(
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
            encounters: Vec::new(),
            groups: groups(count, &pairings),
            order,
        };
        pairings.iter().for_each(|pairing| list.count(pairing));
        list.encounters.sort_by_key(|encounter| (encounter.first, encounter.second));
        list.join_encounters();
        Ok(list)
    }

    /// Counts games for both players, and as an encounter that is not joined with its mirror image yet.
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
        let encounter = HeadToHead { first: white, second: black, results, expected };
        self.encounters.push(if white < black { encounter } else { encounter.mirrored() });
    }

    fn join_encounters(&mut self) {
        let mut joined: Vec<HeadToHead> = Vec::with_capacity(self.encounters.len());
        for encounter in self.encounters.drain(..) {
            match joined.last_mut() {
                Some(last) if (last.first, last.second) == (encounter.first, encounter.second) => {
                    last.results += encounter.results;
                    last.expected = last.expected.zip(encounter.expected).map(|(a, b)| a + b);
                }
                _ => joined.push(encounter),
            }
        }
        self.encounters = joined;
    }

    /// The score to expect of White in one game; none unless both are rated.
    fn expected(&self, white: usize, black: usize) -> Option<f64> {
        let rating = |player: usize| self.ratings.players()[player].estimate();
        let difference = rating(white)?.value - rating(black)?.value;
        Some(self.ratings.model().probabilities(Elo(difference)).score())
    }

    /// A player's name.
    pub fn name(&self, player: usize) -> &str {
        &self.names[player]
    }

    /// The ratings, White's advantage and the draw rate.
    pub fn ratings(&self) -> &Ratings {
        &self.ratings
    }

    /// Whether there are anchors, and none of them can be compared with anybody.
    pub fn lost_its_anchors(&self) -> bool {
        self.has_anchors && !self.ratings.is_anchored()
    }

    /// What simulation says about the errors.
    pub fn simulation(&self) -> Option<&Simulation> {
        self.simulation.as_ref()
    }

    /// How often the games were played again; in some of them chance may have left nobody to compare.
    pub fn simulations_tried(&self) -> u64 {
        self.simulations_tried
    }

    /// What each did.
    pub fn players(&self) -> &[PlayerTally] {
        &self.players
    }

    /// Who met whom, each two once.
    pub fn encounters(&self) -> &[HeadToHead] {
        &self.encounters
    }

    /// Players whom no game connects with each other; one group if all are connected.
    pub fn groups(&self) -> &[Vec<usize>] {
        &self.groups
    }

    /// All players from the highest to the lowest; those who won all are above, those who lost all and those who met
    /// nobody rated below.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// What is to be said of a player without a rating.
    pub fn note(&self, player: usize) -> &'static str {
        match self.ratings.players()[player] {
            Rating::Rated(_) => "",
            Rating::Unrated(Unrated::AboveAll) => "lost nothing to the list: above it",
            Rating::Unrated(Unrated::BelowAll) => "won nothing from the list: below it",
            Rating::Unrated(Unrated::Unlinked) => "met nobody who is rated",
        }
    }

    /// A player's rating, where there is one.
    pub fn rating(&self, player: usize) -> Option<Estimate> {
        self.ratings.players()[player].estimate()
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

/// A prior is an anchor, with a wide error, for everybody who has none.
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

/// All cores work; the result does not depend on how many there are, but for the last digits of sums.
fn simulate(
    ratings: &Ratings,
    simulations: u64,
    replay: impl Fn(u64) -> Result<Replay, RatingError> + Sync,
) -> Simulation {
    let workers = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let work = |worker: u64| {
        let mut part = Simulation::around(ratings);
        for number in (worker..simulations).step_by(workers as usize) {
            // Now and then, with few games, chance leaves nobody comparable.
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
