//! The command `trace`, and the traces of `texel` and `check`: starts engines, loads and verifies trace files.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::{Context, anyhow};
use smalt_workbench::concurrency::{Concurrent, cores, within_limits};
use smalt_workbench::flags::RegistryFlag;
use smalt_workbench::output_file::{Existing, Output, put_beside, resolved};

use super::arguments::{EngineFlags, TraceFlags};
use super::json::TraceJson;
use super::sources::SourceArgument;
use super::{Exit, NAMED_LINES, OrRefuse, Outputs, Refusal, Skipped, interrupt, open, print_info, show};
use crate::fit_data::FitData;
use crate::games::engine_command;
use crate::labels::{Kept, Split};
use crate::progress::Progress;
use crate::trace::collect::{CollectError, Collected, collect};
use crate::trace::file::{TraceFile, is_trace_file};
use crate::trace::header::Header;
use crate::trace::pipe::{EnginePool, PipeError};
use crate::trace::verify::{NAMED, Verification};
use crate::trace::{Loader, TraceRows};

/// Groups listed for a difference.
const NAMED_GROUPS: usize = 12;

pub(super) fn run(flags: &TraceFlags) -> Result<Exit, Refusal> {
    let outputs = Outputs::check(
        [flags.result.json.as_ref()],
        [flags.output.as_path(), &flags.positions],
        flags.result.force,
    )?;
    // Traces of the same positions are continued; other files are refused when opened.
    let output = Output::check(&flags.output, Existing::Replace).or_usage()?;
    if flags.output.exists() && resolved(&flags.output) == resolved(&flags.positions) {
        return Err(anyhow!("{}: positions and traces are the same file", flags.output.display())).or_usage();
    }
    let Some(words) = &flags.engine.engine else { return Err(anyhow!("--engine is missing")).or_usage() };
    let stop = interrupt()?;
    let mut engines = start(words, &flags.engine, &stop)?;
    // With --force the old file stays until the new one is complete.
    let draft =
        (flags.result.force && flags.output.is_file()).then(|| output.draft()).transpose().or_failed()?;
    let mut skipped = Skipped::default();
    let mut verification = verification(engines.header(), &flags.engine);
    let begun = std::time::Instant::now();
    let path = draft.as_ref().map_or(flags.output.as_path(), |draft| draft.path());
    let collected = trace(&mut engines, &flags.positions, path, &mut verification, &stop, &mut skipped)
        .map_err(|refusal| of_engine(refusal, words));
    let collected = match (collected, draft) {
        (Ok(collected), draft) => {
            check_verification(&verification)?;
            draft.map_or(Ok(()), |draft| output.replace(draft)).or_failed()?;
            collected
        }
        (Err(refusal), Some(draft)) if verification.positions > 0 && !verification.has_failed() => {
            let kept = put_beside(&flags.output, ".new", draft).or_failed()?;
            print_info(&format!(
                "the traces so far are in {}: continue them without --force",
                kept.display()
            ));
            return Err(refusal);
        }
        (Err(refusal), _) => return Err(refusal),
    };
    let seconds = begun.elapsed().as_secs_f64();
    let new = collected.positions - collected.known;
    let page = format!(
        "{} positions in {}: {new} traced in {seconds:.1} s by {} processes, {:.0} a minute; {} known before, {} skipped by the engine\n",
        collected.positions,
        flags.output.display(),
        engines.len(),
        new as f64 * 60.0 / seconds.max(1e-9),
        collected.known,
        collected.skipped,
    );
    show(&page, flags.result.json.as_deref(), &outputs, || TraceJson {
        positions: collected.positions,
        known: collected.known,
        skipped: collected.skipped,
        seconds,
        processes: engines.len(),
        verified: verification.positions,
        tolerance: verification.tolerance,
        written: &flags.output,
    })?;
    Ok(skipped.exit())
}

/// Whether another engine's evaluation is fitted: an engine is given, or a source has traces.
pub(super) fn is_traced(flags: &EngineFlags, sources: &[SourceArgument]) -> bool {
    flags.engine.is_some() || sources.iter().any(|source| is_trace_file(&source.path))
}

/// Verified traces in memory.
pub(super) struct Traced {
    pub(super) header: Header,
    pub(super) table: FitData<TraceRows>,
    pub(super) skipped: Skipped,
    /// Trace files, by source.
    pub(super) files: Vec<PathBuf>,
    /// Folder of the traces just collected.
    _folder: tempfile::TempDir,
}

/// Collects traces for all sources without them, loads them, and refuses those that do not reproduce the engine's
/// score.
pub(super) fn load(
    flags: &EngineFlags,
    sources: &[SourceArgument],
    split: Split,
    kept: Kept,
    memory: u64,
    stop: &AtomicBool,
) -> Result<Traced, Refusal> {
    let folder = tempfile::tempdir().or_failed()?;
    let mut skipped = Skipped::default();
    let mut engines = flags.engine.as_ref().map(|words| start(words, flags, stop)).transpose()?;
    let mut files = Vec::new();
    for (index, SourceArgument { path, .. }) in sources.iter().enumerate() {
        if is_trace_file(path) {
            files.push(path.clone());
            continue;
        }
        let Some(engines) = &mut engines else {
            let words = "no traces, while others are: give the engine that makes them with --engine";
            return Err(anyhow!("{}: {words}", path.display())).or_usage();
        };
        let file = folder.path().join(format!("{index}.trace"));
        let mut verification = verification(engines.header(), flags);
        trace(engines, path, &file, &mut verification, stop, &mut skipped)
            .map_err(|refusal| of_engine(refusal, flags.engine.as_deref().unwrap_or_default()))?;
        check_verification(&verification)?;
        files.push(file);
    }
    let shown = |path: &Path| path.display().to_string();
    let header = match &engines {
        Some(engines) => engines.header().clone(),
        None => TraceFile::open(&files[0]).with_context(|| shown(&files[0])).or_usage()?.header,
    };
    let tolerance = verification(&header, flags).tolerance;
    let mut loader = Loader::new(header.clone(), split, kept, tolerance, memory);
    let spinner = Progress::spinner("traces");
    for (path, source) in files.iter().zip(sources) {
        let file = TraceFile::open(path).with_context(|| shown(path)).or_usage()?;
        let mut skip = |(number, reason): (u64, String)| skipped.report_reason(&source.path, number, &reason);
        loader
            .add(file, source.options, &mut skip, |count| spinner.set_message(count.to_string()))
            .with_context(|| shown(path))
            .or_usage()?;
    }
    spinner.finish();
    let finished = loader.finish().context("failed to keep the positions in a temporary file");
    let (table, verification) = finished.or_failed()?;
    check_verification(&verification)?;
    if verification.positions == 0 {
        return Err(anyhow!("{}: no positions", shown(&sources[0].path))).or_usage();
    }
    Ok(Traced { header, table, skipped, files, _folder: folder })
}

/// Starts an engine for its header.
pub(super) fn header_of(words: &str) -> Result<Header, Refusal> {
    let flags = EngineFlags {
        engine: None,
        registry: RegistryFlag::default(),
        concurrency: Some(1),
        tolerance: None,
    };
    let stop = interrupt()?;
    Ok(start(words, &flags, &stop)?.header().clone())
}

fn start(words: &str, flags: &EngineFlags, stop: &AtomicBool) -> Result<EnginePool, Refusal> {
    let processes = flags.concurrency.unwrap_or_else(cores);
    if processes == 0 {
        return Err(anyhow!("--concurrency 0: at least one process is needed")).or_usage();
    }
    let processes = within_limits(processes, Concurrent::Engines, &mut print_info).or_usage()?;
    let (command, options) = engine_command(words).with_context(|| format!("--engine {words}")).or_usage()?;
    let engines = EnginePool::start(&command, &options, processes, stop);
    engines.map_err(|error| of_engine(refused(error.into()), words))
}

fn verification(header: &Header, flags: &EngineFlags) -> Verification {
    Verification::new(flags.tolerance.unwrap_or(header.tolerance))
}

fn trace(
    engines: &mut EnginePool,
    positions: &Path,
    output: &Path,
    verification: &mut Verification,
    stop: &AtomicBool,
    skipped: &mut Skipped,
) -> Result<Collected, Refusal> {
    let spinner = Progress::spinner("positions traced");
    let dataset = open(positions)?;
    let skip = |line| skipped.report(positions, &line);
    let progress = |count: u64| spinner.set_message(count.to_string());
    let collected = collect(dataset, engines, output, verification, stop, skip, progress);
    spinner.finish();
    let collected = collected.map_err(refused)?;
    if collected.crowded > 0 {
        print_info(&format!("{} positions with more than 32 pieces were skipped", collected.crowded));
    }
    Ok(collected)
}

fn refused(error: CollectError) -> Refusal {
    let exit = match &error {
        CollectError::Pipe(PipeError::Interrupted) => Exit::Interrupted,
        CollectError::File { .. }
        | CollectError::Pipe(PipeError::Start(_) | PipeError::NoHeader(_) | PipeError::NoEngine(_)) => {
            Exit::Usage
        }
        _ => Exit::Failed,
    };
    Refusal { exit, error: error.into() }
}

/// Names the engine in its errors.
fn of_engine(refusal: Refusal, words: &str) -> Refusal {
    match refusal.error.downcast_ref() {
        Some(CollectError::Pipe(_)) => {
            Refusal { error: refusal.error.context(format!("--engine {words}")), ..refusal }
        }
        _ => refusal,
    }
}

/// Lists the first differences of each group, and fails if there are any.
fn check_verification(verification: &Verification) -> Result<(), Refusal> {
    if !verification.has_failed() {
        return Ok(());
    }
    for differences in &verification.differences {
        let what = differences.group.as_deref().unwrap_or("the score");
        print_info(&format!(
            "{what} differs in {} of {} positions, by {:.1} at most; the first:",
            differences.count, verification.positions, differences.greatest
        ));
        for difference in differences.first.iter().take(NAMED) {
            let mut groups = difference.groups.clone();
            groups.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
            let groups: Vec<String> =
                groups.iter().take(NAMED_GROUPS).map(|(name, score)| format!("{name} {score:+.1}")).collect();
            print_info(&format!(
                "  {}: {:.1} by the engine, {:.1} by the coefficients ({})",
                difference.fen,
                difference.engine,
                difference.coefficients,
                groups.join(", ")
            ));
        }
    }
    let tolerance = verification.tolerance;
    let words = format!(
        "the coefficients do not give the engine's own score within {tolerance}: nothing was fitted. Correct the trace, or allow more with --tolerance"
    );
    Err(anyhow!(words)).or_failed()
}

impl Skipped {
    /// Reports a skipped line with a reason as text.
    pub(super) fn report_reason(&mut self, path: &Path, line: u64, reason: &str) {
        self.count += 1;
        if self.count <= NAMED_LINES as u64 {
            print_info(&format!("{}:{line}: skipped: {reason}", path.display()));
        }
    }
}
