//! Ctrl-C and the other requests to end: the first ends all waits, so that what was done is still written; the second
//! ends the program.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use smalt_driver::process::{Interrupt, StopRequest, StopSignals};

use super::exit::Exit;

/// Whether the first request to end was SIGTERM.
static IS_TERMINATED: AtomicBool = AtomicBool::new(false);

/// The exit code; an interruption by SIGTERM has its own.
pub(super) fn code(exit: Exit) -> ExitCode {
    let is_terminated = exit == Exit::Interrupted && IS_TERMINATED.load(Ordering::Relaxed);
    if is_terminated { Exit::Terminated.into() } else { exit.into() }
}

/// Raises the interrupt at a request to end from now on.
pub(super) fn listen(interrupt: Interrupt) -> std::io::Result<()> {
    let mut signals = StopSignals::catch()?;
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        IS_TERMINATED.store(signals.wait() == StopRequest::Terminate, Ordering::Relaxed);
        interrupt.raise();
        signals.wait();
        // Engines die with the threads that started them.
        std::process::exit(130);
    })?;
    Ok(())
}
