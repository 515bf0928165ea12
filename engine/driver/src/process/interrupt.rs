//! An interrupt that ends every wait: raised from any thread or signal handler, seen by all threads that wait with it.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::system::WakeEvent;

/// Cancels waits from another thread. Clones share one interrupt; it stays raised, so later waits end too.
#[derive(Clone, Debug)]
pub struct Interrupt {
    event: Arc<WakeEvent>,
}

impl Interrupt {
    /// An interrupt that has not been raised.
    ///
    /// # Errors
    /// If the process has no file descriptor left.
    pub fn new() -> io::Result<Self> {
        Ok(Self { event: Arc::new(WakeEvent::new()?) })
    }

    /// Ends all current and later waits. Safe in a signal handler; raising it again has no effect.
    pub fn raise(&self) {
        self.event.set();
    }

    /// Whether [`Self::raise`] was called on any clone.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.wait(Duration::ZERO)
    }

    /// Waits until it is raised or the time has passed; returns whether it was raised.
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

    pub(super) fn event(&self) -> &WakeEvent {
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
