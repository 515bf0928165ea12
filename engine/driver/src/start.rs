//! Starts an engine and completes the handshake; detects the protocol.

use std::time::Duration;

use crate::conversation::{ConversationError, EngineTimeouts};
use crate::engine::Engine;
use crate::fault::Fault;
use crate::process::{EngineCommand, StartError};
use crate::settings::Protocol;
use crate::transcript::{SharedSink, Speaker, TranscriptLine, TranscriptSink};
use crate::uci::UciEngine;
use crate::wait_context::WaitContext;
use crate::xboard::XboardEngine;

/// Time for an engine of unknown protocol to write its first line before the other protocol is tried.
const FIRST_TRY: Duration = Duration::from_millis(1500);

/// An engine whose handshake failed, with its transcript.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{error}")]
pub struct StartFailure {
    #[source]
    pub error: ConversationError,
    /// The last lines of the conversation, if any.
    pub transcript: Vec<TranscriptLine>,
}

impl From<StartFailure> for ConversationError {
    fn from(failure: StartFailure) -> Self {
        failure.error
    }
}

impl From<Fault> for StartFailure {
    fn from(fault: Fault) -> Self {
        let error = match fault {
            Fault::WouldNotStart(error @ StartError::Exhausted { .. }) => {
                ConversationError::System { reason: error.to_string() }
            }
            fault => fault.into(),
        };
        StartFailure { error, transcript: Vec::new() }
    }
}

/// Starts an engine and completes the handshake. The sink, if any, gets every line from the first on. The calling
/// thread must live as long as the engine: when it ends, the system kills the engine.
///
/// # Errors
/// A fault of the engine, or the interrupt; its process is killed.
pub fn start(
    command: &EngineCommand,
    protocol: Protocol,
    timeouts: EngineTimeouts,
    sink: Option<Box<dyn TranscriptSink>>,
    context: &mut WaitContext<'_>,
) -> Result<Box<dyn Engine>, StartFailure> {
    match protocol {
        Protocol::Uci => introduced(UciEngine::start(command, timeouts)?, sink, context).map(boxed),
        Protocol::Xboard => introduced(XboardEngine::start(command, timeouts)?, sink, context).map(boxed),
        Protocol::Auto => find_out(command, timeouts, sink, context),
    }
}

fn boxed(engine: impl Engine + 'static) -> Box<dyn Engine> {
    Box::new(engine)
}

fn introduced<E: Engine>(
    mut engine: E,
    sink: Option<Box<dyn TranscriptSink>>,
    context: &mut WaitContext<'_>,
) -> Result<E, StartFailure> {
    engine.set_transcript_sink(sink);
    match engine.introduce(context) {
        Ok(()) => Ok(engine),
        Err(error) => Err(StartFailure { error, transcript: engine.last_lines() }),
    }
}

/// Tries UCI briefly, then xboard, then UCI or xboard with the full timeout, for a slow UCI engine or one that knows
/// only version 1 of xboard and so sends nothing. Each try starts a new process, since an unknown command may crash an
/// engine.
fn find_out(
    command: &EngineCommand,
    timeouts: EngineTimeouts,
    sink: Option<Box<dyn TranscriptSink>>,
    context: &mut WaitContext<'_>,
) -> Result<Box<dyn Engine>, StartFailure> {
    let sink = sink.map(SharedSink::new);
    let clone = || sink.clone().map(|sink| Box::new(sink) as Box<dyn TranscriptSink>);
    let short = EngineTimeouts { start: FIRST_TRY.min(timeouts.start), ..timeouts };
    let mut uci = UciEngine::start(command, short)?;
    uci.quit_on_refusal();
    let was_silent = match introduced(uci, clone(), context) {
        Ok(engine) => return Ok(Box::new(engine)),
        Err(failure) if !matches!(failure.error, ConversationError::Fault(_)) => return Err(failure),
        Err(failure) => first_word(&failure.transcript).is_none(),
    };
    let mut has_written = !was_silent;
    let xboard = match introduced(XboardEngine::start(command, timeouts)?, clone(), context) {
        Ok(engine) if engine.has_features() => Some(engine),
        Ok(engine) => {
            has_written |= engine.process().has_written();
            None
        }
        Err(failure) if !matches!(failure.error, ConversationError::Fault(_)) => return Err(failure),
        Err(_) => None,
    };
    let mut slow = match xboard {
        // An engine this slow may still have been starting during the first try.
        Some(engine) if !(was_silent && is_slow(&engine)) => return Ok(Box::new(engine)),
        _ => UciEngine::start(command, timeouts)?,
    };
    if xboard.is_some() {
        slow.quit_on_refusal();
    }
    match (introduced(slow, clone(), context), xboard) {
        (Ok(engine), _) => Ok(Box::new(engine)),
        (Err(StartFailure { error: ConversationError::Fault(_), .. }), Some(engine)) => Ok(Box::new(engine)),
        (
            Err(StartFailure { error: ConversationError::Fault(Fault::NoUciok { waited, .. }), transcript }),
            None,
        ) => {
            if !has_written && first_word(&transcript).is_none() {
                return Err(StartFailure { error: Fault::NoLine { waited }.into(), transcript });
            }
            introduced(XboardEngine::start(command, timeouts)?, clone(), context).map(boxed)
        }
        (Err(failure), _) => Err(failure),
    }
}

/// Whether its first line took so long that its earlier process may still have been starting when the first try ended.
fn is_slow(engine: &XboardEngine) -> bool {
    first_word(&engine.transcript().lines()).is_some_and(|after| after > FIRST_TRY / 2)
}

/// Time of the engine's first line, from the beginning of the conversation.
fn first_word(transcript: &[TranscriptLine]) -> Option<Duration> {
    transcript.iter().find(|line| line.speaker == Speaker::Engine).map(|line| line.after)
}
