//! Ctrl-C and its kin: the first asks the coordinator to stop, the second ends the program.
//!
//! signal-hook, because a handler may do next to nothing by itself: it turns signals into an iterator on a thread of
//! its own, and is the crate that others build upon.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use super::exit::Exit;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use smalt_driver::process::unignored;

use smalt_match::run::{Event, StopReason};

/// The first signal that asked the program to end; 0 before it.
static FIRST: AtomicI32 = AtomicI32::new(0);

/// The exit code; an interruption by SIGTERM has its own.
pub(super) fn code(exit: Exit) -> ExitCode {
    let is_terminated = exit == Exit::Interrupted && FIRST.load(Ordering::Relaxed) == SIGTERM;
    if is_terminated { Exit::Terminated.into() } else { exit.into() }
}

/// How long the coordinator may take to end everything after the second signal.
const LAST_CHANCE: Duration = Duration::from_millis(500);

/// The first signal that asks the program to end.
pub(super) struct First(Signals);

/// Notices it from now on.
pub(super) fn first() -> std::io::Result<First> {
    Signals::new(unignored(&[SIGINT, SIGTERM, SIGHUP])).map(First)
}

impl First {
    /// Waits for it.
    pub(super) fn wait(mut self) {
        let _ = self.0.forever().next();
    }
}

/// Sends signals to the coordinator from now on.
pub(super) fn listen(events: Sender<Event>) -> std::io::Result<()> {
    // A file that grows beyond a limit shall be an error of its write, which stops the run resumable.
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    let mut signals = Signals::new(unignored(&[SIGINT, SIGTERM, SIGHUP]))?;
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let mut signals = signals.forever();
        if let Some(signal) = signals.next() {
            FIRST.store(signal, Ordering::Relaxed);
            let _ = events.send(Event::Stop(StopReason::User));
        }
        if let Some(signal) = signals.next() {
            FIRST.store(signal, Ordering::Relaxed);
            let _ = events.send(Event::Kill);
            thread::sleep(LAST_CHANCE);
            // Engines die with the threads that started them.
            std::process::exit(130);
        }
    })?;
    Ok(())
}
