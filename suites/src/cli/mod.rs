//! The command line: flags, exit codes, displays. The only module that prints.

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
mod score;

use std::process::ExitCode;

use clap::CommandFactory;
use smalt_driver::process::{adopt_orphans, end_orphans, raise_file_limit, run_reaper};
use smalt_workbench::signals::exit_code;

use arguments::{Arguments, Command};
use exit::{Exit, Refusal};

/// The built-in engine, as far as this program needs it.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// Serves on standard input and output until quit.
    pub serve: fn() -> ExitCode,
    /// Runs the bench; gives its nodes and nodes a second.
    pub bench: fn() -> (u64, u64),
    /// Its version.
    pub version: &'static str,
}

/// The program.
pub fn main(builtin: Builtin) -> ExitCode {
    let command = smalt_about::parse::<Arguments>().command;
    if !matches!(command, Command::Engine | Command::Reaper) {
        raise_file_limit();
        if let Err(error) = adopt_orphans() {
            output::tell(&format!("Warning: what engines leave behind may stay: {error}"));
        }
    }
    let result = run(&command, builtin);
    end_orphans();
    match result {
        Ok(code) => code,
        Err(refusal) => {
            output::tell(&format!("smalt-suites: {refusal}"));
            exit_code(refusal.exit)
        }
    }
}

fn run(command: &Command, builtin: Builtin) -> Result<ExitCode, Refusal> {
    let exit = match command {
        Command::Engine => return Ok((builtin.serve)()),
        Command::Reaper => {
            run_reaper(std::io::stdin().lock());
            Exit::Done
        }
        Command::About(about) => {
            output::print_with(|out| about.run(Arguments::command(), out))?;
            Exit::Done
        }
        Command::Score(flags) => score::score(flags)?.0,
        Command::Grade(flags) => grade::grade(flags)?,
        Command::List => browse::list()?,
        Command::Show(flags) => browse::show(flags)?,
        Command::Compare(flags) => compare::compare(flags)?,
        Command::History(flags) => history::history(flags, builtin)?,
    };
    Ok(exit_code(exit))
}
