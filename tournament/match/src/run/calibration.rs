//! Speed of this machine in nodes per second of the built-in engine, for scaled time controls.

use std::num::NonZeroU64;
use std::path::Path;
use std::time::Duration;

use smalt_driver::{
    ConversationError, EngineCommand, EngineTimeouts, GameOptions, Protocol, SearchRequest, WaitContext,
};
use smalt_protocol::SearchLimits;
use smalt_protocol::uci::client::Start;

/// Nodes of the measurement: a second or two on most machines.
const NODES: u64 = 1_000_000;

/// Timeout of the measurement.
const LONGEST: Duration = Duration::from_secs(120);

/// Nodes per second of the built-in engine on one thread, from the start position.
///
/// # Errors
/// If the engine fails.
pub fn measure_speed(own_program: &Path) -> Result<NonZeroU64, ConversationError> {
    let command = EngineCommand::new(own_program).argument("engine");
    let mut context = WaitContext::none();
    let mut engine =
        smalt_driver::start(&command, Protocol::Uci, EngineTimeouts::default(), None, &mut context)?;
    engine.new_game(GameOptions::default(), &mut context)?;
    let limits = SearchLimits { nodes: Some(NODES), ..SearchLimits::default() };
    let request = SearchRequest {
        start: Start::Standard,
        moves: &[],
        limits: &limits,
        deadline: LONGEST,
        stop_after: None,
    };
    let searched = engine.search(&request, &mut context, None)?;
    engine.quit();
    let nodes = searched.report.nodes.unwrap_or(NODES) as f64;
    let speed = nodes / searched.elapsed.as_secs_f64().max(1e-6);
    Ok(NonZeroU64::new(speed as u64).unwrap_or(NonZeroU64::MIN))
}
