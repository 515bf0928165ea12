//! Looks at a store: status, standings, ratings, games. Changes nothing; the run may go on meanwhile.

use std::path::Path;

use anyhow::Context;

use super::arguments::TableForm;
use super::exit::{Exit, OrRefuse, Refusal};
use super::output::{is_standard_output, print, write_json};
use super::play::{read_run, refuse_store};
use crate::pgn::PgnWriter;
use crate::standings::{Standings, json, report};
use crate::store::{Fault, Store};

fn open(path: &Path) -> Result<(Store, Standings), Refusal> {
    let store = Store::read(path).map_err(refuse_store)?;
    let prepared = read_run(&store)?;
    let mut standings = Standings::new(&prepared);
    store.for_each_game(|record| standings.add(&record)).map_err(refuse_store)?;
    Ok((store, standings))
}

/// The counts of a store.
pub(super) fn read_standings(path: &Path) -> Result<Standings, Refusal> {
    open(path).map(|(_, standings)| standings)
}

/// How much is told of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// What happened.
    Words,
    /// And the last lines of the conversation.
    Transcripts,
}

/// How far a run is, and what engines did wrong.
pub(super) fn status(path: &Path, detail: Detail) -> Result<Exit, Refusal> {
    let (store, standings) = open(path)?;
    let (finished, planned) = (standings.games_finished(), standings.games_planned());
    let mut text = format!("{finished} of {planned} games, {}\n", state(path, &standings));
    let name = |entrant: usize| standings.entrants().get(entrant).map_or("?", |tally| tally.name.as_str());
    for (entrant, own_name) in store.engines().map_err(refuse_store)? {
        text.push_str(&format!("  {}: {own_name}\n", name(entrant)));
    }
    text.push_str(&report::endings(&standings));
    let mut tell = |place: String, entrant: usize, words: &str, transcript: &[String]| {
        text.push_str(&format!("{place}: {} {words}\n", name(entrant)));
        if detail == Detail::Transcripts {
            transcript.iter().for_each(|line| text.push_str(&format!("    {line}\n")));
        }
    };
    let mut faults = Vec::new();
    store.for_each_fault(|fault| faults.push(fault)).map_err(refuse_store)?;
    for Fault { game, fault } in &faults {
        let place = game.map_or_else(|| "Between games".to_owned(), |number| format!("Game {}", number + 1));
        tell(place, fault.entrant, &fault.words, &fault.transcript);
    }
    print(&printable(&text))?;
    Ok(Exit::Done)
}

/// Engines say what they like; no terminal command may pass.
fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() && letter != '\n' { ' ' } else { letter }).collect()
}

fn state(path: &Path, standings: &Standings) -> String {
    if Store::is_in_use(path) {
        return "running".to_owned();
    }
    if standings.test().is_some_and(|test| test.verdict != smalt_stats::Verdict::Continue) {
        return "decided".to_owned();
    }
    if standings.games_finished() >= u64::from(standings.games_planned()) {
        return "finished".to_owned();
    }
    format!("stopped; go on with: smalt-tournament resume {}", path.display())
}

/// The tables of a run.
pub(super) fn standings(path: &Path, json: Option<&Path>, form: TableForm) -> Result<Exit, Refusal> {
    let (_, standings) = open(path)?;
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

/// The games.
pub(super) fn export(path: &Path, output: Option<&Path>) -> Result<Exit, Refusal> {
    let store = Store::read(path).map_err(refuse_store)?;
    let prepared = read_run(&store)?;
    let writer = PgnWriter::new(&prepared.plan);
    let mut games = String::new();
    store.for_each_game(|record| games.push_str(&writer.write(&record))).map_err(refuse_store)?;
    match output {
        Some(file) => {
            std::fs::write(file, games).with_context(|| format!("write {}", file.display())).or_failed()?
        }
        None => print(&games)?,
    }
    Ok(Exit::Done)
}
