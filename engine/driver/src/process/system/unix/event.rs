//! The event behind an interrupt: a descriptor that becomes readable once and stays readable.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

#[derive(Debug)]
pub(in crate::process) struct WakeEvent {
    read: OwnedFd,
    /// The writing end of a pipe, on systems without eventfd.
    #[cfg(not(target_os = "linux"))]
    write: OwnedFd,
}

impl WakeEvent {
    #[cfg(target_os = "linux")]
    pub(in crate::process) fn new() -> io::Result<WakeEvent> {
        use rustix::event::{EventfdFlags, eventfd};
        Ok(WakeEvent { read: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)? })
    }

    #[cfg(not(target_os = "linux"))]
    pub(in crate::process) fn new() -> io::Result<WakeEvent> {
        let (read, write) = io::pipe()?;
        rustix::io::ioctl_fionbio(&write, true)?;
        Ok(WakeEvent { read: read.into(), write: write.into() })
    }

    /// Safe in a signal handler.
    pub(in crate::process) fn set(&self) {
        #[cfg(target_os = "linux")]
        let write = &self.read;
        #[cfg(not(target_os = "linux"))]
        let write = &self.write;
        // A write fails only if the event is full, and so already set.
        let _ = rustix::io::write(write, &1_u64.to_ne_bytes());
    }

    /// Waits until it is set or the time has passed; returns whether it is set.
    pub(in crate::process) fn wait(&self, time: Duration) -> bool {
        let mut fds = [PollFd::from_borrowed_fd(self.fd(), PollFlags::IN)];
        let time = Timespec::try_from(time).ok();
        matches!(poll(&mut fds, time.as_ref()), Ok(1..))
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.read.as_fd()
    }
}
