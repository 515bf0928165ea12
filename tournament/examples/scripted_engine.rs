//! The scripted engine, built with the tests of this package.

use std::process::ExitCode;

fn main() -> ExitCode {
    smalt_scripted::run()
}
