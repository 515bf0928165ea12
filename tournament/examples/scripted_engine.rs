//! The scripted engine, built along with the tests of this package, which play with it.

use std::process::ExitCode;

fn main() -> ExitCode {
    smalt_scripted::run()
}
