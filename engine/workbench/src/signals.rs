//! Ctrl-C and other termination signals: the first asks the program to stop and save its work, the second ends it.

use std::io;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use smalt_driver::process::{StopRequest, StopSignals};

use crate::exit::Exit;

/// Whether the last request to end was SIGTERM.
static IS_TERMINATED: AtomicBool = AtomicBool::new(false);

/// From now on calls `first` at the first request to end and `second` at the next, after which the program ends; both on
/// a thread of their own.
///
/// # Errors
/// If the system refuses to deliver the requests, or to start a thread.
pub fn handle(
    first: impl FnOnce() + Send + 'static,
    second: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    let mut signals = StopSignals::catch()?;
    let mut wait = move || IS_TERMINATED.store(signals.wait() == StopRequest::Terminate, Ordering::Relaxed);
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        wait();
        first();
        wait();
        second();
        // Engines die with the threads that started them.
        let exit = if IS_TERMINATED.load(Ordering::Relaxed) { Exit::Terminated } else { Exit::Interrupted };
        std::process::exit(exit.code().into());
    })?;
    Ok(())
}

/// The exit code; an interruption by SIGTERM has its own.
pub fn exit_code(exit: Exit) -> ExitCode {
    let is_terminated = exit == Exit::Interrupted && IS_TERMINATED.load(Ordering::Relaxed);
    if is_terminated { Exit::Terminated.into() } else { exit.into() }
}
