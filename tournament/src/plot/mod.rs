//! Charts of a run or a PGN file: Elo, LLR, ratings, pentanomial, openings, and curves of one game. Plain
//! [`figures`] are gathered from a store or PGN; [`charts`] and `smalt-report` draw them.

pub(crate) mod charts;
pub(crate) mod figures;
pub(crate) mod game;
pub(crate) mod openings;
pub(crate) mod pgn;

pub(crate) use figures::Figures;
pub(crate) use game::GameCurves;
