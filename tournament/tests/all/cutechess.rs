//! cutechess-cli and c-chess-cli mode: features that fastchess lacks.

use smalt_chess::notation::polyglot::PolyglotBuilder;
use smalt_chess::{Position, UciMove};

use crate::fastchess::{BOOK_OF_ONE_MOVE, duel, engine, line, run, words};
use crate::support::Place;

/// A book of two moves, e2e4 and e7e5 after it.
fn two_moves() -> Vec<u8> {
    let mut builder = PolyglotBuilder::new();
    let mut position = Position::start();
    for text in ["e2e4", "e7e5"] {
        let mv = UciMove::parse(text).unwrap().to_move(&position).unwrap();
        builder.add(&position, mv, 1);
        position.play(mv);
    }
    builder.to_bytes()
}

#[test]
fn an_engine_has_a_book_of_its_own() {
    let place = Place::new();
    std::fs::write(place.path("two.bin"), two_moves()).unwrap();
    std::fs::write(place.path("one.bin"), BOOK_OF_ONE_MOVE).unwrap();
    let games = |first: &str, second: &str, flags: &str| {
        let [mut engines_first, mut engines_second] = duel();
        engines_first.extend(words(first));
        engines_second.extend(words(second));
        let flags = format!("-each depth=1 bookdepth=1 -games 2 -maxmoves 3 -pgnout games.pgn {flags}");
        run(&place, "cutechess", &line(&[engines_first, engines_second], &flags), 0);
        let pgn = place.read("games.pgn");
        std::fs::remove_file(place.path("games.pgn")).unwrap();
        let of_book = |game: &str| game.matches("{book}").count();
        pgn.split("[Event ").skip(1).map(of_book).collect::<Vec<_>>()
    };
    assert_eq!(games("book=two.bin", "", ""), [1, 0], "alone it has no answer to a move that nobody played");
    assert_eq!(games("book=two.bin", "book=one.bin", ""), [1, 2]);
    assert_eq!(
        games("book=two.bin", "book=one.bin", "-repeat"),
        [1, 2],
        "then the second continues with its own"
    );
    assert_eq!(games("book=one.bin", "book=two.bin", "-repeat"), [2, 2]);
}

#[test]
fn an_engine_gets_its_lines_and_debug_and_is_trusted_where_that_is_asked_for() {
    let place = Place::new();
    let claims = |more: &str| {
        let mut engines =
            [engine("A", "--speak xboard --fault false-result@2"), engine("B", "--speak xboard")];
        engines[0].extend(words(&format!("proto=xboard {more}")));
        engines[1].push("proto=xboard".to_owned());
        run(&place, "cutechess", &line(&engines, "-each depth=1 -maxmoves 20"), 0).0
    };
    assert!(claims("").contains("wins by adjudication: Invalid result claim"));
    assert!(claims("trust").contains("wins by the claim of an engine"));
    let [mut first, second] = duel();
    first.extend(["initstr=hello\\nthere".to_owned(), "initstr=again".to_owned(), "tscale=2".to_owned()]);
    let (out, _) =
        run(&place, "cutechess", &line(&[first, second], "-debug all -each depth=1 -maxmoves 1"), 0);
    let sent: Vec<&str> =
        out.lines().filter_map(|line| line.split_once(" >A: ")).map(|(_, text)| text).collect();
    assert_eq!(sent[..4], ["hello", "there", "again", "uci"], "{out}");
    assert!(sent.contains(&"debug on"), "{out}");
}

#[test]
fn an_opening_is_repeated_as_often_as_asked_for() {
    let place = Place::new();
    let book = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id \"first\";\n\
                rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - id \"second\";\n";
    std::fs::write(place.path("book.epd"), book).unwrap();
    let flags = "-openings file=book.epd format=epd -games 6 -maxmoves 1 -pgnout games.pgn -each depth=1";
    let firsts = |repeat: u32| {
        let _ = std::fs::remove_file(place.path("games.pgn"));
        run(&place, "cutechess", &line(&duel(), &format!("{flags} -repeat {repeat}")), 0);
        let pgn = place.read("games.pgn");
        pgn.split("[Event ").skip(1).map(|game| u32::from(game.contains("[FEN "))).collect::<Vec<_>>()
    };
    assert_eq!(firsts(4), [0, 0, 0, 0, 1, 1]);
    assert_eq!(firsts(3), [0, 0, 0, 1, 1, 1]);
}

/// An engine in c-chess-cli's words; the command includes its arguments.
fn c_chess_engine(name: &str, arguments: &str) -> Vec<String> {
    let [_, cmd, name, args] = &engine(name, arguments)[..] else { panic!("four words") };
    vec!["-engine".to_owned(), format!("{cmd} {}", args.strip_prefix("args=").unwrap()), name.clone()]
}

#[test]
fn the_lines_of_c_chess_cli_are_its_own() {
    let place = Place::new();
    let engines =
        [c_chess_engine("A", "--seed 1 --info-lines 1"), c_chess_engine("B", "--seed 2 --info-lines 1")];
    let flags = "-each depth=1 option.Nothing=1 -games 2 -repeat -draw count=1 score=5 -resign number=3 count=3 score=700 \
                 -sprt elo0=0 elo1=900 -pgn games.pgn 1";
    let (out, _) = run(&place, "c-chess-cli", &line(&engines, flags), 0);
    insta::assert_snapshot!("c_chess_cli_lines", out);
    assert!(!place.read("games.pgn").contains('{'));
    let three = [engines.to_vec(), vec![c_chess_engine("C", "--fault illegal-move@1")]].concat();
    let (out, _) =
        run(&place, "c-chess-cli", &line(&three, "-each depth=1 -gauntlet -draw count=1 score=5"), 0);
    insta::assert_snapshot!("c_chess_cli_gauntlet", out);
    let (_, err) = run(&place, "c-chess-cli", &line(&engines, "-drew count=1"), 2);
    assert!(err.contains("unknown flag -drew of c-chess-cli"), "{err}");
}

#[test]
fn samples_are_positions_with_score_and_result_of_the_side_to_move() {
    let place = Place::new();
    let moves = "f2f3,e7e5,g2g4,d8h4";
    let mated = [1, 2].map(|seed| {
        c_chess_engine(&format!("E{seed}"), &format!("--moves {moves} --info-lines 1 --score 30"))
    });
    run(&place, "c-chess-cli", &line(&mated, "-each depth=1 -sample"), 0);
    let samples = place.read("sample.csv");
    assert_eq!(
        samples.lines().collect::<Vec<_>>(),
        [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,30,0",
            "rnbqkbnr/pppppppp/8/8/8/5P2/PPPPP1PP/RNBQKBNR b KQkq - 0 1,30,2",
            "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2,30,0",
            "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2,30,2",
        ]
    );
    run(&place, "c-chess-cli", &line(&mated, "-each depth=1 -sample format=bin file=s.bin freq=1"), 0);
    let packed = std::fs::read(place.path("s.bin")).unwrap();
    // Occupied squares, White to move, 32 pieces of four bits, score and result of the start position.
    assert_eq!(packed[..9], [0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff, 0]);
    assert_eq!(
        packed[9..13],
        [0x0c, 0x62, 0x28, 0xc0],
        "rook that may castle, knight, bishop, queen, king, …"
    );
    assert_eq!(packed[25..33], [30, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(packed.len(), 4 * 33);
    run(&place, "c-chess-cli", &line(&mated, "-each depth=1 -sample freq=0 file=none.csv"), 0);
    assert_eq!(place.read("none.csv"), "");
}

/// The list was generated by `.ci/foreign_flags.py` from the sources of the three programs.
#[test]
fn every_flag_of_the_three_programs_is_known_and_documented() {
    let list: serde_json::Value = serde_json::from_str(include_str!("../data/foreign_flags.json")).unwrap();
    let document =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/compat.md")).unwrap();
    let place = Place::new();
    let faces = [
        ("fastchess", "fastchess", "Flags of fastchess"),
        ("cutechess-cli", "cutechess", "cutechess-cli"),
        ("c-chess-cli", "c-chess-cli", "c-chess-cli"),
    ];
    for (program, face, heading) in faces {
        let section = document.split("\n## ").find(|section| section.starts_with(heading)).unwrap();
        for (flag, keys) in list[program].as_object().unwrap() {
            let is_in = |text: &str| {
                let found = section.match_indices(text).any(|(at, _)| {
                    let before = section[..at].chars().next_back();
                    let after = section[at + text.len()..].chars().next();
                    !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
                });
                assert!(found, "{program}: {flag} {text} is not in docs/compat.md");
            };
            is_in(flag);
            let said = |words: &[&str]| {
                let output = place.run(&[&[face], words].concat());
                String::from_utf8_lossy(&output.stderr).into_owned()
            };
            assert!(!said(&[flag]).contains("unknown flag"), "{program} {flag}");
            for key in keys.as_array().unwrap().iter().map(|key| key.as_str().unwrap()) {
                is_in(key.trim_end_matches('.'));
                let name = if key == "option." { "option.Hash" } else { key };
                let err = said(&[flag, &format!("{name}=1")]);
                assert!(!err.contains("unknown key"), "{program} {flag} {key}: {err}");
            }
        }
    }
}
