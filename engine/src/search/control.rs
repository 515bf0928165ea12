//! Controls a running search from outside: stop and ponderhit. Measures the time of the search.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Whose clock runs when the search starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClockState {
    /// Ours: time limits count from the start.
    Running,
    /// The opponent's: time limits count from ponderhit.
    Pondering,
}

/// Value of `clock_start` while pondering.
const NOT_STARTED: u64 = u64::MAX;

/// Stop and ponderhit flags of one search, shared by its threads and the protocol loop.
#[derive(Debug)]
pub struct SearchControl {
    begun: Instant,
    /// Nanoseconds from `begun` to ponderhit; 0 without pondering.
    clock_start: AtomicU64,
    stopped: AtomicBool,
    lock: Mutex<()>,
    changed: Condvar,
}

impl SearchControl {
    /// Control of a search that starts now.
    pub fn new(clock: ClockState) -> SearchControl {
        let clock_start = match clock {
            ClockState::Running => 0,
            ClockState::Pondering => NOT_STARTED,
        };
        SearchControl {
            begun: Instant::now(),
            clock_start: AtomicU64::new(clock_start),
            stopped: AtomicBool::new(false),
            lock: Mutex::new(()),
            changed: Condvar::new(),
        }
    }

    pub fn stop(&self) {
        self.change(|| self.stopped.store(true, Relaxed));
    }

    /// Ponderhit: our own clock runs from now on.
    pub fn ponder_hit(&self) {
        let now = u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(NOT_STARTED - 1);
        self.change(|| {
            let _ = self.clock_start.compare_exchange(NOT_STARTED, now, Relaxed, Relaxed);
        });
    }

    fn change(&self, change: impl FnOnce()) {
        let _guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        change();
        self.changed.notify_all();
    }

    /// Whether [`SearchControl::stop`] was called.
    #[inline]
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    /// Whether the search is still pondering.
    pub(crate) fn is_pondering(&self) -> bool {
        self.clock_start.load(Relaxed) == NOT_STARTED
    }

    /// Time since the search started, pondering included.
    pub(crate) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Time on our own clock; `None` while pondering.
    pub(crate) fn own_time(&self) -> Option<Duration> {
        match self.clock_start.load(Relaxed) {
            NOT_STARTED => None,
            start => Some(self.begun.elapsed().saturating_sub(Duration::from_nanos(start))),
        }
    }

    /// Blocks until the search is stopped or, unless it is infinite, no longer ponders.
    pub(crate) fn wait_for_release(&self, infinite: bool) {
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_stopped() && (infinite || self.is_pondering()) {
            guard = self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pondering_uses_no_time_of_our_clock() {
        let control = SearchControl::new(ClockState::Pondering);
        assert_eq!(control.own_time(), None);
        control.ponder_hit();
        assert!(control.own_time().is_some_and(|time| time <= control.elapsed()));
        assert!(SearchControl::new(ClockState::Running).own_time().is_some());
    }

    #[test]
    fn stop_and_ponderhit_release_a_waiting_search() {
        for infinite in [false, true] {
            let control = SearchControl::new(ClockState::Pondering);
            std::thread::scope(|scope| {
                let waiting = scope.spawn(|| control.wait_for_release(infinite));
                if infinite {
                    control.stop()
                } else {
                    control.ponder_hit()
                }
                waiting.join().unwrap();
            });
        }
    }
}
