//! Whole UCI sessions over pipes, as with an interface.

use std::io::{BufReader, Write};
use std::time::Duration;

use smalt_chess::notation::polyglot::PolyglotBuilder;
use smalt_chess::{Position, UciMove};
use smalt_protocol::uci::EngineMessage;
use smalt_protocol::uci::engine::BestMove;
use smalt_testing::Random;

use crate::pipes::Conversation;

impl Conversation {
    fn best_move(&self) -> String {
        let line = self.read_until("bestmove").pop().unwrap();
        line.split_whitespace().nth(1).unwrap().to_owned()
    }

    fn ask(&mut self, text: &str, start: &str) -> Vec<String> {
        self.send(text);
        self.read_until(start)
    }
}

fn is_legal(fen: &str, text: &str) -> bool {
    let position: Position = fen.parse().unwrap();
    text.parse::<UciMove>().unwrap().to_move(&position).is_ok()
}

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

#[test]
fn the_engine_introduces_itself() {
    let mut engine = Conversation::begin();
    let lines = engine.ask("uci", "uciok");
    assert!(lines[0].starts_with("id name Smalt "));
    assert!(lines[1].starts_with("id author "));
    let names: Vec<String> = lines
        .iter()
        .filter_map(|line| match EngineMessage::parse(line) {
            EngineMessage::Option(option) => Some(option.name),
            _ => None,
        })
        .collect();
    for name in
        ["Hash", "Threads", "MultiPV", "Ponder", "Move Overhead", "UCI_Chess960", "UCI_ShowWDL", "nodestime"]
    {
        assert!(names.iter().any(|declared| declared == name), "{name}");
    }
    for name in ["UCI_LimitStrength", "UCI_Elo", "EvalFile", "Clear Hash", "OwnBook", "BookFile"] {
        assert!(names.iter().any(|declared| declared == name), "{name}");
    }
    assert_eq!(lines.len(), names.len() + 3);
    engine.ask("isready", "readyok");
    engine.send("quit");
    assert_eq!(engine.end(), Vec::<String>::new());
}

#[test]
fn every_argument_of_go_ends_in_a_legal_move() {
    let mut engine = Conversation::begin();
    for arguments in [
        "depth 4",
        "nodes 500",
        "movetime 20",
        "wtime 300 btime 300 winc 10 binc 10",
        "wtime 300 btime 300 movestogo 5",
        "wtime 0 btime 0",
        "wtime -50 btime -50 winc 0 binc 0",
        "mate 1 nodes 3000",
        "searchmoves a2a3 h1g1 depth 3",
        "searchmoves nonsense depth 3",
        "depth 3 nodes 100 movetime 50 wtime 1000 btime 1000",
        "depth -7",
        "nodes -1",
        "mate -2",
        "movetime -5",
        "depth 99999999999999999999 nodes 100",
        "unknown depth 2",
    ] {
        engine.send(&format!("position fen {KIWIPETE}"));
        engine.send(&format!("go {arguments}"));
        let best = engine.best_move();
        assert!(is_legal(KIWIPETE, &best), "go {arguments}: {best}");
    }
    engine.end();
}

#[test]
fn every_report_reads_as_one() {
    let mut engine = Conversation::begin();
    engine.send("setoption name UCI_ShowWDL value true");
    engine.send("setoption name MultiPV value 3");
    let lines = engine.ask("go depth 6", "bestmove");
    let mut reports = 0;
    for line in &lines {
        match EngineMessage::parse(line) {
            EngineMessage::Info(info) => {
                assert!(info.depth.is_some() && info.score.is_some() && info.time.is_some(), "{line}");
                assert!(info.nodes.is_some() && info.nps.is_some() && !info.pv.is_empty(), "{line}");
                let wdl = info.wdl.unwrap();
                assert_eq!(wdl.win + wdl.draw + wdl.loss, 1000);
                reports += 1;
            }
            EngineMessage::BestMove { best: BestMove::Move(_), ponder: Some(_) } => {}
            other => panic!("{other:?}"),
        }
        assert_eq!(EngineMessage::parse(line).to_string(), *line);
    }
    assert_eq!(reports, 18);
    engine.end();
}

#[test]
fn an_infinite_search_ends_only_when_stopped() {
    let mut engine = Conversation::begin();
    // A mate in one reaches the last depth at once; the best move must still wait.
    engine.send("position fen 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1");
    engine.send("go infinite");
    let lines = engine.ask("isready", "readyok");
    assert!(lines.iter().all(|line| !line.starts_with("bestmove")));
    engine.send("stop");
    assert_eq!(engine.best_move(), "d1d8");
    // A finished game also answers, and also waits.
    engine.send("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    engine.send("go infinite");
    assert!(!engine.ask("isready", "readyok").iter().any(|line| line.starts_with("bestmove")));
    engine.send("stop");
    assert_eq!(engine.best_move(), "(none)");
    engine.end();
}

#[test]
fn isready_after_stop_is_answered_after_the_move() {
    let mut engine = Conversation::begin();
    for _ in 0..20 {
        engine.send("go infinite");
        engine.send("stop");
        let lines = engine.ask("isready", "readyok");
        assert!(lines.iter().any(|line| line.starts_with("bestmove")), "{lines:?}");
    }
    engine.end();
}

#[test]
fn stop_at_any_moment_brings_a_legal_move() {
    let mut engine = Conversation::begin();
    for round in 0..40 {
        engine.send(&format!("position fen {KIWIPETE}"));
        engine.send("go infinite");
        // The moments of the stop are what is tested.
        std::thread::sleep(Duration::from_micros(37 * round * round));
        engine.send("stop");
        assert!(is_legal(KIWIPETE, &engine.best_move()));
    }
    engine.end();
}

#[test]
fn pondering_ends_by_the_awaited_move_or_by_stop() {
    let mut engine = Conversation::begin();
    engine.send("position startpos moves e2e4 e7e5");
    engine.send("go ponder wtime 60 btime 60");
    assert!(!engine.ask("isready", "readyok").iter().any(|line| line.starts_with("bestmove")));
    engine.send("ponderhit");
    engine.best_move();
    // The limit is reached before ponderhit.
    engine.send("go ponder depth 1");
    engine.read_until("info depth 1 ");
    assert!(!engine.ask("isready", "readyok").iter().any(|line| line.starts_with("bestmove")));
    engine.send("ponderhit");
    engine.best_move();
    engine.send("go ponder wtime 60 btime 60");
    engine.send("stop");
    engine.best_move();
    engine.end();
}

#[test]
fn a_second_go_ends_the_first_search() {
    let mut engine = Conversation::begin();
    engine.send("go infinite");
    engine.send("go depth 3");
    engine.best_move();
    engine.best_move();
    engine.end();
}

#[test]
fn the_end_of_input_or_quit_ends_a_running_search() {
    for last_word in ["quit", ""] {
        let mut engine = Conversation::begin();
        engine.send("go infinite");
        engine.send(last_word);
        let rest = engine.end();
        assert!(rest.last().is_some_and(|line| line.starts_with("bestmove")), "{rest:?}");
    }
}

#[test]
fn castling_is_written_as_the_option_says() {
    let mut engine = Conversation::begin();
    let castles = "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    for (is_960, expected) in [("false", "e1g1"), ("true", "e1h1")] {
        engine.send(&format!("setoption name UCI_Chess960 value {is_960}"));
        engine.send(castles);
        engine.send("go depth 2 searchmoves e1h1");
        assert_eq!(engine.best_move(), expected);
    }
    engine.send("position fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9 moves g1h1");
    let lines = engine.ask("d", "checkers");
    assert!(lines.iter().any(|line| line.contains("w ") || line.contains("b ")), "{lines:?}");
    engine.end();
}

#[test]
fn perft_divides_and_sums() {
    let mut engine = Conversation::begin();
    let lines = engine.ask("go perft 3", "Nodes searched");
    assert_eq!(lines.len(), 22);
    assert!(lines.contains(&"b1c3: 440".to_owned()));
    assert_eq!(lines.last().unwrap(), "Nodes searched: 8902");
    engine.end();
}

#[test]
fn own_commands_are_answered() {
    let mut engine = Conversation::begin();
    engine.send(&format!("position fen {KIWIPETE}"));
    let lines = engine.ask("d", "checkers");
    assert!(lines.contains(&format!("fen: {KIWIPETE}")));
    let lines = engine.ask("eval", "evaluation");
    assert!(lines.len() > 5);
    engine.ask("bench 2", "time ");
    let line = engine.read_line();
    assert!(line.contains(" nodes ") && line.ends_with(" nps"));
    engine.end();
}

#[test]
fn commands_for_people_are_answered() {
    let mut engine = Conversation::begin();
    engine.send(&format!("position fen {KIWIPETE}"));
    let moves = engine.ask("moves", "").pop().unwrap();
    assert!(moves.starts_with("48 moves: ") && moves.contains(" O-O-O"), "{moves}");
    assert_eq!(engine.ask("perft 3", "nps")[0], "nodes 97862");
    let divided = engine.ask("divide 2", "nps");
    assert!(divided.contains(&"e1g1: 43".to_owned()) && divided.contains(&"nodes 2039".to_owned()));
    assert!(engine.ask("display", "checkers").contains(&format!("fen: {KIWIPETE}")));
    assert!(engine.ask("evaluate", "evaluation").len() > 5);
    assert_eq!(
        engine.ask("book on", "book").pop().unwrap(),
        "book on, but there is none: name it by the option BookFile"
    );
    assert_eq!(engine.ask("book off", "book").pop().unwrap(), "book off");
    assert_eq!(engine.ask("perft many", "expected").pop().unwrap(), "expected perft N, from 0 to 64");
    assert!(engine.ask("help", "genfens").len() > 5);
    // stop ends an endless perft, and isready is answered meanwhile.
    engine.send("perft 30");
    engine.ask("isready", "readyok");
    engine.ask("stop", "stopped");
    engine.end();
}

#[test]
fn openings_are_made_on_request_and_awaited_at_the_end() {
    let mut engine = Conversation::begin();
    engine.send("genfens 3 seed 5 book None\nquit");
    let lines = engine.end();
    assert_eq!(lines.len(), 3);
    for line in lines {
        let fen = line.strip_prefix("info string genfens ").unwrap();
        assert!(fen.parse::<Position>().unwrap().ending().is_none(), "{line}");
    }
}

#[test]
fn extreme_positions_have_an_answer() {
    let mut engine = Conversation::begin();
    let most_moves = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";
    let mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
    let stalemated = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
    let bare = "8/8/4k3/8/8/3K4/8/8 w - - 0 1";
    for (fen, has_move) in [(most_moves, true), (mated, false), (stalemated, false), (bare, true)] {
        engine.send(&format!("position fen {fen}"));
        for go in ["depth 3", "movetime 10", "wtime 50 btime 50", "mate 1", "nodes 1"] {
            engine.send(&format!("go {go}"));
            let best = engine.best_move();
            assert!(if has_move { is_legal(fen, &best) } else { best == "(none)" }, "{fen} {go} {best}");
        }
    }
    engine.end();
}

#[test]
fn errors_are_reported_and_change_nothing() {
    let mut engine = Conversation::begin();
    let mut check = |text: &str, expected: &str| {
        assert_eq!(engine.ask(text, "info string").pop().unwrap(), format!("info string {expected}"));
    };
    check("setoption name Nonsense value 1", r#"there is no option "Nonsense""#);
    check("setoption name Hash value 0", r#"0 is outside of 1 to 1048576, for option "Hash""#);
    check("setoption name Threads value many", r#""many" is not a whole number, for option "Threads""#);
    check("position startpos moves e2e5", "move 1: e2e5 is not a legal move here");
    check("position startpos moves e2e4 e7e5 xyz g1f3", r#"move 3 can't be read: "xyz""#);
    check("hello there", "unknown command: hello there");
    let missing = engine.ask("setoption name EvalFile value /no/such/file", "info string").pop().unwrap();
    assert!(missing.starts_with("info string can't read /no/such/file: "), "{missing}");
    #[cfg(unix)]
    {
        let endless = engine.ask("setoption name EvalFile value /dev/zero", "info string").pop().unwrap();
        assert_eq!(endless, "info string can't read /dev/zero: it has more than 67108864 bytes");
    }
    engine.ask("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "info string position refused: ");
    engine.send("go depth 3");
    let opened = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    assert!(is_legal(opened, &engine.best_move()));
    engine.end();
}

#[test]
fn skipped_words_of_go_are_reported() {
    let mut engine = Conversation::begin();
    for (go, expected) in [
        ("go depth x nodes 100", "not understood in go: depth x"),
        ("go quickly movetime 1", "not understood in go: quickly"),
        ("go searchmoves e2e5 a2a4 depth 1", "no legal moves here: e2e5"),
        ("go searchmoves e2e5 depth 1", "no legal moves here: e2e5: all moves are searched"),
        ("go depth x", "not understood in go: depth x: no limit is left, the search runs until stop"),
    ] {
        let message = engine.ask(go, "info string").pop().unwrap();
        assert_eq!(message, format!("info string {expected}"));
        engine.send("stop");
        engine.best_move();
    }
    engine.end();
}

#[cfg(feature = "tune")]
#[test]
fn every_constant_of_the_search_is_an_option_that_changes_it() {
    use smalt::search::params::SearchParameters;
    let mut engine = Conversation::begin();
    let lines = engine.ask("uci", "uciok");
    for parameter in SearchParameters::ALL {
        let start = format!("option name {} type spin ", parameter.name);
        let line = lines.iter().find(|line| line.starts_with(&start)).unwrap();
        assert!(line.ends_with(&format!(" min {} max {}", parameter.min, parameter.max)), "{line}");
    }
    let nodes = |engine: &mut Conversation| {
        engine.send("ucinewgame");
        engine.send(&format!("position fen {KIWIPETE}"));
        let line =
            engine.ask("go depth 9", "bestmove").into_iter().rfind(|line| line.contains(" nodes ")).unwrap();
        line.split_whitespace().skip_while(|word| *word != "nodes").nth(1).unwrap().to_owned()
    };
    let before = nodes(&mut engine);
    let line = lines.iter().find(|line| line.starts_with("option name reverse_futility_margin ")).unwrap();
    let default = line.split_whitespace().skip_while(|word| *word != "default").nth(1).unwrap();
    engine.send("setoption name reverse_futility_margin value 150");
    assert_ne!(nodes(&mut engine), before);
    engine.send(&format!("setoption name reverse_futility_margin value {default}"));
    assert_eq!(nodes(&mut engine), before);
    engine.end();
}

#[test]
fn options_may_change_between_searches() {
    let mut engine = Conversation::begin();
    for setting in [
        "Hash value 1",
        "hash value 64",
        "Clear Hash",
        "Threads value 3",
        "MultiPV value 500",
        "Move Overhead value 0",
        "nodestime value 100",
        "nodestime value 0",
        "UCI_LimitStrength value true",
        "UCI_Elo value 800",
        "UCI_LimitStrength value false",
        "EvalFile value <empty>",
        "Seed value 7",
        "Threads value 1",
        "Ponder value true",
    ] {
        engine.send(&format!("setoption name {setting}"));
        engine.send("position startpos moves d2d4");
        let lines = engine.ask("go depth 4", "bestmove");
        assert!(!lines.iter().any(|line| line.contains("string")), "{setting}: {lines:?}");
    }
    engine.end();
}

/// Two games of thirty searches, with 50 nodes for a millisecond and four seconds for all. The engine ignores the later
/// clocks of the interface.
#[test]
fn with_nodestime_nodes_run_the_clock_down() {
    let nodes_of = |engine: &mut Conversation, go: &str| -> u64 {
        let lines = engine.ask(go, "bestmove");
        let last = lines.iter().rev().find(|line| line.contains(" nodes ")).unwrap();
        last.split_once(" nodes ").unwrap().1.split(' ').next().unwrap().parse().unwrap()
    };
    let mut engine = Conversation::begin();
    engine.send("setoption name nodestime value 50");
    let mut game = || -> Vec<u64> {
        engine.send("ucinewgame");
        engine.send("position fen r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 30");
        let clock = |number: usize| if number == 0 { 4000 } else { 100_000 };
        (0..30).map(|number| nodes_of(&mut engine, &format!("go wtime {}", clock(number)))).collect()
    };
    let searches = game();
    assert_eq!(game(), searches);
    assert!(searches.iter().sum::<u64>() <= 4000 * 50, "{searches:?}");
    assert!(searches[0] > 1000 && searches[29] * 2 < searches[0], "{searches:?}");
    // A twentieth is kept for the move overhead.
    assert_eq!(nodes_of(&mut engine, "go movetime 100"), 95 * 50);
    engine.end();
}

#[test]
fn moves_come_from_the_book_while_it_has_some() {
    let mut builder = PolyglotBuilder::new();
    let start = Position::start();
    builder.add(&start, "a2a4".parse::<UciMove>().unwrap().to_move(&start).unwrap(), 1);
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("book.bin");
    std::fs::write(&path, builder.to_bytes()).unwrap();

    let mut engine = Conversation::begin();
    engine.send(&format!("setoption name BookFile value {}", path.display()));
    engine.send("go depth 6");
    assert_ne!(engine.best_move(), "a2a4");
    engine.send("setoption name OwnBook value true");
    engine.send("go depth 6");
    assert_eq!(engine.best_move(), "a2a4");
    engine.send("position startpos moves a2a4");
    engine.send("go depth 3");
    engine.best_move();
    engine.send("position startpos");
    engine.send("go depth 6 searchmoves e2e4");
    assert_eq!(engine.best_move(), "e2e4");
    engine.end();
}

#[test]
fn storms_of_garbage_end_nothing() {
    let mut engine = Conversation::begin();
    let mut random = Random(2026);
    let words = [
        "position", "fen", "startpos", "moves", "e2e4", "e7e8q", "0000", "go", "depth 1", "nodes 5",
        "setoption", "name", "value", "Hash", "-1", "99999999999999999999", "stop", "ponderhit", "isready",
        "ucinewgame", "perft 1", "\u{0}", "é♞", "8/8/8/8/8/8/8/8 w - -", "debug", "register", "mate",
        "wtime", "searchmoves",
    ];
    for _ in 0..2000 {
        let count = random.below(7);
        let line: Vec<&str> = (0..count).map(|_| *random.choose(&words)).collect();
        engine.send(&line.join(" "));
        if random.below(10) == 0 {
            let bytes: Vec<u8> = (0..random.below(80)).map(|_| random.below(256) as u8).collect();
            engine.send_bytes(&bytes);
        }
    }
    engine.send("");
    engine.send("stop");
    engine.send(&"x".repeat(1 << 20));
    engine.send("ucinewgame");
    engine.send("setoption name Clear Hash");
    engine.send(&format!("position fen {KIWIPETE}"));
    engine.send("isready");
    let position = engine.ask("d", &format!("fen: {KIWIPETE}"));
    assert!(position.iter().any(|line| line == "readyok"));
    engine.end();
}

#[test]
fn a_closed_output_ends_the_engine() {
    let (input, mut to_engine) = std::io::pipe().unwrap();
    let (from_engine, output) = std::io::pipe().unwrap();
    drop(from_engine);
    let served = std::thread::spawn(move || smalt::serve::serve(BufReader::new(input), output));
    to_engine.write_all(b"uci\ngo infinite\n").unwrap();
    served.join().unwrap();
    drop(to_engine);
}

/// Runs the engine with this address space limit, in kilobytes; returns its output for these lines up to its move.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "the program itself is under test")]
fn with_address_space(kilobytes: u32, lines: &str) -> String {
    use std::io::BufRead as _;
    use std::process::{Command, Stdio};
    let command = format!("ulimit -v {kilobytes}; exec '{}'", env!("CARGO_BIN_EXE_smalt"));
    let mut shell = Command::new("sh");
    let mut engine =
        shell.args(["-c", &command]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = engine.stdin.take().unwrap();
    input.write_all(lines.as_bytes()).unwrap();
    let mut text = String::new();
    let mut output = BufReader::new(engine.stdout.take().unwrap());
    while !text.contains("\nbestmove ") && output.read_line(&mut text).unwrap() > 0 {}
    drop(input);
    assert!(engine.wait().unwrap().success(), "{text}");
    text
}

#[cfg(unix)]
#[test]
fn too_many_threads_for_memory_are_refused() {
    let text = with_address_space(
        1_500_000,
        "setoption name Threads value 1024\nisready\nsetoption name Threads value 2\ngo nodes 20000\n",
    );
    assert!(
        text.contains("info string there is no memory for 1024 threads; it has 1 now\nreadyok"),
        "{text}"
    );
    assert!(text.contains("\nbestmove "), "{text}");
}
