//! Looks at a store: its tables. Changes nothing; the run may go on meanwhile.

use std::path::Path;

use super::arguments::TableForm;
use super::exit::{Exit, Refusal};
use super::output::{is_standard_output, print, write_json};
use super::play::{read_run, refuse_store};
use crate::standings::{Standings, json, report};
use crate::store::Store;

/// The counts of a store.
pub(super) fn read_standings(path: &Path) -> Result<Standings, Refusal> {
    let store = Store::read(path).map_err(refuse_store)?;
    let mut standings = Standings::new(&read_run(&store)?);
    store.for_each_game(|record| standings.add(&record)).map_err(refuse_store)?;
    Ok(standings)
}

/// Engines say what they like; no terminal command may pass.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() && letter != '\n' { ' ' } else { letter }).collect()
}

/// The tables of a run.
pub(super) fn standings(path: &Path, json: Option<&Path>, form: TableForm) -> Result<Exit, Refusal> {
    let standings = read_standings(path)?;
    if let Some(file) = json {
        write_json(file, &json::Results::of(&standings))?;
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
