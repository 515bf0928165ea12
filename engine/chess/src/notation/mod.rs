//! The texts of chess: how moves, positions and games are written and read.

pub mod uci_move;
