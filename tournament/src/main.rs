//! The program `smalt-tournament`.

use std::process::ExitCode;

fn main() -> ExitCode {
    smalt_tournament::cli::main()
}
