//! Files that travel with a run: engines, the files of their options, and endgame tables. The coordinator sends them only
//! when asked to, and a worker takes them only if its user permits it, since it runs the programs. A file is named by its
//! SHA-256 on the way, and its content is compared with it on arrival.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use smalt_match::plan::{Entrant, Plan, Program};
use smalt_match::run::{engine_command, sha256};

use super::run_config::is_file_option;
use super::wire::{FileMessage, FilePurpose, is_table_name};

/// A file of this machine that is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentFile {
    pub message: FileMessage,
    pub path: PathBuf,
}

/// Processor and system of this program, e.g. `x86_64-linux`.
pub(crate) fn platform() -> String {
    format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)
}

/// The files of a plan. Engines that have arguments or a working folder are left out: a worker gets neither.
///
/// # Errors
/// If a file cannot be read.
pub fn collect(plan: &Plan, own_program: &Path) -> io::Result<Vec<SentFile>> {
    let mut files = Vec::new();
    for (entrant, planned) in (0..).zip(&plan.entrants) {
        files.extend(of_entrant(entrant, planned, own_program)?);
    }
    let folders = plan.tablebases().and_then(|rule| rule.path.as_deref());
    let pieces = plan.tablebases().map_or(0, |rule| rule.pieces as usize);
    for folder in folders.into_iter().flat_map(std::env::split_paths) {
        let mut tables: Vec<PathBuf> =
            fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>()?;
        tables.sort();
        for path in tables {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // KRPvKR has six pieces: its letters without the v.
            let count = name.split('.').next().map_or(0, |pieces| pieces.len().saturating_sub(1));
            if is_table_name(&name) && (pieces == 0 || count <= pieces) {
                files.push(describe(FilePurpose::Table { name }, path)?);
            }
        }
    }
    Ok(files)
}

fn of_entrant(entrant: u32, planned: &Entrant, own_program: &Path) -> io::Result<Vec<SentFile>> {
    let mut files = Vec::new();
    let engine = &planned.engine;
    if planned.program != Program::Builtin && engine.args.is_empty() && engine.dir.is_none() {
        let program = engine_command(planned, own_program).locate().map_err(io::Error::other)?;
        files.push(describe(FilePurpose::Program { entrant, platform: platform() }, program)?);
    }
    for (option, value) in &engine.options {
        if is_file_option(option, value) && Path::new(&value.0).is_file() {
            let option = option.clone();
            files.push(describe(FilePurpose::Option { entrant, option }, PathBuf::from(&value.0))?);
        }
    }
    Ok(files)
}

fn describe(purpose: FilePurpose, path: PathBuf) -> io::Result<SentFile> {
    let failed = |error: io::Error| io::Error::new(error.kind(), format!("read {}: {error}", path.display()));
    let mut file = File::open(&path).map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    let sha256 = sha256(&mut file).map_err(failed)?;
    Ok(SentFile { message: FileMessage { purpose, sha256, bytes }, path })
}
