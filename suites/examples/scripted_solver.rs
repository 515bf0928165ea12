//! The scripted engine as a program of this crate, so that `cargo test` builds it along with the tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    smalt_scripted::run()
}
