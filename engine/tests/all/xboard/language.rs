//! Commands besides play: features, answers to unknown commands, console commands, input floods.

use smalt_protocol::xboard::parse_option;
use smalt_testing::Random;

use super::script::{check, continue_with, hold};

use crate::pipes::Conversation;

#[test]
fn version_two_is_answered_with_features_and_version_one_is_not() {
    let mut engine = Conversation::begin();
    engine.send("xboard\nprotover 2");
    let lines = engine.read_until("feature done=1");
    assert_eq!(lines[0], "feature done=0");
    let text = lines.join("\n");
    for wish in
        ["ping=1", "setboard=1", "usermove=1", "colors=0", "sigint=0", "memory=1", "smp=1", "myname=\"Smalt "]
    {
        assert!(text.contains(wish), "{wish}");
    }
    assert!(text.contains("variants=\"normal,fischerandom\""));
    let options: Vec<String> = lines
        .iter()
        .filter_map(|line| line.strip_prefix("feature option=\"")?.strip_suffix('"'))
        .map(|text| parse_option(text).unwrap().name)
        .collect();
    assert!(options.iter().any(|name| name == "MultiPV") && !options.iter().any(|name| name == "Hash"));
    engine.end();
    check(
        "> xboard
         > new
         > random
         > level 40 5 0
         > hard
         > easy
         > ping 1
         < pong 1",
    );
}

#[test]
fn unknown_commands_get_protocol_errors() {
    check(
        "> xboard
         > nonsense 3
         < Error (unknown command): nonsense 3
         > pause
         < Error (unknown command): pause
         > level 40
         < Error (missing or unreadable argument): level 40
         > variant atomic
         < Error (unsupported variant): variant atomic
         > undo
         < Error (command not legal now): undo
         > remove
         < Error (command not legal now): remove
         > exit
         < Error (command not legal now): exit
         > option Nonsense=3
         < Error (there is no option \"Nonsense\"): option Nonsense=3
         > memory 0
         < Error (0 is outside of 1 to *, for option \"Hash\"): memory 0
         > nps 0
         < Error (the processor's time is not measured): nps 0
         > force
         > usermove e2e5
         < Illegal move: e2e5
         > Ne5
         < Illegal move: Ne5
         > setboard 4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1
         > setboard 4k3/8/8/8/8/1N6/8/4KN2 w - - 0 1
         > Nd2
         < Error (ambiguous move): Nd2",
    );
}

#[test]
fn commands_for_people_work_here_too() {
    let mut engine = hold("> new\n> moves\n< 20 moves: *");
    engine.send("perft 3");
    assert!(engine.read_until("nps").contains(&"nodes 8902".to_owned()));
    engine.send("divide 1");
    assert!(engine.read_until("nps").contains(&"e2e4: 1".to_owned()));
    continue_with(
        &mut engine,
        "> perft 30\n> ?\n< stopped\n> perft 30\n> new\n> ping 1\n< stopped\n< pong 1",
    );
    engine.send("evaluate");
    engine.read_until("evaluation");
    continue_with(
        &mut engine,
        "> book off\n< book off\n> st 3600\n> e2e4\n> moves\n< Error (command not legal now): moves",
    );
    engine.end();
}

#[test]
fn storms_of_commands_end_nothing() {
    let mut engine = hold("> xboard");
    let mut random = Random(2026);
    let lines = [
        "new",
        "force",
        "go",
        "playother",
        "e2e4",
        "e7e5",
        "usermove Nf3",
        "undo",
        "remove",
        "?",
        "analyze",
        "exit",
        "edit",
        "#",
        "Ke1",
        "c",
        "Kd8",
        ".",
        "hard",
        "easy",
        "post",
        "nopost",
        "draw",
        "hint",
        "bk",
        "ping 1",
        "st 0.001",
        "sd 3",
        "level 40 0:01 0",
        "time 3",
        "otim 5",
        "setboard 8/8/8/8/8/8/8/8 w - - 0 1",
        "white",
        "black",
        "memory 2",
        "cores 2",
        "cores 1",
        "option MultiPV=3",
        "result 1-0 {x}",
        "exclude e2e4",
        "include all",
        "exclude all",
        "variant fischerandom",
        "setboard 4k3/8/8/8/8/8/4P3/4K2R w K - 0 1",
        "perft 4",
        "nps 100",
        "é♞",
        "",
        "moves",
    ];
    for _ in 0..1500 {
        engine.send(lines[random.below(lines.len())]);
    }
    engine.send(".\nforce\nnew\nforce\ne2e4\nping 77");
    engine.read_until("pong 77");
    engine.send("display");
    let board = engine.read_until("checkers");
    assert!(
        board.iter().any(|line| line.starts_with("fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b"))
    );
    engine.end();
}
