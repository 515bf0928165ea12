//! A child process on Linux or macOS: non-blocking pipes, and signals to its process group.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Instant;

use rustix::fs::OFlags;
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{Pid, Signal, WaitOptions, waitpid};

#[cfg(target_os = "linux")]
use super::super::linux::{Children, signal_child, spawn};
#[cfg(target_os = "macos")]
use super::super::macos::{Children, signal_child, spawn};
use super::super::unix_process::Spawned;
use super::super::{Errors, ReadOutcome, SpawnError, SystemChild, Written};
use super::limits::file_limit_of_children;
use crate::process::EngineCommand;
use crate::process::exit::Exit;

#[derive(Debug)]
pub(in crate::process) struct Child {
    pid: Pid,
    exit: OwnedFd,
    stdin: Option<OwnedFd>,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    tag: OsString,
}

impl Child {
    pub(super) fn exit_fd(&self) -> BorrowedFd<'_> {
        self.exit.as_fd()
    }

    pub(super) fn stdin_fd(&self) -> Option<BorrowedFd<'_>> {
        self.stdin.as_ref().map(AsFd::as_fd)
    }

    pub(super) fn stdout_fd(&self) -> Option<BorrowedFd<'_>> {
        self.stdout.as_ref().map(AsFd::as_fd)
    }

    pub(super) fn stderr_fd(&self) -> Option<BorrowedFd<'_>> {
        self.stderr.as_ref().map(AsFd::as_fd)
    }

    fn signal(&self, signal: Signal) {
        // Either call may find no process left.
        let _ = rustix::process::kill_process_group(self.pid, signal);
        signal_child(self.pid, &self.exit, signal);
    }
}

impl SystemChild for Child {
    fn spawn(command: &EngineCommand, program: &Path, errors: Errors) -> Result<Child, SpawnError> {
        let Spawned { pid, exit, stdin, stdout, stderr, tag } =
            spawn(command, program, errors, file_limit_of_children())?;
        let mut child = Child { pid, exit, stdin: Some(stdin), stdout: Some(stdout), stderr, tag };
        let pipes = [&child.stdin, &child.stdout, &child.stderr];
        let unblocked = pipes.into_iter().flatten().try_for_each(unblock);
        match unblocked {
            Ok(()) => Ok(child),
            Err(error) => {
                child.kill();
                child.reap();
                Err(error.into())
            }
        }
    }

    fn pid(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// Rust programs ignore SIGPIPE.
    fn write(&mut self, bytes: &[u8]) -> Written {
        let Some(stdin) = &self.stdin else { return Written::Broken };
        loop {
            match rustix::io::write(stdin, bytes) {
                Ok(count) => return Written::Bytes(count),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Written::Bytes(0),
                Err(_) => return Written::Broken,
            }
        }
    }

    fn close_stdin(&mut self) {
        self.stdin = None;
    }

    fn has_stdout(&self) -> bool {
        self.stdout.is_some()
    }

    fn read_stdout(&mut self, buffer: &mut [u8]) -> ReadOutcome {
        read(&mut self.stdout, buffer)
    }

    fn close_stdout(&mut self) {
        self.stdout = None;
    }

    fn read_stderr(&mut self, buffer: &mut [u8]) -> ReadOutcome {
        read(&mut self.stderr, buffer)
    }

    fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// The group is killed first: once the child is reaped, the system may reuse its process id.
    fn reap(&mut self) -> Option<Exit> {
        self.kill();
        let mut children = Children::lock();
        let (_, status) = retry_on_intr(|| waitpid(Some(self.pid), WaitOptions::empty())).ok()??;
        children.remove(self.pid(), &self.tag);
        Some(Exit::from_status(ExitStatus::from_raw(status.as_raw())))
    }
}

/// Reads a pipe once and closes it at end of file.
fn read(pipe: &mut Option<OwnedFd>, buffer: &mut [u8]) -> ReadOutcome {
    let Some(open) = pipe else { return ReadOutcome::Closed };
    match rustix::io::read(open, buffer) {
        Ok(count @ 1..) => ReadOutcome::Bytes(count, Instant::now()),
        Err(Errno::AGAIN | Errno::INTR) => ReadOutcome::Empty,
        Ok(0) | Err(_) => {
            *pipe = None;
            ReadOutcome::Closed
        }
    }
}

fn unblock(pipe: &OwnedFd) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(pipe)?;
    Ok(rustix::fs::fcntl_setfl(pipe, flags | OFlags::NONBLOCK)?)
}
