//! Standings as JSON. Field names are fixed; values that are not finite are null.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use smalt_stats::ratings::{RatingOptions, Ratings};
use smalt_stats::{Estimate, MatchFigures};

pub use super::elo::SprtEstimate;
use super::progress::ProgressJson;
use super::scale::ScaleJson;
use super::{Standings, TestState, report};

/// The results of a run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ResultsJson {
    /// Name of the run.
    run: String,
    /// Format, e.g. `gauntlet`, `round-robin` or `match`.
    format: String,
    /// Number of games of the whole run: for a knockout a lower bound, for an open race the games of the rounds known so far.
    games_planned: u32,
    /// Number of games in the store.
    games_finished: u64,
    /// Number of games skipped because a player is disqualified.
    games_left_out: u64,
    /// The engine ranked first; null before its first game.
    leader: Option<LeaderJson>,
    /// One table per engine, in the order of the plan.
    entrants: Vec<EntrantJson>,
    /// One table per two engines that play each other.
    pairings: Vec<PairingJson>,
    sprt: Option<SprtJson>,
    /// The bracket of a knockout, the table of a Swiss tournament, the verdicts of a race, or the commits of a bisection.
    course: Option<ProgressJson>,
    /// The public list on whose scale `scale_rating` is, if it rates an entrant.
    scale: Option<ScaleJson>,
    /// Number of games by termination.
    terminations: BTreeMap<&'static str, u64>,
}

/// The engine ranked first.
#[derive(Debug, Serialize, JsonSchema)]
struct LeaderJson {
    /// Name of the engine.
    name: String,
    /// The engine ranked second; null if `los` compares the leader with all its opponents together.
    ahead_of: Option<String>,
    /// Likelihood that the leader is the stronger one, in [0, 1]; with three or more engines by their ratings. Null if the first
    /// two cannot be compared, as when both won all their games.
    los: Option<f64>,
}

impl LeaderJson {
    fn of(standings: &Standings, order: &[usize], ratings: Option<&Ratings>) -> Option<LeaderJson> {
        let (&first, &second) = (order.first()?, order.get(1)?);
        let name = |entrant: usize| standings.entrants[entrant].name.clone();
        if standings.entrants[first].results.games() == 0 {
            return None;
        }
        let is_pair = order.len() == 2;
        let by_rating = ratings.filter(|_| !is_pair).and_then(|ratings| ratings.los(first, second));
        // Two engines that won all their games cannot be compared by them.
        let is_ahead =
            is_pair || ratings.is_some_and(|ratings| ratings.players()[second].estimate().is_some());
        let own = || Some(standings.counts_of(first).statistics().filter(|_| is_ahead)?.los);
        Some(LeaderJson {
            name: name(first),
            ahead_of: (is_pair || by_rating.is_some()).then(|| name(second)),
            los: by_rating.or_else(own),
        })
    }
}

/// Statistics of one entrant, from its point of view.
#[derive(Debug, Serialize, JsonSchema)]
struct EntrantJson {
    /// Name of the engine.
    name: String,
    /// Rank by rating, from 1: the order of all tables.
    rank: usize,
    /// Number of finished games.
    games: u64,
    /// Games whose pair is incomplete: `elo` to `draw_ratio` do not count them.
    unpaired_games: u64,
    /// Number of won games.
    wins: u64,
    /// Number of drawn games.
    draws: u64,
    /// Number of lost games.
    losses: u64,
    /// Points: 1 for a win, 0.5 for a draw.
    points: f64,
    /// Share of drawn games, in [0, 1]; `draw_ratio` is that of drawn pairs where pairs count.
    drawn: Option<f64>,
    #[serde(flatten)]
    figures: MatchFigures,
    /// Elo rating by maximum likelihood; the mean of all entrants is 0.
    rating: Option<f64>,
    /// Half-width of the 95 % interval of `rating`.
    rating_error: Option<f64>,
    /// Rating on the scale of a public list.
    scale_rating: Option<f64>,
    /// Half-width of the 95 % interval of `scale_rating`, with the errors of the anchors.
    scale_rating_error: Option<f64>,
    /// Games lost on time.
    time_losses: u64,
    /// Games lost by a crash or stall.
    crashes: u64,
    /// Games lost by an illegal or unreadable move.
    illegal_moves: u64,
    /// Failed starts, which cost no game.
    failed_starts: u64,
    /// Reason for its disqualification or withdrawal, worded to follow its name; null if it plays.
    out: Option<String>,
    /// Whether the user withdrew it.
    withdrawn: bool,
    /// Searches that exceeded their limit of nodes or depth.
    overruns: u64,
    /// Number of warnings about the output of its searches, by name.
    search_warnings: BTreeMap<&'static str, u32>,
    /// Elo difference without games in which an engine failed.
    elo_without_faults: Option<f64>,
    /// Half-width of the 95 % interval of `elo_without_faults`.
    elo_without_faults_error: Option<f64>,
    /// Nodes per second of the searches that reported nodes.
    nps: Option<f64>,
    /// Mean depth of its searches, in plies.
    depth: Option<f64>,
    /// Mean time per move in seconds.
    seconds_per_move: Option<f64>,
    /// Peak memory of its process in bytes, without child processes.
    peak_memory_bytes: Option<u64>,
    /// Median latency: the delay by the runner before a search, in microseconds.
    latency_median_us: Option<f64>,
    /// 99th percentile of the latency.
    latency_p99_us: Option<f64>,
    /// 99.9th percentile of the latency.
    latency_p999_us: Option<f64>,
    /// Old name of `latency_median_us`.
    handover_median_us: Option<f64>,
    /// Old name of `latency_p99_us`.
    handover_p99_us: Option<f64>,
    /// Old name of `latency_p999_us`.
    handover_p999_us: Option<f64>,
}

/// Statistics of one pairing, from the point of view of `first`.
#[derive(Debug, Serialize, JsonSchema)]
struct PairingJson {
    /// Name of the first engine.
    first: String,
    /// Name of its opponent.
    second: String,
    /// Games won by `first`.
    wins: u64,
    /// Number of drawn games.
    draws: u64,
    /// Games lost by `first`.
    losses: u64,
    /// Games whose pair is incomplete: `elo` to `draw_ratio` do not count them.
    unpaired_games: u64,
    /// Share of drawn games, in [0, 1].
    drawn: Option<f64>,
    /// Number of complete pairs with 0, ½, 1, 1½ and 2 points for `first`.
    penta: [u64; 5],
    #[serde(flatten)]
    figures: MatchFigures,
}

/// State of a sequential test.
#[derive(Debug, Serialize, JsonSchema)]
struct SprtJson {
    /// Elo difference of H0.
    elo0: f64,
    /// Elo difference of H1.
    elo1: f64,
    /// Probability of accepting H1 if H0 is true.
    alpha: f64,
    /// Probability of accepting H0 if H1 is true.
    beta: f64,
    /// Elo model: `logistic`, `normalized` or `bayesian`.
    model: String,
    /// Log-likelihood ratio.
    llr: f64,
    /// LLR at which H0 is accepted.
    lower: f64,
    /// LLR at which H1 is accepted.
    upper: f64,
    /// `continue`, `H0` or `H1`.
    verdict: String,
    /// Number of games that count.
    games: u64,
    /// Expected number of further games under H0; null once the test is decided.
    games_left_h0: Option<f64>,
    /// Expected number of further games under H1.
    games_left_h1: Option<f64>,
    #[serde(flatten)]
    estimate: SprtEstimate,
}

impl From<TestState> for SprtJson {
    fn from(state: TestState) -> SprtJson {
        let bounds = state.sprt.bounds();
        SprtJson {
            elo0: state.sprt.elo0(),
            elo1: state.sprt.elo1(),
            alpha: state.sprt.alpha(),
            beta: state.sprt.beta(),
            model: state.sprt.model().to_string(),
            llr: state.llr,
            lower: bounds.lower,
            upper: bounds.upper,
            verdict: state.verdict.to_string(),
            games: state.games,
            games_left_h0: state.games_left().map(|[games, _]| games),
            games_left_h1: state.games_left().map(|[_, games]| games),
            estimate: state.estimate().into(),
        }
    }
}

fn value(estimate: Option<Estimate>) -> Option<f64> {
    estimate.map(|estimate| estimate.value)
}

fn error(estimate: Option<Estimate>) -> Option<f64> {
    estimate.and_then(|estimate| estimate.error)
}

impl ResultsJson {
    /// Results of the games so far.
    pub fn of(standings: &Standings) -> ResultsJson {
        let ratings = standings.ratings(&RatingOptions::default()).ok();
        let mut ranks = vec![0; standings.entrants.len()];
        let order = standings.order(ratings.as_ref());
        (1..).zip(&order).for_each(|(rank, &entrant)| ranks[entrant] = rank);
        let rating =
            |entrant: usize| ratings.as_ref().and_then(|ratings| ratings.players()[entrant].estimate());
        let scale = standings.scale();
        let on_scale =
            |entrant: usize| scale.as_ref().and_then(|scale| scale.ratings().players()[entrant].estimate());
        let faultless =
            |entrant: usize| standings.faultless_statistics_of(entrant).and_then(|found| found.elo);
        let latency = |tally: &super::EntrantTally, share| {
            tally.latencies.quantile(share).map(|time| time.as_secs_f64() * 1e6)
        };
        let entrant = |(index, tally): (usize, &super::EntrantTally)| EntrantJson {
            name: tally.name.clone(),
            rank: ranks[index],
            games: tally.results.games(),
            unpaired_games: standings.unpaired_of(index),
            wins: tally.results.wins,
            draws: tally.results.draws,
            losses: tally.results.losses,
            points: tally.results.points(),
            drawn: tally.results.drawn(),
            figures: MatchFigures::of(standings.counts_of(index)),
            rating: value(rating(index)),
            rating_error: error(rating(index)),
            scale_rating: value(on_scale(index)),
            scale_rating_error: error(on_scale(index)),
            time_losses: tally.time_losses,
            crashes: tally.crashes,
            illegal_moves: tally.illegal_moves,
            failed_starts: tally.start_faults,
            out: standings.disqualified().get(&index).cloned(),
            withdrawn: standings.disqualified().get(&index).is_some_and(|words| words == report::WITHDRAWN),
            overruns: tally.overruns,
            search_warnings: tally.warnings.iter().map(|(kind, count)| (kind.name(), count)).collect(),
            elo_without_faults: value(faultless(index)),
            elo_without_faults_error: error(faultless(index)),
            nps: tally.searches.nps(),
            depth: tally.searches.depth(),
            seconds_per_move: tally.searches.time_per_move().map(|time| time.as_secs_f64()),
            peak_memory_bytes: tally.peak_memory,
            latency_median_us: latency(tally, 0.5),
            latency_p99_us: latency(tally, 0.99),
            latency_p999_us: latency(tally, 0.999),
            handover_median_us: latency(tally, 0.5),
            handover_p99_us: latency(tally, 0.99),
            handover_p999_us: latency(tally, 0.999),
        };
        let pairing = |tally: &super::PairingTally| PairingJson {
            first: standings.entrants[tally.pairing.first].name.clone(),
            second: standings.entrants[tally.pairing.second].name.clone(),
            wins: tally.results.wins,
            draws: tally.results.draws,
            losses: tally.results.losses,
            unpaired_games: tally.unpaired(),
            drawn: tally.results.drawn(),
            penta: tally.pairs.0,
            figures: MatchFigures::of(standings.counts_of_pairing(tally)),
        };
        ResultsJson {
            run: standings.name.clone(),
            format: standings.format.to_string(),
            games_planned: standings.games_planned(),
            games_finished: standings.games_finished(),
            games_left_out: standings.games_skipped(),
            leader: LeaderJson::of(standings, &order, ratings.as_ref()),
            entrants: standings.entrants.iter().enumerate().map(entrant).collect(),
            pairings: standings.pairings.iter().map(pairing).collect(),
            sprt: standings.test().map(SprtJson::from),
            course: ProgressJson::of(standings),
            scale: scale.as_ref().map(|scale| scale.json(standings)),
            terminations: standings
                .terminations
                .iter()
                .map(|(termination, &games)| (termination.name(), games))
                .collect(),
        }
    }
}
