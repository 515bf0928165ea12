//! Ctrl-C and the other signals that ask a program to end.
//!
//! signal-hook, because a handler may do next to nothing by itself: it turns signals into an iterator.

use std::io;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::super::StopRequest;
#[cfg(target_os = "linux")]
use super::super::linux::unignored;
#[cfg(target_os = "macos")]
use super::super::macos::unignored;

/// The requests to end that this program gets: Ctrl-C, SIGTERM, SIGHUP, unless they were ignored when it was started.
#[derive(Debug)]
pub struct StopSignals(Signals);

impl StopSignals {
    /// Catches them from now on.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn catch() -> io::Result<StopSignals> {
        Signals::new(unignored(&[SIGINT, SIGTERM, SIGHUP])).map(StopSignals)
    }

    /// Waits for the next one.
    pub fn wait(&mut self) -> StopRequest {
        let signal = self.0.forever().next();
        if signal == Some(SIGTERM) { StopRequest::Terminate } else { StopRequest::Interrupt }
    }
}
