//! Ctrl-C and its kin: the first ends all waits, so that what was done is still written; the second ends the program.
//!
//! signal-hook, because a handler may do next to nothing by itself: it turns signals into an iterator on a thread of
//! its own.

use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use smalt_driver::process::{Interrupt, unignored};

/// Rings the bell at a signal from now on.
pub(super) fn listen(interrupt: Interrupt) -> std::io::Result<()> {
    let mut signals = Signals::new(unignored(&[SIGINT, SIGTERM, SIGHUP]))?;
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let mut signals = signals.forever();
        if signals.next().is_some() {
            interrupt.raise();
        }
        if signals.next().is_some() {
            // Engines die with the threads that started them.
            std::process::exit(130);
        }
    })?;
    Ok(())
}
