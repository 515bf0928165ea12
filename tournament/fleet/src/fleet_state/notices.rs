//! Rate limit of notices: a worker that constantly rejoins, or whose engines constantly warn, would flood screen and
//! log.

use std::time::Instant;

use super::Effect;
use smalt_match::run::Event;

/// Burst size of notices; one more is allowed per second.
const BURST: u64 = 200;

/// Rate limiter of notices.
#[derive(Debug, Default)]
pub(super) struct Notices {
    begun: Option<Instant>,
    passed: u64,
    dropped: u64,
}

impl Notices {
    /// Removes notices beyond the limit.
    pub(super) fn limit(&mut self, effects: &mut Vec<Effect>, now: Instant) {
        effects.retain(|effect| match effect {
            Effect::Send(
                Event::Notice { .. }
                | Event::MachineJoined(_)
                | Event::EngineWarning { .. }
                | Event::RemoteFault(_),
            ) => {
                let may_pass = self.room(now) > 0;
                let count = if may_pass { &mut self.passed } else { &mut self.dropped };
                *count += 1;
                may_pass
            }
            _ => true,
        });
    }

    /// Number of dropped notices, once there is room to report it.
    pub(super) fn dropped(&mut self, now: Instant) -> Option<u64> {
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
