//! Openings: where games begin. Texts and books become legal positions with moves here, before a run starts; what cannot
//! be used is reported with its line. A book of millions is never held as a whole: it is read once to be judged and
//! counted ([`Book`]), and once more for the openings that a run uses ([`Openings`]). Knows no order, and no games.

mod book;
pub mod eco;
pub mod generate;
mod selection;
mod source;
mod walk;

use smalt_chess::{Move, Position};

pub use book::{Book, BookError, SkippedOpening};
pub use selection::Openings;
pub use source::{OpeningOrigin, OpeningSource};
pub use walk::PolyglotWalk;

/// One opening. Its position has moves, and so has the one after its moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// Where it begins, as engines are told; the start position of chess if none.
    pub fen: Option<String>,
    /// The same.
    pub position: Position,
    /// What is played from there before the engines think.
    pub moves: Vec<Move>,
    /// What it is called, if that is known.
    pub name: Option<String>,
    /// Its code in the Encyclopedia of Chess Openings, if that is known.
    pub eco: Option<String>,
}

impl Opening {
    /// The start position of chess.
    pub fn standard() -> Opening {
        Opening::from_position(Position::start())
    }

    /// A position to begin in.
    pub fn from_position(position: Position) -> Opening {
        let fen = (position != Position::start()).then(|| position.to_fen());
        Opening { fen, position, moves: Vec::new(), name: None, eco: None }
    }
}

/// The shipped openings, in EPD: `data/openings/balanced.epd`.
const EMBEDDED: &str = include_str!("../../../../data/openings/balanced.epd");

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_embedded_openings_are_many_and_all_different() {
        let book = Book::scan(OpeningSource::new(OpeningOrigin::Builtin)).unwrap();
        assert!(book.count() >= 1000, "{}", book.count());
        assert_eq!((book.skipped(), book.skipped_count()), (&[][..], 0));
        let openings = book.select(0..book.count(), 0).unwrap();
        let keys: HashSet<_> =
            (0..book.count()).map(|used| openings.get(used as usize).position.key()).collect();
        assert_eq!(keys.len(), book.count() as usize);
    }
}
