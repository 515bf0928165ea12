//! Progress on standard error: a line for each game, and on a terminal a bar below them. Looks on; decides nothing.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::game::GameRecord;
use crate::plan::Plan;
use crate::run::{News, StopReason, Watcher};
use crate::standings::{Standings, statistics};

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loudness {
    /// Faults and what stops the run.
    Quiet,
    /// Every game.
    Usual,
}

/// Shows a run.
pub(super) struct Display {
    names: Vec<String>,
    store: String,
    loudness: Loudness,
    bar: Option<ProgressBar>,
}

impl Display {
    pub(super) fn new(plan: &Plan, store: &std::path::Path, loudness: Loudness) -> Display {
        let names = plan.entrants.iter().map(|entrant| entrant.name.clone()).collect();
        Display { names, store: store.display().to_string(), loudness, bar: None }
    }

    fn begin(&mut self, standings: &Standings) {
        if self.loudness == Loudness::Quiet || !std::io::stderr().is_terminal() {
            return;
        }
        let bar =
            ProgressBar::new(standings.games_planned().into()).with_position(standings.games_finished());
        if let Ok(style) =
            ProgressStyle::with_template("{bar:30} {pos}/{len} games, {elapsed} passed, {eta} left {msg}")
        {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(500));
        self.bar = Some(bar);
    }

    /// A line above the bar, or simply a line. Standard error may be closed; then nobody reads it.
    fn line(&self, text: &str) {
        let text: String =
            text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        match &self.bar {
            Some(bar) => bar.suspend(|| {
                let _ = writeln!(std::io::stderr(), "{text}");
            }),
            None => {
                let _ = writeln!(std::io::stderr(), "{text}");
            }
        }
    }

    fn name(&self, entrant: usize) -> &str {
        self.names.get(entrant).map_or("?", String::as_str)
    }

    fn show_game(&self, record: &GameRecord, standings: &Standings) {
        let [white, black] = [record.game.white, record.game.black].map(|entrant| self.name(entrant));
        let number = record.game.number + 1;
        if self.loudness == Loudness::Usual {
            let done = standings.games_finished();
            let planned = standings.games_planned();
            let sentence = record.sentence();
            let outcome = record.outcome;
            self.line(&format!(
                "Finished game {number} ({white} vs {black}): {outcome} {{{sentence}}} [{done}/{planned}] {}",
                score_line(record, standings)
            ));
        }
        if let Some(fault) = &record.fault {
            let culprit = self.name(record.entrant(fault.color));
            self.line(&format!("  game {number}: {culprit} {}", fault.words));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(standings.games_finished());
        }
    }

    fn show_stop(&self, reason: &StopReason) {
        match reason {
            StopReason::Decided => self.line("The test is decided; games being played are given up."),
            StopReason::Asked => self.line(&format!(
                "Stopping; games being played are given up. Go on with: smalt-tournament resume {}",
                self.store
            )),
            StopReason::Fault(words) => {
                self.line(&format!("Stopping, as the plan says after a fault: {words}"))
            }
            StopReason::Failed(words) => self.line(&format!("Stopping: failed to {words}")),
        }
    }
}

/// The pairing as it stands now: `smalt - sf: 3.5/8, Elo -43.7 ± 120.3`.
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
    let found = statistics(tally.results, tally.pairs).and_then(|found| found.elo);
    if let Some(elo) = found {
        text.push_str(", Elo ");
        text.push_str(&smalt_report::format::estimate(elo.value, elo.error, 1, smalt_report::Sign::Both));
    }
    if let Some(test) = standings.test() {
        text.push_str(&format!(", LLR {:.2}", test.llr));
    }
    text
}

impl Watcher for Display {
    fn see(&mut self, news: &News<'_>, standings: &Standings) {
        match news {
            News::Begun => self.begin(standings),
            News::GameStarted(_) => {}
            News::GameFinished(record) => self.show_game(record, standings),
            News::EngineFault(fault) => self.line(&format!("{} {}", self.name(fault.entrant), fault.words)),
            News::EntrantOut { entrant, strike } => {
                self.line(&format!("{} is out: it {strike}; its games are left out", self.name(*entrant)))
            }
            News::Stopping(reason) => self.show_stop(reason),
            News::Ended => {
                if let Some(bar) = self.bar.take() {
                    bar.finish_and_clear();
                }
            }
        }
    }
}
