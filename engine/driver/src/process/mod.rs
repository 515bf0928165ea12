//! A child process with pipes: started in its own process group, read and written without blocking, and killed with all
//! its children when its owner drops it.
//!
//! It handles bytes, lines and instants, and leaves the meaning of a line to its callers. Code that depends on the
//! operating system is in `system`.

mod child;
mod command;
mod exit;
mod identity;
mod interrupt;
mod lines;
mod lookup;
mod poll;
mod stderr_tail;
mod system;

pub use child::{Process, StartError};
pub use command::{EngineCommand, PASSWORD_VARIABLE, StderrPolicy};
pub use exit::Exit;
pub use identity::{ProcessIdentity, Swept};
pub use interrupt::Interrupt;
pub use lines::{LINE_LIMIT, Line, LineEnd};
pub(crate) use lines::{split_line, text};
pub use lookup::LookupError;
pub use poll::{PollOutcome, WaitFor, poll_once};
pub use system::{
    MostGames, Reaper, StopRequest, StopSignals, Written, adopt_orphans, bind_this_thread, end_orphans,
    most_games, own_processors, peak_memory_bytes, raise_file_limit, run_reaper,
};
