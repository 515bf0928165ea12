//! Processes as `linux` and `macos` give them to `unix`.

use std::ffi::OsString;
use std::os::fd::OwnedFd;

use rustix::process::Pid;

/// A running child with our ends of its pipes.
#[derive(Debug)]
pub(super) struct Spawned {
    pub(super) pid: Pid,
    /// Readable when the child exits.
    pub(super) exit: OwnedFd,
    pub(super) stdin: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: Option<OwnedFd>,
    /// The tag in its environment, inherited by its descendants.
    pub(super) tag: OsString,
}

/// Start time, session and group of a process.
#[derive(Clone, Copy)]
pub(super) struct ProcessStat {
    pub(super) group: u32,
    pub(super) session: u32,
    pub(super) started: u64,
    pub(super) life: Life,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Life {
    Alive,
    Zombie,
}
