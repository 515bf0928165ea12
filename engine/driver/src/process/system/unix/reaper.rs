//! The reaper: a process that outlives its owner and kills the processes that the owner left behind.
//!
//! Linux's parent-death signal reaches an engine, but not the children of a wrapper script, nor set-user-id programs;
//! macOS has no such signal. The reaper closes these gaps: it reads from a pipe which processes start and exit. When
//! that pipe closes, however its owner died, it kills the groups of the processes still listed. It has its own process
//! group, so no terminal signal reaches it.

use std::collections::HashSet;
use std::io::{self, BufRead};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;

#[cfg(target_os = "linux")]
use super::super::linux::{Children, end_tagged, tag_prefix};
#[cfg(target_os = "macos")]
use super::super::macos::{Children, end_tagged, tag_prefix};
use super::identity::sweep;
use crate::process::{ENGINE_VARIABLE, PASSWORD_VARIABLE, ProcessIdentity};

/// How long a reaper may take to exit at the end of its input.
const LEAVING: Duration = Duration::from_secs(1);

/// The owner's handle. All clones share one reaper, which exits when the last is dropped.
#[derive(Clone, Debug)]
pub struct Reaper(Arc<ReaperProcess>);

#[derive(Debug)]
struct ReaperProcess {
    input: Option<OwnedFd>,
    child: Mutex<Child>,
}

impl PartialEq for Reaper {
    fn eq(&self, other: &Reaper) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Reaper {}

impl Reaper {
    /// Starts a reaper: this program, run with this argument, must only call [`run_reaper`] on its standard input.
    ///
    /// # Errors
    /// If the system refuses.
    #[expect(clippy::disallowed_methods, reason = "the reaper is a process, and this crate starts those")]
    pub fn start(program: &Path, argument: &str) -> io::Result<Reaper> {
        let mut command = Command::new(program);
        command.arg(argument).current_dir("/").process_group(0).env_remove(PASSWORD_VARIABLE);
        // Its owner may be a child of this crate itself: the reaper must outlive it, and has no tag.
        command.env_remove(ENGINE_VARIABLE);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = {
            let mut children = Children::lock();
            let child = command.spawn()?;
            children.add(child.id());
            child
        };
        let input = child.stdin.take().map(OwnedFd::from);
        if let Some(input) = &input {
            let flags = rustix::fs::fcntl_getfl(input)?;
            rustix::fs::fcntl_setfl(input, flags | OFlags::NONBLOCK)?;
            rustix::io::write(input, format!("={}\n", tag_prefix()).as_bytes())?;
        }
        Ok(Reaper(Arc::new(ReaperProcess { input, child: Mutex::new(child) })))
    }

    /// Records that this process was started.
    pub(in crate::process) fn watch(&self, process: ProcessIdentity) {
        self.send('+', process);
    }

    /// Records that this process and its group have ended.
    pub(in crate::process) fn release(&self, process: ProcessIdentity) {
        self.send('-', process);
    }

    /// A line is shorter than an atomic pipe write (pipe(7)), so threads need no lock. Errors are ignored: the other
    /// ways to kill the engines still work.
    fn send(&self, change: char, process: ProcessIdentity) {
        let Some(input) = &self.0.input else { return };
        let line = format!("{change}{} {} {}\n", process.pid, process.started, process.session);
        let _ = rustix::io::write(input, line.as_bytes());
    }
}

impl Drop for ReaperProcess {
    fn drop(&mut self) {
        self.input = None;
        let child = self.child.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        let deadline = Instant::now() + LEAVING;
        while matches!(child.try_wait(), Ok(None)) {
            if Instant::now() >= deadline {
                let _ = child.kill();
                let _ = child.wait();
                return;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// The reaper's main loop: tracks which processes start and exit until its owner is dead, and kills those still listed.
pub fn run_reaper(input: impl BufRead) {
    let mut watched = HashSet::new();
    let mut tags = None;
    for line in input.lines().map_while(Result::ok) {
        if let Some(prefix) = line.strip_prefix('=') {
            tags = Some(prefix.to_owned());
            continue;
        }
        match parse(&line) {
            Some(('+', process)) => watched.insert(process),
            Some((_, process)) => watched.remove(&process),
            None => false,
        };
    }
    for process in watched {
        sweep(&process);
    }
    // An owner that exits normally leaves no engine behind, but perhaps their helpers.
    if let Some(prefix) = tags {
        end_tagged(&prefix);
    }
}

fn parse(line: &str) -> Option<(char, ProcessIdentity)> {
    let change = line.chars().next().filter(|change| matches!(change, '+' | '-'))?;
    let mut numbers = line[1..].split(' ');
    let process = ProcessIdentity {
        pid: numbers.next()?.parse().ok()?,
        started: numbers.next()?.parse().ok()?,
        session: numbers.next()?.parse().ok()?,
    };
    Some((change, process))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reaper_lines_are_parsed() {
        let process = ProcessIdentity { pid: 12, started: 345, session: 6 };
        assert_eq!(parse("+12 345 6"), Some(('+', process)));
        assert_eq!(parse("-12 345 6"), Some(('-', process)));
        for text in ["", "12 345 6", "+12 345", "é12 345 6", "+a b c"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
