//! Moves from the engines' own books.

use smalt_chess::{Color, Move};

use super::LiveGame;
use crate::schedule::ScheduledGame;

impl LiveGame<'_> {
    /// Continues the opening by the books of both engines, as cutechess-cli does: games that share an opening share these
    /// moves, and the engine that is listed first has the book of White.
    pub(super) fn play_books(&mut self) {
        let [Some(white), Some(black)] = self.books else { return };
        let ScheduledGame { white: first, black: second, opening, .. } = self.setup.game;
        let books = if self.setup.shares_opening && first > second { [black, white] } else { [white, black] };
        while let Some(mv) = books[self.game.position().turn().index()].choose_move(&self.game, opening) {
            self.play_book_move(mv);
        }
    }

    /// The move of the side to move by its own book. Searches and guesses before it mean nothing then.
    pub(super) fn book_move(&mut self, mover: Color) -> Option<Move> {
        let mv = self.books[mover.index()]?.choose_move(&self.game, self.setup.game.opening)?;
        self.check_search();
        self.end_pondering();
        self.expected = [None; 2];
        self.answered_at = None;
        Some(mv)
    }
}
