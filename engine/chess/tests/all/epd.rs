//! EPD as found in real suites, and round trips.

use smalt_chess::{Epd, ParseEpdError, Position, San};

const WAC_1: &str = "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id \"WAC.001\";";

/// Checks how the operations of a line print.
fn check(line: &str, operations: &str) {
    let epd = Epd::parse(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    let printed = epd.to_string();
    let fields: Vec<&str> = printed.splitn(5, ' ').collect();
    assert_eq!(fields.get(4).copied().unwrap_or(""), operations, "{line}");
    assert_eq!(Epd::parse(&printed).unwrap(), epd, "{line}");
}

fn best(line: &str) -> Vec<String> {
    let epd = Epd::parse(line).unwrap();
    epd.best_moves()
        .map(|mv| {
            mv.map_or_else(|error| format!("({error})"), |mv| San::from_move(mv, &epd.position).to_string())
        })
        .collect()
}

#[test]
fn a_line_of_a_suite_has_its_moves_and_name() {
    let epd = Epd::parse(WAC_1).unwrap();
    assert_eq!(epd.to_string(), WAC_1);
    assert_eq!(best(WAC_1), ["Qg6"]);
    assert_eq!(epd.id().as_deref(), Some("WAC.001"));
    assert_eq!(epd.comment(0), None);
    assert_eq!(epd.avoid_moves().count(), 0);
}

#[test]
fn the_oddities_of_published_suites_are_parsed() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq";
    check(&format!("{start} - bm e4; id \"a; b\";"), "bm e4; id \"a; b\";");
    check(&format!("{start} - dm 26"), "dm 26;");
    check(&format!("{start} bm e4;"), "bm e4;");
    check(&format!("{start} -"), "");
    check(start, "");
    check(&format!("{start} - 0 1 ;D1 20 ;D2 400 ;D3 8902"), "D1 20; D2 400; D3 8902;");
    check(&format!("{start} - 3 17 bm e4;"), "bm e4; hmvc 3; fmvn 17;");
    check(&format!("{start} - hmvc 3; bm e4; fmvn 17; id x"), "bm e4; id x; hmvc 3; fmvn 17;");
    check(&format!("\u{feff}{start} - id WAC 001;;  ; c0 \"\";\r"), "id WAC 001; c0 \"\";");
    check(&format!("{start} - noop; c9 \"1-0\" more"), "noop; c9 \"1-0\" more;");
    check(&format!("{start} - hmvc many;"), "hmvc many;");
}

#[test]
fn known_operations_have_their_types() {
    let line = "8/8/8/8/8/8/8/K1k4R b - - acd 12; ce -350; dm 3; pv Kc2 Rh2+ Kd3 Ra9 Kc3; c0 \"f5=10, Be5+=2\"; id a b;";
    let epd = Epd::parse(line).unwrap();
    assert_eq!((epd.depth(), epd.centipawns(), epd.mate_in()), (Some(12), Some(-350), Some(3)));
    assert_eq!(epd.comment(0).as_deref(), Some("f5=10, Be5+=2"));
    assert_eq!(epd.id().as_deref(), Some("a b"));
    let read: Vec<bool> = epd.variation().map(|mv| mv.is_ok()).collect();
    assert_eq!(read, [true, true, true, false]);
    let perft = Epd::parse("4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 ;D2 66").unwrap();
    let counts: Vec<_> = perft.perft_counts().map(|count| (count.depth, count.nodes)).collect();
    assert_eq!(counts, [(1, 15), (2, 66)]);
}

#[test]
fn moves_are_taken_in_every_notation() {
    let fields = "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6";
    assert_eq!(
        best(&format!("{fields} bm 0-0, exd6 e.p. Rxh8 + e1c1 Ra1xa8+! Ke2?")),
        ["O-O", "exd6", "Rxh8+", "O-O-O", "Rxa8+", "Ke2"]
    );
    assert_eq!(
        best(&format!("{fields} bm Qd4 foo Kd1")),
        ["(\"Qd4\" can't be played)", "(\"foo\" is not a move)", "Kd1"]
    );
}

#[test]
fn an_invalid_line_names_the_error() {
    let message = |line: &str| Epd::parse(line).unwrap_err().to_string();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    assert_eq!(Epd::parse("  "), Err(ParseEpdError::Empty));
    assert_eq!(message(&format!("{start} id \"open")), "the text of id has no closing quote");
    assert_eq!(message(&format!("{start} 1 2 3 bm")), "expected an opcode, found \"3\"");
    assert_eq!(message("8/8/8/8/8/8/8/K7 w - - bm Ka2;"), "black has no king");
    assert!(message("rnbqkbnr/pppppppp w - -").contains("eight ranks"));
    assert!(message("# a comment line of a suite").contains("eight ranks"));
}

#[test]
fn a_position_can_be_written_with_operations() {
    let mut epd = Epd::new(Position::start());
    epd.push_words("bm", ["e4", "d4"]);
    epd.push_text("id", "the \"start\"");
    assert_eq!(
        epd.to_string(),
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4 d4; id \"the 'start'\";"
    );
}
