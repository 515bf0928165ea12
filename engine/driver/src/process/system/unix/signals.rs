//! Ctrl-C and the other signals that ask a program to stop.
//!
//! Uses signal-hook, which turns signals into an iterator, since a signal handler may do almost nothing itself.

use std::collections::VecDeque;
use std::io;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::super::StopRequest;
#[cfg(target_os = "linux")]
use super::super::linux::unignored;
#[cfg(target_os = "macos")]
use super::super::macos::unignored;

/// The stop signals sent to this program: Ctrl-C, SIGTERM, SIGHUP, unless they were ignored at its start.
#[derive(Debug)]
pub struct StopSignals {
    signals: Signals,
    /// Signals that arrived together with the last one.
    pending: VecDeque<i32>,
}

impl StopSignals {
    /// Catches them from now on.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn catch() -> io::Result<StopSignals> {
        let signals = Signals::new(unignored(&[SIGINT, SIGTERM, SIGHUP]))?;
        Ok(StopSignals { signals, pending: VecDeque::new() })
    }

    /// Waits for the next one.
    pub fn wait(&mut self) -> StopRequest {
        loop {
            match self.pending.pop_front() {
                Some(SIGTERM) => return StopRequest::Terminate,
                Some(_) => return StopRequest::Interrupt,
                None => self.pending.extend(self.signals.wait()),
            }
        }
    }
}
