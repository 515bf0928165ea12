//! Compares the rules with shakmaty: legal moves, checks, endings and Polyglot keys.

use shakmaty::fen::Fen;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};
use smalt_chess::{CastlingSide, Color, FenStyle, Piece, Position, Role, Setup, Square};
use smalt_testing::Random;
use smalt_testing::positions::{ADVERSARIAL, play_out};

/// The FEN with the en passant square whenever a pawn can pseudo-legally capture.
fn shredder_fen(position: &Position) -> Fen {
    position.to_setup().to_fen(FenStyle::Shredder).parse().unwrap()
}

fn theirs(position: &Position) -> Chess {
    match shredder_fen(position).into_position(CastlingMode::Chess960) {
        Ok(position) => position,
        Err(error) => match error.ignore_too_much_material() {
            Ok(position) => position,
            Err(error) => error.ignore_impossible_check().unwrap(),
        },
    }
}

fn our_moves(position: &Position) -> Vec<String> {
    let mut moves: Vec<String> = position.legal_moves().iter().map(|mv| format!("{mv:?}")).collect();
    moves.sort();
    moves
}

fn their_moves(position: &Chess) -> Vec<String> {
    let mut moves: Vec<String> =
        position.legal_moves().iter().map(|mv| mv.to_uci(CastlingMode::Chess960).to_string()).collect();
    moves.sort();
    moves
}

fn check(position: &Position) {
    let other = theirs(position);
    assert_eq!(our_moves(position), their_moves(&other), "{position:?}");
    assert_eq!(position.is_check(), other.is_check(), "{position:?}");
    let ended = !position.has_legal_move();
    assert_eq!(ended && position.is_check(), other.is_checkmate(), "{position:?}");
    assert_eq!(ended && !position.is_check(), other.is_stalemate(), "{position:?}");
    let insufficient = position.has_insufficient_material();
    assert_eq!(insufficient, other.is_insufficient_material(), "{position:?}");
    let key: Zobrist64 = other.zobrist_hash(EnPassantMode::PseudoLegal);
    assert_eq!(position.key(), u64::from(key), "{position:?}");
    let key: Zobrist64 = other.zobrist_hash(EnPassantMode::Legal);
    assert_eq!(position.repetition_key(), u64::from(key), "{position:?}");
}

fn check_with_replies(position: &Position, plies: u32) {
    check(position);
    if plies > 0 {
        for &mv in &position.legal_moves() {
            check_with_replies(&position.after(mv), plies - 1);
        }
    }
}

#[test]
fn the_start_position_has_the_published_key() {
    assert_eq!(Position::start().key(), 0x463b_9618_1691_fc9c);
}

#[test]
fn adversarial_positions_agree_two_plies_deep() {
    for fen in ADVERSARIAL {
        check_with_replies(&Position::from_fen(fen).unwrap(), 2);
    }
}

#[test]
fn random_games_agree() {
    let mut random = Random(1);
    for _ in 0..300 {
        let mut ply = 0;
        play_out(Position::start(), 200, &mut random, |position| {
            check_with_replies(position, if ply % 100 == 50 { 2 } else { 0 });
            ply += 1;
        });
    }
}

#[test]
fn random_chess960_games_agree() {
    let mut random = Random(960);
    for _ in 0..300 {
        let mut ranks = [[Role::Rook; 8]; 2];
        for rank in &mut ranks {
            *rank = random_back_rank(&mut random);
        }
        let mut setup = Setup::start_with(ranks[0]);
        let black = Setup::start_with(ranks[1]);
        setup.board[56..].copy_from_slice(&black.board[56..]);
        setup.castling_rooks = setup.squares_of(Piece::new(Color::White, Role::Rook))
            | setup.squares_of(Piece::new(Color::Black, Role::Rook));
        play_out(Position::new(&setup).unwrap(), 150, &mut random, check);
    }
}

/// A random Chess960 back rank.
fn random_back_rank(random: &mut Random) -> [Role; 8] {
    use Role::{Bishop, King, Knight, Queen, Rook};
    loop {
        let mut rank = [Rook, Rook, King, Queen, Knight, Knight, Bishop, Bishop];
        for last in (1..8).rev() {
            rank.swap(last, random.below(last + 1));
        }
        let at = |role| rank.iter().position(|&r| r == role).unwrap();
        let last = |role| rank.iter().rposition(|&r| r == role).unwrap();
        if at(Rook) < at(King) && at(King) < last(Rook) && (at(Bishop) + last(Bishop)) % 2 == 1 {
            return rank;
        }
    }
}

/// Places pieces at random, so that pins, checks and en passant combine far more often than in games.
fn random_setup(random: &mut Random) -> Setup {
    let mut setup = Setup::empty();
    setup.turn = Color::ALL[random.below(2)];
    for color in Color::ALL {
        let king = if random.below(3) == 0 { Square::E1 } else { Square::from_index(random.below(64)) };
        let king = if color == Color::White { king } else { king.flip_rank() };
        setup.board[king.index()] = Some(Piece::new(color, Role::King));
        for _ in 0..random.below(7) {
            let square = Square::from_index(random.below(64));
            let role = Role::ALL[random.below(5)];
            let back = square.index() < 8 || square.index() > 55;
            if setup.board[square.index()].is_none() && !(back && role == Role::Pawn) {
                setup.board[square.index()] = Some(Piece::new(color, role));
            }
        }
    }
    let (us, them) = (setup.turn, !setup.turn);
    if random.below(2) == 0 {
        let file = smalt_chess::File::from_index(random.below(8));
        let at = |rank| Square::new(file, us.rank(rank));
        use smalt_chess::Rank::{Fifth, Seventh, Sixth};
        if setup.board[at(Sixth).index()].is_none() && setup.board[at(Seventh).index()].is_none() {
            setup.board[at(Fifth).index()] = Some(Piece::new(them, Role::Pawn));
            setup.en_passant = Some(at(Sixth));
            for side in [-1, 1] {
                if let Some(beside) = at(Fifth).offset(side, 0).filter(|_| random.below(2) == 0)
                    && setup.board[beside.index()].is_none()
                {
                    setup.board[beside.index()] = Some(Piece::new(us, Role::Pawn));
                }
            }
        }
    }
    for rook in [Square::A1, Square::H1, Square::B1, Square::G1] {
        for color in Color::ALL {
            let rook = if color == Color::White { rook } else { rook.flip_rank() };
            let king = setup.king_of(color);
            let fits = setup.board[rook.index()] == Some(Piece::new(color, Role::Rook))
                && king.is_some_and(|king| king.rank() == rook.rank());
            let side = |other: Square| king.map(|king| CastlingSide::of(king, other));
            let taken =
                setup.castling_rooks.into_iter().any(|r| r.rank() == rook.rank() && side(r) == side(rook));
            if fits && !taken {
                setup.castling_rooks.insert(rook);
            }
        }
    }
    setup
}

#[test]
fn scattered_pieces_agree() {
    let mut random = Random(7);
    let mut legal = 0;
    while legal < 30_000 {
        if let Ok(position) = Position::new(&random_setup(&mut random)) {
            // shakmaty drops an en passant square that no move can have produced.
            let refused = shredder_fen(&position).into_position::<Chess>(CastlingMode::Chess960).is_err();
            if position.en_passant().is_some() && refused {
                continue;
            }
            check_with_replies(&position, if legal % 100 == 0 { 2 } else { 0 });
            legal += 1;
        }
    }
}
