//! Searches stopped at any moment, with hash tables from one megabyte to eight gigabytes and up to 64 threads: each
//! answers with one legal move. Runs on request, since it takes minutes; `.ci/sanitize` runs it under the thread sanitizer.
//!
//! ```text
//! cargo test -p smalt --release --test all whatever_ends_a_search -- --ignored
//! ```
//!
//! `SMALT_SOAK_ROUNDS` is the number of searches per setting, `SMALT_SOAK_HASH` the largest table in megabytes.

use std::time::Duration;

use smalt_chess::{Position, UciMove};
use smalt_testing::Random;

use crate::pipes::Conversation;

/// All stages of the game; the last two have 218 moves and one move.
const POSITIONS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/5N1p/8/2k2p2/8/r7/5K2/8 b - - 1 62",
    "7k/8/5K2/8/8/8/8/6R1 w - - 0 1",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "7k/R7/5K2/8/8/8/8/8 b - - 0 1",
];

/// Command pairs: the first starts a search, the second is sent a moment later.
const ENDINGS: [(&str, &str); 8] = [
    ("go infinite", "stop"),
    ("go infinite", "stop\nstop\nponderhit\nstop"),
    ("go ponder wtime 40 btime 40 winc 1 binc 1", "ponderhit"),
    ("go ponder wtime 100000 btime 100000", "stop"),
    ("go ponder movetime 3", "ponderhit\nponderhit\nisready\nstop"),
    ("go wtime 30 btime 30 winc 3 binc 3", "isready"),
    ("go depth 200", "isready\nstop"),
    ("go nodes 20000", "ponderhit"),
];

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

#[test]
#[ignore = "needs minutes"]
fn whatever_ends_a_search_it_is_answered_by_one_legal_move() {
    let rounds = number("SMALT_SOAK_ROUNDS", 60);
    let largest = number("SMALT_SOAK_HASH", 8192);
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut engine = Conversation::begin();
    for (hash, threads) in [(1, 1), (16, 2), (1, 64), (largest, 4), (256, 16), (largest, 64), (3, 3)] {
        let hash = hash.min(largest);
        engine.send(&format!("setoption name Hash value {hash}\nsetoption name Threads value {threads}"));
        for round in 0..rounds {
            let fen = random.choose(&POSITIONS);
            let (begin, end) = random.choose(&ENDINGS);
            let lines = 1 + random.below(3);
            engine.send(&format!("setoption name MultiPV value {lines}\nposition fen {fen}\n{begin}"));
            if random.below(3) > 0 {
                std::thread::sleep(Duration::from_micros(random.below(20_000) as u64));
            }
            engine.send(end);
            let received = engine.read_until("bestmove");
            let answer: UciMove = received.last().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
            let position: Position = fen.parse().unwrap();
            assert!(answer.to_move(&position).is_ok(), "{hash} MB, {threads} threads: {answer} in {fen}");
            if round % 16 == 15 && hash <= 256 {
                engine.send("ucinewgame");
            }
            engine.send("isready");
            let rest = engine.read_until("readyok");
            assert!(!rest.iter().any(|line| line.starts_with("bestmove")), "{begin} {end}: {rest:?}");
        }
    }
    assert!(!engine.end().iter().any(|line| line.starts_with("bestmove")));
}
