//! Real xboard engines: positions by FEN, whole games against each other in both colors, limits, abandoned searches,
//! and a normal exit.

use std::time::Duration;

use smalt_chess::{CastlingMode, DrawClaims, Game, Position, UciMove};
use smalt_driver::Protocol;
use smalt_driver::{
    Engine, EngineCommand, EngineTimeouts, ExitOutcome, Fault, GameOptions, Pondering, SearchRequest, State,
    WaitContext,
};
use smalt_protocol::uci::client::Start;
use smalt_protocol::{Clock, SearchLimits};

use crate::support::{LONG, request};

/// Program, arguments, and the prefix of its name (empty if it sends none).
const ENGINES: [(&str, &[&str], &str); 5] = [
    ("gnuchess", &["--xboard"], "GNU Chess"),
    ("phalanx", &[], "Phalanx"),
    ("hoichess", &[], "HoiChess"),
    ("sjeng", &[], "Sjeng"),
    ("fairymax", &[], "Fairy-Max"),
];

fn start(program: &str, arguments: &[&str], protocol: Protocol) -> Box<dyn Engine> {
    let command = EngineCommand::new(program).arguments(arguments);
    let nothing = &mut WaitContext::none();
    smalt_driver::start(&command, protocol, EngineTimeouts::default(), None, nothing)
        .unwrap_or_else(|failure| panic!("{program}: {failure} {:#?}", failure.transcript))
}

fn transcript(engine: &dyn Engine) -> String {
    engine.transcript().lines().iter().map(|line| format!("{line}\n")).collect()
}

fn ask(engine: &mut dyn Engine, request: &SearchRequest<'_>) -> smalt_driver::SearchResult {
    match engine.search(request, &mut WaitContext::none(), None) {
        Ok(searched) => searched,
        Err(error) => panic!("{error}\n{}", transcript(engine)),
    }
}

fn clocks(ms: u64) -> SearchLimits {
    let clock = Clock { remaining: Duration::from_millis(ms), increment: Duration::from_millis(20) };
    SearchLimits { white: Some(clock), black: Some(clock), ..SearchLimits::default() }
}

/// Plays one game from an opening position and two moves, to its end or sixty plies.
fn play(engines: [&mut dyn Engine; 2], fen: Option<&str>, opening: &[&str], terms: GameOptions) {
    let position = fen.map_or(Position::start(), |fen| Position::from_fen(fen).unwrap());
    let mut game = Game::new(position);
    let mut moves: Vec<UciMove> = Vec::new();
    for text in opening {
        let uci: UciMove = text.parse().unwrap();
        game.play(uci.to_move(game.position()).unwrap()).unwrap();
        moves.push(uci);
    }
    let [white, black] = engines;
    for engine in [&mut *white, &mut *black] {
        engine.new_game(terms, &mut WaitContext::none()).unwrap();
    }
    let limits = clocks(1000);
    while moves.len() < 60 && game.ending(DrawClaims::Automatic).is_none() {
        let engine = match game.position().turn() {
            smalt_chess::Color::White => &mut *white,
            smalt_chess::Color::Black => &mut *black,
        };
        let request = SearchRequest {
            start: fen.map_or(Start::Standard, Start::Fen),
            moves: &moves,
            limits: &limits,
            deadline: LONG,
            stop_after: None,
        };
        let searched = ask(engine, &request);
        let Some(best) = searched.best else {
            assert!(searched.claim.is_some(), "{searched:?}\n{}", transcript(engine));
            return;
        };
        let mv = best.to_move(game.position());
        let mv = mv.unwrap_or_else(|error| panic!("{error}\n{}", transcript(engine)));
        game.play(mv).unwrap();
        moves.push(UciMove::from_move(mv, terms.variant));
    }
    assert!(moves.len() > opening.len() + 4, "{moves:?}");
}

/// Asserts that it exits by itself. Phalanx misses a `quit` that arrives while it chooses a move to ponder on (2 of
/// some 140 exits after pondering), and the end of its input too: it needs SIGTERM.
fn assert_exits(mut engine: Box<dyn Engine>) {
    let outcome = engine.quit();
    let has_ended = match outcome {
        ExitOutcome::Quit(_) => true,
        ExitOutcome::Terminated(_) => engine.name().starts_with("Phalanx"),
        ExitOutcome::Killed | ExitOutcome::Gone => false,
    };
    assert!(has_ended, "{}: {outcome:?}\n{}", engine.name(), transcript(&*engine));
}

#[test]
#[ignore = "needs the chess engines of Debian"]
fn the_handshake_works_with_a_given_and_a_detected_protocol() {
    for (program, arguments, name) in ENGINES {
        for protocol in [Protocol::Xboard, Protocol::Auto] {
            let engine = start(program, arguments, protocol);
            assert_eq!(engine.protocol(), Protocol::Xboard, "{program}");
            assert!(engine.name().starts_with(name), "{program} calls itself {}", engine.name());
            assert_exits(engine);
        }
    }
    let engine = start("stockfish", &[], Protocol::Auto);
    assert_eq!(engine.protocol(), Protocol::Uci);
}

#[test]
#[ignore = "needs the chess engines of Debian"]
fn whole_games_are_played_in_both_colors() {
    let fen = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4";
    let black_to_move = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/2P2N2/PP1P1PPP/RNBQK2R b KQkq - 0 4";
    for index in 0..ENGINES.len() {
        let (program, arguments, _) = ENGINES[index];
        let (other, other_arguments, _) = ENGINES[(index + 1) % ENGINES.len()];
        let mut engine = start(program, arguments, Protocol::Xboard);
        let mut opponent = start(other, other_arguments, Protocol::Xboard);
        let pondering = GameOptions { pondering: Pondering::On, ..GameOptions::default() };
        play([&mut *engine, &mut *opponent], None, &["e2e4", "e7e5", "g1f3"], GameOptions::default());
        play([&mut *opponent, &mut *engine], Some(fen), &["c2c3"], GameOptions::default());
        play([&mut *engine, &mut *opponent], Some(black_to_move), &[], pondering);
        assert_exits(engine);
        assert_exits(opponent);
    }
}

#[test]
#[ignore = "needs the chess engines of Debian"]
fn positions_are_answered_at_limits() {
    // 1. Qxf7 is mate.
    let fen = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4";
    let quiet = "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R b KQkq - 0 5";
    for (program, arguments, _) in ENGINES {
        let mut engine = start(program, arguments, Protocol::Xboard);
        for (fen, limits, longest_ms) in [
            (fen, SearchLimits { depth: Some(4), ..SearchLimits::default() }, 5000),
            (quiet, SearchLimits { depth: Some(5), ..SearchLimits::default() }, 5000),
            (quiet, SearchLimits { nodes: Some(50_000), ..SearchLimits::default() }, 10_000),
            (
                quiet,
                SearchLimits { move_time: Some(Duration::from_secs(1)), ..SearchLimits::default() },
                3000,
            ),
            (
                quiet,
                SearchLimits { move_time: Some(Duration::from_millis(200)), ..SearchLimits::default() },
                3000,
            ),
        ] {
            // Fairy-Max does not know `?`, and HoiChess can think many seconds after it.
            if ["fairymax", "hoichess"].contains(&program) && limits.nodes.is_some() {
                continue;
            }
            engine.new_game(GameOptions::default(), &mut WaitContext::none()).unwrap();
            let start = Start::Fen(fen);
            let request =
                SearchRequest { start, moves: &[], limits: &limits, deadline: LONG, stop_after: None };
            let searched = ask(&mut *engine, &request);
            let position = Position::from_fen(fen).unwrap();
            assert!(searched.best.unwrap().to_move(&position).is_ok(), "{program}: {searched:?}");
            println!(
                "{program}: {:?} in {:?}, depth {:?} nodes {:?} score {:?} pv {}",
                searched.best,
                searched.elapsed,
                searched.report.depth,
                searched.report.nodes,
                searched.report.score,
                searched.report.pv.len()
            );
            let longest = Duration::from_millis(longest_ms);
            assert!(
                searched.elapsed < longest,
                "{program} {limits:?}: {:?}\n{}",
                searched.elapsed,
                transcript(&*engine)
            );
        }
        assert_exits(engine);
    }
}

#[test]
#[ignore = "needs the chess engines of Debian"]
fn an_abandoned_search_leaves_engines_usable() {
    for (program, arguments, _) in ENGINES {
        let mut engine = start(program, arguments, Protocol::Xboard);
        let nothing = &mut WaitContext::none();
        engine.new_game(GameOptions::default(), nothing).unwrap();
        let limits = SearchLimits { move_time: Some(Duration::from_secs(2)), ..SearchLimits::default() };
        let opening: Vec<UciMove> =
            ["e2e4", "a7a6", "d2d4", "h7h6"].map(|text| text.parse().unwrap()).to_vec();
        let request = request(&opening, &limits);
        engine.begin(&request, nothing).unwrap();
        engine.abandon(nothing).unwrap_or_else(|error| panic!("{program} {error}\n{}", transcript(&*engine)));
        assert_eq!(engine.state(), State::Idle);
        let request = SearchRequest { moves: &opening[..1], ..request };
        let searched = ask(&mut *engine, &request);
        let mut position = Position::start();
        position.play(opening[0].to_move(&position).unwrap());
        let best = searched.best.unwrap();
        assert!(best.to_move(&position).is_ok(), "{program}: {best}\n{}", transcript(&*engine));
        assert_exits(engine);
    }
}

#[test]
#[ignore = "needs the chess engines of Debian"]
fn chess960_is_refused_by_engines_without_support() {
    let terms = GameOptions { variant: CastlingMode::Chess960, ..GameOptions::default() };
    let mut engine = start("gnuchess", &["--xboard"], Protocol::Xboard);
    let error = engine.new_game(terms, &mut WaitContext::none()).unwrap_err();
    assert!(matches!(&error, smalt_driver::ConversationError::Fault(Fault::NoChess960 { .. })), "{error}");
    engine.new_game(GameOptions::default(), &mut WaitContext::none()).unwrap();
    assert_exits(engine);
}
