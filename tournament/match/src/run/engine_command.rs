//! Command and timeouts with which an entrant's engine is started.

use std::path::Path;

use smalt_driver::process::StderrPolicy;
use smalt_driver::{EngineCommand, EngineTimeouts};

use crate::plan::{Entrant, Program, Timeouts};

/// The command that starts an entrant's engine; the built-in one is this program.
pub fn engine_command(entrant: &Entrant, own_program: &Path) -> EngineCommand {
    let command = match &entrant.program {
        Program::Builtin => EngineCommand::new(own_program).argument("engine"),
        Program::Command(path) => EngineCommand::new(path),
    };
    let command = command.arguments(&entrant.engine.args);
    let command = match &entrant.engine.stderr {
        Some(file) => command.stderr(StderrPolicy::File(file.clone())),
        None => command,
    };
    match &entrant.engine.dir {
        Some(directory) => command.directory(directory),
        None => command,
    }
}

/// Timeouts of an engine other than those of moves.
pub fn engine_timeouts(timeouts: &Timeouts) -> EngineTimeouts {
    EngineTimeouts {
        start: timeouts.start.duration(),
        ready: timeouts.ping.duration(),
        new_game: timeouts.newgame.unwrap_or(timeouts.ping).duration(),
        stop: timeouts.stop.duration(),
        write: timeouts.write.duration(),
        quit: timeouts.quit.duration(),
    }
}
