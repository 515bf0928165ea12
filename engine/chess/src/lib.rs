//! The rules and the notation of chess, standard and Chess960: no input or output, no clock, no global state.

pub mod attacks;
pub mod bitboard;
pub mod game;
pub mod moves;
pub mod notation;
pub mod outcome;
pub mod perft;
pub mod piece;
pub mod position;
pub mod setup;
pub mod square;

pub use bitboard::Bitboard;
pub use game::{DrawClaims, Game, IllegalMoveError};
pub use moves::{Move, MoveKind, MoveList};
pub use notation::epd::{Epd, EpdMoveError, ParseEpdError};
pub use notation::fen::{FenError, FenStyle, ParseFenError};
pub use notation::move_comment::{CommentScore, MoveComment, SearchComment};
pub use notation::pgn::{PgnGame, PgnReader};
pub use notation::san::{San, SanError};
pub use notation::uci_move::{CastlingMode, UciMove, UciMoveError};
pub use outcome::{Ending, Outcome};
pub use piece::{Color, Piece, Role};
pub use position::{Checks, MoveSink, Moves, PawnStep, Position, PositionError};
pub use setup::{CastlingSide, Setup};
pub use square::{File, Rank, Square};
