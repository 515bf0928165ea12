//! Export of finished games: as text, one file a form, and as labelled positions. PGN is in [`smalt_match::pgn`].

use std::time::Duration;

mod csv;
mod filter;
mod json;
mod positions;

pub(crate) use csv::{CSV_HEADER, csv_line};
pub(crate) use filter::{Filter, Span};
pub(crate) use json::JsonGame;
pub(crate) use positions::{DataReport, DataWriter};
pub(crate) use smalt_match::epd::{epd_line, final_position};

/// Seconds, rounded to the microsecond.
pub(crate) fn seconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1e6
}

/// Milliseconds, rounded to the microsecond.
fn milliseconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1e3
}
