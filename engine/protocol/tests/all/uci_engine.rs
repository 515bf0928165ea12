//! How a runner parses the lines that engines print, real ones included.

use std::time::Duration;

use smalt_protocol::info::{CurrentLine, Refutation};
use smalt_protocol::uci::EngineMessage;
use smalt_protocol::uci::engine::{Admission, BestMove, Id};
use smalt_protocol::*;

fn check(line: &str, expected: EngineMessage<'_>) {
    assert_eq!(EngineMessage::parse(line), expected, "{line:?}");
}

fn check_info(line: &str, expected: Info<'_>) {
    check(line, EngineMessage::Info(expected));
}

fn check_option(line: &str, name: &str, kind: OptionKind) {
    check(line, EngineMessage::Option(OptionDeclaration { name: name.to_owned(), kind }));
}

fn check_best(line: &str, best: BestMove<'_>, ponder: Option<&str>) {
    check(line, EngineMessage::BestMove { best, ponder: ponder.map(|text| text.parse().expect("a move")) });
}

fn mv(text: &str) -> BestMove<'_> {
    BestMove::Move(text.parse().expect("a move"))
}

fn centipawns(centipawns: i32, bound: Bound) -> Option<ReportedScore> {
    Some(ReportedScore { score: Score::Centipawns(centipawns), bound })
}

fn mate(moves: i32) -> Option<ReportedScore> {
    Some(Score::Mate(moves).into())
}

fn ms(ms: u64) -> Option<Duration> {
    Some(Duration::from_millis(ms))
}

#[test]
fn greetings_are_read() {
    check("id name Stockfish 15.1", EngineMessage::Id(Id::Name("Stockfish 15.1")));
    check(
        "id author Andrew Grant, Alayan & Laldon",
        EngineMessage::Id(Id::Author("Andrew Grant, Alayan & Laldon")),
    );
    check("uciok", EngineMessage::UciOk);
    check(" readyok\r\n", EngineMessage::ReadyOk);
    check("copyprotection checking", EngineMessage::CopyProtection(Admission::Checking));
    check("registration error", EngineMessage::Registration(Admission::Error));
}

#[test]
fn chatter_is_no_message() {
    for line in [
        "Glaurung 2.2.  Copyright (C) 2004-2008 Tord Romstad.",
        "my bestmove e2e4",
        "",
        "id",
        "option name x",
    ] {
        check(line, EngineMessage::Other(line));
    }
}

#[test]
fn best_moves_are_read() {
    check_best("bestmove d7d5 ponder e4d5", mv("d7d5"), Some("e4d5"));
    check_best("bestmove e2e4\r", mv("e2e4"), None);
    check_best("bestmove\t a7a8Q  junk ponder (none)", mv("a7a8q"), None);
    check_best("bestmove g5g7 ", mv("g5g7"), None);
}

#[test]
fn invalid_best_moves_are_distinguished() {
    check_best("bestmove (none)", BestMove::None, None);
    check_best("bestmove NULL", BestMove::None, None);
    check_best("bestmove 0000", mv("0000"), None);
    check_best("bestmove", BestMove::Unreadable(""), None);
    check_best("bestmove ponder e2e4", BestMove::Unreadable(""), Some("e2e4"));
    check_best("bestmove Nf3", BestMove::Unreadable("Nf3"), None);
    check_best("bestmove e2", BestMove::Unreadable("e2"), None);
}

#[test]
fn infos_of_stockfish_are_read() {
    check_info(
        "info depth 24 seldepth 29 multipv 1 score cp 33 wdl 45 953 2 lowerbound nodes 2049611 nps 607832 \
         hashfull 221 tbhits 0 time 3372 pv e2e4",
        Info {
            depth: Some(24),
            selective_depth: Some(29),
            multipv: Some(1),
            score: centipawns(33, Bound::Lower),
            wdl: Some(Wdl { win: 45, draw: 953, loss: 2 }),
            nodes: Some(2_049_611),
            nps: Some(607_832),
            hashfull: Some(221),
            tbhits: Some(0),
            time: ms(3_372),
            pv: Moves::from_text("e2e4"),
            ..Default::default()
        },
    );
    check_info("info depth 0 score mate 0", Info { depth: Some(0), score: mate(0), ..Default::default() });
    check_info(
        "info depth 24 currmove e2e4 currmovenumber 2",
        Info {
            depth: Some(24),
            current_move: Some("e2e4".parse().unwrap()),
            current_move_number: Some(2),
            ..Default::default()
        },
    );
    check_info(
        "info string NNUE evaluation using nn-ad9b42354671.nnue enabled",
        Info { string: Some("NNUE evaluation using nn-ad9b42354671.nnue enabled"), ..Default::default() },
    );
}

#[test]
fn infos_of_other_engines_are_read() {
    check_info(
        "info multipv 1 depth 2 seldepth 8 score cp -27 time 0 nodes 158 pv d7d5 b1c3 d5e4 c3e4",
        Info {
            multipv: Some(1),
            depth: Some(2),
            selective_depth: Some(8),
            score: centipawns(-27, Bound::Exact),
            time: ms(0),
            nodes: Some(158),
            pv: Moves::from_text("d7d5 b1c3 d5e4 c3e4"),
            ..Default::default()
        },
    );
    check_info(
        "info time 0 nodes 4 nps 0 cpuload 653",
        Info { time: ms(0), nodes: Some(4), nps: Some(0), cpuload: Some(653), ..Default::default() },
    );
    check_info(
        "info multipv 1 score mate 1 depth 2 time 1 nodes 31 nps 31000 pv g5g7 ",
        Info {
            multipv: Some(1),
            score: mate(1),
            depth: Some(2),
            time: ms(1),
            nodes: Some(31),
            nps: Some(31_000),
            pv: Moves::from_text("g5g7"),
            ..Default::default()
        },
    );
}

#[test]
fn rare_infos_are_read() {
    let refutation = Refutation { refuted: "d1h5".parse().unwrap(), line: Moves::from_text("g6h5") };
    check_info("info refutation d1h5 g6h5", Info { refutation: Some(refutation), ..Default::default() });
    let line = Moves::from_text("d1h5 g6h5");
    check_info(
        "info currline 2 d1h5 g6h5 sbhits 4",
        Info {
            current_line: Some(CurrentLine { processor: Some(2), line }),
            sbhits: Some(4),
            ..Default::default()
        },
    );
    check_info(
        "info currline d1h5 g6h5",
        Info { current_line: Some(CurrentLine { processor: None, line }), ..Default::default() },
    );
}

#[test]
fn a_null_move_is_not_taken_for_a_processor() {
    let line = Moves::from_text("0000 e2e4");
    let current_line = Some(CurrentLine { processor: None, line });
    check_info("info currline 0000 e2e4", Info { current_line, ..Default::default() });
}

#[test]
fn odd_infos_are_tolerated() {
    let depth = |depth| Info { depth: Some(depth), ..Default::default() };
    check_info("info depth 7 foo 12 bar", depth(7));
    check_info("info depth seldepth depth 9", depth(9));
    check_info("info depth 1.5 depth -3 depth 4", depth(4));
    check_info("info depth 99999999999999", depth(u32::MAX));
    check_info(
        "info score cp 99999999999",
        Info { score: centipawns(i32::MAX, Bound::Exact), ..Default::default() },
    );
    check_info("info score", Info::default());
    let pv = Moves::from_text("e2e4 e7e5");
    check_info("info pv e2e4 e7e5 depth 3", Info { pv, ..depth(3) });
    check_info("info pv e2e4 e7e5 Nf3 d7d5 depth 3", Info { pv, ..depth(3) });
    check_info("info depth 2 string pv e2e4", Info { string: Some("pv e2e4"), ..depth(2) });
}

#[test]
fn options_are_read() {
    check_option(
        "option name Hash type spin default 16 min 1 max 33554432",
        "Hash",
        OptionKind::Spin { default: 16, min: 1, max: 33_554_432 },
    );
    check_option("option name Clear Hash type button", "Clear Hash", OptionKind::Button);
    check_option("option name Ponder type check default true", "Ponder", OptionKind::Check { default: true });
    check_option(
        "option name SyzygyPath type string default <empty>",
        "SyzygyPath",
        OptionKind::Text { default: String::new() },
    );
    check_option(
        "option name Debug Log File type string default ",
        "Debug Log File",
        OptionKind::Text { default: String::new() },
    );
    check_option(
        "option name Full Depth Moves (PV nodes) type spin default 14 min 1 max 100",
        "Full Depth Moves (PV nodes)",
        OptionKind::Spin { default: 14, min: 1, max: 100 },
    );
    let choices = ["Always", "Fail High", "Never"].map(str::to_owned).to_vec();
    check_option(
        "option name NullMove Pruning type combo default Fail High var Always var Fail High var Never",
        "NullMove Pruning",
        OptionKind::Combo { default: "Fail High".to_owned(), choices },
    );
}

#[test]
fn odd_options_are_tolerated() {
    check_option("option name Book type type button", "Book type", OptionKind::Button);
    check_option(
        "option name Skill type spin min 5 max 20",
        "Skill",
        OptionKind::Spin { default: 5, min: 5, max: 20 },
    );
    check_option(
        "option name Style type combo var Solid var Wild",
        "Style",
        OptionKind::Combo {
            default: "Solid".to_owned(),
            choices: ["Solid", "Wild"].map(str::to_owned).to_vec(),
        },
    );
}

/// Every line except the banner before `uci` parses, and prints with the same meaning.
#[test]
fn transcripts_of_real_engines_are_parsed() {
    let transcripts = [
        include_str!("transcripts/ethereal-chess.txt"),
        include_str!("transcripts/glaurung.txt"),
        include_str!("transcripts/gnuchess.txt"),
        include_str!("transcripts/stockfish.txt"),
        include_str!("transcripts/toga2.txt"),
    ];
    for line in transcripts.iter().flat_map(|text| text.lines()) {
        let message = EngineMessage::parse(line);
        if let EngineMessage::Other(_) = message {
            assert!(
                ["Glaurung", "Stockfish", "Toga", "Code was", "Egbb"]
                    .iter()
                    .any(|word| line.starts_with(word))
            );
        }
        if let EngineMessage::Info(info) = message {
            assert_ne!(info, Info::default(), "{line:?}");
        }
        assert_eq!(EngineMessage::parse(&message.to_string()), message, "{line:?}");
    }
}
