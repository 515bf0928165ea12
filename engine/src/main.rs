//! The engine program: without arguments it serves a protocol; commands run bench, perft, eval and more.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    smalt_about::run_faster_build();
    cli::main()
}
