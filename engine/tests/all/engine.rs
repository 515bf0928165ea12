//! The engine's public interface: mates, limits, reproducibility, and a legal move in every case.

use std::sync::Arc;
use std::time::Duration;

use smalt::engine::{Choice, Engine};
use smalt::search::score::{mate_in, mated_in};
use smalt::search::{ClockState, Progress, SearchControl};
use smalt::strength::Strength;
use smalt_chess::{Color, Move, Position, UciMove};
use smalt_protocol::{Bound, Clock, SearchLimits};
use smalt_testing::Random;

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const MANY_MOVES: &str = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";

fn uci(text: &str) -> UciMove {
    text.parse().unwrap()
}

fn depth(depth: u32) -> SearchLimits {
    SearchLimits { depth: Some(depth), ..SearchLimits::default() }
}

fn nodes(nodes: u64) -> SearchLimits {
    SearchLimits { nodes: Some(nodes), ..SearchLimits::default() }
}

/// Searches a position and returns the choice and the last progress.
fn search(engine: &mut Engine, fen: &str, limits: &SearchLimits) -> (Choice, Progress) {
    engine.set_position(fen.parse().unwrap(), []).unwrap();
    let mut last = None;
    let control = SearchControl::new(ClockState::Running);
    let choice = engine.go(limits, &control, &mut |progress| last = Some(progress.clone()));
    (choice, last.unwrap())
}

#[test]
fn mates_are_found_and_counted_right() {
    // Full moves to mate for the side to move, and the first move if only one mates in time.
    let mates = [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1, Some("d1d8")),
        ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 1", 1, Some("h5f7")),
        ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 2, None),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2, Some("a1a6")),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3, Some("f6a6")),
        ("8/8/8/8/8/2k5/1q6/K7 w - - 0 1", 0, None),
        ("8/8/8/8/8/k1K5/8/1R6 w - - 0 1", 1, None),
        ("1kr5/3p4/1NPPn3/8/1Q6/8/6K1/8 w - - 0 1", 2, None),
    ];
    for (fen, moves, first) in mates {
        let mut engine = Engine::new();
        let position: Position = fen.parse().unwrap();
        let (choice, end) =
            search(&mut engine, fen, &SearchLimits { mate: Some(moves.max(1)), ..SearchLimits::default() });
        let score = end.lines[0].score;
        if moves == 0 {
            assert_eq!((choice.best, score), (None, mated_in(0)), "{fen}");
            continue;
        }
        assert!(score > 0 && score >= mate_in(2 * moves as usize - 1), "{fen}: {score}");
        if let Some(first) = first {
            assert_eq!(choice.best, Some(uci(first).to_move(&position).unwrap()), "{fen}");
        }
    }
}

/// Whether the side to move mates in this many moves, by exhaustive search.
fn mates_within(position: &Position, moves: u32) -> bool {
    moves > 0
        && position.legal_moves().iter().any(|&mv| {
            let next = position.after(mv);
            let answers = next.legal_moves();
            if answers.is_empty() {
                return next.is_check();
            }
            moves > 1 && answers.iter().all(|&answer| mates_within(&next.after(answer), moves - 1))
        })
}

#[test]
fn a_search_for_mate_finds_exactly_the_existing_mates() {
    let mut engine = Engine::new();
    let mut found = [0; 3];
    for fen in [
        "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1",
        "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1",
        "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1",
        "5rk1/1p1q2bp/p2pN1p1/2pP2Bn/2P3P1/1P6/P4QKP/5R2 w - - 0 1",
    ] {
        // Neighboring positions: after each move and reply.
        let start: Position = fen.parse().unwrap();
        for &mv in &*start.legal_moves() {
            let next = start.after(mv);
            for answer in next.legal_moves().iter().step_by(5) {
                let position = next.after(*answer);
                let fen = position.to_fen();
                // Entries of a normal search must not matter.
                search(&mut engine, &fen, &nodes(300));
                let limits = SearchLimits { mate: Some(2), ..SearchLimits::default() };
                let moves = (1..=2).find(|&moves| mates_within(&position, moves));
                let (choice, end) = search(&mut engine, &fen, &limits);
                let Some(choice) = choice.best else { continue };
                found[moves.unwrap_or(0) as usize] += 1;
                let Some(moves) = moves else {
                    assert!(end.lines[0].score < mate_in(3), "{fen}: {:?}", end.lines);
                    continue;
                };
                assert!(end.lines[0].score >= mate_in(3), "{fen}: {:?}", end.lines);
                let after = position.after(choice);
                let answers = after.legal_moves();
                let mates = answers.iter().all(|&answer| mates_within(&after.after(answer), moves - 1));
                assert!(mates && (moves > 1 || after.is_check()), "{fen}: {choice:?}");
            }
        }
    }
    assert!(found.iter().all(|&count| count > 20), "{found:?}");
}

#[test]
fn a_finished_game_has_no_move() {
    for (fen, score) in [
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 0),
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", mated_in(0)),
    ] {
        let (choice, end) = search(&mut Engine::new(), fen, &depth(5));
        assert_eq!(choice, Choice { best: None, ponder: None });
        assert_eq!(end.lines[0].score, score);
    }
}

#[test]
fn only_searchmoves_are_searched() {
    let position: Position = KIWIPETE.parse().unwrap();
    let wanted = ["a2a3", "e1g1", "e1h1", "a1b1"];
    let limits = SearchLimits {
        search_moves: wanted.iter().map(|text| uci(text)).collect(),
        depth: Some(8),
        ..SearchLimits::default()
    };
    let mut engine = Engine::new();
    engine.set_lines(10);
    // The table already has a better move.
    search(&mut engine, KIWIPETE, &depth(8));
    let (choice, end) = search(&mut engine, KIWIPETE, &limits);
    let mut found: Vec<Move> = end.lines.iter().map(|line| line.moves[0]).collect();
    let mut expected: Vec<Move> =
        ["a2a3", "e1g1", "a1b1"].iter().map(|text| uci(text).to_move(&position).unwrap()).collect();
    assert_eq!(choice.best, Some(found[0]));
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn illegal_searchmoves_restrict_nothing() {
    let limits = SearchLimits { search_moves: vec![uci("e1e8")], ..depth(3) };
    let (choice, _) = search(&mut Engine::new(), KIWIPETE, &limits);
    assert!(choice.best.is_some());
}

#[test]
fn several_lines_are_different_and_in_order() {
    let mut engine = Engine::new();
    engine.set_lines(5);
    for fen in [KIWIPETE, "8/8/1p6/1P1k4/3P4/3K4/8/8 w - - 0 1"] {
        let (choice, end) = search(&mut engine, fen, &depth(9));
        let firsts: Vec<Move> = end.lines.iter().map(|line| line.moves[0]).collect();
        assert_eq!(choice.best, Some(firsts[0]));
        assert!(firsts.iter().enumerate().all(|(index, mv)| !firsts[..index].contains(mv)));
        assert!(end.lines.windows(2).all(|pair| pair[0].score >= pair[1].score), "{:?}", end.lines);
        assert!(firsts.len() == 5);
    }
}

#[test]
fn variations_are_legal_lines() {
    let mut engine = Engine::new();
    engine.set_lines(3);
    for fen in [KIWIPETE, MANY_MOVES, "8/k4p1n/1p6/p3qP2/6P1/PP3K2/8/8 b - - 1 54"] {
        let (choice, end) = search(&mut engine, fen, &depth(7));
        for line in &end.lines {
            let mut position: Position = fen.parse().unwrap();
            for &mv in &line.moves {
                assert!(position.is_legal(mv), "{fen}: {:?}", line.moves);
                position.play(mv);
            }
        }
        let after = fen.parse::<Position>().unwrap().after(choice.best.unwrap());
        assert!(choice.ponder.is_none_or(|answer| after.is_legal(answer)));
    }
}

#[test]
fn a_node_limit_is_kept_to_the_node() {
    for limit in [1, 2, 57, 1000, 1024, 33_333] {
        let (choice, end) = search(&mut Engine::new(), KIWIPETE, &nodes(limit));
        assert!(choice.best.is_some());
        assert_eq!(end.nodes, limit, "{end:?}");
    }
}

#[test]
fn a_search_that_ends_before_its_first_score_shows_no_false_one() {
    for limit in 1..=60 {
        for lines in [1, 3] {
            let mut engine = Engine::new();
            engine.set_lines(lines);
            let (_, end) = search(&mut engine, KIWIPETE, &nodes(limit));
            assert!(!end.lines.is_empty() && end.lines.iter().all(|line| line.score.abs() < 1000), "{end:?}");
        }
    }
}

#[test]
fn a_limited_search_ends_with_a_certain_mate_and_an_unlimited_depth_does_not() {
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq g3 0 2";
    let (choice, end) = search(&mut Engine::new(), fen, &nodes(1_000_000));
    assert_eq!(choice.best.map(|mv| format!("{mv:?}")), Some("d8h4".to_owned()));
    assert!(end.depth <= 4 && end.nodes < 1000, "{end:?}");
    let (_, end) = search(&mut Engine::new(), fen, &depth(12));
    assert_eq!(end.depth, 12);
}

#[test]
fn a_search_that_ends_before_the_saving_move_announces_no_certain_loss() {
    // Rxh7+ saves White; most other moves allow mate in one.
    let fen = "2R5/2R4p/5p1k/6n1/8/1P2QPPq/r7/6K1 w - - 0 1";
    let mut bounds = 0;
    for limit in 1..=600 {
        let (_, end) = search(&mut Engine::new(), fen, &nodes(limit));
        let line = &end.lines[0];
        if line.score < mated_in(100) {
            assert_eq!(line.bound, Bound::Lower, "{limit} nodes: {line:?}");
            bounds += 1;
        }
    }
    assert!(bounds > 0);
}

#[test]
fn a_new_game_is_searched_as_by_a_fresh_engine() {
    let mut engine = Engine::new();
    let (first_choice, first) = search(&mut engine, KIWIPETE, &depth(9));
    search(&mut engine, MANY_MOVES, &depth(4));
    engine.new_game();
    let (choice, again) = search(&mut engine, KIWIPETE, &depth(9));
    assert_eq!((choice, again.nodes, &again.lines), (first_choice, first.nodes, &first.lines));
    engine.clear_hash();
    let (_, experienced) = search(&mut engine, KIWIPETE, &depth(9));
    assert_ne!(experienced.nodes, first.nodes, "histories live on within a game");
}

#[test]
fn a_stopped_search_has_a_legal_move() {
    let mut engine = Engine::new();
    for fen in [KIWIPETE, MANY_MOVES] {
        engine.set_position(fen.parse().unwrap(), []).unwrap();
        for delay_us in [0, 50, 500, 3000, 20_000] {
            let control = Arc::new(SearchControl::new(ClockState::Running));
            let stopper = Arc::clone(&control);
            let thread = std::thread::spawn(move || {
                // The moments of the stop are what is tested.
                std::thread::sleep(Duration::from_micros(delay_us));
                stopper.stop();
            });
            let limits = SearchLimits { infinite: true, ..SearchLimits::default() };
            let choice = engine.go(&limits, &control, &mut |_| {});
            thread.join().unwrap();
            assert!(engine.position().is_legal(choice.best.unwrap()));
        }
    }
}

#[test]
fn an_empty_clock_still_gives_a_move() {
    let clock = Some(Clock::default());
    let limits = SearchLimits { white: clock, black: clock, ..SearchLimits::default() };
    for fen in [KIWIPETE, MANY_MOVES] {
        let (choice, _) = search(&mut Engine::new(), fen, &limits);
        assert!(choice.best.is_some());
    }
}

#[test]
fn repetition_is_a_draw_by_the_game_so_far() {
    // White is lost, but the position after a king move has occurred twice.
    let start: Position = "6k1/5ppp/8/8/8/8/q4PPP/6K1 w - - 0 1".parse().unwrap();
    let shuffle = ["g1h1", "g8h8", "h1g1", "h8g8", "g1h1", "g8h8", "h1g1", "h8g8", "g1h1", "g8h8"];
    let mut engine = Engine::new();
    engine.set_position(start, shuffle.iter().map(|text| uci(text))).unwrap();
    let limits = SearchLimits { search_moves: vec![uci("h1g1")], ..depth(6) };
    let mut last = None;
    engine
        .go(&limits, &SearchControl::new(ClockState::Running), &mut |progress| last = Some(progress.clone()));
    assert!(last.unwrap().lines[0].score.abs() <= 1);
}

/// Queen down, with a repetition available: late move pruning must not make it look forced.
#[test]
fn pruning_does_not_hide_a_lost_position() {
    let lost = "4k3/pppq1ppp/8/8/8/8/PPP2PPP/4K3 w - - 0 1";
    for plies in 1..=9 {
        let (_, end) = search(&mut Engine::new(), lost, &depth(plies));
        assert!(end.lines[0].score < -1000, "{plies}: {:?}", end.lines);
    }
}

/// White sacrifices the queen for zugzwang, which null move pruning misjudges.
#[test]
fn a_deep_null_move_does_not_hide_a_zugzwang() {
    let mut engine = Engine::new();
    engine.set_hash(64).unwrap();
    let (choice, _) = search(&mut engine, "8/6B1/p5p1/Pp4kp/1P5r/5P1Q/4q1PK/8 w - - 0 1", &nodes(6_000_000));
    let best = UciMove::from_move(choice.best.unwrap(), Default::default());
    assert_eq!(best, uci("h3h4"));
}

#[test]
fn time_spent_pondering_is_time_spent() {
    let clock = Some(Clock { remaining: Duration::from_millis(1000), increment: Duration::ZERO });
    let limits = SearchLimits { ponder: true, white: clock, black: clock, ..SearchLimits::default() };
    let mut engine = Engine::new();
    engine.set_position(KIWIPETE.parse().unwrap(), []).unwrap();
    let control = SearchControl::new(ClockState::Pondering);
    let mut depths = Vec::new();
    engine.go(&limits, &control, &mut |progress| {
        depths.push(progress.depth);
        // Far longer than this clock allows for a move; then ponderhit.
        if progress.depth == 2 {
            std::thread::sleep(Duration::from_millis(600));
            control.ponder_hit();
        }
    });
    assert_eq!(depths, [1, 2]);
}

#[test]
fn a_score_of_a_failed_window_is_reported_as_a_bound() {
    let mut bounds = Vec::new();
    for limit in (2_000..60_000).step_by(500) {
        let (_, end) = search(&mut Engine::new(), KIWIPETE, &nodes(limit));
        bounds.push(end.lines[0].bound);
    }
    for bound in [Bound::Exact, Bound::Lower, Bound::Upper] {
        assert!(bounds.contains(&bound), "{bound:?}");
    }
    let (_, end) = search(&mut Engine::new(), KIWIPETE, &depth(8));
    assert_eq!(end.lines[0].bound, Bound::Exact);
}

#[test]
fn the_move_of_the_last_report_is_played_with_any_threads() {
    let mut engine = Engine::new();
    engine.set_threads(4).unwrap();
    for round in 0..30 {
        engine.new_game();
        engine.set_position(KIWIPETE.parse().unwrap(), []).unwrap();
        let mut reports: Vec<Progress> = Vec::new();
        let limits = nodes(20_000 + 1_000 * round);
        let choice = engine.go(&limits, &SearchControl::new(ClockState::Running), &mut |progress| {
            reports.push(progress.clone());
        });
        assert!(reports.is_sorted_by_key(|report| (report.time, report.nodes)));
        assert_eq!(choice.best, Some(reports.last().unwrap().lines[0].moves[0]));
    }
}

#[test]
fn known_endings_get_their_known_scores() {
    // Draws despite extra material.
    for fen in [
        "8/4k3/8/4K3/4P3/8/8/8 w - - 0 1",
        "7k/8/8/4K3/7P/3B4/8/8 w - - 0 1",
        "8/8/4k3/8/8/2K5/8/4B3 b - - 0 1",
    ] {
        let (_, end) = search(&mut Engine::new(), fen, &depth(5));
        assert_eq!(end.lines[0].score, 0, "{fen}: {:?}", end.lines);
    }
    // Wins that only one move keeps.
    for (fen, mv) in [
        ("8/4k3/8/4K3/4P3/8/8/8 b - - 0 1", None),
        ("4k3/8/8/3K4/4P3/8/8/8 w - - 0 1", None),
        ("8/1k6/8/8/8/1K6/1P6/8 w - - 0 1", None),
        ("8/8/8/8/8/6k1/P7/7K w - - 0 1", Some("a2a4")),
    ] {
        let position: Position = fen.parse().unwrap();
        let (choice, end) = search(&mut Engine::new(), fen, &depth(4));
        let score = end.lines[0].score * if position.turn() == Color::White { 1 } else { -1 };
        assert!(score > 300, "{fen}: {:?}", end.lines);
        let expected = mv.map(|text| uci(text).to_move(&position).unwrap());
        assert!(expected.is_none() || choice.best == expected, "{fen}: {choice:?}");
    }
}

#[test]
fn bishop_and_knight_mate_within_fifty_moves() {
    let mut engine = Engine::new();
    let start: Position = "8/8/8/4k3/8/8/8/2B1K1N1 w - - 0 1".parse().unwrap();
    let mut position = start;
    let mut moves = Vec::new();
    while position.has_legal_move() && position.halfmove_clock() < 100 {
        let limits = nodes(if position.turn() == Color::White { 60_000 } else { 1_000 });
        engine.set_position(start, moves.iter().copied()).unwrap();
        let choice = engine.go(&limits, &SearchControl::new(ClockState::Running), &mut |_| {});
        moves.push(UciMove::from_move(choice.best.unwrap(), Default::default()));
        position.play(choice.best.unwrap());
    }
    assert!(position.is_check() && position.turn() == Color::Black, "{position:?}");
}

#[test]
fn no_move_is_illegal_along_random_games() {
    let mut engine = Engine::new();
    engine.set_hash(1).unwrap();
    let mut random = Random(1);
    for game in 0..40 {
        let mut position = Position::start();
        for _ in 0..120 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let (choice, _) = search(&mut engine, &position.to_fen(), &nodes(200 + game));
            assert!(position.is_legal(choice.best.unwrap()), "{position:?}");
            position.play(*random.choose(&moves));
        }
    }
}

#[test]
fn an_illegal_move_in_the_game_is_refused_by_its_number() {
    let mut engine = Engine::new();
    let error = engine.set_position(Position::start(), ["e2e4", "e2e4"].map(uci)).unwrap_err();
    assert_eq!(error.to_string(), "move 2: e2e4 is not a legal move here");
    assert_eq!(engine.position(), &Position::start().after(uci("e2e4").to_move(&Position::start()).unwrap()));
}

#[test]
fn several_threads_find_the_same_mate() {
    let mut engine = Engine::new();
    engine.set_threads(4).unwrap();
    let fen = "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1";
    let (choice, end) = search(&mut engine, fen, &SearchLimits { mate: Some(3), ..SearchLimits::default() });
    let position: Position = fen.parse().unwrap();
    assert_eq!(choice.best, Some(uci("f6a6").to_move(&position).unwrap()));
    assert!(end.lines[0].score >= mate_in(5));
}

#[test]
fn a_weakened_engine_plays_legal_moves_that_depend_on_its_seed_alone() {
    let play = |seed, elo| {
        let mut engine = Engine::new();
        engine.set_strength(Strength::Limited(elo));
        engine.set_seed(seed);
        let mut moves = Vec::new();
        for _ in 0..12 {
            engine.set_position(Position::start(), moves.iter().copied()).unwrap();
            let choice = engine.go(&depth(30), &SearchControl::new(ClockState::Running), &mut |_| {});
            assert!(engine.position().is_legal(choice.best.unwrap()));
            moves.push(UciMove::from_move(choice.best.unwrap(), Default::default()));
        }
        moves
    };
    assert_eq!(play(1, 900), play(1, 900));
    assert_ne!(play(1, 900), play(2, 900));
}
