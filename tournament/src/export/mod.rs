//! Finished games as text for others: one form a file, all of them views of the store's records. Makes texts; reads and
//! writes nothing. PGN is at home in [`smalt_match::pgn`].

use std::time::Duration;

mod csv;
mod filter;
mod json;

pub use csv::{CSV_HEADER, csv_line};
pub use filter::{Filter, Span};
pub use json::JsonGame;
pub use smalt_match::epd::{epd_line, final_position};

/// Seconds for scripts, to the microsecond, which is as far as clocks can be trusted.
pub(crate) fn seconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1e6
}

/// The same in milliseconds.
fn milliseconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1e3
}
