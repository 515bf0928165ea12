//! What the system lets this program have: open files and processes. Engines need both.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use rustix::process::{Resource, Rlimit, getrlimit, getuid, setrlimit};

/// The descriptors of a running engine: three pipes and its process.
const DESCRIPTORS_OF_AN_ENGINE: u64 = 4;

/// What a game needs besides: the log, and the other ends of the pipes while an engine is started.
const DESCRIPTORS_OF_A_GAME: u64 = 4;

/// What a program needs for itself: store, games, page with its visitors.
const DESCRIPTORS_IN_RESERVE: u64 = 128;

/// What else of this user may be started while games are played.
const PROCESSES_IN_RESERVE: u64 = 16;

/// The most that macOS lets a program ask for, though it says that nothing limits them (setrlimit(2), `OPEN_MAX`).
const MOST_FILES_OF_MACOS: u64 = 10240;

/// The limit of open files as this program found it, for its children.
static FILES_AT_START: OnceLock<Rlimit> = OnceLock::new();

/// Lets this program open as many files as the system allows it. Its engines keep the limit that was found: some of them
/// close everything up to it at their start.
pub fn raise_file_limit() {
    let found = getrlimit(Resource::Nofile);
    let _ = FILES_AT_START.set(found);
    let most = cfg!(target_os = "macos").then_some(MOST_FILES_OF_MACOS);
    let current = [found.maximum, most].into_iter().flatten().min();
    // A system that refuses leaves it as it is, which `most_games` sees.
    let _ = setrlimit(Resource::Nofile, Rlimit { current, maximum: found.maximum });
}

/// The limit that children get, if this program has changed its own.
pub(in crate::process::system) fn file_limit_of_children() -> Option<Rlimit> {
    FILES_AT_START.get().copied()
}

/// How many games can be played at once, and which limit says so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MostGames {
    /// The number; zero where not even one can be played.
    pub games: usize,
    /// The limit, in words, with the command that shows it.
    pub limit: &'static str,
}

/// The most games at once, each of two engines with this many threads, that the limits of this system allow; `None` without limits.
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

/// An engine has its main thread besides those that search, and a game a thread of ours.
fn by_processes(left: u64, threads: usize) -> usize {
    let each = 2 * (1 + threads as u64) + 1;
    (left.saturating_sub(PROCESSES_IN_RESERVE) / each).try_into().unwrap_or(usize::MAX)
}

/// How many processes and threads may be started yet; `None` where nothing limits them.
fn processes_left() -> Option<u64> {
    let of_group = of_control_group();
    let limit = getrlimit(Resource::Nproc).current.filter(|_| !getuid().is_root());
    let of_user = limit.map(|limit| limit.saturating_sub(threads_of_user()));
    [of_group, of_user].into_iter().flatten().min()
}

/// What the control group of this program has left (cgroups(7), version 2).
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
