//! Syzygy tablebases: probe results and their use by the engine. Most tests need all tables of three and four pieces.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use shakmaty::{CastlingMode, Chess, PositionError, fen::Fen};
use shakmaty_syzygy::{Tablebase, Wdl as SyzygyWdl};
use smalt::engine::Engine;
use smalt::search::score::{TABLE_WIN, is_decided, is_mate};
use smalt::search::{ClockState, FiftyMoves, ProbeRule, Progress, SearchControl};
use smalt::tablebases::{SyzygyTables, WdlScore};
use smalt_chess::{Bitboard, Move, Position, Setup, Square, UciMove};
use smalt_protocol::SearchLimits;
use smalt_testing::Random;

use crate::pipes::Conversation;

const QUEEN: &str = "8/8/8/8/8/4k3/8/3QK3 w - - 0 1";
const BISHOP_AND_KNIGHT: &str = "7N/7K/8/1B6/3k4/8/8/8 w - - 0 1";
const QUEEN_AND_ROOK: &str = "7K/8/8/5k2/1Q4r1/8/8/8 w - - 0 1";
/// Only one move wins.
const ONLY_MOVE: &str = "8/8/8/2K5/8/7P/6k1/8 w - - 0 1";
const DRAWN_PAWN: &str = "8/8/8/4k3/8/8/4P3/4K3 b - - 0 1";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/syzygy")
}

fn tables() -> SyzygyTables {
    SyzygyTables::open(folder().to_str().unwrap()).unwrap()
}

fn engine() -> Engine {
    let mut engine = Engine::new();
    engine.set_tablebases(Some(Arc::new(tables())));
    engine
}

fn go(engine: &mut Engine, limits: &SearchLimits) -> (Move, Progress) {
    let mut last = None;
    let control = SearchControl::new(ClockState::Running);
    let choice = engine.go(limits, &control, &mut |progress| last = Some(progress.clone()));
    (choice.best.unwrap(), last.unwrap())
}

fn depth(depth: u32) -> SearchLimits {
    SearchLimits { depth: Some(depth), ..SearchLimits::default() }
}

fn position(fen: &str) -> Position {
    fen.parse().unwrap()
}

#[test]
#[ignore = "needs the files of ../shared/data"]
fn wdl_is_from_the_side_to_move() {
    let tables = tables();
    assert_eq!(tables.pieces(), 4);
    let check = |fen: &str, expected: Option<WdlScore>| {
        let position = position(fen);
        assert_eq!(tables.probe(&position), expected, "{fen}");
        assert_eq!(tables.probe(&position.mirrored()), expected, "mirror of {fen}");
    };
    check(QUEEN, Some(WdlScore::Win));
    check("8/8/8/8/8/4k3/8/3QK3 b - - 0 1", Some(WdlScore::Loss));
    check(BISHOP_AND_KNIGHT, Some(WdlScore::Win));
    check(DRAWN_PAWN, Some(WdlScore::Draw));
    check("8/8/8/8/8/8/1r6/k1K4R w - - 0 1", Some(WdlScore::Draw));
    check("4k2r/8/8/8/8/8/8/4K3 w k - 0 1", None);
    check("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", None);
}

/// Random positions with few pieces.
fn scattered(count: usize) -> Vec<Position> {
    let mut random = Random(2026);
    let mut found = Vec::new();
    while found.len() < count {
        let mut setup =
            Setup { board: [None; 64], castling_rooks: Bitboard::EMPTY, ..Position::start().to_setup() };
        let men = ["K", "k", "QRBNPqrbnp", "QRBNPqrbnp"];
        for men in &men[..3 + random.below(2)] {
            let piece = men.as_bytes()[random.below(men.len())] as char;
            setup.board[random.below(64)] = smalt_chess::Piece::from_char(piece);
        }
        setup.turn = if random.below(2) == 0 { smalt_chess::Color::White } else { smalt_chess::Color::Black };
        if random.below(3) == 0 {
            setup.en_passant = Some(Square::from_index(16 + 24 * random.below(2) + random.below(8)));
        }
        found.extend(Position::new(&setup));
    }
    found
}

#[test]
#[ignore = "needs the files of ../shared/data"]
fn positions_convert_to_the_library() {
    let folder = folder();
    let ours = tables();
    let mut theirs = Tablebase::new();
    theirs.add_directory(folder).unwrap();
    let mut decided = 0;
    for position in scattered(2_000) {
        let fen: Fen = position.to_fen().parse().unwrap();
        let known: Chess = fen
            .into_position(CastlingMode::Standard)
            .or_else(PositionError::ignore_impossible_check)
            .unwrap();
        let expected = theirs.probe_wdl_after_zeroing(&known).unwrap();
        let expected = match expected {
            SyzygyWdl::Win => WdlScore::Win,
            SyzygyWdl::CursedWin => WdlScore::CursedWin,
            SyzygyWdl::Draw => WdlScore::Draw,
            SyzygyWdl::BlessedLoss => WdlScore::BlessedLoss,
            SyzygyWdl::Loss => WdlScore::Loss,
        };
        decided += usize::from(expected != WdlScore::Draw);
        assert_eq!(ours.probe(&position), Some(expected), "{position:?}");
    }
    assert!((500..1_900).contains(&decided), "{decided}");
}

#[test]
#[ignore = "needs the files of ../shared/data"]
fn the_root_keeps_and_reports_the_tablebase_result() {
    let mut engine = engine();
    for (fen, result) in [(QUEEN, 1), (BISHOP_AND_KNIGHT, 1), (ONLY_MOVE, 1), (DRAWN_PAWN, 0)] {
        engine.set_position(position(fen), []).unwrap();
        let (best, end) = go(&mut engine, &depth(3));
        let score = end.lines[0].score;
        assert_eq!((score.signum(), is_decided(score)), (result, result != 0), "{fen}: {score}");
        assert!(end.tbhits > 0);
        let after = tables().probe(&position(fen).after(best)).unwrap();
        assert_eq!(after, if result == 1 { WdlScore::Loss } else { WdlScore::Draw }, "{fen}: {best:?}");
    }
}

#[test]
#[ignore = "needs the files of ../shared/data"]
fn multipv_and_searchmoves_report_their_results() {
    let mut engine = engine();
    engine.set_lines(3);
    engine.set_position(position(ONLY_MOVE), []).unwrap();
    let (_, end) = go(&mut engine, &depth(4));
    let scores: Vec<i32> = end.lines.iter().map(|line| line.score).collect();
    assert!(is_decided(scores[0]) && scores[0] > 0, "{scores:?}");
    assert_eq!(scores[1..], [0, 0]);
    engine.set_lines(1);
    let only: UciMove = "c5d6".parse().unwrap();
    let limits = SearchLimits { search_moves: vec![only], ..depth(4) };
    let (best, end) = go(&mut engine, &limits);
    assert_eq!((best, end.lines[0].score), (only.to_move(&position(ONLY_MOVE)).unwrap(), 0));
}

#[test]
#[ignore = "needs the files of ../shared/data"]
fn tables_are_probed_up_to_the_piece_limit() {
    let mut engine = engine();
    let five = "8/8/8/8/2k5/4p3/2P1K3/4n3 w - - 0 1";
    engine.set_position(position(five), []).unwrap();
    let (_, end) = go(&mut engine, &depth(6));
    assert!(end.tbhits > 0);
    engine.set_probe_rule(ProbeRule { pieces: 3, ..ProbeRule::default() });
    let (_, fewer) = go(&mut engine, &depth(6));
    assert!(fewer.tbhits < end.tbhits);
    engine.set_probe_rule(ProbeRule { pieces: 0, ..ProbeRule::default() });
    assert_eq!(go(&mut engine, &depth(6)).1.tbhits, 0);
}

#[test]
#[ignore = "needs the files of ../shared/data"]
fn a_win_behind_a_capture_is_known_before_it_can_be_searched() {
    let mut engine = engine();
    // Capturing the rook leaves bishop and knight against a bare king.
    engine.set_position(position("8/4k3/8/8/5r2/7N/8/KB6 w - - 0 1"), []).unwrap();
    let (best, end) = go(&mut engine, &depth(2));
    let score = end.lines[0].score;
    assert_eq!(format!("{best:?}"), "h3f4");
    assert!(score <= TABLE_WIN && is_decided(score) && !is_mate(score), "{score}");
}

#[test]
#[ignore = "needs the files of ../shared/data"]
fn a_win_that_comes_too_late_is_a_draw_unless_fifty_moves_are_ignored() {
    let mut engine = engine();
    let late = BISHOP_AND_KNIGHT.replace("- 0 1", "- 90 99");
    engine.set_position(position(&late), []).unwrap();
    assert_eq!(go(&mut engine, &depth(3)).1.lines[0].score, 0);
    engine.set_probe_rule(ProbeRule { fifty_moves: FiftyMoves::Ignored, ..ProbeRule::default() });
    engine.set_position(position(&late), []).unwrap();
    assert!(is_decided(go(&mut engine, &depth(3)).1.lines[0].score));
}

#[test]
#[ignore = "needs the files of ../shared/data"]
fn won_games_are_won_with_hardly_any_search() {
    let mut engine = engine();
    for fen in [BISHOP_AND_KNIGHT, QUEEN_AND_ROOK, ONLY_MOVE] {
        let start = position(fen);
        let mut current = start;
        let mut played: Vec<UciMove> = Vec::new();
        while current.has_legal_move() {
            assert!(current.halfmove_clock() < 100 && played.len() < 200, "{fen}: {current:?}");
            engine.set_position(start, played.iter().copied()).unwrap();
            let limits = SearchLimits { nodes: Some(50), ..SearchLimits::default() };
            let (best, _) = go(&mut engine, &limits);
            played.push(UciMove::from_move(best, smalt_chess::CastlingMode::Standard));
            current.play(best);
        }
        assert!(current.is_check() && current.turn() == smalt_chess::Color::Black, "{fen}: {current:?}");
    }
}

#[test]
fn found_tablebases_are_reported_in_each_protocol() {
    let nothing = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no_such_tables");
    let nothing = nothing.display();
    let mut engine = Conversation::begin();
    engine.send(&format!("setoption name SyzygyPath value {nothing}"));
    let complaint = engine.read_line();
    assert!(complaint.starts_with("info string no Syzygy tablebases in "), "{complaint}");
    assert!(complaint.contains("No such file"), "{complaint}");
    engine.send("setoption name SyzygyPath value <empty>\nisready");
    assert_eq!(engine.read_line(), "readyok");
    engine.end();
    let mut engine = Conversation::begin();
    engine.send(&format!("xboard\nprotover 2\negtpath syzygy {nothing}\negtpath nalimov /"));
    assert!(engine.read_until("feature done=1").iter().any(|line| line.contains("egt=\"syzygy\"")));
    // The first waits for the disk, so the second usually finishes first.
    let mut errors = [engine.read_line(), engine.read_line()];
    errors.sort();
    assert!(errors[0].starts_with("Error (no Syzygy tablebases in "), "{errors:?}");
    assert_eq!(errors[1], "Error (unsupported kind of tables): egtpath nalimov /");
    engine.end();
}

#[test]
#[ignore = "needs the files of ../shared/data"]
fn uci_reports_tablebases_and_hits() {
    let mut engine = Conversation::begin();
    engine.send(&format!("setoption name SyzygyPath value {}", folder().display()));
    assert_eq!(
        engine.read_line(),
        "info string Syzygy tablebases of up to 4 pieces: 35 WDL files, 35 DTZ files"
    );
    engine.send(&format!("position fen {QUEEN}\ngo depth 2"));
    assert!(engine.read_until("bestmove").iter().any(|line| line.contains(" tbhits ")));
    engine.end();
}

#[test]
#[ignore = "needs the files of ../shared/data"]
fn xboard_reports_tablebases_in_a_comment() {
    let folder = folder();
    let mut engine = Conversation::begin();
    engine.send(&format!("xboard\negtpath syzygy {}\nping 1", folder.display()));
    let lines = engine.read_until("pong 1");
    assert!(lines[0].starts_with("# ") && lines.len() == 2, "{lines:?}");
    engine.end();
}
