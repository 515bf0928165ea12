//! Pictures of a run or of a file of games: Elo with its band, a sequential test between its bounds, ratings, pairs, scores by
//! opening, and the course of one game. What is drawn is gathered as plain [`Figures`], from a store's standings
//! or from PGN; [`charts`] and `smalt-report` draw it. Writes no files.

pub mod charts;
pub mod figures;
pub mod game;
pub mod openings;
pub mod pgn;

pub use figures::{EntrantFigures, Figures, Test};
pub use game::GameCurves;
