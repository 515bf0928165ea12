//! Resignations and claims of results.

use smalt_chess::{Color, Outcome};
use smalt_driver::{ResultClaim, SearchResult};

use super::{GameEnd, LiveGame};
use crate::game::termination::Termination;

impl LiveGame<'_> {
    /// Checks a resignation or a result claimed instead of a move; draws follow from the rules alone.
    pub(super) fn check_claim(&self, mover: Color, searched: &SearchResult) -> Option<GameEnd> {
        let lost = Outcome::Win(mover.opposite());
        match searched.claim.as_ref()? {
            ResultClaim::Resigns => {}
            ResultClaim::Result { outcome, .. } if *outcome == lost => {}
            ResultClaim::Result { outcome, comment } if searched.best.is_none() => {
                return Some(self.end_by_claim(mover, *outcome, comment));
            }
            ResultClaim::Result { .. } | ResultClaim::OffersDraw => return None,
        }
        Some(GameEnd { outcome: lost, termination: Termination::Resignation, fault: None })
    }

    /// A claim in a position that is not over: false, unless this engine is trusted.
    pub(super) fn end_by_claim(&self, mover: Color, outcome: Outcome, comment: &str) -> GameEnd {
        if self.trust[mover.index()] {
            let termination = match outcome {
                Outcome::Win(_) => Termination::ClaimedWin,
                Outcome::Draw => Termination::ClaimedDraw,
            };
            return GameEnd { outcome, termination, fault: None };
        }
        let words = format!("claimed {outcome} {{{comment}}}, but the game is not over");
        self.lost(mover, Termination::FalseClaim, "false-claim", words)
    }
}
