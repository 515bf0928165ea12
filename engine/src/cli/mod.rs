//! The command line: parses arguments into a [`Command`] and runs it. Results go to standard output, errors to standard
//! error.

mod arguments;
mod perft;
mod perft_suite;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use smalt::bench;
use smalt::evaluation::{Parameters, explain};
use smalt::openings::{OpeningsError, OpeningsPlan, ParseOpeningsError};
use smalt::search::KnownEnding;
use smalt_chess::Position;

use arguments::{Arguments, Command};

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CommandEnd {
    Done,
    /// A count of a perft suite differs.
    Failed,
    /// Lines of a suite were invalid.
    Incomplete,
}

/// Why a command could not complete.
#[derive(Debug, thiserror::Error)]
enum CommandError {
    #[error("{0}\n\nFor more information, try '--help'.")]
    Usage(#[from] ParseOpeningsError),
    #[error("can't read {path}: {source}")]
    Read { path: String, source: io::Error },
    #[error("{} holds no counts: expected lines like FEN ;D1 20 ;D2 400", .0.display())]
    NoCounts(PathBuf),
    #[error("{path} holds no parameters: {source}")]
    Parameters { path: String, source: smalt::evaluation::ParametersError },
    #[error("there is no memory for a perft table of {hash} MB")]
    PerftMemory { hash: usize },
    #[error(transparent)]
    Bench(#[from] bench::NoBenchMemoryError),
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    #[error("can't write the result: {0}")]
    Write(#[from] io::Error),
}

impl CommandError {
    fn exit_code(&self) -> u8 {
        match self {
            CommandError::Write(_)
            | CommandError::Bench(_)
            | CommandError::PerftMemory { .. }
            | CommandError::Openings(OpeningsError::Exhausted) => 1,
            _ => 2,
        }
    }
}

/// Runs the command given by the process's arguments.
pub(crate) fn main() -> ExitCode {
    let command = match Command::of(smalt_about::parse_from::<Arguments>(arguments::words())) {
        Ok(Command::Serve) => return smalt::serve::run(),
        command => command.map_err(CommandError::from),
    };
    match command.and_then(|command| run(command, &mut io::stdout().lock())) {
        Ok(CommandEnd::Done) => ExitCode::SUCCESS,
        Ok(CommandEnd::Failed) => ExitCode::from(1),
        Ok(CommandEnd::Incomplete) => ExitCode::from(3),
        Err(CommandError::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // If standard error is closed too, only the exit code remains.
            let _ = writeln!(io::stderr(), "smalt: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

fn run(command: Command, out: &mut impl Write) -> Result<CommandEnd, CommandError> {
    match command {
        Command::Serve => {}
        Command::About(about) => about.run(Command::definition(), out)?,
        Command::Bench(plan) => writeln!(out, "{}", bench::run(plan)?)?,
        Command::Perft(plan) => perft::run(&plan, out)?,
        Command::PerftSuite(plan) => return perft_suite::run(&plan, out),
        Command::Openings(plan) => make_openings(&plan, out)?,
        Command::Eval { position, parameters } => evaluate(&position, parameters.as_deref(), out)?,
    }
    out.flush()?;
    Ok(CommandEnd::Done)
}

fn evaluate(position: &Position, path: Option<&Path>, out: &mut impl Write) -> Result<(), CommandError> {
    let parameters = match path {
        None => Parameters::embedded().clone(),
        Some(path) => {
            let name = || path.display().to_string();
            Parameters::parse_toml(&read_file(path)?)
                .map_err(|source| CommandError::Parameters { path: name(), source })?
        }
    };
    writeln!(out, "{}", explain(position, &parameters))?;
    if let Some(ending) = KnownEnding::of(position) {
        writeln!(out, "{ending}")?;
    }
    Ok(())
}

fn make_openings(plan: &OpeningsPlan, out: &mut impl Write) -> Result<(), CommandError> {
    if !plan.ignored.is_empty() {
        let _ = writeln!(io::stderr(), "smalt: genfens: ignored: {}", plan.ignored.join(" "));
    }
    let mut written = Ok(());
    plan.run(&mut |position| {
        if written.is_ok() {
            written = writeln!(out, "info string genfens {}", position.to_fen());
        }
    })?;
    Ok(written?)
}

fn read_file(path: &Path) -> Result<String, CommandError> {
    let bytes = std::fs::read(path)
        .map_err(|source| CommandError::Read { path: path.display().to_string(), source })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
