//! Labelled positions for tuners and trainers. [`Dataset`] opens any file, [`write`](mod@write) makes any. Modules in reading order:
//!
//! - [`record`], [`format`](mod@format), [`source`]: a labelled position, the names of the formats, and files as streams of bytes;
//! - [`choose`]: selects and labels the positions of a game;
//! - [`file`](mod@file): a compact memory-mapped binary;
//! - [`text`]: lines of text, as other tuners write them;
//! - `table`, `plain`, `bullet`, `viri`, `binpack`: the formats of other tools;
//! - [`games`]: finds the games in formats without game numbers;
//! - [`write`](mod@write): writes each format.

mod binpack;
mod bullet;
pub mod choose;
pub mod file;
pub mod format;
pub mod games;
mod plain;
pub mod record;
pub mod source;
mod table;
pub mod text;
mod viri;
pub mod write;

use std::io::{self, BufReader};
use std::path::Path;

use rayon::prelude::*;

pub use record::Sample;
use source::open_text;
pub use source::{DataSource, OpenError};

use file::{FileError, PositionFile};
use format::Format;
use text::{LabelledText, LineError, damage};

/// Why a data set could not be read.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// The file could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("{path}: {error}")]
    File { path: String, error: FileError },
    #[error("{path}: {error}")]
    Io { path: String, error: std::io::Error },
}

/// Lines of text per batch.
const TEXT_BATCH: usize = 4096;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedLine {
    /// Line number from 1; record number in binaries.
    pub line: u64,
    pub error: LineError,
}

/// A parsed line or record, with its number.
type Worked<T> = (u64, Result<T, LineError>);

/// Positions of a sequentially read format, with their numbers.
type Stream = Box<dyn Iterator<Item = io::Result<Worked<Sample>>> + Send>;

/// The records of a stream. Damage of the file is the last of them, as a skipped record.
struct Records<S> {
    stream: S,
    /// Number of the last record.
    number: u64,
    is_damaged: bool,
}

impl<S: Iterator<Item = io::Result<Worked<Sample>>>> Iterator for Records<S> {
    type Item = S::Item;

    fn next(&mut self) -> Option<S::Item> {
        if self.is_damaged {
            return None;
        }
        let record = self.stream.next()?;
        Some(match record {
            Ok((number, _)) => {
                self.number = number;
                record
            }
            Err(error) => {
                self.is_damaged = true;
                damage(&error).map_or(Err(error), |damage| Ok((self.number + 1, Err(damage))))
            }
        })
    }
}

fn records(stream: impl Iterator<Item = io::Result<Worked<Sample>>> + Send + 'static) -> Dataset {
    Dataset::Stream(Box::new(Records { stream, number: 0, is_damaged: false }))
}

/// A file of labelled positions, in any format.
pub enum Dataset {
    /// The binary format of [`file`].
    Binary(PositionFile),
    Text(LabelledText),
    Stream(Stream),
}

impl Dataset {
    /// Opens a file; the format is detected by its first bytes or its extension.
    ///
    /// # Errors
    /// If the file can't be opened, or is a binary that is damaged or newer than this program.
    pub fn open(path: &Path) -> Result<Dataset, DatasetError> {
        Dataset::open_as(path, None)
    }

    /// Opens a file in this format; detects it if `None`.
    ///
    /// # Errors
    /// As [`Dataset::open`].
    pub fn open_as(path: &Path, format: Option<Format>) -> Result<Dataset, DatasetError> {
        let shown = path.display().to_string();
        let is_ours = matches!(format, None | Some(Format::Smalt));
        let foreign = match PositionFile::open(path) {
            Ok(file) if is_ours => return Ok(Dataset::Binary(file)),
            Ok(_) | Err(FileError::Foreign) => FileError::Foreign,
            Err(FileError::Io(error)) => return Err(OpenError { path: shown, error }.into()),
            Err(error) if is_ours => return Err(DatasetError::File { path: shown, error }),
            Err(error) => error,
        };
        let format = format.or_else(|| Format::of_path(path));
        let text = || open_text(path);
        let bytes = || Ok::<_, OpenError>(BufReader::with_capacity(1 << 18, DataSource::open(path)?));
        Ok(match format {
            Some(Format::Smalt) => return Err(DatasetError::File { path: shown, error: foreign }),
            Some(Format::Csv) => records(table::CsvReader::new(text()?)),
            Some(Format::Plain) => records(plain::PlainReader::new(text()?)),
            Some(Format::Bullet) => records(bullet::BulletReader::new(bytes()?)),
            Some(Format::Viri) => records(viri::ViriReader::new(bytes()?)),
            Some(Format::Binpack) => {
                let reader = binpack::BinpackReader::open(path);
                records(reader.map_err(|error| OpenError { path: shown, error })?)
            }
            Some(Format::Fen | Format::Epd | Format::Book) | None => Dataset::Text(LabelledText::open(path)?),
        })
    }

    /// Player names; player n is at index n - 1. Empty for text.
    pub fn players(&self) -> &[String] {
        match self {
            Dataset::Binary(file) => file.players(),
            Dataset::Text(_) | Dataset::Stream(_) => &[],
        }
    }

    /// Number of positions with the mean result of several games (files of earlier versions).
    pub fn merged_over_games(&self) -> usize {
        match self {
            Dataset::Binary(file) => file.merged_over_games(),
            Dataset::Text(_) | Dataset::Stream(_) => 0,
        }
    }

    /// Reads all positions in order, in batches of about `size`: `work` maps a batch in parallel, and `take` receives
    /// its results in file order. A position from several games is merged to its mean result, separately for
    /// `held_out` games and the others. `skipped` receives unreadable lines.
    /// # Errors
    /// If the file can't be read to its end.
    pub fn for_each_batch<T: Send>(
        self,
        size: usize,
        held_out: impl Fn(u32) -> bool + Sync,
        work: impl Fn(&Sample) -> T + Sync,
        mut take: impl FnMut(T),
        mut skipped: impl FnMut(SkippedLine),
    ) -> Result<(), std::io::Error> {
        let mut give = |results: Vec<Worked<T>>| {
            for (line, result) in results {
                match result {
                    Ok(value) => take(value),
                    Err(error) => skipped(SkippedLine { line, error }),
                }
            }
        };
        match self {
            Dataset::Binary(file) => {
                file.for_each_batch(size, &held_out, &work, &mut give);
                Ok(())
            }
            Dataset::Text(text) => text.for_each_batch(size, &work, &mut give),
            Dataset::Stream(mut stream) => loop {
                let batch: Vec<_> = stream.by_ref().take(size).collect::<io::Result<_>>()?;
                if batch.is_empty() {
                    return Ok(());
                }
                let work = |(line, sample): (u64, Result<Sample, LineError>)| {
                    (line, sample.map(|sample| work(&sample)))
                };
                give(batch.into_par_iter().map(work).collect());
            },
        }
    }

    /// Passes all samples to `take` in file order, without merging those of one position.
    ///
    /// # Errors
    /// If the file can't be read to its end, or `take` fails.
    pub fn for_each(
        self,
        mut take: impl FnMut(Sample) -> io::Result<()>,
        mut skipped: impl FnMut(SkippedLine),
    ) -> io::Result<()> {
        let mut give = |line, sample: Result<Sample, LineError>| match sample {
            Ok(sample) => take(sample),
            Err(error) => {
                skipped(SkippedLine { line, error });
                Ok(())
            }
        };
        match self {
            Dataset::Binary(file) => file.samples().try_for_each(|(line, sample)| give(line, sample)),
            Dataset::Stream(stream) => {
                stream.into_iter().try_for_each(|read| read.and_then(|(line, sample)| give(line, sample)))
            }
            Dataset::Text(text) => {
                let mut result = Ok(());
                let mut give = |batch: Vec<Worked<Sample>>| {
                    for (line, sample) in batch {
                        if result.is_ok() {
                            result = give(line, sample);
                        }
                    }
                };
                text.for_each_batch(TEXT_BATCH, &Sample::clone, &mut give)?;
                result
            }
        }
    }

    /// As [`Dataset::for_each`], but game by game: our own format, which groups the games of a position, is sorted by
    /// game and ply. For formats without game numbers.
    ///
    /// # Errors
    /// As [`Dataset::for_each`].
    pub fn for_each_by_game(
        self,
        mut take: impl FnMut(Sample) -> io::Result<()>,
        mut skipped: impl FnMut(SkippedLine),
    ) -> io::Result<()> {
        let Dataset::Binary(file) = self else { return self.for_each(take, skipped) };
        for (line, sample) in file.samples_by_game() {
            match sample {
                Ok(sample) => take(sample)?,
                Err(error) => skipped(SkippedLine { line, error }),
            }
        }
        Ok(())
    }
}
