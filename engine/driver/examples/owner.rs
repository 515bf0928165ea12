//! Starts the engine given on the command line, prints its process id and waits to be killed. The tests then check that
//! the engine is dead too.

#![expect(clippy::print_stdout, reason = "its output is what the test reads")]

use std::time::Duration;

use smalt_driver::{Engine, EngineCommand, EngineTimeouts, Fault, UciEngine, WaitContext};

fn main() -> Result<(), Fault> {
    let mut arguments = std::env::args_os().skip(1);
    let command = EngineCommand::new(arguments.next().unwrap_or_default()).arguments(arguments);
    let mut engine = UciEngine::start(&command, EngineTimeouts::default())?;
    let introduced = engine.introduce(&mut WaitContext::none());
    println!("{} {}", engine.process().pid(), introduced.is_ok());
    std::thread::sleep(Duration::from_secs(600));
    Ok(())
}
