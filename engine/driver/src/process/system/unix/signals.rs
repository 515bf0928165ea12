//! Ctrl-C and the other signals that ask a program to stop.
//!
//! Uses signal-hook, which turns signals into an iterator, since a signal handler may do almost nothing itself.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

use super::super::StopRequest;
#[cfg(target_os = "linux")]
use super::super::linux::unignored;
#[cfg(target_os = "macos")]
use super::super::macos::unignored;

/// Makes a write beyond the size limit of files (`ulimit -f`) an error, as on a full disk, instead of the end of this program.
/// Engines end, as usual: they inherit no handler.
pub fn catch_file_size_signal() {
    // If the system refuses, the signal ends this program.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

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
