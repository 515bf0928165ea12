//! Progress of a job from the store of its run: games, test, faults. Changes nothing.

use std::path::Path;

use smalt_match::plan::{Plan, PlanError, Settings};
use smalt_match::setup::Prepared;
use smalt_match::standings::ProgressJson;
use smalt_match::standings::{MachineResults, Standings, report};
use smalt_match::store::{Store, StoreError};
use smalt_workbench::entrant::{FileError, Registry};

/// Progress of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobProgress {
    /// Games and test, in a line.
    pub line: String,
    /// Why its result is in doubt: faults of its engines, or a machine with other results; empty if nothing is.
    pub faults: String,
}

/// Why the progress is unknown.
#[derive(Debug, thiserror::Error)]
pub enum ProgressError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its plan cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// Its plan is invalid.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

impl JobProgress {
    /// Reads a store, which may be in use.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn read(store: &Path) -> Result<JobProgress, ProgressError> {
        let store = Store::read(store)?;
        let layer = Settings::parse_layer(&store.run()?.plan, &store.path().display().to_string())?;
        let prepared = Prepared::without_openings(Plan::of_layers(layer, &Registry::default())?);
        let mut standings = Standings::new(&prepared);
        standings.add_all(&store)?;
        let mut faults: Vec<String> = standings.entrants().iter().filter_map(report::faults_of).collect();
        for (machine, residual) in MachineResults::read(&store)?.different() {
            let (chi_square, p) = (residual.chi_square, residual.p);
            faults.push(format!(
                "{machine} differs from the other machines (chi-square {chi_square:.1}, p = {p:.1e})"
            ));
        }
        Ok(JobProgress { line: line(&standings), faults: faults.join("; ") })
    }
}

fn line(standings: &Standings) -> String {
    let games = report::games(standings);
    if let Some(test) = standings.test() {
        return format!("{games}, LLR {}", report::llr(&test));
    }
    match ProgressJson::of(standings) {
        Some(course) => format!("{games}; {}", course.progress()),
        None => games,
    }
}
