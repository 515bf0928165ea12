//! The program: serves without arguments, else measures or explains.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    smalt_about::check_processor();
    smalt_about::run_faster_build();
    cli::main()
}
