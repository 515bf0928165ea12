//! An interrupt that ends every wait: raised from any thread or signal handler, seen by all threads that wait with it.

use std::io;
use std::sync::Arc;

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
        self.event.is_set()
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
    }
}
