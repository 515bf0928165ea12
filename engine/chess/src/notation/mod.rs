//! The texts of chess: how moves, positions and games are written and read.

pub mod fen;
pub mod san;
pub mod uci_move;
