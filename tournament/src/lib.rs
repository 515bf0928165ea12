//! Plays gauntlets and other tournaments between chess engines, with statistics that can be trusted.
//!
//! A [`plan`] describes a run, [`schedule`] lists its games, [`game`] plays one, [`run`] plays all of them here or on the
//! workers of a [`fleet`], and [`store`] keeps them. [`standings`], [`pgn`], [`export`], [`plot`] and [`report`] show the results,
//! [`live`] and [`dashboard`] the games that are being played. [`cli`] is the command line.

pub mod calendar;
pub mod check;
pub mod cli;
pub mod dashboard;
pub mod estimate;
pub mod export;
#[cfg(feature = "nats")]
pub mod fleet;
pub mod game;
pub mod game_file;
pub mod live;
mod named_file;
pub mod opening;
pub mod packed;
pub mod pgn;
pub mod plan;
pub mod plot;
pub mod progress;
pub mod ratings;
pub mod report;
pub mod run;
pub mod schedule;
pub mod setup;
pub mod standings;
pub mod store;
