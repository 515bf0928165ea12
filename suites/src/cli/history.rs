//! `history`: adds a row for each build, and prints the table.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use smalt_driver::process::Interrupt;
use smalt_report::sanitize::sanitize_lines;
use smalt_workbench::entrant::BUILTIN;

use super::arguments::{
    GRACE_MS, HistoryAddFlags, HistoryCommand, HistoryFlags, HistoryShowFlags, LONGEST_MOVE, OutputFlags,
    ScoreFlags,
};
use super::exit::{Exit, OrRefuse, Refusal};
use super::output::{self, OutputFiles, TextSink};
use super::{Builtin, intent, score};
use crate::bench::{BenchError, bench};
use crate::history::{Build, History, elo_of, ratings_of, results_of};
use crate::plan::{Program, SuiteEntrant};
use crate::record::Record;
use crate::report::{ReportStyle, history_plot, history_report};
use smalt_workbench::calendar::Date;
use smalt_workbench::checkout::current_commit;
use smalt_workbench::json::{Versioned, to_text};
use smalt_workbench::output_file::check_apart;
use smalt_workbench::program::start_reaper;

pub(super) fn history(flags: &HistoryFlags, builtin: Builtin) -> Result<Exit, Refusal> {
    match &flags.command {
        None => show(&flags.show),
        Some(HistoryCommand::Show(flags)) => show(flags),
        Some(HistoryCommand::Add(flags)) => add(flags, builtin),
    }
}

/// Prints Markdown on standard output, or text if Markdown goes to a file.
fn show(flags: &HistoryShowFlags) -> Result<Exit, Refusal> {
    let mut history = read(&flags.file)?;
    let files = [&flags.markdown, &flags.result.json, &flags.plot];
    let files: Vec<&Path> = files.into_iter().flatten().map(AsRef::as_ref).collect();
    check_apart(&files, [flags.file.as_path()]).or_usage()?;
    let mut outputs = OutputFiles::check(&files, flags.result.force)?;
    if !flags.ratings.is_empty() {
        let missing = history.apply_ratings(&ratings_of(&flags.ratings).or_usage()?);
        if !missing.is_empty() {
            output::print_info(&format!("not rated in these games: {}", missing.join(", ")));
        }
    }
    let style = if flags.markdown.is_some() { ReportStyle::Text } else { ReportStyle::Markdown };
    let people = TextSink::beside(files);
    people.show(&history_report(&history, style))?;
    if let Some(path) = &flags.markdown {
        outputs.write(path, &history_report(&history, ReportStyle::Markdown))?;
    }
    if let Some(path) = &flags.result.json {
        outputs.write(path, &to_text(&Versioned::of(&history)))?;
    }
    if let Some(path) = &flags.plot {
        outputs.write(path, &history_plot(&history).or_usage()?)?;
    }
    outputs.check_unchanged()?;
    Ok(Exit::Done)
}

fn read(file: &Path) -> Result<History, Refusal> {
    if !file.exists() {
        return Err(anyhow!("there is no history {}: history add begins one", file.display())).or_usage();
    }
    let text = output::read(file)?;
    History::parse(&String::from_utf8_lossy(&text), &file.display().to_string()).or_usage()
}

fn add(flags: &HistoryAddFlags, builtin: Builtin) -> Result<Exit, Refusal> {
    if flags.file.exists() {
        read(&flags.file)?;
    }
    let scoring = scoring(flags);
    let plan = intent::plan(&scoring, builtin)?;
    let [entrant] = plan.entrants.as_slice() else { unreachable!("one engine was given") };
    let earlier = earlier_results(flags, &entrant.name)?;
    let other = earlier.iter().map(|record| &record.engine).find(|engine| **engine != entrant.name);
    let is_builtin = entrant.program == Program::Builtin && other.is_none();
    let own_version = is_builtin.then_some(builtin.version);
    if let Some(other) = other.filter(|_| !flags.no_bench) {
        let own = &entrant.name;
        let words = format!("the results are those of {other}, and the bench would be that of {own}");
        return Err(anyhow!("{words}: give --engine, or --no-bench")).or_usage();
    }
    let mut build = described(flags, entrant, own_version)?;
    let (exit, records) =
        if earlier.is_empty() { score::score(&scoring, builtin)? } else { (Exit::Done, earlier) };
    if exit == Exit::Interrupted {
        return Ok(exit);
    }
    build.take(&records);
    if !flags.no_bench {
        match measure(flags, entrant, plan.longest_move, builtin) {
            Ok((nodes, speed)) => (build.bench_nodes, build.bench_nps) = (Some(nodes), Some(speed)),
            Err(BenchError::Interrupted) => return Ok(Exit::Interrupted),
            Err(error) => return Err(anyhow!("failed to {error}; --no-bench leaves it out")).or_failed(),
        }
    }
    append(&flags.file, &build)?;
    output::print(&sanitize_lines(&history_report(&read(&flags.file)?, ReportStyle::Markdown)))?;
    Ok(exit)
}

/// Data of a build before measurements.
fn described(
    flags: &HistoryAddFlags,
    entrant: &SuiteEntrant,
    own_version: Option<&str>,
) -> Result<Build, Refusal> {
    let folder = std::env::current_dir().context("failed to find the current folder").or_failed()?;
    let mut build = Build {
        date: day(flags.date.as_deref())?.to_string(),
        commit: flags.commit.clone().or_else(|| current_commit(&folder)),
        version: flags.version.clone().or(own_version.map(str::to_owned)),
        feature: flags.feature.clone(),
        category: flags.category.clone(),
        entrant: flags.gauntlet_name.clone(),
        elo: flags.elo,
        elo_error: flags.elo_error,
        ..Build::default()
    };
    if let Some(file) = &flags.gauntlet {
        let text = results_of(&output::read(file)?, file).or_usage()?;
        let name = flags.gauntlet_name.as_ref().unwrap_or(&entrant.name);
        build.set_elo(elo_of(name, &text, &file.display().to_string()).or_usage()?);
        build.entrant = Some(name.clone());
        if build.elo.is_none() {
            output::print_info(&format!("{} has no Elo for {name} yet: the row has none", file.display()));
        }
    }
    Ok(build)
}

/// The given day, or today.
fn day(given: Option<&str>) -> Result<Date, Refusal> {
    let Some(text) = given else { return Ok(Date::today()) };
    Date::parse(text)
        .ok_or_else(|| anyhow!("--date {text}: there is no such day; expected a date like 2026-11-21"))
        .or_usage()
}

/// The flags of `score` that measure a build.
fn scoring(flags: &HistoryAddFlags) -> ScoreFlags {
    ScoreFlags {
        suites: flags.suites.clone(),
        engines: vec![flags.engine.clone().unwrap_or_else(|| BUILTIN.to_owned())],
        each: None,
        registry: flags.registry.clone(),
        search: flags.search.clone(),
        keep_hash: false,
        grace: GRACE_MS,
        early_stop: None,
        resume: None,
        allow_mixed: false,
        longest_move: LONGEST_MOVE,
        syzygy: None,
        output: OutputFlags { quiet: flags.quiet, result: flags.result.clone(), ..OutputFlags::default() },
    }
}

/// Suite runs in the files of `--results`; empty without that flag.
fn earlier_results(flags: &HistoryAddFlags, engine: &str) -> Result<Vec<Record>, Refusal> {
    let mut records = Vec::new();
    if flags.results.is_empty() {
        return Ok(records);
    }
    for file in &flags.results {
        records.extend(output::read_records(file)?);
    }
    let mut wanted = Vec::new();
    for suite in &flags.suites {
        wanted.push(intent::suite(suite)?.name);
    }
    records.retain(|record| wanted.contains(&record.suite));
    let wanted = wanted.join(" or ");
    let present: BTreeSet<String> = records.iter().map(|record| record.engine.clone()).collect();
    if flags.engine.is_some() || present.len() != 1 {
        records.retain(|record| record.engine == engine);
    }
    if present.is_empty() {
        return Err(anyhow!("the results have none of {wanted} (--suites)")).or_usage();
    }
    if records.is_empty() {
        let present = present.into_iter().collect::<Vec<_>>().join(", ");
        let words =
            format!("no result of {engine} on {wanted}; there are those of {present} (--engine name=NAME)");
        return Err(anyhow!(words)).or_usage();
    }
    check_measured(&records).or_usage()?;
    Ok(records)
}

/// Checks that runs are complete, one per suite, with one limit.
fn check_measured(records: &[Record]) -> anyhow::Result<()> {
    for record in records {
        let suite = &record.suite;
        if record.unanswered > 0 {
            bail!("the run of {} on {suite} has no answer to {} positions", record.engine, record.unanswered);
        }
        if records.iter().filter(|other| other.suite == *suite).count() > 1 {
            bail!("there are several runs of {} on {suite}: give one", record.engine);
        }
        if record.limit != records[0].limit {
            let limits = [&records[0], record].map(|one| one.limit.clone().unwrap_or_default());
            bail!("{} was run with {}, and {suite} with {}", records[0].suite, limits[0], limits[1]);
        }
    }
    Ok(())
}

/// Nodes and speed: from the built-in engine's bench, or from this program's.
fn measure(
    flags: &HistoryAddFlags,
    entrant: &SuiteEntrant,
    longest_move: Duration,
    builtin: Builtin,
) -> Result<(u64, u64), BenchError> {
    if !flags.quiet {
        output::print_info(&format!("bench: {}", entrant.name));
    }
    if entrant.program == Program::Builtin {
        return Ok((builtin.bench)());
    }
    let failed = |error: std::io::Error| BenchError::Disqualified {
        name: entrant.name.clone(),
        words: format!("could not be watched: {error}"),
    };
    let interrupt = Interrupt::new().map_err(failed)?;
    score::raise_on_signals(&interrupt).map_err(failed)?;
    let result = bench(entrant, flags.bench_depth, longest_move, start_reaper(), &interrupt)?;
    Ok((result.nodes, result.nodes_per_second))
}

/// Appends a row; existing content is unchanged.
fn append(file: &Path, build: &Build) -> Result<(), Refusal> {
    let separator = if file.exists() { "\n" } else { "" };
    let text = format!("{separator}{}", build.to_toml());
    let opened = std::fs::OpenOptions::new().create(true).append(true).open(file);
    opened
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .with_context(|| format!("failed to write {}", file.display()))
        .or_failed()
}
