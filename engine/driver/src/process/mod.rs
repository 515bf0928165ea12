//! A child process with its pipes: started in a group of its own, read and written without ever blocking, and gone
//! with all its children when its owner lets go of it.
//!
//! Knows bytes, lines and instants; knows no chess protocol and takes no decision about what a line means.
//! `spawn` and `unix` hold what asks the system for a process. They need Linux (clone, pidfd, the parent-death signal);
//! Windows would get files with the same functions beside them, and has none yet.

mod affinity;
mod command;
mod descendants;
mod exit;
mod identity;
mod ignored;
mod interrupt;
mod limits;
mod lines;
mod lookup;
mod memory;
mod poll;
mod reaper;
mod spawn;
mod stderr_tail;
mod unix;

pub use affinity::{bind_this_thread, own_processors};
pub use command::{EngineCommand, PASSWORD_VARIABLE, StderrPolicy};
pub use descendants::{ENGINE_VARIABLE, adopt_orphans, end_orphans};
pub use exit::Exit;
pub use identity::{ProcessIdentity, Swept};
pub use ignored::unignored;
pub use interrupt::Interrupt;
pub use limits::{MostGames, most_games, raise_file_limit};
pub use lines::{LINE_LIMIT, Line, LineEnd};
pub(crate) use lines::{split_line, text};
pub use lookup::LookupError;
pub use poll::{PollOutcome, WaitFor, poll_once};
pub use reaper::{Reaper, run_reaper};
pub use unix::{Process, StartError, Written};
