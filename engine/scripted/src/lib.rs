//! A chess engine for tests: it plays legal moves at once, or the moves of a script, and misbehaves on command.
//!
//! Its moves depend only on the position, so a game between two of them is always the same. It answers in microseconds,
//! so the time of a test run is the runner's own. Modules in reading order:
//!
//! - `fault`: faults by name and trigger;
//! - `arguments`: the moves to play and the faults to show;
//! - `board`: the position, and a deterministic choice of a move;
//! - `output`: whole lines, and faults of the output;
//! - `misbehavior`, `lingering`: faults of a search, and a child process that outlives the engine;
//! - `session`: the UCI loop.

mod arguments;
mod board;
mod fault;
mod lingering;
mod misbehavior;
mod output;
mod session;

use std::io::Write;
use std::process::ExitCode;

use arguments::ScriptRequest;

/// Runs the engine on standard input and output with this process's arguments.
///
/// It is a library so that other crates can build it as an example, together with their tests.
pub fn run() -> ExitCode {
    match arguments::parse(lexopt::Parser::from_env()) {
        Ok(ScriptRequest::Play(script)) => session::run(script),
        Ok(ScriptRequest::Linger(time)) => lingering::linger(time),
        Ok(ScriptRequest::Detach) => lingering::detach(),
        Ok(ScriptRequest::Help) => print(std::io::stdout(), &arguments::help(), 0),
        Ok(ScriptRequest::Version) => {
            print(std::io::stdout(), concat!("smalt-scripted ", env!("CARGO_PKG_VERSION"), "\n"), 0)
        }
        Err(error) => print(std::io::stderr(), &format!("smalt-scripted: {error}; see --help\n"), 2),
    }
}

/// Writes a text and returns an exit code. A closed pipe is not an error.
fn print(mut to: impl Write, text: &str, code: u8) -> ExitCode {
    let _closed = to.write_all(text.as_bytes());
    ExitCode::from(code)
}
