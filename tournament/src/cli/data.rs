//! The file of training data of a run, made from its store.

use anyhow::Context;
use smalt_report::{Cell, Column, ColumnKind, Table};

use super::exit::{OrRefuse, Refusal};
use super::output::refuse_store_path;
use super::play::refuse_store;
use crate::export::{DataReport, DataWriter};
use smalt_match::game::GameRecord;
use smalt_match::plan::{DataFile, Plan};
use smalt_match::store::Store;

/// Writes the positions of the stored games that pass the filter; returns a table of the numbers.
pub(super) fn write_data(
    store: &Store,
    plan: &Plan,
    file: DataFile,
    passes: impl Fn(&GameRecord) -> bool,
) -> Result<String, Refusal> {
    refuse_store_path(&file.path)?;
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
    table.to_text()
}
