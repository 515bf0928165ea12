//! What users type, and what they see: flags, exit codes, displays. The only part that prints, and the only one that
//! knows flags.

mod arguments;
mod browse;
mod compare;
mod exit;
mod grade;
mod intent;
mod output;
mod progress;
mod results;
mod score;
mod signals;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};
use exit::Refusal;

/// The program. `serve` is what makes it the built-in engine.
pub fn main(serve: fn() -> ExitCode) -> ExitCode {
    match run(&Arguments::parse().command, serve) {
        Ok(code) => code,
        Err(Refusal { exit, error }) => {
            output::tell(&format!("smalt-suites: {}", sentence(&error)));
            exit.into()
        }
    }
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

fn run(command: &Command, serve: fn() -> ExitCode) -> Result<ExitCode, Refusal> {
    let exit = match command {
        Command::Engine => return Ok(serve()),
        Command::Score(flags) => score::score(flags)?,
        Command::Grade(flags) => grade::grade(flags)?,
        Command::List => browse::list()?,
        Command::Show(flags) => browse::show(flags)?,
        Command::Compare(flags) => compare::compare(flags)?,
    };
    Ok(exit.into())
}
