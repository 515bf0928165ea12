//! Labelled positions: where they come from, and the file that keeps them. Knows nothing of weights or of fitting.
//!
//! [`extract`] makes them from games, [`text`] reads them from lines, [`file`] keeps them in a compact binary that is
//! read by memory map; [`Dataset`] opens either kind of file.

pub mod extract;
pub mod file;
pub mod record;
pub mod source;
pub mod text;

use std::path::Path;

pub use record::Sample;
pub use source::{OpenError, Source};

use file::{FileError, PositionFile};
use text::{LabelledText, LineError};

/// Why a data set could not be read.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// The file could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The binary is not one of ours, or broken.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: String,
        /// What is wrong.
        error: FileError,
    },
    /// The text could not be read to its end.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
}

/// A line that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedLine {
    /// The line, from 1; of a binary the record.
    pub line: u64,
    /// Why.
    pub error: LineError,
}

/// What became of a line or record, with its number.
type Worked<T> = (u64, Result<T, LineError>);

/// A file of labelled positions, in either form.
pub enum Dataset {
    /// The binary of [`file`].
    Binary(PositionFile),
    /// Lines of text.
    Text(LabelledText),
}

impl Dataset {
    /// Opens a file, and tells its form by its first bytes.
    ///
    /// # Errors
    /// If the file can't be opened, or is a binary that is broken or newer than this program.
    pub fn open(path: &Path) -> Result<Dataset, DatasetError> {
        let shown = path.display().to_string();
        match PositionFile::open(path) {
            Ok(file) => Ok(Dataset::Binary(file)),
            Err(FileError::Foreign) => Ok(Dataset::Text(LabelledText::open(path)?)),
            Err(FileError::Io(error)) => Err(OpenError { path: shown, error }.into()),
            Err(error) => Err(DatasetError::File { path: shown, error }),
        }
    }

    /// The names of the players, by number less one; none in text.
    pub fn players(&self) -> &[String] {
        match self {
            Dataset::Binary(file) => file.players(),
            Dataset::Text(_) => &[],
        }
    }

    /// How many positions hold the mean result of several games: those of files that earlier versions wrote.
    pub fn merged_over_games(&self) -> usize {
        match self {
            Dataset::Binary(file) => file.merged_over_games(),
            Dataset::Text(_) => 0,
        }
    }

    /// Reads all positions in order, in batches of about `size`; each batch is mapped in parallel by `work`, and its
    /// results are given to `take` in the order of the file. A position that several games had comes with their mean
    /// result, apart for the games that are `held_out` and for the others. Lines that can't be read are given to `skipped`.
    ///
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
        }
    }
}

/// A well-mixed 64-bit hash of a number: the finalizer of SplitMix64 (Steele, Lea and Flood, 2014). All seeded
/// choices of the tuner come from it, so that they depend on the seed and on nothing else.
pub fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
