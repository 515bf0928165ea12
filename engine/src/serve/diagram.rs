//! Board diagram with FEN, key and checkers.

use std::fmt;

use smalt_chess::{File, Position, Rank, Square};

/// Prints a position, White below.
pub(super) struct Board<'a>(pub(super) &'a Position);

impl fmt::Display for Board<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = self.0;
        for rank in Rank::ALL.into_iter().rev() {
            write!(f, "{} ", rank.to_char())?;
            for file in File::ALL {
                let piece = position.piece_at(Square::new(file, rank));
                write!(f, " {}", piece.map_or('.', |piece| piece.to_char()))?;
            }
            writeln!(f)?;
        }
        writeln!(f, "\n   a b c d e f g h\n")?;
        writeln!(f, "fen: {}", position.to_fen())?;
        writeln!(f, "key: {:016x}", position.key())?;
        write!(f, "checkers:")?;
        position.checkers().into_iter().try_for_each(|square| write!(f, " {square}"))
    }
}
