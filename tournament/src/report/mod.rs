//! Report of a run on one page: settings, results, faults, and highlighted games. [`html`] formats it with charts,
//! [`markdown`] briefly for a pull request, [`csv`] for spreadsheets. All take a [`RunReport`].

mod highlights;
pub(crate) mod html;
mod list;
pub(crate) mod markdown;
mod settings;

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use smalt_report::Table;

use crate::plot::Figures;
pub(crate) use highlights::Highlights;
pub(crate) use list::GameList;
pub(crate) use settings::{adjudication, openings};
use smalt_match::plan::Plan;
use smalt_match::standings::{ProgressJson, Standings, report as tables};
use smalt_match::store::StoredFault;

/// Leading columns of the tables, in the order of the live page. A phone shows the first few without scrolling.
const COLUMNS: [&str; 13] = [
    "#", "engine", "pairing", "rating", "elo", "points", "games", "wins", "draws", "losses", "W-D-L", "los",
    "faults",
];

/// Maximum number of faults shown with the engine's last lines.
const FAULTS_SHOWN: usize = 50;

/// Data of a report.
#[derive(Clone, Debug)]
pub(crate) struct RunReport {
    pub plan: Plan,
    pub standings: Standings,
    /// Data of the charts.
    pub figures: Figures,
    /// State of the run: `finished`, `running`, …
    pub state: String,
    /// Start of the run.
    pub begun: SystemTime,
    /// Time from the start of the first game to the end of the last; `None` without games.
    pub length: Option<Duration>,
    /// Reported engine names, by entrant.
    pub programs: BTreeMap<usize, String>,
    /// Faults of the engines.
    pub faults: Faults,
    pub games: GameList,
    /// Games shown with curves.
    pub highlights: Highlights,
}

/// The first faults with their transcripts, and the total number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults {
    first: Vec<StoredFault>,
    count: usize,
}

impl Faults {
    /// Adds a fault; beyond the maximum it is only counted.
    pub(crate) fn add(&mut self, fault: StoredFault) {
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
    /// Summary in one line: `gauntlet, 24 of 24 games, finished`.
    fn summary(&self) -> String {
        let standings = &self.standings;
        let games = tables::games(standings);
        let course = ProgressJson::of(standings).map(|course| format!("; {}", course.progress()));
        let (format, state) = (self.plan.format(), &self.state);
        let skipped = match standings.games_skipped() {
            0 => String::new(),
            games => format!("{games} skipped, "),
        };
        format!("{format}, {games}, {skipped}{state}{}", course.unwrap_or_default())
    }

    /// Disqualified entrants and their games, one line each.
    fn absences(&self) -> Vec<String> {
        let out = self.standings.disqualified().iter();
        let is_lost = self.standings.schedule().goes_by_results() && self.standings.games_skipped() == 0;
        let lost = if is_lost { "lost" } else { "skipped" };
        out.map(|(&entrant, words)| {
            format!("{}; its games are {lost}", tables::absence(self.name_of(entrant), words))
        })
        .collect()
    }

    /// Notes on the results: unfinished pairs, and the scale of ratings.
    fn notes(&self) -> Option<String> {
        let scale = self.standings.scale().map(|scale| format!("{}\n", scale.title(&self.standings)));
        let notes = [tables::unpaired(&self.standings), scale];
        let notes: String = notes.into_iter().flatten().collect();
        (!notes.is_empty()).then_some(notes)
    }

    /// Tables of results with their headings.
    fn results(&self) -> Vec<(&'static str, Table)> {
        let standings = &self.standings;
        let course = ProgressJson::of(standings);
        let crosstable =
            if standings.entrants().len() > 2 { Some(tables::crosstable(standings)) } else { None };
        let parts = [
            course.map(|course| ("Progress", course.to_table())),
            Some(("Standings", tables::table(standings))),
            standings.scale().map(|scale| ("Known scale", scale.table(standings))),
            crosstable.map(|table| ("Crosstable", table)),
            Some(("Pairings", tables::pairings(standings))),
        ];
        parts.into_iter().flatten().filter(|(_, table)| !table.is_empty()).collect()
    }

    /// Tables of terminations, faults and speed with their headings.
    fn conduct(&self) -> Vec<(&'static str, Table)> {
        let parts = [
            ("Terminations", tables::terminations_table(&self.standings)),
            ("Warnings about engine output", tables::search_warnings_table(&self.standings)),
            ("Speed", tables::speed(&self.standings)),
        ];
        parts.into_iter().filter(|(_, table)| !table.is_empty()).collect()
    }

    fn name_of(&self, entrant: usize) -> &str {
        self.standings.entrants().get(entrant).map_or("?", |tally| tally.name.as_str())
    }
}

/// All tables as CSV, separated by empty lines.
pub(crate) fn csv(report: &RunReport) -> String {
    let tables = [report.results(), report.conduct()].concat();
    tables.iter().map(|(_, table)| table.to_csv()).collect::<Vec<_>>().join("\r\n")
}
