//! Openings from a Polyglot book: random walks from the start position, each move chosen by its weight. A walk
//! depends on its number and the seed alone.

use std::path::Path;
use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use smalt_chess::notation::polyglot::PolyglotBook;
use smalt_chess::{DrawClaims, Game, Position};

use super::book_error::BookError;
use super::{Opening, hashed};
use smalt_workbench::decompress::DecompressReader;
use smalt_workbench::fnv::FNV_EMPTY;
use smalt_workbench::input::{MAX_INPUT, read_all};

/// Maximum length of a walk in plies: books may have cycles.
const LONGEST: u32 = 400;

/// A Polyglot book for random walks.
#[derive(Clone, Debug)]
pub struct PolyglotWalk {
    book: PolyglotBook<Arc<[u8]>>,
    plies: u32,
}

impl PolyglotWalk {
    /// Reads a book, plain or compressed, with a maximum length of its walks in plies.
    ///
    /// # Errors
    /// If it cannot be read, is no such book, or has no move for the start position.
    pub(crate) fn open(path: &Path, plies: Option<u32>) -> Result<PolyglotWalk, BookError> {
        PolyglotWalk::new(read_polyglot(path)?, plies)
    }

    fn new(book: PolyglotBook<Arc<[u8]>>, plies: Option<u32>) -> Result<PolyglotWalk, BookError> {
        if book.best_move(&Position::start()).is_none() {
            return Err(BookError::Polyglot(
                "the book has no move for the start position of standard chess".to_owned(),
            ));
        }
        Ok(PolyglotWalk { book, plies: plies.unwrap_or(LONGEST).min(LONGEST) })
    }

    /// Number of book moves.
    pub(super) fn records(&self) -> usize {
        self.book.len()
    }

    pub(super) fn checksum(&self) -> u64 {
        self.book.entries().fold(FNV_EMPTY, |sum, entry| {
            hashed(hashed(sum, entry.key), u64::from(entry.mv.to_bits()) << 16 | u64::from(entry.weight))
        })
    }

    /// The walk with this number. It ends at the end of the book, at the maximum length, or before a move that would
    /// end the game.
    pub(crate) fn opening(&self, number: u32, seed: u64) -> Opening {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(u64::from(number));
        let mut game = Game::default();
        for _ in 0..self.plies {
            let Some(mv) = self.book.choose_move(game.position(), random.next_u64()) else { break };
            if game.play(mv).is_err() {
                break;
            }
            if game.ending(DrawClaims::Automatic).is_some() {
                game.undo();
                break;
            }
        }
        Opening { moves: game.moves().to_vec(), ..Opening::standard() }
    }
}

/// Opens a Polyglot book, plain or compressed.
pub(super) fn read_polyglot(path: &Path) -> Result<PolyglotBook<Arc<[u8]>>, BookError> {
    parse_polyglot(&read_all(DecompressReader::open(path)?, MAX_INPUT)?)
}

fn parse_polyglot(bytes: &[u8]) -> Result<PolyglotBook<Arc<[u8]>>, BookError> {
    let refuse = |reason: String| BookError::Polyglot(format!("not a Polyglot book: {reason}"));
    PolyglotBook::new(Arc::from(bytes)).map_err(|error| refuse(error.to_string()))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use smalt_chess::notation::polyglot::PolyglotBuilder;
    use smalt_chess::{Move, UciMove};

    use super::*;

    /// A book of these games, each move once per game.
    fn book(games: &[(&str, u16)]) -> Vec<u8> {
        let mut builder = PolyglotBuilder::new();
        for (moves, weight) in games {
            let mut position = Position::start();
            for text in moves.split(' ') {
                let mv = UciMove::parse(text).unwrap().to_move(&position).unwrap();
                builder.add(&position, mv, *weight);
                position.play(mv);
            }
        }
        builder.to_bytes()
    }

    fn walk_of(bytes: &[u8], plies: Option<u32>) -> Result<PolyglotWalk, BookError> {
        PolyglotWalk::new(parse_polyglot(bytes)?, plies)
    }

    fn walks(walk: &PolyglotWalk, seed: u64) -> Vec<Vec<Move>> {
        (0..100).map(|number| walk.opening(number, seed).moves).collect()
    }

    #[test]
    fn walks_follow_from_number_and_seed_and_weights() {
        let games = [("e2e4 e7e5 g1f3", 3), ("d2d4 d7d5 c2c4", 1), ("a2a3", 0)];
        let walk = walk_of(&book(&games), None).unwrap();
        let found = walks(&walk, 5);
        assert_eq!(found, walks(&walk, 5));
        assert_ne!(found, walks(&walk, 6));
        let different: HashSet<_> = found.iter().collect();
        assert_eq!(different.len(), 2, "what has no weight is never played");
        let kings =
            found.iter().filter(|moves| moves[0].from() == smalt_chess::Square::parse("e2").unwrap()).count();
        assert!((60..90).contains(&kings), "three of four: {kings}");
        assert!(found.iter().all(|moves| moves.len() == 3));
    }

    #[test]
    fn a_walk_has_no_more_plies_than_asked_and_never_ends_the_game() {
        let games = [("f2f3 e7e5 g2g4 d8h4", 1)];
        let length = |plies| walk_of(&book(&games), plies).unwrap().opening(0, 1).moves.len();
        assert_eq!(length(Some(2)), 2);
        assert_eq!(length(None), 3, "the mate is skipped");
    }

    #[test]
    fn a_file_that_is_not_a_book_is_refused() {
        assert!(walk_of(b"nonsense", None).is_err());
        assert!(walk_of(&[], None).is_err());
    }
}
