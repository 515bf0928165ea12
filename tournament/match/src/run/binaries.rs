//! SHA-256 of the engine programs on this machine: a rebuild during a run would mix two engines under one name.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use ring::digest::{Context, SHA256};

use smalt_workbench::file_stamp::FileStamp;
use smalt_workbench::source::is_unbuilt;

use super::engine_command::engine_command;
use crate::plan::Plan;

/// The programs of all entrants, in plan order; `None` for commits that are not built yet.
#[derive(Debug)]
pub struct Binaries(Vec<Option<Binary>>);

#[derive(Debug)]
struct Binary {
    entrant: String,
    path: PathBuf,
    sha256: String,
    /// Stamp of the last hashed file.
    seen: Mutex<FileStamp>,
}

impl Binaries {
    /// Reads and hashes the programs.
    ///
    /// # Errors
    /// If one cannot be found or read; the text names the entrant.
    pub fn of(plan: &Plan, own_program: &Path) -> Result<Binaries, String> {
        let mut binaries: Vec<Option<Binary>> = Vec::new();
        for entrant in &plan.entrants {
            if is_unbuilt(&entrant.engine) {
                binaries.push(None);
                continue;
            }
            let read = || -> Result<Binary, String> {
                let path =
                    engine_command(entrant, own_program).locate().map_err(|error| error.to_string())?;
                let (sha256, seen) = match binaries.iter().flatten().find(|binary| binary.path == path) {
                    Some(same) => (same.sha256.clone(), same.stamp()),
                    None => read(&path).map_err(|error| format!("read {}: {error}", path.display()))?,
                };
                Ok(Binary { entrant: entrant.name.clone(), path, sha256, seen: Mutex::new(seen) })
            };
            let binary = read().map_err(|words| format!("engine {:?}: failed to {words}", entrant.name))?;
            binaries.push(Some(binary));
        }
        Ok(Binaries(binaries))
    }

    /// SHA-256 of each, in hexadecimal.
    pub fn digests(&self) -> Vec<Option<String>> {
        self.0.iter().map(|binary| Some(binary.as_ref()?.sha256.clone())).collect()
    }

    /// Compares with the digests at the start of the run; `None` if unknown.
    ///
    /// # Errors
    /// If a program has changed.
    pub fn compare(&self, begun: &[Option<String>]) -> Result<(), String> {
        let mut known = self.0.iter().zip(begun).filter_map(|(now, then)| now.as_ref().zip(then.as_ref()));
        let other = known.find(|(now, then)| **then != now.sha256);
        other.map_or(Ok(()), |(binary, _)| Err(binary.words()))
    }

    /// Checks that the program of this entrant is unchanged.
    ///
    /// # Errors
    /// If it has changed; the text follows "failed to". An unreadable program is not an error here.
    pub(crate) fn check(&self, entrant: usize) -> Result<(), String> {
        let Some(binary) = &self.0[entrant] else { return Ok(()) };
        let Ok(found) = std::fs::metadata(&binary.path) else { return Ok(()) };
        if FileStamp::of(&found) == binary.stamp() {
            return Ok(());
        }
        match read(&binary.path) {
            Ok((sha256, _)) if sha256 != binary.sha256 => Err(format!("continue: {}", binary.words())),
            Ok((_, seen)) => {
                *binary.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = seen;
                Ok(())
            }
            Err(_) => Ok(()),
        }
    }
}

impl Binary {
    fn stamp(&self) -> FileStamp {
        *self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn words(&self) -> String {
        format!(
            "the program of {} has changed since the run began: {} has other content now, and the games would mix two \
             engines; put the old file back, or permit it by --allow-mixed",
            self.entrant,
            self.path.display()
        )
    }
}

fn read(path: &Path) -> io::Result<(String, FileStamp)> {
    let mut file = File::open(path)?;
    let seen = FileStamp::of(&file.metadata()?);
    Ok((sha256(&mut file)?, seen))
}

/// SHA-256 of a file, in hexadecimal.
///
/// # Errors
/// If it cannot be read.
pub fn sha256(file: &mut File) -> io::Result<String> {
    let mut context = Context::new(&SHA256);
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            count => context.update(&buffer[..count]),
        }
    }
    Ok(context.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From FIPS 180-2, appendix B.1.
    #[test]
    fn the_digest_of_a_file_is_that_of_its_bytes() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "abc").unwrap();
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(&mut File::open(file.path()).unwrap()).unwrap(), expected);
    }
}
