//! An interrupt that ends every wait: raised from any thread or signal handler, seen by all threads that wait with it.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::system::Event;

/// Cancels waits from another thread. Clones share one interrupt; once raised it stays raised, so no wait that
/// begins later can miss it.
#[derive(Clone, Debug)]
pub struct Interrupt {
    event: Arc<Event>,
}

impl Interrupt {
    /// An interrupt that has not been raised.
    ///
    /// # Errors
    /// When the process has no file descriptor left.
    pub fn new() -> io::Result<Self> {
        Ok(Self { event: Arc::new(Event::new()?) })
    }

    /// Ends all waits, those of now and of later. Safe in a signal handler; raising it again changes nothing.
    pub fn raise(&self) {
        self.event.set();
    }

    /// True once [`Self::raise`] was called on any clone.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.wait(Duration::ZERO)
    }

    /// Waits until it is raised, for at most this time; whether it is.
    #[must_use]
    pub fn wait(&self, time: Duration) -> bool {
        let end = Instant::now() + time;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if self.event.wait(left) {
                return true;
            }
            // A signal may have ended the wait early.
            if left.is_zero() {
                return false;
            }
        }
    }

    pub(super) fn event(&self) -> &Event {
        &self.event
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raised_interrupt_stays_raised_for_all_clones() {
        let interrupt = Interrupt::new().unwrap();
        let clone = interrupt.clone();
        assert!(!clone.is_raised());
        interrupt.raise();
        interrupt.raise();
        assert!(clone.is_raised() && interrupt.is_raised() && clone.is_raised());
        assert!(clone.wait(Duration::from_secs(60)));
    }
}
