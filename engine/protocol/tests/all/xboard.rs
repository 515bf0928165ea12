//! The messages of xboard engines and interfaces: examples, and properties on random input.

use std::time::Duration;

use proptest::prelude::*;
use smalt_chess::{Color, Outcome};
use smalt_protocol::xboard::client::{EditLine, MoveForm, MoveSet};
use smalt_protocol::xboard::engine::Status;
use smalt_protocol::xboard::{ClientMessage, EngineMessage, Thinking};
use smalt_protocol::{Bound, Score};

fn check_engine(line: &str) {
    let message = EngineMessage::parse(line);
    let printed = message.to_string();
    assert!(!printed.contains(['\n', '\r']), "{printed:?}");
    assert_eq!(EngineMessage::parse(&printed), message, "{line:?} {printed:?}");
}

fn check_client(line: &str) {
    let message = ClientMessage::parse(line);
    let printed = message.to_string();
    assert!(!printed.contains(['\n', '\r']), "{printed:?}");
    assert_eq!(ClientMessage::parse(&printed), message, "{line:?} {printed:?}");
}

/// Lines that are valid about half of the time.
fn soup() -> impl Strategy<Value = String> {
    let keys = "xboard protover accepted rejected new variant quit random force go playother white black level st sd nps \
        time otim usermove ? ping draw result setboard edit hint bk undo remove hard easy post nopost analyze exit name \
        rating ics computer . exclude include all stat01: pause resume memory cores egtpath option feature move pong 1-0 0-1 1/2-1/2 * resign offer \
        Hint: Illegal illegal Error tellopponent tellall telluser # 1. ... e2e4 e7e8q Nf3 O-O {White mates} 40 0:30 \
        0.1 -5 done=1 ping=1 myname=\"A san=0 \" = option=\"Hash -spin 1 0 9\" 9. 9+ 100003 -100002 Mat5 ! ? White \
        resigns game is a draw computer";
    let keys: Vec<&str> = keys.split_whitespace().collect();
    let word = prop_oneof![
        8 => prop::sample::select(keys).prop_map(str::to_owned),
        3 => (0..200_000_i64).prop_map(|n| n.to_string()),
        1 => any::<i64>().prop_map(|n| n.to_string()),
        1 => "[0-9]{1,30}",
        1 => "\\PC{0,4}",
    ];
    let space = prop_oneof![8 => Just(" "), 2 => Just("\t"), 1 => Just("\0"), 1 => Just("\r\n")];
    prop::collection::vec((word, space), 0..12)
        .prop_map(|words| words.iter().fold(String::new(), |line, (word, space)| line + word + space))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn printed_values_parse_to_the_same(line in soup()) {
        check_engine(&line);
        check_client(&line);
    }

    #[test]
    fn any_text_is_read(line in "\\PC{0,60}") {
        check_engine(&line);
        check_client(&line);
    }
}

fn thinking(line: &str) -> Thinking<'_> {
    match EngineMessage::parse(line) {
        EngineMessage::Thinking(thinking) => thinking,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn thinking_is_read_as_real_engines_write_it() {
    let plain = thinking("  9 156 1084 48000 Nf3 Nc6 Nc3 Nf6");
    assert_eq!((plain.depth, plain.nodes, plain.pv), (9, 48000, "Nf3 Nc6 Nc3 Nf6"));
    assert_eq!((plain.score.score, plain.time), (Score::Centipawns(156), Duration::from_millis(10_840)));
    let extra = thinking("12 +25 100 5000 20 400000 7\t1. e4 e5");
    assert_eq!((extra.selective_depth, extra.nps, extra.tbhits), (Some(20), Some(400_000), Some(7)));
    assert_eq!(extra.pv, "1. e4 e5");
    let old = thinking(" 9&     62      2    38886   d1d2  e8e7");
    assert_eq!((old.depth, old.time, old.pv), (9, Duration::from_secs(2), "d1d2  e8e7"));
    let low = thinking("7 -20 3 900 Nf3 ?");
    assert_eq!((low.score.bound, low.pv), (Bound::Upper, "Nf3"));
    assert_eq!(thinking("7 20 3 900 Nf3!").score.bound, Bound::Lower);
    assert_eq!(thinking("0 0 0 0 (e4 64%, d4 24%)").pv, "(e4 64%, d4 24%)");
}

#[test]
fn mates_differ_from_centipawns() {
    let check = |score: &str, expected| {
        let line = format!("5 {score} 1 100 Qh7#");
        assert_eq!(thinking(&line).score.score, expected, "{score}");
    };
    check("100003", Score::Mate(3));
    check("-100002", Score::Mate(-2));
    check("99999", Score::Mate(1));
    check("-29996", Score::Mate(-2));
    check("99900", Score::Centipawns(99_900));
    check("Mat05", Score::Mate(5));
    check("-Mat2", Score::Mate(-2));
    check("#-4", Score::Mate(-4));
}

#[test]
fn moves_come_in_the_new_form_and_in_the_old() {
    assert_eq!(EngineMessage::parse("move e7e8q"), EngineMessage::Move("e7e8q"));
    assert_eq!(EngineMessage::parse("move O-O"), EngineMessage::Move("O-O"));
    assert_eq!(EngineMessage::parse("move"), EngineMessage::Move(""));
    assert_eq!(EngineMessage::parse("1. ... e7e5"), EngineMessage::Move("e7e5"));
    assert_eq!(EngineMessage::parse("1 ... e7e5"), EngineMessage::Move("e7e5"));
    assert_eq!(EngineMessage::parse("1. e2e4"), EngineMessage::Other("1. e2e4"));
}

#[test]
fn claims_are_read() {
    let result = |outcome, comment| EngineMessage::Result { outcome, comment };
    let white = Outcome::Win(Color::White);
    assert_eq!(EngineMessage::parse("1-0 {White mates}"), result(white, "White mates"));
    assert_eq!(EngineMessage::parse("1/2-1/2 {Draw}"), result(Outcome::Draw, "Draw"));
    assert_eq!(EngineMessage::parse("Black resigns"), result(white, "Black resigns"));
    assert_eq!(EngineMessage::parse("resign"), EngineMessage::Resign);
    assert_eq!(EngineMessage::parse("offer draw"), EngineMessage::OfferDraw);
    for line in ["Illegal move: e2e4", "Illegal move (in check): Nf3", "illegal move"] {
        assert_eq!(EngineMessage::parse(line), EngineMessage::IllegalMove(line));
    }
}

#[test]
fn the_state_of_an_analysis_is_read() {
    let status =
        Status { time: Duration::from_millis(12_340), nodes: 30_000, depth: 7, moves_left: 5, moves: 30 };
    for line in ["stat01: 1234 30000 7 5 30", "stat01: 1234 30000 7 5 30 Nf3"] {
        assert_eq!(EngineMessage::parse(line), EngineMessage::Status(status));
    }
    assert_eq!(EngineMessage::parse("stat01: 1 2"), EngineMessage::Other("stat01: 1 2"));
}

#[test]
fn client_messages_are_parsed() {
    let seconds = Duration::from_secs;
    let level = |moves, base, increment| ClientMessage::Level { moves, base, increment };
    assert_eq!(ClientMessage::parse("level 40 5 0"), level(40, seconds(300), seconds(0)));
    let short = level(0, seconds(10), Duration::from_millis(100));
    assert_eq!(ClientMessage::parse("level 0 0:10 0.1"), short);
    assert_eq!(short.to_string(), "level 0 0:10 0.1");
    assert_eq!(ClientMessage::parse("e2e4"), ClientMessage::Move { text: "e2e4", form: MoveForm::Bare });
    assert_eq!(
        ClientMessage::parse("option Clear Hash"),
        ClientMessage::Option { name: "Clear Hash", value: None }
    );
    assert_eq!(
        ClientMessage::parse("option Move Overhead=10"),
        ClientMessage::Option { name: "Move Overhead", value: Some("10") }
    );
    assert_eq!(ClientMessage::parse("."), ClientMessage::Status);
    assert_eq!(ClientMessage::parse("exclude all"), ClientMessage::Exclude(MoveSet::All));
    assert_eq!(ClientMessage::parse("include e2e4"), ClientMessage::Include(MoveSet::One("e2e4")));
    for line in
        ["level 40", "level 40 x 0", "ping", "st soon", "protover", "usermove", "result 2-0", "option =3"]
    {
        assert_eq!(ClientMessage::parse(line), ClientMessage::Unreadable(line));
    }
    assert_eq!(ClientMessage::parse("levels 40"), ClientMessage::Other("levels 40"));
    for line in ["#", "c", ".", "Pa4", "Kh8", "xa4"] {
        assert_eq!(EditLine::parse(line).unwrap().to_string(), line);
    }
    assert_eq!(EditLine::parse("pa4"), None);
}
