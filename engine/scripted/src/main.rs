//! The program `smalt-scripted`.

use std::process::ExitCode;

fn main() -> ExitCode {
    smalt_scripted::run()
}
