//! Ctrl-C and other termination signals: the first asks the program to stop and save its work, the second ends it.

use std::io;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use smalt_driver::process::{StopRequest, StopSignals};

use crate::exit::Exit;

/// Whether a termination signal has come and was handled.
static IS_STOPPED: AtomicBool = AtomicBool::new(false);

/// Whether the last termination signal was SIGTERM.
static IS_TERMINATED: AtomicBool = AtomicBool::new(false);

/// Calls `first` on the first termination signal and `second` on the next, after which the program exits; both run on a
/// separate thread.
///
/// # Errors
/// If the system refuses to register the signals or to start a thread.
pub fn handle(
    first: impl FnOnce() + Send + 'static,
    second: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    let mut signals = StopSignals::catch()?;
    let mut wait = move || IS_TERMINATED.store(signals.wait() == StopRequest::Terminate, Ordering::Relaxed);
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        wait();
        first();
        IS_STOPPED.store(true, Ordering::Release);
        wait();
        second();
        // Engines are killed with the threads that started them.
        let exit = if is_terminated() { Exit::Terminated } else { Exit::Interrupted };
        std::process::exit(exit.code().into());
    })?;
    Ok(())
}

/// Whether a termination signal has come and was handled; always false in a program that leaves signals to the system.
pub fn is_stopped() -> bool {
    IS_STOPPED.load(Ordering::Acquire)
}

/// Fails after a termination signal, so that reading input ends.
///
/// # Errors
/// If a termination signal has come.
pub fn check() -> io::Result<()> {
    if is_stopped() { Err(io::Error::other("interrupted")) } else { Ok(()) }
}

/// Whether the last termination signal was SIGTERM, after which a program has only seconds to end.
pub fn is_terminated() -> bool {
    IS_TERMINATED.load(Ordering::Relaxed)
}

/// The exit code; a stop by SIGTERM has its own.
pub fn exit_code(exit: Exit) -> ExitCode {
    if exit == Exit::Interrupted && is_terminated() { Exit::Terminated.into() } else { exit.into() }
}
