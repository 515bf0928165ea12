//! Ctrl-C and the other signals that ask a program to end.
//!
//! signal-hook, because a handler may do next to nothing by itself: it turns signals into an iterator.

use std::collections::VecDeque;
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
pub struct StopSignals {
    signals: Signals,
    /// Those that came together with the last one.
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
