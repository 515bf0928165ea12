//! Plays matches between chess engines, on this machine, and keeps what happened. In reading order, where each module
//! uses only those before it:
//!
//! - [`named_file`]: whether a name stands for a file, a pipe or a device;
//! - [`file_lock`]: locks of files between programs;
//! - [`plan`]: the settings of a run, each declared once for flags, plan files and documentation, and what follows from them;
//! - [`schedule`]: which games are played, as a pure function of the plan's numbers;
//! - [`opening`]: the positions where games begin;
//! - [`game`]: one game between two running engines: clock, adjudication, record;
//! - [`setup`]: a plan with its openings and its schedule;
//! - [`estimate`]: how many games and hours a plan will take;
//! - [`store`]: finished games in one SQLite file; a game counts once it is there;
//! - [`standings`]: what the games say so far: points, pairs, sequential test;
//! - [`progress`]: how far a run is, and how fast;
//! - [`pgn`]: finished games as PGN, in order;
//! - [`epd`]: finished games as their last positions;
//! - [`game_file`]: files to which whole games are appended in order, though other programs append too;
//! - [`run`]: the run itself: the coordinator owns its state, slots play its games.
//!
//! Knows no network and no display, and of flags only those that settings declare.

pub mod epd;
pub mod estimate;
pub mod file_lock;
pub mod game;
pub mod game_file;
pub mod named_file;
pub mod opening;
pub mod pgn;
pub mod plan;
pub mod progress;
pub mod run;
pub mod schedule;
pub mod setup;
pub mod standings;
pub mod store;
