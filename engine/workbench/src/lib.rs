//! What the programs of the workbench (`smalt-tournament`, `smalt-suites`, `smalt-tuner`) share, in reading order:
//!
//! - [`entrant`]: an engine as users write it, on a command line or in a registry of engines;
//! - [`exit`]: exit codes, and errors that carry one;
//! - [`decompress`]: plain, gzip and zstd files as one stream of bytes;
//! - [`calendar`]: dates as text.

pub mod calendar;
pub mod decompress;
pub mod entrant;
pub mod exit;
