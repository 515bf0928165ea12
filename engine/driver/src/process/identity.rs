//! Finds and kills processes that a killed run left behind. They are identified by process id and start time, since
//! process ids are reused.

use super::system::{identify, sweep};

/// Enough to recognize a process that an earlier run started, and its group. Plain numbers, to be stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ProcessIdentity {
    /// Process id, also the id of the group it leads.
    pub pid: u32,
    /// Start time in the system's unit: on Linux clock ticks since boot (field 22 of `/proc/pid/stat`, proc(5)); 0 if
    /// unknown.
    pub started: u64,
    /// Its session id, that of the run which started it; 0 on Windows.
    pub session: u32,
}

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
        if self.started == 0 {
            return Swept::Gone;
        }
        match sweep(self) {
            0 => Swept::Gone,
            count => Swept::Killed(count),
        }
    }
}
