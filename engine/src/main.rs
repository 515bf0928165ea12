//! The program: serves without arguments, else measures or explains.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
