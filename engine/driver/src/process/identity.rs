//! Finds and kills processes that a killed run left behind. They are identified by process id and start time, since
//! process ids are reused.

use super::ProcessIdentity;
use super::system::{identify, sweep, sweep_stored};

/// What a sweep found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Swept {
    /// No process was left.
    Gone,
    /// Number of processes that were left and were killed.
    Killed(usize),
}

impl Swept {
    fn of(killed: usize) -> Self {
        match killed {
            0 => Swept::Gone,
            count => Swept::Killed(count),
        }
    }
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
        Swept::of(sweep(self))
    }

    /// The same for an identity from a file: only processes that carry the mark of a program which has died are killed,
    /// with their group if its leader carries one. On macOS the mark is not read.
    #[must_use]
    pub fn sweep_stored(&self) -> Swept {
        Swept::of(sweep_stored(self))
    }
}
