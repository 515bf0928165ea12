//! The program `smalt-tournament`: gauntlets and other tournaments between chess engines with sound
//! statistics. `smalt-match` plays the games, `smalt-fleet` distributes them, `smalt-dashboard` shows them
//! live; this crate is what users see, in reading order:
//!
//! - [`cli`]: commands and flags, what they mean, and what they print; `cli::compat` reads the command lines of fastchess
//!   and cutechess-cli;
//! - [`check`]: whether an engine is fit for a tournament;
//! - [`ratings`]: one rating list from the games of any number of files;
//! - [`export`]: the games of a run in other formats;
//! - [`plot`]: charts of a run, or of one game;
//! - [`report`]: a whole run as one document.

mod check;
mod cli;
mod export;
mod plot;
mod ratings;
mod report;

pub use cli::main;
