//! Runs tournaments between chess engines on this machine and stores the results. Modules in reading order; each uses
//! only earlier ones:
//!
//! - [`named_file`]: whether a name stands for a file, a pipe or a device;
//! - [`plan`]: the settings of a run, each declared once for flags, plan files and documentation, and facts
//!   derived from them;
//! - [`schedule`]: pairings and openings of all games, as a pure function of the plan;
//! - [`opening`]: opening books and positions;
//! - [`game`]: one game between two running engines: clocks, adjudication, record;
//! - [`setup`]: a plan with its openings and its schedule;
//! - [`estimate`]: forecast of the games and hours of a plan;
//! - [`store`]: finished games in one SQLite file; a game counts once it is there;
//! - [`standings`]: points, pentanomial counts, Elo, SPRT of the games so far;
//! - [`progress`]: state and speed of a run;
//! - [`pgn`]: PGN output, in order of game numbers;
//! - [`epd`]: final positions as EPD;
//! - [`game_file`]: game files that several programs may append to;
//! - [`run`]: the coordinator, which owns the state of a run, and the slots, which play its games.
//!
//! Network and display are in other crates.

pub mod epd;
pub mod estimate;
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
