//! Extracts quiet, labelled positions from PGN: games are streamed and filtered in parallel; positions are grouped by
//! key and written in game order.
//!
//! The selection depends on games, rules and seed, not on the number of threads.

mod choose;
mod game;
mod merge;
mod report;

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use smalt_chess::notation::pgn::{PgnError, PgnReader, Variations};

use smalt_dataset::choose::Filter;
use smalt_dataset::file::{HASH_START, hashed};
use smalt_dataset::format::Format;
use smalt_dataset::record::{RECORD_SIZE, Sample};
use smalt_dataset::source::{DataSource, OpenError};
use smalt_dataset::write::{SampleWriter, UnfitCounts};
use smalt_workbench::exit::reason;
use smalt_workbench::output_file::Output;

use choose::{Chooser, Numbered};
use merge::Merger;
pub use report::ExtractReport;
pub(crate) use report::{BadGame, GameReason, PHASES};

/// Games per batch, filtered in parallel.
const BATCH: usize = 512;

/// Treatment of positions that are not quiet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoisyPositions {
    Drop,
    /// Replaced by the position at the end of the engine's quiescence search.
    Resolve,
}

/// Rules of the selection.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// Plies from the start position of chess that count as opening.
    pub opening_plies: u32,
    /// Plies at the end of decided games that are skipped.
    pub last_plies: usize,
    /// Maximum number of positions per game, spread over it.
    pub per_game: usize,
    /// Maximum absolute score in centipawns, for games with scores.
    pub max_score: Option<u32>,
    /// Treatment of positions that are not quiet.
    pub unquiet: NoisyPositions,
    /// Maximum number of positions of a phase, as a multiple of the mean of the phases that occur.
    pub balance: Option<f64>,
    /// Random seed of the selection.
    pub seed: u64,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            opening_plies: 10,
            last_plies: 6,
            per_game: 40,
            max_score: None,
            unquiet: NoisyPositions::Drop,
            balance: None,
            seed: 1,
        }
    }
}

impl Rules {
    fn filter(&self) -> Filter {
        Filter {
            opening_plies: self.opening_plies,
            last_plies: self.last_plies,
            per_game: self.per_game,
            max_score: self.max_score,
            drop_checks: true,
            drop_noisy: self.unquiet == NoisyPositions::Drop,
            seed: self.seed,
        }
    }
}

/// Why an extraction failed.
#[derive(Debug, thiserror::Error)]
pub enum ExtractError {
    /// A file of games could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("{path}: {error}")]
    Read { path: String, error: io::Error },
    #[error("{path}: {}", reason(error))]
    Write { path: String, error: io::Error },
    /// Nothing to write: an existing file is not replaced.
    #[error("{path}: not written: {} games have no position for it", .report.games)]
    NoPositions { path: String, report: Box<ExtractReport> },
    #[error("interrupted: no positions were written")]
    Interrupted,
}

/// Reads all games and writes the positions; `progress` receives the growing report.
///
/// # Errors
/// If a file can't be opened, read or written, no position is found, or `stop` is set. Unusable games are listed in the report.
pub fn extract(
    games: &[PathBuf],
    output: Output,
    format: Format,
    rules: &Rules,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&ExtractReport),
) -> Result<ExtractReport, ExtractError> {
    let target = output.path().display().to_string();
    let write_error = |error| ExtractError::Write { path: target.clone(), error };
    let mut writer = SampleWriter::create(output, format, rules.seed).map_err(write_error)?;
    let mut report = ExtractReport::default();
    let mut merger = Merger::default();
    let mut players = Players::default();
    for path in games {
        let mut reader = PgnReader::new(DataSource::open(path)?);
        let shown = path.display().to_string();
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(ExtractError::Interrupted);
            }
            let batch = read_batch(&mut reader, &shown, &mut players, &mut report)
                .map_err(|error| ExtractError::Read { path: shown.clone(), error })?;
            if batch.is_empty() {
                break;
            }
            process_batch(&batch, &shown, rules, &mut report, &mut merger);
            progress(&report);
        }
    }
    let (mut hash, mut unfit, mut has_positions) = (HASH_START, UnfitCounts::default(), false);
    let write = |record: &[u8; RECORD_SIZE], mv| {
        hash = hashed(hash, record);
        let Ok(sample) = Sample::from_bytes(record) else { return Ok(()) };
        let pushed = writer.push(&Sample { mv, ..sample })?;
        has_positions |= pushed.is_ok();
        unfit.count(pushed);
        Ok(())
    };
    // Only our own file has game numbers; in others a game must stay in one piece.
    merger.finish(rules, format == Format::Smalt, &mut report, write).map_err(write_error)?;
    (report.hash, report.unfit) = (hash, unfit);
    if !has_positions {
        return Err(ExtractError::NoPositions { path: target, report: Box::new(report) });
    }
    report.written = writer.finish(&players.names).map_err(write_error)?;
    Ok(report)
}

#[derive(Default)]
struct Players {
    names: Vec<String>,
}

impl Players {
    /// Number of a player, from 1; 0 for an unknown name, or beyond 255 players.
    fn number(&mut self, name: Option<&str>) -> u8 {
        let Some(name) = name.map(str::trim).filter(|name| !name.is_empty() && *name != "?") else {
            return 0;
        };
        let known = self.names.iter().position(|known| known == name);
        let index = known.unwrap_or_else(|| {
            if self.names.len() < usize::from(u8::MAX) {
                self.names.push(name.to_owned());
            }
            self.names.len() - 1
        });
        if self.names[index] == name { index as u8 + 1 } else { 0 }
    }
}

fn read_batch(
    reader: &mut PgnReader<DataSource>,
    path: &str,
    players: &mut Players,
    report: &mut ExtractReport,
) -> io::Result<Vec<Numbered>> {
    let mut batch = Vec::with_capacity(BATCH);
    while batch.len() < BATCH {
        match reader.read_game(Variations::Skip) {
            Ok(None) => break,
            Ok(Some(game)) => {
                let number = u32::try_from(report.games).unwrap_or(u32::MAX);
                let players = ["White", "Black"].map(|tag| players.number(game.tags().get(tag)));
                batch.push(Numbered { game, number, players });
                report.games += 1;
            }
            Err(PgnError::Io(error)) => return Err(error),
            Err(PgnError::Skipped(skipped)) => {
                report.games += 1;
                report.skip_game(path, skipped.line, GameReason::Unreadable, &skipped.problem.to_string());
            }
        }
    }
    Ok(batch)
}

fn process_batch(
    batch: &[Numbered],
    path: &str,
    rules: &Rules,
    report: &mut ExtractReport,
    merger: &mut Merger,
) {
    let choose = |chooser: &mut Chooser, numbered: &Numbered| match game::refusal(&numbered.game) {
        Some((reason, line, words)) => Err((reason, line, words)),
        None => Ok(chooser.choose(numbered)),
    };
    let chosen: Vec<_> = batch.par_iter().map_init(|| Chooser::new(rules), choose).collect();
    for result in chosen {
        match result {
            Ok((samples, dropped)) => {
                report.used_games += 1;
                report.dropped += &dropped;
                for sample in samples {
                    merger.add(&sample, report);
                }
            }
            Err((reason, line, words)) => report.skip_game(path, line, reason, &words),
        }
    }
}
