//! A queue of runs on one machine.
//!
//! - [`job`]: a job is a command line of ours (an SPRT, a gauntlet, SPSA, a suite), with priority, budget and state, and
//!   knows how it is started and resumed.
//! - [`file`](mod@file): the jobs in one SQLite file, which commands, the page and the daemon share.
//! - [`allocation`]: how jobs share the slots of the machine.
//! - [`progress`]: games, LLR and faults of a job, from the store of its run.
//! - [`daemon`]: plays the jobs as child processes. All that must outlive it is in the file and in the stores, so that it
//!   may be killed at any time.
//!
//! Prints nothing; knows no HTTP.

pub mod allocation;
pub mod daemon;
pub mod file;
pub mod job;
pub mod progress;
mod runner;

pub use daemon::{Daemon, DaemonError, DaemonEvent, DaemonSettings};
pub use file::{QueueError, QueueFile};
pub use job::{Job, JobState, NewJob};
