//! What the world outside tells a running search: stop, or that the awaited move has been played.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Whether the search begins on the own or on the opponent's time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClockState {
    /// The limits count from the start.
    Running,
    /// The limits count from the moment when the awaited move is played.
    Pondering,
}

/// Still pondering.
const NOT_STARTED: u64 = u64::MAX;

/// The signals of one search; shared between the one who gives them and all threads of the search.
#[derive(Debug)]
pub struct Signals {
    begun: Instant,
    /// Nanoseconds from `begun` to the moment when the own clock began to run.
    clock_start: AtomicU64,
    stopped: AtomicBool,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Signals {
    /// Signals of a search that begins now.
    pub fn new(clock: ClockState) -> Signals {
        let clock_start = match clock {
            ClockState::Running => 0,
            ClockState::Pondering => NOT_STARTED,
        };
        Signals {
            begun: Instant::now(),
            clock_start: AtomicU64::new(clock_start),
            stopped: AtomicBool::new(false),
            lock: Mutex::new(()),
            changed: Condvar::new(),
        }
    }

    /// Ends the search at once.
    pub fn stop(&self) {
        self.change(|| self.stopped.store(true, Relaxed));
    }

    /// The awaited move has been played: the own clock runs from now on.
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

    /// Whether the search has been told to end.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    /// Whether the opponent's clock still runs.
    pub fn is_pondering(&self) -> bool {
        self.clock_start.load(Relaxed) == NOT_STARTED
    }

    /// Time since the search began.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Time that the own clock has run; `None` while pondering.
    pub fn own_time(&self) -> Option<Duration> {
        match self.clock_start.load(Relaxed) {
            NOT_STARTED => None,
            start => Some(self.begun.elapsed().saturating_sub(Duration::from_nanos(start))),
        }
    }

    /// Waits until the search is stopped or, unless it is infinite, no longer ponders.
    pub fn wait_for_release(&self, infinite: bool) {
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
    fn the_own_clock_stands_while_pondering() {
        let signals = Signals::new(ClockState::Pondering);
        assert_eq!(signals.own_time(), None);
        signals.ponder_hit();
        assert!(signals.own_time().is_some_and(|time| time <= signals.elapsed()));
        assert!(Signals::new(ClockState::Running).own_time().is_some());
    }

    #[test]
    fn a_waiting_search_is_released_by_stop_or_by_the_awaited_move() {
        for infinite in [false, true] {
            let signals = Signals::new(ClockState::Pondering);
            std::thread::scope(|scope| {
                let waiting = scope.spawn(|| signals.wait_for_release(infinite));
                if infinite {
                    signals.stop()
                } else {
                    signals.ponder_hit()
                }
                waiting.join().unwrap();
            });
        }
    }
}
