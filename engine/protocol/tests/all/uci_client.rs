//! How an engine parses the lines that interfaces send.

use std::num::NonZeroU32;
use std::time::Duration;

use smalt_protocol::uci::ClientMessage::{self, *};
use smalt_protocol::uci::client::{Register as Answer, Start, Switch, unread_words_of_go};
use smalt_protocol::{Clock, Moves, SearchLimits};

fn check(line: &str, expected: ClientMessage<'_>) {
    assert_eq!(ClientMessage::parse(line), expected, "{line:?}");
}

fn check_go(line: &str, expected: SearchLimits) {
    check(line, Go(expected));
}

fn clock(remaining: u64, increment: u64) -> Option<Clock> {
    let [remaining, increment] = [remaining, increment].map(Duration::from_millis);
    Some(Clock { remaining, increment })
}

#[test]
fn plain_commands_are_read() {
    check("uci", Uci);
    check("isready\r\n", IsReady);
    check("\t ucinewgame  ", UciNewGame);
    check("stop", Stop);
    check("ponderhit", PonderHit);
    check("quit", Quit);
    check("debug on", Debug(Switch::On));
    check("debug off", Debug(Switch::Off));
}

#[test]
fn unknown_words_before_a_command_are_skipped() {
    check("joho debug on", Debug(Switch::On));
    check("debug joho on", Debug(Switch::On));
    check("please stop", Stop);
}

#[test]
fn own_commands_of_engines_are_kept_unparsed() {
    for line in [
        "bench 16 1 13", "d", "eval", "", "debug", "setoption value 3", "position", "position fen moves e2e4",
    ] {
        check(line, Other(line));
    }
}

#[test]
fn options_keep_the_space_inside_names_and_values() {
    check("setoption name Clear Hash", SetOption { name: "Clear Hash", value: None });
    check("setoption name  Hash  value  32 ", SetOption { name: "Hash", value: Some("32") });
    check(
        r"setoption name NalimovPath value c:\chess\tb  4;d:\tb",
        SetOption { name: "NalimovPath", value: Some(r"c:\chess\tb  4;d:\tb") },
    );
    check("setoption name SyzygyPath value <empty>", SetOption { name: "SyzygyPath", value: Some("") });
    check("setoption name SyzygyPath value", SetOption { name: "SyzygyPath", value: Some("") });
}

#[test]
fn registrations_are_read() {
    check("register later", Register(Answer::Later));
    let account = Answer::Account { name: Some("Stefan MK"), code: Some("4359874324") };
    check("register name Stefan MK code 4359874324", Register(account));
}

#[test]
fn positions_are_read() {
    check("position startpos", Position { start: Start::Standard, moves: Moves::NONE });
    let moves = Moves::from_text("e2e4 e7e5");
    check("position  startpos\tmoves e2e4  e7e5", Position { start: Start::Standard, moves });
    let fen = "8/8/8/8/8/4k3/4p3/4K3 w - - 0 1";
    let start = Start::Fen(fen);
    check(&format!("position fen {fen}"), Position { start, moves: Moves::NONE });
    check(&format!("position fen {fen} moves e2e4 e7e5"), Position { start, moves });
}

#[test]
fn every_argument_of_go_is_read() {
    check_go("go", SearchLimits::default());
    check_go("go infinite", SearchLimits { infinite: true, ..Default::default() });
    check_go(
        "go wtime 300000 btime 299000 winc 3000 binc 2000 movestogo 40",
        SearchLimits {
            white: clock(300_000, 3_000),
            black: clock(299_000, 2_000),
            moves_to_go: NonZeroU32::new(40),
            ..Default::default()
        },
    );
    let everything = "go depth 12 nodes 5000 mate 3 movetime 250 perft 6 ponder";
    check_go(
        everything,
        SearchLimits {
            depth: Some(12),
            nodes: Some(5_000),
            mate: Some(3),
            move_time: Some(Duration::from_millis(250)),
            perft: Some(6),
            ponder: true,
            ..Default::default()
        },
    );
    let search_moves = ["e2e4", "d2d4"].map(|text| text.parse().unwrap()).to_vec();
    check_go(
        "go searchmoves e2e4 d2d4 depth 3",
        SearchLimits { search_moves, depth: Some(3), ..Default::default() },
    );
}

#[test]
fn odd_arguments_of_go_are_tolerated() {
    check_go("go wtime -50", SearchLimits { white: clock(0, 0), ..Default::default() });
    check_go("go winc 100 movestogo 0 depth", SearchLimits::default());
    // A negative depth must not mean an infinite search.
    check_go("go depth -1", SearchLimits { depth: Some(0), ..SearchLimits::default() });
    check_go("go nodes -5", SearchLimits { nodes: Some(0), ..SearchLimits::default() });
    assert_eq!(
        unread_words_of_go("go depth x nodes 5 searchmoves Nf3 ponder"),
        ["depth", "x", "searchmoves", "Nf3"]
    );
    assert!(unread_words_of_go("go movestogo 0 wtime -5 winc 1 searchmoves e2e4 infinite").is_empty());
    check_go("go depth nodes 10", SearchLimits { nodes: Some(10), ..Default::default() });
    check_go("go fast depth x depth 7", SearchLimits { depth: Some(7), ..Default::default() });
    let nodes = Some(u64::MAX);
    check_go("go nodes 99999999999999999999", SearchLimits { nodes, ..Default::default() });
}

#[test]
fn foreign_text_cannot_smuggle_a_command() {
    let message = SetOption { name: "Hash", value: Some("1\nquit") };
    assert_eq!(message.to_string(), "setoption name Hash value 1 quit");
}

#[test]
fn lines_are_printed_in_the_usual_order() {
    let limits = SearchLimits {
        white: clock(10_000, 100),
        black: clock(9_000, 0),
        moves_to_go: NonZeroU32::new(12),
        search_moves: vec!["e2e4".parse().unwrap()],
        ..Default::default()
    };
    assert_eq!(
        Go(limits).to_string(),
        "go wtime 10000 btime 9000 winc 100 binc 0 movestogo 12 searchmoves e2e4"
    );
    let position = Position { start: Start::Standard, moves: Moves::from_text("e2e4") };
    assert_eq!(position.to_string(), "position startpos moves e2e4");
}
