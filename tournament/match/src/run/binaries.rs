//! The files of the engines on this machine: a rebuild during a run would mix two engines under one name.

use std::path::Path;
use std::sync::Arc;

use smalt_workbench::engine_files::EngineFiles;
use smalt_workbench::source::is_unbuilt;

use super::engine_command::engine_command;
use crate::plan::Plan;

/// The programs of all entrants, in plan order; `None` for commits that are not built yet.
#[derive(Debug)]
pub struct Binaries(Vec<Option<Binary>>);

#[derive(Debug)]
struct Binary {
    entrant: String,
    files: Arc<EngineFiles>,
}

impl Binaries {
    /// Reads and hashes the programs, and the scripts and networks that they are given.
    ///
    /// # Errors
    /// If one cannot be found or read; the text names the entrant.
    pub fn of(plan: &Plan, own_program: &Path) -> Result<Binaries, String> {
        let mut binaries: Vec<Option<Binary>> = Vec::new();
        for entrant in &plan.entrants {
            let engine = &entrant.engine;
            if is_unbuilt(engine) {
                binaries.push(None);
                continue;
            }
            let read = || -> Result<Arc<EngineFiles>, String> {
                let program =
                    engine_command(entrant, own_program).locate().map_err(|error| error.to_string())?;
                let options = engine.option_texts();
                let paths = EngineFiles::paths_of(&program, &engine.args, &options, engine.dir.as_deref());
                let same = binaries.iter().flatten().find(|binary| binary.files.paths().eq(&paths));
                match same {
                    Some(same) => Ok(Arc::clone(&same.files)),
                    None => EngineFiles::read(paths).map(Arc::new).map_err(|error| format!("read {error}")),
                }
            };
            let files = read().map_err(|words| format!("engine {:?}: failed to {words}", entrant.name))?;
            binaries.push(Some(Binary { entrant: entrant.name.clone(), files }));
        }
        Ok(Binaries(binaries))
    }

    /// SHA-256 of the files of each, in hexadecimal.
    pub fn digests(&self) -> Vec<Option<String>> {
        self.0.iter().map(|binary| Some(binary.as_ref()?.files.digest())).collect()
    }

    /// SHA-256 of each program alone, in hexadecimal.
    pub fn program_digests(&self) -> impl Iterator<Item = Option<&str>> {
        self.0.iter().map(|binary| Some(binary.as_ref()?.files.program_digest()))
    }

    /// Compares with the digests at the start of the run; `None` if unknown. Those of runs before 0.2.0 are of programs
    /// alone.
    ///
    /// # Errors
    /// If an engine has changed.
    pub fn compare(&self, begun: &[Option<String>]) -> Result<(), String> {
        let mut known = self.0.iter().zip(begun).filter_map(|(now, then)| now.as_ref().zip(then.as_ref()));
        let other =
            known.find(|(now, then)| **then != now.files.digest() && **then != *now.files.program_digest());
        other.map_or(Ok(()), |(binary, _)| {
            let paths: Vec<String> = binary.files.paths().map(|path| path.display().to_string()).collect();
            Err(binary.words(&paths.join(" or ")))
        })
    }

    /// Checks that the files of this entrant are unchanged.
    ///
    /// # Errors
    /// If one has changed; the text follows "failed to". An unreadable file is not an error here.
    pub(crate) fn check(&self, entrant: usize) -> Result<(), String> {
        let Some(binary) = &self.0[entrant] else { return Ok(()) };
        match binary.files.changed() {
            Some(path) => Err(format!("continue: {}", binary.words(&path.display().to_string()))),
            None => Ok(()),
        }
    }
}

impl Binary {
    fn words(&self, path: &str) -> String {
        format!(
            "the program of {} has changed since the run began: {path} has other content now, and the games would mix two \
             engines; put the old file back, or permit it by --allow-mixed",
            self.entrant
        )
    }
}
