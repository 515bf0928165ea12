//! Ctrl-C and its kin: the first ends all waits, so that what was done is still written; the second ends the program.
//!
//! signal-hook, because a handler may do next to nothing by itself: it turns signals into an iterator on a thread of
//! its own.

use std::process::ExitCode;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;

use super::exit::Exit;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use smalt_driver::process::{Interrupt, unignored};

/// The first signal that asked the program to end; 0 before it.
static FIRST: AtomicI32 = AtomicI32::new(0);

/// The exit code; an interruption by SIGTERM has its own.
pub(super) fn code(exit: Exit) -> ExitCode {
    let is_terminated = exit == Exit::Interrupted && FIRST.load(Ordering::Relaxed) == SIGTERM;
    if is_terminated { Exit::Terminated.into() } else { exit.into() }
}

/// Rings the bell at a signal from now on.
pub(super) fn listen(interrupt: Interrupt) -> std::io::Result<()> {
    let mut signals = Signals::new(unignored(&[SIGINT, SIGTERM, SIGHUP]))?;
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let mut signals = signals.forever();
        if let Some(signal) = signals.next() {
            FIRST.store(signal, Ordering::Relaxed);
            interrupt.raise();
        }
        if signals.next().is_some() {
            // Engines die with the threads that started them.
            std::process::exit(130);
        }
    })?;
    Ok(())
}
