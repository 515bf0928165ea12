//! The history of an engine's builds: suite and game results of each, in one file.
//!
//! The file is TOML with one table per build, kept in git beside the code: changes can be reviewed, merged and
//! corrected by hand. Rows are appended as text, so that other content is kept.

mod gauntlet;
mod ratings;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smalt_report::{Cell, Column, ColumnKind, Interval, Sign, Table};

use crate::record::{Record, percent};

pub(crate) use gauntlet::{elo_of, results_of};
pub(crate) use ratings::ratings_of;

/// The builds, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct History {
    /// One table per build, oldest first.
    #[serde(default, rename = "build")]
    pub builds: Vec<Build>,
}

/// A build and its results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Build {
    /// Date of measurement, e.g. `2026-11-21`.
    pub date: String,
    /// Commit of the build.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Version of the engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// What is new in the build.
    pub feature: String,
    /// Name in tournaments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entrant: Option<String>,
    /// Category, e.g. `search`, `evaluation` or `speed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Limit of a position, e.g. `nodes 20000`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// WAC positions solved, of 300.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wac: Option<u32>,
    /// STS points, of 15,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sts: Option<u32>,
    /// Nodes of its bench: a signature of its search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bench_nodes: Option<u64>,
    /// Nodes per second of its bench.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bench_nps: Option<u64>,
    /// Rating, or difference to a reference engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elo: Option<f64>,
    /// Half-width of its 95% interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elo_error: Option<f64>,
    /// Lower end of that interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elo_low: Option<f64>,
    /// Upper end of that interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elo_high: Option<f64>,
    /// Scores on other suites, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub suites: BTreeMap<String, SuiteScore>,
}

/// Score of a build on a suite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SuiteScore {
    /// Number of solved positions.
    pub solved: usize,
    /// Number of positions of the suite.
    pub positions: usize,
    /// Sum of points.
    pub points: u64,
    /// Most points that could be scored.
    pub max_points: u64,
    /// Rating from puzzles, in Elo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<f64>,
}

impl SuiteScore {
    /// Points in percent of the maximum.
    pub(crate) fn percent(self) -> f64 {
        percent(self.points, self.max_points)
    }
}

/// Why a file is not a history.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {message}", .line.map(|line| format!(", line {line}")).unwrap_or_default())]
pub struct HistoryError {
    file: String,
    line: Option<usize>,
    message: String,
}

impl History {
    /// Parses a file; `file` is the name in errors.
    ///
    /// # Errors
    /// If it is not TOML, has an unknown key, or lacks one.
    pub fn parse(text: &str, file: &str) -> Result<History, HistoryError> {
        toml::from_str(text).map_err(|error: toml::de::Error| HistoryError {
            file: file.to_owned(),
            line: error.span().map(|span| 1 + text[..span.start].matches('\n').count()),
            message: ["usize", "u64"].iter().fold(error.message().to_owned(), |message, kind| {
                message.replace(&format!("expected {kind}"), "expected a whole number")
            }),
        })
    }

    /// Suites other than WAC and STS on which any build was scored, in alphabetical order.
    pub(crate) fn suites(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.builds.iter().flat_map(|build| build.suites.keys()).map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The improvement table: each build with its gain over the previous one, in Elo if both have it.
    pub(crate) fn table(&self) -> Table {
        let suites = self.suites();
        let mut columns = vec![
            Column::new("Feature", ColumnKind::Text),
            Column::new("Category", ColumnKind::Text),
            Column::new("Date", ColumnKind::Text),
            Column::new("Commit", ColumnKind::Text),
            Column::new("WAC", ColumnKind::Integer),
            Column::new("STS", ColumnKind::Integer),
        ];
        columns.extend(suites.iter().map(|suite| Column::new(format!("{suite} %"), ColumnKind::Percent(1))));
        columns.push(Column::new("Elo", ColumnKind::Interval(0, Sign::Negative)));
        columns.push(Column::new("Improvement", ColumnKind::Estimate(0, Sign::Both)));
        let mut table = Table::new(columns);
        for (index, build) in self.builds.iter().enumerate() {
            let before = self.builds[..index].iter().rfind(|earlier| earlier.elo.is_some());
            let mut row: Vec<Cell> = vec![
                build.feature.as_str().into(),
                build.category.clone().into(),
                build.date.as_str().into(),
                build.short_commit().into(),
                build.wac.map(u64::from).into(),
                build.sts.map(u64::from).into(),
            ];
            row.extend(suites.iter().map(|&suite| {
                build.suites.get(suite).map_or(Cell::Missing, |score| (score.percent() / 100.0).into())
            }));
            row.push(build.elo.map_or(Cell::Missing, |_| build.elo_interval().into()));
            row.push(improvement(before, build));
            table.push(row);
        }
        table
    }

    /// Limits and speed of each build.
    pub(crate) fn measurements(&self) -> Table {
        let mut table = Table::new([
            Column::new("Feature", ColumnKind::Text),
            Column::new("Commit", ColumnKind::Text),
            Column::new("Version", ColumnKind::Text),
            Column::new("Suites at", ColumnKind::Text),
            Column::new("Bench nodes", ColumnKind::Integer),
            Column::new("Nodes/s", ColumnKind::Integer),
        ]);
        for build in &self.builds {
            table.push([
                build.feature.as_str().into(),
                build.short_commit().into(),
                build.version.clone().into(),
                build.limit.clone().into(),
                build.bench_nodes.into(),
                build.bench_nps.into(),
            ]);
        }
        table
    }
}

impl From<&Record> for SuiteScore {
    fn from(record: &Record) -> SuiteScore {
        let Record { solved, positions, points, max_points, rating, .. } = *record;
        SuiteScore { solved, positions, points, max_points, rating }
    }
}

/// The gain in Elo. Errors of independent measurements add in squares.
fn improvement(before: Option<&Build>, build: &Build) -> Cell {
    let Some((before, (old, new))) = before.and_then(|before| Some((before, before.elo.zip(build.elo)?)))
    else {
        return Cell::Missing;
    };
    let error = before.elo_error.zip(build.elo_error).map(|(old, new)| old.hypot(new));
    Cell::Estimate(new - old, error)
}

impl Build {
    fn elo_interval(&self) -> Interval {
        Interval { value: self.elo, error: self.elo_error, low: self.elo_low, high: self.elo_high }
    }

    /// Sets the Elo with its interval.
    pub(crate) fn set_elo(&mut self, Interval { value, error, low, high }: Interval) {
        (self.elo, self.elo_error, self.elo_low, self.elo_high) = (value, error, low, high);
    }

    fn short_commit(&self) -> Option<String> {
        self.commit.as_deref().map(|commit| commit.chars().take(9).collect())
    }

    /// The build as TOML to append to a file.
    pub(crate) fn to_toml(&self) -> String {
        let one = History { builds: vec![self.clone()] };
        toml::to_string(&one).expect("a build has only texts and numbers")
    }

    /// Adds the results of suite runs; the engine's reported name is its version, unless one is known.
    pub(crate) fn take(&mut self, records: &[Record]) {
        for record in records {
            match record.suite.as_str() {
                "wac" => self.wac = u32::try_from(record.solved).ok(),
                "sts" => self.sts = u32::try_from(record.points).ok(),
                suite => {
                    self.suites.insert(suite.to_owned(), SuiteScore::from(record));
                }
            }
            self.limit.clone_from(&record.limit);
            self.version = self.version.take().or_else(|| record.engine_id.clone());
        }
    }
}
