//! The rules and the notation of chess, standard and Chess960: no input or output, no clock, no global state.

pub mod bitboard;
pub mod moves;
pub mod notation;
pub mod piece;
pub mod square;

pub use bitboard::Bitboard;
pub use moves::{Move, MoveKind, MoveList};
pub use notation::uci_move::UciMove;
pub use piece::{Color, Piece, Role};
pub use square::{File, Rank, Square};
