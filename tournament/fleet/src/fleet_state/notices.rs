//! How much users read about workers: one that does nothing but come and go, or whose engines warn all the time, would fill
//! a screen and a log.

use std::time::Instant;

use super::Effect;
use smalt_match::run::Event;

/// Burst size of notices; then one more each second.
const BURST: u64 = 200;

/// Words that may still be told.
#[derive(Debug, Default)]
pub(super) struct Notices {
    begun: Option<Instant>,
    told: u64,
    dropped: u64,
}

impl Notices {
    /// Takes out what is too much.
    pub(super) fn limit(&mut self, effects: &mut Vec<Effect>, now: Instant) {
        effects.retain(|effect| match effect {
            Effect::Send(
                Event::Notice { .. }
                | Event::MachineJoined(_)
                | Event::EngineWarning { .. }
                | Event::RemoteFault(_),
            ) => {
                let may_pass = self.room(now) > 0;
                let count = if may_pass { &mut self.told } else { &mut self.dropped };
                *count += 1;
                may_pass
            }
            _ => true,
        });
    }

    /// How many words were taken out, when there is room again to say so.
    pub(super) fn dropped(&mut self, now: Instant) -> Option<u64> {
        (self.dropped > 0 && self.room(now) > 1).then(|| std::mem::take(&mut self.dropped))
    }

    fn room(&mut self, now: Instant) -> u64 {
        let begun = *self.begun.get_or_insert(now);
        let earned = now.saturating_duration_since(begun).as_secs();
        // What was not used in quiet times does not add up.
        self.told = self.told.max(earned);
        (earned + BURST).saturating_sub(self.told)
    }
}
