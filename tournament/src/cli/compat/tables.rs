//! Tables and lines of reports over all engines of a run.

use std::fmt;

use smalt_protocol::{OptionDeclaration, OptionKind, option};
use smalt_stats::Pentanomial;

use super::statistics::{estimate, percent_drawn};
use smalt_match::plan::{Entrant, Plan};
use smalt_match::standings::{EntrantTally, Standings};

/// fastchess's ranking: every engine against all others, best first; with a column of pairs in fastchess style.
pub(super) fn ranking(standings: &Standings, by_pairs: bool, has_pairs_column: bool) -> String {
    let mut rows: Vec<_> = standings
        .entrants()
        .iter()
        .enumerate()
        .map(|(entrant, tally)| {
            let pairs = standings.pairs_of(entrant);
            let found = if by_pairs && standings.schedule().counts_pairs() {
                pairs.normal_statistics()
            } else {
                tally.results.normal_statistics()
            };
            (tally, pairs, found)
        })
        .collect();
    let share = |row: &(_, _, Option<smalt_stats::MatchStatistics>)| row.2.map_or(-1.0, |found| found.score);
    rows.sort_by(|a, b| share(b).total_cmp(&share(a)));
    let pairs_column = |text: &str| if has_pairs_column { format!(" {text:>20}") } else { String::new() };
    let names = standings.entrants().iter().map(|tally| tally.name.chars().count());
    let width = names.max().unwrap_or(0).max(25);
    let mut text = format!(
        "{:<4} {:<width$} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}{}\n",
        "Rank",
        "Name",
        "Elo",
        "+/-",
        "nElo",
        "+/-",
        "Games",
        "Score",
        "Draw",
        pairs_column("Ptnml(0-2)")
    );
    for (rank, (tally, Pentanomial(pairs), found)) in (1..).zip(rows) {
        let games = tally.results.games();
        let (elo, nelo) = (found.and_then(|found| found.elo), found.and_then(|found| found.nelo));
        let score = found.map_or(0.5, |found| found.score);
        let parts = |text: String| {
            let (value, error) = text.split_once(" +/- ").unwrap_or((&text, "nan"));
            format!("{value:>10} {error:>10}")
        };
        let drawn = match found {
            Some(found) if by_pairs => 100.0 * found.draw_ratio,
            _ => percent_drawn(tally.results),
        };
        let pairs = if by_pairs {
            format!("[{}]", pairs.map(|count| count.to_string()).join(", "))
        } else {
            String::new()
        };
        let pairs = pairs_column(&pairs);
        text.push_str(&format!(
            "{rank:>4} {:<width$} {} {} {games:>10} {:>9.1}% {drawn:>9.1}%{pairs}\n",
            tally.name,
            parts(estimate(elo, score, 2)),
            parts(estimate(nelo, score, 2)),
            100.0 * score,
        ));
    }
    text
}

/// Time losses and crashes of engines with any, between empty lines.
pub(super) fn fault_counts(standings: &Standings) -> String {
    let has_any = |tally: &&EntrantTally| tally.time_losses + tally.crashes > 0;
    let lines: String = standings
        .entrants()
        .iter()
        .filter(has_any)
        .map(|EntrantTally { name, time_losses, crashes, .. }| {
            format!("Player: {name}\n  Timeouts: {time_losses}\n  Crashed: {crashes}\n")
        })
        .collect();
    if lines.is_empty() { lines } else { format!("\n{lines}\n") }
}

/// Time from the opponent's move to the write of `go`, per engine.
pub(super) fn latencies(standings: &Standings) -> String {
    let mut text = String::new();
    for tally in standings.entrants() {
        let shown = |share: f64| tally.latencies.quantile(share).map_or(0, |time| time.as_micros());
        text.push_str(&format!(
            "Latency of {}: median {} us, 99 % {} us, longest {} us\n",
            tally.name,
            shown(0.5),
            shown(0.99),
            tally.latencies.longest().as_micros(),
        ));
    }
    text
}

/// The header of a report: `Results of A vs B (10+0.1, 1t, 16MB, book.epd):`
pub(super) struct Matchup {
    names: [String; 2],
    clocks: [String; 2],
    book: Option<String>,
    /// Threads and hash of each engine, as set or otherwise as declared.
    options: [[Option<String>; 2]; 2],
}

/// Options in report headers, with their units.
const SHOWN_OPTIONS: [(&str, &str); 2] = [("Threads", "t"), ("Hash", "MB")];

impl Matchup {
    /// The header for a run of two engines.
    pub(super) fn new(plan: &Plan, book: Option<&str>) -> Option<Matchup> {
        let [first, second] = plan.entrants.as_slice() else { return None };
        let both = [first, second];
        let set = |entrant: &Entrant, name: &str| {
            let found = entrant.engine.options.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
            found.map(|(_, value)| value.0.clone())
        };
        Some(Matchup {
            names: both.map(|entrant| entrant.name.clone()),
            clocks: both.map(|entrant| limits(entrant).into_iter().next().unwrap_or_default()),
            book: book.map(str::to_owned),
            options: both.map(|entrant| SHOWN_OPTIONS.map(|(name, _)| set(entrant, name))),
        })
    }

    /// Uses an engine's declared defaults for options that are not set.
    pub(super) fn take_defaults(&mut self, entrant: usize, declared: &[OptionDeclaration]) {
        let Some(values) = self.options.get_mut(entrant) else { return };
        for (value, (name, _)) in values.iter_mut().zip(SHOWN_OPTIONS) {
            if let Some(OptionKind::Spin { default, .. }) =
                option::find(declared, name).map(|found| &found.kind)
            {
                value.get_or_insert_with(|| default.to_string());
            }
        }
    }
}

impl fmt::Display for Matchup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let both = |[first, second]: [&str; 2]| {
            if first == second { first.to_owned() } else { format!("{first} - {second}") }
        };
        let [first, second] = &self.names;
        let [first_clock, second_clock] = &self.clocks;
        write!(f, "Results of {first} vs {second} ({}", both([first_clock, second_clock]))?;
        for (index, (_, unit)) in SHOWN_OPTIONS.into_iter().enumerate() {
            let shown = |values: &[Option<String>; 2]| {
                values[index].as_ref().map_or_else(|| "NULL".to_owned(), |value| format!("{value}{unit}"))
            };
            let [first, second] = [shown(&self.options[0]), shown(&self.options[1])];
            write!(f, ", {}", both([&first, &second]))?;
        }
        match &self.book {
            Some(book) => writeln!(f, ", {book}):"),
            None => writeln!(f, "):"),
        }
    }
}

/// `10+0.1`, `0.05/move`, `12 plies` or `20000 nodes`, separated by spaces; `inf` without a limit.
pub(super) fn time_control(entrant: &Entrant) -> String {
    let limits = limits(entrant);
    if limits.is_empty() { "inf".to_owned() } else { limits.join(" ") }
}

/// All limits of its searches, time first.
fn limits(entrant: &Entrant) -> Vec<String> {
    let clock = &entrant.clock;
    let mut limits = Vec::new();
    if clock.control != smalt_protocol::TimeControl::UNLIMITED {
        limits.push(clock.control.to_string());
    }
    limits.extend(clock.move_time.map(|time| format!("{}/move", time.as_secs_f64())));
    limits.extend(clock.depth.map(|depth| format!("{depth} plies")));
    limits.extend(clock.nodes.map(|nodes| format!("{nodes} nodes")));
    limits
}
