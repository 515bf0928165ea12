//! Properties of the evaluation on varied positions: the tuner's features give the engine's value, colors are
//! symmetric, and all allowed weights work.

use std::sync::{Arc, LazyLock};

use smalt::evaluation::schema::{SCHEMA, TENTHS, Term, WEIGHTS, from_tenths};
use smalt::evaluation::taper::FULL_PHASE;
use smalt::evaluation::trace::{FeatureCounter, Features};
use smalt::evaluation::{
    Evaluator, LARGEST_EVALUATION, Parameters, evaluate, explain, features, rule50_scaled,
};
use smalt_chess::{Color, Position, Role};
use smalt_testing::Random;
use smalt_testing::positions::{RARE, random_positions};

/// Positions of seeded random games, and rare ones.
static CORPUS: LazyLock<Vec<Position>> = LazyLock::new(|| {
    let mut positions: Vec<Position> = RARE.iter().map(|fen| parse(fen)).collect();
    positions.extend(random_positions(2026, 60, 200));
    positions
});

fn parse(fen: &str) -> Position {
    Position::from_fen(fen).expect("the position is legal")
}

/// Parameters at their limits, in an order given by the seed.
fn extreme(seed: u64) -> Parameters {
    let mut random = Random(seed);
    let mut number = |largest: i32| match seed {
        0 => largest,
        1 => -largest,
        _ if random.below(2) == 0 => largest,
        _ => -largest,
    };
    let mut numbers = [[0; 2]; WEIGHTS];
    for entry in &SCHEMA {
        let largest = entry.limit() * TENTHS;
        for pair in &mut numbers[entry.term.start()..][..entry.shape.length()] {
            *pair = [number(largest), number(largest)];
        }
    }
    Parameters::from_tenths(&numbers)
}

fn from_white(position: &Position, evaluation: i32) -> i32 {
    if position.turn() == Color::White { evaluation } else { -evaluation }
}

/// Checks on each position that features times weights give the engine's evaluation.
fn check_features(parameters: &Parameters) {
    let weights: Vec<[i32; 2]> = parameters.tenths().collect();
    let mut counter = FeatureCounter::default();
    for position in CORPUS.iter() {
        let features: Features = features(position, &mut counter);
        let counted = features.parts::<i64>(|weight| weights[weight].map(i64::from));
        let explained = explain(position, parameters);
        assert_eq!(&counted, explained.parts(), "{position:?}");

        let evaluation = from_white(position, evaluate(position, parameters));
        assert_eq!(counted.evaluation(), i64::from(evaluation), "{position:?}");
        assert_eq!(explained.evaluation(), evaluation, "{position:?}");
        let real = features.parts::<f64>(|weight| weights[weight].map(from_tenths)).evaluation();
        // The whole is rounded toward zero.
        assert!((real - f64::from(evaluation)).abs() < 1.01, "{position:?}: {real}, {evaluation}");
    }
}

#[test]
fn counts_times_weights_are_the_evaluation() {
    check_features(Parameters::embedded());
}

#[test]
fn extreme_weights_neither_overflow_nor_pass_the_limit() {
    for seed in 0..8 {
        let parameters = extreme(seed);
        check_features(&parameters);
        for position in CORPUS.iter() {
            let evaluation = evaluate(position, &parameters);
            assert!(evaluation.abs() <= LARGEST_EVALUATION, "{position:?}: {evaluation}");
        }
    }
}

#[test]
fn the_mirrored_position_is_worth_the_same() {
    for position in CORPUS.iter() {
        let parameters = Parameters::embedded();
        assert_eq!(
            evaluate(position, parameters),
            evaluate(&position.mirrored(), parameters),
            "{position:?}"
        );
    }
}

#[test]
fn the_start_position_is_worth_the_right_to_move() {
    let tempo = Parameters::embedded().get(Term::Tempo.first());
    assert_eq!(evaluate(&Position::start(), Parameters::embedded()), tempo.middlegame() / TENTHS);
    assert_eq!(features(&Position::start(), &mut FeatureCounter::default()).linear.len(), 1);
}

#[test]
fn caches_change_no_evaluation() {
    let crowd = parse("4k2r/pppppppp/pppppppp/pppppppp/PPPPPPPP/PPPPPPPP/PPPPPPPP/4K1NR w - - 0 1");
    for parameters in [Parameters::embedded().clone(), extreme(0), extreme(3)] {
        let parameters = Arc::new(parameters);
        let mut evaluator = Evaluator::new(Arc::clone(&parameters));
        for position in CORPUS.iter().chain([&crowd]).chain(CORPUS.iter().rev()) {
            assert_eq!(evaluator.evaluate(position), evaluate(position, &parameters), "{position:?}");
        }
    }
}

#[test]
fn the_cache_is_right_for_either_side_to_move() {
    // The pawn promotes if it moves first; the enemy has no piece, so the turn is worth more than the tempo.
    let race = parse("8/8/8/P3k2p/8/8/8/N6K w - - 0 1");
    let races = [race, race.mirrored(), parse("8/8/8/P3k2p/8/8/8/7K w - - 0 1")];
    for parameters in [Parameters::embedded().clone(), extreme(5)] {
        let parameters = Arc::new(parameters);
        let mut evaluators = [(); 2].map(|()| Evaluator::new(Arc::clone(&parameters)));
        for position in CORPUS.iter().filter(|position| !position.is_check()).chain(&races) {
            let passed = position.after_null_move();
            for (evaluator, order) in evaluators.iter_mut().zip([[position, &passed], [&passed, position]]) {
                for position in order {
                    assert_eq!(evaluator.evaluate(position), evaluate(position, &parameters), "{position:?}");
                }
            }
        }
    }
}

#[test]
fn the_corpus_has_every_term_and_every_phase() {
    let mut counter = FeatureCounter::default();
    let mut seen = [false; WEIGHTS];
    let mut phases = [false; FULL_PHASE as usize + 1];
    for position in CORPUS.iter() {
        let features = features(position, &mut counter);
        let danger = features.danger.iter().flatten();
        for feature in features.linear.iter().chain(danger).chain(&features.complexity) {
            seen[feature.weight as usize] = true;
        }
        for weight in features.scale.into_iter().flatten() {
            seen[weight as usize] = true;
        }
        phases[features.phase as usize] = true;
    }
    for entry in &SCHEMA {
        let start = entry.term.start();
        let found = seen[start..start + entry.shape.length()].contains(&true);
        // A weight that both sides always have cancels in the linear part.
        assert!(found, "{}.{} never occurs", entry.group, entry.name);
    }
    assert_eq!(phases, [true; FULL_PHASE as usize + 1]);
}

/// Checks the count of a weight: White's minus Black's in the linear part, the white king's for danger, both sides' for
/// complexity.
#[track_caller]
fn check_count(fen: &str, term: Term, index: usize, expected: i16) {
    let features = features(&parse(fen), &mut FeatureCounter::default());
    let weight = term.at(index).index();
    let all = features.linear.iter().chain(&features.danger[0]).chain(&features.complexity);
    let count =
        all.filter(|feature| usize::from(feature.weight) == weight).map(|feature| feature.count).sum::<i16>();
    assert_eq!(count, expected, "{term:?} {index} in {fen}");
}

#[test]
fn terms_count_their_features() {
    check_count("6k1/8/8/8/4P3/4N3/8/6K1 w - - 0 1", Term::KnightNearOutpost, 0, 1);
    check_count("6k1/8/8/8/4P3/5N2/8/6K1 w - - 0 1", Term::KnightNearOutpost, 0, 0);
    check_count("6k1/8/8/4N3/8/8/8/6K1 w - - 0 1", Term::MinorKingDistance, 0, 4);
    check_count("3r2k1/8/8/8/3P4/8/8/3Q2K1 w - - 0 1", Term::QueenOnLine, 0, 1);
    check_count("3r2k1/8/8/3p4/3P4/8/8/3Q2K1 w - - 0 1", Term::QueenOnLine, 0, 0);
    check_count("3r2k1/8/8/8/3P4/8/8/3Q2K1 w - - 0 1", Term::PinnedToQueen, 0, 1);
    check_count("3r2k1/8/8/3p4/8/8/8/3Q2K1 w - - 0 1", Term::PinnedToQueen, 0, 0);
    check_count("6k1/8/8/8/8/6b1/5N2/4K3 w - - 0 1", Term::Pinned, 3, 1);
    check_count("4r1k1/8/8/8/4B3/8/8/4K3 w - - 0 1", Term::Pinned, 7, 1);
    check_count("4q1k1/8/8/8/4P3/8/8/4K3 w - - 0 1", Term::Pinned, 2, 1);
    check_count("4k3/8/8/8/4N3/8/8/4R1K1 w - - 0 1", Term::Discoverer, 1, 1);
    check_count("7k/8/8/8/7K/8/8/7R w - - 0 1", Term::Discoverer, 5, 1);
    check_count("6k1/8/8/8/8/8/8/BB4K1 w - - 0 1", Term::ImbalanceOwn, 5, 4);
    check_count("6k1/8/8/8/8/8/8/QQQ3K1 w - - 0 1", Term::ImbalanceOwn, 14, 4);
    check_count("5nk1/8/8/8/8/8/8/R5K1 w - - 0 1", Term::ImbalanceEnemy, 4, 1);
    check_count("6k1/8/8/8/8/8/8/r5K1 w - - 0 1", Term::KingMoves, 4, 1);
    check_count("6k1/8/8/8/8/8/5PPP/5K1R w - - 0 1", Term::RookTrapped, 1, 1);
    check_count("6k1/8/8/8/8/8/5PPP/R4K2 w - - 0 1", Term::RookTrapped, 1, 0);
    check_count("6k1/R7/8/8/8/8/8/6K1 w - - 0 1", Term::RookSeventh, 0, 1);
    check_count("8/R7/6k1/8/8/8/8/6K1 w - - 0 1", Term::RookSeventh, 0, 0);
    check_count("3q2k1/8/8/8/8/8/8/3R2K1 b - - 0 1", Term::RookQueenFile, 0, 1);
    check_count("6k1/8/8/3p4/8/8/6B1/6K1 w - - 0 1", Term::BishopLinedPawns, 0, 1);
    check_count("6k1/8/8/3p4/8/8/6B1/6K1 w - - 0 1", Term::BishopLongDiagonal, 0, 1);
    check_count("6k1/8/8/8/4p3/8/6B1/6K1 w - - 0 1", Term::BishopLongDiagonal, 0, 0);
    check_count("6k1/8/8/3p4/3P4/2P5/8/2B3K1 w - - 0 1", Term::BishopBlockedCenter, 0, 2);
    check_count("6k1/8/8/3p1p2/4P3/8/8/6K1 w - - 0 1", Term::PawnTwiceAttacked, 0, 1);
    check_count("6k1/8/8/3p1p2/4P3/5P2/8/6K1 w - - 0 1", Term::PawnTwiceAttacked, 0, 0);
    check_count("6k1/8/4p3/4P3/8/8/8/6K1 w - - 0 1", Term::PawnBlockedFar, 0, 1);
    check_count("6k1/8/3p4/8/3PP3/8/8/6K1 w - - 0 1", Term::PawnCandidate, 2, 1);
    check_count("6k1/8/3p1p2/8/3PP3/8/8/6K1 w - - 0 1", Term::PawnCandidate, 2, 0);
    check_count("6k1/8/8/4P3/3P4/8/8/6K1 w - - 0 1", Term::PassedProtected, 3, 1);
    check_count("8/8/8/6k1/8/8/P7/6K1 w - - 0 1", Term::PassedUnstoppable, 0, 1);
    check_count("8/8/8/6k1/8/8/P7/6K1 b - - 0 1", Term::PassedUnstoppable, 0, 0);
    check_count("6k1/8/8/8/P7/8/8/r5K1 w - - 0 1", Term::PassedEnemyBehind, 0, 1);
    check_count("6k1/8/8/8/P7/r7/8/R5K1 w - - 0 1", Term::PassedEnemyBehind, 0, 1);
    check_count("r6k/8/8/8/P7/8/8/7K w - - 0 1", Term::PassedEnemyBehind, 0, 0);
    check_count("6k1/8/8/8/P7/8/8/r5K1 w - - 0 1", Term::PassedClearPath, 2, 1);
    check_count("r6k/8/8/8/P7/8/8/7K w - - 0 1", Term::PassedClearPath, 2, 0);
    check_count("6k1/8/8/8/P7/8/8/R5K1 w - - 0 1", Term::PassedDefendedPath, 2, 0);
    check_count("6k1/8/P7/8/8/3B4/8/R5K1 w - - 0 1", Term::PassedDefendedPath, 4, 0);
    check_count("8/1Q6/P7/7k/8/8/8/6K1 w - - 0 1", Term::PassedDefendedPath, 4, 1);
    check_count("1r4k1/r7/8/P7/8/8/8/6K1 w - - 0 1", Term::PassedStopLost, 3, 0);
    check_count("r5k1/r7/8/P7/8/8/8/6K1 w - - 0 1", Term::PassedStopLost, 3, 1);
    check_count("6k1/r7/1r6/P7/8/8/8/6K1 w - - 0 1", Term::PassedStopLost, 3, 1);
    check_count("6k1/r7/1r6/PK6/8/8/8/8 w - - 0 1", Term::PassedStopLost, 3, 1);
    check_count("8/8/8/3P4/8/3K4/8/6k1 w - - 0 1", Term::PassedOwnKingTable, 3, 3);
    check_count("8/8/8/3P4/8/3K4/8/6k1 w - - 0 1", Term::PassedEnemyKingTable, 5, 3);
    check_count("6k1/8/8/8/P6P/8/8/6K1 w - - 0 1", Term::PassedFile, 0, 2);
    check_count("1k6/p7/8/8/8/8/P7/6K1 w - - 0 1", Term::KingPawnlessWing, 0, 1);
    check_count("6k1/8/8/8/8/7p/5PP1/6K1 w - - 0 1", Term::DangerPawnAttack, 0, 1);
    check_count("6k1/8/8/8/8/8/8/6K1 w - - 0 1", Term::DangerWingDefenseTwice, 0, 0);
    check_count("6k1/8/8/8/8/8/6P1/6K1 w - - 0 1", Term::DangerShelterKing, 2, 1);
    check_count("6k1/8/8/8/8/8/6P1/6K1 w - - 0 1", Term::DangerShelterSide, 0, 2);
    check_count("6k1/8/8/8/6p1/8/8/6K1 w - - 0 1", Term::DangerStormFree, 4, 1);
    check_count("6k1/8/8/8/6p1/6P1/8/6K1 w - - 0 1", Term::DangerStormFree, 4, 0);
    check_count("6k1/4p3/3n4/8/4N3/8/8/6K1 w - - 0 1", Term::ThreatByMinorDefended, 0, 1);
    check_count("6k1/8/3n4/8/4N3/8/8/6K1 w - - 0 1", Term::ThreatByMinorDefended, 0, 0);
    check_count("6k1/4p3/3b4/8/8/8/8/3R2K1 w - - 0 1", Term::ThreatByRookDefended, 2, 1);
    check_count("5rk1/8/3n4/8/4N3/8/8/3R2K1 w - - 0 1", Term::ThreatOverloaded, 0, 0);
    check_count("3r2k1/8/3n4/8/4N3/8/8/3R2K1 w - - 0 1", Term::ThreatOverloaded, 0, 1);
    check_count("6k1/8/8/3n4/4P3/3P4/8/6K1 w - - 0 1", Term::ThreatBySafePawn, 0, 1);
    check_count("6k1/8/8/3nr3/4P3/8/8/6K1 w - - 0 1", Term::ThreatBySafePawn, 0, 0);
    check_count("4q1k1/8/8/4n3/8/8/8/4R1K1 w - - 0 1", Term::ThreatQueenDefended, 0, 1);
    check_count("3q2k1/8/8/8/3N4/8/8/6K1 w - - 0 1", Term::ThreatOnQueen, 0, 2);
    check_count("6rk/8/8/8/8/8/6P1/6K1 w - - 0 1", Term::DangerBlocker, 0, 1);
    check_count("6rk/8/8/8/6p1/8/6P1/6K1 w - - 0 1", Term::DangerBlocker, 0, 0);
    check_count("6k1/8/8/8/8/8/PP6/6K1 w - - 0 1", Term::PawnOwnPair, 1, 1);
    check_count("6k1/8/8/8/8/8/6PP/1K6 w - - 0 1", Term::PawnOwnPair, 1, 1);
    check_count("6k1/pp6/8/8/8/8/8/6K1 w - - 0 1", Term::PawnOwnPair, 1, -1);
    check_count("6k1/8/1p6/8/8/8/P7/6K1 w - - 0 1", Term::PawnEnemyPair, 9, 1);
    check_count("6k1/1p6/8/8/8/P7/8/6K1 w - - 0 1", Term::PawnEnemyPair, 56, -1);
    check_count("6k1/p7/8/8/8/8/P7/6K1 w - - 0 1", Term::PawnEnemyPair, 0, 0);
    check_count("6k1/8/8/8/8/5p2/2q5/6K1 w - - 0 1", Term::DangerContactCheck, 0, 1);
    check_count("6k1/8/8/8/8/5p2/2q3P1/6K1 w - - 0 1", Term::DangerContactCheck, 0, 1);
    check_count("6k1/8/8/8/8/5p2/2q5/6KR w - - 0 1", Term::DangerContactCheck, 0, 1);
    check_count("6k1/8/8/8/8/5p2/2q5/6KB w - - 0 1", Term::DangerContactCheck, 0, 0);
    check_count("6k1/8/8/8/8/5p2/r7/6K1 w - - 0 1", Term::DangerContactCheck, 1, 1);
    check_count("6k1/8/8/8/8/6p1/r7/6K1 w - - 0 1", Term::DangerContactCheck, 1, 0);
    check_count("6k1/8/8/8/8/6p1/r7/6K1 w - - 0 1", Term::DangerRingTwice, 0, 2);
    check_count("6k1/8/8/8/8/8/8/6K1 b - - 0 1", Term::DangerEnemyToMove, 0, 1);
    check_count("6k1/8/8/8/8/8/8/6K1 w - - 0 1", Term::DangerEnemyToMove, 0, 0);
    for (turn, to_move) in [("w", 1), ("b", 0)] {
        let check = |board: &str, term, index, expected| {
            check_count(&format!("{board} {turn} - - 0 1"), term, index, expected);
        };
        check("r3k3/8/8/3N4/8/8/8/6K1", Term::KnightFork, 0, 1);
        check("r3k3/8/8/3N4/8/8/8/6K1", Term::KnightForkToMove, 0, to_move);
        check("r3k3/8/1p6/b2N4/8/8/8/6K1", Term::KnightFork, 0, 1);
        check("r3k3/8/3b4/3N4/8/8/8/6K1", Term::KnightFork, 0, 0);
        check("6k1/8/8/8/8/8/8/R6K", Term::CheckToMove, 2, to_move);
        check("1r4k1/8/8/6p1/8/8/8/R6K", Term::CheckToMove, 2, 0);
        check("6k1/8/3n4/8/4P3/8/8/6K1", Term::PawnPushToMove, 0, to_move);
        check("6k1/8/8/8/P7/8/8/6K1", Term::PassedPushToMove, 2, to_move);
        check("6k1/8/1n6/8/P7/8/8/6K1", Term::PassedPushToMove, 2, to_move);
        check("6k1/1n6/8/8/P7/8/8/6K1", Term::PassedPushToMove, 2, 0);
    }
    check_count("8/8/8/8/8/8/8/K6k w - - 0 1", Term::ComplexityConstant, 0, 1);
    check_count("4k3/pp4p1/8/8/8/8/P7/4K3 b - - 0 1", Term::ComplexityPawns, 0, 4);
    check_count("4k3/3p4/8/8/8/8/4P3/4K3 w - - 0 1", Term::ComplexityBothWings, 0, 1);
    check_count("4k3/2pp4/8/8/8/8/P7/4K3 w - - 0 1", Term::ComplexityBothWings, 0, 0);
    check_count("4k3/2pp4/8/8/8/8/P7/4K3 w - - 0 1", Term::ComplexityPawnEnding, 0, 1);
    check_count("4k3/2pp4/8/8/8/8/P7/4KB2 w - - 0 1", Term::ComplexityPawnEnding, 0, 0);
    check_count("4k3/2p5/8/6p1/8/8/PP6/4K3 w - - 0 1", Term::ComplexityPassed, 0, 2);
    check_count("8/8/2k3K1/8/8/8/8/8 w - - 0 1", Term::ComplexityOutflanking, 0, 4);
    check_count("4k3/8/8/8/8/8/8/3K4 w - - 0 1", Term::ComplexityOutflanking, 0, -6);
    check_count("8/8/3K4/8/8/3k4/8/8 w - - 0 1", Term::ComplexityInfiltration, 0, 2);
    check_count("8/8/3k4/8/3K4/8/8/8 w - - 0 1", Term::ComplexityInfiltration, 0, 0);
}

/// Terms that depend only on pawns.
const PAWN_TERMS: [Term; 11] = [
    Term::PawnDoubled,
    Term::PawnIsolated,
    Term::PawnBackward,
    Term::PawnWeakOpen,
    Term::PawnSupported,
    Term::PawnPhalanx,
    Term::PawnTwiceAttacked,
    Term::PawnBlockedFar,
    Term::PawnCandidate,
    Term::PassedRank,
    Term::PassedProtected,
];

/// The weights of [`PAWN_TERMS`] for a side's pawns, found pawn by pawn. Pawns are pairs of file and rank, counted from
/// 0 and from the side's first rank.
fn pawn_weights(own: &[(i32, i32)], enemy: &[(i32, i32)]) -> Vec<usize> {
    let mut found = Vec::new();
    for &(file, rank) in own {
        let is_beside = |other: i32| (other - file).abs() == 1;
        let is_ahead = |&(f, r): &(i32, i32)| f == file && r > rank;
        let helpers = own.iter().filter(|&&(f, r)| is_beside(f) && r <= rank).count();
        let stoppers = enemy.iter().filter(|&&(f, r)| is_beside(f) && r > rank).count();
        let attackers = enemy.iter().filter(|&&(f, r)| is_beside(f) && r == rank + 1).count();
        let is_supported = own.iter().any(|&(f, r)| is_beside(f) && r == rank - 1);
        let is_blocked = enemy.contains(&(file, rank + 1));
        let is_stopped = is_blocked || enemy.iter().any(|&(f, r)| is_beside(f) && r == rank + 2);
        let is_opposed = enemy.iter().any(is_ahead);
        let is_isolated = !own.iter().any(|&(f, _)| is_beside(f));
        let is_backward = !is_isolated && helpers == 0 && is_stopped;
        let is_unobstructed = !is_opposed && !own.iter().any(is_ahead);
        let is_passed = is_unobstructed && stoppers == 0;
        let by_rank = rank as usize - 1;
        for (term, index, is_so) in [
            (Term::PawnDoubled, 0, own.iter().any(is_ahead)),
            (Term::PawnIsolated, 0, is_isolated),
            (Term::PawnBackward, 0, is_backward),
            (Term::PawnWeakOpen, 0, (is_isolated || is_backward) && !is_opposed),
            (Term::PawnSupported, by_rank, is_supported),
            (Term::PawnPhalanx, by_rank, own.iter().any(|&(f, r)| is_beside(f) && r == rank)),
            (Term::PawnTwiceAttacked, 0, attackers == 2 && !is_supported),
            (Term::PawnBlockedFar, usize::from(rank == 5), is_blocked && (rank == 4 || rank == 5)),
            (Term::PawnCandidate, by_rank, is_unobstructed && !is_passed && helpers >= stoppers),
            (Term::PassedRank, by_rank, is_passed),
            (Term::PassedProtected, by_rank, is_passed && is_supported),
        ] {
            if is_so {
                found.push(term.at(index).index());
            }
        }
    }
    found
}

#[test]
fn sets_of_pawns_are_weighed_as_one_by_one() {
    let mut counter = FeatureCounter::default();
    for position in CORPUS.iter() {
        let pawns = |color: Color, seen_by: Color| -> Vec<(i32, i32)> {
            let squares = position.pieces(color, Role::Pawn).into_iter();
            squares.map(|at| (at.file().index() as i32, seen_by.rank(at.rank()).index() as i32)).collect()
        };
        let mut expected = [0; WEIGHTS];
        for (color, sign) in [(Color::White, 1), (Color::Black, -1)] {
            for weight in pawn_weights(&pawns(color, color), &pawns(!color, color)) {
                expected[weight] += sign;
            }
        }
        let mut counted = [0; WEIGHTS];
        for feature in features(position, &mut counter).linear {
            counted[usize::from(feature.weight)] = feature.count;
        }
        for term in PAWN_TERMS {
            let weights = term.start()..term.start() + term.entry().shape.length();
            assert_eq!(counted[weights.clone()], expected[weights], "{term:?} in {position:?}");
        }
    }
}

#[test]
fn material_chooses_the_scale() {
    let scale = |fen: &str| features(&parse(fen), &mut FeatureCounter::default()).scale[0];
    let weight = |term: Term, index| Some(term.at(index).index() as u16);
    assert_eq!(scale("6k1/8/8/8/8/8/5PP1/6K1 w - - 0 1"), None);
    assert_eq!(scale("6k1/5b2/8/8/8/8/4BPP1/6K1 w - - 0 1"), None);
    assert_eq!(scale("6k1/5b2/8/8/8/8/5PP1/4B1K1 w - - 0 1"), weight(Term::ScaleOppositeBishops, 0));
    assert_eq!(scale("5rk1/5b2/8/8/8/8/5PP1/R3B1K1 w - - 0 1"), weight(Term::ScaleOppositeBishopsPieces, 0));
    assert_eq!(scale("6k1/8/8/8/8/8/5P2/4R1K1 w - - 0 1"), weight(Term::ScaleOnePawn, 0));
    assert_eq!(scale("6k1/8/8/8/8/8/8/4B1K1 w - - 0 1"), weight(Term::ScaleNoPawns, 0));
    assert_eq!(scale("5bk1/8/8/8/8/8/8/R5K1 w - - 0 1"), weight(Term::ScaleNoPawns, 1));
    assert_eq!(scale("6k1/8/8/8/8/8/8/R5K1 w - - 0 1"), None);
}

#[track_caller]
fn check_order(better: &str, worse: &str) {
    let parameters = Parameters::embedded();
    let [better, worse] = [better, worse].map(|fen| {
        let position = parse(fen);
        from_white(&position, evaluate(&position, parameters))
    });
    assert!(better > worse, "{better} is not above {worse}");
}

#[test]
fn better_positions_evaluate_higher() {
    // An extra queen, an extra rook, a more advanced pawn, a lone king in the corner, a sheltered king.
    check_order("4k3/8/8/8/8/8/PPP5/3QK3 w - - 0 1", "4k3/8/8/8/8/8/PPP5/4K3 w - - 0 1");
    check_order("4k3/pppp4/8/8/8/8/PPPP4/R3K3 w - - 0 1", "4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1");
    check_order("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "8/4k3/8/8/8/P7/8/4K3 w - - 0 1");
    check_order("k7/8/2K5/8/8/8/8/7R w - - 0 1", "8/8/2K5/4k3/8/8/8/7R w - - 0 1");
    check_order(
        "r1bq1rk1/pppp1ppp/2n2n2/4p3/4P3/2N2N2/PPPP1PPP/R1BQ1RK1 w - - 0 1",
        "r1bq1rk1/pppp1ppp/2n2n2/4p3/4P3/2N2N1P/PPPP1P2/R1BQ1RK1 w - - 0 1",
    );
}

#[test]
fn hardly_winnable_endgames_are_near_a_draw() {
    for fen in [
        "8/3k4/8/8/3K4/2N1N3/8/8 w - - 0 1",
        "8/8/3k4/8/8/3BK3/8/8 w - - 0 1",
        "8/8/3k4/2r5/8/3BK3/8/8 b - - 0 1",
    ] {
        let position = parse(fen);
        let evaluation = evaluate(&position, Parameters::embedded());
        assert!(evaluation.abs() < 150, "{fen}: {evaluation}");
    }
}

#[test]
fn the_explanation_shows_every_term_and_the_sum() {
    let position = parse("r3k3/8/8/8/8/8/P7/4K2R b K - 0 1");
    let text = explain(&position, Parameters::embedded()).to_string();
    let rook = Parameters::embedded().get(Term::MaterialRook.first());
    let (middlegame, endgame) = (rook.middlegame(), rook.endgame());
    let line = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name));
        line.map(|line| line[name.len()..].split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    };
    let decimal = |tenths: i32| format!("{:.1}", from_tenths(tenths));
    let columns = [middlegame, endgame, middlegame, endgame, 0, 0].map(decimal);
    assert_eq!(line("material.rook").unwrap(), columns);
    assert_eq!(line("material.queen"), None);
    let constant = Parameters::embedded().get(Term::ComplexityConstant.first()).middlegame();
    assert_eq!(line("complexity.constant").unwrap(), [decimal(constant)]);
    let complexity = line("complexity, before its limits").unwrap();
    let complexity_lines = text.lines().filter(|line| line.starts_with("complexity."));
    let sum: f64 =
        complexity_lines.map(|line| line.split_whitespace().last().unwrap().parse::<f64>().unwrap()).sum();
    assert_eq!(complexity, [format!("{sum:.1}")]);
    assert_eq!(line("phase, of 24").unwrap(), ["4/24"]);
    let evaluation = format!("{:+}", from_white(&position, evaluate(&position, Parameters::embedded())));
    assert_eq!(line("evaluation, centipawns for White").unwrap(), [evaluation]);
}

#[test]
fn the_fifty_move_rule_draws_the_evaluation_toward_zero() {
    assert_eq!(rule50_scaled(200, 0), 200);
    assert_eq!(rule50_scaled(200, 50), 150);
    assert_eq!(rule50_scaled(-200, 100), -100);
    assert_eq!(rule50_scaled(200, u16::MAX), 100);
}
