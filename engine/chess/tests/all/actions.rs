//! Masks of legal actions against the list of legal moves, in games of random moves.

use std::collections::HashSet;

use smalt_chess::actions::{ACTIONS, Action, MASK_WORDS, write_legal_mask, write_legal_masks};
use smalt_chess::{Color, Move, Position, Setup, UciMove};

fn check(position: &Position) {
    let mut mask = [!0; MASK_WORDS];
    write_legal_mask(position, &mut mask);
    let moves = position.legal_moves();
    let actions: HashSet<Action> = moves.iter().map(|&mv| Action::from_move(mv, position.turn())).collect();
    assert_eq!(actions.len(), moves.len(), "two moves share an action: {position:?}");
    for index in 0..ACTIONS {
        let action = Action::from_index(index).unwrap();
        assert_eq!(action.is_in(&mask), actions.contains(&action), "{position:?}, action {index}");
    }
    for &mv in &moves {
        assert_eq!(Action::from_move(mv, position.turn()).to_move(position), Some(mv));
    }
    let mut mirrored = [0; MASK_WORDS];
    write_legal_mask(&position.mirrored(), &mut mirrored);
    assert_eq!(mask, mirrored, "both sides see the same board: {position:?}");
}

#[test]
fn masks_hold_the_legal_moves_of_random_games() {
    let mut seed = 0x2026_u64;
    let starts = [
        Position::start().to_setup(),
        Position::from_fen("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1")
            .unwrap()
            .to_setup(),
        Setup::chess960(0).unwrap(),
        Setup::chess960(959).unwrap(),
    ];
    for start in starts {
        let mut position = Position::new(&start).unwrap();
        for _ in 0..150 {
            check(&position);
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            position.play(moves[(seed >> 33) as usize % moves.len()]);
        }
    }
}

#[test]
fn actions_have_the_numbers_of_the_table() {
    let number = |fen: &str, text: &str| {
        let position = Position::from_fen(fen).unwrap();
        let mv: Move = UciMove::parse(text).unwrap().to_move(&position).unwrap();
        Action::from_move(mv, position.turn()).index()
    };
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    // Plane 1 is two squares north, from e2 (12); plane 63 is one file west and two ranks north, from g1 (6).
    assert_eq!(number(&format!("{start} w KQkq - 0 1"), "e2e4"), 64 + 12);
    assert_eq!(number(&format!("{start} b KQkq - 0 1"), "e7e5"), 64 + 12);
    assert_eq!(number(&format!("{start} w KQkq - 0 1"), "g1f3"), 64 * 63 + 6);
    assert_eq!(number("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1"), 64 * (7 * 2 + 2) + 4);
    let promotions = "1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1";
    assert_eq!(number(promotions, "a7a8q"), 48);
    assert_eq!(number(promotions, "a7a8n"), 64 * 65 + 48);
    assert_eq!(number(promotions, "a7b8r"), 64 * 72 + 48);
    assert_eq!(Action::from_index(ACTIONS), None);
}

#[test]
#[should_panic(expected = "one mask for each position")]
fn a_batch_has_a_mask_for_each_position() {
    write_legal_masks(&[Position::start()], &mut []);
}

#[test]
fn black_sees_the_board_from_its_side() {
    let black = Position::from_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1").unwrap();
    let mut mask = [0; MASK_WORDS];
    write_legal_mask(&black, &mut mask);
    assert_eq!((black.turn(), mask[0]), (Color::Black, 0xff00), "Black's pawns stand on the second rank");
}
