//! The scripted engine, built as an example of this crate so that `cargo test` builds it too.

use std::process::ExitCode;

fn main() -> ExitCode {
    smalt_scripted::run()
}
