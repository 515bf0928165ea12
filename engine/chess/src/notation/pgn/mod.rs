//! Portable game notation: games with their tags, moves, comments and variations.
//!
//! Reading streams: [`PgnReader`] holds one buffer and one token, and calls a [`Visitor`], or builds whole
//! games ([`PgnGame`]). Whatever is wrong costs no more than it must: a line of text, a variation, the rest of a game;
//! and is reported with its line and reason. Writing is the [`PgnGame`]'s `Display`, in export format, or with moves in another
//! notation ([`PgnGame::written_in`]).

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
