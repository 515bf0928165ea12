//! Moves in UCI notation, `e2e4` or `a7a8q`: parsing, formatting, and conversion to a move in a position.

use std::fmt;
use std::str::FromStr;

use crate::bitboard::Bitboard;
use crate::moves::{Move, MoveKind};
use crate::notation::letters::Letters;
use crate::piece::{Color, Role};
use crate::position::Position;
use crate::setup::CastlingSide;
use crate::square::{File, Rank, Square};

/// A move in coordinate notation, in 16 bits. Whether castling is the king's two-square step or the king capturing its
/// rook depends on the position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UciMove(u16);

/// The text is not coordinate notation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not a move in coordinate notation: expected a form like e2e4, a7a8q or 0000")]
pub struct ParseUciMoveError;

/// Notation of castling moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum CastlingMode {
    /// The king moves two squares: `e1g1`.
    #[default]
    Standard,
    /// King captures own rook: `e1h1`. Required in Chess960.
    Chess960,
}

impl CastlingMode {
    /// Standard, unless a king or rook with castling rights is not on its standard square.
    pub fn of(position: &Position) -> CastlingMode {
        let rooks = position.castling_rooks();
        let usual = Color::ALL.into_iter().all(|color| {
            let own = rooks & position.color(color);
            own.is_empty() || own.into_iter().all(|rook| is_usual_castling(position.king(color), rook))
        });
        if usual { CastlingMode::Standard } else { CastlingMode::Chess960 }
    }
}

/// Whether king and rook are on the files of the start position.
fn is_usual_castling(king: Square, rook: Square) -> bool {
    king.file() == File::E && matches!(rook.file(), File::A | File::H)
}

/// Why a coordinate move cannot be played in a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UciMoveError {
    /// A null move is never legal.
    #[error("0000 is a null move, not a legal one")]
    Null,
    /// No legal move has these squares and this promotion.
    #[error("{0} is not a legal move here")]
    Illegal(UciMove),
}

impl UciMove {
    /// `0000`: a null move.
    pub const NULL: UciMove = UciMove(u16::MAX);

    /// A move from one square to another, with its promotion role: knight, bishop, rook or queen.
    pub const fn new(from: Square, to: Square, promotion: Option<Role>) -> UciMove {
        let promotion = match promotion {
            Some(role) => role as u16 + 1,
            None => 0,
        };
        UciMove(from.index() as u16 | (to.index() as u16) << 6 | promotion << 12)
    }

    /// Origin and destination square; `None` for a null move.
    pub fn squares(self) -> Option<[Square; 2]> {
        (self != UciMove::NULL).then(|| [self.0, self.0 >> 6].map(|bits| Square::from_index(bits.into())))
    }

    /// Promotion role.
    pub fn promotion(self) -> Option<Role> {
        let number = usize::from(self.0 >> 12);
        Role::ALL.get(number.checked_sub(1)?).copied()
    }

    /// The notation of a move. In standard mode castling is the king's two-square move if king and rook are on their
    /// standard squares; otherwise the king captures its rook, which is unambiguous.
    pub fn from_move(mv: Move, mode: CastlingMode) -> UciMove {
        let (from, mut to) = (mv.from(), mv.to());
        if mv.is_castle() && mode == CastlingMode::Standard && is_usual_castling(from, to) {
            to = Square::new(CastlingSide::of(from, to).king_file(), from.rank());
        }
        UciMove::new(from, to, mv.promoted_to())
    }

    /// The legal move that the text denotes in a position. Both castling notations are accepted; a king move to an
    /// adjacent square is never castling.
    ///
    /// # Errors
    /// If no legal move has these squares and this promotion.
    pub fn to_move(self, position: &Position) -> Result<Move, UciMoveError> {
        let [from, to] = self.squares().ok_or(UciMoveError::Null)?;
        guess(position, from, to, self.promotion())
            .filter(|&mv| position.is_legal(mv))
            .ok_or(UciMoveError::Illegal(self))
    }

    /// Parses `e2e4`, `a7a8q` or `0000`. Either case is accepted, since some engines write `a7a8Q`.
    ///
    /// # Errors
    /// If the text is anything else, including surrounding space.
    pub fn parse(text: &str) -> Result<UciMove, ParseUciMoveError> {
        UciMove::read(text.as_bytes()).ok_or(ParseUciMoveError)
    }

    fn read(text: &[u8]) -> Option<UciMove> {
        let (squares, promotion) = match *text {
            [b'0', b'0', b'0', b'0'] => return Some(UciMove::NULL),
            [a, b, c, d] => ([a, b, c, d], None),
            [a, b, c, d, letter] => ([a, b, c, d], Some(promotion(letter)?)),
            _ => return None,
        };
        let [a, b, c, d] = squares;
        Some(UciMove::new(square(a, b)?, square(c, d)?, promotion))
    }
}

/// The only move with these squares that can be legal.
fn guess(position: &Position, from: Square, to: Square, promotion: Option<Role>) -> Option<Move> {
    let us = position.turn();
    let piece = position.piece_at(from).filter(|piece| piece.color() == us)?;
    let capture = position.color(!us).contains(to);
    if let Some(role) = promotion {
        let promotes = piece.role() == Role::Pawn && to.rank() == us.rank(Rank::Eighth);
        return promotes.then(|| Move::promotion(from, to, role, capture));
    }
    let kind = match piece.role() {
        _ if capture => MoveKind::Capture,
        Role::Pawn if from.file() != to.file() => MoveKind::EnPassant,
        Role::Pawn if from.distance(to) == 2 => MoveKind::DoublePush,
        Role::King => return Some(king_move(position, from, to)),
        _ => MoveKind::Quiet,
    };
    Some(Move::new(from, to, kind))
}

/// A king move to an empty square, or castling in either notation.
fn king_move(position: &Position, from: Square, to: Square) -> Move {
    let own = position.castling_rooks() & position.color(position.turn());
    let reaches = |rook: &Square| Square::new(CastlingSide::of(from, *rook).king_file(), from.rank()) == to;
    let rook = if own.contains(to) {
        Some(to)
    } else if from.distance(to) > 1 && Bitboard::from_rank(from.rank()).contains(to) {
        own.into_iter().find(reaches)
    } else {
        None
    };
    rook.map_or(Move::new(from, to, MoveKind::Quiet), |rook| Move::new(from, rook, MoveKind::Castle))
}

fn square(file: u8, rank: u8) -> Option<Square> {
    Some(Square::new(File::from_char(char::from(file))?, Rank::from_char(char::from(rank))?))
}

fn promotion(letter: u8) -> Option<Role> {
    Role::from_char(char::from(letter)).filter(|role| !matches!(role, Role::Pawn | Role::King))
}

impl FromStr for UciMove {
    type Err = ParseUciMoveError;

    fn from_str(text: &str) -> Result<UciMove, ParseUciMoveError> {
        UciMove::parse(text)
    }
}

impl UciMove {
    /// The text, without an allocation.
    pub fn letters(self) -> Letters<5> {
        let Some(squares) = self.squares() else { return Letters::of("0000") };
        let mut word = Letters::of("");
        for square in squares {
            word.push(square.file().to_char());
            word.push(square.rank().to_char());
        }
        self.promotion().into_iter().for_each(|role| word.push(role.to_char()));
        word
    }
}

impl fmt::Display for UciMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.letters())
    }
}

impl fmt::Debug for UciMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_move_prints_as_it_parses() {
        let promotions = [None, Some(Role::Knight), Some(Role::Bishop), Some(Role::Rook), Some(Role::Queen)];
        for from in Square::all() {
            for to in Square::all() {
                for promotion in promotions {
                    let mv = UciMove::new(from, to, promotion);
                    assert_eq!((mv.squares(), mv.promotion()), (Some([from, to]), promotion));
                    assert_eq!(mv.to_string().parse(), Ok(mv));
                }
            }
        }
        assert_eq!(UciMove::NULL.to_string().parse(), Ok(UciMove::NULL));
        assert_eq!((UciMove::NULL.squares(), UciMove::NULL.promotion()), (None, None));
    }

    fn meaning(fen: &str, text: &str) -> Result<(MoveKind, Square), UciMoveError> {
        let position = Position::from_fen(fen).unwrap();
        UciMove::parse(text).unwrap().to_move(&position).map(|mv| (mv.kind(), mv.to()))
    }

    #[test]
    fn castling_is_taken_in_both_ways_of_writing() {
        let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        assert_eq!(meaning(fen, "e1g1"), Ok((MoveKind::Castle, Square::H1)));
        assert_eq!(meaning(fen, "e1h1"), Ok((MoveKind::Castle, Square::H1)));
        assert_eq!(meaning(fen, "e1c1"), Ok((MoveKind::Castle, Square::A1)));
        assert_eq!(meaning(fen, "e1a1"), Ok((MoveKind::Castle, Square::A1)));
        assert!(meaning(fen, "e1b1").is_err());
        assert!(meaning(fen, "e1g1q").is_err());
    }

    #[test]
    fn a_king_step_is_not_castling() {
        let fen = "4k3/8/8/8/8/8/8/5K1R w H - 0 1";
        assert_eq!(meaning(fen, "f1g1"), Ok((MoveKind::Quiet, Square::G1)));
        assert_eq!(meaning(fen, "f1h1"), Ok((MoveKind::Castle, Square::H1)));
    }

    #[test]
    fn castling_from_unusual_squares_is_written_as_king_takes_rook() {
        let usual = Move::new(Square::E8, Square::A8, MoveKind::Castle);
        assert_eq!(UciMove::from_move(usual, CastlingMode::Standard).to_string(), "e8c8");
        assert_eq!(UciMove::from_move(usual, CastlingMode::Chess960).to_string(), "e8a8");
        let unusual = Move::new(Square::F1, Square::H1, MoveKind::Castle);
        assert_eq!(UciMove::from_move(unusual, CastlingMode::Standard).to_string(), "f1h1");
    }

    #[test]
    fn the_mode_of_a_position_follows_its_rights() {
        let mode = |fen| CastlingMode::of(&Position::from_fen(fen).unwrap());
        assert_eq!(mode("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"), CastlingMode::Standard);
        assert_eq!(mode("r3k1r1/8/8/8/8/8/8/R3K2R w KQkq - 0 1"), CastlingMode::Chess960);
        assert_eq!(mode("r3k1r1/8/8/8/8/8/8/5K1R w - - 0 1"), CastlingMode::Standard);
    }

    #[test]
    fn every_legal_move_comes_back_from_its_text() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 2",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap();
            for mode in [CastlingMode::Standard, CastlingMode::Chess960] {
                for &mv in &position.legal_moves() {
                    assert_eq!(UciMove::from_move(mv, mode).to_move(&position), Ok(mv));
                }
            }
        }
    }

    #[test]
    fn illegal_moves_are_refused() {
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        for text in ["e2e5", "e7e5", "e3e4", "e1g1", "e1h1", "g1e2", "a2b3", "e2e4q", "0000", "d1d8"] {
            assert!(meaning(fen, text).is_err(), "{text}");
        }
        assert_eq!(meaning(fen, "0000"), Err(UciMoveError::Null));
    }

    #[test]
    fn upper_case_is_taken() {
        assert_eq!(UciMove::parse("A7B8Q"), Ok(UciMove::new(Square::A7, Square::B8, Some(Role::Queen))));
        assert_eq!(UciMove::parse("a7b8N"), Ok(UciMove::new(Square::A7, Square::B8, Some(Role::Knight))));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in
            ["", "e2", "e2e9", "i2e4", "e7e8p", "e7e8k", "e2e4 ", "e7e8qq", "e2-e4", "00000", "éa1", "O-O"]
        {
            assert_eq!(UciMove::parse(text), Err(ParseUciMoveError), "{text:?}");
        }
    }
}
