//! Starts a child process without copying this one.
//!
//! A fork copies the page tables of the whole program, delays every thread that writes to a page afterward, and takes
//! milliseconds once many games are running: each start would disturb them all. So the child borrows our memory until
//! it runs the new program, while the thread that starts it waits (`CLONE_VM | CLONE_VFORK` of clone(2)). `posix_spawn`
//! does the same, but cannot set the parent-death signal.

use std::collections::BTreeMap;
use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Resource, Rlimit, Signal, WaitOptions, waitpid};
use rustix::thread::CpuSet;

use super::super::unix_process::Spawned;
use super::super::{Errors, SpawnError};
use super::affinity::processor_set;
use super::descendants::{Children, next_tag};
use crate::process::{ENGINE_VARIABLE, EngineCommand, PASSWORD_VARIABLE};

/// Starts the program in its own process group, with this limit of open files if there is one; the system kills it when
/// this thread ends.
pub(in crate::process::system) fn spawn(
    command: &EngineCommand,
    program: &Path,
    errors: Errors,
    files: Option<Rlimit>,
) -> Result<Spawned, SpawnError> {
    let processors = match command.affinity.as_slice() {
        [] => None,
        some => Some(processor_set(some).ok_or(SpawnError::Affinity)?),
    };
    let pipe = || pipe_with(PipeFlags::CLOEXEC);
    let ((its_stdin, stdin), (stdout, its_stdout)) = (pipe()?, pipe()?);
    let (stderr, its_stderr) = match errors {
        Errors::Piped => pipe().map(|(ours, its)| (Some(ours), its))?,
        Errors::To(file) => (None, file.into()),
    };
    let program = c_string(program.as_os_str())?;
    let mut arguments = vec![program.clone()];
    for argument in &command.arguments {
        arguments.push(c_string(argument)?);
    }
    let tag = next_tag();
    let environment = environment(command, &tag)?;
    let (arguments, environment) = (pointers(&arguments), pointers(&environment));
    let directory = command.directory.as_deref().map(|path| c_string(path.as_os_str())).transpose()?;
    let mut launch = Launch {
        program: &program,
        arguments: &arguments,
        environment: &environment,
        directory: directory.as_ref(),
        streams: [its_stdin.as_fd(), its_stdout.as_fd(), its_stderr.as_fd()],
        processors,
        files,
        parent: rustix::process::getpid(),
        failure: None,
    };
    let mut children = Children::lock();
    let (pid, pidfd) = launch.child()?;
    if let Some(failure) = launch.failure.take() {
        let _ = retry_on_intr(|| waitpid(Some(pid), WaitOptions::empty()));
        return Err(failure);
    }
    children.add(pid.as_raw_nonzero().get().unsigned_abs());
    Ok(Spawned { pid, exit: pidfd, stdin, stdout, stderr, tag })
}

/// Our environment without the password, plus the command's variables; of duplicate names the last value counts.
fn environment(command: &EngineCommand, tag: &OsStr) -> io::Result<Vec<CString>> {
    let mut variables: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
    variables.remove(OsStr::new(PASSWORD_VARIABLE));
    variables.extend(command.environment.iter().cloned());
    variables.insert(ENGINE_VARIABLE.into(), tag.to_owned());
    let line = |(mut line, value): (OsString, OsString)| {
        line.push("=");
        line.push(value);
        c_string(&line)
    };
    variables.into_iter().map(line).collect()
}

fn c_string(text: &OsStr) -> io::Result<CString> {
    Ok(CString::new(text.as_bytes())?)
}

/// A null-terminated list for execve(2).
fn pointers(texts: &[CString]) -> Vec<*const libc::c_char> {
    texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect()
}

/// Everything the child needs for exec, prepared in advance: the child must neither allocate nor lock.
struct Launch<'a> {
    program: &'a CString,
    arguments: &'a [*const libc::c_char],
    environment: &'a [*const libc::c_char],
    directory: Option<&'a CString>,
    /// Standard input, output and error.
    streams: [BorrowedFd<'a>; 3],
    processors: Option<CpuSet>,
    /// The limit of open files for the child, if it differs from ours.
    files: Option<Rlimit>,
    parent: Pid,
    /// Why exec failed; written by the child, into our memory.
    failure: Option<SpawnError>,
}

/// Stack size of the child before exec, with a margin.
const STACK_BYTES: usize = 1 << 16;

impl Launch<'_> {
    /// Starts the child and waits until exec has succeeded or failed.
    fn child(&mut self) -> io::Result<(Pid, OwnedFd)> {
        const FLAGS: libc::c_int = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD | libc::SIGCHLD;
        // Aligned like a stack.
        let mut stack = vec![0_u128; STACK_BYTES / size_of::<u128>()];
        let mut pidfd: libc::c_int = -1;
        let _blocked = BlockedSignals::new();
        // SAFETY: Only the child uses the stack, which grows down from its end. The stack and `self` live as long as
        // the child borrows our memory, since this thread waits until then. The child runs `become_program`, which
        // follows the rules for code after a fork in a program with threads.
        #[expect(unsafe_code, reason = "no safe interface starts a child in borrowed memory")]
        let pid = unsafe {
            libc::clone(
                become_program,
                stack.as_mut_ptr_range().end.cast(),
                FLAGS,
                ptr::from_mut(self).cast(),
                &raw mut pidfd,
            )
        };
        let error = io::Error::last_os_error();
        let Some(pid) = Some(pid).filter(|pid| *pid > 0).and_then(Pid::from_raw) else { return Err(error) };
        if pidfd < 0 {
            // A system older than the flag ignores it.
            let _ = rustix::process::kill_process(pid, Signal::KILL);
            let _ = retry_on_intr(|| waitpid(Some(pid), WaitOptions::empty()));
            return Err(Errno::NOSYS.into());
        }
        // SAFETY: The system has just opened this descriptor for us.
        #[expect(unsafe_code, reason = "the system returns a raw descriptor")]
        let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
        Ok((pid, pidfd))
    }

    /// Runs in the child; returns only if exec fails, with the reason.
    fn run(&self) -> SpawnError {
        self.prepare().err().unwrap_or_else(|| {
            restore_signals();
            // SAFETY: All three are valid arguments of execve(2), and live.
            #[expect(unsafe_code, reason = "the environment is given in memory")]
            unsafe {
                libc::execve(self.program.as_ptr(), self.arguments.as_ptr(), self.environment.as_ptr());
            }
            io::Error::last_os_error().into()
        })
    }

    /// Must not allocate: the errors of system calls are numbers.
    fn prepare(&self) -> Result<(), SpawnError> {
        rustix::process::setpgid(None, None)?;
        leave_terminal();
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // If the parent died before the line above, the signal will never come.
        if rustix::process::getppid() != Some(self.parent) {
            return Err(Errno::SRCH.into());
        }
        if let Some(processors) = &self.processors {
            rustix::thread::sched_setaffinity(None, processors).map_err(|errno| match errno {
                Errno::INVAL => SpawnError::Affinity,
                other => other.into(),
            })?;
        }
        if let Some(files) = &self.files {
            rustix::process::setrlimit(Resource::Nofile, *files)?;
        }
        if let Some(directory) = self.directory {
            rustix::process::chdir(directory)?;
        }
        let [input, output, errors] = self.streams;
        rustix::stdio::dup2_stdin(input)?;
        rustix::stdio::dup2_stdout(output)?;
        Ok(rustix::stdio::dup2_stderr(errors)?)
    }
}

/// In the child: gives up the terminal, so that an engine that sets the modes of /dev/tty is not stopped by SIGTTOU. A
/// new session would do that too, but the scheduler divides processor time by session (autogroup of sched(7)): an
/// engine would get as much as everything else of this user, whatever its nice value.
fn leave_terminal() {
    if let Ok(terminal) = rustix::fs::open(c"/dev/tty", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()) {
        // SAFETY: The call takes no argument.
        #[expect(unsafe_code, reason = "there is no safe interface to it")]
        unsafe {
            libc::ioctl(terminal.as_raw_fd(), libc::TIOCNOTTY);
        }
    }
}

extern "C" fn become_program(launch: *mut libc::c_void) -> libc::c_int {
    // SAFETY: `Launch::child` passes this pointer and waits.
    #[expect(unsafe_code, reason = "clone(2) passes a raw pointer")]
    let launch = unsafe { &mut *launch.cast::<Launch<'_>>() };
    launch.failure = Some(launch.run());
    libc::EXIT_FAILURE
}

/// Blocks all signals of this thread while it lives, so that no signal handler of ours runs in a child that borrows our
/// memory.
struct BlockedSignals(libc::sigset_t);

impl BlockedSignals {
    fn new() -> BlockedSignals {
        // SAFETY: All zeros is a valid signal set, and both sets are ours.
        #[expect(unsafe_code, reason = "there is no safe interface to the signal mask")]
        unsafe {
            let (mut all, mut before): (libc::sigset_t, libc::sigset_t) =
                (std::mem::zeroed(), std::mem::zeroed());
            libc::sigfillset(&raw mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
            BlockedSignals(before)
        }
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        // SAFETY: The set was saved above.
        #[expect(unsafe_code, reason = "there is no safe interface to the signal mask")]
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, ptr::null_mut());
        }
    }
}

/// In the child: restores the default handlers, unblocks all signals, and lets a write to a closed pipe end the program
/// again (Rust ignores SIGPIPE). Signals ignored at our start (nohup) stay ignored. A signal that arrived meanwhile was
/// meant for us, not for the program (Ctrl-C before the child had its own group): ignoring a signal discards it.
fn restore_signals() {
    // SAFETY: The child has its own handlers and mask, and all zeros is a valid set and action.
    #[expect(unsafe_code, reason = "there is no safe interface to signal handlers and masks")]
    unsafe {
        for signal in 1..=libc::SIGRTMAX() {
            let mut action: libc::sigaction = std::mem::zeroed();
            let is_known = libc::sigaction(signal, ptr::null(), &raw mut action) == 0;
            if is_known && (action.sa_sigaction != libc::SIG_IGN || signal == libc::SIGPIPE) {
                for handler in [libc::SIG_IGN, libc::SIG_DFL] {
                    action = std::mem::zeroed();
                    action.sa_sigaction = handler;
                    libc::sigaction(signal, &raw const action, ptr::null_mut());
                }
            }
        }
        let none: libc::sigset_t = std::mem::zeroed();
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
    }
}
