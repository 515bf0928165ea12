//! The command line: arguments, exit codes and output. The only module that prints.

mod arguments;
mod browse;
mod compare;
mod exit;
mod grade;
mod history;
mod intent;
mod output;
mod progress;
mod results;
mod resume;
mod schema;
mod score;

use std::process::ExitCode;

use clap::CommandFactory;
use smalt_driver::process::{
    adopt_orphans, catch_file_size_signal, end_orphans, raise_file_limit, run_reaper,
};
use smalt_workbench::signals::exit_code;

use arguments::{SuitesArguments, SuitesCommand};
use exit::{Exit, Refusal};

use crate::grade::Tablebases;

/// The built-in engine's entry points.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// Runs the engine on standard input and output until quit.
    pub serve: fn() -> ExitCode,
    /// Runs the bench; returns nodes and nodes per second.
    pub bench: fn() -> (u64, u64),
    /// Opens the Syzygy tablebases in these folders.
    pub open_tablebases: fn(&str) -> anyhow::Result<Tablebases>,
    pub version: &'static str,
}

pub fn main(builtin: Builtin) -> ExitCode {
    let mut command = smalt_about::parse::<SuitesArguments>().command;
    if !matches!(command, SuitesCommand::Engine | SuitesCommand::Reaper) {
        catch_file_size_signal();
        raise_file_limit();
        if let Err(error) = adopt_orphans() {
            output::print_info(&format!("Warning: what engines leave behind may stay: {error}"));
        }
    }
    let result = command.assign_outputs().and_then(|()| run(&command, builtin));
    end_orphans();
    match result {
        Ok(code) => code,
        Err(refusal) => {
            output::print_info(&format!("smalt-suites: {refusal}"));
            exit_code(refusal.exit)
        }
    }
}

fn run(command: &SuitesCommand, builtin: Builtin) -> Result<ExitCode, Refusal> {
    let exit = match command {
        SuitesCommand::Engine => return Ok((builtin.serve)()),
        SuitesCommand::Reaper => {
            run_reaper(std::io::stdin().lock());
            Exit::Done
        }
        SuitesCommand::About(about) => {
            output::print_with(|out| about.run(SuitesArguments::command(), out))?;
            Exit::Done
        }
        SuitesCommand::Score(flags) => score::score(flags, builtin)?.0,
        SuitesCommand::Grade(flags) => grade::grade(flags)?,
        SuitesCommand::List => browse::list()?,
        SuitesCommand::Show(flags) => browse::show(flags)?,
        SuitesCommand::Compare(flags) => compare::compare(flags)?,
        SuitesCommand::History(flags) => history::history(flags, builtin)?,
        SuitesCommand::Schema { name } => {
            schema::schema(*name)?;
            Exit::Done
        }
    };
    Ok(exit_code(exit))
}
