//! Helper processes that left the engine's session (`setsid`, a double fork), so that no signal to its group reaches
//! them. Each engine gets a tag in its environment, which its descendants inherit. A program that adopts orphans
//! becomes their parent when the engine dies, and kills them.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process, waitid, waitpid};

use super::super::unix_process::Life;
use super::stat::{identify, stat};
use crate::process::ENGINE_VARIABLE;

/// How long to wait for a killed helper to exit, so that its own children become visible.
const VANISHING: Duration = Duration::from_millis(200);

/// Rounds of kills: each ends one generation of helpers.
const ROUNDS: usize = 8;

static ADOPTS: AtomicBool = AtomicBool::new(false);

/// The children that this crate started and has not reaped yet.
static CHILDREN: Mutex<Option<HashSet<u32>>> = Mutex::new(None);

/// Makes this program the parent of every process that its engines leave behind (`PR_SET_CHILD_SUBREAPER` of prctl(2)),
/// and kills those when the engine has exited. For programs whose children are all started by this crate.
///
/// # Errors
/// If the system is older than Linux 3.4.
pub fn adopt_orphans() -> io::Result<()> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    ADOPTS.store(true, Ordering::Relaxed);
    Ok(())
}

/// Kills every adopted child, tagged or not. Running engines are not adopted children.
pub fn end_orphans() {
    if ADOPTS.load(Ordering::Relaxed) {
        let children = Children::lock();
        children.end_adopted(|_| true);
    }
}

/// Reaps the adopted children that have exited by themselves; cheap if there is none.
pub fn reap_orphans() {
    if !ADOPTS.load(Ordering::Relaxed) {
        return;
    }
    let children = Children::lock();
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    if let Ok(Some(_)) = waitid(WaitId::All, options) {
        children.end_adopted(|_| false);
    }
}

/// The common prefix of all tags of this program.
pub(in crate::process::system) fn tag_prefix() -> &'static str {
    static PREFIX: OnceLock<String> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let pid = std::process::id();
        let (started, _) = identify(pid).unwrap_or_default();
        format!("{pid}-{started}-")
    })
}

/// A new tag for one engine.
pub(super) fn next_tag() -> OsString {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{}{}", tag_prefix(), NEXT.fetch_add(1, Ordering::Relaxed)).into()
}

/// The known children. No other thread starts or reaps one while this value exists.
pub(in crate::process::system) struct Children(MutexGuard<'static, Option<HashSet<u32>>>);

impl Children {
    pub(in crate::process::system) fn lock() -> Children {
        Children(CHILDREN.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(in crate::process::system) fn add(&mut self, pid: u32) {
        self.0.get_or_insert_default().insert(pid);
    }

    /// This engine was reaped: kills the processes it left behind.
    pub(in crate::process::system) fn remove(&mut self, pid: u32, tag: &OsStr) {
        self.0.get_or_insert_default().remove(&pid);
        if ADOPTS.load(Ordering::Relaxed) {
            self.end_adopted(|helper| has_tag(helper, |value| value == tag.as_bytes()));
        }
    }

    /// Kills and reaps the matching adopted children; also reaps those that have exited.
    fn end_adopted(&self, is_meant: impl Fn(u32) -> bool) {
        for _ in 0..ROUNDS {
            let mut killed = Vec::new();
            for pid in own_children() {
                if self.0.as_ref().is_some_and(|known| known.contains(&pid)) {
                    continue;
                }
                let Some(process) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { continue };
                if is_meant(pid) && kill_process(process, Signal::KILL).is_ok() {
                    killed.push(process);
                } else {
                    let _ = waitpid(Some(process), WaitOptions::NOHANG);
                }
            }
            if killed.is_empty() {
                return;
            }
            let deadline = Instant::now() + VANISHING;
            killed.retain(|&pid| matches!(waitpid(Some(pid), WaitOptions::NOHANG), Ok(None)));
            while !killed.is_empty() && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(1));
                killed.retain(|&pid| matches!(waitpid(Some(pid), WaitOptions::NOHANG), Ok(None)));
            }
        }
    }
}

/// The children of all threads of this program, from proc(5).
fn own_children() -> Vec<u32> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// Kills all processes whose tags have this prefix, after the program that set the tags has died.
pub(in crate::process::system) fn end_tagged(prefix: &str) {
    let own = std::process::id();
    for _ in 0..ROUNDS {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let tagged = pids.filter(|&pid| pid != own && has_tag(pid, |tag| tag.starts_with(prefix.as_bytes())));
        let killed = tagged
            .filter_map(|pid| Pid::from_raw(i32::try_from(pid).ok()?))
            .filter(|&pid| kill_process(pid, Signal::KILL).is_ok())
            .count();
        if killed == 0 {
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a run that was killed left this process: it has a tag, and the program that set the tag is dead.
pub(in crate::process::system) fn is_left_engine(pid: u32) -> bool {
    has_tag(pid, |tag| owner_of(tag).is_some_and(|owner| !is_alive(owner)))
}

/// The program that set a tag: its process id and start time.
fn owner_of(tag: &[u8]) -> Option<(u32, u64)> {
    let mut numbers = std::str::from_utf8(tag).ok()?.split('-');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn is_alive((pid, started): (u32, u64)) -> bool {
    stat(pid).is_some_and(|stat| stat.started == started && stat.life == Life::Alive)
}

/// Whether a process has such a tag in its environment. A zombie's environment is empty.
fn has_tag(pid: u32, is_meant: impl Fn(&[u8]) -> bool) -> bool {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let mut variables = environment.split(|&byte| byte == 0);
    variables.any(|variable| {
        let value =
            variable.strip_prefix(ENGINE_VARIABLE.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
        value.is_some_and(&is_meant)
    })
}
