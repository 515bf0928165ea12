//! Rate limit of lines for users: a burst, then one a second.

use std::time::Instant;

/// Burst size; one more is allowed per second.
const BURST: u64 = 200;

#[derive(Debug, Default)]
pub(crate) struct RateLimit {
    begun: Option<Instant>,
    passed: u64,
    dropped: u64,
}

impl RateLimit {
    /// Whether a line may pass now; counts it.
    pub(crate) fn may_pass(&mut self, now: Instant) -> bool {
        let may_pass = self.room(now) > 0;
        let count = if may_pass { &mut self.passed } else { &mut self.dropped };
        *count += 1;
        may_pass
    }

    /// Number of dropped lines, once there is room to report it.
    pub(crate) fn dropped(&mut self, now: Instant) -> Option<u64> {
        (self.dropped > 0 && self.room(now) > 1).then(|| std::mem::take(&mut self.dropped))
    }

    fn room(&mut self, now: Instant) -> u64 {
        let begun = *self.begun.get_or_insert(now);
        let earned = now.saturating_duration_since(begun).as_secs();
        // Unused capacity does not accumulate beyond the burst.
        self.passed = self.passed.max(earned);
        (earned + BURST).saturating_sub(self.passed)
    }
}
