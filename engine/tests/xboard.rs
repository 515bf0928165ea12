//! Whole conversations in xboard's protocol, over pipes as an interface would hold them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod pipes;

use pipes::Conversation;
use smalt_chess::notation::polyglot::PolyglotBuilder;
use smalt_chess::{Position, UciMove};
use smalt_protocol::Score;
use smalt_protocol::xboard::{EngineMessage, parse_option};

/// Holds a conversation, line by line: what comes behind `>` is told, what comes behind `<` must be the next line heard,
/// with `*` for anything. Lines of thinking are passed over.
fn check(conversation: &str) {
    hold(conversation).end();
}

fn hold(conversation: &str) -> Conversation {
    let mut engine = Conversation::begin();
    go_on(&mut engine, conversation);
    engine
}

fn go_on(engine: &mut Conversation, conversation: &str) {
    for step in conversation.lines().map(str::trim).filter(|step| !step.is_empty()) {
        match step.split_at(1) {
            (">", line) => engine.tell(line.trim()),
            ("<", expected) => {
                let heard = next(engine);
                assert!(fits(expected.trim(), &heard), "{heard:?} instead of {expected:?} in {conversation}");
            }
            _ => panic!("{step}"),
        }
    }
}

/// The next line that is not about thinking.
fn next(engine: &Conversation) -> String {
    loop {
        let line = engine.hear();
        if !matches!(EngineMessage::parse(&line), EngineMessage::Thinking(_)) {
            return line;
        }
    }
}

fn fits(pattern: &str, line: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => {
            line.len() >= start.len() + end.len() && line.starts_with(start) && line.ends_with(end)
        }
        None => pattern == line,
    }
}

#[test]
fn version_two_is_answered_with_features_and_version_one_is_not() {
    let mut engine = Conversation::begin();
    engine.tell("xboard\nprotover 2");
    let lines = engine.hear_until("feature done=1");
    assert_eq!(lines[0], "feature done=0");
    let said = lines.join("\n");
    for wish in
        ["ping=1", "setboard=1", "usermove=1", "colors=0", "sigint=0", "memory=1", "smp=1", "myname=\"Smalt "]
    {
        assert!(said.contains(wish), "{wish}");
    }
    assert!(said.contains("variants=\"normal,fischerandom\""));
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
fn moves_are_taken_in_each_form_and_answered() {
    for mv in ["e2e4", "e4", "usermove e2e4", "usermove e4"] {
        check(&format!(
            "> xboard
             > new
             > sd 3
             > {mv}
             < move *
             > ping 5
             < pong 5"
        ));
    }
}

#[test]
fn what_is_not_understood_is_told_in_the_words_of_the_protocol() {
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
fn an_illegal_position_allows_nothing_until_there_is_another() {
    check(
        "> xboard
         > force
         > setboard 8/8/8/8/8/8/8/8 w - - 0 1
         < tellusererror Illegal position: *
         > e2e4
         < Illegal move: e2e4
         > go
         < Error (illegal position): go
         > analyze
         < Error (illegal position): analyze
         > setboard 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1
         > e2e4
         > ping 1
         < pong 1",
    );
}

#[test]
fn no_move_comes_behind_what_ends_the_search() {
    for end in [
        "force",
        "new",
        "result * {aborted}",
        "setboard 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        "exit\nforce",
        "analyze\nexit",
    ] {
        let mut engine = hold("> xboard\n> new\n> st 3600\n> e2e4");
        engine.tell(end);
        engine.tell("ping 8");
        let heard = next(&engine);
        assert!(heard == "pong 8" || heard == "Error (command not legal now): exit", "{end}: {heard}");
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
fn every_time_control_is_played() {
    for control in
        ["level 40 0:02 0", "level 0 0:02 0.1", "st 0.05", "level 0 0 0.05", "level 40 1 0\n> sd 2"]
    {
        check(&format!(
            "> xboard
             > new
             > {control}
             > time 40
             > otim 40
             > e2e4
             < move *
             > ping 1
             < pong 1"
        ));
    }
    // So many nodes are a second: the search ends though a second of the clock is long.
    check(
        "> xboard
         > new
         > nps 10
         > st 600
         > e2e4
         < move *",
    );
}

#[test]
fn both_colors_are_played_as_told() {
    check(
        "> xboard
         > new
         > sd 2
         > go
         < move *
         > force
         > new
         > sd 2
         > playother
         > e2e4
         < move *
         > new
         > sd 2
         > force
         > e2e4
         > go
         < move *
         > new
         > sd 2
         > black
         > white
         > go
         < move *",
    );
}

#[test]
fn moves_are_taken_back() {
    check(
        "> xboard
         > new
         > sd 2
         > e2e4
         < move *
         > remove
         > d2d4
         < move *
         > force
         > undo
         > undo
         > undo
         < Error (command not legal now): undo
         > e2e4
         > ping 1
         < pong 1",
    );
}

#[test]
fn a_game_that_is_over_is_claimed_whoever_made_the_last_move() {
    // The engine mates.
    check(
        "> xboard
         > force
         > setboard 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1
         > sd 3
         > go
         < move d1d8
         < 1-0 {White mates}",
    );
    // It is mated.
    check(
        "> xboard
         > new
         > force
         > f2f3
         > e7e5
         > g2g4
         > playother
         > d8h4
         < 0-1 {Black mates}
         > go
         < 0-1 {Black mates}",
    );
    check(
        "> xboard
         > force
         > setboard 7k/8/6K1/8/8/8/5Q2/8 w - - 0 1
         > playother
         > f2f7
         < 1/2-1/2 {Stalemate}
         > force
         > setboard 8/8/4k3/8/8/3K4/8/8 w - - 0 1
         > go
         < 1/2-1/2 {Draw by insufficient material}",
    );
    check(
        "> xboard
         > new
         > force
         > g1f3
         > g8f6
         > f3g1
         > f6g8
         > g1f3
         > g8f6
         > f3g1
         > playother
         > f6g8
         < 1/2-1/2 {Draw by repetition}",
    );
}

#[test]
fn a_lost_game_is_drawn_on_offer_and_a_won_one_is_not() {
    let play = |fen: &str, answer: &str| {
        check(&format!(
            "> xboard
             > force
             > setboard {fen}
             > sd 4
             > draw
             > go
             {answer}
             < move *
             > ping 1
             < pong 1"
        ));
    };
    play("3qk3/8/8/8/8/8/8/4K3 w - - 0 1", "< offer draw");
    play("4k3/8/8/8/8/8/8/3QK3 w - - 0 1", "");
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
    let lines = engine.hear_until("move");
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
    go_on(&mut engine, "> force\n> new\n> nopost\n> sd 4\n> e2e4");
    assert!(
        engine
            .hear_until("move")
            .iter()
            .all(|line| !line.starts_with(|c: char| c.is_ascii_digit() && c != '1'))
    );
    engine.end();
}

#[test]
fn pondering_goes_on_into_the_move_or_is_given_up() {
    // Black has one answer to each move.
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
    go_on(
        &mut engine,
        "> ping 3
         < pong 3
         > hint
         < Hint: h8*",
    );
    engine.tell("bk\nping 4");
    assert!(engine.hear_until("pong 4").iter().any(|line| line == " no book move"));
    engine.tell("hint");
    let awaited = next(&engine);
    engine.tell(awaited.strip_prefix("Hint: ").unwrap());
    assert!(next(&engine).starts_with("move "));
    engine.tell("easy");
    engine.tell("ping 5");
    engine.hear_until("pong 5");
    engine.end();
    for end in ["> force", "> easy", "> new", "> result 1-0 {White mates}"] {
        check(&format!("{begin}\n{end}\n> ping 9\n< pong 9"));
    }
}

#[test]
fn analysis_follows_the_board_and_tells_how_far_it_has_come() {
    let mut engine = hold("> xboard\n> new\n> post\n> analyze");
    let shows = |engine: &Conversation, start: &str| {
        let is_shown = |line: &String| match EngineMessage::parse(line) {
            EngineMessage::Thinking(thinking) => thinking.depth > 2 && thinking.pv.starts_with(start),
            _ => false,
        };
        while !is_shown(&engine.hear()) {}
    };
    shows(&engine, "");
    go_on(&mut engine, "> ping 1\n< pong 1\n> .\n< stat01: * 0 20\n> hint\n< Hint: *");
    go_on(&mut engine, "> f2f3\n> e7e5\n> g2g4");
    shows(&engine, "Qh4#");
    go_on(
        &mut engine,
        "> exclude d8h4\n> exclude d8d4\n< Error (illegal move): exclude d8d4\n> ping 2\n< pong 2",
    );
    shows(&engine, "");
    go_on(&mut engine, "> include all");
    shows(&engine, "Qh4#");
    // Nothing is left to think about behind the mate; a move back there is.
    go_on(
        &mut engine,
        "> d8h4\n> .\n> ping 3\n< pong 3\n> undo\n> setboard 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
    );
    shows(&engine, "Rd8#");
    go_on(&mut engine, "> option MultiPV=2\n> ping 4\n< pong 4\n> new");
    shows(&engine, "");
    go_on(&mut engine, "> exit\n> ping 5\n< pong 5\n> .\n> ping 6\n< pong 6");
    engine.end();
}

#[test]
fn positions_are_edited_piece_by_piece() {
    check(
        "> xboard
         > new
         > force
         > a2a3
         > edit
         > #
         > Ke1
         > Pa2
         > nonsense
         < Error (unknown command): nonsense
         > c
         > Ke8
         > Qd8
         > .
         > sd 3
         > display",
    );
    let mut engine =
        hold("> xboard\n> new\n> force\n> a2a3\n> edit\n> #\n> Ke1\n> c\n> Ke8\n> Rh8\n> .\n> display");
    assert!(engine.hear_until("checkers").contains(&"fen: 4k2r/8/8/8/8/8/8/4K3 b k - 0 1".to_owned()));
    go_on(&mut engine, "> edit\n> xe1\n> .\n< tellusererror Illegal position: *");
    engine.end();
}

#[test]
fn chess960_is_played_with_its_castling() {
    check(
        "> xboard
         > new
         > variant fischerandom
         > force
         > setboard 4k3/8/8/8/8/8/8/1R2KR2 w KQ - 0 1
         > O-O
         > ping 1
         < pong 1
         > undo
         > e1b1
         > ping 2
         < pong 2
         > setboard k7/8/8/8/8/8/8/5KR1 w K - 0 1
         > sd 1
         > exclude all
         > include O-O
         > go
         < move O-O
         > ping 3
         < pong 3",
    );
}

#[test]
fn commands_for_people_work_here_too() {
    let mut engine = hold("> new\n> moves\n< 20 moves: *");
    engine.tell("perft 3");
    assert!(engine.hear_until("nps").contains(&"nodes 8902".to_owned()));
    engine.tell("divide 1");
    assert!(engine.hear_until("nps").contains(&"e2e4: 1".to_owned()));
    go_on(&mut engine, "> perft 30\n> ?\n< stopped\n> perft 30\n> new\n> ping 1\n< stopped\n< pong 1");
    engine.tell("evaluate");
    engine.hear_until("evaluation");
    go_on(
        &mut engine,
        "> book off\n< book off\n> st 3600\n> e2e4\n> moves\n< Error (command not legal now): moves",
    );
    engine.end();
}

#[test]
fn the_book_is_shown_and_played() {
    let mut builder = PolyglotBuilder::new();
    let start = Position::start();
    let mut add = |text: &str, weight| {
        builder.add(&start, text.parse::<UciMove>().unwrap().to_move(&start).unwrap(), weight);
    };
    add("a2a4", 3);
    add("h2h4", 1);
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("xboard_book.bin");
    std::fs::write(&path, builder.to_bytes()).unwrap();
    let mut engine =
        hold(&format!("> xboard\n> new\n> option BookFile={}\n> book on\n< book on\n> bk", path.display()));
    assert_eq!(engine.hear_until(" a4"), [" a4 75%"]);
    assert_eq!((engine.hear(), engine.hear()), (" h4 25%".to_owned(), String::new()));
    engine.tell("go");
    assert!(["move a2a4", "move h2h4"].contains(&engine.hear().as_str()));
    engine.end();
}

#[test]
fn a_recommendation_is_found_where_none_is_known() {
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
        engine.tell(last_word);
        assert_eq!(engine.end(), Vec::<String>::new());
    }
}

#[test]
fn storms_of_commands_end_nothing() {
    let mut engine = hold("> xboard");
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize % below
    };
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
        engine.tell(lines[random(lines.len())]);
    }
    engine.tell(".\nforce\nnew\nforce\ne2e4\nping 77");
    engine.hear_until("pong 77");
    engine.tell("display");
    let board = engine.hear_until("checkers");
    assert!(
        board.iter().any(|line| line.starts_with("fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b"))
    );
    engine.end();
}
