//! The program `smalt-tournament`: gauntlets and other tournaments between chess engines, with statistics.
//! `smalt-match` plays the games, `smalt-fleet` distributes them, `smalt-dashboard` shows them live; this crate is
//! the user interface. Modules in reading order:
//!
//! - [`cli`]: commands, flags and output; `cli::compat` has the command lines of fastchess and cutechess-cli;
//! - [`check`]: checks of an engine before a tournament;
//! - [`ratings`]: one rating list of any number of files;
//! - [`export`]: the games of a run in other formats;
//! - [`plot`]: charts of a run, or of one game;
//! - [`report`]: a run as one document.

mod check;
mod cli;
mod export;
mod plot;
mod ratings;
mod report;

pub use cli::main;
