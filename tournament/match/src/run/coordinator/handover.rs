//! The end of a coordinator whose run continues with another: after it has grown, or when a commit must be built.

use smalt_workbench::source;

use super::{Coordinator, RunEnd};
use crate::schedule::{ScheduledGame, Selection};

/// A commit of a bisection whose program is needed now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnbuiltEntrant {
    pub entrant: usize,
    /// Number of complete rounds.
    pub rounds: u32,
    /// Whether it has finished games, or is the good commit: it cannot be skipped.
    pub has_played: bool,
}

impl Coordinator<'_> {
    /// Whether another coordinator will continue the run.
    pub(super) fn is_handed_over(&self) -> bool {
        self.grown.is_some() || self.unbuilt.is_some()
    }

    pub(super) fn hand_over(self) -> RunEnd {
        let (state, unbuilt) = (self.state(), self.unbuilt);
        let store = Box::new(self.store);
        match unbuilt {
            Some(unbuilt) => RunEnd::Unbuilt(store, state, unbuilt),
            None => RunEnd::Grown(store, state),
        }
    }

    /// Whether the programs of these games exist, as far as they are commits of a bisection on this machine; a missing one is
    /// remembered.
    pub(super) fn are_built(&mut self, games: &[ScheduledGame]) -> bool {
        let plan = &self.prepared.plan;
        let Some(candidates) = self.standings.schedule().candidates() else { return true };
        let Selection::Bisection(bisection) = candidates.selection() else { return true };
        let mut entrants = games.iter().flat_map(|game| [game.white, game.black]);
        let is_unbuilt = |&entrant: &usize| source::is_unbuilt(&plan.entrants[entrant].engine);
        let unbuilt = entrants.find(is_unbuilt).filter(|_| plan.fleet().is_none());
        let games = |entrant: usize| self.standings.entrants()[entrant].results.games();
        let rounds = bisection.rounds();
        self.unbuilt = unbuilt.map(|entrant| {
            let has_played = entrant == candidates.base() || games(entrant) > 0;
            UnbuiltEntrant { entrant, rounds, has_played }
        });
        self.unbuilt.is_none()
    }
}
