//! Charts of a run or a PGN file: Elo, LLR, ratings, pentanomial, openings, and curves of one game. Plain
//! [`figures`] are gathered from a store or PGN; [`charts`] and `smalt-report` draw them.

pub mod charts;
pub mod figures;
pub mod game;
pub mod openings;
pub mod pgn;

pub use figures::{EntrantFigures, Figures, Test};
pub use game::GameCurves;
