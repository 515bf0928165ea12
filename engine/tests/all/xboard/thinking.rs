//! Searches: what ends them and what follows, thinking output, pondering, analysis, hints.

use smalt_protocol::Score;
use smalt_protocol::xboard::EngineMessage;

use super::script::{check, continue_with, hold, next};

use crate::pipes::Conversation;

#[test]
fn no_move_follows_an_aborted_search() {
    for end in [
        "force",
        "new",
        "result * {aborted}",
        "setboard 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        "exit\nforce",
        "analyze\nexit",
    ] {
        let mut engine = hold("> xboard\n> new\n> st 3600\n> e2e4");
        engine.send(end);
        engine.send("ping 8");
        let received = next(&engine);
        assert!(
            received == "pong 8" || received == "Error (command not legal now): exit",
            "{end}: {received}"
        );
        engine.end();
    }
}

#[test]
fn a_ping_waits_for_the_move_and_move_now_brings_it() {
    check(
        "> xboard
         > new
         > st 3600
         > e2e4
         > ping 1
         > d2d4
         < Illegal move (not your turn): d2d4
         > ?
         < move *
         < pong 1
         > ?
         > ping 2
         < pong 2",
    );
}

#[test]
fn thinking_is_shown_on_request_and_mates_by_their_moves() {
    let mut engine = hold(
        "> xboard
         > force
         > setboard 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1
         > sd 3
         > post
         > go",
    );
    let lines = engine.read_until("move");
    let (_, shown) = lines.split_last().unwrap();
    assert!(!shown.is_empty());
    for line in shown {
        match EngineMessage::parse(line) {
            EngineMessage::Thinking(thinking) => {
                assert_eq!((thinking.score.score, thinking.pv), (Score::Mate(1), "Rd8#"), "{line}");
                assert!(line.contains(" 100001 ") && thinking.nps.is_some(), "{line}");
            }
            other => panic!("{other:?}"),
        }
    }
    continue_with(&mut engine, "> force\n> new\n> nopost\n> sd 4\n> e2e4");
    assert!(
        engine
            .read_until("move")
            .iter()
            .all(|line| !line.starts_with(|c: char| c.is_ascii_digit() && c != '1'))
    );
    engine.end();
}

#[test]
fn pondering_goes_on_into_the_move_or_is_given_up() {
    // Black has one reply to each move.
    let begin = "> xboard
         > hard
         > post
         > force
         > setboard 7k/8/5K2/8/8/8/8/R7 w - - 0 1
         > st 0.05
         > go
         < move *
         < Hint: h8*";
    let mut engine = hold(begin);
    // A ping is answered meanwhile.
    continue_with(
        &mut engine,
        "> ping 3
         < pong 3
         > hint
         < Hint: h8*",
    );
    engine.send("bk\nping 4");
    assert!(engine.read_until("pong 4").iter().any(|line| line == " no book move"));
    engine.send("hint");
    let awaited = next(&engine);
    engine.send(awaited.strip_prefix("Hint: ").unwrap());
    assert!(next(&engine).starts_with("move "));
    engine.send("easy");
    engine.send("ping 5");
    engine.read_until("pong 5");
    engine.end();
    for end in ["> force", "> easy", "> new", "> result 1-0 {White mates}"] {
        check(&format!("{begin}\n{end}\n> ping 9\n< pong 9"));
    }
}

#[test]
fn analysis_follows_the_board_and_reports_its_status() {
    let mut engine = hold("> xboard\n> new\n> post\n> analyze");
    let shows = |engine: &Conversation, start: &str| {
        let is_shown = |line: &String| match EngineMessage::parse(line) {
            EngineMessage::Thinking(thinking) => thinking.depth > 2 && thinking.pv.starts_with(start),
            _ => false,
        };
        while !is_shown(&engine.read_line()) {}
    };
    shows(&engine, "");
    continue_with(&mut engine, "> ping 1\n< pong 1\n> .\n< stat01: * 0 20\n> hint\n< Hint: *");
    continue_with(&mut engine, "> f2f3\n> e7e5\n> g2g4");
    shows(&engine, "Qh4#");
    continue_with(
        &mut engine,
        "> exclude d8h4\n> exclude d8d4\n< Error (illegal move): exclude d8d4\n> ping 2\n< pong 2",
    );
    shows(&engine, "");
    continue_with(&mut engine, "> include all");
    shows(&engine, "Qh4#");
    // After mate there is nothing to search; one undo earlier there is.
    continue_with(
        &mut engine,
        "> d8h4\n> .\n> ping 3\n< pong 3\n> undo\n> setboard 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
    );
    shows(&engine, "Rd8#");
    continue_with(&mut engine, "> option MultiPV=2\n> ping 4\n< pong 4\n> new");
    shows(&engine, "");
    continue_with(&mut engine, "> exit\n> ping 5\n< pong 5\n> .\n> ping 6\n< pong 6");
    engine.end();
}

#[test]
fn a_hint_is_searched_if_none_is_known() {
    check(
        "> xboard
         > force
         > setboard 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1
         > hint
         < Hint: d1d8
         > ping 1
         < pong 1",
    );
}

#[test]
fn the_end_of_input_or_quit_ends_a_running_search_without_a_move() {
    for last_word in ["quit", ""] {
        let mut engine = hold("> xboard\n> new\n> st 3600\n> e2e4");
        engine.send(last_word);
        assert_eq!(engine.end(), Vec::<String>::new());
    }
}
