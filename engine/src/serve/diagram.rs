//! Board diagram with FEN, key and checkers.

use std::fmt;

use smalt_chess::{Color, File, Piece, Position, Rank, Role, Square};

/// Style of squares and pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BoardStyle {
    Ascii,
    /// Chess symbols without colors.
    Unicode,
    /// Chess symbols on colored squares, by escape sequences for 256 colors.
    Color,
}

/// Escape sequences: colors of squares and pieces, and reset.
const LIGHT: &str = "\x1b[48;5;180m";
const DARK: &str = "\x1b[48;5;137m";
const WHITE: &str = "\x1b[38;5;231m";
const BLACK: &str = "\x1b[38;5;16m";
const RESET: &str = "\x1b[0m";

impl BoardStyle {
    pub(super) fn parse(name: &str) -> Option<BoardStyle> {
        Some(match name {
            "ascii" => BoardStyle::Ascii,
            "unicode" => BoardStyle::Unicode,
            "color" => BoardStyle::Color,
            _ => return None,
        })
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            BoardStyle::Ascii => "ascii",
            BoardStyle::Unicode => "unicode",
            BoardStyle::Color => "color",
        }
    }

    pub(super) fn board(self, position: &Position) -> Diagram<'_> {
        Diagram { position, style: self }
    }

    fn write_square(self, f: &mut fmt::Formatter<'_>, square: Square, piece: Option<Piece>) -> fmt::Result {
        match self {
            BoardStyle::Ascii => write!(f, " {}", piece.map_or('.', |piece| piece.to_char())),
            BoardStyle::Unicode => write!(f, " {}", piece.map_or('·', symbol)),
            BoardStyle::Color => {
                let color = if square.is_light() { LIGHT } else { DARK };
                match piece {
                    // Filled symbols are visible on both kinds of squares; their color shows the side.
                    Some(piece) => {
                        let side = if piece.color() == Color::White { WHITE } else { BLACK };
                        write!(f, "{color}{side} {} ", symbol(Piece::new(Color::Black, piece.role())))
                    }
                    None => write!(f, "{color}   "),
                }
            }
        }
    }
}

fn symbol(piece: Piece) -> char {
    let [white, black] = match piece.role() {
        Role::Pawn => ['♙', '♟'],
        Role::Knight => ['♘', '♞'],
        Role::Bishop => ['♗', '♝'],
        Role::Rook => ['♖', '♜'],
        Role::Queen => ['♕', '♛'],
        Role::King => ['♔', '♚'],
    };
    if piece.color() == Color::White { white } else { black }
}

/// Prints a board with White at the bottom.
pub(super) struct Diagram<'a> {
    position: &'a Position,
    style: BoardStyle,
}

impl fmt::Display for Diagram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = self.position;
        for rank in Rank::ALL.into_iter().rev() {
            write!(f, "{} ", rank.to_char())?;
            for file in File::ALL {
                let square = Square::new(file, rank);
                self.style.write_square(f, square, position.piece_at(square))?;
            }
            writeln!(f, "{}", if self.style == BoardStyle::Color { RESET } else { "" })?;
        }
        let files = match self.style {
            BoardStyle::Ascii | BoardStyle::Unicode => "   a b c d e f g h",
            BoardStyle::Color => "   a  b  c  d  e  f  g  h",
        };
        write!(f, "\n{files}\n")
    }
}

/// Prints FEN, key and checkers of a position.
pub(super) struct Details<'a>(pub(super) &'a Position);

impl fmt::Display for Details<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = self.0;
        writeln!(f, "fen: {}", position.to_fen())?;
        writeln!(f, "key: {:016x}", position.key())?;
        write!(f, "checkers:")?;
        position.checkers().into_iter().try_for_each(|square| write!(f, " {square}"))
    }
}
