//! macOS: a kqueue that becomes readable at the exit of a child, and process data from libproc. There is no parent-death
//! signal and no CPU affinity: the reaper kills remaining processes, and affinity is refused.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::event::kqueue::{Event, EventFilter, EventFlags, ProcessEvents, kevent, kqueue};
use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, setrlimit};

use super::unix_process::{Life, ProcessStat, Spawned};
use super::{Errors, SpawnError};
use crate::process::{ENGINE_VARIABLE, EngineCommand, PASSWORD_VARIABLE};

/// Always fails: macOS has no CPU affinity.
///
/// # Errors
/// Always.
pub fn bind_this_thread(_: &[usize]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Numbers of all processors.
///
/// # Errors
/// If the system call fails.
pub fn own_processors() -> io::Result<Vec<usize>> {
    std::thread::available_parallelism().map(|count| (0..count.get()).collect())
}

/// Does nothing: macOS has no subreapers.
///
/// # Errors
/// Never.
pub fn adopt_orphans() -> io::Result<()> {
    Ok(())
}

/// Does nothing: without a subreaper there are no adopted orphans.
pub fn end_orphans() {}

/// Does nothing, as [`end_orphans`].
pub fn reap_orphans() {}

/// Those of these signals that are not ignored, for which a handler may be set.
pub(super) fn unignored(signals: &[i32]) -> Vec<i32> {
    let is_ignored = |signal: i32| {
        // SAFETY: An action may be all zeros; a null pointer requests the current one.
        #[expect(unsafe_code, reason = "there is no safe interface to the handlers of signals")]
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0
                && action.sa_sigaction == libc::SIG_IGN
        }
    };
    signals.iter().copied().filter(|&signal| !is_ignored(signal)).collect()
}

/// Held during a process start: macOS cannot create pipes with close-on-exec set, so a child started by another thread
/// in between would inherit them.
pub(super) struct Children {
    _held: MutexGuard<'static, ()>,
}

impl Children {
    pub(super) fn lock() -> Children {
        static STARTING: Mutex<()> = Mutex::new(());
        Children { _held: STARTING.lock().unwrap_or_else(PoisonError::into_inner) }
    }

    pub(super) fn add(&mut self, _: u32) {}

    pub(super) fn remove(&mut self, _: u32, _: &OsStr) {}
}

/// Engines have no tags on macOS.
pub(super) fn tag_prefix() -> &'static str {
    ""
}

pub(super) fn end_tagged(_: &str) {}

/// Always: the environment of another process is not read on macOS.
pub(super) fn is_left_engine(_: u32) -> bool {
    true
}

/// Starts the program in a new process group, with this limit of open files if there is one.
#[expect(clippy::disallowed_methods, reason = "this crate starts processes")]
pub(super) fn spawn(
    command: &EngineCommand,
    program: &Path,
    errors: Errors,
    files: Option<Rlimit>,
) -> Result<Spawned, SpawnError> {
    if !command.affinity.is_empty() {
        return Err(SpawnError::Affinity);
    }
    let mut start = Command::new(program);
    start.args(&command.arguments).process_group(0);
    start.env_remove(PASSWORD_VARIABLE).env(ENGINE_VARIABLE, "1");
    start.envs(command.environment.iter().map(|(name, value)| (name, value)));
    command.directory.iter().for_each(|directory| _ = start.current_dir(directory));
    start.stdin(Stdio::piped()).stdout(Stdio::piped());
    start.stderr(match errors {
        Errors::Piped => Stdio::piped(),
        Errors::To(file) => file.into(),
    });
    if let Some(limit) = files.filter(|limit| limit.current.is_some()) {
        // SAFETY: `setrlimit` is a plain system call, which may be made between fork and exec.
        #[expect(unsafe_code, reason = "what runs after a fork must be chosen with care")]
        unsafe {
            start.pre_exec(move || Ok(setrlimit(Resource::Nofile, limit)?));
        }
    }
    let mut child = {
        let _children = Children::lock();
        start.spawn()?
    };
    let pid = Pid::from_child(&child);
    let exit = watch_exit(pid).inspect_err(|_| {
        let _ = child.kill();
        let _ = child.wait();
    })?;
    let stdin = child.stdin.take().expect("it is piped").into();
    let stdout = child.stdout.take().expect("it is piped").into();
    let stderr = child.stderr.take().map(OwnedFd::from);
    Ok(Spawned { pid, exit, stdin, stdout, stderr, tag: OsString::new() })
}

/// A kqueue is a descriptor for `poll(2)` that becomes readable at the exit of this process. A process that has already
/// exited cannot be watched: then it is a pipe at its end.
fn watch_exit(pid: Pid) -> io::Result<OwnedFd> {
    let queue = kqueue()?;
    let filter = EventFilter::Proc { pid, flags: ProcessEvents::EXIT };
    let event = Event::new(filter, EventFlags::ADD, std::ptr::null_mut());
    // SAFETY: No event names a descriptor.
    #[expect(unsafe_code, reason = "kevent could name a descriptor")]
    let added = unsafe { kevent(&queue, &[event], &mut Vec::<Event>::new(), Some(Duration::ZERO)) };
    match added {
        Ok(_) => Ok(queue),
        Err(Errno::SRCH) => io::pipe().map(|(read, _)| read.into()),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn signal_child(pid: Pid, _: &OwnedFd, signal: Signal) {
    let _ = kill_process(pid, signal);
}

/// Start time of a process in microseconds since 1970, and its session.
pub(in crate::process) fn identify(pid: u32) -> Option<(u64, u32)> {
    stat(pid).map(|stat| (stat.started, stat.session))
}

pub(super) fn stat(pid: u32) -> Option<ProcessStat> {
    let number = i32::try_from(pid).ok()?;
    let size = i32::try_from(size_of::<libc::proc_bsdinfo>()).ok()?;
    // SAFETY: The structure may be all zeros, and the call writes at most its size.
    #[expect(unsafe_code, reason = "there is no safe interface to libproc")]
    let info = unsafe {
        let mut info: libc::proc_bsdinfo = std::mem::zeroed();
        let written = libc::proc_pidinfo(number, libc::PROC_PIDTBSDINFO, 0, (&raw mut info).cast(), size);
        (written == size).then_some(info)
    }?;
    let session = Pid::from_raw(number).and_then(|pid| rustix::process::getsid(Some(pid)).ok());
    Some(ProcessStat {
        group: info.pbi_pgid,
        session: session.map_or(0, |session| session.as_raw_nonzero().get().unsigned_abs()),
        started: info.pbi_start_tvsec * 1_000_000 + info.pbi_start_tvusec,
        life: if info.pbi_status == libc::SZOMB { Life::Zombie } else { Life::Alive },
    })
}

pub(super) fn all_processes() -> impl Iterator<Item = u32> {
    // Processes may start between the two calls.
    const ROOM: usize = 256;
    // SAFETY: The call writes at most the size passed to it.
    #[expect(unsafe_code, reason = "there is no safe interface to libproc")]
    let pids = unsafe {
        let count = usize::try_from(libc::proc_listallpids(std::ptr::null_mut(), 0)).unwrap_or(0);
        let mut pids = vec![0_i32; count + ROOM];
        let bytes = i32::try_from(size_of_val(pids.as_slice())).unwrap_or(0);
        let written = libc::proc_listallpids(pids.as_mut_ptr().cast(), bytes);
        pids.truncate(usize::try_from(written).unwrap_or(0));
        pids
    };
    pids.into_iter().filter_map(|pid| u32::try_from(pid).ok())
}

/// Peak memory of a process in bytes; `None` after its exit.
pub fn peak_memory_bytes(pid: u32) -> Option<u64> {
    let pid = i32::try_from(pid).ok()?;
    // SAFETY: The structure may be all zeros, and the buffer has the requested version.
    #[expect(unsafe_code, reason = "there is no safe interface to libproc")]
    unsafe {
        let mut usage: libc::rusage_info_v4 = std::mem::zeroed();
        let buffer: *mut libc::rusage_info_v4 = &raw mut usage;
        (libc::proc_pid_rusage(pid, libc::RUSAGE_INFO_V4, buffer.cast()) == 0)
            .then_some(usage.ri_lifetime_max_phys_footprint)
    }
}
