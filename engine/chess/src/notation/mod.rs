//! Notation: FEN, EPD, SAN, UCI moves, PGN and Polyglot books.

pub mod encoding;
pub mod epd;
pub mod fen;
mod letters;
pub mod move_comment;
pub mod pgn;
pub mod polyglot;
pub mod san;
pub mod uci_move;

pub use letters::Letters;
