//! Tables and lines of reports over all engines of a run.

use smalt_stats::Pentanomial;

use super::output::percent_drawn;
use super::statistics::estimate;
use smalt_match::plan::{Entrant, Plan};
use smalt_match::standings::{EntrantTally, Standings};

/// The ranking of fastchess: every engine against all others, the best first; pairs have a column in its own style.
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

/// Time losses and crashes of each engine that had any, between empty lines.
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

/// The time between the opponent's move and the write of `go`, for each engine.
pub(super) fn latencies(standings: &Standings) -> String {
    let mut text = String::new();
    for tally in standings.entrants() {
        let shown = |share: f64| tally.handovers.quantile(share).map_or(0, |time| time.as_micros());
        text.push_str(&format!(
            "Latency of {}: median {} us, 99 % {} us, longest {} us\n",
            tally.name,
            shown(0.5),
            shown(0.99),
            tally.handovers.longest().as_micros(),
        ));
    }
    text
}

/// `Results of A vs B (10+0.1, 1t, 16MB, book.epd):`
pub(super) fn matchup(plan: &Plan, book: Option<&str>) -> String {
    let [first, second] = match plan.entrants.as_slice() {
        [first, second] => [first, second],
        _ => return String::new(),
    };
    let both = |texts: [String; 2]| {
        let [first, second] = texts;
        if first == second { first } else { format!("{first} - {second}") }
    };
    let option = |name: &str, unit: &str| {
        both([first, second].map(|entrant| {
            let found = entrant.engine.options.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
            found.map_or_else(|| "NULL".to_owned(), |(_, value)| format!("{value}{unit}"))
        }))
    };
    let clocks = both([first, second].map(time_control));
    let book = book.map(|book| format!(", {book}")).unwrap_or_default();
    format!(
        "Results of {} vs {} ({clocks}, {}, {}{book}):\n",
        first.name,
        second.name,
        option("Threads", "t"),
        option("Hash", "MB")
    )
}

/// `10+0.1`, `0.05/move`, `12 plies` or `20000 nodes`
pub(super) fn time_control(entrant: &Entrant) -> String {
    let clock = &entrant.clock;
    let mut parts = Vec::new();
    if clock.control != smalt_protocol::TimeControl::UNLIMITED {
        parts.push(clock.control.to_string());
    }
    parts.extend(clock.move_time.map(|time| format!("{}/move", time.as_secs_f64())));
    parts.extend(clock.depth.map(|depth| format!("{depth} plies")));
    parts.extend(clock.nodes.map(|nodes| format!("{nodes} nodes")));
    if parts.is_empty() { "inf".to_owned() } else { parts.join(" ") }
}
