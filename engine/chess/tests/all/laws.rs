//! Properties of positions and moves, over random games and positions where rules interact.

use smalt_chess::{
    Bitboard, Color, Move, MoveKind, MoveList, MoveSink, Moves, PawnStep, Position, Role, Square,
};
use smalt_testing::Random;
use smalt_testing::positions::{ADVERSARIAL, play_out};

/// Calls `law` for positions of random games and for every adversarial position.
fn check(games: usize, plies: usize, mut law: impl FnMut(&Position)) {
    let mut random = Random(2026);
    for fen in ADVERSARIAL {
        let start = Position::from_fen(fen).unwrap();
        for _ in 0..games {
            play_out(start, plies, &mut random, &mut law);
        }
    }
    for _ in 0..10 * games {
        play_out(Position::start(), 4 * plies, &mut random, &mut law);
    }
}

#[test]
fn keys_kept_incrementally_are_keys_from_scratch() {
    check(20, 60, |position| {
        assert_eq!(position.key(), position.key_from_scratch(), "{position:?}");
        let judged = Position::new(&position.to_setup()).unwrap();
        assert_eq!(position.pawn_key(), judged.pawn_key(), "{position:?}");
    });
}

#[test]
fn the_likely_key_is_that_of_every_plain_move() {
    check(30, 120, |position| {
        for &mv in &position.legal_moves() {
            let after = position.after(mv);
            let is_plain = !mv.is_castle()
                && !mv.is_en_passant()
                && !mv.is_promotion()
                && after.en_passant().is_none()
                && after.castling_rooks() == position.castling_rooks();
            if is_plain {
                assert_eq!(position.likely_key_after(mv), after.key(), "{mv:?} in {position:?}");
            }
        }
    });
}

#[test]
fn the_key_behind_the_null_move_is_known_before_it() {
    check(20, 60, |position| {
        if !position.is_check() {
            let after = position.after_null_move();
            assert_eq!(position.key_after_null_move(), after.key_from_scratch(), "{position:?}");
        }
    });
}

#[test]
fn a_side_has_pieces_where_it_has_knights_bishops_rooks_or_queens() {
    check(5, 120, |position| {
        for color in Color::ALL {
            let roles = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
            let expected = roles.into_iter().any(|role| position.pieces(color, role).any());
            assert_eq!(position.has_pieces(color), expected, "{position:?}");
        }
    });
}

#[test]
fn the_key_without_the_turn_is_the_same_for_either_side() {
    check(20, 60, |position| {
        let is_black = position.turn() == Color::Black;
        assert_eq!(position.key_without_turn() == position.key(), is_black, "{position:?}");
        if !position.is_check() && position.en_passant().is_none() {
            let after = position.after_null_move();
            assert_eq!(position.key_without_turn(), after.key_without_turn(), "{position:?}");
        }
    });
}

#[test]
fn a_position_round_trips_through_its_setup() {
    check(20, 60, |position| {
        let again = Position::new(&position.to_setup()).unwrap();
        assert_eq!(*position, again);
        assert_eq!(position.checkers(), again.checkers());
        assert_eq!(position.pinned(), again.pinned());
        assert_eq!(
            Position::from_fen(&position.to_fen()).unwrap().repetition_key(),
            position.repetition_key()
        );
    });
}

#[test]
fn check_detection_agrees_with_the_board() {
    check(10, 60, |position| {
        let checks = position.checks();
        for &mv in &position.legal_moves() {
            let mut next = *position;
            let check = next.play(mv);
            assert_eq!(checks.include(position, mv), check, "{mv:?} in {position:?}");
            assert_eq!(check, next.is_check());
            let king = next.king(next.turn());
            let attackers = next.attackers(king, next.occupied()) & next.color(position.turn());
            assert_eq!(next.checkers(), attackers, "{mv:?} in {position:?}");
        }
    });
}

/// Rare ways to give check, and similar moves that do not.
#[test]
fn rare_checks_are_seen() {
    for (fen, mv, is_check) in [
        // King and pawn discover the rook's check by leaving the line, not by staying on it.
        ("4k3/8/8/8/4K3/8/8/4R3 w - - 0 1", "e4d4", true),
        ("4k3/8/8/8/4K3/8/8/4R3 w - - 0 1", "e4e5", false),
        ("4k3/8/8/3p4/4P3/8/8/K3R3 w - - 0 1", "e4d5", true),
        ("4k3/8/8/3p4/4P3/8/8/K3R3 w - - 0 1", "e4e5", false),
        // Two own pieces on the line: moving one discovers nothing.
        ("4k3/8/8/4N3/4K3/8/8/4R3 w - - 0 1", "e4d4", false),
        // A promotion gives check by the new piece, also through the pawn's origin square, or by discovery.
        ("8/1k1P4/8/8/8/8/8/K7 w - - 0 1", "d7d8n", true),
        ("8/1k1P4/8/8/8/8/8/K7 w - - 0 1", "d7d8r", false),
        ("8/k2P3R/8/8/8/8/8/K7 w - - 0 1", "d7d8b", true),
        ("8/3P4/8/3k4/8/8/8/K7 w - - 0 1", "d7d8q", true),
        ("3r4/4P3/8/8/8/4k3/8/K7 w - - 0 1", "e7d8q", false),
        ("3r4/4P3/8/8/8/4k3/8/K7 w - - 0 1", "e7e8q", true),
        // Castling gives check with the rook, also along the first rank once the king has left it.
        ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1", true),
        ("6k1/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1", false),
        ("8/8/8/8/8/8/8/R3K1k1 w Q - 0 1", "e1a1", true),
        // En passant removes both pawns from a rank; either alone would keep it closed.
        ("8/8/8/R2pP1k1/8/8/8/K7 w - d6 0 1", "e5d6", true),
        ("8/8/8/3pP1k1/8/8/8/K7 w - d6 0 1", "e5d6", false),
    ] {
        let position = Position::from_fen(fen).unwrap();
        let mv = *position.legal_moves().iter().find(|legal| format!("{legal:?}") == mv).unwrap();
        assert_eq!(position.checks().include(&position, mv), is_check, "{mv:?} in {fen}");
    }
}

/// Collects moves with the required methods of the trait only.
struct Collector(Vec<Move>);

impl MoveSink for Collector {
    fn piece(&mut self, from: Square, targets: Bitboard, captures: Bitboard) {
        let kind = |to| if captures.contains(to) { MoveKind::Capture } else { MoveKind::Quiet };
        self.0.extend(targets.into_iter().map(|to| Move::new(from, to, kind(to))));
    }

    fn pawns(&mut self, targets: Bitboard, step: PawnStep, kind: MoveKind) {
        self.0.extend(targets.into_iter().map(|to| Move::new(step.origin(to), to, kind)));
    }

    fn single(&mut self, mv: Move) {
        self.0.push(mv);
    }
}

#[test]
fn a_sink_receives_the_moves_of_a_list_in_order() {
    check(20, 60, |position| {
        for wanted in [Moves::All, Moves::Captures, Moves::Quiets] {
            let (mut list, mut collector) = (MoveList::new(), Collector(Vec::new()));
            position.generate(wanted, &mut list);
            position.generate(wanted, &mut collector);
            assert_eq!(collector.0, list.as_slice());
        }
    });
}

#[test]
fn captures_and_quiets_are_all_moves_and_none_twice() {
    check(20, 60, |position| {
        let (mut captures, mut quiets) = (MoveList::new(), MoveList::new());
        position.generate(Moves::Captures, &mut captures);
        position.generate(Moves::Quiets, &mut quiets);
        assert!(captures.iter().all(|mv| mv.is_capture() || mv.is_promotion()));
        assert!(quiets.iter().all(|mv| mv.is_quiet()));
        let mut parts: Vec<Move> = captures.iter().chain(&quiets).copied().collect();
        let mut all = position.legal_moves().to_vec();
        parts.sort();
        all.sort();
        assert_eq!(parts, all);
        assert_eq!(position.count_legal_moves(), all.len());
        all.dedup();
        assert_eq!(parts, all);
    });
}

#[test]
fn a_move_is_legal_when_it_is_generated_and_only_then() {
    let mut count = 0;
    check(1, 12, |position| {
        count += 1;
        if count % 5 != 0 {
            return;
        }
        let all = position.legal_moves();
        let legal: Vec<u16> =
            (1..=u16::MAX).filter(|&bits| position.is_legal(Move::from_bits(bits).unwrap())).collect();
        let mut expected: Vec<u16> = all.iter().map(|mv| mv.to_bits()).collect();
        expected.sort();
        assert_eq!(legal, expected, "{position:?}");
    });
}

#[test]
fn attacked_squares_are_those_with_attackers() {
    check(5, 40, |position| {
        for color in smalt_chess::Color::ALL {
            let slow: Bitboard = Square::all()
                .filter(|&sq| (position.attackers(sq, position.occupied()) & position.color(color)).any())
                .collect();
            assert_eq!(position.attacked_by(color), slow, "{position:?}");
        }
    });
}

#[test]
fn a_mirror_image_has_the_mirrored_moves() {
    check(5, 40, |position| {
        let flip = |mv: &Move| {
            let role = mv.promoted_to();
            (mv.from().flip_rank(), mv.to().flip_rank(), role, mv.is_capture())
        };
        let mut there: Vec<_> = position.mirrored().legal_moves().iter().map(flip).collect();
        let mut here: Vec<_> = position
            .legal_moves()
            .iter()
            .map(|mv| (mv.from(), mv.to(), mv.promoted_to(), mv.is_capture()))
            .collect();
        there.sort();
        here.sort();
        assert_eq!(there, here, "{position:?}");
    });
}

const VALUES: [i32; 6] = [100, 325, 325, 500, 975, 0];

#[test]
fn an_exchange_reaches_its_value_and_no_more() {
    check(10, 60, |position| {
        for &mv in &position.legal_moves() {
            let value = position.exchange_value(mv, &VALUES);
            for threshold in [value - 1, value, value + 1, 0, 100, -100] {
                let reached = position.exchange_reaches(mv, threshold, &VALUES);
                assert_eq!(reached, value >= threshold, "{mv:?} {value} {threshold} in {position:?}");
            }
        }
    });
}

#[test]
fn published_exchanges_have_their_values() {
    let check = |fen: &str, from: Square, to: Square, value: i32| {
        let position = Position::from_fen(fen).unwrap();
        let moves = position.legal_moves();
        let mv = *moves.iter().find(|mv| mv.from() == from && mv.to() == to).unwrap();
        assert_eq!(position.exchange_value(mv, &VALUES), value, "{fen}");
    };
    // chessprogramming.org, Static Exchange Evaluation.
    check("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", Square::E1, Square::E5, 100);
    check("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", Square::D3, Square::E5, -225);
    // A king may not capture a defended piece.
    check("8/8/3k4/4p3/8/8/1K2R3/4R3 w - - 0 1", Square::E2, Square::E5, 100);
    check("8/8/3k4/4p3/8/8/1K2R3/8 w - - 0 1", Square::E2, Square::E5, -400);
}

#[test]
fn promotions_come_in_all_four_roles() {
    let position = Position::from_fen("n7/1P2k3/8/8/8/8/8/4K3 w - - 0 1").unwrap();
    for capture in [false, true] {
        let mut roles: Vec<Role> = position
            .legal_moves()
            .iter()
            .filter(|mv| mv.is_capture() == capture)
            .filter_map(|mv| mv.promoted_to())
            .collect();
        roles.sort();
        assert_eq!(roles, [Role::Knight, Role::Bishop, Role::Rook, Role::Queen]);
    }
}
