//! The command line: arguments, exit codes and output. The only module that prints.

mod arguments;
mod check;
mod clop;
mod convert;
mod extract;
mod game_flags;
mod json;
mod night;
mod night_settings;
mod plot;
mod prove;
mod rescore;
mod sources;
mod spsa;
mod target;
mod texel;
mod traces;
mod tuning;

use smalt_report::sanitize::sanitize_lines;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, anyhow};
use clap::CommandFactory;
use serde::Serialize;
use smalt::evaluation::Parameters;
use smalt_workbench::exit::{Exit, OrRefuse, Refusal};
use smalt_workbench::input::{self, without_bom};
use smalt_workbench::json::{Versioned, to_text};
use smalt_workbench::output_file::{self, Existing, Output};
use smalt_workbench::signals::{exit_code, is_stopped};
use smalt_workbench::standard_output::{is_standard_output, print, print_info};

use crate::games::spelled_out;
use crate::weights::difference::{difference_table, differences};
use crate::weights::export::imported;
use crate::weights::schema::Schema;
use arguments::{
    CheckFlags, ClopFlags, DiffFlags, MemoryFlags, SpsaFlags, TexelFlags, TraceFlags, TunerArguments,
    TunerCommand,
};
use smalt_dataset::{Dataset, SkippedLine};

/// Evaluation parameter file, relative to the root of the project.
const PARAMETERS: &str = "engine/params/evaluation.toml";

/// Maximum number of unreadable lines listed; the others are counted.
const NAMED_LINES: usize = 10;

/// Maximum number of threads, as in the engine.
const MAX_THREADS: usize = 1024;

/// Runs the command of the arguments.
pub fn main() -> ExitCode {
    smalt_driver::process::catch_file_size_signal();
    match run(smalt_about::parse::<TunerArguments>().command) {
        Ok(exit) => exit_code(exit),
        Err(refusal) => {
            print_info(&format!("smalt-tuner: {refusal}"));
            // After a termination signal nothing more is read or saved.
            exit_code(if is_stopped() { Exit::Interrupted } else { refusal.exit })
        }
    }
}

fn run(mut command: TunerCommand) -> Result<Exit, Refusal> {
    if let Some((engine, registry)) = named_engine(&mut command) {
        *engine = spelled_out(engine, registry).with_context(|| format!("--engine {engine}")).or_usage()?;
    }
    match command {
        TunerCommand::Extract(flags) => extract::run(&flags),
        TunerCommand::Convert(flags) => convert::run(&flags),
        TunerCommand::Rescore(flags) => rescore::run(&flags),
        TunerCommand::Texel(flags) => texel::run(&flags),
        TunerCommand::Trace(flags) => traces::run(&flags),
        TunerCommand::Diff(flags) => diff(&flags),
        TunerCommand::Check(flags) => check::run(&flags),
        TunerCommand::Plot(flags) => plot::run(&flags),
        TunerCommand::Prove(flags) => prove::run(&flags),
        TunerCommand::Spsa(flags) => spsa::run(&flags),
        TunerCommand::Clop(flags) => clop::run(&flags),
        TunerCommand::Night(flags) => night::run(&flags),
        TunerCommand::Schema { name } => json::schema(name).map(|()| Exit::Done),
        TunerCommand::About(about) => {
            let mut text = Vec::new();
            about.run(TunerArguments::command(), &mut text).or_failed()?;
            print(&String::from_utf8_lossy(&text))?;
            Ok(Exit::Done)
        }
    }
}

/// The engine that the command names, and the registry with that name, if both are given.
fn named_engine(command: &mut TunerCommand) -> Option<(&mut String, &Path)> {
    let (engine, registry) = match command {
        TunerCommand::Texel(TexelFlags { engine, .. })
        | TunerCommand::Trace(TraceFlags { engine, .. })
        | TunerCommand::Check(CheckFlags { engine, .. }) => (engine.engine.as_mut(), &engine.registry),
        TunerCommand::Plot(flags) => (flags.engine.as_mut(), &flags.registry),
        TunerCommand::Rescore(flags) => (Some(&mut flags.engine), &flags.registry),
        TunerCommand::Prove(flags) => (Some(&mut flags.engine), &flags.registry),
        // The settings of a night keep the words, so that it resumes without the registry.
        TunerCommand::Night(flags) => (flags.settings.engine.as_mut(), &flags.registry),
        TunerCommand::Spsa(SpsaFlags { tuning, .. }) | TunerCommand::Clop(ClopFlags { tuning, .. }) => {
            (tuning.engine.as_mut(), &tuning.registry)
        }
        _ => return None,
    };
    engine.zip(registry.path.as_deref())
}

fn diff(flags: &DiffFlags) -> Result<Exit, Refusal> {
    let groups = differences(&parameters(&flags.before)?, &parameters(&flags.after)?);
    let mut out = difference_table(&groups).to_text();
    if flags.all {
        for change in groups.iter().flat_map(|group| &group.changes) {
            let [before, after] = [change.before, change.after].map(|[mg, eg]| format!("[{mg}, {eg}]"));
            out.push_str(&format!("{}: {before} -> {after}\n", change.name));
        }
    }
    print(&out)?;
    Ok(Exit::Done)
}

/// Reads an input file.
fn read_text(path: &Path) -> Result<String, Refusal> {
    input::read_text(path).with_context(|| path.display().to_string()).or_usage()
}

/// Reads a parameter file.
fn parameters(path: &Path) -> Result<Parameters, Refusal> {
    Parameters::parse_toml(without_bom(&read_text(path)?))
        .with_context(|| path.display().to_string())
        .or_usage()
}

/// Parameters of another engine's evaluation from a TOML or JSON file.
fn traced_parameters(path: &Path, schema: &Schema) -> Result<Vec<f64>, Refusal> {
    imported(without_bom(&read_text(path)?), schema).with_context(|| path.display().to_string()).or_usage()
}

fn open(path: &Path) -> Result<Dataset, Refusal> {
    Dataset::open(path).or_usage()
}

/// Names the first skipped lines, and counts the others.
#[derive(Default)]
struct Skipped {
    count: u64,
}

impl Skipped {
    fn report(&mut self, path: &Path, skipped: &SkippedLine) {
        self.count += 1;
        if self.count <= NAMED_LINES as u64 {
            print_info(&format!("{}:{}: skipped: {}", path.display(), skipped.line, skipped.error));
        }
    }

    fn exit(&self) -> Exit {
        if self.count > NAMED_LINES as u64 {
            print_info(&format!("{} lines were skipped in all", self.count));
        }
        if self.count == 0 { Exit::Done } else { Exit::Skipped }
    }
}

/// A flag that Ctrl-C raises; a second Ctrl-C ends the program at once.
fn interrupt() -> Result<Arc<AtomicBool>, Refusal> {
    let flag = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&flag);
    smalt_workbench::signals::handle(move || raised.store(true, Ordering::Relaxed), || {}).or_failed()?;
    Ok(flag)
}

/// Runs work on this number of threads, or on all processors.
fn with_threads<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> Result<T, Refusal> + Send,
) -> Result<T, Refusal>
where
    Refusal: Send,
{
    if let Some(threads) = threads.filter(|threads| !(1..=MAX_THREADS).contains(threads)) {
        return Err(anyhow!("--threads {threads}: expected 1 to {MAX_THREADS}")).or_usage();
    }
    rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build().or_failed()?.install(work)
}

/// Maximum memory of packed positions in bytes: as given, or half of the available memory if the system tells it (Linux).
fn memory_limit(flags: &MemoryFlags) -> u64 {
    let available = || {
        let text = std::fs::read_to_string("/proc/meminfo").ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
    };
    match flags.memory {
        Some(mib) => mib.saturating_mul(1 << 20),
        None => available().map_or(u64::MAX, |bytes| bytes / 2),
    }
}

/// A share from the command line.
fn check_share(flag: &str, share: f64) -> Result<(), Refusal> {
    if (0.0..=1.0).contains(&share) {
        return Ok(());
    }
    Err(anyhow!("{flag} {share}: expected a share from 0 to 1")).or_usage()
}

/// Shows a result: text for people, and JSON if requested. With JSON on standard output the text is omitted.
fn show<T: Serialize>(
    page: &str,
    json: Option<&Path>,
    outputs: &Outputs,
    document: impl FnOnce() -> T,
) -> Result<(), Refusal> {
    if !json.is_some_and(is_standard_output) {
        print(&sanitize_lines(page))?;
    }
    let Some(path) = json else { return Ok(()) };
    let document = Versioned::of(document());
    let text = to_text(&document);
    if is_standard_output(path) { print(&text) } else { outputs.write(path, &text) }
}

/// Output files of a command, with their state at its start.
#[derive(Default)]
struct Outputs(Vec<Output>);

impl Outputs {
    /// Checks before long work that its output files can be written, and that none of them is an input or another output.
    /// Existing files are refused without force.
    fn check<'a>(
        files: impl IntoIterator<Item = Option<&'a PathBuf>>,
        inputs: impl IntoIterator<Item = &'a Path>,
        force: bool,
    ) -> Result<Outputs, Refusal> {
        let files: Vec<&Path> = files.into_iter().flatten().map(PathBuf::as_path).collect();
        output_file::check_apart(&files, inputs).or_usage()?;
        let files = files.into_iter().filter(|path| !is_standard_output(path));
        let outputs = files.map(|path| Output::check(path, Existing::with_force(force)));
        outputs.collect::<Result<_, _>>().map(Outputs).or_usage()
    }

    /// The output of a path.
    fn get(&self, path: &Path) -> Result<Output, Refusal> {
        let checked = self.0.iter().find(|output| output.path() == path);
        checked.cloned().map_or_else(|| Output::check(path, Existing::Keep).or_failed(), Ok)
    }

    /// Writes a file that was checked. One that changed since is kept, and the text is written beside it.
    fn write(&self, path: &Path, text: &str) -> Result<(), Refusal> {
        self.get(path)?.write(text.as_bytes()).or_failed()
    }
}

/// Warns of a checkpoint that changed during the run: it is kept, and ours is beside it.
fn warn_of_moved_checkpoint(path: &Path, beside: &Path) {
    print_info(&format!(
        "Warning: {} changed during the run and is kept; the checkpoint is now {}",
        path.display(),
        beside.display()
    ));
}
