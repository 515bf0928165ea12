//! An engine's own Polyglot book. A move depends on seed, opening and ply alone, so that both games of a pair get the
//! same moves from the same book.

use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use smalt_chess::notation::polyglot::PolyglotBook;
use smalt_chess::{DrawClaims, Game, Move};

use super::book_error::BookError;
use super::walk::read_polyglot;

/// An engine's own book.
#[derive(Clone, Debug)]
pub struct EngineBook {
    book: PolyglotBook<Arc<[u8]>>,
    /// Last ply of a game at which it is used.
    plies: usize,
    seed: u64,
}

impl EngineBook {
    /// Opens a book, plain or compressed, to be used for `moves` moves of each side.
    ///
    /// # Errors
    /// If it cannot be read, or is not a Polyglot book.
    pub(crate) fn open(path: &Path, moves: Option<NonZeroU32>, seed: u64) -> Result<EngineBook, BookError> {
        let plies = moves.map_or(usize::MAX, |moves| 2 * moves.get() as usize);
        Ok(EngineBook { book: read_polyglot(path)?, plies, seed })
    }

    /// The book move; `None` without one, or if it would end the game or repeat a position.
    pub(crate) fn choose_move(&self, game: &Game, opening: usize) -> Option<Move> {
        let ply = game.moves().len();
        if ply >= self.plies {
            return None;
        }
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(opening as u64);
        random.set_word_pos(2 * ply as u128);
        let mv = self.book.choose_move(game.position(), random.next_u64())?;
        let mut after = game.clone();
        after.play(mv).ok()?;
        (after.repetitions() == 1 && after.ending(DrawClaims::Automatic).is_none()).then_some(mv)
    }
}

#[cfg(test)]
mod tests {
    use smalt_chess::UciMove;
    use smalt_chess::notation::polyglot::PolyglotBuilder;

    use super::*;

    fn game(moves: &str) -> Game {
        let mut game = Game::default();
        for text in moves.split_whitespace() {
            let mv = UciMove::parse(text).unwrap().to_move(game.position()).unwrap();
            game.play(mv).unwrap();
        }
        game
    }

    /// A book with all moves of these lines.
    fn book(lines: &[&str], moves: Option<u32>) -> EngineBook {
        let mut builder = PolyglotBuilder::new();
        for line in lines {
            for (position, mv) in game(line).plies() {
                builder.add(&position, mv, 1);
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.bin");
        std::fs::write(&path, builder.to_bytes()).unwrap();
        EngineBook::open(&path, moves.and_then(NonZeroU32::new), 3).unwrap()
    }

    #[test]
    fn a_book_ends_at_its_depth_and_before_a_repetition_or_the_end_of_the_game() {
        let check = |line: &str, depth: Option<u32>, played: &str, has_move: bool| {
            let found = book(&[line], depth).choose_move(&game(played), 0);
            assert_eq!(found.is_some(), has_move, "{line}: {played}");
        };
        check("e2e4 e7e5 g1f3 b8c6", None, "e2e4 e7e5 g1f3", true);
        check("e2e4 e7e5 g1f3 b8c6", None, "d2d4", false);
        check("e2e4 e7e5 g1f3 b8c6", Some(1), "e2e4", true);
        check("e2e4 e7e5 g1f3 b8c6", Some(1), "e2e4 e7e5", false);
        check("g1f3 g8f6 f3g1 f6g8", None, "g1f3 g8f6 f3g1", false);
        check("f2f3 e7e5 g2g4 d8h4", None, "f2f3 e7e5 g2g4", false);
    }

    #[test]
    fn the_move_follows_from_opening_and_ply() {
        let book = book(&["e2e4", "d2d4", "c2c4", "g1f3"], None);
        let moves = |openings: std::ops::Range<usize>| -> Vec<Move> {
            openings.filter_map(|opening| book.choose_move(&Game::default(), opening)).collect()
        };
        assert_eq!(moves(0..50), moves(0..50));
        let different: std::collections::HashSet<Move> = moves(0..50).into_iter().collect();
        assert_eq!(different.len(), 4);
    }
}
