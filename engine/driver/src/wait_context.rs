//! What a wait for an engine also watches: the interrupt, and the pipes of the other engine.

use crate::process::{Interrupt, Process};

/// An engine that is not being waited for.
pub trait Background {
    fn process_mut(&mut self) -> &mut Process;

    /// Handles buffered lines: drops idle output, keeps pondering output. Never waits.
    fn handle_buffered(&mut self);
}

/// What else a wait watches; nothing by default.
#[derive(Default)]
pub struct WaitContext<'a> {
    interrupt: Option<&'a Interrupt>,
    other: Option<&'a mut dyn Background>,
}

impl<'a> WaitContext<'a> {
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Sets the interrupt that ends the wait.
    #[must_use]
    pub fn interruptible(interrupt: &'a Interrupt) -> Self {
        Self { interrupt: Some(interrupt), other: None }
    }

    /// Sets the engine whose pipes are read too.
    #[must_use]
    pub fn with_other(mut self, other: &'a mut dyn Background) -> Self {
        self.other = Some(other);
        self
    }

    pub(crate) fn parts(&mut self) -> (Option<&mut Process>, Option<&Interrupt>) {
        (self.other.as_deref_mut().map(Background::process_mut), self.interrupt)
    }

    pub(crate) fn handle_buffered(&mut self) {
        if let Some(other) = self.other.as_deref_mut() {
            other.handle_buffered();
        }
    }
}
