//! The texts of chess: how moves, positions and games are written and read.

pub mod fen;
pub mod uci_move;
