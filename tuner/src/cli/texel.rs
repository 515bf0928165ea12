//! The command `texel`: makes the task of a fit from flags, reports its progress and result, and writes the weights.
//! `crate::texel` fits them; `traces` loads those of other engines.

use std::ops::RangeInclusive;

use anyhow::{Context, anyhow};
use smalt::evaluation::Parameters;
use smalt::evaluation::schema::{TENTHS, Term, WEIGHTS};
use smalt::evaluation::taper::FULL_SCALE;
use smalt_report::{Cell, Column, ColumnKind, Sign, Table};
use smalt_workbench::checkout::current_commit;
use smalt_workbench::output_file::{self, Existing, Output};

use super::arguments::{MethodName, ScheduleName, TexelFlags};
use super::json::{EpochJson, TexelJson};
use super::target::{Evaluation, Target};
use super::traces::{self, is_traced};
use super::{
    Exit, OrRefuse, Outputs, Refusal, Skipped, check_share, interrupt, memory_limit, open, parameters,
    print_info, show, traced_parameters, warn_of_moved_checkpoint, with_threads,
};
use crate::features::row::SCALE_START;
use crate::features::{self, Keep, Kept, Split};
use crate::fit_data::FitData;
use crate::games::command_line;
use crate::loss::LabelledRows;
use crate::optimizer::{
    Checkpoints, FitEnd, Method, OptimizeError, OptimizerSettings, Penalty, Schedule, Step,
};
use crate::progress::Progress;
use crate::texel::{Players, Summary, Task, TexelError, Tuned, fit};
use crate::weights::document::{Origin, OriginValue};
use crate::weights::schema::Bounds;
use crate::weights::schema::Schema;
use crate::weights::variables::Constraints;
use crate::weights::{Selection, parameters_of};

/// Range of the steepness; a fit of it stays within 0.01 to 10.
const K_RANGE: RangeInclusive<f64> = 1e-3..=1e3;

/// L2 penalty with meaningful start values, and from zero.
const L2: f64 = 10.0;
const L2_FROM_ZERO: f64 = 0.1;

/// Minimum training positions per parameter; with fewer a fit learns noise.
const POSITIONS_PER_PARAMETER: usize = 10;

pub(super) fn run(flags: &TexelFlags) -> Result<Exit, Refusal> {
    let mut task = task(flags)?;
    let is_traced = is_traced(&flags.engine, &flags.positions);
    let target = Target::of(flags, if is_traced { Evaluation::Traced } else { Evaluation::Own })?;
    let files = [flags.output.as_ref(), flags.result.json.as_ref(), flags.checkpoint.as_ref()];
    let inputs = flags.positions.iter().map(|source| source.path.as_path()).chain(flags.resume.as_deref());
    let outputs = Outputs::check(files, inputs, flags.result.force)?;
    task.settings.checkpoints.write = match &flags.resume {
        Some(path) => Some(Output::check(path, Existing::Replace).or_usage()?),
        None => flags.checkpoint.as_ref().map(|path| outputs.get(path)).transpose()?,
    };
    if !flags.write.is_empty() {
        let mut files = target.paths().into_iter();
        files.try_for_each(|path| output_file::check(path, Existing::Replace)).or_usage()?;
    }
    if !is_traced {
        task.start = own_start(flags)?;
    }
    let stop = interrupt()?;
    with_threads(flags.threads, || {
        if is_traced {
            let traced = traces::load(
                &flags.engine,
                &flags.positions,
                split(flags),
                kept(flags),
                memory_limit(&flags.memory),
                &stop,
            )?;
            let header = &traced.header;
            task.start = traced_start(flags, &header.schema, &header.start)?;
            if flags.l2.is_none() && task.start.iter().all(|number| *number == 0.0) {
                task.penalty = Penalty { strength: L2_FROM_ZERO };
            }
            let run = Run { flags, schema: &header.schema, target: &target, outputs: &outputs, stop: &stop };
            run.fit(&traced.table, &task, &traced.skipped)
        } else {
            let (table, skipped) = load(flags)?;
            let run = Run { flags, schema: Schema::own(), target: &target, outputs: &outputs, stop: &stop };
            run.fit(&table, &task, &skipped)
        }
    })
}

/// A run without its rows.
struct Run<'a> {
    flags: &'a TexelFlags,
    schema: &'a Schema,
    target: &'a Target,
    outputs: &'a Outputs,
    stop: &'a std::sync::atomic::AtomicBool,
}

impl Run<'_> {
    fn fit<R: LabelledRows>(
        &self,
        table: &FitData<R>,
        task: &Task,
        skipped: &Skipped,
    ) -> Result<Exit, Refusal> {
        let Run { flags, schema, target, outputs, stop } = *self;
        let warnings = warnings(table, schema, task, target)?;
        warnings.iter().for_each(|warning| print_info(warning));
        let bar = Progress::fit(task.settings.epochs);
        let tuned = fit(table, schema, task, stop, &mut |step| bar.step(step));
        bar.finish();
        let tuned = tuned.map_err(|error| match error {
            TexelError::Optimize(OptimizeError::Solver(_)) => {
                Refusal { exit: Exit::Failed, error: error.into() }
            }
            _ => Refusal { exit: Exit::Usage, error: error.into() },
        })?;
        let checkpoint = task.settings.checkpoints.write.as_ref();
        if let Some((checkpoint, beside)) = checkpoint.zip(tuned.moved_checkpoint.as_ref()) {
            warn_of_moved_checkpoint(checkpoint.path(), beside);
        }
        target.write(schema, &tuned, &origin(flags, table.hash, &tuned.summary), outputs)?;
        show(&page(&tuned, target), flags.result.json.as_deref(), outputs, || {
            document(&tuned, table.hash, &warnings, target)
        })?;
        let exit = skipped.exit();
        Ok(if tuned.ending == FitEnd::Interrupted { Exit::Interrupted } else { exit })
    }
}

/// Start values of Smalt's evaluation.
fn own_start(flags: &TexelFlags) -> Result<Vec<f64>, Refusal> {
    let start = match &flags.parameters {
        Some(path) => parameters(path)?,
        None if flags.scratch => scratch(),
        None => Parameters::embedded().clone(),
    };
    Ok(parameters_of(&start))
}

/// Start values of another engine's evaluation.
fn traced_start(flags: &TexelFlags, schema: &Schema, start: &[f64]) -> Result<Vec<f64>, Refusal> {
    match &flags.parameters {
        Some(path) => traced_parameters(path, schema),
        None if flags.scratch => Ok(schema.rounded(&vec![0.0; start.len()])),
        None => Ok(start.to_vec()),
    }
}

fn task(flags: &TexelFlags) -> Result<Task, Refusal> {
    check_share("--lambda", flags.lambda)?;
    check_share("--validation", flags.validation)?;
    if let Some(k) = flags.k.filter(|k| !K_RANGE.contains(k)) {
        let (least, most) = (K_RANGE.start(), K_RANGE.end());
        return Err(anyhow!("--k {k:?}: expected {least} to {most}")).or_usage();
    }
    let numbers = [("--rate", Some(flags.rate)), ("--l2", flags.l2.filter(|&l2| l2 != 0.0))];
    for (flag, number) in numbers {
        if let Some(number) = number.filter(|&number| !number.is_finite() || number <= 0.0) {
            return Err(anyhow!("{flag} {number}: expected a number above 0")).or_usage();
        }
    }
    if flags.batch == 0 {
        return Err(anyhow!("--batch 0: a mini-batch has at least one position")).or_usage();
    }
    let (method, epochs, patience) = match flags.method {
        MethodName::Lbfgs => (Method::Lbfgs, 500, 30),
        MethodName::Adam => (Method::Adam, 200, 10),
    };
    Ok(Task {
        start: Vec::new(),
        selection: Selection { only: flags.only.clone(), freeze: flags.freeze.clone() },
        k: flags.k,
        result_share: flags.lambda,
        penalty: Penalty { strength: flags.l2.unwrap_or(L2) },
        constraints: if flags.unconstrained { Constraints::None } else { Constraints::Schema },
        bounds: flags.bound.iter().map(|text| bound(text)).collect::<Result<_, _>>()?,
        players: if flags.adjust_for_players { Players::Adjust } else { Players::Ignore },
        settings: OptimizerSettings {
            method,
            epochs: flags.epochs.unwrap_or(epochs),
            patience: flags.patience.unwrap_or(patience).max(1),
            rate: flags.rate,
            schedule: match flags.schedule {
                ScheduleName::Constant => Schedule::Constant,
                ScheduleName::Cosine => Schedule::Cosine,
                ScheduleName::Step => Schedule::Step,
            },
            batch: flags.batch,
            seed: flags.seed,
            checkpoints: Checkpoints { write: None, resume: flags.resume.clone() },
        },
    })
}

/// Parses `NAME=LEAST..MOST`.
fn bound(text: &str) -> Result<(String, Bounds), Refusal> {
    let parsed = text.split_once('=').and_then(|(name, range)| {
        let (least, most) = range.split_once("..")?;
        let bounds = Bounds { least: least.trim().parse().ok()?, most: most.trim().parse().ok()? };
        (bounds.least <= bounds.most).then(|| (name.trim().to_owned(), bounds))
    });
    parsed
        .ok_or_else(|| anyhow!("--bound {text}: expected NAME=LEAST..MOST, as in 'material.pawn=80..120'"))
        .or_usage()
}

/// Material only, in round numbers.
fn scratch() -> Parameters {
    let mut numbers = [[0; 2]; WEIGHTS];
    let material = [
        (Term::MaterialPawn, 100),
        (Term::MaterialKnight, 300),
        (Term::MaterialBishop, 300),
        (Term::MaterialRook, 500),
        (Term::MaterialQueen, 900),
    ];
    for (term, worth) in material {
        numbers[term.start()] = [worth * TENTHS; 2];
    }
    // Neutral scale factors.
    numbers[SCALE_START..].fill([FULL_SCALE * TENTHS; 2]);
    Parameters::from_tenths(&numbers)
}

fn split(flags: &TexelFlags) -> Split {
    Split { validation: flags.validation, seed: flags.seed }
}

fn kept(flags: &TexelFlags) -> Kept {
    let keep = |wanted: bool| if wanted { Keep::Yes } else { Keep::No };
    let has_scores = flags.lambda < 1.0
        || flags.positions.iter().any(|source| source.options.result_share.is_some_and(|share| share < 1.0));
    Kept { scores: keep(has_scores), players: keep(flags.adjust_for_players) }
}

fn load(flags: &TexelFlags) -> Result<(features::FeatureData, Skipped), Refusal> {
    let spinner = Progress::spinner("positions");
    let mut skipped = Skipped::default();
    let mut loader = features::Loader::new(split(flags), kept(flags), memory_limit(&flags.memory));
    for source in &flags.positions {
        let path = &source.path;
        let shown = path.display();
        let dataset = open(path)?;
        let merged = dataset.merged_over_games();
        if merged > 0 && flags.validation > 0.0 {
            print_info(&format!(
                "{shown}: an earlier version merged {merged} of its positions over games, so that training sees results of held-out games: \
                 extract the games again"
            ));
        }
        let skip = |line| skipped.report(path, &line);
        let loaded =
            loader.add(dataset, source.options, skip, |count| spinner.set_message(count.to_string()));
        loaded.with_context(|| shown.to_string()).or_failed()?;
    }
    spinner.finish();
    let table = loader.finish().context("failed to keep the positions in a temporary file").or_failed()?;
    if table.is_empty() {
        return Err(anyhow!(
            "{}: no positions: expected a file that `extract` wrote, or lines like `FEN c9 \"1-0\"`, `FEN [1.0]` or `FEN | score | result`",
            flags.positions[0].path.display()
        ))
        .or_usage();
    }
    Ok((table, skipped))
}

fn origin(flags: &TexelFlags, hash: u64, summary: &Summary) -> Origin {
    let text = |words: String| OriginValue::Text(words);
    let command = std::iter::once("smalt-tuner".to_owned()).chain(std::env::args().skip(1));
    let is_traced = is_traced(&flags.engine, &flags.positions);
    let start = match &flags.parameters {
        Some(path) => path.display().to_string(),
        None if flags.scratch && is_traced => "zero".to_owned(),
        None if flags.scratch => "scratch values, material only".to_owned(),
        None if is_traced => "the numbers of the engine".to_owned(),
        None => "the numbers built in".to_owned(),
    };
    let data: Vec<String> = flags.positions.iter().map(|source| source.path.display().to_string()).collect();
    let commit = std::env::current_dir().ok().and_then(|folder| current_commit(&folder));
    let mut origin = vec![
        ("by", text(format!("smalt-tuner {}", smalt_about::VERSION))),
        ("command", text(command_line(command))),
        ("start", text(start)),
        ("data", text(data.join(" "))),
        ("data_hash", text(format!("{hash:016x}"))),
        ("positions", OriginValue::Count(summary.positions as u64)),
        ("commit", text(commit.unwrap_or_else(|| "unknown".to_owned()))),
        ("k", OriginValue::Number(summary.k)),
        ("initial_error", OriginValue::Number(summary.initial_error)),
        ("final_error", OriginValue::Number(summary.final_error)),
        ("initial_validation_error", OriginValue::Number(summary.initial_validation_error)),
        ("validation_error", OriginValue::Number(summary.validation_error)),
    ];
    if let Some(engine) = &flags.engine.engine {
        origin.insert(2, ("engine", text(engine.clone())));
    }
    origin
}

/// Warnings before the fit.
fn warnings<R: LabelledRows>(
    table: &FitData<R>,
    schema: &Schema,
    task: &Task,
    target: &Target,
) -> Result<Vec<String>, Refusal> {
    let mut warnings = Vec::new();
    if target.paths().is_empty() {
        warnings.push("the tuned weights will not be written: give --output FILE or --write".to_owned());
    }
    let unwritten = target.unwritten(schema, &task.start)?;
    if !unwritten.is_empty() {
        warnings.push(format!("in no marked region, and so not written: {}", unwritten.join(", ")));
    }
    let positions = table.train.labels().len();
    let parameters = task.selection.free(schema, &table.coverage).map_or(0, |free| free.len());
    let enough = POSITIONS_PER_PARAMETER * parameters;
    if positions < enough {
        warnings.push(format!(
            "{positions} training positions are too few for {parameters} parameters: the fit will learn their noise. \
             Use {enough} or more, or tune fewer parameters (--only)"
        ));
    }
    if table.unpacked > 0 {
        warnings.push(format!("{} positions with too many features were skipped", table.unpacked));
    }
    Ok(warnings)
}

/// The summary and the errors of each epoch, as JSON.
fn document<'a>(tuned: &'a Tuned, hash: u64, warnings: &'a [String], target: &'a Target) -> TexelJson<'a> {
    let step = |step: &Step| EpochJson {
        epoch: step.epoch,
        train: step.train,
        validation: step.validation,
        best: step.best,
        seconds: step.time.as_secs_f64(),
    };
    TexelJson {
        summary: &tuned.summary,
        data_hash: format!("{hash:016x}"),
        warnings,
        written: target.paths().first().copied(),
        written_files: target.paths(),
        history: tuned.steps.iter().map(step).collect(),
    }
}

fn page(tuned: &Tuned, target: &Target) -> String {
    let summary = &tuned.summary;
    let mut table = Table::new([
        Column::new("mean squared error", ColumnKind::Text),
        Column::new("positions", ColumnKind::Integer),
        Column::new("before", ColumnKind::Number(6, Sign::Negative)),
        Column::new("after", ColumnKind::Number(6, Sign::Negative)),
    ]);
    let rows = [
        ("training", summary.train, summary.initial_error, summary.final_error),
        ("validation", summary.validation, summary.initial_validation_error, summary.validation_error),
    ];
    for (name, count, before, after) in rows.into_iter().filter(|row| row.1 > 0) {
        table.push([Cell::from(name), Cell::from(count as u64), Cell::from(before), Cell::from(after)]);
    }
    let mut page = table.to_text();
    page.push_str(&format!(
        "\nk {:.4}; {} parameters; {} epochs in {:.2} s, {}; {:.1} M positions/s, {:.0} bytes a position\n\
         rounding added {:+.7} to the error\n",
        summary.k,
        summary.parameters,
        summary.epochs,
        summary.seconds,
        summary.ending,
        summary.positions_per_second / 1e6,
        summary.bytes_per_position,
        summary.rounding_error,
    ));
    if summary.file_bytes > 0 {
        let mib = summary.file_bytes as f64 / f64::from(1 << 20);
        page.push_str(&format!("{mib:.0} MiB of positions in a temporary file\n"));
    }
    for player in &summary.players {
        page.push_str(&format!(
            "{}: {:+.0} centipawns, taken out of the results\n",
            player.name, player.centipawns
        ));
    }
    if summary.danger_lifted {
        page.push_str("a group with a curve was all zero, where the curve is flat: it started above zero\n");
    }
    if !summary.unseen.is_empty() {
        let some = summary.unseen.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
        let count = summary.unseen.len();
        page.push_str(&format!("{count} weights occur in no position and were not changed: {some}"));
        page.push_str(if count > 8 { ", …\n" } else { "\n" });
    }
    if summary.validation > 0 && summary.validation_error > summary.initial_validation_error {
        page.push_str("the validation error rose: the tuned weights predict held-out games worse\n");
    }
    let paths: Vec<String> = target.paths().iter().map(|path| path.display().to_string()).collect();
    if paths.is_empty() {
        page.push_str("not written: give --output FILE or --write\n");
    } else {
        page.push_str(&format!("written to {}\n", paths.join(", ")));
    }
    page
}
