//! Moves from the engines' own books.

use smalt_chess::{Color, Move};

use super::LiveGame;
use crate::schedule::ScheduledGame;

impl LiveGame<'_> {
    /// Continues the opening with the books of both engines, as cutechess-cli does: games with the same opening share
    /// these moves, and the engine listed first has the book of White.
    pub(super) fn play_books(&mut self) {
        let [Some(white), Some(black)] = self.books else { return };
        let ScheduledGame { white: first, black: second, opening, .. } = self.setup.game;
        let books = if self.setup.shares_opening && first > second { [black, white] } else { [white, black] };
        while let Some(mv) = books[self.game.position().turn().index()].choose_move(&self.game, opening) {
            self.play_book_move(mv);
        }
    }

    /// The book move of the side to move. Clears earlier searches and ponder moves.
    pub(super) fn book_move(&mut self, mover: Color) -> Option<Move> {
        let mv = self.books[mover.index()]?.choose_move(&self.game, self.setup.game.opening)?;
        self.check_search();
        self.end_pondering();
        self.expected = [None; 2];
        self.answered_at = None;
        Some(mv)
    }
}
