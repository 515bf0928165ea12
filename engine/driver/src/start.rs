//! Starts an engine in whichever protocol it speaks, up to the end of its introduction. Knows no more of the protocols
//! than their names.

use crate::conversation::{ConversationError, Patience};
use crate::engine::Engine;
use crate::entrant::Protocol;
use crate::meanwhile::Meanwhile;
use crate::process::EngineCommand;
use crate::transcript::{TranscriptLine, TranscriptSink};
use crate::uci::UciEngine;

/// An engine that did not get as far as the end of its introduction, and what was said until then.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{error}")]
pub struct StartFailure {
    /// What stopped it.
    #[source]
    pub error: ConversationError,
    /// The last lines of the conversation; empty if there was none.
    pub transcript: Vec<TranscriptLine>,
}

impl From<StartFailure> for ConversationError {
    fn from(failure: StartFailure) -> Self {
        failure.error
    }
}

/// Starts an engine and has it introduce itself. The sink, if any, gets every line from the first on. The calling
/// thread must be the long-lived one that will own the engine: when it ends, the system kills the engine.
///
/// # Errors
/// A fault of the engine, or the interrupt; then no process of it is left.
pub fn start(
    command: &EngineCommand,
    protocol: Protocol,
    patience: Patience,
    sink: Option<Box<dyn TranscriptSink>>,
    meanwhile: &mut Meanwhile<'_>,
) -> Result<Box<dyn Engine>, StartFailure> {
    let spawned: Result<Box<dyn Engine>, _> = match protocol {
        Protocol::Uci | Protocol::Xboard | Protocol::Auto => {
            UciEngine::start(command, patience).map(|engine| Box::new(engine) as Box<dyn Engine>)
        }
    };
    let mut engine = spawned.map_err(|fault| StartFailure { error: fault.into(), transcript: Vec::new() })?;
    engine.set_transcript_sink(sink);
    match engine.introduce(meanwhile) {
        Ok(()) => Ok(engine),
        Err(error) => Err(StartFailure { error, transcript: engine.transcript().lines() }),
    }
}
