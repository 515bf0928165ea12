//! Real engines: one move each, through every method of `Engine`.

use std::time::Duration;

use smalt_driver::{
    Engine, EngineCommand, EngineTimeouts, ExitOutcome, GameOptions, SearchRequest, SearchResult, State,
    UciEngine, WaitContext,
};
use smalt_protocol::SearchLimits;

use crate::support::request;

/// Program, arguments, and the prefix of its name.
const ENGINES: [(&str, &[&str], &str); 5] = [
    ("stockfish", &[], "Stockfish"),
    ("ethereal-chess", &[], "Ethereal"),
    ("toga2", &[], "Toga"),
    ("glaurung", &[], "Glaurung"),
    ("gnuchess", &["-u"], "GNU"),
];

fn search(
    engine: &mut UciEngine,
    moves: &[&str],
    limits: &SearchLimits,
    stop_after: Option<Duration>,
) -> SearchResult {
    let moves: Vec<_> = moves.iter().map(|mv| mv.parse().unwrap()).collect();
    let request = SearchRequest { stop_after, ..request(&moves, limits) };
    engine.search(&request, &mut WaitContext::none(), None).unwrap()
}

fn check(program: &str, arguments: &[&str], name: &str) {
    let nothing = &mut WaitContext::none();
    let command = EngineCommand::new(program).arguments(arguments);
    let mut engine = UciEngine::start(&command, EngineTimeouts::default()).unwrap();
    engine.introduce(nothing).unwrap();
    assert!(engine.name().starts_with(name), "{program} calls itself {}", engine.name());
    engine.set_option("Hash", "8", nothing).unwrap();
    engine.new_game(GameOptions::default(), nothing).unwrap();

    let depth = SearchLimits { depth: Some(6), ..SearchLimits::default() };
    let searched = search(&mut engine, &["e2e4", "e7e5"], &depth, None);
    assert!(searched.best.is_some() && !searched.report.pv.is_empty(), "{program}: {searched:?}");
    assert!(searched.report.score.is_some() && searched.report.nodes > Some(0), "{program}: {searched:?}");

    let infinite = SearchLimits { infinite: true, ..SearchLimits::default() };
    let stopped = search(&mut engine, &["e2e4", "e7e5", "g1f3"], &infinite, Some(Duration::from_millis(50)));
    assert!(stopped.best.is_some(), "{program}: {stopped:?}");

    let moves = [];
    let request = request(&moves, &infinite);
    engine.begin(&request, nothing).unwrap();
    engine.abandon(nothing).unwrap();
    assert_eq!(engine.state(), State::Idle);
    engine.ping(nothing).unwrap();
    let outcome = engine.quit();
    assert!(matches!(outcome, ExitOutcome::Quit(_)), "{program}: {outcome:?}");
}

#[test]
#[ignore = "needs the chess engines of Debian"]
fn real_engines_keep_the_protocol() {
    for (program, arguments, name) in ENGINES {
        check(program, arguments, name);
    }
}
