//! Figures for charts by entrant, from a store or PGN.

use smalt_stats::{Pentanomial, Sprt, Wdl};

use super::openings::OpeningTally;
use crate::ratings::{Games, ListOptions, RatingList};
use smalt_match::plan::{Format, Plan, Role};
use smalt_match::standings::{EloPoint, LlrPoint, Standings};

/// Default maximum number of entrants: more lines cannot be distinguished.
const MAX_SIDES: usize = 6;

#[derive(Clone, Debug)]
pub(crate) struct Figures {
    pub entrants: usize,
    pub sides: Vec<EntrantFigures>,
    pub test: Option<Test>,
    /// Rating list; `None` if no games connect the entrants.
    pub ratings: Option<RatingList>,
}

#[derive(Clone, Debug)]
pub(crate) struct Test {
    /// Entrant that the test measures.
    pub name: String,
    pub sprt: Sprt,
    pub curve: Vec<LlrPoint>,
}

/// Results of one entrant against all opponents.
#[derive(Clone, Debug)]
pub(crate) struct EntrantFigures {
    pub name: String,
    /// Elo after each pair (or game without pairs).
    pub curve: Vec<EloPoint>,
    pub pairs: Pentanomial,
    pub openings: Vec<(String, Wdl)>,
}

impl Figures {
    /// Figures of a run for these entrants. `test` may be a test that the run did not have, from the first entrant's
    /// view.
    pub(crate) fn of_run(
        standings: &Standings,
        openings: &OpeningTally,
        viewed: &[usize],
        test: Option<Sprt>,
    ) -> Figures {
        let name = |entrant: usize| standings.entrants()[entrant].name.clone();
        let side = |&entrant: &usize| EntrantFigures {
            name: name(entrant),
            curve: standings.elo_curve(entrant),
            pairs: standings.pairs_of(entrant),
            openings: openings.of(entrant),
        };
        let mut games = Games::default();
        standings.add_games(&mut games);
        let own = || {
            let (sprt, curve) = (standings.test()?.sprt, standings.llr_curve().to_vec());
            Some(Test { name: name(standings.tested()), sprt, curve })
        };
        let given = test.zip(viewed.first());
        let given = given.map(|(sprt, &first)| Test {
            name: name(first),
            sprt,
            curve: standings.llr_curve_of(first, sprt),
        });
        Figures {
            entrants: standings.entrants().len(),
            sides: viewed.iter().map(side).collect(),
            test: given.or_else(own),
            ratings: rated(&games),
        }
    }
}

/// Rating list with mean 0.
pub(super) fn rated(games: &Games) -> Option<RatingList> {
    RatingList::fit(games, &ListOptions::default(), || ()).ok()
}

/// Default entrants: the first of two, the challengers of a gauntlet, otherwise all, up to the maximum.
pub(crate) fn viewed(plan: &Plan) -> Vec<usize> {
    let all = 0..plan.entrants.len();
    match plan.format() {
        _ if plan.entrants.len() == 2 => vec![0],
        Format::Gauntlet => {
            all.filter(|&entrant| plan.entrants[entrant].role == Role::Challenger).take(MAX_SIDES).collect()
        }
        _ => all.take(MAX_SIDES).collect(),
    }
}

/// Default players of a PGN file, by number of games.
pub(super) fn viewed_of_counts(games: &[u64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..games.len()).collect();
    // A gauntlet's challenger has more games than the others.
    order.sort_by_key(|&player| std::cmp::Reverse(games[player]));
    let is_gauntlet = games.len() > 2 && order.get(1).is_some_and(|&next| games[order[0]] > games[next]);
    let shown = if is_gauntlet || games.len() == 2 { 1 } else { MAX_SIDES };
    order.truncate(shown);
    order
}
