//! The whole of a run on one page, to mail, to archive, or to put into a pull request: what was played on which terms, what
//! came of it, what went wrong. [`html`] draws it with charts, [`markdown`] writes it short, [`csv`] for spreadsheets.
//! All of them take a [`RunReport`]; nothing here reads or writes files.

mod highlights;
pub mod html;
mod list;
pub mod markdown;
mod terms;

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use smalt_report::Table;

use crate::plot::Figures;
pub use highlights::RemarkableGames;
pub use list::GameList;
use smalt_match::plan::Plan;
use smalt_match::standings::course::CourseJson;
use smalt_match::standings::{Standings, report as tables};
use smalt_match::store::StoredFault;
pub(crate) use terms::{adjudication, openings};

/// Number of faults that are shown with the engine's last lines.
const FAULTS_SHOWN: usize = 50;

/// All that a report tells of.
#[derive(Clone, Debug)]
pub struct RunReport {
    pub plan: Plan,
    pub standings: Standings,
    /// What charts are drawn from.
    pub figures: Figures,
    /// What the run is doing: `finished`, `running`, …
    pub state: String,
    /// When it was begun.
    pub begun: SystemTime,
    /// From the begin of the first game to the end of the last; none without games.
    pub length: Option<Duration>,
    /// What engines call themselves, by entrant.
    pub programs: BTreeMap<usize, String>,
    /// What they did wrong.
    pub faults: Faults,
    pub games: GameList,
    /// Those of them whose curves are shown.
    pub remarkable: RemarkableGames,
}

/// The first faults with the last lines before each, and how many there are.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    first: Vec<StoredFault>,
    count: usize,
}

impl Faults {
    /// Adds one; those beyond what a report shows are only counted.
    pub fn add(&mut self, fault: StoredFault) {
        self.count += 1;
        if self.first.len() < FAULTS_SHOWN {
            self.first.push(fault);
        }
    }

    fn more(&self) -> usize {
        self.count - self.first.len()
    }
}

impl RunReport {
    /// What happened, in a line: `gauntlet, 24 of 24 games, finished`.
    fn summary(&self) -> String {
        let standings = &self.standings;
        let games = tables::games(standings);
        let course = CourseJson::of(standings).map(|course| format!("; {}", course.progress()));
        let (format, state) = (self.plan.format(), &self.state);
        let left_out = match standings.games_left_out() {
            0 => String::new(),
            games => format!("{games} left out, "),
        };
        format!("{format}, {games}, {left_out}{state}{}", course.unwrap_or_default())
    }

    /// Who played no more, and what that left out, in a line each.
    fn absences(&self) -> Vec<String> {
        let out = self.standings.out().iter();
        let is_lost = self.standings.schedule().goes_by_results() && self.standings.games_left_out() == 0;
        let lost = if is_lost { "lost" } else { "left out" };
        out.map(|(&entrant, words)| {
            format!("{} is disqualified: it {words}; its games are {lost}", self.name_of(entrant))
        })
        .collect()
    }

    /// What is to be said of the results besides: games of unfinished pairs, and whose scale is known.
    fn notes(&self) -> Option<String> {
        let scale = self.standings.scale().map(|scale| format!("{}\n", scale.title(&self.standings)));
        let notes = [tables::unpaired(&self.standings), scale];
        let notes: String = notes.into_iter().flatten().collect();
        (!notes.is_empty()).then_some(notes)
    }

    /// What came of it, as tables with their headings.
    fn results(&self) -> Vec<(&'static str, Table)> {
        let standings = &self.standings;
        let course = CourseJson::of(standings);
        let crosstable =
            if standings.entrants().len() > 2 { Some(tables::crosstable(standings)) } else { None };
        let parts = [
            course.map(|course| ("Course", course.to_table())),
            Some(("Standings", tables::table(standings))),
            standings.scale().map(|scale| ("Known scale", scale.table(standings))),
            crosstable.map(|table| ("Crosstable", table)),
            Some(("Pairings", tables::pairings(standings))),
        ];
        parts.into_iter().flatten().filter(|(_, table)| !table.is_empty()).collect()
    }

    /// How it was played, as tables with their headings.
    fn conduct(&self) -> Vec<(&'static str, Table)> {
        let parts = [
            ("Endings", tables::endings_table(&self.standings)),
            ("Warnings about engine output", tables::search_warnings_table(&self.standings)),
            ("Speed", tables::speed(&self.standings)),
        ];
        parts.into_iter().filter(|(_, table)| !table.is_empty()).collect()
    }

    fn name_of(&self, entrant: usize) -> &str {
        self.standings.entrants().get(entrant).map_or("?", |tally| tally.name.as_str())
    }
}

/// All tables of numbers, with an empty line between them.
pub fn csv(report: &RunReport) -> String {
    let tables = [report.results(), report.conduct()].concat();
    tables.iter().map(|(_, table)| table.to_csv()).collect::<Vec<_>>().join("\r\n")
}
