//! Finds, and ends, what a killed run left behind: engines are written down by number and starting time, since
//! numbers are used again.

use super::system::{identify, sweep};

/// StopRule to recognize a process that an earlier run started, and its group. Plain numbers, to be stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ProcessIdentity {
    /// Its number, and that of the group which it leads.
    pub pid: u32,
    /// When it started, in a unit of the system's: on Linux clock ticks since the system did (field 22 of
    /// `/proc/pid/stat`, proc(5)); 0 if unknown.
    pub started: u64,
    /// The session that it belongs to, that of the run which started it; 0 on Windows.
    pub session: u32,
}

/// What a sweep found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Swept {
    /// Nothing of it is left.
    Gone,
    /// This number of processes was left, and was killed.
    Killed(usize),
}

impl ProcessIdentity {
    pub(super) fn of(pid: u32) -> Self {
        let (started, session) = identify(pid).unwrap_or((0, 0));
        Self { pid, started, session }
    }

    /// Kills what is left of it and of its group: members of the group that started no earlier than it did, in the
    /// same session. Processes that merely bear its number now are left alone. On Windows nothing is ever left.
    #[must_use]
    pub fn sweep(&self) -> Swept {
        if self.started == 0 {
            return Swept::Gone;
        }
        match sweep(self) {
            0 => Swept::Gone,
            count => Swept::Killed(count),
        }
    }
}
