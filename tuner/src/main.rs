//! The program `smalt-tuner`.

use std::process::ExitCode;

fn main() -> ExitCode {
    smalt_tuner::main()
}
