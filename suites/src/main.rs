//! The program `smalt-suites`.

use std::process::ExitCode;

fn main() -> ExitCode {
    smalt_suites::cli::main(smalt::serve::run)
}
