//! Process information from proc(5).

use std::fs;

use super::super::unix_process::{Life, ProcessStat};

/// Start time of a process in clock ticks since boot, and its session.
pub(in crate::process) fn identify(pid: u32) -> Option<(u64, u32)> {
    stat(pid).map(|stat| (stat.started, stat.session))
}

pub(in crate::process::system) fn all_processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
}

pub(in crate::process::system) fn stat(pid: u32) -> Option<ProcessStat> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the program's name in parentheses; it may contain spaces and parentheses.
    let (_, rest) = text.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    Some(ProcessStat {
        life: if matches!(*fields.first()?, "Z" | "X") { Life::Zombie } else { Life::Alive },
        group: fields.get(2)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
    })
}
