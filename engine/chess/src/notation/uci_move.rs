//! A move as engines write it, `e2e4` or `a7a8q`: only the text, which means something together with a position.

use std::fmt::{self, Write};
use std::str::FromStr;

use crate::piece::Role;
use crate::square::{File, Rank, Square};

/// A move in pure coordinate notation. Whether castling is written as the king's two steps or as the king
/// taking his rook is for a position to tell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UciMove {
    /// `0000`: the side to move passes.
    Null,
    /// A piece goes from one square to another.
    Normal {
        /// Where the piece comes from.
        from: Square,
        /// Where the piece goes.
        to: Square,
        /// What a pawn becomes: knight, bishop, rook or queen.
        promotion: Option<Role>,
    },
}

/// A text that is no move in coordinate notation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not a move in coordinate notation: expected a form like e2e4, a7a8q or 0000")]
pub struct ParseUciMoveError;

impl UciMove {
    /// Reads `e2e4`, `a7a8q` or `0000`. Either case is taken, since some engines write `a7a8Q`.
    ///
    /// # Errors
    /// If the text is anything else, surrounding space included.
    pub fn parse(text: &str) -> Result<UciMove, ParseUciMoveError> {
        UciMove::read(text.as_bytes()).ok_or(ParseUciMoveError)
    }

    fn read(text: &[u8]) -> Option<UciMove> {
        let (squares, promotion) = match *text {
            [b'0', b'0', b'0', b'0'] => return Some(UciMove::Null),
            [a, b, c, d] => ([a, b, c, d], None),
            [a, b, c, d, letter] => ([a, b, c, d], Some(promotion(letter)?)),
            _ => return None,
        };
        let [a, b, c, d] = squares;
        Some(UciMove::Normal { from: square(a, b)?, to: square(c, d)?, promotion })
    }
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

impl fmt::Display for UciMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UciMove::Normal { from, to, promotion } = *self else {
            return f.write_str("0000");
        };
        for square in [from, to] {
            f.write_char(square.file().to_char())?;
            f.write_char(square.rank().to_char())?;
        }
        promotion.map_or(Ok(()), |role| f.write_char(role.to_char()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(from: Square, to: Square, promotion: Option<Role>) -> UciMove {
        UciMove::Normal { from, to, promotion }
    }

    #[test]
    fn every_move_prints_as_it_parses() {
        let promotions = [None, Some(Role::Knight), Some(Role::Bishop), Some(Role::Rook), Some(Role::Queen)];
        for from in Square::all() {
            for to in Square::all() {
                for promotion in promotions {
                    let mv = normal(from, to, promotion);
                    assert_eq!(mv.to_string().parse(), Ok(mv));
                }
            }
        }
        assert_eq!(UciMove::Null.to_string().parse(), Ok(UciMove::Null));
    }

    #[test]
    fn upper_case_is_taken() {
        assert_eq!(UciMove::parse("A7B8Q"), Ok(normal(Square::A7, Square::B8, Some(Role::Queen))));
        assert_eq!(UciMove::parse("a7b8N"), Ok(normal(Square::A7, Square::B8, Some(Role::Knight))));
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
