//! What users type, and what they see. The only part that prints, and the only one that knows flags.

mod arguments;
mod check;
mod commit;
mod extract;
mod plot;
mod prove;
mod texel;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, anyhow};
use clap::Parser;
use serde::Serialize;
use smalt::evaluation::Parameters;
use smalt_report::{Cell, Column, Kind, Sign, Table};

use crate::dataset::{Dataset, SkippedLine};
use crate::weights::difference::differences;
use arguments::{Arguments, Command, DiffFlags};

/// Lines that could not be read and are named; the others are counted.
const NAMED_LINES: usize = 10;

/// How a command ended, by the table of exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All that was asked was done.
    Done = 0,
    /// It failed while running.
    Failed = 1,
    /// Wrong usage or input file.
    Usage = 2,
    /// Something was left out.
    Incomplete = 3,
    /// Somebody cut it short.
    Interrupted = 130,
}

/// An error and the exit code that it means.
pub(crate) struct Refusal {
    exit: Exit,
    error: anyhow::Error,
}

impl<E: Into<anyhow::Error>> From<E> for Refusal {
    fn from(error: E) -> Refusal {
        Refusal { exit: Exit::Failed, error: error.into() }
    }
}

/// Marks errors as the user's.
trait OrUsage<T> {
    fn or_usage(self) -> Result<T, Refusal>;
}

impl<T, E: Into<anyhow::Error>> OrUsage<T> for Result<T, E> {
    fn or_usage(self) -> Result<T, Refusal> {
        self.map_err(|error| Refusal { exit: Exit::Usage, error: error.into() })
    }
}

/// Runs what the arguments of the process say.
pub fn main() -> ExitCode {
    let exit = match run(Arguments::parse().command) {
        Ok(exit) => exit,
        Err(Refusal { error, .. }) if is_closed_pipe(&error) => Exit::Done,
        Err(Refusal { exit, error }) => {
            tell(&format!("smalt-tuner: {}", sentence(&error)));
            exit
        }
    };
    ExitCode::from(exit as u8)
}

fn run(command: Command) -> Result<Exit, Refusal> {
    match command {
        Command::Extract(flags) => extract::run(&flags),
        Command::Texel(flags) => texel::run(&flags),
        Command::Diff(flags) => diff(&flags),
        Command::Check(flags) => check::run(&flags),
        Command::Plot(flags) => plot::run(&flags),
        Command::Prove(flags) => prove::run(&flags),
    }
}

fn diff(flags: &DiffFlags) -> Result<Exit, Refusal> {
    let groups = differences(&parameters(&flags.before)?, &parameters(&flags.after)?);
    let mut table = Table::new([
        Column::new("group", Kind::Text),
        Column::new("weights", Kind::Integer),
        Column::new("changed", Kind::Integer),
        Column::new("mean mg", Kind::Number(1, Sign::Both)),
        Column::new("mean eg", Kind::Number(1, Sign::Both)),
        Column::new("spread", Kind::Number(1, Sign::Negative)),
    ]);
    for group in &groups {
        let [middlegame, endgame] = group.mean;
        let counts = [group.weights, group.changes.len()].map(|count| Cell::from(count as u64));
        let numbers = [middlegame, endgame, group.spread].map(Cell::from);
        table.push(std::iter::once(Cell::from(group.group)).chain(counts).chain(numbers));
    }
    let mut out = table.to_text();
    if flags.all {
        for change in groups.iter().flat_map(|group| &group.changes) {
            let [before, after] = [change.before, change.after].map(|[mg, eg]| format!("[{mg}, {eg}]"));
            out.push_str(&format!("{}: {before} -> {after}\n", change.name));
        }
    }
    print(&out)?;
    Ok(Exit::Done)
}

/// Reads a parameter file.
fn parameters(path: &Path) -> Result<Parameters, Refusal> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).with_context(|| shown.to_string()).or_usage()?;
    Parameters::parse_toml(&text).with_context(|| shown.to_string()).or_usage()
}

fn open(path: &Path) -> Result<Dataset, Refusal> {
    Dataset::open(path).or_usage()
}

/// Names the first lines that were left out, and counts the others.
#[derive(Default)]
struct Skipped {
    count: u64,
}

impl Skipped {
    fn tell(&mut self, path: &Path, skipped: &SkippedLine) {
        self.count += 1;
        if self.count <= NAMED_LINES as u64 {
            tell(&format!("{}:{}: left out: {}", path.display(), skipped.line, skipped.error));
        }
    }

    fn exit(&self) -> Exit {
        if self.count > NAMED_LINES as u64 {
            tell(&format!("{} lines were left out in all", self.count));
        }
        if self.count == 0 { Exit::Done } else { Exit::Incomplete }
    }
}

/// A flag that Ctrl-C raises; a second Ctrl-C ends the program at once.
fn interrupt() -> Result<Arc<AtomicBool>, Refusal> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(
            signal,
            Exit::Interrupted as i32,
            Arc::clone(&flag),
        )?;
        signal_hook::flag::register(signal, Arc::clone(&flag))?;
    }
    Ok(flag)
}

/// Work on so many threads, or on all processors.
fn with_threads<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> Result<T, Refusal> + Send,
) -> Result<T, Refusal>
where
    Refusal: Send,
{
    if threads == Some(0) {
        return Err(anyhow!("--threads 0: at least one thread is needed")).or_usage();
    }
    rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build()?.install(work)
}

/// A share from the command line.
fn check_share(flag: &str, share: f64) -> Result<(), Refusal> {
    if (0.0..=1.0).contains(&share) {
        return Ok(());
    }
    Err(anyhow!("{flag} {share}: expected a share from 0 to 1")).or_usage()
}

fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Refusal> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    if path == Path::new("-") {
        return print(&text);
    }
    std::fs::write(path, text).with_context(|| path.display().to_string())?;
    Ok(())
}

fn print(text: &str) -> Result<(), Refusal> {
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

/// Says something on standard error; where that is closed, nobody hears it.
fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let io_error = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    io_error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// An error with its reasons, each said once.
fn sentence(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}
