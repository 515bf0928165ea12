//! Rate limit of notices: a worker that constantly rejoins, or whose engines constantly warn, would flood screen and
//! log.

use std::time::Instant;

use super::Effect;
use crate::rate_limit::RateLimit;
use smalt_match::run::Event;

/// Removes notices beyond the limit.
pub(super) fn limit(notices: &mut RateLimit, effects: &mut Vec<Effect>, now: Instant) {
    effects.retain(|effect| match effect {
        Effect::Send(
            Event::Notice { .. }
            | Event::MachineJoined(_)
            | Event::EngineWarning { .. }
            | Event::RemoteFault(_),
        ) => notices.may_pass(now),
        _ => true,
    });
}
