//! Laws of match statistics and of the SPRT, on random counts.

use proptest::prelude::*;
use smalt_stats::sprt::{GREATEST_ELO, Model, SprtError};
use smalt_stats::{Elo, Estimate, GameResult, Interval, Pentanomial, Sprt, Verdict, Wdl};

const MODELS: [Model; 3] = [Model::Logistic, Model::Normalized, Model::BayesElo];

fn wdl() -> impl Strategy<Value = Wdl> {
    let count = || prop_oneof![Just(0), 0..10u64, 0..1_000_000u64];
    (count(), count(), count()).prop_map(|(wins, draws, losses)| Wdl::new(wins, draws, losses))
}

fn pentanomial() -> impl Strategy<Value = Pentanomial> {
    prop::array::uniform5(prop_oneof![Just(0), 0..10u64, 0..1_000_000u64]).prop_map(Pentanomial)
}

fn hypotheses() -> impl Strategy<Value = (f64, f64)> {
    (-GREATEST_ELO..GREATEST_ELO, 0.01..50.0)
        .prop_map(|(elo0, width): (f64, f64)| (elo0, (elo0 + width).min(GREATEST_ELO)))
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-7 * a.abs().max(b.abs()).max(1.0)
}

fn opposite(a: Option<Estimate>, b: Option<Estimate>) -> bool {
    let errors_agree = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => near(a, b),
        (a, b) => a == b,
    };
    match (a, b) {
        (Some(a), Some(b)) => near(a.value, -b.value) && errors_agree(a.error, b.error),
        (a, b) => a == b,
    }
}

fn finite(estimate: Option<Estimate>) -> bool {
    estimate.is_none_or(|estimate| {
        estimate.value.is_finite() && estimate.error.is_none_or(|error| error.is_finite() && error >= 0.0)
    })
}

proptest! {
    #[test]
    fn swapping_sides_negates_every_difference(games in wdl(), pairs in pentanomial()) {
        let sides = [
            (games.statistics(), games.mirrored().statistics()),
            (pairs.statistics(), pairs.mirrored().statistics()),
        ];
        for (ours, theirs) in sides {
            prop_assert_eq!(ours.is_some(), theirs.is_some());
            let (Some(ours), Some(theirs)) = (ours, theirs) else { continue };
            prop_assert!(near(ours.score, 1.0 - theirs.score));
            prop_assert!(opposite(ours.elo, theirs.elo), "{ours:?} {theirs:?}");
            prop_assert!(opposite(ours.nelo, theirs.nelo), "{ours:?} {theirs:?}");
            let exact = |end: Option<f64>| end.map(Estimate::exact);
            let (here, there) = (ours.elo_interval, theirs.elo_interval);
            prop_assert!(opposite(exact(here.low), exact(there.high)), "{ours:?} {theirs:?}");
            prop_assert!(opposite(exact(here.high), exact(there.low)), "{ours:?} {theirs:?}");
            prop_assert!(near(ours.los, 1.0 - theirs.los));
            prop_assert_eq!(ours.draw_ratio, theirs.draw_ratio);
        }
    }

    #[test]
    fn no_count_leads_to_nan_or_infinity(games in wdl(), pairs in pentanomial()) {
        for found in [games.statistics(), pairs.statistics()].into_iter().flatten() {
            prop_assert!(finite(found.elo) && finite(found.nelo), "{found:?}");
            prop_assert!((0.0..=1.0).contains(&found.los) && (0.0..=1.0).contains(&found.score));
            prop_assert!((0.0..=1.0).contains(&found.draw_ratio));
            prop_assert!(found.pairs_ratio.is_none_or(f64::is_finite));
            let Interval { low, high } = found.elo_interval;
            prop_assert!(low.is_none_or(f64::is_finite) && high.is_none_or(f64::is_finite), "{found:?}");
        }
    }

    #[test]
    fn an_interval_holds_its_value_and_has_both_ends_unless_all_was_won_or_lost(
        games in wdl(),
        pairs in pentanomial(),
    ) {
        for found in [games.statistics(), pairs.statistics()].into_iter().flatten() {
            let Interval { low, high } = found.elo_interval;
            match found.elo {
                Some(elo) if elo.error.is_some() => {
                    prop_assert!(low.unwrap() <= elo.value && elo.value <= high.unwrap(), "{found:?}");
                }
                Some(_) => prop_assert_eq!((low, high), (None, None)),
                None => prop_assert!(low.is_none() || high.is_none(), "{found:?}"),
            }
            // LOS and interval agree.
            if let Some(low) = low {
                prop_assert_eq!(low > 1e-9, found.los > 0.975 + 1e-9, "{:?}", found);
            }
        }
    }

    #[test]
    fn one_more_win_never_lowers_elo_nor_score(games in wdl()) {
        let mut more = games;
        more.record(GameResult::Win);
        let (before, after) = (games.statistics(), more.statistics().unwrap());
        if let Some(before) = before {
            prop_assert!(after.score >= before.score);
            if let (Some(before), Some(after)) = (before.elo, after.elo) {
                prop_assert!(after.value >= before.value);
            }
        }
    }

    #[test]
    fn independent_pairs_say_the_same_as_their_games(wins in 1..60u64, draws in 0..60u64, losses in 1..60u64) {
        let games = Wdl::new(wins, draws, losses);
        let mut pairs = Pentanomial::default();
        let mut twice = Wdl::default();
        let each = [(GameResult::Win, wins), (GameResult::Draw, draws), (GameResult::Loss, losses)];
        for (first, first_count) in each {
            for (second, second_count) in each {
                for _ in 0..first_count * second_count {
                    pairs.record(first, second);
                    twice.record(first);
                    twice.record(second);
                }
            }
        }
        prop_assert!(near(games.deviation().unwrap(), pairs.deviation().unwrap()));
        let (of_games, of_pairs) = (twice.normal_statistics().unwrap(), pairs.normal_statistics().unwrap());
        prop_assert!(near(of_games.los, of_pairs.los));
        let (games, pairs) = (of_games.elo.unwrap(), of_pairs.elo.unwrap());
        prop_assert!(near(games.value, pairs.value));
        prop_assert_eq!(games.error.is_some(), pairs.error.is_some());
        prop_assert!(near(games.error.unwrap_or(0.0), pairs.error.unwrap_or(0.0)));
        let (games, pairs) = (of_games.nelo.unwrap(), of_pairs.nelo.unwrap());
        prop_assert!(near(games.value, pairs.value) && near(games.error.unwrap(), pairs.error.unwrap()));
    }

    #[test]
    fn elo_and_score_are_inverse(elo in -2000.0..2000.0) {
        let back = Elo::from_score(Elo(elo).to_score()).unwrap();
        prop_assert!((back.0 - elo).abs() < 1e-6 * 10f64.powf(elo.abs() / 400.0).max(1.0));
    }

    #[test]
    fn any_test_of_any_counts_is_finite((elo0, elo1) in hypotheses(), games in wdl(), pairs in pentanomial()) {
        for model in MODELS {
            let sprt = Sprt::new(elo0, elo1, 0.05, 0.1, model).unwrap();
            let llr = sprt.llr_of_games(&games);
            prop_assert!(llr.is_finite(), "{model} {llr}");
            prop_assert!(sprt.llr_of_pairs(&pairs).is_none_or(f64::is_finite));
        }
    }

    #[test]
    fn swapping_sides_and_hypotheses_negates_the_ratio(
        elo0 in -20.0..20.0, width in 0.1..20.0, games in wdl(), pairs in pentanomial(),
    ) {
        for model in MODELS {
            let ours = Sprt::new(elo0, elo0 + width, 0.05, 0.05, model).unwrap();
            let theirs = Sprt::new(-elo0 - width, -elo0, 0.05, 0.05, model).unwrap();
            let (a, b) = (ours.llr_of_games(&games), theirs.llr_of_games(&games.mirrored()));
            prop_assert!(near(a, -b), "{model} of games: {a} {b}");
            let (a, b) = (ours.llr_of_pairs(&pairs), theirs.llr_of_pairs(&pairs.mirrored()));
            prop_assert!(near(a.unwrap_or(0.0), -b.unwrap_or(0.0)), "{model} of pairs: {a:?} {b:?}");
        }
    }

    #[test]
    fn twice_the_games_say_twice_as_much(
        elo0 in -20.0..20.0, width in 0.1..20.0,
        (wins, draws, losses) in (1..1000u64, 1..1000u64, 1..1000u64),
    ) {
        let once = Wdl::new(wins, draws, losses);
        for model in MODELS {
            let sprt = Sprt::new(elo0, elo0 + width, 0.05, 0.05, model).unwrap();
            prop_assert!(near(2.0 * sprt.llr_of_games(&once), sprt.llr_of_games(&(once + once))));
        }
    }

    #[test]
    fn a_stronger_entrant_passes_more_often(elo in -30.0..30.0, deviation in 0.1..0.7) {
        for model in MODELS {
            let sprt = Sprt::new(0.0, 4.0, 0.05, 0.05, model).unwrap();
            let (weaker, stronger) = (sprt.forecast(elo, deviation).unwrap(), sprt.forecast(elo + 0.1, deviation).unwrap());
            prop_assert!(weaker.accept_h1 <= stronger.accept_h1);
            prop_assert!((0.0..=1.0).contains(&weaker.accept_h1) && weaker.games > 0.0);
        }
    }
}

#[test]
fn extremes_have_no_elo_and_draws_leave_the_question_open() {
    let won = Wdl::new(7, 0, 0).statistics().unwrap();
    assert_eq!((won.score, won.elo, won.nelo, won.los), (1.0, None, None, 1.0 - 1.0 / 128.0));
    let lost = Pentanomial([3, 0, 0, 0, 0]).statistics().unwrap();
    assert_eq!(
        (lost.score, lost.elo, lost.nelo, lost.los, lost.pairs_ratio),
        (0.0, None, None, 0.125, Some(0.0))
    );
    let drawn = Wdl::new(0, 9, 0).statistics().unwrap();
    assert_eq!((drawn.score, drawn.nelo, drawn.los), (0.5, None, 0.5));
    assert!(drawn.elo.unwrap().error.unwrap() > 80.0, "{drawn:?}");
    assert_eq!(Wdl::default().statistics(), None);
    assert_eq!(Pentanomial::default().statistics(), None);
}

#[test]
fn a_test_without_games_stands_at_zero() {
    for model in MODELS {
        let sprt = Sprt::new(0.0, 2.0, 0.05, 0.05, model).unwrap();
        assert_eq!(sprt.llr_of_games(&Wdl::default()), 0.0);
        assert_eq!(sprt.llr_of_pairs(&Pentanomial::default()).unwrap_or(0.0), 0.0);
        assert_eq!(sprt.verdict(0.0), Verdict::Continue);
    }
}

/// A single won pair must not give +409 Elo with a LOS of 100%.
#[test]
fn a_test_of_few_games_has_no_estimate_yet() {
    let sprt = Sprt::new(0.0, 50.0, 0.05, 0.05, Model::Normalized).unwrap();
    assert_eq!(sprt.estimate_of_pairs(&Pentanomial([0, 0, 0, 0, 1])), None);
    assert_eq!(sprt.estimate_of_pairs(&Pentanomial([0, 0, 0, 3, 40])), None);
    let found = sprt.estimate_of_pairs(&Pentanomial([2, 5, 15, 10, 4])).unwrap();
    assert!(found.interval.low < found.elo && found.elo < found.interval.high, "{found:?}");
    assert!((0.5..0.99).contains(&found.los), "{found:?}");
}

#[test]
fn a_bound_itself_decides() {
    let sprt = Sprt::new(0.0, 2.0, 0.05, 0.1, Model::Logistic).unwrap();
    let bounds = sprt.bounds();
    assert_eq!(sprt.verdict(bounds.upper), Verdict::AcceptH1);
    assert_eq!(sprt.verdict(bounds.lower), Verdict::AcceptH0);
    assert_eq!(sprt.verdict(bounds.upper - 1e-9), Verdict::Continue);
}

#[test]
fn invalid_tests_are_refused_with_a_reason() {
    let refusal = |elo0, elo1, alpha, beta| {
        Sprt::new(elo0, elo1, alpha, beta, Model::Logistic).unwrap_err().to_string()
    };
    assert_eq!(refusal(2.0, 0.0, 0.05, 0.05), "elo0 must be less than elo1, but 2 is not less than 0");
    assert_eq!(
        refusal(0.0, f64::NAN, 0.05, 0.05),
        "elo0 and elo1 must lie between -1000 and 1000, but one is NaN"
    );
    let rates = "alpha and beta must be above 0 and sum to less than 1, but they are 0.5 and 0.5";
    assert_eq!(refusal(0.0, 2.0, 0.5, 0.5), rates);
    assert!(matches!(Sprt::new(0.0, 2.0, 0.0, 0.1, Model::Logistic), Err(SprtError::ErrorRates { .. })));
    let unknown = "bayes".parse::<Model>().unwrap_err().to_string();
    assert_eq!(unknown, "unknown SPRT model `bayes`: the models are logistic, normalized and bayesian");
    for model in MODELS {
        assert_eq!(model.to_string().parse(), Ok(model));
    }
}

/// At a hypothesis the pass probability is the error rate; halfway the test is longest.
#[test]
fn a_forecast_keeps_the_error_rates_and_is_longest_between_the_hypotheses() {
    let sprt = Sprt::new(0.0, 2.0, 0.05, 0.1, Model::Normalized).unwrap();
    let at = |elo| sprt.forecast(elo, 0.4).unwrap();
    assert!((at(0.0).accept_h1 - 0.05).abs() < 1e-12);
    assert!((at(2.0).accept_h1 - 0.9).abs() < 1e-12);
    assert!(at(1.0).games > at(0.0).games && at(1.0).games > at(2.0).games);
    assert!((at(1.0).games / at(1.0 + 1e-5).games - 1.0).abs() < 1e-4);
    assert_eq!(sprt.forecast(0.0, 0.0), None);
}

/// Random numbers in [0, 1) by xorshift64.
fn chances() -> impl FnMut() -> f64 {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// With 94% drawn pairs a decided pair moves the LLR by a third.
#[test]
#[ignore = "needs a minute for 4,000 tests"]
fn tests_with_94_percent_drawn_pairs_are_as_long_as_forecast() {
    let sprt = Sprt::new(0.0, 20.0, 0.05, 0.05, Model::Normalized).unwrap();
    let mut chance = chances();
    for (won, lost) in [(0.03, 0.03), (0.0335, 0.0265)] {
        let deviation = (2.0 * (won + lost) / 16.0_f64).sqrt();
        let elo = 0.25 * (won - lost) / deviation * smalt_stats::NORMALIZED_ELO_PER_DEVIATION;
        let forecast = sprt.forecast(elo, deviation).unwrap();
        let mut lengths: Vec<f64> = (0..4000)
            .map(|_| {
                let mut pairs = Pentanomial::default();
                while sprt.verdict(sprt.llr_of_pairs(&pairs).unwrap()) == Verdict::Continue {
                    let chance = chance();
                    pairs.0[if chance < won {
                        3
                    } else if chance < won + lost {
                        1
                    } else {
                        2
                    }] += 1;
                }
                pairs.games() as f64
            })
            .collect();
        lengths.sort_by(f64::total_cmp);
        let mean = lengths.iter().sum::<f64>() / 4000.0;
        println!("{elo:.2}: mean {mean:.0}, median {}, 90 % {}; {forecast:?}", lengths[2000], lengths[3600]);
        for (played, expected) in
            [(mean, forecast.games), (lengths[2000], forecast.median), (lengths[3600], forecast.games_90)]
        {
            assert!((played / expected - 1.0).abs() < 0.05, "{played} {expected}");
        }
    }
}

/// Mean length and verdicts of a thousand simulated tests match the forecast.
#[test]
fn played_tests_are_as_long_and_as_right_as_forecast() {
    let sprt = Sprt::new(0.0, 30.0, 0.05, 0.05, Model::Logistic).unwrap();
    let (win, draw) = (0.33, 0.36);
    let deviation = Wdl::new(33, 36, 31).deviation().unwrap();
    let truth = Elo::from_score(win + 0.5 * draw).unwrap();
    let forecast = sprt.forecast(truth.0, deviation).unwrap();
    let mut chance = chances();
    let (tests, mut games, mut passed) = (1000, 0, 0);
    for _ in 0..tests {
        let mut counts = Wdl::default();
        let verdict = loop {
            let chance = chance();
            counts.record(match chance {
                _ if chance < win => GameResult::Win,
                _ if chance < win + draw => GameResult::Draw,
                _ => GameResult::Loss,
            });
            match sprt.verdict(sprt.llr_of_games(&counts)) {
                Verdict::Continue => continue,
                decided => break decided,
            }
        };
        games += counts.games();
        passed += u64::from(verdict == Verdict::AcceptH1);
    }
    let mean_games = games as f64 / f64::from(tests);
    let pass_rate = passed as f64 / f64::from(tests);
    assert!((mean_games / forecast.games - 1.0).abs() < 0.1, "{mean_games} games, forecast {forecast:?}");
    assert!((pass_rate - forecast.accept_h1).abs() < 0.04, "{pass_rate} passed, forecast {forecast:?}");
}
