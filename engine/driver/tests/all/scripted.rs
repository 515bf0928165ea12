//! The scripted engine commits each of its faults; one table has the driver's results.

use std::time::{Duration, Instant};

use smalt_driver::{ConversationError, Engine, EngineTimeouts, ExitOutcome, State, UciEngine, WaitContext};

use crate::support::{LENIENT, LONG, SHORT, assert_nothing_left, live, request, scripted, search, to_depth};

/// Starts the engine with `--moves e2e4,e7e5,g1f3` and these arguments and lets it search once. Returns the name of its
/// fault or its move; no process is left.
fn check_within(arguments: &str, timeouts: EngineTimeouts, deadline: Duration, expected: &str) {
    let begun = Instant::now();
    let command = scripted(&format!("--moves e2e4,e7e5,g1f3 {arguments}"));
    let mut engine = UciEngine::start(&command, timeouts).unwrap();
    let outcome = match live(&mut engine, &to_depth(1), deadline) {
        Ok(searched) => searched.best.map_or("no move".to_owned(), |best| best.to_string()),
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
    check_within("--fault slow-start --delay 50", LENIENT, LONG, "e2e4");
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
    check_within("--fault no-uciok", EngineTimeouts { start: SHORT, ..LENIENT }, LONG, "no-uciok");
    check_within(
        "--fault slow-start --delay 60000",
        EngineTimeouts { start: SHORT, ..LENIENT },
        LONG,
        "no-uciok",
    );
    check_within("--fault no-readyok", EngineTimeouts { new_game: SHORT, ..LENIENT }, LONG, "no-readyok");
    check_late("hang", "no-bestmove");
    check_late("no-bestmove", "no-bestmove");
    check_late("info-forever", "no-bestmove");
    check_late("half-line", "no-bestmove");
}

#[test]
fn invalid_and_missing_moves_are_distinguished() {
    check("malformed-bestmove", "malformed-bestmove");
    check("missing-move", "no-move");
    check("null-move", "no move");
    check("none-move", "no move");
}

#[test]
fn floods_are_survived_and_endless_lines_are_not() {
    check("flood-stdout --flood 20", "e2e4");
    check("flood-stderr --flood 20", "e2e4");
    check("endless-line", "line-too-long");
}

#[test]
fn a_grandchild_is_killed_with_its_engine() {
    check("grandchild", "e2e4");
    check("grandchild --fault exit", "exited");
}

#[test]
fn a_late_move_is_not_taken_for_the_next_search() {
    let command = scripted("--moves e2e4,e7e5,g1f3 --fault late --delay 200");
    let mut engine = UciEngine::start(&command, LENIENT).unwrap();
    live(&mut engine, &to_depth(1), SHORT).unwrap_err();
    assert_eq!(engine.state(), State::Thinking);
    let next = search(&mut engine, &["e2e4", "e7e5"], &to_depth(1), LONG).unwrap();
    assert_eq!(next.best, Some("g1f3".parse().unwrap()));
    assert_nothing_left(engine);
}

#[test]
fn a_stray_move_is_not_taken_for_the_next_search() {
    let mut engine =
        UciEngine::start(&scripted("--moves e2e4,e7e5,g1f3 --fault stray-bestmove"), LENIENT).unwrap();
    live(&mut engine, &to_depth(1), LONG).unwrap();
    engine.ping(&mut WaitContext::none()).unwrap();
    let next = search(&mut engine, &["e2e4", "e7e5"], &to_depth(1), LONG).unwrap();
    assert_eq!(next.best, Some("g1f3".parse().unwrap()));
    assert_nothing_left(engine);
}

#[test]
fn an_engine_that_ignores_stop_and_quit_is_killed() {
    let command = scripted("--fault ignore-quit --fault ignore-stop --fault no-bestmove");
    let timeouts = EngineTimeouts { stop: SHORT, quit: SHORT, ..LENIENT };
    let mut engine = UciEngine::start(&command, timeouts).unwrap();
    live(&mut engine, &to_depth(1), SHORT).unwrap_err();
    assert!(matches!(engine.quit(), ExitOutcome::Terminated(_) | ExitOutcome::Killed));
    assert_nothing_left(engine);
}

#[test]
fn a_game_of_two_engines_is_played_in_one_thread() {
    let mut first = UciEngine::start(&scripted("--info-lines 2"), LENIENT).unwrap();
    let mut second = UciEngine::start(&scripted("--info-lines 2 --seed 1"), LENIENT).unwrap();
    let limits = to_depth(1);
    let mut moves = Vec::new();
    first.introduce(&mut WaitContext::none().with_other(&mut second)).unwrap();
    second.introduce(&mut WaitContext::none().with_other(&mut first)).unwrap();
    for _ in 0..40 {
        let request = request(&moves, &limits);
        let searched =
            first.search(&request, &mut WaitContext::none().with_other(&mut second), None).unwrap();
        assert_eq!((searched.info_lines, searched.report.depth), (2, Some(2)));
        moves.push(searched.best.unwrap());
        std::mem::swap(&mut first, &mut second);
    }
    for mut engine in [first, second] {
        assert!(matches!(engine.quit(), ExitOutcome::Quit(_)));
        assert_nothing_left(engine);
    }
}
