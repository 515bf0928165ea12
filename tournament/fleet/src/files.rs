//! Files that travel with a run: engines, their books, the files of their options, and tablebases. The coordinator sends them only
//! when asked to, and a worker takes them only if its user permits it, since it runs the programs. A file is named by its
//! SHA-256 on the way, and its content is compared with it on arrival.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use smalt_match::plan::{EngineSettings, Entrant, Plan, Program};
use smalt_match::run::engine_command;
use smalt_workbench::engine_files::sha256;
use smalt_workbench::entrant::{is_file_option, is_input_option};
use smalt_workbench::source;

use super::machine::platform;
use super::wire::{FileMessage, FilePurpose, check_files, is_table_name};

/// A file of this machine that is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentFile {
    pub message: FileMessage,
    pub path: PathBuf,
}

/// Whether the program of an engine is sent: one that needs arguments, a working folder or xboard commands is not, since these
/// are not sent.
pub fn is_sendable(engine: &EngineSettings) -> bool {
    engine.args.is_empty() && engine.dir.is_none() && engine.initstr.is_none()
}

/// The files of a plan: programs of [sendable](is_sendable) engines, books, the files that options name for reading, and
/// tablebases.
///
/// # Errors
/// If a file cannot be read, or the files are too many or too large for a run.
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
                files.push((FilePurpose::Table { name }, path));
            }
        }
    }
    // Before all of them are read for their digests.
    let sizes = files.iter().map(|(_, path)| Ok(in_file(path, fs::metadata(path))?.len()));
    let sizes = sizes.collect::<io::Result<Vec<u64>>>()?;
    check_files(sizes.into_iter())
        .map_err(|words| io::Error::other(format!("send the files of the run: {words}")))?;
    files.into_iter().map(|(purpose, path)| describe(purpose, path)).collect()
}

fn of_entrant(
    entrant: u32,
    planned: &Entrant,
    own_program: &Path,
) -> io::Result<Vec<(FilePurpose, PathBuf)>> {
    let mut files = Vec::new();
    let engine = &planned.engine;
    if planned.program != Program::Builtin && is_sendable(engine) {
        let program = engine_command(planned, own_program).locate().map_err(io::Error::other)?;
        let bench = source::expected_bench(engine, &source::cache_folder());
        files.push((FilePurpose::Program { entrant, platform: platform(), bench }, program));
    }
    files.extend(engine.book.clone().map(|book| (FilePurpose::Book { entrant }, book)));
    for (option, value) in &engine.options {
        let is_input = is_file_option(option, value) && is_input_option(option);
        if is_input && Path::new(&value.0).is_file() {
            let option = option.clone();
            files.push((FilePurpose::Option { entrant, option }, PathBuf::from(&value.0)));
        }
    }
    Ok(files)
}

fn describe(purpose: FilePurpose, path: PathBuf) -> io::Result<SentFile> {
    let mut file = in_file(&path, File::open(&path))?;
    let bytes = in_file(&path, file.metadata())?.len();
    let sha256 = in_file(&path, sha256(&mut file))?;
    Ok(SentFile { message: FileMessage { purpose, sha256, bytes }, path })
}

/// Names the file in an error.
fn in_file<T>(path: &Path, result: io::Result<T>) -> io::Result<T> {
    result.map_err(|error| io::Error::new(error.kind(), format!("read {}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use smalt_match::plan::Settings;
    use smalt_workbench::entrant::Registry;

    /// The purposes of the files of a plan with this first engine, whose program and `net` exist.
    fn purposes(engine: &str) -> Vec<FilePurpose> {
        let folder = tempfile::tempdir().unwrap();
        let program = std::env::current_exe().unwrap();
        let file = folder.path().join("net");
        fs::write(&file, "weights").unwrap();
        let toml = |path: &Path| toml::Value::from(path.display().to_string()).to_string();
        let text = format!(
            "run.format = \"match\"\nclock.nodes = 100\n[[entrant]]\nname = \"new\"\ncmd = {}\n{}\n[[entrant]]\ncmd = \"builtin\"",
            toml(&program),
            engine.replace("NET", &toml(&file))
        );
        let layer = Settings::parse_layer(&text, "p.toml").unwrap();
        let plan = Plan::of_layers(layer, &Registry::default()).unwrap();
        let files = collect(&plan, &program).unwrap();
        files.into_iter().map(|file| file.message.purpose).collect()
    }

    #[test]
    fn engines_with_settings_that_are_not_sent_are_not_sent() {
        let program = FilePurpose::Program { entrant: 0, platform: platform(), bench: None };
        assert_eq!(purposes(""), [program]);
        for setting in ["args = [\"-q\"]", "dir = \"/\"", "proto = \"xboard\"\ninitstr = \"book off\""] {
            assert_eq!(purposes(setting), [], "{setting}");
        }
    }

    #[test]
    fn the_book_of_an_engine_is_sent() {
        let sent = purposes("args = [\"-q\"]\nbook = NET");
        assert_eq!(sent, [FilePurpose::Book { entrant: 0 }]);
    }

    #[test]
    fn files_that_an_engine_writes_are_not_sent() {
        let options =
            ["EvalFile", "Debug Log File", "BookLogFile", "Experience File", "Book1 File", "SomeFile"];
        let settings: String = options.map(|option| format!("options.\"{option}\" = NET\n")).concat();
        let sent = purposes(&settings).into_iter().filter_map(|purpose| match purpose {
            FilePurpose::Option { option, .. } => Some(option),
            _ => None,
        });
        assert_eq!(sent.collect::<Vec<_>>(), ["Book1 File", "EvalFile"]);
    }
}
