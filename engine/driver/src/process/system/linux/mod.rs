//! Linux: clone(2) without a copy of this program, the parent-death signal, pidfd, and proc(5).

mod affinity;
mod descendants;
mod ignored;
mod memory;
mod spawn;
mod stat;

use std::os::fd::OwnedFd;

use rustix::process::{Pid, Signal};

pub use affinity::{bind_this_thread, own_processors};
pub(super) use descendants::{Children, end_tagged, is_left_engine, tag_prefix};
pub use descendants::{adopt_orphans, end_orphans, reap_orphans};
pub(super) use ignored::unignored;
pub use memory::peak_memory_bytes;
pub(super) use spawn::spawn;
pub(in crate::process) use stat::identify;
pub(super) use stat::{all_processes, stat};

/// Signals the child even if it has left its group.
pub(super) fn signal_child(_: Pid, pidfd: &OwnedFd, signal: Signal) {
    let _ = rustix::process::pidfd_send_signal(pidfd, signal);
}
