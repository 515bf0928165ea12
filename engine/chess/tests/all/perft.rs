//! Perft counts with well-known values.

use std::path::Path;

use smalt_chess::perft::{Leaves, perft};
use smalt_chess::{Position, Setup};
use smalt_testing::Random;
use smalt_testing::positions::{ADVERSARIAL, play_out};

/// Checks each count up to `most` nodes, from a file of lines `FEN ;D1 20 ;D2 400`.
fn check(file: &str, most: u64, leaves: Leaves) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/reference").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let mut checked = 0;
    for line in text.lines() {
        let mut parts = line.split(';');
        let position = Position::from_fen(parts.next().unwrap()).unwrap();
        for part in parts {
            let (depth, nodes) = part.trim().trim_start_matches('D').split_once(' ').unwrap();
            let (depth, nodes) = (depth.parse().unwrap(), nodes.trim().parse::<u64>().unwrap());
            if nodes <= most {
                assert_eq!(perft(&position, depth, leaves), nodes, "depth {depth} of {line}");
                checked += 1;
            }
        }
    }
    assert!(checked > 0, "nothing checked in {file}");
}

#[test]
fn the_six_standard_positions_have_their_counts_to_two_hundred_million_nodes() {
    check("perft-six.epd", 200_000_000, Leaves::Counted);
}

#[test]
fn playing_every_leaf_gives_the_same_counts() {
    check("perft-six.epd", 5_000_000, Leaves::Played);
}

#[test]
fn standard_positions_have_their_counts() {
    check("perft-standard.epd", 1_000_000, Leaves::Counted);
}

#[test]
fn chess960_positions_have_their_counts() {
    check("perft-chess960.epd", 500_000, Leaves::Counted);
}

/// Compares the count of two plies, which builds no positions, with the plain generator, for a position and its
/// children.
fn check_two_plies(position: &Position) {
    let children = position.legal_moves().iter().map(|&mv| position.after(mv)).collect::<Vec<_>>();
    for position in children.iter().chain([position]) {
        let moves = position.legal_moves();
        let expected: usize = moves.iter().map(|&mv| position.after(mv).count_legal_moves()).sum();
        assert_eq!(perft(position, 2, Leaves::Counted), expected as u64, "{position:?}");
    }
}

#[test]
fn two_plies_are_counted_as_the_plain_generator_counts_them() {
    for fen in ADVERSARIAL {
        check_two_plies(&Position::from_fen(fen).unwrap());
    }
    let mut random = Random(34);
    for number in (0..960).step_by(16).chain([518; 40]) {
        let start = Position::new(&Setup::chess960(number).unwrap()).unwrap();
        play_out(start, 150, &mut random, check_two_plies);
    }
}

#[test]
fn the_richest_reachable_position_has_218_moves() {
    let position = Position::from_fen("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1").unwrap();
    assert_eq!(position.legal_moves().len(), 218);
}
