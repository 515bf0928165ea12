//! The scripted engine, speaking xboard, commits each of its faults; one table has the driver's results.

use std::time::{Duration, Instant};

use smalt_chess::{CastlingMode, Color, Outcome};
use smalt_driver::Protocol;
use smalt_driver::{
    ConversationError, Engine, EngineTimeouts, ExitOutcome, GameOptions, LimitMethod, ResultClaim,
    SearchRequest, SearchResult, Speaker, State, WaitContext, XboardEngine,
};
use smalt_protocol::uci::client::Start;
use smalt_protocol::{Clock, OptionValue, SearchLimits};

use crate::support::{LENIENT, LONG, SHORT, assert_nothing_left, live, scripted, search, to_depth};

fn command(arguments: &str) -> smalt_driver::EngineCommand {
    scripted(&format!("--speak xboard --moves e2e4,e7e5,g1f3 {arguments}"))
}

/// Lets the engine search once and returns the name of its fault, its move or its claim; no process is left.
fn check_within(arguments: &str, timeouts: EngineTimeouts, deadline: Duration, expected: &str) {
    let begun = Instant::now();
    let mut engine = XboardEngine::start(&command(arguments), timeouts).unwrap();
    let outcome = match live(&mut engine, &to_depth(99), deadline) {
        Ok(SearchResult { best: Some(best), .. }) => best.to_string(),
        Ok(SearchResult { claim: Some(claim), .. }) => format!("{claim:?}"),
        Ok(_) => "no move".to_owned(),
        Err(ConversationError::Fault(fault)) => fault.name().to_owned(),
        Err(error) => panic!("{arguments}: {error}"),
    };
    assert_eq!(outcome, expected, "{arguments}");
    assert_nothing_left(engine);
    assert!(begun.elapsed() < LONG, "{arguments}: only a hang takes so long");
}

fn check(fault: &str, expected: &str) {
    check_within(&format!("--fault {fault}"), LENIENT, LONG, expected);
}

fn check_late(fault: &str, expected: &str) {
    check_within(&format!("--fault {fault}"), LENIENT, SHORT, expected);
}

#[test]
fn no_fault_is_no_fault() {
    check_within("--info-lines 3", LENIENT, LONG, "e2e4");
    check("crlf", "e2e4");
    check("trailing-garbage", "e2e4");
    check("nul-bytes", "e2e4");
    check("invalid-utf8", "e2e4");
    check("exit-after-bestmove", "e2e4");
}

#[test]
fn exits_and_crashes_are_named() {
    check("exit-at-start", "exited");
    check("exit", "exited");
    check("half-line-exit", "exited");
    check("crash", "crashed");
    check("close-stdout", "stdout-closed");
}

#[test]
fn a_missing_answer_is_named() {
    // Long enough for its first features: an engine that sends none speaks protocol version 1.
    check_within("--fault no-uciok", EngineTimeouts { start: 20 * SHORT, ..LENIENT }, LONG, "no-features");
    check_within("--fault no-readyok", EngineTimeouts { ready: SHORT, ..LENIENT }, LONG, "no-pong");
    check_late("hang", "no-bestmove");
    check_late("no-bestmove", "no-bestmove");
    check_late("info-forever", "no-bestmove");
    check_late("half-line", "no-bestmove");
}

#[test]
fn invalid_and_missing_moves_are_distinguished() {
    check("malformed-bestmove", "malformed-bestmove");
    check("missing-move", "no-move");
    check("none-move", "no-move");
    check("null-move", "no-move");
}

#[test]
fn a_refused_move_leaves_the_engine_usable() {
    let mut engine = XboardEngine::start(&command("--fault refuse-move@2"), LENIENT).unwrap();
    live(&mut engine, &to_depth(99), LONG).unwrap();
    let error = search(&mut engine, &["e2e4", "e7e5"], &to_depth(99), LONG).unwrap_err();
    assert!(error.to_string().contains("refused a legal move or position: `Illegal move: e7e5`"), "{error}");
    let next = search(&mut engine, &["e2e4", "e7e5"], &to_depth(99), LONG).unwrap();
    assert_eq!(next.best, Some("g1f3".parse().unwrap()));
    assert_nothing_left(engine);
}

#[test]
fn claims_are_reported() {
    check("resign", "Resigns");
    let won = ResultClaim::Result { outcome: Outcome::Win(Color::White), comment: "White mates".to_owned() };
    check("false-result", &format!("{won:?}"));
}

#[test]
fn floods_are_survived_and_endless_lines_are_not() {
    check("flood-stdout --flood 20", "e2e4");
    check("flood-stderr --flood 20", "e2e4");
    check("endless-line", "line-too-long");
}

#[test]
fn a_late_move_is_not_taken_for_the_next_search() {
    let mut engine = XboardEngine::start(&command("--fault late --delay 200"), LENIENT).unwrap();
    live(&mut engine, &to_depth(99), SHORT).unwrap_err();
    assert_eq!(engine.state(), State::Thinking);
    let next = search(&mut engine, &["e2e4", "e7e5"], &to_depth(99), LONG).unwrap();
    assert_eq!(next.best, Some("g1f3".parse().unwrap()));
    assert_nothing_left(engine);
}

#[test]
fn a_stray_move_is_not_taken_for_the_next_search() {
    let mut engine = XboardEngine::start(&command("--fault stray-bestmove"), LENIENT).unwrap();
    live(&mut engine, &to_depth(99), LONG).unwrap();
    engine.ping(&mut WaitContext::none()).unwrap();
    let next = search(&mut engine, &["e2e4", "e7e5"], &to_depth(99), LONG).unwrap();
    assert_eq!(next.best, Some("g1f3".parse().unwrap()));
    assert_nothing_left(engine);
}

#[test]
fn an_engine_that_ignores_move_now_and_quit_is_killed() {
    let command = command("--fault ignore-quit --fault ignore-stop --fault hang");
    let timeouts = EngineTimeouts { stop: SHORT, quit: SHORT, ..LENIENT };
    let mut engine = XboardEngine::start(&command, timeouts).unwrap();
    live(&mut engine, &to_depth(99), SHORT).unwrap_err();
    let error = engine.abandon(&mut WaitContext::none()).unwrap_err();
    assert!(error.to_string().contains("after `stop`"), "{error}");
    assert_eq!(engine.quit(), ExitOutcome::Gone);
    assert_nothing_left(engine);
}

#[test]
fn options_and_chess960_are_sent() {
    let nothing = &mut WaitContext::none();
    let able = command("--option");
    let able = able.argument("Move Overhead type spin default 1 min 0 max 9");
    let mut engine = XboardEngine::start(&able, LENIENT).unwrap();
    engine.introduce(nothing).unwrap();
    assert_eq!((engine.name(), engine.protocol()), ("Smalt Scripted", Protocol::Xboard));
    assert_eq!(engine.set_option("move overhead", "7", nothing), Ok(OptionValue::Spin(7)));
    assert_eq!(engine.transcript().lines().last().unwrap().text, "option Move Overhead=7");
    engine.set_option("Hash", "64", nothing).unwrap();
    assert_eq!(engine.transcript().lines().last().unwrap().text, "memory 64");
    let terms = GameOptions { variant: CastlingMode::Chess960, ..GameOptions::default() };
    engine.new_game(terms, nothing).unwrap();
    let mut unable = XboardEngine::start(&command("--no-chess960"), LENIENT).unwrap();
    unable.introduce(nothing).unwrap();
    assert!(unable.new_game(terms, nothing).unwrap_err().to_string().contains("cannot play Chess960"));
    unable.new_game(GameOptions::default(), nothing).unwrap();
}

/// Plays forty plies in one thread; returns the lines sent to the first engine.
fn play(speak: [&str; 2], fen: Option<&str>) -> String {
    let nothing = &mut WaitContext::none();
    let mut engines = speak.map(|speak| {
        let command = scripted(&format!("--speak {speak} --info-lines 2"));
        let mut engine = XboardEngine::start(&command, LENIENT).unwrap();
        engine.introduce(nothing).unwrap();
        engine.new_game(GameOptions::default(), nothing).unwrap();
        engine
    });
    let clock = Some(Clock { remaining: Duration::from_secs(10), increment: Duration::ZERO });
    let limits = SearchLimits { white: clock, black: clock, ..SearchLimits::default() };
    let mut moves = Vec::new();
    for ply in 0..40 {
        let [first, second] = &mut engines;
        let (engine, other) = if ply % 2 == 0 { (first, second) } else { (second, first) };
        let request = SearchRequest {
            start: fen.map_or(Start::Standard, Start::Fen),
            moves: &moves,
            limits: &limits,
            deadline: LONG,
            stop_after: None,
        };
        let searched = engine.search(&request, &mut WaitContext::none().with_other(other), None).unwrap();
        assert_eq!((searched.info_lines, searched.report.depth), (2, Some(2)));
        moves.push(searched.best.unwrap());
    }
    let sent = engines[0].transcript().lines().iter().map(|line| format!("{}\n", line.text)).collect();
    for mut engine in engines {
        assert!(matches!(engine.quit(), ExitOutcome::Quit(_)));
        assert_nothing_left(engine);
    }
    sent
}

#[test]
fn games_are_played_in_both_versions_from_the_start_and_from_positions() {
    let sent = play(["xboard", "xboard"], None);
    assert!(sent.contains("usermove "), "{sent}");
    play(["xboard", "xboard1"], None);
    play(["xboard1", "xboard"], Some("r3k2r/pppq1ppp/2n2n2/8/8/2N2N2/PPPQ1PPP/R3K2R w KQkq - 0 1"));
    play(["xboard1", "xboard1"], Some("r3k2r/pppq1ppp/2n2n2/8/8/2N2N2/PPPQ1PPP/R3K2R b KQkq - 0 1"));
}

/// It ignores the first `uci`, since it does not read yet; its answer to `xboard` must not decide the protocol.
#[test]
fn a_slow_start_is_not_taken_for_the_other_protocol() {
    let nothing = &mut WaitContext::none();
    for (speak, expected) in [("both", Protocol::Uci), ("xboard", Protocol::Xboard)] {
        let slow = scripted(&format!("--speak {speak} --fault slow-start --delay 2000"));
        let engine = smalt_driver::start(&slow, Protocol::Auto, LENIENT, None, nothing).unwrap();
        assert_eq!(engine.protocol(), expected, "{speak}");
    }
}

#[test]
fn auto_detects_the_protocol() {
    let nothing = &mut WaitContext::none();
    for (speak, expected) in [("uci", Protocol::Uci), ("xboard", Protocol::Xboard)] {
        let command = scripted(&format!("--speak {speak}"));
        let mut engine = smalt_driver::start(&command, Protocol::Auto, LENIENT, None, nothing).unwrap();
        assert_eq!(engine.protocol(), expected);
        engine.new_game(GameOptions::default(), nothing).unwrap();
        assert!(search(&mut *engine, &["e2e4"], &to_depth(99), LONG).unwrap().best.is_some());
    }
    let timeouts_with = EngineTimeouts { start: Duration::from_millis(200), ..LENIENT };
    let old = scripted("--speak xboard1");
    let engine = smalt_driver::start(&old, Protocol::Auto, timeouts_with, None, nothing).unwrap();
    assert_eq!(engine.protocol(), Protocol::Xboard);
    // It answers in the first protocol that it is asked for.
    let both = scripted("--speak both");
    let engine = smalt_driver::start(&both, Protocol::Auto, LENIENT, None, nothing).unwrap();
    assert_eq!(engine.protocol(), Protocol::Uci);
    let gone = scripted("--fault exit-at-start");
    let failure = smalt_driver::start(&gone, Protocol::Auto, LENIENT, None, nothing).map(drop).unwrap_err();
    assert!(failure.to_string().contains("exited with code 1"), "{failure}");
}

/// The lines sent to an engine in one search with these limits, after the limit method was determined.
fn lines_with_limits(arguments: &str, limits: &SearchLimits, expected: LimitMethod) -> Vec<String> {
    let nothing = &mut WaitContext::none();
    let mut engine = XboardEngine::start(&command(arguments), LENIENT).unwrap();
    engine.introduce(nothing).unwrap();
    assert_eq!(engine.fit_limits(limits, None, nothing).unwrap(), expected);
    engine.new_game(GameOptions::default(), nothing).unwrap();
    search(&mut engine, &[], limits, LONG).unwrap();
    let lines = engine.transcript().lines();
    assert_nothing_left(engine);
    let ours = lines.into_iter().filter(|line| line.speaker == Speaker::Driver);
    let last_game = |lines: Vec<String>| {
        let new = lines.iter().rposition(|line| line == "new").unwrap();
        lines[new..].to_vec()
    };
    last_game(ours.map(|line| line.text).collect())
}

#[test]
fn an_engine_that_ignores_move_now_gets_a_clock_for_each_short_move() {
    let limits = SearchLimits { move_time: Some(Duration::from_millis(50)), ..SearchLimits::default() };
    let no_move_now =
        lines_with_limits("--fault ignore-stop --think 1500", &limits, LimitMethod::OneMoveClock);
    assert!(
        no_move_now.contains(&"level 1 0:01 0".to_owned()) && no_move_now.contains(&"time 5".to_owned()),
        "{no_move_now:?}"
    );
    assert!(!no_move_now.contains(&"?".to_owned()), "{no_move_now:?}");
    let move_now = lines_with_limits("--think 1500", &limits, LimitMethod::MoveNow);
    assert!(move_now.contains(&"st 1".to_owned()) && move_now.contains(&"?".to_owned()), "{move_now:?}");
}

#[test]
fn an_engine_that_can_count_time_in_nodes_is_held_to_nodes_by_that() {
    let limits = SearchLimits { nodes: Some(5000), ..SearchLimits::default() };
    let sent = lines_with_limits("--features nps=1", &limits, LimitMethod::NodeRate);
    assert!(sent.contains(&"nps 5000".to_owned()) && sent.contains(&"st 1".to_owned()), "{sent:?}");
    lines_with_limits("--think 1500 --info-lines 1", &limits, LimitMethod::MoveNow);
}

#[test]
fn an_engine_without_a_node_limit_is_refused_and_stays_usable() {
    let nothing = &mut WaitContext::none();
    let limits = SearchLimits { nodes: Some(5000), ..SearchLimits::default() };
    let mut engine = XboardEngine::start(&command("--fault ignore-stop --think 1500"), LENIENT).unwrap();
    engine.introduce(nothing).unwrap();
    let error = engine.fit_limits(&limits, None, nothing).unwrap_err();
    assert!(error.to_string().contains("cannot be held to a number of nodes"), "{error}");
    assert_eq!(engine.state(), State::Idle);
    engine.new_game(GameOptions::default(), nothing).unwrap();
    assert!(search(&mut engine, &[], &to_depth(99), LONG).unwrap().best.is_some());
    assert_nothing_left(engine);
}
