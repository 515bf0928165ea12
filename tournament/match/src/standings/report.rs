//! Standings as text tables. Prints nothing.

use std::fmt::Write;
use std::time::Duration;

use smalt_report::sanitize::sanitize_lines;
use smalt_report::{Align, Cell, Column, ColumnKind, Sign, Table, format};
use smalt_stats::ratings::{RatingOptions, Ratings};
use smalt_stats::sprt::SequentialEstimate;
use smalt_stats::{Estimate, Sprt, Verdict, Wdl};

use super::elo::sequential_elo;
pub use super::elo::{elo, elo_at_any_look};
use super::progress::ProgressJson;
use super::{EntrantTally, PairingTally, Standings, TestState};
use crate::plan::Format;
use crate::store::StoredFault;

/// The final report: bracket or Swiss table, standings, pairings, sequential test, terminations, speed.
pub fn full(standings: &Standings) -> String {
    let mut text = String::new();
    let parts = [
        ProgressJson::of(standings).map(|course| course.to_text()),
        Some(table(standings).to_text()),
        standings
            .scale()
            .map(|scale| format!("{}\n{}", scale.title(standings), scale.table(standings).to_text())),
        (standings.pairings().len() > 1 || standings.test().is_some())
            .then(|| pairings(standings))
            .filter(|table| !table.is_empty())
            .map(|table| table.to_text()),
        unpaired(standings),
        standings.test().map(|state| test(&state)),
        Some(terminations(standings)),
        Some(speed(standings).to_text()),
    ];
    for part in parts.into_iter().flatten() {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(part.trim_end());
        text.push('\n');
    }
    // Names of older stores may have hidden characters.
    sanitize_lines(&text)
}

/// Entrants by rating; with more than two also their ratings, which compare entrants with different
/// opponents.
pub fn table(standings: &Standings) -> Table {
    let ratings = standings.ratings(&RatingOptions::default()).ok();
    let rated = ratings.as_ref().filter(|_| standings.entrants().len() > 2);
    let rating = rated.map(|_| Column::new("rating", ColumnKind::Estimate(1, Sign::Both)));
    let names = [Column::new("#", ColumnKind::Integer), Column::new("engine", ColumnKind::Text)];
    let numbers = [
        Column::new("elo", ColumnKind::Interval(1, Sign::Both)),
        Column::new("nelo", ColumnKind::Estimate(1, Sign::Both)),
        Column::new("los", ColumnKind::Percent(1)),
        Column::new("points", ColumnKind::Number(1, Sign::Negative)),
        Column::new("games", ColumnKind::Integer),
        Column::new("wins", ColumnKind::Integer),
        Column::new("draws", ColumnKind::Integer),
        Column::new("losses", ColumnKind::Integer),
        Column::new("drawn", ColumnKind::Percent(1)),
        Column::new("faults", ColumnKind::Integer),
    ];
    let mut table = Table::new(names.into_iter().chain(rating).chain(numbers));
    for (place, entrant) in (1_u64..).zip(shown(standings, ratings.as_ref())) {
        let tally = &standings.entrants()[entrant];
        let results = tally.results;
        let found = standings.counts_of(entrant).statistics();
        let rating = rated.map(|ratings| estimate(ratings.players()[entrant].estimate()));
        let names: [Cell; 2] = [place.into(), tally.name.clone().into()];
        let numbers = [
            elo(found).into(),
            estimate(found.and_then(|found| found.nelo)),
            found.map(|found| found.los).into(),
            results.points().into(),
            results.games().into(),
            results.wins.into(),
            results.draws.into(),
            results.losses.into(),
            results.drawn().into(),
            tally.faults().into(),
        ];
        table.push(names.into_iter().chain(rating).chain(numbers));
    }
    table
}

/// A narrow table for a terminal of eighty columns during a run, with intervals that are valid at every look.
pub fn live_table(standings: &Standings) -> Table {
    let mut table = Table::new([
        Column::new("#", ColumnKind::Integer),
        Column::new("engine", ColumnKind::Text),
        Column::new("elo (at any look)", ColumnKind::Interval(1, Sign::Both)),
        Column::new("los", ColumnKind::Percent(1)),
        Column::new("points", ColumnKind::Number(1, Sign::Negative)),
        Column::new("games", ColumnKind::Integer),
        Column::new("W-D-L", ColumnKind::Text),
        Column::new("faults", ColumnKind::Integer),
    ]);
    for (place, entrant) in (1_u64..).zip(by_rating(standings)) {
        let tally = &standings.entrants()[entrant];
        let results = tally.results;
        let counts = standings.counts_of(entrant);
        table.push([
            place.into(),
            tally.name.clone().into(),
            elo_at_any_look(&counts).into(),
            counts.statistics().map(|found| found.los).into(),
            results.points().into(),
            results.games().into(),
            format!("{}-{}-{}", results.wins, results.draws, results.losses).into(),
            tally.faults().into(),
        ]);
    }
    table
}

/// Entrants from best to worst by rating.
fn by_rating(standings: &Standings) -> Vec<usize> {
    shown(standings, standings.ratings(&RatingOptions::default()).ok().as_ref())
}

/// Entrants from best to worst, without the commits of a bisection that have no games.
fn shown(standings: &Standings, ratings: Option<&Ratings>) -> Vec<usize> {
    let is_bisection = standings.format == Format::Bisect;
    let has_games = |&entrant: &usize| !is_bisection || standings.entrants()[entrant].results.games() > 0;
    standings.order(ratings).into_iter().filter(has_games).collect()
}

fn estimate(estimate: Option<Estimate>) -> Cell {
    estimate.map_or(Cell::Missing, |estimate| Cell::Estimate(estimate.value, estimate.error))
}

/// Explanation of that interval.
pub const AT_ANY_LOOK: &str = "The interval at any look holds the true Elo at every look of a run, from its first game to its last, in 95 of 100 runs.";

/// Pairings that have games.
pub fn pairings(standings: &Standings) -> Table {
    let mut table = Table::new([
        Column::new("pairing", ColumnKind::Text),
        Column::new("elo", ColumnKind::Interval(1, Sign::Both)),
        Column::new("los", ColumnKind::Percent(1)),
        Column::new("points", ColumnKind::Number(1, Sign::Negative)),
        Column::new("games", ColumnKind::Integer),
        Column::new("W-D-L", ColumnKind::Text),
        Column::new("pairs (0, ½, 1, 1½, 2)", ColumnKind::Text),
    ]);
    for tally in standings.pairings().iter().filter(|tally| tally.results.games() > 0) {
        let name = |entrant: usize| &standings.entrants()[entrant].name;
        let found = standings.counts_of_pairing(tally).statistics();
        let results = tally.results;
        table.push([
            format!("{} - {}", name(tally.pairing.first), name(tally.pairing.second)).into(),
            elo(found).into(),
            found.map(|found| found.los).into(),
            results.points().into(),
            results.games().into(),
            format!("{}-{}-{}", results.wins, results.draws, results.losses).into(),
            tally.pairs.0.map(|count| count.to_string()).join(", ").into(),
        ]);
    }
    table
}

/// What [`Standings::out`] says of an engine that the user withdrew.
pub(crate) const WITHDRAWN: &str = "was withdrawn";

/// Sentence about an engine that plays no more games, from the words of [`Standings::out`].
pub fn absence(name: &str, words: &str) -> String {
    if words == WITHDRAWN { format!("{name} {words}") } else { format!("{name} is disqualified: it {words}") }
}

/// Finished and planned games; only the finished ones if the number of games is open.
pub fn games(standings: &Standings) -> String {
    let finished = standings.games_finished();
    if standings.schedule().is_open_ended() {
        return format::count(usize::try_from(finished).unwrap_or(usize::MAX), "game");
    }
    format!("{finished} of {} games", standings.games_planned())
}

/// Sentence about games in incomplete pairs; `None` if there are none.
pub fn unpaired(standings: &Standings) -> Option<String> {
    let half = |tally: &PairingTally| {
        let name = |entrant: usize| &standings.entrants()[entrant].name;
        let games = format::count(tally.unpaired() as usize, "game");
        (tally.unpaired() > 0)
            .then(|| format!("{games} {} - {}", name(tally.pairing.first), name(tally.pairing.second)))
    };
    let games: Vec<String> = standings.pairings().iter().filter_map(half).collect();
    (!games.is_empty()).then(|| {
        format!("Unfinished pairs, not counted in Elo, normalized Elo, LOS and pairs: {}\n", games.join(", "))
    })
}

/// Crosstable by rating: points of the row against the column. Empty for too many entrants.
pub fn crosstable(standings: &Standings) -> Table {
    let order = by_rating(standings);
    let shown = if order.len() <= CROSSTABLE_WIDTH { order.as_slice() } else { &[] };
    let names = [Column::new("#", ColumnKind::Integer), Column::new("engine", ColumnKind::Text)];
    let places =
        (1..=shown.len()).map(|place| Column::new(place.to_string(), ColumnKind::Text).aligned(Align::Right));
    let mut table = Table::new(names.into_iter().chain(places));
    for (place, &row) in (1_u64..).zip(shown) {
        let met = |&column: &usize| {
            let view = |tally: &PairingTally| match (tally.pairing.first, tally.pairing.second) {
                pairing if pairing == (row, column) => Some(tally.results),
                pairing if pairing == (column, row) => Some(tally.results.mirrored()),
                _ => None,
            };
            let results: Wdl = standings.pairings().iter().filter_map(view).sum();
            match results.games() {
                0 => Cell::Missing,
                games => format!("{:.1}/{games}", results.points()).into(),
            }
        };
        let name = standings.entrants()[row].name.clone();
        table.push([Cell::from(place), name.into()].into_iter().chain(shown.iter().map(met)));
    }
    table
}

/// Maximum number of entrants in a crosstable.
const CROSSTABLE_WIDTH: usize = 16;

/// A sequential test: the LLR line as fastchess prints it, the Elo estimate, and the expected number of
/// further games.
pub fn test(state: &TestState) -> String {
    let mut text = format!("LLR: {}\n", llr(state));
    text.push_str(&state.estimate().map(|found| estimate_after_test(&found)).unwrap_or_default());
    text.push_str(&games_left(state).map(|words| format!("{words}\n")).unwrap_or_default());
    text
}

/// The LLR of a test, its bounds, hypotheses and verdict.
pub fn llr(state: &TestState) -> String {
    let bounds = state.sprt.bounds();
    let says = match state.verdict {
        Verdict::Continue => "not decided",
        Verdict::AcceptH0 => "H0 is accepted: no gain",
        Verdict::AcceptH1 => "H1 is accepted: a gain",
    };
    format!(
        "{:.2} ({:.2}, {:.2}) [{:.2}, {:.2}] {}: {says} after {} games",
        state.llr,
        bounds.lower,
        bounds.upper,
        state.sprt.elo0(),
        state.sprt.elo1(),
        state.sprt.model(),
        state.games,
    )
}

/// Elo estimate of a test.
pub fn estimate_after_test(found: &SequentialEstimate) -> String {
    format!(
        "Elo given the stopping rule: {}, LOS: {:.2} %\n",
        format::interval(&sequential_elo(found), 2, Sign::Both),
        100.0 * found.los
    )
}

/// Expected number of further games; `None` once decided.
pub fn games_left(state: &TestState) -> Option<String> {
    let [under0, under1] = state.games_left()?.map(|games| format::grouped(games.round() as i64));
    Some(format!("About {under0} more games on average if H0 is true, {under1} if H1 is"))
}

/// Bounds and error rates of a test: `[0.00, 5.00] normalized, alpha 0.05, beta 0.05`.
pub fn test_terms(sprt: &Sprt) -> String {
    let (elo0, elo1, model) = (sprt.elo0(), sprt.elo1(), sprt.model());
    format!("[{elo0:.2}, {elo1:.2}] {model}, alpha {}, beta {}", sprt.alpha(), sprt.beta())
}

/// Terminations as a table; faults are marked.
pub fn terminations_table(standings: &Standings) -> Table {
    let mut table = Table::new([
        Column::new("ending", ColumnKind::Text),
        Column::new("games", ColumnKind::Integer),
        Column::new("share", ColumnKind::Percent(1)),
        Column::new("fault", ColumnKind::Text),
    ]);
    let all = standings.games_finished() as f64;
    for (termination, &games) in standings.terminations() {
        let fault = if termination.is_fault() { "yes" } else { "" };
        table.push([termination.name().into(), games.into(), (games as f64 / all).into(), fault.into()]);
    }
    table
}

/// Terminations as text; faults are listed separately.
pub fn terminations(standings: &Standings) -> String {
    let list = |wanted: bool| -> Vec<String> {
        let chosen =
            standings.terminations().iter().filter(|(termination, _)| termination.is_fault() == wanted);
        chosen.map(|(termination, games)| format!("{termination} {games}")).collect()
    };
    let joined = |texts: Vec<String>| if texts.is_empty() { "none".to_owned() } else { texts.join(", ") };
    let mut faults = list(true);
    let start_faults: u64 = standings.entrants().iter().map(|tally| tally.start_faults).sum();
    if start_faults > 0 {
        faults.push(format!("failed starts {start_faults}"));
    }
    let by_faults: u64 = standings
        .terminations()
        .iter()
        .filter(|(termination, _)| termination.is_fault())
        .map(|(_, games)| games)
        .sum();
    let mut terminations = list(false);
    if by_faults > 0 {
        terminations.push(format!("by a fault {by_faults}"));
    }
    let mut text = format!("Terminations: {}\nFaults: {}\n", joined(terminations), joined(faults));
    for faults in standings.entrants().iter().filter_map(faults_of) {
        writeln!(text, "  {faults}").expect("a string takes any text");
    }
    text.push_str(&without_faults(standings));
    text.push_str(&overruns(standings));
    text.push_str(&search_warnings(standings));
    text
}

/// The faults of an engine by kind; `None` if it has none.
pub fn faults_of(tally: &EntrantTally) -> Option<String> {
    let kinds = [
        ("time forfeits", tally.time_losses),
        ("crashes and stalls", tally.crashes),
        ("illegal moves", tally.illegal_moves),
        ("failed starts", tally.start_faults),
    ];
    let kinds = kinds.iter().filter(|(_, count)| *count > 0);
    let kinds: Vec<String> = kinds.map(|(kind, count)| format!("{kind} {count}")).collect();
    (!kinds.is_empty()).then(|| format!("{}: {}", tally.name, kinds.join(", ")))
}

/// Warnings about the output of searches, by engine and kind.
pub fn search_warnings_table(standings: &Standings) -> Table {
    let mut table = Table::new([
        Column::new("engine", ColumnKind::Text),
        Column::new("warning", ColumnKind::Text),
        Column::new("number", ColumnKind::Integer),
    ]);
    for tally in standings.entrants() {
        for (kind, count) in tally.warnings.iter() {
            table.push([tally.name.as_str().into(), kind.to_string().into(), u64::from(count).into()]);
        }
    }
    table
}

fn search_warnings(standings: &Standings) -> String {
    let words_of = |tally: &EntrantTally| {
        let kinds: Vec<String> =
            tally.warnings.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        (!kinds.is_empty()).then(|| format!("  {}: {}\n", tally.name, kinds.join(", ")))
    };
    let words: String = standings.entrants().iter().filter_map(words_of).collect();
    if words.is_empty() { words } else { format!("Warnings about engine output:\n{words}") }
}

/// Entrants that exceeded their limits, which is no fault but makes results doubtful.
fn overruns(standings: &Standings) -> String {
    let words_of = |tally: &EntrantTally| {
        let (overruns, moves) = (tally.overruns, tally.searches.moves);
        (overruns > 0).then(|| format!("{} in {overruns} of {moves} moves", tally.name))
    };
    let words: Vec<String> = standings.entrants().iter().filter_map(words_of).collect();
    if words.is_empty() {
        return String::new();
    }
    format!(
        "Beyond the limit of nodes or plies, so that strength was not compared on equal terms: {}\n",
        words.join(", ")
    )
}

/// Elo without the games that a fault ended.
fn without_faults(standings: &Standings) -> String {
    let words_of = |(entrant, tally): (usize, &EntrantTally)| {
        let found = standings.faultless_statistics_of(entrant)?;
        let elo = format::interval(&elo(Some(found)), 1, Sign::Both);
        let games = format::count(tally.faultless.games() as usize, "game");
        Some(format!("{} {elo} ({games})", tally.name))
    };
    let words: Vec<String> = standings.entrants().iter().enumerate().filter_map(words_of).collect();
    if words.is_empty() { String::new() } else { format!("Elo without those games: {}\n", words.join(", ")) }
}

/// Maximum number of faults in the table.
const FAULTS_SHOWN: usize = 20;

/// Faults as text; `None` if there are none. `store` is the file with all of them.
pub fn faults(faults: &FaultList, standings: &Standings, store: &str) -> Option<String> {
    if faults.count == 0 {
        return None;
    }
    let mut table = Table::new([
        Column::new("game", ColumnKind::Text),
        Column::new("engine", ColumnKind::Text),
        Column::new("fault", ColumnKind::Text),
        Column::new("what happened", ColumnKind::Text),
    ]);
    for StoredFault { game, fault } in &faults.first {
        let game = game.map_or_else(|| "between".to_owned(), |number| (number + 1).to_string());
        let name = standings.entrants().get(fault.entrant).map_or("?", |tally| tally.name.as_str());
        table.push([game.into(), name.into(), fault.name.as_str().into(), fault.words.as_str().into()]);
    }
    let mut text = table.to_text();
    let more = faults.count - faults.first.len();
    if more > 0 {
        writeln!(text, "and {more} more: smalt-tournament status {store} --faults")
            .expect("a string takes any text");
    }
    writeln!(text, "Transcripts: smalt-tournament export {store} --format transcript")
        .expect("a string takes any text");
    Some(text)
}

/// The first faults of a run and their number.
#[derive(Clone, Debug, Default)]
pub struct FaultList {
    first: Vec<StoredFault>,
    count: usize,
}

impl FaultList {
    /// Adds a fault; those beyond the table are only counted.
    pub fn add(&mut self, mut fault: StoredFault) {
        self.count += 1;
        if self.first.len() < FAULTS_SHOWN {
            fault.fault.transcript = Vec::new();
            self.first.push(fault);
        }
    }
}

/// Speed of engines and of the runner.
pub fn speed(standings: &Standings) -> Table {
    let mut table = Table::new([
        Column::new("engine", ColumnKind::Text),
        Column::new("moves", ColumnKind::Integer),
        Column::new("s/move", ColumnKind::Number(3, Sign::Negative)),
        Column::new("depth", ColumnKind::Number(1, Sign::Negative)),
        Column::new("nodes/s", ColumnKind::Integer),
        Column::new("memory MB", ColumnKind::Integer),
        Column::new("latency µs", ColumnKind::Integer),
        Column::new("99 %", ColumnKind::Integer),
        Column::new("99.9 %", ColumnKind::Integer),
        Column::new("longest", ColumnKind::Integer),
    ]);
    let microseconds = |time: Option<Duration>| time.map(|time| time.as_micros() as u64);
    let is_bisection = standings.format == Format::Bisect;
    for tally in standings.entrants() {
        if is_bisection && tally.results.games() == 0 {
            continue;
        }
        let longest = (tally.latencies.count() > 0).then(|| tally.latencies.longest());
        table.push([
            tally.name.clone().into(),
            tally.searches.moves.into(),
            tally.searches.time_per_move().map(|time| time.as_secs_f64()).into(),
            tally.searches.depth().into(),
            tally.searches.nps().map(|nps| nps.round() as u64).into(),
            tally.peak_memory.map(|bytes| bytes.div_ceil(1_000_000)).into(),
            microseconds(tally.latencies.quantile(0.5)).into(),
            microseconds(tally.latencies.quantile(0.99)).into(),
            microseconds(tally.latencies.quantile(0.999)).into(),
            microseconds(longest).into(),
        ]);
    }
    table
}
