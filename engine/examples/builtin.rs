//! A program that is the engine `builtin`, for tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    smalt::serve::run_builtin()
}
