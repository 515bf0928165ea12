//! The scripted engine as an example of this crate, so that `cargo test` builds it with the tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    smalt_scripted::run()
}
