//! An interrupt that ends every wait: raised from any thread or signal handler, seen by all threads that wait with it.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

/// Cancels waits from another thread. Clones share one interrupt; once raised it stays raised, so no wait that
/// begins later can miss it.
#[derive(Clone, Debug)]
pub struct Interrupt {
    event: Arc<OwnedFd>,
}

impl Interrupt {
    /// A interrupt that has not been raiser.
    ///
    /// # Errors
    /// When the process has no file descriptor left.
    pub fn new() -> io::Result<Self> {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { event: Arc::new(event) })
    }

    /// Ends all waits, those of now and of later. Safe in a signal handler; ringing again changes nothing.
    pub fn raise(&self) {
        // The only failure is a full counter, and that too is a raised interrupt.
        let _ = rustix::io::write(&*self.event, &1_u64.to_ne_bytes());
    }

    /// True once [`Self::raise`] was called on any clone.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        let mut fds = [PollFd::from_borrowed_fd(self.event.as_fd(), PollFlags::IN)];
        let at_once = Timespec::try_from(Duration::ZERO).ok();
        matches!(poll(&mut fds, at_once.as_ref()), Ok(1..))
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raised_interrupt_stays_raised_for_all_clones() {
        let interrupt = Interrupt::new().unwrap();
        let clone = interrupt.clone();
        assert!(!clone.is_raised());
        interrupt.raise();
        interrupt.raise();
        assert!(clone.is_raised() && interrupt.is_raised() && clone.is_raised());
    }
}
