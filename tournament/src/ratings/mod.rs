//! A rating list from the games of any number of stores and PGN files.
//!
//! [`Games`] collects results by names, [`pgn`] reads them from PGN, [`list`] fits the list with the model of
//! `smalt-stats`, [`report`] and [`json`] format it. Prints nothing.

pub mod json;
pub mod list;
pub mod pgn;
pub mod report;

pub use list::{ListOptions, RatingList};
pub use smalt_match::standings::Games;
