//! The list as JSON. Values that are not finite are null; errors are half-widths of intervals with the list's
//! confidence, 95% by default.

use schemars::JsonSchema;
use serde::Serialize;
use smalt_stats::ratings::ParameterSource;

use super::RatingList;

/// A rating list.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RatingListJson {
    /// The model of ratings and draws.
    model: &'static str,
    /// Probability that the true value lies within an error.
    confidence: f64,
    /// Number of games.
    games: u64,
    /// Whether anchors fix the scale, otherwise the mean.
    anchored: bool,
    /// Elo advantage of White.
    white_advantage: f64,
    /// Error of `white_advantage`; null if it was given.
    white_advantage_error: Option<f64>,
    /// `fitted`, `given`, or `open` if the games do not determine it.
    white_advantage_source: &'static str,
    /// Share of draws between equal players, in [0, 1].
    draw_rate: f64,
    /// Error of `draw_rate`; null if it was given.
    draw_rate_error: Option<f64>,
    /// As `white_advantage_source`.
    draw_rate_source: &'static str,
    /// Logarithm of the likelihood of the games.
    log_likelihood: f64,
    /// Number of simulated lists with ratings.
    simulations: u64,
    /// Simulations without ratings, which are not part of the errors.
    simulations_without_ratings: u64,
    /// The players, from the highest to the lowest rating.
    players: Vec<PlayerJson>,
    /// Likelihood that the player of the row is stronger than that of the column, in the order of `players`; null on the diagonal and where it is unknown.
    los: Vec<Vec<Option<f64>>>,
    /// One table per two players with games.
    pairings: Vec<PairingJson>,
    /// Names of the players by group: games connect the ratings of a group; one group if all are connected.
    groups: Vec<Vec<String>>,
    /// Skipped games, and other problems of the files.
    left_out: Vec<SkippedGame>,
}

/// A player of the list.
#[derive(Debug, Serialize, JsonSchema)]
struct PlayerJson {
    /// Name of the player.
    name: String,
    /// Elo rating; null if the games do not determine it.
    rating: Option<f64>,
    /// Error of `rating`.
    rating_error: Option<f64>,
    /// Error of `rating` from simulations.
    simulated_error: Option<f64>,
    /// Number of simulated lists that rate the player; below 99% there is no simulated error.
    simulated_lists: Option<u64>,
    /// Number of games.
    games: u64,
    /// Number of games won.
    wins: u64,
    /// Number of drawn games.
    draws: u64,
    /// Number of games lost.
    losses: u64,
    /// Points: 1 for a win, 0.5 for a draw.
    points: f64,
    /// Number of games that the ratings use.
    rated_games: u64,
    /// Points of these games.
    rated_points: f64,
    /// Points expected of these games by the ratings.
    expected: Option<f64>,
    /// Reason for a missing rating.
    note: Option<&'static str>,
}

/// Two players and their games.
#[derive(Debug, Serialize, JsonSchema)]
struct PairingJson {
    /// Name of the first player.
    first: String,
    /// Name of its opponent.
    second: String,
    /// Number of their games.
    games: u64,
    /// Number of games that `first` won.
    wins: u64,
    /// Number of drawn games.
    draws: u64,
    /// Number of games that `first` lost.
    losses: u64,
    /// Points of `first`.
    points: f64,
    /// Points expected of `first` by the ratings.
    expected: Option<f64>,
}

/// A skipped game, or another problem of a file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct SkippedGame {
    /// The file.
    pub file: String,
    /// Line number, from 1.
    pub line: u64,
    /// Reason of the skip, or the problem.
    pub reason: String,
}

impl RatingListJson {
    /// The list as JSON; players, and rows and columns of `los`, from highest to lowest.
    pub(crate) fn of(list: &RatingList, skipped: Vec<SkippedGame>) -> RatingListJson {
        let ratings = list.ratings();
        let order = list.order();
        let los = |&row: &usize| {
            order.iter().map(|&column| (row != column).then(|| ratings.los(row, column)).flatten()).collect()
        };
        RatingListJson {
            model: "logistic expected score, draws by Davidson's rule",
            confidence: list.confidence(),
            games: list.pairings().iter().map(|pairing| pairing.results.games()).sum(),
            anchored: ratings.is_anchored(),
            white_advantage: list.white_advantage().value,
            white_advantage_error: list.white_advantage().error,
            white_advantage_source: source(ratings.white_advantage_source()),
            draw_rate: list.draw_rate().value,
            draw_rate_error: list.draw_rate().error,
            draw_rate_source: source(ratings.draw_rate_source()),
            log_likelihood: ratings.log_likelihood(),
            simulations: list.simulation().map_or(0, |simulation| simulation.lists()),
            simulations_without_ratings: list
                .simulation()
                .map_or(0, |simulation| list.simulations_tried() - simulation.lists()),
            players: order.iter().map(|&player| PlayerJson::of(list, player)).collect(),
            los: order.iter().map(los).collect(),
            pairings: list.pairings().iter().map(|pairing| PairingJson::of(list, pairing)).collect(),
            groups: list
                .groups()
                .iter()
                .map(|group| group.iter().map(|&player| list.name(player).to_owned()).collect())
                .collect(),
            left_out: skipped,
        }
    }
}

fn source(source: ParameterSource) -> &'static str {
    match source {
        ParameterSource::Fitted => "fitted",
        ParameterSource::Given => "given",
        ParameterSource::Open => "open",
    }
}

impl PlayerJson {
    fn of(list: &RatingList, player: usize) -> PlayerJson {
        let tally = &list.players()[player];
        let rating = list.rating(player);
        PlayerJson {
            name: list.name(player).to_owned(),
            rating: rating.map(|rating| rating.value),
            rating_error: rating.and_then(|rating| rating.error),
            simulated_error: list.simulated_error(player),
            simulated_lists: list.simulation().map(|simulation| simulation.lists_rating(player)),
            games: tally.results.games(),
            wins: tally.results.wins,
            draws: tally.results.draws,
            losses: tally.results.losses,
            points: tally.results.points(),
            rated_games: tally.rated.games(),
            rated_points: tally.rated.points(),
            expected: rating.map(|_| tally.expected),
            note: Some(list.note(player)).filter(|note| !note.is_empty()),
        }
    }
}

impl PairingJson {
    fn of(list: &RatingList, pairing: &super::list::HeadToHead) -> PairingJson {
        let results = pairing.results;
        PairingJson {
            first: list.name(pairing.first).to_owned(),
            second: list.name(pairing.second).to_owned(),
            games: results.games(),
            wins: results.wins,
            draws: results.draws,
            losses: results.losses,
            points: results.points(),
            expected: pairing.expected,
        }
    }
}
