//! The system's limits on open files and processes, and how many concurrent games they allow.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use rustix::process::{Resource, Rlimit, getrlimit, getuid, setrlimit};

/// Descriptors per running engine: three pipes and the process.
const DESCRIPTORS_OF_AN_ENGINE: u64 = 4;

/// Further descriptors per game: the log, and the other ends of the pipes during a start.
const DESCRIPTORS_OF_A_GAME: u64 = 4;

/// Descriptors for this program: store, games, web page and its connections.
const DESCRIPTORS_IN_RESERVE: u64 = 128;

/// Processes left free for other programs of this user.
const PROCESSES_IN_RESERVE: u64 = 16;

/// Maximum that macOS grants, though it reports no limit (setrlimit(2), `OPEN_MAX`).
const MOST_FILES_OF_MACOS: u64 = 10240;

/// The limit of open files at program start, for child processes.
static FILES_AT_START: OnceLock<Rlimit> = OnceLock::new();

/// Raises this program's limit of open files to the maximum allowed. Engines keep the original limit: some close every
/// descriptor up to the limit at startup.
pub fn raise_file_limit() {
    let found = getrlimit(Resource::Nofile);
    let _ = FILES_AT_START.set(found);
    let most = cfg!(target_os = "macos").then_some(MOST_FILES_OF_MACOS);
    let current = [found.maximum, most].into_iter().flatten().min();
    // If the system refuses, the limit is unchanged, and `most_games` takes it into account.
    let _ = setrlimit(Resource::Nofile, Rlimit { current, maximum: found.maximum });
}

/// The limit for children, if this program has raised its own.
pub(super) fn file_limit_of_children() -> Option<Rlimit> {
    FILES_AT_START.get().copied()
}

/// The maximum number of concurrent games, and the limit that causes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MostGames {
    /// Zero if not even one game can be played.
    pub games: usize,
    /// The limit's name and the command that shows it.
    pub limit: &'static str,
}

/// The maximum number of concurrent games, with this many threads per engine, under the system's limits; `None` without
/// limits.
pub fn most_games(threads: usize) -> Option<MostGames> {
    let files = getrlimit(Resource::Nofile)
        .current
        .map(|files| MostGames { games: by_files(files), limit: "open files (ulimit -n)" });
    let processes = processes_left().map(|left| MostGames {
        games: by_processes(left, threads),
        limit: "processes and threads (ulimit -u, pids.max)",
    });
    [files, processes].into_iter().flatten().min_by_key(|most| most.games)
}

fn by_files(files: u64) -> usize {
    let each = 2 * DESCRIPTORS_OF_AN_ENGINE + DESCRIPTORS_OF_A_GAME;
    (files.saturating_sub(DESCRIPTORS_IN_RESERVE) / each).try_into().unwrap_or(usize::MAX)
}

/// Each engine has a main thread besides its search threads, and each game one thread of ours.
fn by_processes(left: u64, threads: usize) -> usize {
    let each = 2 * (1 + threads as u64) + 1;
    (left.saturating_sub(PROCESSES_IN_RESERVE) / each).try_into().unwrap_or(usize::MAX)
}

/// How many more processes and threads this user may start; `None` without a limit.
fn processes_left() -> Option<u64> {
    let of_group = of_control_group();
    let limit = getrlimit(Resource::Nproc).current.filter(|_| !getuid().is_root());
    let of_user = limit.map(|limit| limit.saturating_sub(threads_of_user()));
    [of_group, of_user].into_iter().flatten().min()
}

/// What this program's control group has left (cgroups(7), version 2).
fn of_control_group() -> Option<u64> {
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = own.lines().find_map(|line| line.strip_prefix("0::"))?;
    let folder = Path::new("/sys/fs/cgroup").join(path.trim_start_matches('/'));
    let read = |name: &str| fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok();
    Some(read("pids.max")?.saturating_sub(read("pids.current")?))
}

fn threads_of_user() -> u64 {
    let own = getuid().as_raw().to_string();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let threads = processes.filter_map(|process| {
        let status = fs::read_to_string(process.path().join("status")).ok()?;
        let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name));
        let user = field("Uid:")?.split_ascii_whitespace().next()?;
        if user == own { field("Threads:")?.trim().parse::<u64>().ok() } else { None }
    });
    threads.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_games_are_played_as_the_limits_allow() {
        assert_eq!((by_files(1024), by_files(100), by_files(u64::MAX) > 1 << 40), (74, 0, true));
        assert_eq!((by_processes(116, 1), by_processes(116, 4), by_processes(0, 1)), (20, 9, 0));
    }

    #[test]
    fn the_threads_of_this_user_are_counted() {
        assert!(threads_of_user() >= 1);
    }
}
