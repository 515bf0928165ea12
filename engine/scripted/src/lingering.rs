//! The fault of a child process that outlives the engine.

use std::process::{Command, ExitCode};
use std::thread;
use std::time::Duration;

use crate::output::HANG;

/// Starts a child that keeps this process's pipes open, and does not wait for it.
pub(crate) fn spawn() {
    #[expect(
        clippy::disallowed_methods,
        reason = "this fault is a process: the runner must not leave it behind"
    )]
    let child = std::env::current_exe()
        .and_then(|program| Command::new(program).arg("--linger").arg(HANG.as_secs().to_string()).spawn());
    // Where no process can be started, the fault does not occur.
    drop(child);
}

/// Starts a daemon: a child in a new session starts the lingering child and exits.
pub(crate) fn spawn_daemon() {
    #[expect(
        clippy::disallowed_methods,
        reason = "this fault is a process: the runner must not leave it behind"
    )]
    let child = std::env::current_exe().and_then(|program| Command::new(program).arg("--detach").status());
    drop(child);
}

/// Runs as the intermediate process of [`spawn_daemon`].
pub(crate) fn detach() -> ExitCode {
    #[cfg(unix)]
    let _ = rustix::process::setsid();
    spawn();
    ExitCode::SUCCESS
}

/// Runs as the lingering child: sleeps.
pub(crate) fn linger(time: Duration) -> ExitCode {
    thread::sleep(time);
    ExitCode::SUCCESS
}
