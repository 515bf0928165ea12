//! Command and timeouts of an entrant's engine.

use std::path::Path;

use smalt_driver::{EngineCommand, EngineTimeouts};

use crate::plan::{Entrant, SecondsSetting, Timeouts};

/// The command that starts an entrant's engine; the built-in one is this program.
pub fn engine_command(entrant: &Entrant, own_program: &Path) -> EngineCommand {
    entrant.engine.command_of(&entrant.program, own_program)
}

/// Timeouts of an entrant's engine other than those of moves.
pub fn engine_timeouts(timeouts: &Timeouts, entrant: &Entrant) -> EngineTimeouts {
    let scaled = |seconds: SecondsSetting| seconds.duration().mul_f64(entrant.engine.tscale.unwrap_or(1.0));
    EngineTimeouts {
        start: scaled(timeouts.start),
        ready: scaled(timeouts.ping),
        new_game: scaled(timeouts.newgame.unwrap_or(timeouts.ping)),
        stop: scaled(timeouts.stop),
        write: scaled(timeouts.write),
        quit: scaled(timeouts.quit),
    }
}
