//! Progress on standard error: one line per game; on a terminal with standings and a progress bar below, otherwise
//! with standings at an interval.

use std::collections::HashSet;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use smalt_report::{Sign, format};

use smalt_match::game::{GameRecord, GameWarning, SearchWarning};
use smalt_match::plan::Plan;
use smalt_match::run::{RunEvent, RunObserver, StopReason};
use smalt_match::schedule::ScheduledGame;
use smalt_match::standings::{Standings, TestState, report};
use smalt_report::sanitize::{sanitize, sanitize_message};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verbosity {
    /// Faults and what stops the run.
    Quiet,
    Usual,
}

/// Minimum time between two redraws of the standings.
const REDRAWING: Duration = Duration::from_millis(500);

pub(super) struct Display {
    names: Vec<String>,
    store: String,
    verbosity: Verbosity,
    interval: u64,
    bar: Option<ProgressBar>,
    began: Instant,
    drawn: Option<Instant>,
    games_before: u64,
    /// Kinds of search warnings already shown, by entrant: only the first of each is shown.
    shown_warnings: HashSet<(usize, SearchWarning)>,
}

impl Display {
    pub(super) fn new(plan: &Plan, store: &std::path::Path, verbosity: Verbosity) -> Display {
        Display {
            names: plan.entrants.iter().map(|entrant| entrant.name.clone()).collect(),
            store: store.display().to_string(),
            verbosity,
            interval: plan.settings.output.rating_interval,
            bar: None,
            began: Instant::now(),
            drawn: None,
            games_before: 0,
            shown_warnings: HashSet::new(),
        }
    }

    fn begin(&mut self, standings: &Standings) {
        self.began = Instant::now();
        self.games_before = standings.games_finished();
        if self.verbosity == Verbosity::Usual {
            self.line(report::AT_ANY_LOOK);
        }
        if self.verbosity == Verbosity::Quiet || !std::io::stderr().is_terminal() {
            return;
        }
        let bar =
            ProgressBar::new(standings.games_planned().into()).with_position(standings.games_finished());
        // A run that grows continues with another bar.
        let bar = bar.with_finish(ProgressFinish::AndClear);
        set_style(&bar, standings);
        bar.enable_steady_tick(REDRAWING);
        self.bar = Some(bar);
    }

    /// Shows the first warning of a kind about an engine; `status` and the reports count all.
    fn show_search_warning(&mut self, entrant: usize, game: &ScheduledGame, warning: &GameWarning) {
        let kind = warning.finding.kind;
        if self.shown_warnings.insert((entrant, kind)) {
            let mv = warning.finding.mv.as_ref().map(|mv| format!(" - move {mv}")).unwrap_or_default();
            let line = &warning.finding.line;
            let line = if line.is_empty() { String::new() } else { format!(": {line}") };
            let (name, game) = (self.name(entrant), game.number + 1);
            self.line(&format!(
                "Warning: {kind}{mv} from {name} (game {game}){line}; all are counted in the results"
            ));
        }
    }

    /// Prints one line of limited length, above the bar if there is one.
    fn line(&self, text: &str) {
        self.print(&(sanitize_message(&sanitize(text)) + "\n"));
    }

    /// Standard error may be closed.
    fn print(&self, text: &str) {
        let print = || {
            let _ = std::io::stderr().write_all(text.as_bytes());
        };
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    fn name(&self, entrant: usize) -> &str {
        self.names.get(entrant).map_or("?", String::as_str)
    }

    fn show_game(&mut self, record: &GameRecord, standings: &Standings) {
        let [white, black] = [record.game.white, record.game.black].map(|entrant| self.name(entrant));
        let number = record.game.number + 1;
        if self.verbosity == Verbosity::Usual {
            let count = count_of_games(standings);
            let sentence = record.sentence();
            let outcome = record.outcome;
            self.line(&format!(
                "Finished game {number} ({white} vs {black}): {outcome} {{{sentence}}} [{count}] {}",
                score_line(record, standings)
            ));
        }
        if let Some(fault) = &record.fault {
            let culprit = self.name(record.entrant(fault.color));
            self.line(&format!("  game {number}: {culprit} {}", fault.words));
        }
        self.show_standings(standings);
    }

    fn show_standings(&mut self, standings: &Standings) {
        let finished = standings.games_finished();
        if let Some(bar) = &self.bar {
            bar.set_length(finished + standings.games_missing());
            bar.set_position(finished);
            set_style(bar, standings);
            if self.drawn.is_none_or(|drawn| drawn.elapsed() >= REDRAWING) {
                let table = report::live_table(standings).to_text();
                bar.set_message(format!("{}\n{}", self.pace(standings), table.trim_end()));
                self.drawn = Some(Instant::now());
            }
        } else if self.interval > 0
            && finished.is_multiple_of(self.interval)
            && self.verbosity == Verbosity::Usual
        {
            let (table, pace) = (report::table(standings).to_text(), self.pace(standings));
            self.print(&format!("{}\n{}{pace}\n", table.trim_end(), report::games(standings)));
        }
    }

    /// Speed in this session and remaining time: `, 3,412 games/h, 5m 20s left`.
    fn pace(&self, standings: &Standings) -> String {
        let played = standings.games_finished().saturating_sub(self.games_before);
        let seconds = self.began.elapsed().as_secs_f64();
        if played == 0 || seconds <= 0.0 || standings.games_missing() == 0 {
            return String::new();
        }
        let each = seconds / played as f64;
        let rate = format::grouped((3600.0 / each).round() as i64);
        if let Some(test) = standings.test().filter(TestState::is_open) {
            let left = report::games_left(&test).unwrap_or_default();
            return format!(", {rate} games/h, LLR {:.2}\n{left}", test.llr);
        }
        if standings.schedule().is_open_ended() {
            return format!(", {rate} games/h");
        }
        let left =
            Duration::try_from_secs_f64(each * standings.games_missing() as f64).unwrap_or(Duration::MAX);
        format!(", {rate} games/h, {} left", format::duration(left))
    }

    fn show_stop(&self, reason: &StopReason) {
        match reason {
            StopReason::Decided => self.line("The test is decided; games in progress are abandoned."),
            StopReason::User => self.line(&format!(
                "Stopping; games in progress are abandoned. Resume with: smalt-tournament resume {}",
                self.store
            )),
            StopReason::Fault(words) => {
                self.line(&format!("Stopping, as the plan says after a fault: {words}"))
            }
            StopReason::Failed(words) => self.line(&format!("Stopping: failed to {words}")),
        }
    }
}

/// Sets the style of the progress bar: without a bar while the number of games is open.
fn set_style(bar: &ProgressBar, standings: &Standings) {
    let template = if standings.schedule().is_open_ended() {
        "{pos} games, {elapsed} passed{msg}"
    } else {
        "{bar:30} {pos}/{len} games, {elapsed} passed{msg}"
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}

/// Finished and planned games: `12/400`; `12` alone while the number is open.
fn count_of_games(standings: &Standings) -> String {
    let finished = standings.games_finished();
    if standings.schedule().is_open_ended() {
        finished.to_string()
    } else {
        format!("{finished}/{}", standings.games_planned())
    }
}

/// Current score of the pairing: `smalt - sf: 3.5/8, Elo -43.7 ± 120.3`, or `Elo > +137` after wins only.
fn score_line(record: &GameRecord, standings: &Standings) -> String {
    let players = [record.game.white, record.game.black];
    let tally = standings
        .pairings()
        .iter()
        .find(|tally| players.contains(&tally.pairing.first) && players.contains(&tally.pairing.second));
    let Some(tally) = tally else { return String::new() };
    let name = |entrant: usize| &standings.entrants()[entrant].name;
    let (first, second) = (name(tally.pairing.first), name(tally.pairing.second));
    let mut text = format!("{first} - {second}: {}/{}", tally.results.points(), tally.results.games());
    let elo = report::elo_at_any_look(&standings.counts_of_pairing(tally));
    if elo.value.or(elo.low).or(elo.high).is_some() {
        text.push_str(&format!(", Elo {} at any look", format::interval(&elo, 1, Sign::Both)));
    }
    if let Some(test) = standings.test() {
        text.push_str(&format!(", LLR {:.2}", test.llr));
    }
    text
}

impl RunObserver for Display {
    fn on_event(&mut self, event: &RunEvent<'_>, standings: &Standings) {
        match event {
            RunEvent::Begun => self.begin(standings),
            RunEvent::GameStarted(_) | RunEvent::EngineStarted { .. } => {}
            RunEvent::GameFinished(record) => self.show_game(record, standings),
            RunEvent::EngineFault(fault) => {
                self.line(&format!("{} {}", self.name(fault.entrant), fault.words))
            }
            RunEvent::EngineWarning { entrant, words } => {
                self.line(&format!("Warning: {} {words}", self.name(*entrant)))
            }
            RunEvent::OptionRejected { entrant, rejected } => {
                self.line(&format!("Warning: {} {}", self.name(*entrant), rejected.words))
            }
            RunEvent::SearchWarning { entrant, game, warning } => {
                self.show_search_warning(*entrant, game, warning)
            }
            RunEvent::MachineJoined(machine) => self.line(&format!(
                "{} joins: concurrency {}, {} cores, {} nodes/s ({})",
                machine.name,
                machine.slots,
                machine.cores,
                format::grouped(machine.speed.cast_signed()),
                machine.cpu
            )),
            RunEvent::Notice(words) => self.line(words),
            RunEvent::Disqualified { entrant, disqualification } => {
                let lot = if standings.schedule().has_walkovers() { "lost" } else { "skipped" };
                let absence = report::absence(self.name(*entrant), &disqualification.to_string());
                self.line(&format!("{absence}; its games are {lot}"));
                if self.bar.is_some() {
                    self.show_standings(standings);
                }
            }
            RunEvent::Stopping(reason) => self.show_stop(reason),
            RunEvent::Ended => {
                if let Some(bar) = self.bar.take() {
                    bar.finish_and_clear();
                }
            }
        }
    }
}
