//! Standings as JSON. Field names are fixed; values that are not finite are null.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use smalt_stats::ratings::RatingOptions;
use smalt_stats::sprt::SequentialEstimate;
use smalt_stats::{Estimate, Interval, MatchFigures};

use super::course::CourseJson;
use super::scale::ScaleJson;
use super::{Standings, TestState};

/// The results of a run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ResultsJson {
    run: String,
    format: String,
    /// For a knockout a lower bound, and for an open race the games of the rounds known so far.
    games_planned: u32,
    games_finished: u64,
    /// Games skipped because a player is disqualified.
    games_left_out: u64,
    entrants: Vec<EntrantJson>,
    pairings: Vec<PairingJson>,
    sprt: Option<SprtJson>,
    /// The bracket of a knockout, the table of a Swiss tournament, or the verdicts of a race.
    course: Option<CourseJson>,
    /// The public list on whose scale `scale_rating` is, if it rates an entrant.
    scale: Option<ScaleJson>,
    terminations: BTreeMap<&'static str, u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct EntrantJson {
    name: String,
    /// From 1, by rating: the order of all tables.
    rank: usize,
    games: u64,
    /// Games whose pair is incomplete: `elo` to `draw_ratio` do not count them.
    unpaired_games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    points: f64,
    /// Share of drawn games; `draw_ratio` is that of drawn pairs where pairs count.
    drawn: Option<f64>,
    #[serde(flatten)]
    figures: MatchFigures,
    rating: Option<f64>,
    rating_error: Option<f64>,
    /// The rating on the scale of a public list, and its error with those of the anchors in it.
    scale_rating: Option<f64>,
    scale_rating_error: Option<f64>,
    time_losses: u64,
    crashes: u64,
    illegal_moves: u64,
    failed_starts: u64,
    /// Reason of its disqualification, which follows its name.
    out: Option<String>,
    /// Searches that exceeded their limit of nodes or depth.
    overruns: u64,
    /// Warnings about the output of its searches, by their names.
    search_warnings: BTreeMap<&'static str, u32>,
    elo_without_faults: Option<f64>,
    elo_without_faults_error: Option<f64>,
    nps: Option<f64>,
    depth: Option<f64>,
    seconds_per_move: Option<f64>,
    peak_memory_bytes: Option<u64>,
    handover_median_us: Option<f64>,
    handover_p99_us: Option<f64>,
    handover_p999_us: Option<f64>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct PairingJson {
    first: String,
    second: String,
    wins: u64,
    draws: u64,
    losses: u64,
    /// As with an entrant's.
    unpaired_games: u64,
    drawn: Option<f64>,
    penta: [u64; 5],
    #[serde(flatten)]
    figures: MatchFigures,
}

/// State of a sequential test.
#[derive(Debug, Serialize, JsonSchema)]
struct SprtJson {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: String,
    llr: f64,
    lower: f64,
    upper: f64,
    verdict: String,
    games: u64,
    /// Expected number of further games under H0; null once the test is decided.
    games_left_h0: Option<f64>,
    /// Expected number of further games under H1.
    games_left_h1: Option<f64>,
    #[serde(flatten)]
    estimate: SprtEstimate,
}

/// Elo estimate of a sequential test, corrected for the stopping rule; null until the pairs scatter as 25 decided games do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct SprtEstimate {
    /// Elo given the stopping rule; null until the pairs scatter as 25 decided games do.
    sprt_elo: Option<f64>,
    /// Lower end of its 95 % interval.
    sprt_elo_low: Option<f64>,
    /// Upper end of its 95 % interval.
    sprt_elo_high: Option<f64>,
    /// Likelihood of superiority given the stopping rule.
    sprt_los: Option<f64>,
}

impl From<Option<SequentialEstimate>> for SprtEstimate {
    fn from(found: Option<SequentialEstimate>) -> SprtEstimate {
        let Some(SequentialEstimate { elo, interval: Interval { low, high }, los }) = found else {
            return SprtEstimate::default();
        };
        SprtEstimate { sprt_elo: elo, sprt_elo_low: low, sprt_elo_high: high, sprt_los: Some(los) }
    }
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
        (1..).zip(standings.order(ratings.as_ref())).for_each(|(rank, entrant)| ranks[entrant] = rank);
        let rating =
            |entrant: usize| ratings.as_ref().and_then(|ratings| ratings.players()[entrant].estimate());
        let scale = standings.scale();
        let on_scale =
            |entrant: usize| scale.as_ref().and_then(|scale| scale.ratings().players()[entrant].estimate());
        let microseconds = |time: Option<std::time::Duration>| time.map(|time| time.as_secs_f64() * 1e6);
        let faultless =
            |entrant: usize| standings.faultless_statistics_of(entrant).and_then(|found| found.elo);
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
            out: standings.out().get(&index).cloned(),
            overruns: tally.overruns,
            search_warnings: tally.warnings.iter().map(|(kind, count)| (kind.name(), count)).collect(),
            elo_without_faults: value(faultless(index)),
            elo_without_faults_error: error(faultless(index)),
            nps: tally.searches.nps(),
            depth: tally.searches.depth(),
            seconds_per_move: tally.searches.time_per_move().map(|time| time.as_secs_f64()),
            peak_memory_bytes: tally.peak_memory,
            handover_median_us: microseconds(tally.handovers.quantile(0.5)),
            handover_p99_us: microseconds(tally.handovers.quantile(0.99)),
            handover_p999_us: microseconds(tally.handovers.quantile(0.999)),
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
            games_left_out: standings.games_left_out(),
            entrants: standings.entrants.iter().enumerate().map(entrant).collect(),
            pairings: standings.pairings.iter().map(pairing).collect(),
            sprt: standings.test().map(SprtJson::from),
            course: CourseJson::of(standings),
            scale: scale.as_ref().map(|scale| scale.json(standings)),
            terminations: standings
                .terminations
                .iter()
                .map(|(termination, &games)| (termination.name(), games))
                .collect(),
        }
    }
}
