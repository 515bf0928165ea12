//! Game files, suites, books and perft counts kept beside the project, since not all may be redistributed.

use std::ops::ControlFlow;

use pgn_reader::{RawTag, Reader, SanPlus, Visitor};
use shakmaty::Position as _;
use smalt_chess::notation::encoding;
use smalt_chess::notation::pgn::{PgnError, Variations};
use smalt_chess::notation::polyglot::{PolyglotBook, PolyglotBuilder};
use smalt_chess::perft::{Leaves, perft};
use smalt_chess::{CastlingMode, Epd, MoveComment, PgnGame, PgnReader, Position, San, UciMove};

/// Reads a file in a folder relative to the project root.
fn bytes(folder: &str, path: &str) -> Vec<u8> {
    let file = format!("{}/../../{folder}/{path}", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
    if path.ends_with(".zst") { zstd::decode_all(bytes.as_slice()).unwrap() } else { bytes }
}

fn shared(path: &str) -> Vec<u8> {
    bytes("../shared/data", path)
}

fn suite(name: &str) -> Vec<Epd> {
    let bytes = shared(&format!("suites/{name}.epd"));
    encoding::decode(&bytes).lines().map(|line| Epd::parse(line).unwrap()).collect()
}

#[test]
#[ignore = "needs the files of ../shared/data"]
fn every_line_of_the_suites_prints_as_it_parses() {
    let names = (1..=15).map(|number| format!("sts{number:02}")).chain(["wac".into(), "speed30".into()]);
    for name in names {
        for epd in suite(&name) {
            assert_eq!(Epd::parse(&epd.to_string()).unwrap(), epd);
            for mv in epd.best_moves().chain(epd.avoid_moves()) {
                mv.unwrap_or_else(|error| panic!("{:?}: {error}", epd.id()));
            }
        }
    }
    let wac = suite("wac");
    assert_eq!(wac.len(), 300);
    assert!(wac.iter().all(|epd| epd.best_moves().chain(epd.avoid_moves()).count() > 0));
}

#[test]
#[ignore = "needs the files of ../shared/data"]
fn sts_has_one_illegal_move() {
    let mut illegal = Vec::new();
    for number in 1..=15 {
        let suite = suite(&format!("sts{number:02}"));
        assert_eq!(suite.len(), 100);
        for epd in suite {
            for points in epd.comment(0).unwrap().split(", ") {
                let (text, _) = points.rsplit_once('=').unwrap();
                if San::parse(text).unwrap().to_move(&epd.position).is_err() {
                    illegal.push(format!("{} {text}", epd.id().unwrap()));
                }
            }
        }
    }
    assert_eq!(illegal, ["STS04.054 d5d4"]);
}

#[test]
#[ignore = "needs the files of ../shared/data"]
fn perft_suites_and_endgames_are_read() {
    let mut refused = Vec::new();
    for path in ["perft/perftsuite.epd", "endgame.epd"] {
        let bytes = shared(path);
        for (line, number) in
            encoding::decode(&bytes).lines().zip(1..).filter(|(line, _)| !line.trim().is_empty())
        {
            match Epd::parse(line) {
                Ok(epd) => {
                    let has_distance =
                        epd.number::<i32>("wdl").is_some() && epd.number::<i32>("dtz").is_some();
                    assert_ne!(epd.perft_counts().count() > 0, has_distance, "{line}");
                    assert_eq!(Epd::parse(&epd.to_string()).unwrap(), epd);
                }
                Err(error) => refused.push(format!("{path}, line {number}: {error}")),
            }
        }
    }
    assert_eq!(refused, ["perft/perftsuite.epd, line 130: white is in check, but it is not white's turn"]);
}

/// Number of games, number of main-line moves, and the problems of a file.
fn read(path: &str) -> (usize, usize, Vec<String>) {
    let bytes = shared(path);
    let mut reader = PgnReader::new(bytes.as_slice());
    let (mut games, mut moves, mut problems) = (0, 0, Vec::new());
    loop {
        match reader.read_game(Variations::Keep) {
            Ok(None) => return (games, moves, problems),
            Ok(Some(game)) => {
                games += 1;
                moves += game.main_line().count();
                problems.extend(game.problems().iter().map(ToString::to_string));
                let again = PgnReader::new(game.to_string().as_bytes()).read_game(Variations::Keep).unwrap();
                assert_eq!(again.as_ref(), Some(&game), "{path}");
            }
            Err(PgnError::Skipped(skipped)) => problems.push(skipped.to_string()),
            Err(PgnError::Io(error)) => panic!("{error}"),
        }
    }
}

#[test]
#[ignore = "needs the files of ../shared/data"]
fn odd_files_of_games_are_read() {
    let check = |name: &str, games: usize, moves: usize, problems: &[&str]| {
        let expected = (games, moves, problems.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(read(&format!("pgn/{name}.pgn")), expected, "{name}");
    };
    let crazyhouse = "the game of line 1 was skipped: line 1: unknown variant \"Crazyhouse\"";
    check("anastasian-lewis", 1, 81, &[]);
    check(
        "antichess-programfox",
        0,
        0,
        &[
            "the game of line 1 was skipped: line 1: unknown variant \"Antichess\"",
            "the game of line 5 was skipped: line 5: unknown variant \"Antichess\"",
        ],
    );
    check("chessbase-empty-line", 1, 134, &[]);
    check("cutechess-fischerrandom", 4, 396, &[]);
    check("kasparov-deep-blue-1997", 6, 519, &[]);
    check("knightvuillaume-jannlee-zh-lichess", 0, 0, &[crazyhouse]);
    check("molinari-bordais-1979", 1, 10, &[]);
    check("nepomniachtchi-liren-game1", 1, 97, &[]);
    check("saturs-jannlee-zh-lichess", 0, 0, &[crazyhouse]);
    check("stockfish-learning", 1, 154, &[]);
    check("uci-moves", 1, 113, &[]);
    check("utf8-bom", 2, 0, &[]);
}

/// The main lines of all games in coordinate notation.
struct TheirGames(Vec<Vec<String>>);

impl Visitor for TheirGames {
    type Tags = shakmaty::Chess;
    type Movetext = (shakmaty::Chess, Vec<String>);
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), shakmaty::Chess> {
        ControlFlow::Continue(shakmaty::Chess::default())
    }

    fn tag(&mut self, start: &mut shakmaty::Chess, name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        if name == b"FEN" {
            let fen = shakmaty::fen::Fen::from_ascii(value.as_bytes()).unwrap();
            *start = fen.into_position(shakmaty::CastlingMode::Standard).unwrap();
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, start: shakmaty::Chess) -> ControlFlow<(), Self::Movetext> {
        ControlFlow::Continue((start, Vec::new()))
    }

    fn begin_variation(&mut self, _: &mut Self::Movetext) -> ControlFlow<(), pgn_reader::Skip> {
        ControlFlow::Continue(pgn_reader::Skip(true))
    }

    fn san(&mut self, game: &mut Self::Movetext, san: SanPlus) -> ControlFlow<()> {
        let mv = san.san.to_move(&game.0).unwrap();
        game.1.push(mv.to_uci(shakmaty::CastlingMode::Standard).to_string());
        game.0.play_unchecked(mv);
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: Self::Movetext) {
        self.0.push(game.1);
    }
}

fn coordinates(game: &PgnGame) -> Vec<String> {
    game.main_line().map(|played| UciMove::from_move(played.mv, CastlingMode::Standard).to_string()).collect()
}

/// Compares each game with the result of pgn-reader and shakmaty.
fn check_games(path: &str, bytes: &[u8]) {
    let mut theirs = TheirGames(Vec::new());
    let mut reader = Reader::new(bytes);
    while reader.read_game(&mut theirs).unwrap().is_some() {}
    let mut reader = PgnReader::new(bytes);
    let mut games = theirs.0.into_iter();
    while let Some(game) = reader.read_game(Variations::Skip).unwrap() {
        assert_eq!(game.problems(), [], "{path}");
        assert_eq!(Some(coordinates(&game)), games.next(), "{path}, line {}", game.line());
        let runner_comments = game.main_line().flat_map(|played| played.comments().collect::<Vec<_>>());
        for comment in runner_comments.filter(|_| !path.contains("kasparov")) {
            assert!(MoveComment::parse(comment).is_ok(), "{comment}");
        }
    }
    assert_eq!(games.next(), None, "{path}");
}

#[test]
fn engine_games_are_read_as_pgn_reader_and_shakmaty_read_them() {
    let name = "ethereal12-stockfish15.pgn.zst";
    check_games(name, &bytes("data/games", name));
}

#[test]
#[ignore = "needs the files of ../shared/data"]
fn other_games_are_read_as_pgn_reader_and_shakmaty_read_them() {
    for path in ["pgn/kasparov-deep-blue-1997.pgn", "pgn/stockfish-learning.pgn"] {
        check_games(path, &shared(path));
    }
}

#[test]
#[ignore = "needs the files of ../shared/data"]
fn published_books_are_read_and_written_alike() {
    let book = PolyglotBook::new(shared("polyglot/lasker-trap.bin")).unwrap();
    let mut position = Position::start();
    let mut answers = Vec::new();
    for white in ["d4", "c4", "dxe5", "e3", "Bd2", "Bxb4", "Ke2"] {
        position.play(San::parse(white).unwrap().to_move(&position).unwrap());
        let mv = book.best_move(&position).unwrap();
        answers.push(San::from_move(mv, &position).to_string());
        position.play(mv);
    }
    assert_eq!(answers, ["d5", "e5", "d4", "Bb4+", "dxe3", "exf2+", "fxg1=N+"]);
    let bytes = shared("polyglot/performance.bin");
    let book = PolyglotBook::new(bytes.as_slice()).unwrap();
    assert_eq!(book.len(), 92_954);
    let start = Position::start();
    let moves: Vec<_> =
        book.moves(&start).map(|found| San::from_move(found.mv, &start).to_string()).collect();
    assert_eq!(moves, ["e4", "d4", "c4"]);
    let mut builder = PolyglotBuilder::new();
    book.entries().for_each(|entry| builder.add_entry(entry));
    assert_eq!(builder.to_bytes().len(), bytes.len());
}

#[test]
#[ignore = "needs the files of ../shared/data"]
fn thousands_of_random_positions_have_their_counts() {
    let text = String::from_utf8(shared("perft/random.perft")).unwrap();
    let mut position = Position::start();
    let mut checked = 0;
    for line in text.lines() {
        if let Some(fen) = line.strip_prefix("epd ") {
            position = Position::from_fen(fen).unwrap();
        } else if let Some((depth, nodes)) = line.strip_prefix("perft ").and_then(|rest| rest.split_once(' '))
        {
            let nodes: u64 = nodes.trim().parse().unwrap();
            if nodes <= 1_000_000 {
                assert_eq!(perft(&position, depth.parse().unwrap(), Leaves::Counted), nodes, "{position:?}");
                checked += 1;
            }
        }
    }
    assert!(checked > 20_000, "only {checked} counts checked");
}
