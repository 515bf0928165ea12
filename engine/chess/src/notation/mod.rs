//! The texts of chess: how moves, positions and games are written and read.

pub mod encoding;
pub mod epd;
pub mod fen;
mod letters;
pub mod move_comment;
pub mod pgn;
pub mod polyglot;
pub mod san;
pub mod uci_move;
