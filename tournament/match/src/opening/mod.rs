//! Openings: EPD, PGN and Polyglot books become legal positions with moves before a run starts; unusable entries are
//! reported with their lines. A large book is never held in memory: one pass checks and counts it ([`Book`]), a
//! second one reads the openings of a run ([`Openings`]).

mod book;
mod book_error;
pub(crate) mod eco;
mod engine_book;
mod generate;
mod selection;
mod source;
mod walk;

use smalt_chess::{Move, Position};
use smalt_workbench::fnv::fnv1a;

pub use book::Book;
pub use book_error::{BookError, SkippedOpening};
pub use eco::classify;
pub use engine_book::EngineBook;
pub(crate) use generate::Variation;
pub use generate::{Candidate, OpeningGenerator};
pub use selection::Openings;
pub use source::{OpeningOrigin, OpeningSource};
pub use walk::PolyglotWalk;

/// An opening. Its start position and its final position have legal moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// Start position as sent to engines; `None` for the standard one.
    pub fen: Option<String>,
    pub position: Position,
    /// Book moves from there.
    pub moves: Vec<Move>,
    pub name: Option<String>,
    /// ECO code, if known.
    pub eco: Option<String>,
}

impl Opening {
    /// The start position of chess.
    pub fn standard() -> Opening {
        Opening::from_position(Position::start())
    }

    /// An opening without moves.
    pub fn from_position(position: Position) -> Opening {
        let fen = (position != Position::start()).then(|| position.to_fen());
        Opening { fen, position, moves: Vec::new(), name: None, eco: None }
    }
}

/// Continues the checksum of a book.
fn hashed(sum: u64, value: u64) -> u64 {
    fnv1a(sum, &value.to_le_bytes())
}

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
