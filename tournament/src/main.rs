//! The program `smalt-tournament`. It links the engine's serve loop, so that it can be the engine `builtin` itself.

use std::process::ExitCode;

fn main() -> ExitCode {
    smalt_tournament::main(smalt::serve::run_builtin)
}
