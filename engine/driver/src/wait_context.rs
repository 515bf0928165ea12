//! What a wait for an engine also watches: the interrupt, and the pipes of the game's other engine.

use crate::process::{Interrupt, Process};

/// An engine that is not waited for just now.
pub trait Background {
    /// Its process, to be polled.
    fn process_mut(&mut self) -> &mut Process;

    /// Takes the lines that were read: idle chatter is dropped, that of pondering is kept. Never waits.
    fn handle_buffered(&mut self);
}

/// What else a wait watches; by default nothing.
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

    /// The wait ends when this interrupt is raised.
    #[must_use]
    pub fn interruptible(interrupt: &'a Interrupt) -> Self {
        Self { interrupt: Some(interrupt), other: None }
    }

    /// This engine's pipes are read as well.
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
