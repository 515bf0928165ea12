//! The scores so far, in a file beside the output, for a run that is stopped or killed: a line that tells what they are scores
//! of, then 2 bytes for each position, little-endian.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Score of a position without a legal move.
const NO_SCORE: i16 = i16::MIN;

/// An open file of scores.
#[derive(Debug)]
pub(crate) struct UnfinishedScores {
    path: PathBuf,
    file: File,
}

impl UnfinishedScores {
    /// Opens the file beside the output and reads its scores, rounded down to a multiple of `batch`. `origin` is one line that
    /// tells engine, limit and positions; scores of another origin are deleted.
    ///
    /// # Errors
    /// If the file can't be read or written.
    pub(crate) fn open(
        output: &Path,
        origin: &str,
        batch: usize,
    ) -> io::Result<(UnfinishedScores, Vec<Option<i16>>)> {
        let mut path = output.to_owned().into_os_string();
        path.push(".part");
        let path = PathBuf::from(path);
        let origin = format!("{origin}\n").into_bytes();
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        let known = bytes.strip_prefix(&origin[..]).unwrap_or_default();
        let known = &known[..known.len() - known.len() % (2 * batch)];
        let mut file = File::options().append(true).create(true).open(&path)?;
        if bytes.starts_with(&origin) {
            file.set_len((origin.len() + known.len()) as u64)?;
        } else {
            file.set_len(0)?;
            file.write_all(&origin)?;
        }
        let score = |pair: &[u8; 2]| Some(i16::from_le_bytes(*pair)).filter(|score| *score != NO_SCORE);
        let scores = known.as_chunks().0.iter().map(score).collect();
        Ok((UnfinishedScores { path, file }, scores))
    }

    /// Appends the scores of the next positions.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub(crate) fn push(&mut self, scores: &[Option<i16>]) -> io::Result<()> {
        let bytes = scores.iter().flat_map(|score| score.unwrap_or(NO_SCORE).to_le_bytes());
        self.file.write_all(&bytes.collect::<Vec<u8>>())
    }

    /// Deletes the file: the output has the scores now.
    pub(crate) fn finish(self) {
        drop(self.file);
        let _ = fs::remove_file(self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_batches_of_the_same_origin_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("x.bin");
        let open = |origin: &str| UnfinishedScores::open(&output, origin, 2).unwrap();
        let (mut file, known) = open("a");
        assert_eq!(known, []);
        file.push(&[Some(-7), None]).unwrap();
        file.push(&[Some(300), Some(1500), Some(1)]).unwrap();
        drop(file);
        let whole = [Some(-7), None, Some(300), Some(1500)];
        let (mut file, known) = open("a");
        assert_eq!(known, whole);
        file.push(&[Some(2), Some(3)]).unwrap();
        let (_, known) = open("a");
        assert_eq!(known, [&whole[..], &[Some(2), Some(3)]].concat());
        let (file, known) = open("b");
        assert_eq!(known, []);
        file.finish();
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }
}
