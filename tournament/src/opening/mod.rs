//! Openings: where games begin. Texts become legal positions with moves once, here, before a run starts; what cannot
//! be used is reported with its line. Reads no file itself, and knows no order.

pub mod make;
mod read;

use smalt_chess::{Move, Position};

pub use read::{BookError, Format, Skipped, parse};

/// One opening. Its position has moves, and so has the one after its moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// Where it begins, as engines are told; the start position of chess if none.
    pub fen: Option<String>,
    /// The same.
    pub position: Position,
    /// What is played from there before the engines think.
    pub moves: Vec<Move>,
}

impl Opening {
    /// The start position of chess.
    pub fn standard() -> Opening {
        Opening { fen: None, position: Position::start(), moves: Vec::new() }
    }

    /// A position to begin in.
    pub fn from_position(position: Position) -> Opening {
        let fen = (position != Position::start()).then(|| position.to_fen());
        Opening { fen, position, moves: Vec::new() }
    }
}

/// All openings of a run, in the order of their file.
#[derive(Clone, Debug, PartialEq)]
pub struct Book {
    /// At least one.
    pub openings: Vec<Opening>,
    /// What the file has besides.
    pub skipped: Vec<Skipped>,
}

/// The shipped openings, in EPD: `data/openings/balanced.epd`.
const EMBEDDED: &str = include_str!("../../../data/openings/balanced.epd");

impl Book {
    /// The openings that are part of the program.
    pub fn embedded() -> Book {
        parse(EMBEDDED.as_bytes(), Format::Epd, None).expect("the embedded openings are tested")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_embedded_openings_are_many_and_all_different() {
        let book = Book::embedded();
        assert!(book.openings.len() >= 1000, "{}", book.openings.len());
        assert_eq!(book.skipped, []);
        let keys: HashSet<_> = book.openings.iter().map(|opening| opening.position.key()).collect();
        assert_eq!(keys.len(), book.openings.len());
    }
}
