//! `history`: a row a build, and the table that they make.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, anyhow};
use smalt_driver::entrant::BUILTIN;

use super::arguments::{HistoryAddFlags, HistoryCommand, LONGEST_MOVE, OutputFlags, ScoreFlags};
use super::exit::{Exit, OrRefuse, Refusal};
use super::output::{self, People};
use super::{Builtin, score};
use crate::history::{Build, Date, History, current_commit, elo_of};
use crate::record::{Record, from_json};

pub(super) fn history(command: &HistoryCommand, builtin: Builtin) -> Result<Exit, Refusal> {
    match command {
        HistoryCommand::Add(flags) => add(flags, builtin),
        HistoryCommand::Show { file, markdown } => {
            let table = read(file)?.table();
            People::beside(markdown.as_deref()).show(&table.to_text())?;
            if let Some(path) = markdown {
                output::write(path, &table.to_markdown())?;
            }
            Ok(Exit::Done)
        }
    }
}

fn read(file: &Path) -> Result<History, Refusal> {
    let text = output::read(file)?;
    History::parse(&String::from_utf8_lossy(&text), &file.display().to_string()).or_usage()
}

fn add(flags: &HistoryAddFlags, builtin: Builtin) -> Result<Exit, Refusal> {
    if flags.file.exists() {
        read(&flags.file)?;
    }
    let is_builtin = flags.engine == BUILTIN;
    let own_version = is_builtin.then(|| builtin.version.to_owned());
    let folder = std::env::current_dir().context("failed to find the current folder").or_failed()?;
    let mut build = Build {
        date: flags.date.clone().unwrap_or_else(|| Date::today().to_string()),
        commit: flags.commit.clone().or_else(|| current_commit(&folder)),
        version: flags.version.clone().or(own_version),
        feature: flags.feature.clone(),
        category: flags.category.clone(),
        elo: flags.elo,
        elo_error: flags.elo_error,
        ..Build::default()
    };
    if let Some(file) = &flags.gauntlet {
        let text = output::read(file)?;
        let text = String::from_utf8_lossy(&text);
        (build.elo, build.elo_error) =
            elo_of(&flags.entrant, &text, &file.display().to_string()).or_usage()?;
    }
    let (exit, records) = records(flags)?;
    if exit == Exit::Interrupted {
        return Ok(exit);
    }
    build.take(&records);
    if build.wac.is_none() && build.sts.is_none() {
        return Err(anyhow!("the results hold neither wac nor sts")).or_usage();
    }
    if is_builtin {
        let (nodes, speed) = (builtin.bench)();
        (build.bench_nodes, build.bench_nps) = (Some(nodes), Some(speed));
    }
    append(&flags.file, &build)?;
    output::print(&read(&flags.file)?.table().to_text())?;
    Ok(exit)
}

/// Runs of WAC and STS: those that were given, or new ones.
fn records(flags: &HistoryAddFlags) -> Result<(Exit, Vec<Record>), Refusal> {
    if flags.results.is_empty() {
        return score::score(&ScoreFlags {
            suites: vec!["wac".to_owned(), "sts".to_owned()],
            engines: vec![flags.engine.clone()],
            each: None,
            registry: None,
            movetime: Some(flags.movetime),
            nodes: None,
            depth: None,
            concurrency: flags.concurrency,
            keep_hash: false,
            early_stop: None,
            longest_move: LONGEST_MOVE,
            output: OutputFlags { quiet: flags.quiet, ..OutputFlags::default() },
        });
    }
    let mut records = Vec::new();
    for file in &flags.results {
        let text = output::read(file)?;
        records.extend(from_json(&String::from_utf8_lossy(&text), &file.display().to_string()).or_usage()?);
    }
    Ok((Exit::Done, records))
}

/// Appends a row; what stands in the file already stays as it is.
fn append(file: &Path, build: &Build) -> Result<(), Refusal> {
    let separator = if file.exists() { "\n" } else { "" };
    let text = format!("{separator}{}", build.to_toml());
    let opened = std::fs::OpenOptions::new().create(true).append(true).open(file);
    opened
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .with_context(|| format!("failed to write {}", file.display()))
        .or_failed()
}
