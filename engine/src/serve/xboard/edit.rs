//! Edit mode: sets up a position piece by piece.

use smalt_chess::{CastlingMode, Color, File, Piece, Position, PositionError, Rank, Role, Setup, Square};
use smalt_protocol::xboard::client::EditLine;

/// Board in edit mode.
#[derive(Clone, Debug)]
pub(super) struct Editor {
    setup: Setup,
    /// Color of the next piece.
    color: Color,
}

impl Editor {
    /// Starts from the pieces of a position.
    pub(super) fn new(position: &Position) -> Editor {
        Editor { setup: position.to_setup(), color: Color::White }
    }

    /// Applies a line; false if it ends the edit mode.
    pub(super) fn edit(&mut self, line: EditLine) -> bool {
        match line {
            EditLine::Clear => self.setup.board = [None; 64],
            EditLine::ChangeColor => self.color = !self.color,
            EditLine::Place(role, square) => {
                self.setup.board[square.index()] = Some(Piece::new(self.color, role));
            }
            EditLine::Remove(square) => self.setup.board[square.index()] = None,
            EditLine::End => return false,
        }
        true
    }

    /// The edited position, with the same side to move. Kings and rooks on their home squares may castle (in Chess960
    /// the outermost rooks on the king's rank); no en passant, and counters start anew.
    pub(super) fn finish(self, variant: CastlingMode) -> Result<Position, PositionError> {
        let mut setup = Setup { turn: self.setup.turn, board: self.setup.board, ..Setup::empty() };
        for color in Color::ALL {
            let rooks = Square::all().filter(|&square| may_castle(&setup, color, square, variant));
            let rooks: Vec<Square> = rooks.collect();
            let king = setup.king_of(color);
            let left = rooks.iter().filter(|&&rook| Some(rook) < king).min();
            let right = rooks.iter().filter(|&&rook| Some(rook) > king).max();
            setup.castling_rooks |= left.into_iter().chain(right).copied().collect();
        }
        Position::new(&setup)
    }
}

/// Whether king and rook are on squares from which they may castle.
fn may_castle(setup: &Setup, color: Color, rook: Square, variant: CastlingMode) -> bool {
    let rank = color.rank(Rank::First);
    let Some(king) = setup.king_of(color) else { return false };
    let is_at_home = rook.rank() == rank && king.rank() == rank;
    let is_usual = king.file() == File::E && matches!(rook.file(), File::A | File::H);
    setup.board[rook.index()] == Some(Piece::new(color, Role::Rook))
        && is_at_home
        && (is_usual || variant == CastlingMode::Chess960)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &str, variant: CastlingMode, expected: &str) {
        let mut editor = Editor::new(&Position::start());
        for line in lines.split_whitespace() {
            assert_eq!(editor.edit(EditLine::parse(line).unwrap()), line != ".");
        }
        let found = editor.finish(variant).map_or_else(|error| error.to_string(), |found| found.to_fen());
        assert_eq!(found, expected);
    }

    #[test]
    fn pieces_are_put_and_removed_and_castling_follows() {
        let standard = CastlingMode::Standard;
        check("# Ke1 Ra1 Rh1 Pa2 c Ke8 Rb8 .", standard, "1r2k3/8/8/8/8/8/P7/R3K2R w KQ - 0 1");
        check("xe2 xd8 .", standard, "rnb1kbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1");
        check("# Ke1 c Pa2 .", standard, "black has no king");
    }

    #[test]
    fn the_outermost_rooks_castle_in_chess960() {
        let mode = CastlingMode::Chess960;
        check("# Kd1 Rb1 Rc1 Rg1 c Kd8 Rh8 .", mode, "3k3r/8/8/8/8/8/8/1RRK2R1 w KQk - 0 1");
    }
}
