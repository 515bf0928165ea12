//! Standings: points, pentanomial counts, terminations, speed of all games. Counts only: `smalt-stats` computes the
//! statistics, [`report`] and [`json`] format them. The order of games does not matter.

mod bisection;
mod curve;
mod elo;
mod games;
pub mod json;
mod latency;
mod machines;
mod progress;
mod race;
pub mod report;
mod scale;
mod sequential;

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use smalt_chess::Color;
use smalt_driver::WorkLimit;
use smalt_stats::ratings::{Pairing as RatedPairing, Rating, RatingError, RatingOptions, Ratings, Unrated};
use smalt_stats::sprt::SequentialEstimate;
use smalt_stats::{Counts, GameResult, MatchStatistics, Pentanomial, Sprt, Verdict, Wdl};

use crate::game::{GameRecord, SearchRecord, Termination, TerminationKind, WarningCounts};
use crate::plan::{Entrant, Format, PriorResults, Repeat};
use crate::schedule::{Pairing, Schedule};
use crate::setup::Prepared;
use crate::store::{Store, StoreError};
pub use bisection::hypothesis_name;
pub use curve::{EloPoint, LlrPoint, Unit, Units, elo_curve};
pub use games::Games;
use latency::Latencies;
pub use machines::{MachineResults, SIGNIFICANCE};
pub use progress::ProgressJson;
use scale::KnownRating;
use sequential::SequentialTest;
pub use sequential::llr_curve;

/// All counts of a run.
#[derive(Clone, Debug)]
pub struct Standings {
    name: String,
    format: Format,
    schedule: Schedule,
    pairs_known: u32,
    sequential: Option<SequentialTest>,
    /// Entrant measured by the sequential test.
    tested: usize,
    entrants: Vec<EntrantTally>,
    pairings: Vec<PairingTally>,
    colors: HashMap<(usize, usize), Wdl>,
    terminations: BTreeMap<Termination, u64>,
    half_pairs: HashMap<u32, HalfPair>,
    units: Units,
    played: Duration,
    /// Id of the last counted fault outside games; 0 for none.
    last_start_fault: i64,
    out: BTreeMap<usize, String>,
    known_ratings: Vec<KnownRating>,
}

/// The finished game of an incomplete pair.
#[derive(Clone, Copy, Debug)]
struct HalfPair {
    /// From the view of its pairing's first entrant.
    outcome: GameResult,
    is_fault: bool,
}

/// Counts of one entrant.
#[derive(Clone, Debug, Default)]
pub struct EntrantTally {
    pub name: String,
    pub results: Wdl,
    /// Counted games without a fault; if pairs count, games of complete pairs without any fault.
    pub faultless: Wdl,
    pub faultless_pairs: Pentanomial,
    /// Games lost on time.
    pub time_losses: u64,
    /// Games lost by a crash or stall.
    pub crashes: u64,
    /// Games lost by an illegal or unreadable move.
    pub illegal_moves: u64,
    /// Failed starts and preparations, which cost no game.
    pub start_faults: u64,
    /// Node and depth limits.
    pub work: WorkLimit,
    /// Searches that exceeded these limits.
    pub overruns: u64,
    /// Warnings about the output of its searches.
    pub warnings: WarningCounts,
    /// Sums over its searches.
    pub searches: SearchTally,
    /// Delay of the runner before its searches.
    pub latencies: Latencies,
    /// Peak memory of its process in bytes, without child processes.
    pub peak_memory: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct SearchTally {
    pub moves: u64,
    /// Total time of the moves.
    pub time: Duration,
    /// Nodes of searches that reported them, and their time.
    nodes: u64,
    nodes_time: Duration,
    depths: u64,
    depth_count: u64,
}

impl EntrantTally {
    /// Number of faults, in games and outside.
    pub(crate) fn faults(&self) -> u64 {
        self.time_losses + self.crashes + self.illegal_moves + self.start_faults
    }
}

impl SearchTally {
    fn add(&mut self, search: &SearchRecord) {
        self.moves += 1;
        self.time = self.time.saturating_add(search.elapsed);
        if let Some(nodes) = search.nodes {
            self.nodes = self.nodes.saturating_add(nodes);
            self.nodes_time = self.nodes_time.saturating_add(search.elapsed);
        }
        if let Some(depth) = search.depth {
            self.depths += u64::from(depth);
            self.depth_count += 1;
        }
    }

    /// Nodes per second over all searches that reported nodes, by wall time.
    fn nps(&self) -> Option<f64> {
        let seconds = self.nodes_time.as_secs_f64();
        (self.nodes > 0 && seconds > 0.0).then(|| self.nodes as f64 / seconds)
    }

    /// Mean nominal depth, in plies.
    pub(crate) fn depth(&self) -> Option<f64> {
        (self.depth_count > 0).then(|| self.depths as f64 / self.depth_count as f64)
    }

    /// Mean time of a move.
    fn time_per_move(&self) -> Option<Duration> {
        u32::try_from(self.moves).ok().filter(|&moves| moves > 0).map(|moves| self.time / moves)
    }
}

/// Counts of one pairing, from the point of view of its first.
#[derive(Clone, Copy, Debug)]
pub struct PairingTally {
    pub pairing: Pairing,
    pub results: Wdl,
    /// Games counted in statistics: all, or those of complete pairs if pairs count.
    pub counted: Wdl,
    pub pairs: Pentanomial,
}

impl PairingTally {
    fn new(pairing: Pairing) -> PairingTally {
        PairingTally {
            pairing,
            results: Wdl::default(),
            counted: Wdl::default(),
            pairs: Pentanomial::default(),
        }
    }

    /// Games of incomplete pairs, not counted in statistics yet.
    pub(crate) fn unpaired(&self) -> u64 {
        self.results.games() - self.counted.games()
    }

    /// From the view of one of the two; `None` for other entrants.
    fn viewed_by(&self, entrant: usize) -> Option<PairingTally> {
        match self.pairing {
            Pairing { first, .. } if first == entrant => Some(*self),
            Pairing { first, second } if second == entrant => Some(PairingTally {
                pairing: Pairing { first: second, second: first },
                results: self.results.mirrored(),
                counted: self.counted.mirrored(),
                pairs: self.pairs.mirrored(),
            }),
            _ => None,
        }
    }
}

/// State of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestState {
    /// Hypotheses and error rates.
    pub sprt: Sprt,
    pub llr: f64,
    pub verdict: Verdict,
    /// Number of counted games, in complete pairs and order of numbers.
    pub games: u64,
    /// Their results, from the tested entrant's view.
    pub counts: Counts,
}

impl TestState {
    /// Elo estimate, corrected for the stopping rule.
    pub(crate) fn estimate(&self) -> Option<SequentialEstimate> {
        self.sprt.estimate_of(&self.counts)
    }

    /// Expected number of further games under H0 and H1; `None` once decided.
    pub(crate) fn games_left(&self) -> Option<[f64; 2]> {
        (self.verdict == Verdict::Continue).then(|| self.sprt.games_left(&self.counts, self.llr))
    }

    /// Whether it is undecided.
    pub fn is_open(&self) -> bool {
        self.verdict == Verdict::Continue
    }
}

impl Standings {
    pub fn new(prepared: &Prepared) -> Standings {
        let plan = &prepared.plan;
        let entrant = |entrant: &Entrant| EntrantTally {
            name: entrant.name.clone(),
            work: entrant.clock.work(),
            ..EntrantTally::default()
        };
        let prior = plan.settings.prior.unwrap_or_default();
        let mut standings = Standings {
            name: plan.name().to_owned(),
            format: plan.format(),
            schedule: prepared.schedule.clone(),
            pairs_known: prepared.schedule.pairs(),
            sequential: plan.sprt.map(|sprt| SequentialTest::new(sprt, prior.games(), prior.pairs())),
            tested: plan.tested(),
            entrants: plan.entrants.iter().map(entrant).collect(),
            pairings: pairing_tallies(&prepared.schedule),
            colors: HashMap::new(),
            terminations: BTreeMap::new(),
            half_pairs: HashMap::new(),
            units: Units::default(),
            played: Duration::ZERO,
            last_start_fault: 0,
            out: BTreeMap::new(),
            known_ratings: KnownRating::all(plan),
        };
        if let Some(prior) = plan.settings.prior {
            standings.add_prior(&prior);
        }
        standings
    }

    /// Counts results from before the run, of the first entrant against the second.
    fn add_prior(&mut self, prior: &PriorResults) {
        let (games, pairs) = (prior.games(), prior.pairs());
        for tally in &mut self.pairings {
            let is_mirrored = tally.pairing.first != 0;
            let games = if is_mirrored { games.mirrored() } else { games };
            tally.results += games;
            tally.counted += games;
            tally.pairs = if is_mirrored { pairs.mirrored() } else { pairs };
        }
        for (tally, is_second) in self.entrants.iter_mut().zip([false, true]) {
            let games = if is_second { games.mirrored() } else { games };
            tally.results += games;
            tally.faultless += games;
            tally.faultless_pairs = if is_second { pairs.mirrored() } else { pairs };
        }
    }

    pub fn add(&mut self, record: &GameRecord) {
        let white = record.white_outcome();
        self.colors.entry((record.game.white, record.game.black)).or_default().record(white);
        self.entrants[record.game.white].results.record(white);
        self.entrants[record.game.black].results.record(white.mirrored());
        *self.terminations.entry(record.termination).or_default() += 1;
        self.played = self.played.saturating_add(record.duration);
        self.add_to_pairing(record, white);
        self.add_fault(record);
        self.add_searches(record);
        self.add_memory(record);
        self.schedule.record(record.game.number, white.half_points() as u32);
        self.add_new_pairings();
    }

    /// Adds everything in a store.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn add_all(&mut self, store: &Store) -> Result<(), StoreError> {
        store.for_each_game(|record| self.add(&record))?;
        self.add_between_games(store)
    }

    /// Adds events outside games since the last call: failed starts, and disqualifications of the latest session.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn add_between_games(&mut self, store: &Store) -> Result<(), StoreError> {
        for (id, entrant) in store.start_faults_after(self.last_start_fault)? {
            self.last_start_fault = id;
            if let Some(tally) = self.entrants.get_mut(entrant) {
                tally.start_faults += 1;
            }
        }
        self.out = store.disqualifications()?;
        Ok(())
    }

    /// Disqualified entrants with reasons; the text follows the entrant's name.
    pub fn disqualified(&self) -> &BTreeMap<usize, String> {
        &self.out
    }

    /// Games skipped because a player is disqualified. (In knockout and Swiss tournaments and open races they are
    /// lost and count as played.)
    pub fn games_skipped(&self) -> u64 {
        if self.out.is_empty() || self.schedule.has_walkovers() {
            return 0;
        }
        let planned = self.schedule.games_by_pairing();
        let is_out = |pairing: &Pairing| {
            [pairing.first, pairing.second].iter().any(|side| self.out.contains_key(side))
        };
        let concerned = self.pairings.iter().filter(|tally| is_out(&tally.pairing));
        let left = |tally: &PairingTally| {
            planned.get(&tally.pairing).map_or(0, |games| games.saturating_sub(tally.results.games()))
        };
        concerned.map(left).sum()
    }

    /// Number of remaining games.
    pub fn games_missing(&self) -> u64 {
        let known = self.games_finished() + self.games_skipped();
        u64::from(self.games_planned()).saturating_sub(known)
    }

    /// Adds the pairings of a new round.
    fn add_new_pairings(&mut self) {
        if self.schedule.pairs() == self.pairs_known {
            return;
        }
        self.pairs_known = self.schedule.pairs();
        for tally in pairing_tallies(&self.schedule) {
            let place = self.pairings.binary_search_by_key(&tally.pairing, |known| known.pairing);
            if let Err(place) = place {
                self.pairings.insert(place, tally);
            }
        }
    }

    fn add_to_pairing(&mut self, record: &GameRecord, white: GameResult) {
        let [with_white, with_black] = [record.game.white, record.game.black];
        let is_fault = record.termination.is_fault();
        let counts_pairs = self.schedule.counts_pairs();
        for tally in &mut self.pairings {
            let outcome = match (tally.pairing.first, tally.pairing.second) {
                pairing if pairing == (with_white, with_black) => white,
                pairing if pairing == (with_black, with_white) => white.mirrored(),
                _ => continue,
            };
            tally.results.record(outcome);
            let pair = record.game.pair;
            let partner = match self.half_pairs.remove(&pair) {
                _ if self.schedule.repeat() == Repeat::Never => None,
                None => {
                    self.half_pairs.insert(pair, HalfPair { outcome, is_fault });
                    None
                }
                partner => partner,
            };
            if let Some(partner) = partner {
                tally.pairs.record(partner.outcome, outcome);
            }
            let (number, unit, has_fault) = match partner {
                _ if !counts_pairs => (record.game.number, Unit::Game(outcome), is_fault),
                Some(partner) => (pair, Unit::Pair(partner.outcome, outcome), partner.is_fault || is_fault),
                None => continue,
            };
            unit.count(&mut tally.counted, &mut Pentanomial::default());
            self.units.add(number, tally.pairing, unit);
            if !has_fault {
                for (entrant, unit) in [(tally.pairing.first, unit), (tally.pairing.second, unit.mirrored())]
                {
                    let tally = &mut self.entrants[entrant];
                    unit.count(&mut tally.faultless, &mut tally.faultless_pairs);
                }
            }
            if let Some(test) = &mut self.sequential {
                let is_tested = tally.pairing.first == self.tested;
                test.add(pair, if is_tested { unit } else { unit.mirrored() });
            }
        }
    }

    fn add_fault(&mut self, record: &GameRecord) {
        let Some(loser) = record.loser() else { return };
        let tally = &mut self.entrants[record.entrant(loser)];
        match record.termination.kind() {
            TerminationKind::Play => {}
            TerminationKind::Time => tally.time_losses += 1,
            TerminationKind::Crash => tally.crashes += 1,
            TerminationKind::Move => tally.illegal_moves += 1,
        }
    }

    fn add_memory(&mut self, record: &GameRecord) {
        for color in [Color::White, Color::Black] {
            let tally = &mut self.entrants[record.entrant(color)];
            tally.peak_memory = tally.peak_memory.max(record.peak_memory[color.index()]);
        }
    }

    fn add_searches(&mut self, record: &GameRecord) {
        let first = record.fen.as_deref().map_or(Color::White, turn_of_fen);
        let mut mover = first;
        for ply in &record.plies {
            if let Some(search) = &ply.search {
                let tally = &mut self.entrants[record.entrant(mover)];
                tally.searches.add(search);
                tally.warnings.add_all(&search.warnings);
                tally.overruns += u64::from(tally.work.is_overrun(search.nodes, search.depth));
                if let Some(latency) = search.latency {
                    tally.latencies.add(latency);
                }
            }
            mover = mover.opposite();
        }
    }

    /// The schedule with all known games.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Planned number of games; a lower bound for a knockout, for an open race the games of the known rounds.
    pub fn games_planned(&self) -> u32 {
        self.schedule.games()
    }

    /// Number of finished games.
    pub fn games_finished(&self) -> u64 {
        self.terminations.values().sum()
    }

    /// Entrants in plan order.
    pub fn entrants(&self) -> &[EntrantTally] {
        &self.entrants
    }

    /// Statistics over games (pairs) without faults; `None` if there are none.
    fn faultless_statistics_of(&self, entrant: usize) -> Option<MatchStatistics> {
        let tally = &self.entrants[entrant];
        (tally.faultless != self.counted_of(entrant))
            .then(|| self.counts(tally.faultless, tally.faultless_pairs).statistics())
            .flatten()
    }

    /// Known pairings in order of entrants.
    pub fn pairings(&self) -> &[PairingTally] {
        &self.pairings
    }

    /// Number of games by termination.
    fn terminations(&self) -> &BTreeMap<Termination, u64> {
        &self.terminations
    }

    fn pairings_of(&self, entrant: usize) -> impl Iterator<Item = PairingTally> {
        self.pairings.iter().filter_map(move |tally| tally.viewed_by(entrant))
    }

    /// Pentanomial counts of one entrant.
    pub fn pairs_of(&self, entrant: usize) -> Pentanomial {
        self.pairings_of(entrant).map(|tally| tally.pairs).sum()
    }

    /// Counted games of one entrant: those of complete pairs if pairs count.
    fn counted_of(&self, entrant: usize) -> Wdl {
        self.pairings_of(entrant).map(|tally| tally.counted).sum()
    }

    /// Games of one entrant in incomplete pairs, not counted in statistics yet.
    fn unpaired_of(&self, entrant: usize) -> u64 {
        self.pairings_of(entrant).map(|tally| tally.unpaired()).sum()
    }

    /// Counts of an entrant against all opponents: pairs, or games if there are no pairs.
    fn counts_of(&self, entrant: usize) -> Counts {
        self.counts(self.counted_of(entrant), self.pairs_of(entrant))
    }

    /// Counts of a pairing: pairs, or games if there are no pairs.
    pub fn counts_of_pairing(&self, tally: &PairingTally) -> Counts {
        self.counts(tally.counted, tally.pairs)
    }

    fn counts(&self, games: Wdl, pairs: Pentanomial) -> Counts {
        if self.schedule.counts_pairs() { Counts::Pairs(pairs) } else { Counts::Games(games) }
    }

    /// Entrants from best to worst by these ratings: first those who lost no points to the rated ones, then the
    /// rated, then those who took none from them, and last those without connecting games. Within these groups, and
    /// without ratings, by score.
    pub(crate) fn order(&self, ratings: Option<&Ratings>) -> Vec<usize> {
        let key = |&entrant: &usize| {
            let results = self.entrants[entrant].results;
            let share = if results.games() == 0 { -1.0 } else { results.points() / results.games() as f64 };
            let (tier, rating) = match ratings.map(|ratings| ratings.players()[entrant]) {
                Some(Rating::Unrated(Unrated::AboveAll)) => (3, 0.0),
                Some(Rating::Rated(found)) => (2, found.value),
                Some(Rating::Unrated(Unrated::BelowAll)) => (1, 0.0),
                Some(Rating::Unrated(Unrated::Unlinked)) | None => (0, 0.0),
            };
            (tier, rating, share)
        };
        let mut order: Vec<usize> = (0..self.entrants.len()).collect();
        order.sort_by(|first, second| {
            let (first, second) = (key(first), key(second));
            let by_rating = second.0.cmp(&first.0).then(second.1.total_cmp(&first.1));
            by_rating.then(second.2.total_cmp(&first.2))
        });
        order
    }

    /// Entrant measured by the sequential test.
    pub fn tested(&self) -> usize {
        self.tested
    }

    /// The sequential test, if there is one.
    pub fn test(&self) -> Option<TestState> {
        self.sequential.as_ref().map(SequentialTest::state)
    }

    /// Elo curve of an entrant, one point per complete pair (per game if openings are not repeated) in order of
    /// numbers. Without incomplete pairs the last point equals the table.
    pub fn elo_curve(&self, entrant: usize) -> Vec<EloPoint> {
        elo_curve(self.units.of(entrant))
    }

    /// LLR curve that a sequential test would have had, from an entrant's view.
    pub fn llr_curve_of(&self, entrant: usize, sprt: Sprt) -> Vec<LlrPoint> {
        llr_curve(sprt, self.units.of(entrant))
    }

    /// LLR curve of the sequential test up to its verdict.
    pub fn llr_curve(&self) -> &[LlrPoint] {
        self.sequential.as_ref().map_or(&[], SequentialTest::curve)
    }

    /// Adds all games, by entrant name.
    pub fn add_games(&self, games: &mut Games) {
        let numbers: Vec<usize> = self.entrants.iter().map(|tally| games.player(&tally.name)).collect();
        for (&(white, black), &results) in &self.colors {
            games.add(numbers[white], numbers[black], results);
        }
    }

    /// Rating list of all games, with mean 0.
    ///
    /// # Errors
    /// If the games connect no players.
    fn ratings(&self, options: &RatingOptions) -> Result<Ratings, RatingError> {
        let mut games: Vec<RatedPairing> = self
            .colors
            .iter()
            .map(|(&(white, black), &results)| RatedPairing { white, black, results })
            .collect();
        games.sort_by_key(|pairing| (pairing.white, pairing.black));
        Ratings::fit(self.entrants.len(), &games, options)
    }
}

fn pairing_tallies(schedule: &Schedule) -> Vec<PairingTally> {
    schedule.pairings().into_iter().map(PairingTally::new).collect()
}

fn turn_of_fen(fen: &str) -> Color {
    match fen.split_ascii_whitespace().nth(1) {
        Some("b") => Color::Black,
        _ => Color::White,
    }
}
