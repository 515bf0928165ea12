//! Portable Game Notation: games with tags, moves, comments and variations.
//!
//! [`PgnReader`] reads a stream with one buffer and one token, and calls a [`Visitor`] or builds whole games
//! ([`PgnGame`]). An error costs as little as possible (a line of text, a variation, the rest of a game) and is
//! reported with line and reason. `Display` of [`PgnGame`] writes export format, or moves in another notation
//! ([`PgnGame::written_in`]).

mod builder;
mod game;
mod lexer;
mod problem;
mod reader;
mod source;
mod tags;
mod visitor;
mod write;

pub use builder::Variations;
pub use game::{Element, MainLineMove, PgnGame, VariationError};
pub use problem::{PgnError, PgnProblem, ProblemKind, SkippedGame};
pub use reader::PgnReader;
pub use tags::Tags;
pub use visitor::{Flow, Visitor};
pub use write::{MoveNotation, WrittenGame};
