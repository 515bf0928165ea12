//! Forecast of the games and hours of a plan, from the time controls and, for a sequential test, from its bounds. The
//! text states every assumption. Of the machine only the number of cores is used.

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::time::Duration;

use smalt_report::format;
use smalt_stats::Sprt;
use smalt_stats::race::simulation::{Method, Nights, Summary};
use smalt_stats::race::{Race, RaceRules};
use smalt_stats::sprt::SUPPOSED_DEVIATION;
use smalt_workbench::concurrency::spare_cores;

use crate::plan::{MoveClock, Plan};
use crate::setup::schedule;

/// Moves of each side in an average engine game with usual adjudication.
const MOVES: f64 = 65.0;

/// Share of its time that an engine uses.
const USE: f64 = 0.9;

/// Assumed speed of an engine, in nodes per second, where only nodes are limited.
const NODES_PER_SECOND: f64 = 1_000_000.0;

/// Races that are simulated for a forecast.
const SIMULATED_NIGHTS: u64 = 100;

/// Mean true gain of candidates, in Elo, as for typical patches.
const GAIN_MEAN: f64 = -1.0;

/// Standard deviation of these gains, in Elo.
const GAIN_DEVIATION: f64 = 2.5;

/// The forecast, one sentence per line; `drawn_pairs` is the share of 1-1 pairs, if known.
pub fn estimate(plan: &Plan, drawn_pairs: Option<f64>) -> String {
    // A pair that is not 1-1 misses an even score by a quarter.
    let deviation = drawn_pairs.map_or(SUPPOSED_DEVIATION, |share| ((1.0 - share) / 8.0).sqrt());
    let mut text = String::new();
    let mut line = |words: String| {
        writeln!(text, "{words}").expect("a string takes any text");
    };
    let slots = plan.settings.run.concurrency.map_or_else(spare_cores, NonZeroUsize::get);
    let seconds = seconds_a_game(plan);
    let hours = |games: f64| match seconds {
        Some(seconds) => {
            let all = Duration::try_from_secs_f64(games * seconds / slots as f64).unwrap_or(Duration::MAX);
            format!(", {}", format::duration(all))
        }
        None => String::new(),
    };
    let planned = schedule(plan).games();
    // The number of games of a race depends on its results.
    if plan.race.is_none() {
        line(format!("Estimate: {planned} games at most{}.", hours(f64::from(planned))));
    }
    if let Some(sprt) = &plan.sprt {
        for (what, elo) in truths(sprt) {
            let Some(forecast) = sprt.forecast(elo, deviation) else { continue };
            let games = forecast.games.min(f64::from(planned));
            line(format!(
                "If the truth is {what} ({elo:+.1} {} Elo): about {:.0} games until the test is decided{}; half of all tests need at most {:.0} games, nine of ten {:.0}; it accepts H1 with {:.0} %.",
                sprt.model(),
                forecast.games,
                hours(games),
                forecast.median,
                forecast.games_90,
                100.0 * forecast.accept_h1,
            ));
        }
    }
    if let Some(race) = &plan.race
        && let Some(nights) = race_nights(race, drawn_pairs)
    {
        line(format!(
            "In {SIMULATED_NIGHTS} simulated races ({} candidates with true gains N({GAIN_MEAN}, {GAIN_DEVIATION}) Elo): {:.0} games on average{}; half need at most {} games, nine of ten {}; {:.0} % accept a better candidate. Then {} games for each estimate.",
            race.candidates().len(),
            nights.games,
            hours(nights.games),
            nights.median_games,
            nights.games_90,
            100.0 * nights.found_nights,
            2 * race.rules().estimate_pairs,
        ));
    }
    match seconds {
        Some(seconds) => line(format!(
            "Assumed: concurrency {slots}, {seconds:.1} s a game: {MOVES} moves of each side, {:.0} % of their time used{}.",
            100.0 * USE,
            if has_nodes(plan) { ", a million nodes a second" } else { "" },
        )),
        None => line(
            "The duration of a game is unknown: the time control limits neither time nor nodes.".to_owned(),
        ),
    }
    text
}

/// Games and findings of many simulated races of this kind; `None` if its rules are invalid.
fn race_nights(race: &Race, drawn_pairs: Option<f64>) -> Option<Summary> {
    let equals = drawn_pairs.map_or([0.05, 0.22, 0.46, 0.22, 0.05], |share| {
        let decided = 0.5 * (1.0 - share);
        [0.0, decided, share, decided, 0.0]
    });
    let nights = Nights {
        nights: SIMULATED_NIGHTS,
        candidates: race.candidates().len(),
        mean: GAIN_MEAN,
        deviation: GAIN_DEVIATION,
        equals,
        seed: 1,
    };
    let rules = RaceRules { estimate_pairs: 0, ..*race.rules() };
    let played: Result<Vec<_>, _> =
        (0..nights.nights).map(|night| nights.play(&Method::Race(rules), night)).collect();
    Some(Summary::of(&played.ok()?))
}

/// Elo of H0, of the midpoint and of H1.
fn truths(sprt: &Sprt) -> [(&'static str, f64); 3] {
    let (low, high) = (sprt.elo0(), sprt.elo1());
    [("H0", low), ("halfway", 0.5 * (low + high)), ("H1", high)]
}

fn has_nodes(plan: &Plan) -> bool {
    plan.entrants.iter().any(|entrant| entrant.clock.nodes.is_some())
}

/// Mean duration of a game in seconds; `None` if an entrant has no limit in time or nodes.
pub fn seconds_a_game(plan: &Plan) -> Option<f64> {
    let sides: Option<Vec<f64>> =
        plan.entrants.iter().map(|entrant| seconds_a_side(&entrant.clock)).collect();
    let sides = sides.filter(|sides| !sides.is_empty())?;
    Some(2.0 * sides.iter().sum::<f64>() / sides.len() as f64)
}

/// Seconds that one side uses in a game: base time and increments, or its limits per move if they are
/// tighter.
fn seconds_a_side(clock: &MoveClock) -> Option<f64> {
    let mut limits = Vec::new();
    let periods = clock.control.periods();
    if !periods.is_empty() {
        let mut left = MOVES;
        let mut total = 0.0;
        for (index, period) in periods.iter().enumerate() {
            let is_last = index + 1 == periods.len();
            let length = period.moves.map_or(f64::INFINITY, |moves| f64::from(moves.get()));
            let moves = if is_last { left } else { left.min(length) };
            let times = if length.is_finite() { moves / length } else { 1.0 };
            total += times * period.time.as_secs_f64() + moves * period.increment.as_secs_f64();
            left -= moves;
            if left <= 0.0 {
                break;
            }
        }
        limits.push(USE * total);
    }
    limits.extend(clock.move_time.map(|time| MOVES * time.as_secs_f64()));
    limits.extend(clock.nodes.map(|nodes| MOVES * nodes as f64 / NODES_PER_SECOND));
    limits.into_iter().min_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use smalt_workbench::entrant::Registry;

    use super::*;
    use crate::plan::Settings;

    fn check(text: &str, expected: &str) {
        let text = format!("{text}\n[[entrant]]\ncmd = \"a\"\n[[entrant]]\ncmd = \"b\"\n");
        let layer = Settings::parse_layer(&text, "p.toml").unwrap();
        let plan = Plan::of_layers(layer, &Registry::default()).unwrap();
        assert_eq!(estimate(&plan, None), expected);
    }

    #[test]
    fn a_fixed_number_of_games_has_its_hours() {
        check(
            "[run]\nformat = \"match\"\ngames = 1000\nseed = 1\nconcurrency = 4\n[clock]\ntc = \"10+0.1\"\n",
            "Estimate: 1000 games at most, 2h 04m.\n\
             Assumed: concurrency 4, 29.7 s a game: 65 moves of each side, 90 % of their time used.\n",
        );
    }

    #[test]
    fn a_test_is_forecast_at_both_hypotheses_and_between_them() {
        check(
            "[run]\nformat = \"match\"\ngames = 100000\nseed = 1\nconcurrency = 2\n[clock]\nnodes = 20000\n\
             [sprt]\nelo0 = 0.0\nelo1 = 5.0\nmodel = \"normalized\"\n",
            "Estimate: 100000 games at most, 1d 12h.\n\
             If the truth is H0 (+0.0 normalized Elo): about 25660 games until the test is decided, 9h 16m; half of all tests need at most 20471 games, nine of ten 49692; it accepts H1 with 5 %.\n\
             If the truth is halfway (+2.5 normalized Elo): about 42035 games until the test is decided, 15h 11m; half of all tests need at most 31841 games, nine of ten 86685; it accepts H1 with 50 %.\n\
             If the truth is H1 (+5.0 normalized Elo): about 25660 games until the test is decided, 9h 16m; half of all tests need at most 20471 games, nine of ten 49692; it accepts H1 with 95 %.\n\
             Assumed: concurrency 2, 2.6 s a game: 65 moves of each side, 90 % of their time used, a million nodes a second.\n",
        );
    }

    #[test]
    fn a_depth_limit_has_no_duration() {
        check(
            "[run]\nformat = \"match\"\ngames = 10\nseed = 1\nconcurrency = 2\n[clock]\ndepth = 5\n",
            "Estimate: 10 games at most.\nThe duration of a game is unknown: the time control limits neither time nor nodes.\n",
        );
    }
}
