//! Kills the rest of a process group that an earlier run started.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

#[cfg(target_os = "linux")]
use super::super::linux::{all_processes, is_left_engine, stat};
#[cfg(target_os = "macos")]
use super::super::macos::{all_processes, is_left_engine, stat};
use super::super::unix_process::{Life, ProcessStat};
use crate::process::ProcessIdentity;

/// Kills this process and its group if they are still there; returns the number of processes.
pub(in crate::process) fn sweep(identity: &ProcessIdentity) -> usize {
    let left = members(identity);
    if let Some(group) = pid(identity.pid).filter(|_| !left.is_empty()) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    kill(&left)
}

/// The same for an identity from a file, which may name any process: spares what no killed run started.
pub(in crate::process) fn sweep_stored(identity: &ProcessIdentity) -> usize {
    let mut left = members(identity);
    // The group of an engine is its own, with those who have lost its environment.
    if !left.contains(&identity.pid) || !is_left_engine(identity.pid) {
        left.retain(|&member| is_left_engine(member));
    }
    kill(&left)
}

/// The processes of its group that are left.
fn members(identity: &ProcessIdentity) -> Vec<u32> {
    let is_known = identity.started != 0 && pid(identity.pid).is_some();
    if !is_known || stat(identity.pid).is_some_and(|leader| leader.started != identity.started) {
        return Vec::new();
    }
    let is_member = |member: ProcessStat| {
        member.group == identity.pid
            && member.session == identity.session
            && member.started >= identity.started
            && member.life == Life::Alive
    };
    all_processes().filter(|&pid| stat(pid).is_some_and(is_member)).collect()
}

fn kill(processes: &[u32]) -> usize {
    for process in processes.iter().filter_map(|&process| pid(process)) {
        let _ = kill_process(process, Signal::KILL);
    }
    processes.len()
}

fn pid(number: u32) -> Option<Pid> {
    i32::try_from(number).ok().and_then(Pid::from_raw)
}
