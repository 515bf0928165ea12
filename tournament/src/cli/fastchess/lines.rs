//! What happens, in the lines of fastchess and cutechess, on standard output. Looks on; decides nothing. No line is ever
//! empty, since some scripts take an empty line for the end.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::PathBuf;

use smalt_report::sanitize::sanitize_lines;
use smalt_stats::{Outcome, Pentanomial, Verdict, Wdl};

use super::Dialect;
use super::figures::{self, Score, estimate};
use super::log::{Level, Log, LogFile};
use crate::cli::output::tell;
use smalt_match::game::GameRecord;
use smalt_match::plan::{Plan, Role};
use smalt_match::run::{RunEvent, RunObserver, StopReason};
use smalt_match::schedule::ScheduledGame;
use smalt_match::standings::{Standings, TestState};

/// Whose reports are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Fastchess,
    Cutechess,
}

/// What is shown, and when.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cli) struct Shown {
    pub(super) dialect: Dialect,
    pub(super) style: Style,
    /// Reports come after so many games, or pairs; only at the end if 0.
    pub(super) rating_interval: u64,
    /// Scores (in cutechess's style) come after so many games.
    pub(super) score_interval: u64,
    pub(super) by_pairs: bool,
    pub(super) book: Option<String>,
    pub(super) latency: bool,
    pub(super) checksum: bool,
    /// Whether the run has a PGN at all.
    pub(super) pgn: Option<PathBuf>,
    /// Whether the store stays when nothing is left to be played.
    pub(in crate::cli) keeps_store: bool,
    /// The files that are emptied before the run (`append=false`).
    pub(super) emptied: Vec<PathBuf>,
    /// A file of the lines, or of those that matter.
    pub(super) log: Option<LogFile>,
}

impl Shown {
    /// Whether games are written.
    pub(in crate::cli) fn has_pgn(&self) -> bool {
        self.pgn.is_some()
    }

    /// The files that are emptied before the run, as the plan names them.
    pub(in crate::cli) fn emptied(&self) -> Vec<PathBuf> {
        self.emptied.iter().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone())).collect()
    }
}

pub(in crate::cli) struct Lines {
    shown: Shown,
    names: Vec<String>,
    /// Those who play a gauntlet.
    seeds: Vec<bool>,
    matchup: String,
    score: Score,
    half_pairs: HashMap<u32, Outcome>,
    by_color: [Wdl; 2],
    finished: u64,
    /// Whether anything happened since the last report.
    is_due: bool,
    log: Option<Log>,
}

const RULE: &str = "--------------------------------------------------\n";

impl Lines {
    pub(in crate::cli) fn new(plan: &Plan, shown: Shown) -> Lines {
        let names: Vec<String> = plan.entrants.iter().map(|entrant| entrant.name.clone()).collect();
        let log = shown.log.as_ref().and_then(|log| {
            let failed = |error| tell(&format!("Warning: write {}: {error}", log.path.display()));
            Log::open(log).map_err(failed).ok()
        });
        Lines {
            matchup: matchup(plan, shown.book.as_deref()),
            names,
            seeds: plan.entrants.iter().map(|entrant| entrant.role == Role::Challenger).collect(),
            score: Score::default(),
            half_pairs: HashMap::new(),
            by_color: [Wdl::default(); 2],
            finished: 0,
            is_due: false,
            log,
            shown,
        }
    }

    /// Standard output may be closed; then nobody reads it, and the games go on.
    fn print(&mut self, text: &str) {
        let mut output = io::stdout().lock();
        let _ = output.write_all(sanitize_lines(text).as_bytes()).and_then(|()| output.flush());
        self.note(Level::Info, text);
    }

    /// Writes whole lines into the log alone.
    fn note(&mut self, level: Level, text: &str) {
        if let Some(log) = &mut self.log {
            log.write(level, text);
        }
    }

    /// Says on standard error, and in the log, what is not as it should be.
    fn warn(&mut self, level: Level, words: &str) {
        tell(words);
        self.note(level, &format!("{words}\n"));
    }

    fn is_duel(&self) -> bool {
        self.names.len() == 2
    }

    fn start(&mut self, game: &ScheduledGame, standings: &Standings) {
        let text = format!(
            "Started game {} of {} ({} vs {})\n",
            game.number + 1,
            standings.games_planned(),
            self.names[game.white],
            self.names[game.black],
        );
        self.print(&text);
    }

    fn finish(&mut self, record: &GameRecord, standings: &Standings) {
        let [white, black] = [record.game.white, record.game.black].map(|player| self.names[player].clone());
        let (number, outcome, sentence) = (record.game.number + 1, record.outcome, record.sentence());
        self.print(&format!("Finished game {number} ({white} vs {black}): {outcome} {{{sentence}}}\n"));
        if record.termination.is_fault() {
            self.note(Level::Warn, &format!("Warning: game {number} ({white} vs {black}): {sentence}\n"));
        }
        self.finished += 1;
        self.is_due = true;
        let closes_pair = self.count(record);
        if self.shown.style == Style::Cutechess
            && self.is_duel()
            && self.shown.score_interval > 0
            && self.finished.is_multiple_of(self.shown.score_interval)
        {
            self.print(&self.score_line(standings));
        }
        let pairs = self.score.pairs.pairs();
        let interval = self.shown.rating_interval;
        let counts_pairs = self.shown.by_pairs && self.is_duel() && self.shown.style == Style::Fastchess;
        let is_time = match (interval, counts_pairs) {
            (0, _) => false,
            (_, true) => closes_pair && pairs.is_multiple_of(interval),
            (_, false) => self.finished.is_multiple_of(interval),
        };
        if is_time {
            self.report(standings);
        }
    }

    /// Counts a game; whether it was the second of its pair.
    fn count(&mut self, record: &GameRecord) -> bool {
        let white = match record.loser() {
            Some(smalt_chess::Color::Black) => Outcome::Win,
            Some(smalt_chess::Color::White) => Outcome::Loss,
            None => Outcome::Draw,
        };
        let first_has_white = record.game.white == 0;
        let outcome = if first_has_white { white } else { white.mirrored() };
        self.by_color[usize::from(!first_has_white)].record(outcome);
        if !self.shown.by_pairs {
            self.score.games.record(outcome);
        }
        let Some(other) = self.half_pairs.remove(&record.game.pair) else {
            self.half_pairs.insert(record.game.pair, outcome);
            return false;
        };
        if self.shown.by_pairs {
            self.score.games.record(other);
            self.score.games.record(outcome);
        }
        self.score.pairs.record(other, outcome);
        match (other, outcome) {
            (Outcome::Draw, Outcome::Draw) => self.score.drawn += 1,
            (Outcome::Win, Outcome::Loss) | (Outcome::Loss, Outcome::Win) => self.score.split += 1,
            _ => {}
        }
        true
    }

    /// `Score of A vs B: w - l - d  [s] n`, over all games.
    fn score_line(&self, standings: &Standings) -> String {
        let results = standings.entrants()[0].results;
        format!("Score of {} vs {}: {}\n", self.names[0], self.names[1], score_words(results))
    }

    fn report(&mut self, standings: &Standings) {
        self.is_due = false;
        let text = match (self.shown.style, self.is_duel()) {
            (Style::Fastchess, true) => self.fastchess_report(standings),
            (Style::Fastchess, false) => format!("{RULE}{}{RULE}", table(standings, self.shown.by_pairs)),
            (Style::Cutechess, true) => self.cutechess_report(standings),
            (Style::Cutechess, false) => match self.shown.dialect {
                Dialect::Fastchess => table(standings, false),
                Dialect::Cutechess => cutechess_table(standings, &self.seeds),
            },
        };
        self.print(&text);
    }

    fn fastchess_report(&self, standings: &Standings) -> String {
        let figures = figures::report(&self.score, self.shown.by_pairs);
        let test = standings.test().map(|test| llr_line(&test)).unwrap_or_default();
        if figures.is_empty() && test.is_empty() {
            return String::new();
        }
        format!("{RULE}{}{figures}{test}{RULE}", self.matchup)
    }

    fn cutechess_report(&self, standings: &Standings) -> String {
        let results = standings.entrants()[0].results;
        let Some(found) = results.normal_statistics() else { return String::new() };
        let first = &self.names[0];
        let [as_white, as_black] = self.by_color;
        let mut white = as_white;
        white += as_black.mirrored();
        let mut text = format!(
            "...      {first} playing White: {}\n...      {first} playing Black: {}\n...      White vs Black: {}\n\
             Elo difference: {}, LOS: {:.1} %, DrawRatio: {:.1} %\n",
            score_words(as_white),
            score_words(as_black),
            score_words(white),
            estimate(found.elo, found.score, 1),
            100.0 * found.los,
            percent_drawn(results),
        );
        if let Some(test) = standings.test() {
            let bounds = test.sprt.bounds();
            let (share, says) = (percentage(&test), accepted(test.verdict));
            let says = says.map(|says| format!(" - {says} was accepted")).unwrap_or_default();
            text.push_str(&format!(
                "SPRT: llr {:.2} ({share:.1}%), lbound {:.2}, ubound {:.2}{says}\n",
                test.llr, bounds.lower, bounds.upper
            ));
        }
        text
    }

    fn end(&mut self, standings: &Standings) {
        if self.is_due {
            self.report(standings);
        }
        if self.shown.latency {
            self.print(&latencies(standings));
        }
        if self.shown.checksum
            && let Some(path) = self.shown.pgn.clone()
        {
            match checksum(&path) {
                Ok(sum) => self.print(&format!("{} has CRC32: {sum:08x}\n", path.display())),
                Err(error) => self.warn(Level::Err, &format!("Warning: read {}: {error}", path.display())),
            }
        }
        let last = match self.shown.dialect {
            Dialect::Fastchess => "Tournament finished\n",
            Dialect::Cutechess => "Finished match\n",
        };
        self.print(last);
    }
}

impl RunObserver for Lines {
    fn on_event(&mut self, event: &RunEvent<'_>, standings: &Standings) {
        match event {
            RunEvent::GameStarted(game) => self.start(game, standings),
            RunEvent::GameFinished(record) => self.finish(record, standings),
            RunEvent::Stopping(StopReason::Decided) => {
                if let Some(test) = standings.test() {
                    let says = accepted(test.verdict).unwrap_or("none");
                    let bounds = (test.sprt.elo0(), test.sprt.elo1());
                    let text = format!(
                        "SPRT ([{:.2}, {:.2}]) completed - {says} was accepted\n",
                        bounds.0, bounds.1
                    );
                    if self.shown.style == Style::Fastchess {
                        self.report(standings);
                    }
                    self.print(&text);
                }
            }
            // What is said of games on standard error would be counted twice by scripts that read both.
            RunEvent::Stopping(StopReason::Failed(words)) => {
                self.warn(Level::Fatal, &format!("Stopping: failed to {words}"));
            }
            RunEvent::Stopping(StopReason::Fault(words)) => {
                self.note(Level::Fatal, &format!("Stopping after a fault: {words}\n"));
            }
            RunEvent::EngineFault(fault) => {
                let words = format!("{} {}\n", self.names[fault.entrant], fault.words);
                self.note(Level::Err, &words);
            }
            RunEvent::EngineWarning { entrant, words } => {
                self.warn(Level::Warn, &format!("Warning: {} {words}", self.names[*entrant]));
            }
            RunEvent::Notice(words) => self.note(Level::Warn, &format!("{words}\n")),
            RunEvent::Disqualified { entrant, .. } => {
                let lot = if standings.schedule().goes_by_results() { "lost" } else { "left out" };
                let words = format!("{} plays no more; its games are {lot}", self.names[*entrant]);
                self.warn(Level::Err, &words);
            }
            RunEvent::Ended => self.end(standings),
            _ => {}
        }
    }
}

fn accepted(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Continue => None,
        Verdict::AcceptH0 => Some("H0"),
        Verdict::AcceptH1 => Some("H1"),
    }
}

/// `3 - 1 - 6  [0.600] 10`.
fn score_words(results: Wdl) -> String {
    let games = results.games();
    let share = if games > 0 { results.points() / games as f64 } else { 0.0 };
    format!("{} - {} - {}  [{share:.3}] {games}", results.wins, results.losses, results.draws)
}

fn percent_drawn(results: Wdl) -> f64 {
    if results.games() > 0 { 100.0 * results.draws as f64 / results.games() as f64 } else { 0.0 }
}

/// How far the test is on its way to the bound that it is nearer to.
fn percentage(test: &TestState) -> f64 {
    let bounds = test.sprt.bounds();
    100.0 * if test.llr < 0.0 { test.llr / bounds.lower } else { test.llr / bounds.upper }
}

fn llr_line(test: &TestState) -> String {
    let bounds = test.sprt.bounds();
    format!(
        "LLR: {:.2} ({:.1}%) ({:.2}, {:.2}) [{:.2}, {:.2}]\n",
        test.llr,
        percentage(test),
        bounds.lower,
        bounds.upper,
        test.sprt.elo0(),
        test.sprt.elo1(),
    )
}

/// Everybody against all others, the best first.
fn table(standings: &Standings, by_pairs: bool) -> String {
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
    let pairs_header = if by_pairs { " Ptnml(0-2)" } else { "" };
    let mut text = format!(
        "{:<4} {:<25} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}{pairs_header}\n",
        "Rank", "Name", "Elo", "+/-", "nElo", "+/-", "Games", "Score", "Draw"
    );
    for (rank, (tally, Pentanomial(pairs), found)) in (1..).zip(rows) {
        let games = tally.results.games();
        let (elo, nelo) = (found.and_then(|found| found.elo), found.and_then(|found| found.nelo));
        let score = found.map_or(0.5, |found| found.score);
        let parts = |text: String| {
            let (value, error) = text.split_once(" +/- ").unwrap_or((&text, "nan"));
            format!("{value:>10} {error:>10}")
        };
        let drawn = percent_drawn(tally.results);
        let pairs = if by_pairs {
            format!(" [{}]", pairs.map(|count| count.to_string()).join(", "))
        } else {
            String::new()
        };
        text.push_str(&format!(
            "{rank:>4} {:<25} {} {} {games:>10} {:>9.1}% {drawn:>9.1}%{pairs}\n",
            tally.name,
            parts(estimate(elo, score, 2)),
            parts(estimate(nelo, score, 2)),
            100.0 * score,
        ));
    }
    text
}

/// Everybody against all others as cutechess shows it: those who play a gauntlet first, with rank 0, then the best.
fn cutechess_table(standings: &Standings, seeds: &[bool]) -> String {
    let mut rows: Vec<_> = standings
        .entrants()
        .iter()
        .zip(seeds)
        .map(|(tally, &is_seed)| (is_seed, tally, tally.results.normal_statistics()))
        .collect();
    let share = |found: &Option<smalt_stats::MatchStatistics>| found.map_or(-1.0, |found| found.score);
    rows.sort_by(|a, b| b.0.cmp(&a.0).then(share(&b.2).total_cmp(&share(&a.2))));
    let width = rows.iter().map(|(_, tally, _)| tally.name.chars().count()).max().unwrap_or(0).max(25);
    let mut text = format!(
        "{:>4} {:<width$} {:>7} {:>7} {:>7} {:>7} {:>7}\n",
        "Rank", "Name", "Elo", "+/-", "Games", "Score", "Draw"
    );
    let mut rank = 0;
    for (is_seed, tally, found) in rows {
        rank += u32::from(!is_seed);
        let games = tally.results.games();
        let score = found.map_or(0.5, |found| found.score);
        let elo = estimate(found.and_then(|found| found.elo), score, 0);
        let (elo, error) = elo.split_once(" +/- ").unwrap_or((&elo, "nan"));
        let drawn = percent_drawn(tally.results);
        text.push_str(&format!(
            "{rank:>4} {:<width$} {elo:>7} {error:>7} {games:>7} {:>6.1}% {drawn:>6.1}%\n",
            tally.name,
            100.0 * score,
        ));
    }
    text.push_str(&format!(
        "{} of {} games finished.\n",
        standings.games_finished(),
        standings.games_planned()
    ));
    text
}

/// How long the runner took to hand each engine its moves.
fn latencies(standings: &Standings) -> String {
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

/// `Results of A vs B (10+0.1, 1t, 16MB, book.epd):`.
fn matchup(plan: &Plan, book: Option<&str>) -> String {
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
    let clocks = both([first, second].map(clock));
    let book = book.map(|book| format!(", {book}")).unwrap_or_default();
    format!(
        "Results of {} vs {} ({clocks}, {}, {}{book}):\n",
        first.name,
        second.name,
        option("Threads", "t"),
        option("Hash", "MB")
    )
}

fn clock(entrant: &smalt_match::plan::Entrant) -> String {
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

/// The checksum of a file as fishtest compares it: that of gzip.
fn checksum(path: &std::path::Path) -> io::Result<u32> {
    let mut sum = flate2::CrcReader::new(std::fs::File::open(path)?);
    io::copy(&mut sum, &mut io::sink())?;
    Ok(sum.crc().sum())
}
