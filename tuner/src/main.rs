//! The program `smalt-tuner`.

use std::process::ExitCode;

fn main() -> ExitCode {
    smalt_about::check_processor();
    smalt_tuner::main()
}
