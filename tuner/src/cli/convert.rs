//! The command `convert`, and the summary of written files that `extract` shares.

use std::io;

use anyhow::{Context, anyhow};
use smalt_dataset::format::Format;
use smalt_dataset::write::{SampleWriter, UnfitCounts, Written, check_target};
use smalt_dataset::{Dataset, Sample, SkippedLine};

use super::arguments::ConvertFlags;
use super::json::ConvertJson;
use super::{Exit, OrRefuse, Outputs, Refusal, Skipped, interrupt, print_info, show};
use crate::progress::Progress;

/// Number of positions between progress updates.
const SHOWN_EVERY: u64 = 16_384;

pub(super) fn run(flags: &ConvertFlags) -> Result<Exit, Refusal> {
    let format = Format::of_output(&flags.output, flags.format).or_usage()?;
    let shown = flags.output.display().to_string();
    let inputs = flags.positions.iter().map(AsRef::as_ref);
    let outputs =
        Outputs::check([Some(&flags.output), flags.result.json.as_ref()], inputs, flags.result.force)?;
    check_target(&flags.output).with_context(|| format!("write {shown}")).or_usage()?;
    // After a signal reading ends, so that no half of the output is left.
    interrupt()?;
    let mut writer = SampleWriter::create(outputs.get(&flags.output)?, format, 0)
        .with_context(|| shown.clone())
        .or_failed()?;
    let (mut unfit, mut skipped, mut read) = (UnfitCounts::default(), Skipped::default(), 0_u64);
    let mut players = Vec::new();
    // Offset that separates the games of different files.
    let mut first_game = 0_u32;
    let spinner = Progress::spinner("positions");
    for path in &flags.positions {
        let dataset = Dataset::open_as(path, flags.from).or_usage()?;
        let merged = dataset.merged_over_games();
        if merged > 0 && format != Format::Smalt {
            print_info(&format!(
                "{}: an earlier version merged {merged} of its positions over games, and games cannot be separated: \
                 extract the games again",
                path.display()
            ));
        }
        let is_alone = flags.positions.len() == 1;
        if is_alone {
            players = dataset.players().to_vec();
        }
        let mut last_game = first_game;
        let take = |mut sample: Sample| {
            smalt_workbench::signals::check()?;
            sample.game = sample.game.saturating_add(first_game);
            last_game = last_game.max(sample.game);
            if !is_alone {
                sample.players = [0; 2];
            }
            read += 1;
            if read.is_multiple_of(SHOWN_EVERY) {
                spinner.set_message(read.to_string());
            }
            unfit.count(writer.push(&sample)?);
            Ok(())
        };
        let skip = |line| skipped.report(path, &line);
        let result = read_for(format, dataset, take, skip);
        result.with_context(|| format!("{} to {shown}", path.display())).or_failed()?;
        first_game = last_game.saturating_add(1);
    }
    spinner.finish();
    if read == 0 {
        let inputs: Vec<String> = flags.positions.iter().map(|path| path.display().to_string()).collect();
        return Err(anyhow!("{}: no positions could be read", inputs.join(", "))).or_usage();
    }
    let unfit_count: u64 = unfit.iter().map(|(_, count)| count).sum();
    if unfit_count == read && flags.output.exists() {
        unfit.iter().for_each(|(reason, count)| print_info(&format!("skipped: {count} positions {reason}")));
        let words = "no position fits the format, and the old file was not replaced by an empty one";
        return Err(anyhow!("{shown}: {words}")).or_usage();
    }
    let written = writer.finish(&players).with_context(|| shown.clone()).or_failed()?;
    report_written(&written, &unfit);
    let page = format!("{} positions of {read} written to {shown}, {}\n", written.positions, format.name());
    show(&page, flags.result.json.as_deref(), &outputs, || ConvertJson {
        read,
        positions: written.positions,
        guessed_moves: written.guessed_moves,
        format: format.keyword(),
        written: &flags.output,
    })?;
    let is_whole = unfit.iter().next().is_none();
    Ok(if is_whole { skipped.exit() } else { Exit::Skipped })
}

/// Reads positions in the order in which a file of this format has them: only our own has game numbers, and in others a game
/// must stay in one piece.
pub(super) fn read_for(
    format: Format,
    dataset: Dataset,
    take: impl FnMut(Sample) -> io::Result<()>,
    skipped: impl FnMut(SkippedLine),
) -> io::Result<()> {
    match format {
        Format::Smalt => dataset.for_each(take, skipped),
        _ => dataset.for_each_by_game(take, skipped),
    }
}

/// Reports skipped positions and those written with a guessed move.
pub(super) fn report_written(written: &Written, unfit: &UnfitCounts) {
    for (reason, count) in unfit.iter() {
        print_info(&format!("skipped: {count} positions {reason}"));
    }
    if written.guessed_moves > 0 {
        print_info(&format!(
            "{} positions had no move: their first quiet legal move was written, since the format needs one",
            written.guessed_moves
        ));
    }
}
