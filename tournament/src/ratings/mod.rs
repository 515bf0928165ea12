//! A rating list from the games of any number of stores and PGN files.
//!
//! [`Games`] collects results by name, [`pgn`] reads them from PGN, [`list`] fits the list with the model of
//! `smalt-stats`, [`report`] and [`json`] format it.

pub(crate) mod json;
mod list;
pub(crate) mod pgn;
pub(crate) mod report;

pub(crate) use list::{ListOptions, RatingList};
pub(crate) use smalt_match::standings::Games;
