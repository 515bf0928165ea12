//! Properties of rating lists, on random tournaments and on those without a finite list.

use proptest::prelude::*;
use smalt_stats::ratings::{
    Anchor, OutcomeModel, Pairing, Parameter, ParameterSource, Rating, RatingError, RatingOptions, Ratings,
    Simulation, Unrated,
};
use smalt_stats::{Elo, Wdl};

fn pairing(white: usize, black: usize, wins: u64, draws: u64, losses: u64) -> Pairing {
    Pairing { white, black, results: Wdl::new(wins, draws, losses) }
}

/// Everyone played everyone with both colors, with all results, so a finite list exists.
fn tournament() -> impl Strategy<Value = (usize, Vec<Pairing>)> {
    (2..7usize).prop_flat_map(|players| {
        let count = players * (players - 1);
        prop::collection::vec((1..40u64, 1..40u64, 1..40u64), count).prop_map(move |results| {
            let seats = (0..players).flat_map(|white| (0..players).map(move |black| (white, black)));
            let seats = seats.filter(|(white, black)| white != black);
            let games = seats.zip(results).map(|((white, black), (w, d, l))| pairing(white, black, w, d, l));
            (players, games.collect())
        })
    })
}

/// Tournaments with few or no games between two players.
fn scraps() -> impl Strategy<Value = (usize, Vec<Pairing>)> {
    (2..6usize).prop_flat_map(|players| {
        let result = prop_oneof![4 => Just(0u64), 1 => 1..4u64];
        let game = (0..players, 1..players, result.clone(), result.clone(), result);
        let games = prop::collection::vec(game, 1..8);
        games.prop_map(move |games| {
            let games = games
                .into_iter()
                .map(|(white, distance, w, d, l)| pairing(white, (white + distance) % players, w, d, l));
            (players, games.collect())
        })
    })
}

fn ratings_of(list: &Ratings) -> Vec<f64> {
    list.players().iter().map(|player| player.estimate().expect("all are rated").value).collect()
}

fn likelihood(model: &OutcomeModel, ratings: &[f64], pairings: &[Pairing]) -> f64 {
    let of = |pairing: &Pairing| {
        let chances = model.probabilities(Elo(ratings[pairing.white] - ratings[pairing.black]));
        let Wdl { wins, draws, losses } = pairing.results;
        wins as f64 * chances.win.ln() + draws as f64 * chances.draw.ln() + losses as f64 * chances.loss.ln()
    };
    pairings.iter().map(of).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_step_in_any_direction_is_more_likely((players, games) in tournament()) {
        let list = Ratings::fit(players, &games, &RatingOptions::default()).unwrap();
        let (ratings, model) = (ratings_of(&list), list.model());
        let best = likelihood(&model, &ratings, &games);
        prop_assert!((best - list.log_likelihood()).abs() < 1e-8 * best.abs());
        for step in [-0.5, 0.5] {
            for player in 0..players {
                let mut moved = ratings.clone();
                moved[player] += step;
                prop_assert!(likelihood(&model, &moved, &games) < best);
            }
            let advantage = OutcomeModel { white_advantage: Elo(model.white_advantage.0 + step), ..model };
            prop_assert!(likelihood(&advantage, &ratings, &games) < best);
            let drawish = OutcomeModel { draw_rate: model.draw_rate * (1.0 + 0.01 * step), ..model };
            prop_assert!(likelihood(&drawish, &ratings, &games) < best);
        }
        prop_assert!(ratings.iter().sum::<f64>().abs() < 1e-6);
    }

    /// One game, draws alone, a side that never loses: every input has a list or no comparable players.
    #[test]
    fn the_fewest_games_have_a_finite_list((players, games) in scraps(), is_anchored: bool) {
        let anchor = Anchor { player: 0, rating: Elo(2500.0), error: Elo(0.0) };
        let anchors = if is_anchored { vec![anchor] } else { Vec::new() };
        match Ratings::fit(players, &games, &RatingOptions { anchors, ..RatingOptions::default() }) {
            Ok(list) => {
                let shared = [list.white_advantage(), list.draw_rate()];
                let found = list.players().iter().filter_map(Rating::estimate).chain(shared);
                for estimate in found {
                    prop_assert!(estimate.value.is_finite() && estimate.error.is_none_or(f64::is_finite));
                    prop_assert!(estimate.value.abs() < 20_000.0, "{estimate:?}");
                }
            }
            Err(error) => prop_assert_eq!(error, RatingError::NothingToCompare),
        }
    }

    #[test]
    fn mirrored_results_mirror_the_list((players, games) in tournament()) {
        let mirrored: Vec<Pairing> =
            games.iter().map(|game| Pairing { results: game.results.mirrored(), ..*game }).collect();
        let list = Ratings::fit(players, &games, &RatingOptions::default()).unwrap();
        let mirror = Ratings::fit(players, &mirrored, &RatingOptions::default()).unwrap();
        for (a, b) in ratings_of(&list).into_iter().zip(ratings_of(&mirror)) {
            prop_assert!((a + b).abs() < 1e-5);
        }
        prop_assert!((list.white_advantage().value + mirror.white_advantage().value).abs() < 1e-5);
        prop_assert!((list.draw_rate().value - mirror.draw_rate().value).abs() < 1e-8);
    }

    #[test]
    fn an_anchor_shifts_the_list_and_leaves_differences_alone((players, games) in tournament()) {
        let free = Ratings::fit(players, &games, &RatingOptions::default()).unwrap();
        let anchors = vec![Anchor { player: 0, rating: Elo(3000.0), error: Elo(0.0) }];
        let held = Ratings::fit(players, &games, &RatingOptions { anchors, ..Default::default() }).unwrap();
        prop_assert!((ratings_of(&held)[0] - 3000.0).abs() < 1e-9);
        for first in 0..players {
            for second in 0..players {
                let (a, b) = (free.difference(first, second).unwrap(), held.difference(first, second).unwrap());
                prop_assert!((a.value - b.value).abs() < 1e-5);
                prop_assert!((a.error.unwrap() - b.error.unwrap()).abs() < 1e-4, "{a:?} {b:?}");
            }
        }
        // With a fixed anchor, a rating's error is that of its difference from the anchor.
        let difference = held.difference(1, 0).unwrap().error.unwrap();
        prop_assert!((held.players()[1].estimate().unwrap().error.unwrap() - difference).abs() < 1e-9);
    }

    #[test]
    fn two_players_differ_by_the_elo_of_their_match(wins in 5..500u64, draws in 5..500u64, losses in 5..500u64) {
        let games = [pairing(0, 1, wins, draws, losses)];
        let options = RatingOptions { white_advantage: Parameter::Fixed(0.0), ..Default::default() };
        let list = Ratings::fit(2, &games, &options).unwrap();
        let found = list.difference(0, 1).unwrap();
        let expected = Wdl::new(wins, draws, losses).statistics().unwrap();
        prop_assert!((found.value - expected.elo.unwrap().value).abs() < 1e-6);
        // One error is linearized, the other follows the curve; small errors agree.
        if let Some(error) = expected.elo.unwrap().error.filter(|&error| error < 30.0) {
            prop_assert!((found.error.unwrap() / error - 1.0).abs() < 0.05, "{found:?} {expected:?}");
            prop_assert!((list.los(0, 1).unwrap() - expected.los).abs() < 0.02);
        }
    }
}

#[test]
fn players_out_of_reach_are_named_and_do_not_disturb_the_others() {
    let within = [pairing(0, 1, 5, 4, 3), pairing(1, 0, 4, 3, 6)];
    let mut games = within.to_vec();
    games.extend([
        pairing(2, 0, 4, 0, 0),
        pairing(1, 3, 3, 0, 0),
        pairing(4, 5, 0, 1, 0),
        pairing(6, 2, 1, 0, 0),
    ]);
    let list = Ratings::fit(8, &games, &RatingOptions::default()).unwrap();
    let alone = Ratings::fit(2, &within, &RatingOptions::default()).unwrap();
    assert_eq!(&list.players()[..2], alone.players());
    let reasons = list.players()[2..].iter().map(|player| match player {
        Rating::Unrated(reason) => *reason,
        Rating::Rated(rating) => panic!("{rating:?}"),
    });
    use Unrated::{AboveAll, BelowAll, Unlinked};
    assert_eq!(reasons.collect::<Vec<_>>(), [AboveAll, BelowAll, Unlinked, Unlinked, AboveAll, Unlinked]);
    assert_eq!(list.difference(0, 2), None);
    assert_eq!(list.difference(0, 99), None);
}

#[test]
fn anchors_connect_groups_of_players() {
    let anchors = [(0, 2500.0), (2, 2900.0)]
        .map(|(player, rating)| Anchor { player, rating: Elo(rating), error: Elo(0.0) })
        .to_vec();
    let games = [pairing(1, 0, 10, 0, 0), pairing(2, 1, 10, 0, 0)];
    let list = Ratings::fit(3, &games, &RatingOptions { anchors, ..Default::default() }).unwrap();
    assert!((ratings_of(&list)[1] - 2700.0).abs() < 1e-6);
}

#[test]
fn an_uncertain_anchor_yields_to_the_games() {
    let anchor = |player, error| Anchor { player, rating: Elo(2500.0), error: Elo(error) };
    let games = [pairing(0, 1, 300, 400, 100), pairing(1, 0, 100, 400, 300)];
    let rate = |errors: [f64; 2]| {
        let anchors = vec![anchor(0, errors[0]), anchor(1, errors[1])];
        let list = Ratings::fit(2, &games, &RatingOptions { anchors, ..Default::default() }).unwrap();
        (ratings_of(&list)[0], ratings_of(&list)[1])
    };
    assert_eq!(rate([0.0, 0.0]), (2500.0, 2500.0));
    let (first, second) = rate([0.0, 40.0]);
    assert!(first == 2500.0 && second < 2450.0, "{first} {second}");
    let (first, second) = rate([40.0, 40.0]);
    assert!((first + second - 5000.0).abs() < 1e-6 && first - second > 60.0, "{first} {second}");
}

/// If the games cannot determine White's advantage, it is held at zero instead of diverging.
#[test]
fn an_advantage_that_cannot_be_known_is_not_fitted() {
    let only_white_wins = [pairing(0, 1, 5, 0, 0), pairing(1, 0, 7, 0, 0)];
    let always_the_same_colors = [pairing(0, 1, 5, 5, 3)];
    for games in [&only_white_wins[..], &always_the_same_colors[..]] {
        let list = Ratings::fit(2, games, &RatingOptions::default()).unwrap();
        assert_eq!((list.white_advantage().value, list.white_advantage().error), (0.0, None));
    }
}

#[test]
fn nothing_but_draws_makes_all_equal_and_nothing_but_decisions_has_no_draw_rate() {
    let drawn =
        Ratings::fit(2, &[pairing(0, 1, 0, 9, 0), pairing(1, 0, 0, 9, 0)], &Default::default()).unwrap();
    assert!(ratings_of(&drawn).iter().all(|rating| rating.abs() < 1e-6));
    assert!(drawn.difference(0, 1).unwrap().error.unwrap() > 0.0);
    let decided =
        Ratings::fit(2, &[pairing(0, 1, 6, 0, 3), pairing(1, 0, 5, 0, 4)], &Default::default()).unwrap();
    assert_eq!(decided.draw_rate().value, 0.0);
}

/// Losses that never happen push the draw rate to 1: it is held at the games' rate, and ratings stay those of a
/// match.
#[test]
fn a_side_that_draws_and_never_loses_has_the_rating_of_its_score() {
    let games = [pairing(0, 1, 8, 10, 0), pairing(1, 0, 0, 10, 8)];
    let list = Ratings::fit(2, &games, &RatingOptions::default()).unwrap();
    let found = list.difference(0, 1).unwrap();
    let expected = Wdl::new(16, 20, 0).statistics().unwrap().elo.unwrap().value;
    assert!((found.value - expected).abs() < 1e-6, "{found:?}, not {expected}");
    assert_eq!(list.draw_rate_source(), ParameterSource::Open);
    assert_eq!((list.draw_rate().value, list.draw_rate().error), (20.0 / 36.0, None));
    assert_eq!(list.white_advantage_source(), ParameterSource::Fitted);
    // A single loss is enough to fit all parameters.
    let games = [pairing(0, 1, 8, 10, 1), pairing(1, 0, 0, 10, 8)];
    let list = Ratings::fit(2, &games, &RatingOptions::default()).unwrap();
    assert_eq!(list.draw_rate_source(), ParameterSource::Fitted);
    assert!(list.draw_rate().error.is_some());
}

#[test]
fn invalid_input_is_refused_with_a_reason() {
    let refusal = |games: &[Pairing], options: &RatingOptions| Ratings::fit(2, games, options).unwrap_err();
    let default = RatingOptions::default();
    assert_eq!(refusal(&[], &default), RatingError::NothingToCompare);
    assert_eq!(refusal(&[pairing(0, 1, 5, 0, 0)], &default), RatingError::NothingToCompare);
    assert_eq!(
        refusal(&[pairing(0, 2, 1, 1, 1)], &default).to_string(),
        "player 2 does not exist: there are 2, counted from 0"
    );
    assert_eq!(refusal(&[pairing(1, 1, 1, 1, 1)], &default), RatingError::PlayedHimself(1));
    let anchor = Anchor { player: 0, rating: Elo(f64::NAN), error: Elo(0.0) };
    let anchored = |anchors| RatingOptions { anchors, ..RatingOptions::default() };
    let games = [pairing(0, 1, 1, 1, 1)];
    assert!(matches!(refusal(&games, &anchored(vec![anchor])), RatingError::BadNumber { .. }));
    let twice = vec![Anchor { rating: Elo(0.0), ..anchor }; 2];
    assert_eq!(refusal(&games, &anchored(twice)), RatingError::AnchoredTwice(0));
    let options = RatingOptions { draw_rate: Parameter::Fixed(1.0), ..default };
    assert_eq!(refusal(&games, &options).to_string(), "1 is not a valid draw rate between 0 and 1");
}

/// 500 players over 2,000 points, 10,000 pairings: the list recovers the ratings behind the games.
#[test]
fn a_list_of_five_hundred_finds_the_true_ratings() {
    let players = 500;
    let truth = |player: usize| 4.0 * player as f64 - 998.0;
    let model = OutcomeModel { white_advantage: Elo(25.0), draw_rate: 0.4 };
    let mut games = Vec::new();
    for white in 0..players {
        for distance in 1..=20 {
            let black = (white + distance * distance) % players;
            let chances = model.probabilities(Elo(truth(white) - truth(black)));
            // The expected results, up to rounding.
            let count = |chance: f64| (10_000.0 * chance).round() as u64;
            games.push(pairing(white, black, count(chances.win), count(chances.draw), count(chances.loss)));
        }
    }
    let list = Ratings::fit(players, &games, &RatingOptions::default()).unwrap();
    for (player, found) in ratings_of(&list).into_iter().enumerate() {
        assert!((found - truth(player)).abs() < 1.0, "player {player}: {found}, not {}", truth(player));
    }
    assert!((list.white_advantage().value - 25.0).abs() < 0.1);
    assert!((list.draw_rate().value - 0.4).abs() < 0.001);
}

/// Errors from the curvature of the likelihood agree with those from replayed tournaments.
#[test]
fn simulated_errors_agree_with_those_of_the_covariance() {
    let games: Vec<Pairing> = (0..6)
        .flat_map(|white| (0..6).map(move |black| (white, black)))
        .filter(|(white, black)| white != black)
        .map(|(white, black)| pairing(white, black, 60 + 3 * black as u64, 50, 40 + 3 * white as u64))
        .collect();
    let anchor = |player, rating, error| Anchor { player, rating: Elo(rating), error: Elo(error) };
    let anchored = vec![anchor(0, 2500.0, 0.0), anchor(1, 2490.0, 25.0), anchor(2, 2480.0, 25.0)];
    for anchors in [Vec::new(), anchored] {
        let options = RatingOptions { anchors, ..RatingOptions::default() };
        let list = Ratings::fit(6, &games, &options).unwrap();
        let mut simulation = Simulation::around(&list);
        for number in 0..800 {
            simulation.add(&list.replay(&games, &options, 42, number).unwrap());
        }
        assert_eq!(simulation.lists(), 800);
        let close = |simulated: Option<f64>, exact: Option<f64>| {
            let (simulated, exact) = (simulated.unwrap(), exact.unwrap());
            assert!((simulated - exact).abs() <= 0.1 * exact, "{simulated} {exact}");
        };
        for player in 0..6 {
            close(simulation.error(player), list.players()[player].estimate().unwrap().error);
        }
        close(simulation.white_advantage_error(), list.white_advantage().error);
        close(simulation.draw_rate_error(), list.draw_rate().error);
    }
}

/// With many games, a replay that starts at the fitted ratings must end close to them, but not exactly there.
#[test]
fn a_replay_is_near_its_list_and_none_of_its_values_is_the_same() {
    let games: Vec<Pairing> = (0..30)
        .flat_map(|white| (1..6).map(move |step| (white, (white + step) % 30)))
        .map(|(white, black)| pairing(white, black, 700 + 20 * black as u64, 600, 500 + 20 * white as u64))
        .collect();
    let options = RatingOptions::default();
    let list = Ratings::fit(30, &games, &options).unwrap();
    let replay = list.replay(&games, &options, 3, 7).unwrap();
    for player in 0..30 {
        let found = list.players()[player].estimate().unwrap();
        let moved = (replay.rating(player).unwrap() - found.value).abs();
        assert!(1e-6 < moved && moved < 3.0 * found.error.unwrap(), "{player}: {moved}");
    }
    let sum: f64 = (0..30).map(|player| replay.rating(player).unwrap()).sum();
    assert!(sum.abs() < 1e-6, "the average is held: {sum}");
    assert_eq!(replay.rating(30), None);
}

#[test]
fn a_replay_follows_from_seed_and_number_alone() {
    let games = [pairing(0, 1, 5, 4, 3), pairing(1, 0, 4, 3, 6)];
    let options = RatingOptions::default();
    let list = Ratings::fit(2, &games, &options).unwrap();
    let replay = |seed, number| list.replay(&games, &options, seed, number).unwrap();
    assert_eq!(replay(1, 2), replay(1, 2));
    assert_ne!(replay(1, 2), replay(1, 3));
    assert_ne!(replay(1, 2), replay(2, 2));
}

/// An anchor that won everything is not comparable; the others are rated around their mean.
#[test]
fn an_anchor_that_won_all_its_games_does_not_keep_the_others_from_their_ratings() {
    let games =
        [pairing(0, 1, 9, 0, 0), pairing(0, 2, 9, 0, 0), pairing(1, 2, 5, 4, 3), pairing(2, 1, 4, 4, 4)];
    let anchors = vec![Anchor { player: 0, rating: Elo(3500.0), error: Elo(0.0) }];
    let options = RatingOptions { anchors, ..RatingOptions::default() };
    let list = Ratings::fit(3, &games, &options).unwrap();
    assert!(!list.is_anchored());
    assert_eq!(list.players()[0], Rating::Unrated(smalt_stats::ratings::Unrated::AboveAll));
    let free = Ratings::fit(3, &games, &RatingOptions::default()).unwrap();
    assert_eq!(list.players(), free.players());
    // A draw connects them, and the anchor fixes the scale.
    let games = [&games[..], &[pairing(1, 0, 0, 1, 0)]].concat();
    let list = Ratings::fit(3, &games, &options).unwrap();
    assert!(list.is_anchored() && list.players()[1].estimate().unwrap().value > 2500.0);
}

/// With few games many replayed lists have a player with all points or none. Ignoring these lists gives the errors of
/// the moderate ones: ±119 where the covariance gives ±197.
#[test]
fn a_simulated_error_is_not_made_of_the_lists_that_happen_to_rate_a_player() {
    let games = [pairing(0, 1, 3, 1, 0), pairing(1, 0, 0, 1, 3)];
    let options = RatingOptions::default();
    let list = Ratings::fit(2, &games, &options).unwrap();
    let mut simulation = Simulation::around(&list);
    for number in 0..400 {
        match list.replay(&games, &options, 1, number) {
            Ok(replay) => simulation.add(&replay),
            Err(_) => simulation.add_failed(),
        }
    }
    assert!((1..396).contains(&simulation.lists_rating(0)), "{simulation:?}");
    assert_eq!(simulation.error(0), None);
}
