//! Tests of the program: its answers, and each fault that needs no waiting.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use smalt_chess::{Position, UciMove};
use smalt_protocol::Moves;
use smalt_protocol::uci::client::{ClientMessage, Start};
use smalt_protocol::uci::engine::{BestMove, EngineMessage};

fn command(arguments: &[&str]) -> Command {
    #[expect(clippy::disallowed_methods, reason = "the program under test")]
    let mut command = Command::new(env!("CARGO_BIN_EXE_smalt-scripted"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The program's output for this input, and its exit status.
fn output(arguments: &[&str], input: &str) -> (ExitStatus, Vec<u8>, Vec<u8>) {
    let mut child = command(arguments).spawn().expect("the program starts");
    // Some faults end it before the input is written.
    let _closed = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("the program ends");
    (output.status, output.stdout, output.stderr)
}

fn check_bytes(arguments: &[&str], input: &str, status: i32, expected: &[u8]) {
    let (found, text, _) = output(arguments, input);
    assert_eq!(found.code(), Some(status), "{arguments:?}");
    assert_eq!(text.escape_ascii().to_string(), expected.escape_ascii().to_string(), "{arguments:?}");
}

fn check(arguments: &[&str], input: &str, expected: &str) {
    check_bytes(arguments, input, 0, expected.as_bytes());
}

/// A conversation with the program; it is killed when dropped.
struct Conversation {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Conversation {
    fn start(arguments: &[&str]) -> Conversation {
        let mut child = command(arguments).stderr(Stdio::inherit()).spawn().expect("the program starts");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Conversation { child, input, output }
    }

    fn say(&mut self, text: &str) {
        self.input.write_all(format!("{text}\n").as_bytes()).expect("the program reads");
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the program writes");
        line
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

const GO: &str = "position startpos\ngo\n";
const LIST: &[&str] = &["--moves", "e2e4,e7e5,g1f3"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    LIST.iter().chain(more).copied().collect()
}

#[test]
fn it_introduces_itself() {
    check(
        &["--name", "Doe 1", "--option", "Hash type spin default 16 min 1 max 64"],
        "uci\nisready\nquit\n",
        "id name Doe 1\nid author the Smalt authors\noption name Hash type spin default 16 min 1 max 64\n\
         option name UCI_Chess960 type check default false\nuciok\nreadyok\n",
    );
}

#[test]
fn it_plays_the_list_by_ply() {
    check(
        LIST,
        "position startpos\ngo\nposition startpos moves e2e4 e7e5\ngo\n",
        "bestmove e2e4\nbestmove g1f3\n",
    );
    check(
        &with(&["--info-lines", "2", "--score", "-7"]),
        GO,
        "info depth 1 score cp -7 nodes 1 time 0 pv e2e4\ninfo depth 2 score cp -7 nodes 2 time 0 pv e2e4\n\
         bestmove e2e4\n",
    );
}

#[test]
fn it_waits_for_stop_when_it_should() {
    check(LIST, "go infinite\nisready\nstop\nisready\n", "readyok\nbestmove e2e4\nreadyok\n");
    check(LIST, "go ponder wtime 1\nponderhit\nisready\n", "bestmove e2e4\nreadyok\n");
    check(&with(&["--think", "600000"]), "go\nstop\nisready\n", "bestmove e2e4\nreadyok\n");
    check(&with(&["--fault", "ignore-stop"]), "go infinite\nstop\nisready\n", "readyok\n");
}

#[test]
fn it_reports_illegal_moves() {
    check(&[], "position startpos moves e2e5\n", "info string e2e5 is not a legal move here\n");
    check(&[], "nonsense\n\n", "");
}

#[test]
fn it_plays_a_legal_reproducible_game() {
    let games = [0, 0].map(|_| play_game("1"));
    assert_eq!(games[0], games[1]);
    assert!(games[0].len() > 50);
    assert_ne!(games[0], play_game("2"));
}

fn play_game(seed: &str) -> Vec<UciMove> {
    let mut engine = Conversation::start(&["--seed", seed]);
    let mut position = Position::start();
    let mut moves = Vec::new();
    for _ in 0..300 {
        let place = ClientMessage::Position { start: Start::Standard, moves: Moves::from_slice(&moves) };
        engine.say(&format!("{place}\ngo depth 1"));
        let line = engine.line();
        let EngineMessage::BestMove { best, .. } = EngineMessage::parse(&line) else { panic!("{line}") };
        let BestMove::Move(uci) = best else { break };
        position.play(uci.to_move(&position).expect("a legal move"));
        moves.push(uci);
    }
    moves
}

#[test]
fn faults_of_the_answer_show() {
    let check_fault = |fault, expected: &[u8]| check_bytes(&with(&["--fault", fault]), GO, 0, expected);
    check_fault("illegal-move", b"bestmove e1a1\n");
    check_fault("malformed-bestmove", b"bestmove Zz9-h\n");
    check_fault("null-move", b"bestmove 0000\n");
    check_fault("none-move", b"bestmove (none)\n");
    check_fault("missing-move", b"bestmove\n");
    check_fault("trailing-garbage", b"bestmove e2e4 xyzzy 42 e9\n");
    check_fault("stray-bestmove", b"bestmove e2e4\nbestmove e2e4\n");
    check_fault("nul-bytes", b"\0\0bestmove\0 \0e2e4\n");
    check_fault("invalid-utf8", b"info string \xff\xfe\xc3\x28 \xed\xa0\x80\nbestmove e2e4\n");
    check_fault("crlf", b"bestmove e2e4\r\n");
    check_fault("half-line", b"bestmove e2");
    check_fault("no-bestmove", b"");
}

#[test]
fn faults_show_at_their_search() {
    let twice = "position startpos\ngo\ngo\ngo\n";
    check(&with(&["--fault", "null-move@2"]), twice, "bestmove e2e4\nbestmove 0000\nbestmove e2e4\n");
    check(&with(&["--fault", "missing-move@all"]), twice, "bestmove\nbestmove\nbestmove\n");
}

#[test]
fn faults_of_the_conversation_show() {
    check(&["--fault", "no-readyok"], "isready\n", "");
    check(&with(&["--fault", "no-readyok"]), "isready\ngo\n", "bestmove e2e4\n");
    let (_, text, _) = output(&["--fault", "no-uciok"], "uci\nisready\n");
    let text = String::from_utf8_lossy(&text);
    assert!(text.contains("id name") && !text.contains("uciok") && text.ends_with("readyok\n"));
}

#[test]
fn it_ends_by_fault_with_status_1() {
    check_bytes(&["--fault", "exit-at-start"], "uci\n", 1, b"");
    check_bytes(&["--fault", "exit"], GO, 1, b"");
    check_bytes(&with(&["--fault", "exit-after-bestmove"]), GO, 1, b"bestmove e2e4\n");
    check_bytes(&with(&["--fault", "half-line-exit"]), GO, 1, b"bestmove e2");
}

#[cfg(unix)]
#[test]
fn it_crashes_by_a_signal() {
    use std::os::unix::process::ExitStatusExt;
    let (status, ..) = output(&["--fault", "crash"], GO);
    assert!(status.signal().is_some());
}

#[test]
fn it_floods_the_given_amount() {
    let flood = |fault| output(&with(&["--flood", "3", "--fault", fault]), GO);
    let (_, out, _) = flood("flood-stdout");
    assert!(out.len() > 3 << 20 && out.len() < 4 << 20 && out.ends_with(b"\nbestmove e2e4\n"));
    let (_, out, err) = flood("flood-stderr");
    assert!(err.len() > 3 << 20 && err.len() < 4 << 20 && out == b"bestmove e2e4\n");
}

#[test]
fn it_ignores_quit() {
    let mut engine = Conversation::start(&["--fault", "ignore-quit"]);
    engine.say("quit\nisready");
    assert_eq!(engine.line(), "readyok\n");
}

#[test]
fn it_sends_forever() {
    let mut engine = Conversation::start(&["--fault", "info-forever"]);
    engine.say("go\nstop");
    for _ in 0..20 {
        assert!(engine.line().starts_with("info "));
    }
    let mut engine = Conversation::start(&["--fault", "endless-line"]);
    engine.say("go");
    let mut start = vec![0; 1 << 20];
    engine.output.read_exact(&mut start).expect("a megabyte");
    assert!(!start.contains(&b'\n'));
}

#[cfg(unix)]
#[test]
fn it_closes_its_output_and_reads_on() {
    let mut engine = Conversation::start(&["--fault", "close-stdout"]);
    engine.say("go");
    assert_eq!(engine.line(), "");
    engine.say("quit");
    assert!(engine.child.wait().expect("it ends").success());
}

#[test]
fn it_is_late_and_ignores_stop() {
    let mut engine = Conversation::start(&with(&["--fault", "late", "--delay", "50"]));
    engine.say("go\nstop\nisready");
    assert_eq!(engine.line(), "readyok\n");
    assert_eq!(engine.line(), "bestmove e2e4\n");
}

#[cfg(target_os = "linux")]
#[test]
fn its_child_outlives_it() {
    let mut engine = Conversation::start(&["--fault", "grandchild"]);
    engine.say("isready");
    assert_eq!(engine.line(), "readyok\n");
    let id = engine.child.id();
    let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).expect("a list");
    let grandchild: i32 = children.trim().parse().expect("one child");
    engine.say("quit");
    assert!(engine.child.wait().expect("it ends").success());
    let alive = std::fs::exists(format!("/proc/{grandchild}")).expect("an answer");
    let grandchild = rustix::process::Pid::from_raw(grandchild).expect("an id");
    rustix::process::kill_process(grandchild, rustix::process::Signal::KILL).expect("it can be killed");
    assert!(alive);
}

#[test]
fn wrong_usage_is_refused() {
    let (status, _, text) = output(&["--fault", "exits"], "");
    assert_eq!(status.code(), Some(2));
    assert_eq!(
        String::from_utf8_lossy(&text),
        "smalt-scripted: cannot parse argument \"exits\": no such fault, or no such moment for it; see --help\n"
    );
    assert_eq!(output(&["--option", "Hash"], "").0.code(), Some(2));
    assert_eq!(output(&["--moves"], "").0.code(), Some(2));
}

#[test]
fn the_version_has_the_common_format() {
    let (status, text, _) = output(&["--version"], "");
    assert!(status.success());
    assert_eq!(text, concat!("smalt-scripted ", env!("CARGO_PKG_VERSION"), "\n").as_bytes());
}

#[test]
fn help_names_every_fault_that_the_tests_use() {
    let (status, text, _) = output(&["--help"], "");
    let text = String::from_utf8_lossy(&text);
    assert!(status.success());
    for fault in
        ["exit-at-start", "grandchild", "illegal-move[@N]", "flood-stderr[@N]", "--delay", "Exit codes"]
    {
        assert!(text.contains(fault), "{fault}");
    }
}
