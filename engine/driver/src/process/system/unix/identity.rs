//! Kills the rest of a process group that an earlier run started.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

#[cfg(target_os = "linux")]
use super::super::linux::{all_processes, stat};
#[cfg(target_os = "macos")]
use super::super::macos::{all_processes, stat};
use super::super::unix_process::{Life, ProcessStat};
use crate::process::ProcessIdentity;

/// Kills this process and its group if they are still there; returns the number of processes.
pub(in crate::process) fn sweep(identity: &ProcessIdentity) -> usize {
    let is_known = identity.started != 0;
    if !is_known || stat(identity.pid).is_some_and(|leader| leader.started != identity.started) {
        return 0;
    }
    let Some(group) = pid(identity.pid) else { return 0 };
    let is_member = |member: ProcessStat| {
        member.group == identity.pid
            && member.session == identity.session
            && member.started >= identity.started
            && member.life == Life::Alive
    };
    let left: Vec<u32> = all_processes().filter(|&pid| stat(pid).is_some_and(is_member)).collect();
    if !left.is_empty() {
        let _ = kill_process_group(group, Signal::KILL);
        for member in left.iter().filter_map(|&member| pid(member)) {
            let _ = kill_process(member, Signal::KILL);
        }
    }
    left.len()
}

fn pid(number: u32) -> Option<Pid> {
    i32::try_from(number).ok().and_then(Pid::from_raw)
}
