//! The fault that needs a process: a child of the engine that outlives it.

use std::process::{Command, ExitCode};
use std::thread;
use std::time::Duration;

use crate::output::HANG;

/// Starts a child that holds this process's pipes and is not waited for.
pub(crate) fn spawn() {
    #[expect(
        clippy::disallowed_methods,
        reason = "this fault is a process: the runner must not leave it behind"
    )]
    let child = std::env::current_exe()
        .and_then(|program| Command::new(program).arg("--linger").arg(HANG.as_secs().to_string()).spawn());
    // A machine where no process can be started has no such fault.
    drop(child);
}

/// Starts a child that leaves for a session of its own, and there starts one that is not waited for: a daemon.
pub(crate) fn spawn_daemon() {
    #[expect(
        clippy::disallowed_methods,
        reason = "this fault is a process: the runner must not leave it behind"
    )]
    let child = std::env::current_exe().and_then(|program| Command::new(program).arg("--detach").status());
    drop(child);
}

/// Is the first of these two.
pub(crate) fn detach() -> ExitCode {
    #[cfg(unix)]
    let _ = rustix::process::setsid();
    spawn();
    ExitCode::SUCCESS
}

/// Is that child: does nothing for a while.
pub(crate) fn linger(time: Duration) -> ExitCode {
    thread::sleep(time);
    ExitCode::SUCCESS
}
