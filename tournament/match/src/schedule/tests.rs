//! Laws of schedules: whatever the format, games and pairs are numbered without gaps, and everybody plays as often.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use smalt_stats::race::{Race, RaceRules};

use super::*;
use crate::plan::{Colors, Lead, Swap};

fn rules(games: u32) -> PairingRules {
    PairingRules {
        games,
        games_per_opening: 2,
        colors: Colors { swap: Swap::EachGame, lead: Lead::First },
        policy: OpeningPolicy::Round,
    }
}

fn round_robin(entrants: usize, games: u32) -> Schedule {
    Schedule::new(PairingScheme::RoundRobin(entrants), rules(games), 1, Sequence::AsListed)
}

fn all_games(schedule: &Schedule) -> Vec<ScheduledGame> {
    (0..schedule.end().game).map(|number| schedule.game(number).unwrap()).collect()
}

/// Random half points, the same each time.
fn chance(number: u32) -> u32 {
    (number.wrapping_mul(2_654_435_761) >> 17) % 3
}

/// Records random results, known from the number of the game, until there are no further games; the latest known
/// game first, so that the order does not matter.
fn play_out(schedule: &mut Schedule) {
    let mut known = 0;
    while known < schedule.end().game {
        let next = schedule.end().game;
        for number in (known..next).rev() {
            schedule.record(number, chance(number));
        }
        known = next;
    }
}

#[test]
fn every_pairing_has_its_games_with_both_colors() {
    for games in 1..8 {
        let schedule = round_robin(5, games);
        let mut met: BTreeMap<(usize, usize), u32> = BTreeMap::new();
        for game in all_games(&schedule) {
            *met.entry((game.white, game.black)).or_default() += 1;
        }
        assert_eq!(schedule.games(), 10 * games);
        for pairing in schedule.pairings() {
            let with_white = met.get(&(pairing.first, pairing.second)).copied().unwrap_or(0);
            let with_black = met.get(&(pairing.second, pairing.first)).copied().unwrap_or(0);
            assert_eq!(with_white + with_black, games);
            assert!(with_white.abs_diff(with_black) <= 1);
        }
        assert_eq!(schedule.game(schedule.games()), None);
    }
}

#[test]
fn candidates_of_a_race_play_the_same_openings_and_rounds_follow_from_results_alone() {
    let race_rules =
        RaceRules { elo1: 100.0, round_pairs: 2, most_pairs: 50, estimate_pairs: 3, ..RaceRules::default() };
    let race = Race::new(race_rules, 4).unwrap();
    let selection = Selection::Race(race);
    let scheme = PairingScheme::Candidates { selection, candidates: vec![0, 1, 3, 4], base: 2 };
    let mut schedule = Schedule::new(scheme.clone(), rules(100), 1, Sequence::AsListed);
    play_out(&mut schedule);
    let mut used: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for game in all_games(&schedule) {
        assert!(game.white == 2 || game.black == 2);
        used.entry(game.white + game.black - 2).or_default().push(game.opening);
    }
    assert_eq!(used.len(), 4);
    for openings in used.values() {
        let in_turn: Vec<usize> = (0..openings.len()).map(|index| index / 2).collect();
        assert_eq!(*openings, in_turn);
    }
    // Recorded in order, the games lead to the same rounds.
    let mut in_order = Schedule::new(scheme, rules(100), 1, Sequence::AsListed);
    let mut number = 0;
    while number < in_order.end().game {
        in_order.record(number, chance(number));
        number += 1;
    }
    assert_eq!(all_games(&in_order), all_games(&schedule));
    assert_eq!(in_order.candidates().unwrap().selection(), schedule.candidates().unwrap().selection());
}

#[test]
fn a_round_has_one_opening_and_the_next_round_another() {
    for game in all_games(&round_robin(3, 8)) {
        assert_eq!(game.opening, game.round as usize);
    }
}

#[test]
fn colors_are_balanced_in_a_single_round_of_an_odd_field() {
    let schedule = round_robin(7, 1);
    let mut white = vec![0; 7];
    all_games(&schedule).iter().for_each(|game| white[game.white] += 1);
    assert_eq!(white, vec![3; 7]);
}

#[test]
fn opening_policies_say_which_pairings_share_openings() {
    let openings = |policy| {
        let rules = PairingRules { policy, ..rules(4) };
        let schedule = Schedule::new(PairingScheme::RoundRobin(3), rules, 1, Sequence::AsListed);
        all_games(&schedule).iter().map(|game| game.opening).collect::<Vec<_>>()
    };
    assert_eq!(openings(OpeningPolicy::Round), [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
    assert_eq!(openings(OpeningPolicy::Pair), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    assert_eq!(openings(OpeningPolicy::Pairing), [0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2]);
    assert_eq!(openings(OpeningPolicy::Cycle), openings(OpeningPolicy::Pair));
}

#[test]
fn a_cycle_has_as_many_openings_as_rounds_and_pairings_as_listed() {
    let rules = PairingRules { policy: OpeningPolicy::Cycle, ..rules(2) };
    let schedule = Schedule::new(PairingScheme::RoundRobin(4), rules, 5, Sequence::AsListed);
    assert_eq!(schedule.openings(), 5);
    let games = all_games(&schedule);
    let first: Vec<_> =
        games.iter().step_by(2).take(6).map(|game| (game.white, game.black, game.opening)).collect();
    assert_eq!(first, [(0, 1, 0), (0, 2, 1), (0, 3, 2), (1, 2, 3), (1, 3, 4), (2, 3, 5)]);
}

#[test]
fn without_repetition_every_game_has_an_opening_of_its_own() {
    let rules = PairingRules { games_per_opening: 1, ..rules(3) };
    let schedule = Schedule::new(PairingScheme::RoundRobin(2), rules, 2, Sequence::AsListed);
    let games: Vec<_> =
        all_games(&schedule).iter().map(|game| (game.opening, game.pair, game.white)).collect();
    assert_eq!(games, [(0, 0, 0), (1, 1, 1), (2, 2, 0), (3, 3, 1), (4, 4, 0), (5, 5, 1)]);
}

#[test]
fn more_than_two_games_of_each_pairing_share_an_opening_on_request() {
    let openings = |entrants: usize, games: u32, games_per_opening: u32, policy| {
        let rules = PairingRules { games_per_opening, policy, ..rules(games) };
        let schedule = Schedule::new(PairingScheme::RoundRobin(entrants), rules, 1, Sequence::AsListed);
        let openings = all_games(&schedule).iter().map(|game| game.opening).collect::<Vec<_>>();
        assert_eq!(schedule.openings() as usize, openings.iter().max().unwrap() + 1);
        openings
    };
    assert_eq!(openings(2, 10, 4, OpeningPolicy::Round), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]);
    assert_eq!(openings(2, 7, 3, OpeningPolicy::Pair), [0, 0, 0, 1, 1, 1, 2]);
    assert_eq!(openings(3, 4, 4, OpeningPolicy::Pair), [0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2]);
    assert_eq!(openings(3, 4, 4, OpeningPolicy::Round), [0; 12]);
    // Also over several cycles, one after the other.
    let rules = PairingRules { games_per_opening: 4, ..rules(2) };
    let schedule = Schedule::new(PairingScheme::RoundRobin(2), rules, 3, Sequence::AsListed);
    let cycles: Vec<usize> = all_games(&schedule).iter().map(|game| game.opening).collect();
    assert_eq!((cycles, schedule.openings()), (vec![0, 0, 0, 0, 1, 1], 2));
}

#[test]
fn colors_are_fixed_or_begin_with_the_other_on_request() {
    let white = |swap, lead| {
        let rules = PairingRules { colors: Colors { swap, lead }, ..rules(4) };
        let schedule = Schedule::new(PairingScheme::RoundRobin(2), rules, 1, Sequence::AsListed);
        all_games(&schedule).iter().map(|game| game.white).collect::<Vec<_>>()
    };
    assert_eq!(white(Swap::EachGame, Lead::First), [0, 1, 1, 0]);
    assert_eq!(white(Swap::EachGame, Lead::Second), [1, 0, 0, 1]);
    assert_eq!(white(Swap::InPairs, Lead::First), [0, 1, 0, 1]);
    assert_eq!(white(Swap::Never, Lead::First), [0; 4]);
    assert_eq!(white(Swap::Never, Lead::Second), [1; 4]);
}

#[test]
fn newcomers_of_a_pyramid_come_in_turn() {
    let schedule = Schedule::new(PairingScheme::Pyramid(4), rules(2), 2, Sequence::AsListed);
    let newest: Vec<_> = all_games(&schedule).iter().map(|game| game.white.max(game.black)).collect();
    assert!(newest.is_sorted());
    assert_eq!(schedule.games(), 6 * 4);
    assert_eq!(schedule.openings(), 2);
}

#[test]
fn a_shuffled_schedule_has_the_same_games_in_another_order() {
    let pairings = |sequence| {
        let schedule = Schedule::new(PairingScheme::RoundRobin(8), rules(2), 1, sequence);
        all_games(&schedule).iter().map(|game| (game.white, game.black)).collect::<Vec<_>>()
    };
    let (listed, shuffled) = (pairings(Sequence::AsListed), pairings(Sequence::Shuffled(1)));
    assert_ne!(listed, shuffled);
    assert_eq!(shuffled, pairings(Sequence::Shuffled(1)));
    assert_ne!(shuffled, pairings(Sequence::Shuffled(2)));
    let set = |games: Vec<(usize, usize)>| games.into_iter().collect::<BTreeSet<_>>();
    assert_eq!(set(listed), set(shuffled));
}

#[test]
fn a_round_that_goes_by_results_waits_for_all_of_them() {
    let mut schedule = Schedule::new(PairingScheme::Swiss { entrants: 4 }, rules(2), 2, Sequence::AsListed);
    assert_eq!((schedule.games(), schedule.pairs()), (8, 2));
    for (number, white) in [(0, 2), (1, 0), (2, 0), (2, 2)] {
        schedule.record(number, white);
        assert_eq!(schedule.pair(2), None, "game 3 is missing");
    }
    schedule.record(3, 1);
    assert_eq!(schedule.pairs(), 4);
    let second: Vec<_> = (4..8).map(|number| schedule.game(number).unwrap()).collect();
    assert!(second.iter().all(|game| game.round == 1));
    // 0 won both games and 3 made three half points of four.
    assert_eq!((second[0].white, second[0].black), (0, 3));
}

#[test]
fn a_level_knockout_counts_its_further_games() {
    let meeting = PairingScheme::Knockout { entrants: 2, tiebreak_pairs: 2 };
    let mut schedule = Schedule::new(meeting, rules(2), 1, Sequence::AsListed);
    assert_eq!(schedule.games(), 2);
    (0..2).for_each(|game| schedule.record(game, 1));
    assert_eq!((schedule.games(), schedule.pairs()), (4, 2));
    (2..4).for_each(|game| schedule.record(game, 2));
    assert_eq!(schedule.games(), 6, "both won with White");
    schedule.record(4, 2);
    schedule.record(5, 1);
    assert_eq!((schedule.games(), schedule.pairs()), (6, 3));
    let Some(TournamentProgress::Knockout(bracket)) = schedule.progress() else { panic!("a bracket") };
    assert!(bracket[0].ties[0].winner.is_some());
}

fn meetings() -> impl Strategy<Value = PairingScheme> {
    let side = prop_oneof![Just(GauntletSide::Challenger), Just(GauntletSide::Opponent)];
    prop_oneof![
        prop::collection::vec(side, 2..9).prop_map(PairingScheme::Gauntlet),
        (2_usize..9).prop_map(PairingScheme::RoundRobin),
        (2_usize..9).prop_map(PairingScheme::Pyramid),
        (2_usize..20, 0_u32..4)
            .prop_map(|(entrants, tiebreak_pairs)| PairingScheme::Knockout { entrants, tiebreak_pairs }),
        (2_usize..20).prop_map(|entrants| PairingScheme::Swiss { entrants }),
    ]
}

fn any_terms() -> impl Strategy<Value = PairingRules> {
    let swap = prop_oneof![Just(Swap::EachGame), Just(Swap::InPairs), Just(Swap::Never)];
    let lead = prop_oneof![Just(Lead::First), Just(Lead::Second)];
    let policy = [OpeningPolicy::Round, OpeningPolicy::Pair, OpeningPolicy::Pairing, OpeningPolicy::Cycle];
    let policy = prop::sample::select(policy.to_vec());
    (1_u32..8, 1_u32..6, swap, lead, policy).prop_map(|(games, games_per_opening, swap, lead, policy)| {
        PairingRules { games, games_per_opening, colors: Colors { swap, lead }, policy }
    })
}

proptest! {
    #[test]
    fn numbers_have_no_gaps_and_pairs_hold_all_games_once(
        meeting in meetings(), rules in any_terms(), rounds in 1_u32..4, seed in any::<u64>(),
    ) {
        let mut schedule = Schedule::new(meeting, rules, rounds, Sequence::Shuffled(seed));
        play_out(&mut schedule);
        let mut next = 0;
        for number in 0..schedule.pairs() {
            let pair = schedule.pair(number).unwrap();
            prop_assert_eq!(pair.first_game, next);
            next += pair.games;
            let games: Vec<_> = schedule.games_of(pair).collect();
            prop_assert!(games.iter().all(|game| game.pair == number && game.opening == games[0].opening));
            if rules.policy != OpeningPolicy::Cycle {
                prop_assert!(games[0].opening < schedule.openings() as usize);
            }
            if let [first, second] = games[..] {
                let (colors, turned) = ((first.white, first.black), (second.black, second.white));
                prop_assert_eq!(colors == turned, rules.colors.swap != Swap::Never);
            }
        }
        prop_assert_eq!(next, schedule.games());
        prop_assert_eq!(schedule.pair(schedule.pairs()), None);
        prop_assert_eq!(schedule.game(schedule.games()), None);
    }

    #[test]
    fn what_follows_from_results_does_not_depend_on_their_order(
        meeting in meetings(), rules in any_terms(), seed in any::<u64>(),
    ) {
        let schedule = Schedule::new(meeting, rules, 3, Sequence::AsListed);
        let mut one = schedule.clone();
        play_out(&mut one);
        let mut other = schedule;
        let mut known = 0;
        while known < other.end().game {
            let next = other.end().game;
            let mut numbers: Vec<u32> = (known..next).collect();
            shuffle(&mut numbers, seed);
            for number in numbers {
                other.record(number, chance(number));
            }
            known = next;
        }
        prop_assert_eq!(one, other);
    }
}
