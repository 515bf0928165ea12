//! The scores so far, in a file beside the output, for a run that is stopped or killed: a line with engine, nodes and hash of the
//! positions, then 2 bytes for each position, little-endian.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use smalt_workbench::file_lock::lock_soon;
use smalt_workbench::output_file::Existing;

/// Score of a position without one.
const NO_SCORE: i16 = i16::MIN;

/// Begins the first line.
const MARK: &str = "smalt scores 1: ";

/// Why the file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UnfinishedError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{}: another run is writing it", .0.display())]
    Busy(PathBuf),
    #[error("{}: the file exists, and `rescore` did not write it; delete it, or choose another output", .0.display())]
    Foreign(PathBuf),
    #[error("{}: it has {scores} scores of a run that was not finished ({origin}); --force deletes them", path.display())]
    Other { path: PathBuf, origin: String, scores: usize },
}

/// An open file of scores.
#[derive(Debug)]
pub(crate) struct UnfinishedScores {
    path: PathBuf,
    /// Locked while it is open.
    file: File,
}

impl UnfinishedScores {
    /// Opens the file beside the output and reads its scores, rounded down to a multiple of `batch`. `origin` is one line with
    /// engine, nodes and positions.
    ///
    /// # Errors
    /// If the file can't be read or written, another run has it open, or it is another file. Also if its scores are of another
    /// origin, unless they may be replaced.
    pub(crate) fn open(
        output: &Path,
        origin: &str,
        batch: usize,
        existing: Existing,
    ) -> Result<(UnfinishedScores, Vec<Option<i16>>), UnfinishedError> {
        let mut path = output.to_owned().into_os_string();
        path.push(".part");
        let path = PathBuf::from(path);
        let failed = |source| UnfinishedError::Io { path: path.clone(), source };
        let opened = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = opened.map_err(failed)?;
        lock_soon(&file).map_err(|error| match error {
            TryLockError::WouldBlock => UnfinishedError::Busy(path.clone()),
            TryLockError::Error(source) => failed(source),
        })?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let line = format!("{MARK}{origin}\n").into_bytes();
        let known = match bytes.strip_prefix(&line[..]) {
            Some(known) => &known[..known.len() - known.len() % (2 * batch)],
            None if bytes.is_empty()
                || existing == Existing::Replace && bytes.starts_with(MARK.as_bytes()) =>
            {
                &[]
            }
            None => {
                let Some(rest) = bytes.strip_prefix(MARK.as_bytes()) else {
                    return Err(UnfinishedError::Foreign(path));
                };
                let other = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
                let origin = String::from_utf8_lossy(other).into_owned();
                let scores = (rest.len() - other.len()) / 2;
                return Err(UnfinishedError::Other { path, origin, scores });
            }
        };
        let mut prepare = || -> io::Result<()> {
            if known.is_empty() {
                // The old scores go first: no kill leaves them behind the new line.
                file.set_len(0)?;
                file.rewind()?;
                return file.write_all(&line);
            }
            let length = (line.len() + known.len()) as u64;
            file.set_len(length)?;
            file.seek(io::SeekFrom::Start(length)).map(drop)
        };
        prepare().map_err(failed)?;
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
        let open = |origin: &str, existing| UnfinishedScores::open(&output, origin, 2, existing);
        let (mut file, known) = open("a", Existing::Keep).unwrap();
        assert_eq!(known, []);
        assert!(matches!(open("a", Existing::Keep), Err(UnfinishedError::Busy(_))));
        file.push(&[Some(-7), None]).unwrap();
        file.push(&[Some(300), Some(1500), Some(1)]).unwrap();
        drop(file);
        let whole = [Some(-7), None, Some(300), Some(1500)];
        let (mut file, known) = open("a", Existing::Keep).unwrap();
        assert_eq!(known, whole);
        file.push(&[Some(2), Some(3)]).unwrap();
        drop(file);
        assert!(
            matches!(open("b", Existing::Keep), Err(UnfinishedError::Other { origin, scores: 6, .. }) if origin == "a")
        );
        let (file, known) = open("a", Existing::Replace).unwrap();
        assert_eq!(known, [&whole[..], &[Some(2), Some(3)]].concat());
        drop(file);
        let (file, known) = open("b", Existing::Replace).unwrap();
        assert_eq!(known, []);
        file.finish();
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
        fs::write(folder.path().join("x.bin.part"), "my own file").unwrap();
        assert!(matches!(open("a", Existing::Replace), Err(UnfinishedError::Foreign(_))));
    }
}
