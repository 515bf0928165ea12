//! Real engines that ponder: a ponder hit continues as a search, a miss is abandoned, and no late move of it is taken
//! for the next search's.

use std::time::Duration;

use smalt_chess::{Position, UciMove};
use smalt_driver::Protocol;
use smalt_driver::{EngineCommand, EngineTimeouts, GameOptions, Pondering, State, WaitContext};
use smalt_protocol::{Clock, SearchLimits};

use crate::support::request;

const ENGINES: [(&str, Protocol); 5] = [
    ("stockfish", Protocol::Uci),
    ("toga2", Protocol::Uci),
    ("hoichess", Protocol::Xboard),
    ("sjeng", Protocol::Xboard),
    ("fairymax", Protocol::Xboard),
];

struct Game {
    position: Position,
    moves: Vec<UciMove>,
}

impl Game {
    fn play(&mut self, uci: UciMove) {
        self.position.play(uci.to_move(&self.position).unwrap());
        self.moves.push(uci);
    }
}

fn limits(ponder: bool) -> SearchLimits {
    let clock = Clock { remaining: Duration::from_secs(4), increment: Duration::from_millis(50) };
    SearchLimits { white: Some(clock), black: Some(clock), ponder, ..SearchLimits::default() }
}

/// The expected reply, or another legal one.
fn reply(game: &Game, expected: Option<UciMove>, hit: bool) -> UciMove {
    let legal = game.position.legal_moves();
    let texts = legal.iter().map(|&mv| UciMove::from_move(mv, smalt_chess::CastlingMode::Standard));
    // With a single legal reply there is no other.
    let other = texts.into_iter().find(|&mv| Some(mv) != expected);
    if hit { expected.or(other) } else { other.or(expected) }.unwrap()
}

fn check(program: &str, protocol: Protocol) {
    let nothing = &mut WaitContext::none();
    let command = EngineCommand::new(program);
    let mut engine =
        smalt_driver::start(&command, protocol, EngineTimeouts::default(), None, nothing).unwrap();
    engine.new_game(GameOptions { pondering: Pondering::On, ..GameOptions::default() }, nothing).unwrap();
    let mut game = Game { position: Position::start(), moves: Vec::new() };
    let (plain, pondered) = (limits(false), limits(true));
    let mut searched = engine.search(&request(&game.moves, &plain), nothing, None).unwrap();
    for turn in 0..10 {
        game.play(searched.best.unwrap_or_else(|| panic!("{program} {searched:?}")));
        if game.position.legal_moves().is_empty() {
            break;
        }
        let answer = reply(&game, searched.ponder, turn % 2 == 0);
        if let Some(expected) = searched.ponder {
            let mut ahead = game.moves.clone();
            ahead.push(expected);
            engine.begin(&request(&ahead, &pondered), nothing).unwrap();
            // The engine ponders for a while: an input, not a wait for an event.
            std::thread::sleep(Duration::from_millis(30));
        }
        let is_hit = searched.ponder == Some(answer);
        game.play(answer);
        if game.position.legal_moves().is_empty() {
            break;
        }
        searched = if is_hit {
            engine.ponder_hit(&request(&game.moves, &plain), nothing).unwrap();
            engine.finish(nothing, None).unwrap()
        } else {
            engine.abandon(nothing).unwrap();
            engine.search(&request(&game.moves, &plain), nothing, None).unwrap()
        };
        let best = searched.best.unwrap();
        let lines: String = engine.transcript().lines().iter().map(|line| format!("{line}\n")).collect();
        assert!(best.to_move(&game.position).is_ok(), "{program}: {best}\n{lines}");
    }
    engine.abandon(nothing).unwrap();
    assert_eq!(engine.state(), State::Idle);
    engine.quit();
}

#[test]
#[ignore = "needs the chess engines of Debian"]
fn ponder_hits_and_misses_with_real_engines() {
    for (program, protocol) in ENGINES {
        check(program, protocol);
    }
}
