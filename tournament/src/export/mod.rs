//! Finished games as text for others: one form a file, all of them views of the store's records. Makes texts; reads and
//! writes nothing. PGN is at home in [`crate::pgn`].

mod csv;
mod epd;
mod filter;
mod json;

pub use csv::{CSV_HEADER, csv_line};
pub use epd::{epd_line, final_position};
pub use filter::{Filter, Span};
pub use json::JsonGame;
