//! Which processors a thread, and the engines that it starts, may run on.
//!
//! A game whose engines use one thread each and don't ponder never has two things to do at once. When its thread and
//! both engines share one processor a move is handed over without waking another: measured (`benches/handover.rs`),
//! 3.6 µs of our own time a ply instead of 13, and 5.5 µs from one engine's move to the other's `go` instead of 31.

use std::io;

use rustix::io::Errno;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The processors that this thread may run on, as the system numbers them.
///
/// # Errors
/// When the system refuses.
pub fn own_processors() -> io::Result<Vec<usize>> {
    let set = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|&processor| set.is_set(processor)).collect())
}

/// Binds this thread to these processors, and with it every engine that it starts from now on whose own command does
/// not say otherwise.
///
/// # Errors
/// When these processors do not exist, or are not ours to use.
pub fn bind_this_thread(processors: &[usize]) -> io::Result<()> {
    let set = processor_set(processors).ok_or(Errno::INVAL)?;
    Ok(sched_setaffinity(None, &set)?)
}

/// None if a number is out of range.
pub(super) fn processor_set(processors: &[usize]) -> Option<CpuSet> {
    let mut set = CpuSet::new();
    for &processor in processors {
        if processor >= CpuSet::MAX_CPU {
            return None;
        }
        set.set(processor);
    }
    Some(set)
}
