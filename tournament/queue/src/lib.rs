//! A queue of runs on one machine. Modules in reading order:
//!
//! - [`job`]: a job is a command line of the workbench (an SPRT, a gauntlet, SPSA, a suite) with priority, budget and
//!   state.
//! - [`file`](mod@file): the jobs in one SQLite file, shared by commands, page and daemon.
//! - [`allocation`]: how jobs share the slots of the machine.
//! - [`progress`]: games, LLR and faults of a job, from the store of its run.
//! - `runner`: one job as a child process.
//! - [`daemon`]: runs the jobs as child processes. All lasting state is in the file and the stores, so the daemon may
//!   be killed at any time.
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
