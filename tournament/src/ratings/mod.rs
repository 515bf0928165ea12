//! One rating list from the games of any number of files, stores and PGN alike.
//!
//! [`Games`] collects results by names, [`pgn`] reads them from PGN, [`list`] fits the list (the model is
//! `smalt-stats`'s) and adds what was expected of whom, [`report`] and [`json`] show it. Prints nothing; how a store is
//! read is the caller's business.

pub mod json;
pub mod list;
pub mod pgn;
pub mod report;

pub use list::{ListOptions, RatingList};
pub use smalt_match::standings::Games;
