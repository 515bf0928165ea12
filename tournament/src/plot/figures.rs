//! What charts of a tournament are drawn from: numbers by entrant, whether they come from a store or from PGN.

use smalt_stats::{Pentanomial, Sprt, Wdl};

use super::openings::OpeningTally;
use crate::ratings::{Games, ListOptions, RatingList};
use smalt_match::plan::{Format, Plan, Role};
use smalt_match::standings::Standings;
use smalt_match::standings::curve::{EloPoint, LlrPoint};

/// Number of entrants that are shown by default: more lines cannot be told apart.
const MAX_SIDES: usize = 6;

/// All numbers.
#[derive(Clone, Debug)]
pub struct Figures {
    /// How many took part.
    pub entrants: usize,
    /// Those whose results are looked at.
    pub sides: Vec<EntrantFigures>,
    /// What was tested, and how that went.
    pub test: Option<Test>,
    /// One list of all; none where the games connect nobody.
    pub ratings: Option<RatingList>,
}

/// A sequential test.
#[derive(Clone, Debug)]
pub struct Test {
    /// Whose view it takes.
    pub name: String,
    /// What is tested.
    pub sprt: Sprt,
    /// How it went.
    pub curve: Vec<LlrPoint>,
}

/// One entrant's results against all whom it met.
#[derive(Clone, Debug)]
pub struct EntrantFigures {
    /// Who.
    pub name: String,
    /// How its Elo came about.
    pub curve: Vec<EloPoint>,
    /// Its whole pairs.
    pub pairs: Pentanomial,
    /// What it made of each opening.
    pub openings: Vec<(String, Wdl)>,
}

impl Figures {
    /// The numbers of a run in the view of these entrants. A test may be given that was not the run's; it takes the view of
    /// the first.
    pub fn of_run(
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

/// One list of all, its mean 0.
pub(super) fn rated(games: &Games) -> Option<RatingList> {
    RatingList::fit(games, &ListOptions::default(), || ()).ok()
}

/// Whose view is taken of a run unless another is asked for: the first of two, the challengers of a gauntlet, else all, as far as
/// they can be told apart.
pub fn viewed(plan: &Plan) -> Vec<usize> {
    let all = 0..plan.entrants.len();
    match plan.format() {
        _ if plan.entrants.len() == 2 => vec![0],
        Format::Gauntlet => {
            all.filter(|&entrant| plan.entrants[entrant].role == Role::Challenger).take(MAX_SIDES).collect()
        }
        _ => all.take(MAX_SIDES).collect(),
    }
}

/// The same of those in a file, by how many games each has.
pub(super) fn viewed_of_counts(games: &[u64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..games.len()).collect();
    // The one of a gauntlet has more games than anybody else.
    order.sort_by_key(|&player| std::cmp::Reverse(games[player]));
    let is_gauntlet = games.len() > 2 && order.get(1).is_some_and(|&next| games[order[0]] > games[next]);
    let shown = if is_gauntlet || games.len() == 2 { 1 } else { MAX_SIDES };
    order.truncate(shown);
    order
}
