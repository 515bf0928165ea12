//! The command `rescore`: scores positions by an engine, blends the scores with those that the positions have, and shows
//! how well each predicts the results. `crate::rescore` runs the engine.

use std::fs::File;
use std::io;
use std::time::Instant;

use anyhow::{Context as _, anyhow};
use smalt_chess::Position;
use smalt_dataset::Sample;
use smalt_dataset::format::Format;
use smalt_dataset::write::{SampleWriter, UnfitCounts, check_target};
use smalt_driver::process::Interrupt;
use smalt_driver::{Engine, WaitContext};
use smalt_protocol::SearchLimits;
use smalt_report::{Cell, Column, ColumnKind, Sign, Table};
use smalt_workbench::concurrency::{Concurrent, cores, within_limits};
use smalt_workbench::engine_files::sha256;
use smalt_workbench::output_file::Existing;

use super::arguments::RescoreFlags;
use super::convert::{read_for, report_written};
use super::json::RescoreJson;
use super::{Exit, OrRefuse, Outputs, Refusal, Skipped, check_share, open, print_info, show};
use crate::games::{engine_files, start_engine, tournament_program};
use crate::progress::Progress;
use crate::rescore::{BATCH, MAX_SCORE, Prediction, RescoreError, UnfinishedScores, scores};

/// Nodes of each process, about, between two updates of the progress and of the file of unfinished scores, in batches.
const UPDATE_NODES: u64 = 2_000_000;
const MAX_BATCHES: u64 = 8;

pub(super) fn run(flags: &RescoreFlags) -> Result<Exit, Refusal> {
    let limits = check_values(flags)?;
    let format = Format::of_output(&flags.output, flags.format).or_usage()?;
    let shown = flags.output.display().to_string();
    if format == Format::Book {
        return Err(anyhow!("{shown}: this format has no scores; choose another one")).or_usage();
    }
    let found =
        flags.positions.metadata().with_context(|| flags.positions.display().to_string()).or_usage()?;
    if !found.is_file() {
        return Err(anyhow!("{}: expected a file", flags.positions.display())).or_usage();
    }
    let inputs = [flags.positions.as_path()];
    let outputs =
        Outputs::check([Some(&flags.output), flags.result.json.as_ref()], inputs, flags.result.force)?;
    check_target(&flags.output).with_context(|| format!("write {shown}")).or_usage()?;
    let mut skipped = Skipped::default();
    let begun = Instant::now();
    let Scored { scores, known, unfinished } = all_scores(flags, format, &limits, &mut skipped)?;
    let seconds = begun.elapsed().as_secs_f64();
    let blend = Blend::new(flags, format, &scores)?;

    let mut writer = SampleWriter::create(outputs.get(&flags.output)?, format, 0)
        .with_context(|| shown.clone())
        .or_failed()?;
    let mut unfit = UnfitCounts::default();
    let mut unscored = 0_u64;
    each(flags, format, &scores, |mut sample, score| {
        unscored += u64::from(score.is_none());
        if let Some(score) = score {
            sample.score = Some(blend.of(sample.score.map(f64::from), score.into()).round() as i16);
        }
        unfit.count(writer.push(&sample)?);
        Ok(())
    })?;
    let unfit_count: u64 = unfit.iter().map(|(_, count)| count).sum();
    if unfit_count == scores.len() as u64 {
        unfit.iter().for_each(|(reason, count)| print_info(&format!("skipped: {count} positions {reason}")));
        return Err(anyhow!("{shown}: no position fits the format")).or_usage();
    }
    let players = open(&flags.positions)?.players().to_vec();
    let written = writer.finish(&players).with_context(|| shown.clone()).or_failed()?;
    unfinished.finish();
    report_written(&written, &unfit);
    if unscored > 0 {
        print_info(&format!(
            "{unscored} positions were not scored: no move is legal, the engine does not play Chess960, or it gave no score"
        ));
    }
    let mut page = table(blend.predictions).to_text();
    page.push_str(&format!(
        "{} positions written to {shown}: {:.2} × their own score + {:.2} × {:.3} × the engine's\n\
         {} scored in {seconds:.1} s, {known} known before\n",
        written.positions,
        1.0 - blend.share,
        blend.share,
        blend.scale,
        scores.len() - known,
    ));
    let [own_error, engine_error, blended_error] =
        blend.predictions.map(|prediction| prediction.map(|prediction| prediction.error));
    show(&page, flags.result.json.as_deref(), &outputs, || RescoreJson {
        positions: written.positions,
        known: known as u64,
        unscored,
        seconds,
        share: blend.share,
        scale: blend.scale,
        own_error,
        engine_error,
        blended_error,
        written: &flags.output,
    })?;
    Ok(if unfit_count + unscored == 0 { skipped.exit() } else { Exit::Skipped })
}

/// Checks the flags of a later run, and that the engine starts.
pub(super) fn check(flags: &RescoreFlags) -> Result<(), Refusal> {
    let limits = check_values(flags)?;
    start(flags, &limits, &mut WaitContext::none())?.quit();
    Ok(())
}

fn check_values(flags: &RescoreFlags) -> Result<SearchLimits, Refusal> {
    check_share("--share", flags.share)?;
    if let Some(scale) = flags.scale.filter(|scale| !scale.is_finite() || *scale <= 0.0) {
        return Err(anyhow!("--scale {scale}: expected a number above 0")).or_usage();
    }
    Ok(SearchLimits { nodes: Some(flags.nodes), ..SearchLimits::default() })
}

/// Starts the engine, which must take one new game after another.
fn start(
    flags: &RescoreFlags,
    limits: &SearchLimits,
    context: &mut WaitContext<'_>,
) -> Result<Box<dyn Engine>, Refusal> {
    let named = || format!("--engine {}", flags.engine);
    let engine = start_engine(&tournament_program(), &flags.engine, Some(limits), context);
    let engine = engine.with_context(named).or_usage()?;
    if !engine.is_reusable() {
        return Err(anyhow!("the engine needs a restart for each game (reuse=0)"))
            .with_context(named)
            .or_usage();
    }
    Ok(engine)
}

/// The engine's scores of all positions, in the order in which they are written.
struct Scored {
    scores: Vec<Option<i16>>,
    /// Number of scores of an earlier run.
    known: usize,
    unfinished: UnfinishedScores,
}

fn all_scores(
    flags: &RescoreFlags,
    format: Format,
    limits: &SearchLimits,
    skipped: &mut Skipped,
) -> Result<Scored, Refusal> {
    let interrupt = Interrupt::new().or_failed()?;
    let raised = interrupt.clone();
    smalt_workbench::signals::handle(move || raised.raise(), || {}).or_failed()?;
    let dataset = open(&flags.positions)?;
    let processes = flags.concurrency.unwrap_or_else(cores);
    let processes = within_limits(processes, Concurrent::Engines, &mut print_info).or_usage()?;
    let start_all = || -> Result<Vec<Box<dyn Engine>>, Refusal> {
        let context = &mut WaitContext::interruptible(&interrupt);
        (0..processes).map(|_| start(flags, limits, context)).collect()
    };
    let mut engines = start_all()?;
    let origin = origin(flags, format)?;
    let existing = Existing::with_force(flags.result.force);
    let opened = UnfinishedScores::open(&flags.output, &origin, BATCH, existing);
    let (mut unfinished, mut all) = opened.or_usage()?;
    let known = all.len();

    let progress = Progress::spinner("positions");
    let (mut read, mut batches) = (0, Vec::<Vec<Position>>::new());
    let most = (UPDATE_NODES / (flags.nodes.saturating_mul(BATCH as u64))).clamp(1, MAX_BATCHES) as usize;
    let mut failure = None;
    // Number of searches with a report of nodes, and their nodes.
    let mut searched = [0_u64; 2];
    let mut score_batches = |batches: &mut Vec<Vec<Position>>| -> io::Result<()> {
        let mut has_failed = false;
        loop {
            let (new, end) = scores(&mut engines, batches, limits, &interrupt);
            let done = new.len().div_ceil(BATCH);
            batches.drain(..done);
            let nodes = new.iter().filter_map(|score| score.nodes);
            searched = nodes.fold(searched, |[count, sum], nodes| [count + 1, sum + nodes]);
            let new: Vec<Option<i16>> = new.into_iter().map(|score| score.score).collect();
            unfinished.push(&new)?;
            all.extend(new);
            progress.set_message(all.len().to_string());
            let Err(mut error) = end else { return Ok(()) };
            // The first batch without scores is tried twice.
            if matches!(error, RescoreError::Search { .. }) && (done > 0 || !has_failed) {
                print_info(&format!("{error}; starting the engine again"));
                // The others go first: they hold memory.
                engines.clear();
                match start_all() {
                    Ok(started) => {
                        (engines, has_failed) = (started, true);
                        continue;
                    }
                    Err(_) if interrupt.is_raised() => error = RescoreError::Interrupted,
                    Err(refusal) => print_info(&format!("{:#}", refusal.error)),
                }
            }
            failure = Some(error);
            return Err(io::Error::other("stopped"));
        }
    };
    let take = |sample: Sample| {
        read += 1;
        if read <= known {
            return Ok(());
        }
        if batches.last().is_none_or(|batch| batch.len() == BATCH) {
            if batches.len() == most * processes {
                score_batches(&mut batches)?;
            }
            batches.push(Vec::with_capacity(BATCH));
        }
        batches.last_mut().into_iter().for_each(|batch| batch.push(sample.position));
        Ok(())
    };
    let result = read_for(format, dataset, take, |line| skipped.report(&flags.positions, &line));
    let result = result.and_then(|()| score_batches(&mut batches));
    progress.finish();
    engines.iter_mut().for_each(|engine| engine.send_quit());
    for engine in &mut engines {
        engine.quit();
    }
    match failure {
        Some(error) => {
            print_info(&format!("{} positions scored so far; the same command continues", all.len()));
            let is_interrupted = matches!(error, RescoreError::Interrupted);
            let exit = if is_interrupted { Exit::Interrupted } else { Exit::Failed };
            let error = anyhow::Error::from(error).context(format!("--engine {}", flags.engine));
            return Err(Refusal { exit, error });
        }
        None => result.with_context(|| flags.positions.display().to_string()).or_failed()?,
    }
    let [count, sum] = searched;
    let mean = sum / count.max(1);
    if count > 0 && (mean < flags.nodes / 2 || mean > flags.nodes.saturating_mul(3)) {
        print_info(&format!(
            "Warning: the engine searched {mean} nodes a position on average, not the {} of --nodes",
            flags.nodes
        ));
    }
    if all.iter().all(Option::is_none) {
        unfinished.finish();
        let reason =
            if all.is_empty() { "no positions could be read" } else { "the engine scored no position" };
        return Err(anyhow!("{}: {reason}", flags.positions.display())).or_usage();
    }
    Ok(Scored { scores: all, known, unfinished })
}

/// What the scores depend on.
fn origin(flags: &RescoreFlags, format: Format) -> Result<String, Refusal> {
    let files = engine_files(&tournament_program(), &flags.engine);
    let files = files.with_context(|| format!("--engine {}", flags.engine)).or_usage()?;
    let positions = File::open(&flags.positions).and_then(|mut file| sha256(&mut file));
    let positions = positions.with_context(|| flags.positions.display().to_string()).or_usage()?;
    let order = if format == Format::Smalt { "" } else { " by game" };
    let (nodes, engine) = (flags.nodes, &flags.engine);
    Ok(format!("{nodes} nodes, engine {engine:?} {}, positions {positions}{order}", files.digest()))
}

/// How new scores are made.
struct Blend {
    share: f64,
    scale: f64,
    /// How well own, engine's and blended scores predict the results: of positions with an own score, else the engine's
    /// alone.
    predictions: [Option<Prediction>; 3],
}

impl Blend {
    fn new(flags: &RescoreFlags, format: Format, scores: &[Option<i16>]) -> Result<Blend, Refusal> {
        let [mut own, mut engine, mut without]: [Vec<(f64, f32)>; 3] = Default::default();
        each(flags, format, scores, |sample, score| {
            let Some(score) = score else { return Ok(()) };
            let label = (score.into(), sample.result);
            match sample.score {
                Some(score) => {
                    own.push((score.into(), sample.result));
                    engine.push(label);
                }
                None => without.push(label),
            }
            Ok(())
        })?;
        let of = |labels: &[(f64, f32)]| Prediction::of(labels).or_failed();
        let mut blend =
            Blend { share: flags.share, scale: 1.0, predictions: [of(&own)?, of(&engine)?, None] };
        match blend.predictions {
            [Some(own), Some(engine), _] if own.is_meaningful() && engine.is_meaningful() => {
                blend.scale = engine.steepness / own.steepness;
            }
            [None, ..] => blend.predictions[1] = of(&without)?,
            _ => {}
        }
        blend.scale = flags.scale.unwrap_or(blend.scale);
        let blended = own.iter().zip(&engine);
        let blended = blended.map(|((own, result), (engine, _))| (blend.of(Some(*own), *engine), *result));
        blend.predictions[2] = of(&blended.collect::<Vec<_>>())?;
        Ok(blend)
    }

    /// The new score of a position.
    fn of(&self, own: Option<f64>, engine: f64) -> f64 {
        let engine = self.scale * engine;
        let capped = |own: f64| own.clamp(-f64::from(MAX_SCORE), f64::from(MAX_SCORE));
        own.map_or(engine, |own| (1.0 - self.share) * capped(own) + self.share * engine)
    }
}

/// Passes each position with the engine's score to `take`, in the order in which they are written.
fn each(
    flags: &RescoreFlags,
    format: Format,
    scores: &[Option<i16>],
    mut take: impl FnMut(Sample, Option<i16>) -> io::Result<()>,
) -> Result<(), Refusal> {
    let mut scores = scores.iter();
    let take = |sample| {
        smalt_workbench::signals::check()?;
        take(sample, scores.next().copied().flatten())
    };
    let read = read_for(format, open(&flags.positions)?, take, |_| {});
    read.with_context(|| flags.positions.display().to_string()).or_failed()
}

/// How well each score predicts the results.
fn table(predictions: [Option<Prediction>; 3]) -> Table {
    let mut table = Table::new([
        Column::new("score", ColumnKind::Text),
        Column::new("error of the results", ColumnKind::Number(6, Sign::Negative)),
        Column::new("K", ColumnKind::Number(3, Sign::Negative)),
    ]);
    for (name, prediction) in ["own", "engine", "blended"].into_iter().zip(predictions) {
        if let Some(Prediction { steepness, error }) = prediction {
            table.push([Cell::from(name), error.into(), steepness.into()]);
        }
    }
    table
}
