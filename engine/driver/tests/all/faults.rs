//! One test per fault: the engine commits it, it is reported by name in bounded time, and no process is left. The
//! engines are shell scripts, so that our code is not on both ends.

use std::time::{Duration, Instant};

use smalt_driver::process::{Exit, Interrupt};
use smalt_driver::{
    ConversationError, Engine, EngineCommand, EngineTimeouts, ExitOutcome, Fault, SearchControl, SearchEnd,
    SearchRequest, SearchResult, SetOptionError, State, UciEngine, WaitContext, XboardEngine,
};
use smalt_protocol::uci::client::Start;
use smalt_protocol::{Info, OptionValue, SearchLimits};

use crate::support::{LENIENT, LONG, SHORT, assert_nothing_left, live, request, search, to_depth};

/// A shell script that behaves correctly except as given.
#[derive(Clone, Copy)]
struct Script {
    uci: &'static str,
    isready: &'static str,
    go: &'static str,
    stop: &'static str,
    quit: &'static str,
}

const CORRECT: Script = Script {
    uci: "echo id name Shell; echo option name Hash type spin default 16 min 1 max 64; echo uciok",
    isready: "echo readyok",
    go: "echo info depth 1 score cp 13 nodes 20 pv e2e4 e7e5; echo bestmove e2e4 ponder e7e5",
    stop: ":",
    quit: "exit 0",
};

impl Script {
    fn start(&self, timeouts: EngineTimeouts) -> UciEngine {
        let script = format!(
            "while read -r line; do case $line in uci) {};; isready) {};; go*) {};; stop) {};; quit) {};; esac; done",
            self.uci, self.isready, self.go, self.stop, self.quit
        );
        UciEngine::start(&EngineCommand::shell(&script), timeouts).unwrap()
    }
}

/// Long timeouts except the one under test.
fn timeouts_with(change: impl FnOnce(&mut EngineTimeouts)) -> EngineTimeouts {
    let mut timeouts = LENIENT;
    change(&mut timeouts);
    timeouts
}

fn search_within(engine: &mut UciEngine, deadline: Duration) -> Result<SearchResult, ConversationError> {
    search(engine, &[], &to_depth(1), deadline)
}

fn introduced(script: Script, timeouts: EngineTimeouts) -> UciEngine {
    let mut engine = script.start(timeouts);
    engine.introduce(&mut WaitContext::none()).unwrap();
    engine
}

fn fault_of<T: std::fmt::Debug>(result: Result<T, ConversationError>) -> Fault {
    match result {
        Err(ConversationError::Fault(fault)) => fault,
        other => panic!("expected a fault, got {other:?}"),
    }
}

/// Asserts that the engine ends with this fault and this text in the message, and that no process is left.
fn check(script: Script, timeouts: EngineTimeouts, deadline: Duration, name: &str, words: &str) {
    let begun = Instant::now();
    let mut engine = script.start(timeouts);
    let fault = fault_of(live(&mut engine, &to_depth(1), deadline));
    assert_eq!(fault.name(), name, "{fault:?}");
    assert!(fault.to_string().contains(words), "{fault}");
    assert!(!engine.transcript().lines().is_empty());
    assert_nothing_left(engine);
    assert!(begun.elapsed() < LONG, "only a hang takes so long");
}

#[test]
fn a_correct_engine_plays_and_exits() {
    let mut engine = CORRECT.start(LENIENT);
    let searched = live(&mut engine, &to_depth(1), LONG).unwrap();
    assert_eq!(searched.best, Some("e2e4".parse().unwrap()));
    assert_eq!(searched.ponder, Some("e7e5".parse().unwrap()));
    assert_eq!((searched.report.depth, searched.report.nodes), (Some(1), Some(20)));
    assert_eq!((searched.ending, searched.info_lines), (SearchEnd::Own, 1));
    assert_eq!((engine.name(), engine.state()), ("Shell", State::Idle));
    assert_eq!(engine.quit(), ExitOutcome::Quit(Exit::Code(0)));
    assert_eq!(fault_of(search_within(&mut engine, LONG)), Fault::Closed);
    assert_nothing_left(engine);
}

#[test]
fn a_missing_program_would_not_start() {
    let fault = UciEngine::start(&EngineCommand::new("no-such-engine"), LENIENT).unwrap_err();
    assert_eq!(fault.name(), "would-not-start");
    assert!(fault.to_string().starts_with("would not start: failed to find `no-such-engine`"), "{fault}");
}

#[test]
fn silence_after_uci_is_no_uciok() {
    let script = Script { uci: ":", ..CORRECT };
    check(script, timeouts_with(|p| p.start = SHORT), LONG, "no-uciok", "`uciok`");
}

#[test]
fn other_lines_do_not_move_the_deadline_of_uciok() {
    let script = Script { uci: "yes hello", ..CORRECT };
    check(script, timeouts_with(|p| p.start = SHORT), LONG, "no-uciok", "`uciok`");
}

/// A list of options is searched for each of them.
#[test]
fn endless_options_do_not_move_the_deadline_of_uciok() {
    let flood =
        "awk 'BEGIN { for (;;) print \"option name Number \" i++ \" type spin default 1 min 0 max 9\" }'";
    let script = Script { uci: flood, ..CORRECT };
    check(script, timeouts_with(|p| p.start = SHORT), LONG, "no-uciok", "`uciok`");
}

#[test]
fn silence_after_isready_is_no_readyok() {
    let script = Script { isready: ":", ..CORRECT };
    check(script, timeouts_with(|p| p.new_game = SHORT), LONG, "no-readyok", "`readyok`");
}

#[test]
fn exits_are_reported_with_the_state_of_the_engine() {
    check(Script { uci: "exit 3", ..CORRECT }, LENIENT, LONG, "exited", "exited with code 3 while starting");
    check(Script { isready: "exit 0", ..CORRECT }, LENIENT, LONG, "exited", "exited with code 0 while idle");
    check(Script { go: "exit 1", ..CORRECT }, LENIENT, LONG, "exited", "exited with code 1 while thinking");
    check(Script { go: "kill -SEGV $$", ..CORRECT }, LENIENT, LONG, "crashed", "SIGSEGV");
    check(
        Script { go: "printf 'bestmove e7e8'; exit 0", ..CORRECT },
        LENIENT,
        LONG,
        "exited",
        "while thinking",
    );
}

#[test]
fn an_exit_between_searches_is_reported_by_the_next_call() {
    let script = Script { go: "echo bestmove e2e4; exit 7", ..CORRECT };
    let mut engine = introduced(script, LENIENT);
    search_within(&mut engine, LONG).unwrap();
    let fault = fault_of(search_within(&mut engine, LONG));
    assert!(matches!(fault, Fault::Exited { exit: Exit::Code(7), .. }), "{fault:?}");
    assert_eq!(engine.fault(), Some(&fault));
    assert_eq!(fault_of(engine.ping(&mut WaitContext::none())), fault);
    assert_nothing_left(engine);
}

#[test]
fn closing_its_output_differs_from_an_exit() {
    let script = Script { go: "exec >&-; sleep 1000", ..CORRECT };
    check(script, LENIENT, LONG, "stdout-closed", "while thinking");
}

#[test]
fn an_engine_that_never_answers_gave_no_bestmove() {
    check(Script { go: ":", ..CORRECT }, LENIENT, SHORT, "no-bestmove", "within 60ms");
}

#[test]
fn endless_info_lines_do_not_move_the_deadline() {
    check(
        Script { go: "yes info depth 1 score cp 3", ..CORRECT },
        LENIENT,
        SHORT,
        "no-bestmove",
        "within 60ms",
    );
}

#[test]
fn endless_standard_error_does_not_move_the_deadline() {
    check(Script { go: "yes noise >&2", ..CORRECT }, LENIENT, SHORT, "no-bestmove", "within 60ms");
}

#[test]
fn an_endless_line_is_cut_and_a_fault() {
    let script = Script { go: "printf 'info string '; yes x | tr -d '\\n'", ..CORRECT };
    check(script, LENIENT, LONG, "line-too-long", "beginning `info string xxx");
}

#[test]
fn options_of_megabytes_are_a_fault() {
    // 100 names of 60,000 letters.
    let declare = "for number in $(seq 100); do printf 'BEGIN%s ' $number; head -c 60000 /dev/zero | tr '\\0' x; printf 'END\n'; done";
    let declare = |begin: &str, end: &str| declare.replace("BEGIN", begin).replace("END", end);
    let uci = format!("read -r line; {}; echo uciok; read -r line", declare("option name ", " type button"));
    let mut engine = UciEngine::start(&EngineCommand::shell(&uci), LENIENT).unwrap();
    let refused = engine.introduce(&mut WaitContext::none()).unwrap_err();
    let words = "the engine declared options of more than 4194304 bytes";
    assert_eq!(
        (refused.to_string().as_str(), engine.fault().map(Fault::name)),
        (words, Some("options-too-long"))
    );
    assert_nothing_left(engine);
    let features = declare("feature option=\"", " -button\"");
    let xboard = format!("read -r line; echo feature done=0; {features}; echo feature done=1; read -r line");
    let mut engine = XboardEngine::start(&EngineCommand::shell(&xboard), LENIENT).unwrap();
    assert_eq!(engine.introduce(&mut WaitContext::none()).unwrap_err(), refused);
    assert_nothing_left(engine);
}

#[test]
fn an_invalid_best_move_is_quoted() {
    check(
        Script { go: "echo bestmove Nf3", ..CORRECT },
        LENIENT,
        LONG,
        "malformed-bestmove",
        "`bestmove Nf3`",
    );
    check(Script { go: "echo bestmove", ..CORRECT }, LENIENT, LONG, "no-move", "`bestmove`");
}

#[test]
fn garbage_before_an_answer_is_ignored() {
    let script = Script { go: "printf 'a\\0b\\377\\r\\n\\n'; printf 'bestmove e2e4\\r\\n'", ..CORRECT };
    let mut engine = introduced(script, LENIENT);
    assert_eq!(search_within(&mut engine, LONG).unwrap().best, Some("e2e4".parse().unwrap()));
}

#[test]
fn an_engine_that_does_not_read_is_named() {
    let script = Script { go: "echo bestmove e2e4; yes info", ..CORRECT };
    let mut engine = introduced(script, timeouts_with(|p| p.write = SHORT));
    let moves = vec!["g1f3".parse().unwrap(); 60_000];
    let limits = to_depth(1);
    let request = request(&moves, &limits);
    let mut faults = (0..3).map(|_| engine.search(&request, &mut WaitContext::none(), None));
    let fault = faults.find_map(Result::err).unwrap();
    assert_eq!(fault_of::<()>(Err(fault)).name(), "not-reading");
    assert_nothing_left(engine);
}

#[test]
fn a_stop_that_is_ignored_ends_the_engine() {
    let mut engine = introduced(Script { go: ":", ..CORRECT }, timeouts_with(|p| p.stop = SHORT));
    assert_eq!(fault_of(search_within(&mut engine, SHORT)).name(), "no-bestmove");
    assert_eq!(engine.state(), State::Thinking);
    assert_eq!(fault_of(engine.abandon(&mut WaitContext::none())).name(), "stop-ignored");
    assert_eq!(engine.state(), State::Closed);
    assert_nothing_left(engine);
}

#[test]
fn the_best_move_of_an_abandoned_search_never_answers_the_next() {
    let script = Script {
        go: "n=$((n+1)); if [ $n = 2 ]; then echo bestmove d2d4; fi",
        stop: "echo info score cp 99; echo bestmove a2a3",
        ..CORRECT
    };
    let mut engine = introduced(script, LENIENT);
    assert_eq!(fault_of(search_within(&mut engine, SHORT)).name(), "no-bestmove");
    let next = search_within(&mut engine, LONG).unwrap();
    assert_eq!(next.best, Some("d2d4".parse().unwrap()));
    assert_eq!((next.info_lines, next.report.score), (0, None));
}

#[test]
fn a_second_best_move_never_answers_the_next_search() {
    let script = Script {
        go: "n=$((n+1)); if [ $n = 1 ]; then echo bestmove e2e4; echo bestmove a2a3; else echo bestmove d2d4; fi",
        ..CORRECT
    };
    let mut engine = introduced(script, LENIENT);
    search_within(&mut engine, LONG).unwrap();
    engine.ping(&mut WaitContext::none()).unwrap();
    assert_eq!(search_within(&mut engine, LONG).unwrap().best, Some("d2d4".parse().unwrap()));
}

#[test]
fn a_search_is_stopped_at_its_time_or_by_its_observer() {
    let script = Script {
        go: "for depth in 1 2 3; do echo info depth $depth score cp 1 pv e2e4; done",
        stop: "echo bestmove e2e4",
        ..CORRECT
    };
    let mut engine = introduced(script, LENIENT);
    let limits = SearchLimits { infinite: true, ..SearchLimits::default() };
    let request = SearchRequest {
        start: Start::Standard,
        moves: &[],
        limits: &limits,
        deadline: LONG,
        stop_after: Some(SHORT),
    };
    let timed = engine.search(&request, &mut WaitContext::none(), None).unwrap();
    assert_eq!((timed.ending, timed.report.depth), (SearchEnd::Stopped, Some(3)));
    assert!(timed.elapsed >= SHORT);

    let mut depths = Vec::new();
    let mut observer = |info: &smalt_protocol::Info<'_>, _: Duration| {
        depths.extend(info.depth);
        if info.depth == Some(2) { SearchControl::Stop } else { SearchControl::Continue }
    };
    let request = SearchRequest { stop_after: None, ..request };
    let watched = engine.search(&request, &mut WaitContext::none(), Some(&mut observer)).unwrap();
    assert_eq!((depths, watched.ending), (vec![1, 2], SearchEnd::Stopped));
}

#[test]
fn a_search_that_ignores_its_node_or_depth_limit_is_stopped() {
    let script = Script {
        go: "echo info depth 9 nodes 2000000 score cp 1 pv e2e4",
        stop: "echo bestmove e2e4",
        ..CORRECT
    };
    let mut engine = introduced(script, LENIENT);
    let nodes = |nodes| SearchLimits { nodes: Some(nodes), ..SearchLimits::default() };
    for limits in [nodes(1000), to_depth(5)] {
        let searched = engine.search(&request(&[], &limits), &mut WaitContext::none(), None).unwrap();
        assert_eq!(
            (searched.ending, searched.report.nodes),
            (SearchEnd::Overrun, Some(2_000_000)),
            "{limits:?}"
        );
    }
    // A search within its limit may continue.
    let limits = nodes(3_000_000);
    let request = SearchRequest { deadline: Duration::from_millis(400), ..request(&[], &limits) };
    let fault = fault_of(engine.search(&request, &mut WaitContext::none(), None));
    assert_eq!(fault.name(), "no-bestmove");
}

#[test]
fn a_search_can_be_given_more_time() {
    let mut engine = introduced(Script { go: "sleep 0.3; echo bestmove e2e4", ..CORRECT }, LENIENT);
    assert_eq!(fault_of(search_within(&mut engine, SHORT)).name(), "no-bestmove");
    engine.allow(LONG);
    let searched = engine.finish(&mut WaitContext::none(), None).unwrap();
    assert_eq!(searched.ending, SearchEnd::Own);
    assert!(searched.elapsed >= Duration::from_millis(300));
}

#[test]
fn an_interrupt_ends_a_search_and_leaves_the_engine_usable() {
    let script = Script { go: ":", stop: "echo bestmove e2e4", ..CORRECT };
    let mut engine = introduced(script, LENIENT);
    let interrupt = Interrupt::new().unwrap();
    let raiser = interrupt.clone();
    let thread = std::thread::spawn(move || raiser.raise());
    let limits = to_depth(1);
    let request = request(&[], &limits);
    let result = engine.search(&request, &mut WaitContext::interruptible(&interrupt), None);
    assert_eq!(result, Err(ConversationError::Interrupted));
    thread.join().unwrap();
    engine.abandon(&mut WaitContext::none()).unwrap();
    assert_eq!(engine.state(), State::Idle);
    assert_nothing_left(engine);
}

#[test]
fn options_are_checked_before_they_are_sent() {
    let mut engine = introduced(CORRECT, LENIENT);
    let nothing = &mut WaitContext::none();
    assert_eq!(engine.set_option("hash", "32", nothing), Ok(OptionValue::Spin(32)));
    assert_eq!(engine.transcript().lines().last().unwrap().text, "setoption name Hash value 32");
    assert!(matches!(engine.set_option("Hash", "1000", nothing), Err(SetOptionError::Value(_))));
    let unknown = engine.set_option("Threads", "2", nothing).unwrap_err();
    assert_eq!(unknown.to_string(), "set option \"Threads\": the engine has none of that name (it has Hash)");
}

#[test]
fn an_engine_that_will_not_quit_gets_sigterm_and_then_sigkill() {
    let quick = timeouts_with(|p| p.quit = SHORT);
    let stubborn = Script { quit: "while :; do sleep 1000; done", ..CORRECT };
    let mut engine = introduced(stubborn, quick);
    assert_eq!(engine.quit(), ExitOutcome::Terminated(Exit::Signal(15)));
    assert_nothing_left(engine);
    let deaf = Script { uci: "trap '' TERM; echo uciok", ..stubborn };
    let mut engine = introduced(deaf, quick);
    assert_eq!(engine.quit(), ExitOutcome::Killed);
    assert_nothing_left(engine);
}

/// Each read has hundreds of lines, and handling them all takes longer than what counts as a stall.
#[test]
fn the_handling_of_a_flood_does_not_move_the_deadline() {
    let flood = "yes info depth 1 score cp 13 string $(printf %0100d 0)";
    let mut engine = introduced(Script { go: flood, ..CORRECT }, timeouts_with(|p| p.stop = SHORT));
    let mut left = 10_000;
    let mut follow = |_: &Info<'_>, _: Duration| {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_micros(300) {
            std::hint::spin_loop();
        }
        left -= 1;
        if left > 0 { SearchControl::Continue } else { SearchControl::Stop }
    };
    let limits = to_depth(1);
    let request = SearchRequest { deadline: Duration::from_millis(500), ..request(&[], &limits) };
    let fault = fault_of(engine.search(&request, &mut WaitContext::none(), Some(&mut follow)));
    assert_eq!(fault.name(), "no-bestmove", "{fault}");
    assert_nothing_left(engine);
}

#[test]
fn the_other_engine_may_flood_meanwhile() {
    let flood = Script { go: "echo bestmove e2e4; yes info string idle | head -n 200000", ..CORRECT };
    let slow = Script { go: "sleep 0.2; echo bestmove d2d4", ..CORRECT };
    let mut flooding = introduced(flood, LENIENT);
    let mut thinking = introduced(slow, LENIENT);
    search_within(&mut flooding, LONG).unwrap();
    let limits = to_depth(1);
    let request = request(&[], &limits);
    let searched =
        thinking.search(&request, &mut WaitContext::none().with_other(&mut flooding), None).unwrap();
    assert_eq!(searched.best, Some("d2d4".parse().unwrap()));
    flooding.ping(&mut WaitContext::none()).unwrap();
    let next = search_within(&mut flooding, LONG).unwrap();
    assert_eq!((next.best, next.report.depth), (Some("e2e4".parse().unwrap()), None));
}

#[test]
fn a_ponder_hit_counts_time_from_the_hit() {
    let script = Script { go: ":", ..CORRECT };
    let script = Script { stop: "echo bestmove e2e4", ..script };
    let mut engine = introduced(script, LENIENT);
    let limits = SearchLimits { ponder: true, ..SearchLimits::default() };
    let request = SearchRequest {
        start: Start::Standard,
        moves: &[],
        limits: &limits,
        deadline: LONG,
        stop_after: Some(Duration::ZERO),
    };
    let nothing = &mut WaitContext::none();
    engine.begin(&request, nothing).unwrap();
    let hit_at = Instant::now();
    engine.ponder_hit(&request, nothing).unwrap();
    let searched = engine.finish(nothing, None).unwrap();
    assert!(searched.asked_at >= hit_at);
}
