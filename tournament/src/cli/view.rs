//! `standings`: prints the tables of a store; the run may be in progress.

use std::path::Path;
use std::sync::Arc;

use anyhow::anyhow;
use smalt_driver::nearest::nearest;

use super::exit::{Exit, Refusal};
use super::output::{is_standard_output, print, write_json};
use super::stored_run::{read_played_run, read_run, refuse_store};
use crate::plot::openings::{OpeningNames, OpeningTally};
use smalt_match::game::GameRecord;
use smalt_match::opening::Openings;
use smalt_match::plan::Plan;
use smalt_match::standings::{Standings, json, report};
use smalt_match::store::Store;

/// The counts of a store.
pub(super) fn read_standings(path: &Path) -> Result<Standings, Refusal> {
    let store = Store::read(path).map_err(refuse_store)?;
    count(&store)
}

/// The counts of an open store.
pub(super) fn count(store: &Store) -> Result<Standings, Refusal> {
    let mut standings = Standings::new(&read_run(store)?);
    standings.add_all(store).map_err(refuse_store)?;
    Ok(standings)
}

/// A loaded store with its standings.
pub(super) struct LoadedRun {
    pub(super) store: Store,
    pub(super) plan: Plan,
    pub(super) names: Vec<String>,
    pub(super) standings: Standings,
    pub(super) openings: OpeningTally,
}

impl LoadedRun {
    /// Reads all games and calls `each` with every game, its entrants' names and its opening's name. Opening names
    /// come from the book if it is still readable.
    pub(super) fn read(
        path: &Path,
        mut each: impl FnMut(&GameRecord, &[String], &str),
    ) -> Result<LoadedRun, Refusal> {
        let store = Store::read(path).map_err(refuse_store)?;
        let prepared = read_run(&store)?;
        let book: Arc<Openings> = read_played_run(&store).map(|played| played.openings).unwrap_or_default();
        let mut standings = Standings::new(&prepared);
        let names: Vec<String> = prepared.plan.entrants.iter().map(|entrant| entrant.name.clone()).collect();
        let (mut known, mut openings) = (OpeningNames::default(), OpeningTally::default());
        store
            .for_each_game(|record| {
                standings.add(&record);
                let opening = known.of_record(&record, &book);
                openings.add([record.game.white, record.game.black], &opening, record.white_outcome());
                each(&record, &names, &opening);
            })
            .map_err(refuse_store)?;
        standings.add_between_games(&store).map_err(refuse_store)?;
        Ok(LoadedRun { store, plan: prepared.plan, names, standings, openings })
    }
}

/// Index of a name in a list; the error suggests the closest name.
pub(super) fn place_of(name: &str, names: &[String]) -> anyhow::Result<usize> {
    names.iter().position(|other| other == name).ok_or_else(|| {
        let hint = nearest(name, names.iter().map(String::as_str));
        let hint = hint.map(|hint| format!(" (did you mean {hint:?}?)")).unwrap_or_default();
        anyhow!("no engine of the run is called {name:?}{hint}")
    })
}

/// Format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum TableForm {
    /// Aligned columns, with all other tables
    Text,
    /// For pull requests
    Markdown,
    /// For spreadsheets
    Csv,
}

/// The tables of a run.
pub(super) fn standings(path: &Path, json: Option<&Path>, form: TableForm) -> Result<Exit, Refusal> {
    let standings = read_standings(path)?;
    if let Some(file) = json {
        write_json(file, &json::ResultsJson::of(&standings))?;
        if is_standard_output(file) {
            return Ok(Exit::Done);
        }
    }
    print(&match form {
        TableForm::Text => report::full(&standings),
        TableForm::Markdown => report::table(&standings).to_markdown(),
        TableForm::Csv => report::table(&standings).to_csv(),
    })?;
    Ok(Exit::Done)
}
