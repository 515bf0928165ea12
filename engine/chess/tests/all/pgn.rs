//! Reading and writing PGN files: what is kept, and what is skipped and why.

use std::io::{self, Read};

use smalt_chess::notation::pgn::{Element, PgnError, Variations};
use smalt_chess::{Game, Outcome, PgnGame, PgnReader, Position, San};

/// Games and skipped games of a text, one per line: `result: moves | problems`.
fn read(text: &[u8], variations: Variations) -> Vec<String> {
    let mut reader = PgnReader::new(text);
    let mut lines = Vec::new();
    loop {
        match reader.read_game(variations) {
            Ok(None) => return lines,
            Ok(Some(game)) => lines.push(describe(&game)),
            Err(PgnError::Skipped(skipped)) => lines.push(skipped.to_string()),
            Err(PgnError::Io(error)) => panic!("{error}"),
        }
    }
}

fn describe(game: &PgnGame) -> String {
    let printed = game.to_string();
    let (_, movetext) = printed.split_once("\n\n").unwrap();
    let reread = PgnReader::new(printed.as_bytes()).read_game(Variations::Keep).unwrap().unwrap();
    assert_eq!(&reread, game, "{printed}");
    assert_eq!(reread.problems(), [], "{printed}");
    let problems: Vec<String> = game.problems().iter().map(ToString::to_string).collect();
    let moves = movetext.trim_end().replace('\n', " ");
    if problems.is_empty() { moves } else { format!("{moves} | {}", problems.join(" | ")) }
}

fn check(text: &str, games: &[&str]) {
    assert_eq!(read(text.as_bytes(), Variations::Keep), games, "{text}");
}

const HEAD: &str = "[Event \"test\"]\n[Result \"*\"]\n\n";

fn check_moves(movetext: &str, game: &str) {
    check(&format!("{HEAD}{movetext}"), &[game]);
}

#[test]
fn moves_comments_glyphs_and_variations_are_kept() {
    check_moves("1. e4 e5 2. Nf3 *", "1. e4 e5 2. Nf3 *");
    check_moves(
        "1.e4! {best\n  by test} e5?! $13 2.Nf3 *",
        "1. e4 $1 {best by test} 1... e5 $6 $13 2. Nf3 *",
    );
    check_moves(
        "1. e4 (1. d4 d5 (1... Nf6 {!}) 2. c4) 1... e5 *",
        "1. e4 (1. d4 d5 (1... Nf6 {!}) 2. c4) 1... e5 *",
    );
    check_moves(
        "{first} 1. e4 ; to the end } of it\n1... e5 *",
        "{first} 1. e4 ; to the end } of it 1... e5 *",
    );
    check_moves("1. e4 -- 2. d4 Z0 *", "1. e4 -- 2. d4 -- *");
    check_moves("1. e4 += e5 N 2. Nf3 +- *", "1. e4 $14 e5 $146 2. Nf3 $18 *");
}

#[test]
fn spellings_of_programs_are_accepted() {
    check_moves("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1 *", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O *");
    check_moves("1 e2-e4 e7-e5 2 Ng1-f3 Nb8-c6 *", "1. e4 e5 2. Nf3 Nc6 *");
    check_moves(
        "1.e4 d5 2.e5 f5 3.exf6 e.p. exf6 4. Qe2 + Qe7 *",
        "1. e4 d5 2. e5 f5 3. exf6 exf6 4. Qe2+ Qe7 *",
    );
    check_moves(
        "% an escape\n1. e4\n%another\n e5 <reserved> *",
        "1. e4 e5 * | line 7: unexpected '<' among the moves",
    );
    check_moves(
        "1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. 0-0 0-0 1/2",
        "1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. O-O O-O 1/2-1/2",
    );
    check_moves("1. e4\r\ne5\r\n1-0\r\n", "1. e4 e5 1-0");
    check_moves("1...", "* | line 4: no result behind the moves");
}

#[test]
fn games_are_found_despite_text_between_them() {
    let odd = "\u{feff}Dear reader,\n[Event \"a\"]\n1. e4 *\n[Event \"b\"]\n\n[Site \"c\"]\n1. d4 1-0\n\n{note}\nd4 d5 0-1 Bye!\n";
    check(odd, &["1. e4 * | line 1: text outside of a game: \"Dear reader,\"", "1. d4 1-0", "1. d4 d5 0-1"]);
    check(
        "[Event \"a\"]\n[Event \"b\"]\n",
        &["* | line 2: no result behind the moves", "* | line 3: no result behind the moves"],
    );
    check("", &[]);
    check("\n\n  {only a comment}\n% and an escape", &[]);
}

#[test]
fn a_wrong_move_costs_the_rest_of_its_line_only() {
    check_moves("1. e4 e5 2. Qh6 Nf6 1-0", "1. e4 e5 1-0 | line 4: Qh6 is not a legal move here");
    check_moves(
        "1. e4 (1. d5 e5 {gone} (1... c5) ) 1... e5 (1... wat Nf3 (2. d4)) 2. Nf3 *",
        "1. e4 () 1... e5 () 2. Nf3 * | line 4: d5 is not a legal move here | line 4: \"wat\" is not a move",
    );
    let two = format!("{HEAD}1. e4 Nxe4 0-1\n\n{HEAD}1. d4 *");
    check(&two, &["1. e4 0-1 | line 4: Nxe4 is not a legal move here", "1. d4 *"]);
}

#[test]
fn parentheses_and_braces_that_do_not_match_are_reported() {
    check_moves("1. e4 (1. d4 d5 *", "1. e4 (1. d4 d5) * | line 4: parentheses do not match");
    check_moves("1. e4 ) e5 *", "1. e4 e5 * | line 4: parentheses do not match");
    check_moves("(1. d4) 1. e4 *", "1. e4 * | line 4: parentheses do not match");
    check_moves("1. e4 ((1. d4) 1. c4) e5 *", "1. e4 (1. c4) 1... e5 * | line 4: parentheses do not match");
    check_moves("1. e4 (1. d4 d5 1-0) e5 *", "1. e4 (1. d4 d5) 1... e5 *");
    let open = format!("{HEAD}1. e4 {{no end\n\n{HEAD}1. d4 1-0");
    check(
        &open,
        &[
            "1. e4 {no end} * | line 4: comment without an end | line 6: no result behind the moves",
            "1. d4 1-0",
        ],
    );
    check_moves("1. e4 } e5 *", "1. e4 e5 * | line 4: unexpected '}' among the moves");
}

#[test]
fn endlessly_nested_variations_do_no_harm() {
    let deep = format!("{HEAD}1. e4 {} e5 *", "(1. d4 ".repeat(100_000));
    let games = read(deep.as_bytes(), Variations::Keep);
    assert!(games[0].contains("nested too deeply"), "{games:?}");
    assert_eq!(read(deep.as_bytes(), Variations::Skip), ["1. e4 * | line 4: parentheses do not match"]);
}

#[test]
fn skipped_variations_leave_the_main_line() {
    let text = format!("{HEAD}1. e4 $1 (1. d4 Qxx) {{good}} e5 (1... c5) *");
    assert_eq!(read(text.as_bytes(), Variations::Skip), ["1. e4 $1 {good} 1... e5 *"]);
}

#[test]
fn tags_are_read_with_their_escapes_and_oddities() {
    let text = r#"[White "a \"b\" \\ c"]
[Black  "O "quoted" one"]
[ Round "1" ] [Site "x]y"]
[Broken "no end
[NoValue]
[Date ""]

*"#;
    let game = PgnReader::new(text.as_bytes()).read_game(Variations::Keep).unwrap().unwrap();
    let get = |name| game.tags().get(name);
    assert_eq!((get("White"), get("Black")), (Some("a \"b\" \\ c"), Some("O \"quoted\" one")));
    assert_eq!((get("Round"), get("Site"), get("Date")), (Some("1"), Some("x]y"), Some("")));
    let problems: Vec<_> = game.problems().iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        ["line 4: malformed tag \"[Broken \\\"no end\"", "line 5: malformed tag \"[NoValue]\""]
    );
    assert_eq!(describe(&game).split(" | ").next(), Some("*"));
}

#[test]
fn games_from_other_positions_and_of_other_variants() {
    let fen =
        "[Variant \"fischerandom\"]\n[FEN \"nbbrknrq/pppppppp/8/8/8/8/PPPPPPPP/NBBRKNRQ w KQkq - 0 1\"]\n\n";
    check(&format!("{fen}1. Nd3 *"), &["* | line 4: Nd3 is not a legal move here"]);
    check(&format!("{fen}1. Ne3 Ne6 2. O-O *"), &["1. Ne3 Ne6 2. O-O *"]);
    check(
        "[Variant \"Atomic\"]\n\n1. e4 xx (( *\n\n[Variant \"Standard\"]\n\n1. e4 *",
        &["the game of line 1 was skipped: line 1: unknown variant \"Atomic\"", "1. e4 *"],
    );
    check(
        "[Site \"x\"]\n[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 *",
        &["the game of line 1 was skipped: line 1: wrong start position: white has no king"],
    );
    check("[FEN \"4k3/8/8/8/8/8/8/4K2R b K - 3 40\"]\n\n40... Kd7 41. O-O *", &["40... Kd7 41. O-O *"]);
}

#[test]
fn every_encoding_gives_the_same_game() {
    let text = "[White \"Müller\"]\n[Black \"Ørsted\"]\n\n1. e4 {schön} *\n";
    let expected = PgnReader::new(text.as_bytes()).read_game(Variations::Keep).unwrap().unwrap();
    let utf16 = |order: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(order).collect::<Vec<u8>>();
    let encodings = [
        text.chars().map(|letter| letter as u8).collect(),
        [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        [b"\xff\xfe".to_vec(), utf16(u16::to_le_bytes)].concat(),
        [b"\xfe\xff".to_vec(), utf16(u16::to_be_bytes)].concat(),
        utf16(u16::to_le_bytes),
        text.replace('\n', "\r\n").into_bytes(),
    ];
    for bytes in encodings {
        for source in [Box::new(bytes.as_slice()) as Box<dyn Read>, Box::new(OneByte(&bytes))] {
            let game = PgnReader::new(source).read_game(Variations::Keep).unwrap().unwrap();
            assert_eq!((&game, game.problems()), (&expected, [].as_slice()));
        }
    }
}

/// A source that returns one byte per read.
struct OneByte<'a>(&'a [u8]);

impl Read for OneByte<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = buffer.len().min(1);
        self.0.read(&mut buffer[..count])
    }
}

#[test]
fn a_failing_stream_is_an_error() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("disk on fire"))
        }
    }
    let mut reader = PgnReader::new(b"[Event \"x\"]\n\n1. e4".chain(Failing));
    let error = reader.read_game(Variations::Keep).unwrap_err();
    assert_eq!(error.to_string(), "disk on fire");
}

#[test]
fn the_export_format_has_the_roster_escapes_and_80_columns() {
    let mut game = PgnGame::new(Position::start());
    game.set_tag("White", "A \"quoted\" \\ name");
    game.set_tag("ECO", "C20");
    let text = "a comment with enough words to need another line, [%clk 0:01] and 50 %percent of it";
    for word in ["e4", "e5", "Ke2", "Ke7", "Ke1", "Ke8"] {
        let mv = San::parse(word).unwrap().to_move(game.position()).unwrap();
        game.push_move(mv).unwrap();
        game.push_comment(text);
    }
    game.begin_variation().unwrap();
    game.push_comment("instead}");
    let mv = San::parse("Nc6").unwrap().to_move(game.position()).unwrap();
    game.push_move(mv).unwrap();
    assert!(game.push_move(mv).is_err());
    game.end_variation().unwrap();
    game.set_outcome(Some(Outcome::Draw));
    let printed = game.to_string();
    assert!(printed.starts_with("[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n"));
    assert!(printed.contains(
        "[White \"A \\\"quoted\\\" \\\\ name\"]\n[Black \"?\"]\n[Result \"1/2-1/2\"]\n[ECO \"C20\"]\n\n"
    ));
    assert!(printed.ends_with("(; instead}\n3... Nc6) 1/2-1/2\n"), "{printed}");
    for line in printed.lines() {
        assert!(line.len() < 80, "{line}");
        assert!(!line.starts_with('%') && !line.starts_with("[%"), "{line}");
    }
    describe(&game);
}

#[test]
fn a_main_line_has_its_own_comments() {
    let text = format!("{HEAD}{{intro}} 1. e4 {{a}} $1 (1. d4 {{not}} $2) {{b}} e5 -- 2. d4 *");
    let game = PgnReader::new(text.as_bytes()).read_game(Variations::Keep).unwrap().unwrap();
    let moves: Vec<_> = game.main_line().collect();
    assert_eq!(moves.len(), 2);
    assert_eq!(moves[0].comments().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(moves[0].nags().collect::<Vec<_>>(), [1]);
    assert_eq!(game.introduction(), [Element::Comment("intro".into())]);
    assert_eq!(game.to_game().moves().len(), 2);
}

#[test]
fn a_played_game_can_be_written() {
    let mut game = Game::new(Position::from_fen("4k3/8/8/8/8/8/8/1R2K3 w B - 0 1").unwrap());
    let castle = game.position().legal_castling(smalt_chess::CastlingSide::Queen).unwrap();
    game.play(castle).unwrap();
    let written = PgnGame::from(&game);
    assert_eq!(written.tags().get("Variant"), Some("Chess960"));
    assert_eq!(written.tags().get("FEN"), Some("4k3/8/8/8/8/8/8/1R2K3 w Q - 0 1"));
    assert_eq!(describe(&written), "1. O-O-O *");
}
