//! Finds and kills processes that a killed run left behind. They are identified by process id and start time, since
//! process ids are reused.

use super::ProcessIdentity;
use super::system::{identify, sweep};

/// What a sweep found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Swept {
    /// No process was left.
    Gone,
    /// Number of processes that were left and were killed.
    Killed(usize),
}

impl ProcessIdentity {
    pub(super) fn of(pid: u32) -> Self {
        let (started, session) = identify(pid).unwrap_or((0, 0));
        Self { pid, started, session }
    }

    /// Kills the remaining members of its group: those in the same session that started no earlier than it did. Other
    /// processes that have its process id now are left alone. On Windows none is ever left.
    #[must_use]
    pub fn sweep(&self) -> Swept {
        match sweep(self) {
            0 => Swept::Gone,
            count => Swept::Killed(count),
        }
    }
}
