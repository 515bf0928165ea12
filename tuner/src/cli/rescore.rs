//! The command `rescore`: scores positions by an engine, blends the scores with those that the positions have, and shows
//! which predict the results best. `crate::rescore` runs the engine.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, anyhow};
use smalt_chess::Position;
use smalt_dataset::Sample;
use smalt_dataset::format::Format;
use smalt_dataset::write::{SampleWriter, UnfitCounts, check_target};
use smalt_driver::WaitContext;
use smalt_driver::process::Interrupt;
use smalt_protocol::SearchLimits;
use smalt_report::{Cell, Column, ColumnKind, Sign, Table};
use smalt_workbench::concurrency::{Concurrent, cores, within_limits};
use smalt_workbench::engine_files::sha256;

use super::arguments::RescoreFlags;
use super::convert::report_written;
use super::json::RescoreJson;
use super::{Exit, OrRefuse, Outputs, Refusal, Skipped, check_share, open, print_info, show};
use crate::games::{engine_files, start_engine, tournament_program};
use crate::progress::Progress;
use crate::rescore::{BATCH, Prediction, RescoreError, UnfinishedScores, scores};

/// Batches of each process between two updates of the progress and of the file of unfinished scores.
const BATCHES: usize = 8;

pub(super) fn run(flags: &RescoreFlags) -> Result<Exit, Refusal> {
    check_share("--share", flags.share)?;
    if let Some(scale) = flags.scale.filter(|scale| !scale.is_finite() || *scale <= 0.0) {
        return Err(anyhow!("--scale {scale}: expected a number above 0")).or_usage();
    }
    let format = Format::of_output(&flags.output, flags.format).or_usage()?;
    let shown = flags.output.display().to_string();
    let inputs = [flags.positions.as_path()];
    let outputs =
        Outputs::check([Some(&flags.output), flags.result.json.as_ref()], inputs, flags.result.force)?;
    check_target(&flags.output).with_context(|| format!("write {shown}")).or_usage()?;
    let mut skipped = Skipped::default();
    let begun = Instant::now();
    let (scores, known) = all_scores(flags, &mut skipped)?;
    let seconds = begun.elapsed().as_secs_f64();

    let mut labels: [Vec<(f64, f32)>; 2] = Default::default();
    each(&flags.positions, &scores, |sample, score| {
        if let (Some(own), Some(score)) = (sample.score, score) {
            labels[0].push((own.into(), sample.result));
            labels[1].push((score.into(), sample.result));
        }
        Ok(())
    })?;
    let predictions = labels.each_ref().map(|labels| Prediction::of(labels));
    let fitted = || match predictions {
        [Some(own), Some(engine)] if own.steepness > 0.0 => engine.steepness / own.steepness,
        _ => 1.0,
    };
    let scale = flags.scale.unwrap_or_else(fitted);
    let blend = |own: f64, score: f64| (1.0 - flags.share) * own + flags.share * scale * score;
    let [own, engine] = &labels;
    let blended = own.iter().zip(engine).map(|((own, result), (score, _))| (blend(*own, *score), *result));
    let blended = Prediction::of(&blended.collect::<Vec<_>>());

    let mut writer = SampleWriter::create(outputs.get(&flags.output)?, format, 0)
        .with_context(|| shown.clone())
        .or_failed()?;
    let mut unfit = UnfitCounts::default();
    each(&flags.positions, &scores, |mut sample, score| {
        sample.score = match (sample.score, score) {
            (Some(own), Some(score)) => Some(blend(own.into(), score.into()).round() as i16),
            (None, Some(score)) => Some((scale * f64::from(score)).round() as i16),
            (own, None) => own,
        };
        unfit.count(writer.push(&sample)?);
        Ok(())
    })?;
    let players = open(&flags.positions)?.players().to_vec();
    let written = writer.finish(&players).with_context(|| shown.clone()).or_failed()?;
    unfinished(flags)?.0.finish();
    report_written(&written, &unfit);

    let predictions = [predictions[0], predictions[1], blended];
    let mut page = table(predictions).to_text();
    page.push_str(&format!(
        "{} positions written to {shown}: {:.2} × their own score + {:.2} × {scale:.3} × the engine's\n\
         {} scored in {seconds:.1} s, {known} known before\n",
        written.positions,
        1.0 - flags.share,
        flags.share,
        scores.len() - known,
    ));
    show(&page, flags.result.json.as_deref(), &outputs, || RescoreJson {
        positions: written.positions,
        known: known as u64,
        seconds,
        share: flags.share,
        scale,
        own_error: predictions[0].map(|prediction| prediction.error),
        engine_error: predictions[1].map(|prediction| prediction.error),
        error: predictions[2].map(|prediction| prediction.error),
        written: &flags.output,
    })?;
    let is_whole = unfit.iter().next().is_none();
    Ok(if is_whole { skipped.exit() } else { Exit::Skipped })
}

/// The engine's scores of all positions, in the order of the file, and the number of those known from an earlier run.
fn all_scores(flags: &RescoreFlags, skipped: &mut Skipped) -> Result<(Vec<Option<i16>>, usize), Refusal> {
    let interrupt = Interrupt::new().or_failed()?;
    let raised = interrupt.clone();
    smalt_workbench::signals::handle(move || raised.raise(), || {}).or_failed()?;
    let dataset = open(&flags.positions)?;
    let (mut unfinished, mut all) = unfinished(flags)?;
    let known = all.len();
    let processes = flags.concurrency.unwrap_or_else(cores);
    let processes = within_limits(processes, Concurrent::Engines, &mut print_info).or_usage()?;
    let limits = SearchLimits { nodes: Some(flags.nodes), ..SearchLimits::default() };
    let context = &mut WaitContext::interruptible(&interrupt);
    let mut start = || start_engine(&tournament_program(), &flags.engine, Some(&limits), context);
    let engines = (0..processes).map(|_| start()).collect::<Result<Vec<_>, _>>();
    let mut engines = engines.with_context(|| format!("--engine {}", flags.engine)).or_usage()?;

    let progress = Progress::spinner("positions");
    let (mut read, mut batches) = (0, Vec::<Vec<Position>>::new());
    let mut failure = None;
    let mut score_batches = |batches: &mut Vec<Vec<Position>>| -> io::Result<()> {
        let new = scores(&mut engines, batches, flags.nodes, &interrupt).map_err(|error| {
            failure = Some(error);
            io::Error::other("stopped")
        })?;
        batches.clear();
        unfinished.push(&new)?;
        all.extend(new);
        progress.set_message(all.len().to_string());
        Ok(())
    };
    let take = |sample: Sample| {
        read += 1;
        if read <= known {
            return Ok(());
        }
        if batches.last().is_none_or(|batch| batch.len() == BATCH) {
            if batches.len() == BATCHES * processes {
                score_batches(&mut batches)?;
            }
            batches.push(Vec::with_capacity(BATCH));
        }
        batches.last_mut().into_iter().for_each(|batch| batch.push(sample.position));
        Ok(())
    };
    let result = dataset.for_each(take, |line| skipped.report(&flags.positions, &line));
    let result = result.and_then(|()| score_batches(&mut batches));
    progress.finish();
    engines.iter_mut().for_each(|engine| engine.send_quit());
    match failure {
        Some(RescoreError::Interrupted) => {
            print_info("the same command continues with the next position");
            return Err(Refusal { exit: Exit::Interrupted, error: anyhow!("interrupted") });
        }
        Some(error) => return Err(error).with_context(|| format!("--engine {}", flags.engine)).or_failed(),
        None => result.with_context(|| flags.positions.display().to_string()).or_failed()?,
    }
    if all.is_empty() {
        return Err(anyhow!("{}: no positions could be read", flags.positions.display())).or_usage();
    }
    Ok((all, known))
}

/// The scores of an earlier run with the same positions, engine and nodes.
fn unfinished(flags: &RescoreFlags) -> Result<(UnfinishedScores, Vec<Option<i16>>), Refusal> {
    let files = engine_files(&tournament_program(), &flags.engine)
        .with_context(|| format!("--engine {}", flags.engine))
        .or_usage()?;
    let positions = File::open(&flags.positions).and_then(|mut file| sha256(&mut file));
    let positions = positions.with_context(|| flags.positions.display().to_string()).or_usage()?;
    let origin = format!(
        "smalt scores 1: positions {positions}, engine {} {:?}, {} nodes",
        files.digest(),
        flags.engine,
        flags.nodes
    );
    UnfinishedScores::open(&flags.output, &origin, BATCH)
        .with_context(|| format!("{}.part", flags.output.display()))
        .or_failed()
}

/// Passes each position of the file with the engine's score to `take`.
fn each(
    positions: &Path,
    scores: &[Option<i16>],
    mut take: impl FnMut(Sample, Option<i16>) -> io::Result<()>,
) -> Result<(), Refusal> {
    let mut scores = scores.iter();
    let take = |sample| take(sample, scores.next().copied().flatten());
    open(positions)?.for_each(take, |_| {}).with_context(|| positions.display().to_string()).or_failed()
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
