//! Figures from fastchess's tests and Ordo's output, to the printed digits.

use smalt_stats::normal::Z_95;
use smalt_stats::ratings::{Anchor, Pairing, RatingOptions, Ratings};
use smalt_stats::sprt::Model;
use smalt_stats::{Elo, MatchStatistics, Pentanomial, Sprt, Wdl};

/// Half a unit in the last of `digits` decimals, plus a little for figures that end in a five.
fn rounds_to(value: f64, published: f64, digits: i32) {
    let tolerance = 0.5 * 10f64.powi(-digits) + 1e-9;
    assert!((value - published).abs() <= tolerance, "{value} does not round to {published}");
}

#[test]
fn match_statistics_are_those_of_fastchess() {
    let games = |wins, draws, losses| Wdl::new(wins, draws, losses).statistics().unwrap();
    let pairs = |counts| Pentanomial(counts).statistics().unwrap();
    let check = |found: MatchStatistics, score: f64, elo: (f64, f64), nelo: (f64, f64), los_percent: f64| {
        rounds_to(found.score, score, 4);
        let (found_elo, found_nelo) = (found.elo.unwrap(), found.nelo.unwrap());
        rounds_to(found_elo.value, elo.0, 2);
        rounds_to(found_elo.error.unwrap(), elo.1, 2);
        rounds_to(found_nelo.value, nelo.0, 3);
        // fastchess prints two decimals; the third one of the published figure is uncertain.
        assert!((found_nelo.error.unwrap() - nelo.1).abs() < 1e-3, "{found_nelo:?}");
        rounds_to(100.0 * found.los, los_percent, 2);
    };
    check(games(76, 123, 89), 0.4774, (-15.69, 30.46), (-20.756, 40.126), 15.53);
    check(games(136, 111, 96), 0.5583, (40.70, 30.43), (49.768, 36.769), 99.60);
    check(pairs([34, 54, 63, 64, 75]), 0.5793, (55.58, 27.65), (57.936, 28.275), 100.00);
    check(pairs([332, 433, 498, 333, 334]), 0.4876, (-8.64, 10.33), (-9.173, 10.961), 5.05);
    check(pairs([7895, 8757, 5685, 568, 9999]), 0.4698, (-21.04, 2.95), (-19.013, 2.655), 0.00);
}

#[test]
fn normalized_elo_without_draws_is_that_of_fastchess() {
    let nelo = Wdl::new(34, 0, 356).statistics().unwrap().nelo.unwrap();
    rounds_to(nelo.value, -508.44, 2);
    rounds_to(nelo.error.unwrap(), 34.48, 2);
}

/// Ratios that fastchess prints for these pairs in a report like `Elo: 149.96 +/- 24.60`.
#[test]
fn ratios_of_pairs_are_those_of_fastchess() {
    let check = |counts, draw_percent: f64, pairs_ratio: f64| {
        let found = Pentanomial(counts).statistics().unwrap();
        rounds_to(100.0 * found.draw_ratio, draw_percent, 2);
        rounds_to(found.pairs_ratio.unwrap(), pairs_ratio, 2);
    };
    check([4, 4, 58, 51, 198], 18.41, 31.12);
    check([1, 5, 45, 54, 252], 12.61, 51.00);
    check([1, 11, 47, 25, 16], 47.00, 3.42);
}

#[test]
fn log_likelihood_ratios_are_those_of_fastchess() {
    let test = |elo0, elo1, model| Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap();
    let games = |wins, draws, losses, elo0, elo1, model, llr, digits| {
        rounds_to(test(elo0, elo1, model).llr_of_games(&Wdl::new(wins, draws, losses)), llr, digits);
    };
    games(21404, 40708, 21184, 0.5, 2.5, Model::Logistic, -1.572, 3);
    games(57433, 106593, 57030, 0.0, 2.0, Model::Logistic, -2.593, 3);
    games(36433, 68692, 36027, 0.0, 2.0, Model::Normalized, 0.923, 3);
    games(10871, 20431, 10650, -1.75, 0.25, Model::Normalized, 2.298, 3);
    games(68965, 128429, 68526, 0.0, 2.0, Model::BayesElo, -1.26, 2);
    games(21629, 41111, 21484, 0.5, 2.5, Model::BayesElo, -1.13, 2);
    let pairs = |counts, elo0, elo1, model, llr, digits| {
        rounds_to(test(elo0, elo1, model).llr_of_pairs(&Pentanomial(counts)).unwrap(), llr, digits);
    };
    pairs([223, 9863, 21279, 10037, 246], 0.5, 2.5, Model::Logistic, -3.074, 3);
    pairs([871, 26175, 55983, 26678, 821], 0.0, 2.0, Model::Logistic, -4.979, 3);
    pairs([365, 16618, 36229, 16974, 390], 0.0, 2.0, Model::Normalized, 2.250, 3);
    pairs([127, 4883, 10712, 5150, 104], -1.75, 0.25, Model::Normalized, 3.010, 3);
}

/// Computed with fishtest's published method.
#[test]
fn estimates_after_a_sequential_test_are_those_of_fishtest() {
    let check = |counts, model, (elo, low, high): (f64, f64, f64), los_percent: f64| {
        let test = Sprt::new(0.0, 2.0, 0.05, 0.05, model).unwrap();
        let found = test.estimate_of_pairs(&Pentanomial(counts)).unwrap();
        let ends = (found.interval.low.unwrap(), found.interval.high.unwrap());
        for (value, published) in [(found.elo.unwrap(), elo), (ends.0, low), (ends.1, high)] {
            assert!((value - published).abs() < 2e-4, "{found:?}");
        }
        rounds_to(100.0 * found.los, los_percent, 3);
    };
    check([12, 140, 402, 171, 15], Model::Normalized, (8.6877, -0.7115, 18.0996), 96.497);
    check([220, 9800, 21200, 10150, 260], Model::Normalized, (1.62368, 0.25682, 2.96424), 98.982);
    check([300, 5000, 10200, 4700, 250], Model::Logistic, (-3.06233, -6.50103, 0.40626), 4.165);
}

#[test]
fn bounds_of_the_usual_test_are_2_94() {
    let bounds = Sprt::new(0.0, 2.0, 0.05, 0.05, Model::Normalized).unwrap().bounds();
    rounds_to(bounds.lower, -2.94, 2);
    rounds_to(bounds.upper, 2.94, 2);
}

const HERO: usize = 0;
const ANCHOR: usize = 1;
const MID: usize = 2;
const WEAK: usize = 3;

fn gauntlet() -> Vec<Pairing> {
    let game =
        |white, black, wins, draws, losses| Pairing { white, black, results: Wdl::new(wins, draws, losses) };
    vec![
        game(HERO, ANCHOR, 22, 12, 6),
        game(ANCHOR, HERO, 10, 11, 19),
        game(HERO, MID, 15, 15, 10),
        game(MID, HERO, 14, 13, 13),
        game(HERO, WEAK, 33, 5, 2),
        game(WEAK, HERO, 3, 6, 31),
    ]
}

/// Ordo's scale sets 202 points to 76%; this one sets 400 to ten times the odds.
#[test]
fn a_gauntlet_is_rated_as_by_ordo_apart_from_its_scale() {
    let ordo_per_elo = 202.0 / (400.0 * (0.76f64 / 0.24).log10());
    let anchors = vec![Anchor { player: ANCHOR, rating: Elo(2500.0), error: Elo(0.0) }];
    let ratings =
        Ratings::fit(4, &gauntlet(), &RatingOptions { anchors, ..RatingOptions::default() }).unwrap();
    for (player, published) in [(HERO, 2614.1), (MID, 2596.4), (WEAK, 2281.0)] {
        let ours = ratings.players()[player].estimate().unwrap().value;
        let on_ordos_scale = 2500.0 + (ours - 2500.0) * ordo_per_elo;
        // Ordo equates expected and scored points; the likelihood also depends on how the points were scored.
        assert!(
            (on_ordos_scale - published).abs() < 0.1,
            "player {player}: {on_ordos_scale}, not {published}"
        );
    }
    let advantage = ratings.white_advantage();
    assert!((advantage.value * ordo_per_elo - 29.86).abs() < 0.01, "{advantage:?}");
    rounds_to(100.0 * ratings.draw_rate().value, 31.50, 2);
    // Ordo's standard errors here come from simulated tournaments.
    let advantage_error = advantage.error.unwrap() / Z_95 * ordo_per_elo;
    let draw_rate_error = 100.0 * ratings.draw_rate().error.unwrap() / Z_95;
    assert!((advantage_error / 20.65 - 1.0).abs() < 0.1, "{advantage_error}");
    assert!((draw_rate_error / 3.51 - 1.0).abs() < 0.1, "{draw_rate_error}");
}
