//! Plays gauntlets and other tournaments between chess engines, with statistics that can be trusted.
//!
//! [`plan`] says what is to be played, [`schedule`] makes games of it, [`game`] plays one, [`run`] plays them all on
//! [`fleet`]'s workers, [`store`] keeps what happened, [`standings`], [`pgn`], [`export`], [`plot`] and [`report`] show it; [`cli`] is what users type.
//! [`fleet`]'s workers, [`store`] keeps what happened, [`live`] shows what happens, [`standings`], [`pgn`] and [`export`] show it;
//! [`dashboard`] is the live page, and [`cli`] what users type.

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
pub mod visible;
