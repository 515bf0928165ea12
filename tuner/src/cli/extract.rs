//! The command `extract`: reads the rules from flags, exports the games of stores to PGN and prints the counts.
//! `crate::extract` selects the positions.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, anyhow};
use serde_json::{Value, json};
use smalt_dataset::format::Format;
use smalt_dataset::write::check_target;
use smalt_report::{Cell, Column, ColumnKind, Table};
use smalt_workbench::input::{SQLITE, begins_with};

use super::arguments::ExtractFlags;
use super::convert::report_written;
use super::json::ExtractJson;
use super::{Exit, OrRefuse, Outputs, Refusal, interrupt, print_info, show, with_threads};
use crate::extract::{ExtractError, ExtractReport, GameReason, NoisyPositions, Rules, extract};
use crate::games::{export, tournament_program};
use crate::progress::Progress;

pub(super) fn run(flags: &ExtractFlags) -> Result<Exit, Refusal> {
    let rules = rules(flags)?;
    let format = Format::of_output(&flags.output, flags.format).or_usage()?;
    let inputs = flags.games.iter().map(PathBuf::as_path);
    let outputs =
        Outputs::check([Some(&flags.output), flags.result.json.as_ref()], inputs, flags.result.force)?;
    check_output(&flags.output)?;
    check_target(&flags.output).with_context(|| format!("write {}", flags.output.display())).or_usage()?;
    let stop = interrupt()?;
    let folder = tempfile::tempdir().or_failed()?;
    let games = flags.games.iter().map(|file| games_of(file, folder.path(), &stop));
    let games = games.collect::<Result<Vec<_>, _>>()?;
    let progress = Progress::spinner("games");
    let result = with_threads(flags.threads, || {
        let mut show_progress = |report: &ExtractReport| progress.set_message(report.games.to_string());
        Ok(extract(&games, outputs.get(&flags.output)?, format, &rules, &stop, &mut show_progress))
    })?;
    progress.finish();
    let report = match result {
        Ok(report) => report,
        Err(error @ ExtractError::Interrupted) => {
            return Err(Refusal { exit: Exit::Interrupted, error: error.into() });
        }
        Err(error @ ExtractError::Open(_)) => return Err(error).or_usage(),
        Err(ExtractError::NoPositions { path, report }) => {
            show_bad_games(&report);
            print_info(page(&report).trim_end());
            return Err(ExtractError::NoPositions { path, report }).or_usage();
        }
        Err(error) => return Err(error).or_failed(),
    };
    show_bad_games(&report);
    report_written(&report.written, &report.unfit);
    let page = page(&report) + &format!("written to {}: {}\n", flags.output.display(), format.name());
    show(&page, flags.result.json.as_deref(), &outputs, || document(&report))?;
    Ok(if report.skipped_games() == 0 && report.unfit.iter().next().is_none() {
        Exit::Done
    } else {
        Exit::Skipped
    })
}

fn show_bad_games(report: &ExtractReport) {
    for bad in &report.bad_games {
        print_info(&format!("{}:{}: game skipped: {}: {}", bad.path, bad.line, bad.reason.name(), bad.words));
    }
}

/// The file itself, or the games of a store, exported into this folder by the tournament program.
fn games_of(file: &Path, folder: &Path, stop: &AtomicBool) -> Result<PathBuf, Refusal> {
    if !begins_with(file, SQLITE) {
        return Ok(file.to_owned());
    }
    let number = std::fs::read_dir(folder).or_failed()?.count();
    let mut name = file.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}.pgn"));
    let pgn = folder.join(name);
    let exported = export(&tournament_program(), file, &pgn, stop);
    exported.with_context(|| format!("read the store {}", file.display())).or_usage()?;
    Ok(pgn)
}

/// Refuses to write positions over games.
fn check_output(file: &Path) -> Result<(), Refusal> {
    let holds_games = begins_with(file, SQLITE) || begins_with(file, b"[Event ");
    if !holds_games {
        return Ok(());
    }
    Err(anyhow!("{}: it exists already and holds games; choose another name", file.display())).or_usage()
}

fn rules(flags: &ExtractFlags) -> Result<Rules, Refusal> {
    if let Some(balance) = flags.balance.filter(|balance| balance.is_nan() || *balance <= 0.0) {
        return Err(anyhow!("--balance {balance}: expected a number above 0")).or_usage();
    }
    Ok(Rules {
        opening_plies: flags.opening,
        last_plies: flags.last,
        per_game: flags.per_game,
        max_score: flags.max_score,
        unquiet: if flags.resolve { NoisyPositions::Resolve } else { NoisyPositions::Drop },
        balance: flags.balance,
        seed: flags.seed,
    })
}

fn page(report: &ExtractReport) -> String {
    let mut table = Table::new([
        Column::new("what became of them", ColumnKind::Text),
        Column::new("", ColumnKind::Integer),
    ]);
    let mut row = |words: &str, count: u64| table.push([Cell::from(words), Cell::from(count)]);
    row("games read", report.games);
    for reason in GameReason::ALL {
        match report.skipped[reason as usize] {
            0 => {}
            count => row(&format!("  skipped: {}", reason.name()), count),
        }
    }
    for (reason, count) in report.dropped.iter().filter(|(_, count)| *count > 0) {
        row(&format!("positions skipped: {}", reason.name()), count);
    }
    row("positions written", report.positions);
    row("their records, one for each game", report.records);
    let mut page = table.to_text();
    page.push_str("\npositions by phase, 24 (all pieces) to 0:\n");
    let counts: Vec<String> = report.phases.iter().rev().map(u64::to_string).collect();
    page.push_str(&counts.join(" "));
    page.push('\n');
    page
}

fn document(report: &ExtractReport) -> ExtractJson<'_> {
    let key = |reason: Value| reason.as_str().unwrap_or_default().to_owned();
    let skipped = GameReason::ALL.into_iter().map(|reason| (reason, report.skipped[reason as usize]));
    ExtractJson {
        games: report.games,
        used_games: report.used_games,
        positions: report.positions,
        records: report.records,
        skipped_games: skipped.map(|(reason, count)| (key(json!(reason)), count)).collect(),
        dropped_positions: report.dropped.iter().map(|(reason, count)| (key(json!(reason)), count)).collect(),
        phases: &report.phases,
        hash: format!("{:016x}", report.hash),
        bad_games: &report.bad_games,
    }
}
