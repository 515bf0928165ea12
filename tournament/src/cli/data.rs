//! The training data file of a run, made from its store.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use smalt_report::{Cell, Column, ColumnKind, Table};

use super::exit::{OrRefuse, Refusal};
use super::output::{check_data_target, inform};
use super::stored_run::refuse_store;
use crate::export::{DataReport, DataWriter};
use smalt_match::game::GameRecord;
use smalt_match::named_file::numbered;
use smalt_match::plan::{DataFile, Plan};
use smalt_match::store::Store;
use smalt_workbench::engine_files::sha256;

/// Writes the training data of a run that has ended or stopped, if requested; returns a message. A file from
/// elsewhere is kept, and the data are written beside it.
pub(super) fn write_run_data(plan: &Plan, store: &Path) -> Result<Option<String>, Refusal> {
    let file = plan.settings.data.output(plan.settings.run.seed).or_usage()?;
    let Some(mut file) = file else { return Ok(None) };
    let store = Store::resume(store).map_err(refuse_store)?;
    let last = store.data_digest().map_err(refuse_store)?;
    let digest = |path: &Path| File::open(path).and_then(|mut file| sha256(&mut file));
    let is_free = |path: &PathBuf| match std::fs::metadata(path) {
        Ok(found) => found.len() == 0 || last.is_some() && digest(path).ok() == last,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    let wanted = file.path.clone();
    if !is_free(&wanted) {
        let beside = (2..).map(|number| numbered(&wanted, number)).find(is_free);
        file.path = beside.expect("some number is free");
        inform(&format!(
            "Warning: {} is not the file that this run wrote, and is kept: the data are written to {}",
            wanted.display(),
            file.path.display()
        ));
    }
    let path = file.path.clone();
    let report = write_data(&store, plan, file, |_| true)?;
    let written = digest(&path).with_context(|| format!("read {}", path.display())).or_failed()?;
    store.set_data_digest(&written).map_err(refuse_store)?;
    Ok(Some(report))
}

/// Writes the positions of the selected stored games; returns a message.
pub(super) fn write_data(
    store: &Store,
    plan: &Plan,
    file: DataFile,
    passes: impl Fn(&GameRecord) -> bool,
) -> Result<String, Refusal> {
    check_data_target(&file.path)?;
    let shown = file.path.display().to_string();
    let format = file.format;
    let failed = || format!("write {shown}");
    let mut writer = DataWriter::create(file).with_context(failed).or_failed()?;
    let mut written = Ok(());
    let each = |record: GameRecord| {
        if written.is_ok() && passes(&record) {
            written = writer.push(&record);
        }
    };
    store.for_each_game(each).map_err(refuse_store)?;
    let names: Vec<String> = plan.entrants.iter().map(|entrant| entrant.name.clone()).collect();
    let report = written.and_then(|()| writer.finish(&names)).with_context(failed).or_failed()?;
    Ok(format!("{}\nwritten to {shown}: {}\n", table(&report), format.name()))
}

fn table(report: &DataReport) -> String {
    let mut table =
        Table::new([Column::new("training data", ColumnKind::Text), Column::new("", ColumnKind::Integer)]);
    let mut row = |words: &str, count: u64| table.push([Cell::from(words), Cell::from(count)]);
    row("games", report.games);
    for (words, count) in ["won by White", "drawn", "won by Black"].into_iter().zip(report.results) {
        row(&format!("games {words}"), count);
    }
    if report.skipped_games > 0 {
        row("games skipped: lost by a fault", report.skipped_games);
    }
    for (reason, count) in report.dropped.iter().filter(|(_, count)| *count > 0) {
        row(&format!("positions skipped: {}", reason.name()), count);
    }
    for (unfit, count) in report.unfit.iter() {
        row(&format!("positions skipped: {unfit}"), count);
    }
    row("positions written", report.written.positions);
    let seconds = report.play_time.as_secs_f64();
    if seconds > 0.0 {
        row("positions written per second of play", (report.written.positions as f64 / seconds) as u64);
    }
    table.to_text()
}
