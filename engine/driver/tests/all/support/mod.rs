//! Helpers of the conversation tests: the scripted engine's path, an engine run with one search, and whether a process
//! group has ended.

#![allow(dead_code, reason = "not every test needs all of it")]

use std::time::Duration;

use smalt_chess::UciMove;
use smalt_driver::{
    ConversationError, Engine, EngineCommand, EngineTimeouts, GameOptions, SearchRequest, SearchResult,
    WaitContext,
};
use smalt_protocol::SearchLimits;
use smalt_protocol::uci::client::Start;
use smalt_testing::process::wait_until;
pub(crate) use smalt_testing::process::{LONG, example};

/// Short enough to wait for in a test.
pub(crate) const SHORT: Duration = Duration::from_millis(60);

pub(crate) const LENIENT: EngineTimeouts =
    EngineTimeouts { start: LONG, ready: LONG, new_game: LONG, stop: LONG, write: LONG, quit: LONG };

/// A search from the start position without a short deadline.
pub(crate) fn request<'a>(moves: &'a [UciMove], limits: &'a SearchLimits) -> SearchRequest<'a> {
    SearchRequest { start: Start::Standard, moves, limits, deadline: LONG, stop_after: None }
}

/// Limits to this depth.
pub(crate) fn to_depth(depth: u32) -> SearchLimits {
    SearchLimits { depth: Some(depth), ..SearchLimits::default() }
}

/// One search after these moves.
pub(crate) fn search(
    engine: &mut dyn Engine,
    moves: &[&str],
    limits: &SearchLimits,
    deadline: Duration,
) -> Result<SearchResult, ConversationError> {
    let moves: Vec<_> = moves.iter().map(|mv| mv.parse().unwrap()).collect();
    let request = SearchRequest { deadline, ..request(&moves, limits) };
    engine.search(&request, &mut WaitContext::none(), None)
}

/// Handshake, new game, and one search within the deadline.
pub(crate) fn live(
    engine: &mut dyn Engine,
    limits: &SearchLimits,
    deadline: Duration,
) -> Result<SearchResult, ConversationError> {
    engine.introduce(&mut WaitContext::none())?;
    engine.new_game(GameOptions::default(), &mut WaitContext::none())?;
    search(engine, &[], limits, deadline)
}

/// The scripted engine with these space-separated arguments.
pub(crate) fn scripted(arguments: &str) -> EngineCommand {
    EngineCommand::new(example("scripted")).arguments(arguments.split_whitespace())
}

/// Whether this process runs; on Windows its job ends with it.
#[cfg(windows)]
pub(crate) fn group_lives(process: u32) -> bool {
    smalt_testing::process::is_running(process)
}

/// Whether any process of this group runs; zombies do not count.
#[cfg(unix)]
pub(crate) fn group_lives(group: u32) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { return false };
        let Some((_, rest)) = stat.rsplit_once(')') else { return false };
        let fields: Vec<_> = rest.split_ascii_whitespace().collect();
        fields[2] == group.to_string() && fields[0] != "Z"
    })
}

/// Waits until the group has ended.
pub(crate) fn assert_group_ends(group: u32) {
    wait_until(&format!("the end of group {group}"), || !group_lives(group));
}

/// Drops the engine and waits until its group has ended.
pub(crate) fn assert_nothing_left(engine: impl Engine) {
    let group = engine.process().pid();
    drop(engine);
    assert_group_ends(group);
}
