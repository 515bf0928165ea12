//! The tables of docs/statistics.md: what a race costs and finds in 2,000 nights, beside a test for each candidate.
//!
//! `cargo run --release -p smalt-stats --example race [NIGHTS]`

#![expect(clippy::print_stdout, reason = "the tables are what it is for")]

use smalt_stats::Sprt;
use smalt_stats::race::RaceRules;
use smalt_stats::race::simulation::{Method, Night, Nights, Summary};
use smalt_stats::sprt::{Model, SprtError};

fn main() -> Result<(), SprtError> {
    let nights = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(2000);
    let prior = Nights {
        nights,
        candidates: 16,
        mean: -1.0,
        deviation: 2.5,
        equals: [0.05, 0.22, 0.46, 0.22, 0.05],
        seed: 1,
    };
    let test = |alpha: f64| Sprt::new(0.0, 5.0, alpha, 0.05, Model::Logistic);
    let race = |elo1: f64, beta: f64, winners: usize| {
        Method::Race(RaceRules { elo1, beta, winners, model: Model::Logistic, ..RaceRules::default() })
    };
    println!("{nights} nights of 16 candidates, true gains N(-1, 2.5) Elo, seed 1");
    println!("  games: mean (further games for estimates), median, 90 %");
    show("16 SPRT [0, 5], alpha 0.05 / 16", &prior, &Method::Separate(test(0.05 / 16.0)?, 16))?;
    show("16 SPRT [0, 5], alpha 0.05 each", &prior, &Method::Separate(test(0.05)?, 16))?;
    show("race", &prior, &race(3.5, 0.4, 1))?;
    show("race, beta 0.3", &prior, &race(3.5, 0.3, 1))?;
    show("race, beta 0.2", &prior, &race(3.5, 0.2, 1))?;
    show("race [0, 2.5], beta 0.4", &prior, &race(2.5, 0.4, 1))?;
    show("race [0, 5], beta 0.05, all winners", &prior, &race(5.0, 0.05, 16))?;
    let equals = Nights { mean: 0.0, deviation: 0.0, ..prior };
    println!("All candidates equal to the base, the worst case for errors:");
    show("race", &equals, &race(3.5, 0.4, 1))?;
    show("race, all winners", &equals, &race(3.5, 0.4, 16))?;
    let drawish = Nights { equals: [0.0, 0.03, 0.94, 0.03, 0.0], ..prior };
    println!("94 % of the pairs of equals drawn:");
    show("16 SPRT [0, 5], alpha 0.05 / 16", &drawish, &Method::Separate(test(0.05 / 16.0)?, 16))?;
    show("race", &drawish, &race(3.5, 0.4, 1))
}

fn show(name: &str, nights: &Nights, method: &Method) -> Result<(), SprtError> {
    let played: Vec<Night> =
        (0..nights.nights).map(|night| nights.play(method, night)).collect::<Result<_, _>>()?;
    let found = Summary::of(&played);
    println!(
        "{name}: {:.0} games (+{:.0}), {}, {}",
        found.games, found.estimate_games, found.median_games, found.games_90
    );
    println!(
        "  nights with a false acceptance {:.2} %, with a true one {:.1} %, with the best {:.1} %; gain {:.2}; \
         accepted {:.2} a night, of +5 and more {:.1} %; bias of the estimate {:+.2} ± {:.2}, of the games before {:+.2}",
        100.0 * found.false_nights,
        100.0 * found.found_nights,
        100.0 * found.best_nights,
        found.gain,
        found.accepted,
        100.0 * found.strong_accepted,
        found.bias,
        1.96 * found.bias_error,
        found.test_bias,
    );
    Ok(())
}
