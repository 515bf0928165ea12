//! Our memory use stays constant however much an engine prints. A separate program, since it measures the whole
//! process.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "all/support/mod.rs"]
mod support;

use smalt_driver::{Engine, EngineTimeouts, UciEngine, WaitContext};
use support::{assert_nothing_left, request, scripted, to_depth};

/// Maximum memory per engine, in kilobytes.
const CEILING: u64 = 2048;

/// Peak memory of this process, in kilobytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

fn search_once(arguments: &str) {
    let mut engine = UciEngine::start(&scripted(arguments), EngineTimeouts::default()).unwrap();
    engine.introduce(&mut WaitContext::none()).unwrap();
    let limits = to_depth(1);
    let request = request(&[], &limits);
    // The result is for other tests to check.
    let _ = engine.search(&request, &mut WaitContext::none(), None);
    assert_nothing_left(engine);
}

#[test]
fn floods_and_endless_lines_cost_no_memory() {
    search_once("--info-lines 3");
    let before = peak();
    for arguments in
        ["--fault flood-stdout --flood 100", "--fault flood-stderr --flood 100", "--fault endless-line"]
    {
        search_once(arguments);
        let grown = peak() - before;
        assert!(grown < CEILING, "{arguments}: {grown} KB");
    }
}
