//! Finds, and ends, what a killed run left behind: engines are written down by number and starting time, since
//! numbers are used again.

use std::fs;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// StopRule to recognize a process that an earlier run started, and its group. Plain numbers, to be stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ProcessIdentity {
    /// Its number, and that of the group which it leads.
    pub pid: u32,
    /// When it started, in clock ticks since the system did (field 22 of `/proc/pid/stat`, proc(5)); 0 if unknown.
    pub started: u64,
    /// The session that it belongs to: that of the run which started it.
    pub session: u32,
}

/// What a sweep found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Swept {
    /// Nothing of it is left.
    Gone,
    /// So many processes were left, and were killed.
    Killed(usize),
}

impl ProcessIdentity {
    pub(super) fn of(pid: u32) -> Self {
        let stat = Stat::read(pid);
        Self { pid, started: stat.map_or(0, |s| s.started), session: stat.map_or(0, |s| s.session) }
    }

    /// Kills what is left of it and of its group: members of the group that started no earlier than it did, in the
    /// same session. Processes that merely bear its number now are left alone.
    #[must_use]
    pub fn sweep(&self) -> Swept {
        if self.started == 0 {
            return Swept::Gone;
        }
        match Stat::read(self.pid) {
            Some(leader) if leader.started != self.started => return Swept::Gone,
            _ => {}
        }
        let left: Vec<u32> = self.members().collect();
        let Some(group) = i32::try_from(self.pid).ok().and_then(Pid::from_raw) else { return Swept::Gone };
        if left.is_empty() {
            return Swept::Gone;
        }
        let _ = kill_process_group(group, Signal::KILL);
        for member in left.iter().filter_map(|&pid| Pid::from_raw(i32::try_from(pid).ok()?)) {
            let _ = kill_process(member, Signal::KILL);
        }
        Swept::Killed(left.len())
    }

    fn members(&self) -> impl Iterator<Item = u32> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        pids.filter(|&pid| {
            Stat::read(pid).is_some_and(|stat| {
                stat.group == self.pid
                    && stat.session == self.session
                    && stat.started >= self.started
                    && stat.life == Life::Alive
            })
        })
    }
}

#[derive(Clone, Copy)]
struct Stat {
    group: u32,
    session: u32,
    started: u64,
    life: Life,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    Alive,
    Zombie,
}

impl Stat {
    fn read(pid: u32) -> Option<Self> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The second field is the program's name in parentheses, which may hold spaces and parentheses itself.
        let (_, rest) = text.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        Some(Self {
            life: if matches!(*fields.first()?, "Z" | "X") { Life::Zombie } else { Life::Alive },
            group: fields.get(2)?.parse().ok()?,
            session: fields.get(3)?.parse().ok()?,
            started: fields.get(19)?.parse().ok()?,
        })
    }
}
