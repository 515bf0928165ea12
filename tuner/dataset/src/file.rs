//! Memory-mapped file of positions: a header of 64 bytes, records of [`RECORD_SIZE`] bytes, and the names of the
//! players.
//!
//! Records of one position are adjacent, one per game (since version 3; older versions have one record per position,
//! with the mean result of all games).
//!
//! Header: `SMALTPOS`, version, record size (both u32), number of records (u64), seed of the extraction (u64), hash
//! of the records (u64), length of the names in bytes (u64, since version 2), then zeros. Little-endian. Names are
//! UTF-8, each terminated by a line feed.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use memmap2::Mmap;
use rayon::prelude::*;
use smalt_workbench::input::begins_with;
use tempfile::NamedTempFile;

use super::Worked;
use super::record::{RECORD_SIZE, Sample, game_of, is_same_position, merged, ply_of};
use super::source::DataSource;
use super::text::LineError;

const MAGIC: [u8; 8] = *b"SMALTPOS";
const HEADER_SIZE: usize = 64;

/// Format version written. Older versions are readable, newer ones are rejected.
pub(crate) const VERSION: u32 = 3;

/// First version with one record per game.
const ONE_GAME_EACH: u32 = 3;

/// Why a file of positions could not be read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("not a file of positions")]
    Foreign,
    /// Written by a later version of this program.
    #[error(
        "version {0} of the format is newer than this program, which reads up to {VERSION}: extract the games again, or update"
    )]
    Newer(u32),
    #[error("the file is damaged: {0}")]
    Damaged(&'static str),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A file of positions, mapped into memory.
pub struct PositionFile {
    map: Mmap,
    /// End of the records.
    end: usize,
    players: Vec<String>,
    version: u32,
}

/// The content of a compressed file of positions, as a temporary file; `None` for any other file.
fn unpacked(path: &Path) -> io::Result<Option<File>> {
    if begins_with(path, &MAGIC) {
        return Ok(None);
    }
    let mut start = [0; MAGIC.len()];
    let mut content = DataSource::open(path).map_err(|error| error.error)?;
    if content.read_exact(&mut start).is_err() || start != MAGIC {
        return Ok(None);
    }
    let mut file = tempfile::tempfile()?;
    file.write_all(&start)?;
    io::copy(&mut content, &mut file)?;
    Ok(Some(file))
}

impl PositionFile {
    /// Maps a file and checks its header and length. A compressed one (gzip, zstd) is unpacked into a temporary file.
    ///
    /// # Errors
    /// If it is not such a file, damaged, or newer than this program.
    pub(crate) fn open(path: &Path) -> Result<PositionFile, FileError> {
        // A pipe has no length, and opening it twice would lose its data.
        if std::fs::metadata(path)?.len() < HEADER_SIZE as u64 {
            return Err(FileError::Foreign);
        }
        let file = match unpacked(path)? {
            Some(file) => file,
            None => File::open(path)?,
        };
        #[expect(unsafe_code, reason = "a memory map is a system call")]
        // SAFETY: the map is only read, as bytes, for which any value is valid. If another program shortens the file,
        // the system ends this process with a signal; the writer below replaces files and never shortens them.
        let map = unsafe { Mmap::map(&file)? };
        if map.len() < HEADER_SIZE || map[..8] != MAGIC {
            return Err(FileError::Foreign);
        }
        let short = |at: usize| u32::from_le_bytes(std::array::from_fn(|index| map[at + index]));
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|index| map[at + index]));
        if short(8) > VERSION {
            return Err(FileError::Newer(short(8)));
        }
        if short(12) as usize != RECORD_SIZE {
            return Err(FileError::Damaged("wrong size of records"));
        }
        let records = long(16).checked_mul(RECORD_SIZE as u64);
        let length = records.and_then(|records| records.checked_add(long(40)));
        if length != Some((map.len() - HEADER_SIZE) as u64) {
            return Err(FileError::Damaged("it is not as long as its header says"));
        }
        let end = map.len() - long(40) as usize;
        let names = str::from_utf8(&map[end..]).map_err(|_| FileError::Damaged("the names are not text"))?;
        let players = names.lines().map(str::to_owned).collect();
        Ok(PositionFile { end, players, version: short(8), map })
    }

    /// Player names; player n is at index n - 1.
    pub(crate) fn players(&self) -> &[String] {
        &self.players
    }

    fn records(&self) -> &[u8] {
        &self.map[HEADER_SIZE..self.end]
    }

    /// Number of records with the mean result of several games: 0 since version 3. In such records the results of
    /// held-out games leak into the fit.
    pub(crate) fn merged_over_games(&self) -> usize {
        if self.version >= ONE_GAME_EACH {
            return 0;
        }
        let (records, _) = self.records().as_chunks::<RECORD_SIZE>();
        records
            .iter()
            .filter(|record| Sample::from_bytes(record).is_ok_and(|sample| sample.count > 1))
            .count()
    }

    /// All records in order, with their numbers, without merging those of one position.
    pub(super) fn samples(&self) -> impl Iterator<Item = (u64, Result<Sample, LineError>)> {
        let (records, _) = self.records().as_chunks::<RECORD_SIZE>();
        (1..).zip(records.iter().map(|bytes| Sample::from_bytes(bytes).map_err(LineError::Record)))
    }

    /// All records game by game, in the order of their plies, with their numbers.
    pub(super) fn samples_by_game(&self) -> impl Iterator<Item = (u64, Result<Sample, LineError>)> {
        let (records, _) = self.records().as_chunks::<RECORD_SIZE>();
        let mut order: Vec<usize> = (0..records.len()).collect();
        order.par_sort_unstable_by_key(|&index| (game_of(&records[index]), ply_of(&records[index]), index));
        let read = |index: usize| Sample::from_bytes(&records[index]).map_err(LineError::Record);
        order.into_iter().map(move |index| (index as u64 + 1, read(index)))
    }

    /// See [`super::Dataset::for_each_batch`].
    pub(super) fn for_each_batch<T: Send>(
        &self,
        size: usize,
        held_out: &(dyn Fn(u32) -> bool + Sync),
        work: &(impl Fn(&Sample) -> T + Sync),
        give: &mut dyn FnMut(Vec<Worked<T>>),
    ) {
        let (records, _) = self.records().as_chunks::<RECORD_SIZE>();
        let mut start = 0;
        while start < records.len() {
            let mut end = (start + size).min(records.len());
            while end < records.len() && is_same_position(&records[end - 1], &records[end]) {
                end += 1;
            }
            let mut groups = Vec::with_capacity(end - start);
            let mut number = start as u64 + 1;
            for group in records[start..end].chunk_by(is_same_position) {
                groups.push((number, group));
                number += group.len() as u64;
            }
            let read = |&(number, group): &(u64, &[_])| {
                let samples = samples_of(number, group, held_out);
                samples.into_iter().map(|(number, sample)| (number, sample.map(|sample| work(&sample))))
            };
            give(groups.par_iter().flat_map_iter(read).collect());
            start = end;
        }
    }
}

/// Samples of one position's records: one of the held-out games and one of the others. An unreadable record yields an
/// error with its number.
fn samples_of(
    number: u64,
    group: &[[u8; RECORD_SIZE]],
    held_out: &dyn Fn(u32) -> bool,
) -> Vec<(u64, Result<Sample, LineError>)> {
    let mut results = Vec::with_capacity(1);
    let mut sides = [Vec::new(), Vec::new()];
    for (number, record) in (number..).zip(group) {
        match Sample::from_bytes(record) {
            Ok(sample) => sides[usize::from(held_out(sample.game))].push(sample),
            Err(error) => results.push((number, Err(LineError::Record(error)))),
        }
    }
    results.extend(sides.iter().filter_map(|side| merged(side)).map(|sample| (number, Ok(sample))));
    results
}

/// Writes records into a temporary file.
pub(super) struct PositionWriter {
    file: io::BufWriter<NamedTempFile>,
    seed: u64,
    count: u64,
    hash: u64,
}

impl PositionWriter {
    pub(crate) fn create(file: NamedTempFile, seed: u64) -> io::Result<PositionWriter> {
        let mut file = io::BufWriter::with_capacity(1 << 18, file);
        file.write_all(&[0; HEADER_SIZE])?;
        Ok(PositionWriter { file, seed, count: 0, hash: HASH_START })
    }

    pub(crate) fn push(&mut self, record: &[u8; RECORD_SIZE]) -> io::Result<()> {
        self.count += 1;
        self.hash = hashed(self.hash, record);
        self.file.write_all(record)
    }

    /// Appends the names of the players and returns the complete file.
    pub(crate) fn finish(mut self, players: &[String]) -> io::Result<NamedTempFile> {
        let names: String = players.iter().map(|name| format!("{}\n", name.replace('\n', " "))).collect();
        self.file.write_all(names.as_bytes())?;
        let mut header = [0; HEADER_SIZE];
        header[0..8].copy_from_slice(&MAGIC);
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        header[12..16].copy_from_slice(&(RECORD_SIZE as u32).to_le_bytes());
        header[16..24].copy_from_slice(&self.count.to_le_bytes());
        header[24..32].copy_from_slice(&self.seed.to_le_bytes());
        header[32..40].copy_from_slice(&self.hash.to_le_bytes());
        header[40..48].copy_from_slice(&(names.len() as u64).to_le_bytes());
        let mut file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&header)?;
        Ok(file)
    }
}

/// Initial value of [`hashed`]: the offset basis of FNV-1a.
pub const HASH_START: u64 = 0xcbf2_9ce4_8422_2325;

/// Hash continued over more bytes: FNV-1a (Fowler, Noll, Vo) over words of eight bytes, the last one zero-padded,
/// with a rotation after each multiplication to mix the high bits down.
pub fn hashed(hash: u64, bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(hash, |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0100_0000_01b3).rotate_left(29)
    })
}
