//! Error rates of a race, in short simulated nights: all gains are ten times those of patches, so that a night takes
//! a hundredth of the games.

use smalt_stats::race::simulation::{Method, Night, Nights, Summary};
use smalt_stats::race::{CandidateVerdict, Race, RaceRound, RaceRules};
use smalt_stats::sprt::Model;
use smalt_stats::{Pentanomial, Sprt};

const RULES: RaceRules = RaceRules {
    elo0: 0.0,
    elo1: 35.0,
    alpha: 0.05,
    beta: 0.4,
    model: Model::Logistic,
    winners: 1,
    round_pairs: 2,
    most_pairs: 100_000,
    estimate_pairs: 40,
};

const PRIOR: Nights = Nights {
    nights: 300,
    candidates: 16,
    mean: -10.0,
    deviation: 25.0,
    equals: [0.05, 0.22, 0.46, 0.22, 0.05],
    seed: 1,
};

fn summary(nights: &Nights, method: &Method) -> Summary {
    let played: Vec<Night> = (0..nights.nights).map(|night| nights.play(method, night).unwrap()).collect();
    Summary::of(&played)
}

#[test]
fn a_race_finds_as_much_as_separate_tests_in_fewer_games() {
    let race = summary(&PRIOR, &Method::Race(RULES));
    let test = Sprt::new(0.0, 50.0, 0.05 / 16.0, 0.05, Model::Logistic).unwrap();
    let separate = summary(&PRIOR, &Method::Separate(test, 2));
    assert!(race.games < 0.55 * separate.games, "{race:?} {separate:?}");
    assert!(race.found_nights > separate.found_nights - 0.03, "{race:?} {separate:?}");
    assert!(race.false_nights <= 0.05 && separate.false_nights <= 0.05, "{race:?} {separate:?}");
}

#[test]
fn the_error_rate_holds_for_the_whole_race_where_no_candidate_is_better() {
    let equals = Nights { mean: 0.0, deviation: 0.0, ..PRIOR };
    for winners in [1, 16] {
        let found = summary(&equals, &Method::Race(RaceRules { winners, estimate_pairs: 0, ..RULES }));
        assert!(found.false_nights <= 0.05, "{found:?}");
        assert!(found.false_nights > 0.0, "{found:?}");
    }
}

#[test]
fn the_estimate_of_an_accepted_candidate_has_no_bias() {
    let found = summary(&PRIOR, &Method::Race(RULES));
    assert!(found.bias.abs() < 2.5 * found.bias_error, "{found:?}");
    // The games before the verdict are biased: luck helps a candidate to be accepted.
    assert!(found.test_bias > 3.0 * found.bias_error, "{found:?}");
}

#[test]
fn games_go_to_the_leaders_and_a_winner_ends_the_race() {
    let mut race = Race::new(RaceRules { round_pairs: 30, ..RULES }, 3).unwrap();
    assert_eq!(race.next_round(), Some(RaceRound { candidates: vec![0, 1, 2], pairs: 30 }));
    let pairs = |counts| Pentanomial(counts);
    race.add_round(&[
        (0, pairs([2, 7, 12, 7, 2])),
        (1, pairs([1, 3, 12, 10, 4])),
        (2, pairs([6, 12, 8, 3, 1])),
    ]);
    let verdicts =
        |race: &Race| race.candidates().iter().map(|candidate| candidate.verdict).collect::<Vec<_>>();
    use CandidateVerdict::{Better, NotBetter, Undecided};
    assert_eq!(verdicts(&race), [Undecided, Undecided, NotBetter]);
    assert_eq!(race.next_round(), Some(RaceRound { candidates: vec![1], pairs: 30 }));
    while race.is_open() {
        race.add_round(&[(1, pairs([0, 3, 10, 12, 5]))]);
    }
    assert_eq!(verdicts(&race), [Undecided, Better, NotBetter]);
    assert!(!race.is_open());
    let before = race.candidates()[1].pairs;
    assert_eq!(race.next_round(), Some(RaceRound { candidates: vec![1], pairs: 40 }));
    race.add_round(&[(1, pairs([4, 8, 16, 8, 4]))]);
    // Pairs after the verdict count for the estimate only.
    assert_eq!(race.candidates()[1].pairs, before);
    assert_eq!(race.candidates()[1].estimate().unwrap().elo.unwrap().value, 0.0);
    assert_eq!(race.next_round(), None);
}

#[test]
fn a_candidate_that_has_all_its_games_stays_undecided() {
    let mut race = Race::new(RaceRules { round_pairs: 10, most_pairs: 15, ..RULES }, 2).unwrap();
    let even = Pentanomial([1, 2, 4, 2, 1]);
    race.add_round(&[(0, even), (1, even)]);
    assert_eq!(race.next_round(), Some(RaceRound { candidates: vec![0, 1], pairs: 5 }));
    let last = Pentanomial([0, 1, 3, 1, 0]);
    race.add_round(&[(0, last), (1, last)]);
    assert!(race.candidates().iter().all(|candidate| candidate.verdict == CandidateVerdict::Undecided));
    assert!(!race.is_open() && race.next_round().is_none());
}
