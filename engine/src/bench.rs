//! Benchmark over fixed positions. Its node count is the signature of the search, deterministic with one thread.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use smalt_chess::Position;

use crate::evaluation::Parameters;
use crate::search::{
    ClockState, Limits, SearchContext, SearchControl, Task, ThreadData, TranspositionTable, search,
};

/// Depth, threads and hash size of a bench.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BenchPlan {
    /// Depth in plies.
    pub depth: i32,
    /// Threads; with more than one the node count varies.
    pub threads: usize,
    /// Hash size in megabytes.
    pub hash: usize,
}

impl Default for BenchPlan {
    fn default() -> BenchPlan {
        BenchPlan { depth: 14, threads: 1, hash: 16 }
    }
}

/// Result of a bench.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BenchResult {
    pub nodes: u64,
    pub time: Duration,
}

impl BenchResult {
    pub fn speed(&self) -> u64 {
        per_second(self.nodes, self.time)
    }
}

impl fmt::Display for BenchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "build {}", smalt_about::BUILD)?;
        writeln!(f, "time {} ms", self.time.as_millis())?;
        write!(f, "{} nodes {} nps", self.nodes, self.speed())
    }
}

/// Rate per second, rounded down; zero time counts as a nanosecond.
pub(crate) fn per_second(count: u64, time: Duration) -> u64 {
    let rate = u128::from(count) * 1_000_000_000 / time.as_nanos().max(1);
    u64::try_from(rate).unwrap_or(u64::MAX)
}

/// Not enough memory for a bench.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no memory for a bench with a hash table of {hash} MB and {threads} threads")]
pub struct NoBenchMemoryError {
    hash: usize,
    threads: usize,
}

/// Searches every position as a new game.
///
/// # Errors
/// If there is not enough memory for the hash table and the threads.
pub fn run(plan: BenchPlan) -> Result<BenchResult, NoBenchMemoryError> {
    let no_memory = NoBenchMemoryError { hash: plan.hash, threads: plan.threads };
    let table = TranspositionTable::try_new(plan.hash).ok_or(no_memory)?;
    let parameters = Arc::new(Parameters::embedded().clone());
    let new_data = || ThreadData::try_new(Arc::clone(&parameters)).ok_or(no_memory);
    let mut threads =
        std::iter::repeat_with(new_data).take(plan.threads.max(1)).collect::<Result<Vec<_>, _>>()?;
    let mut result = BenchResult::default();
    for fen in POSITIONS {
        let position: Position = fen.parse().expect("the positions of the bench are legal");
        table.clear(plan.threads);
        threads.iter_mut().for_each(ThreadData::clear);
        let moves = position.legal_moves().to_vec();
        let task = Task { position, history: Vec::new(), moves };
        let control = SearchControl::new(ClockState::Running);
        let context =
            SearchContext { table: &table, threads: &mut threads, probing: None, control: &control };
        let end = search(&task, &Limits::depth(plan.depth), context, &mut |_| {});
        result.nodes += end.nodes;
        result.time += end.time;
    }
    Ok(result)
}

/// Start position, kiwipete, positions of all game phases from our own engine games, and a Chess960 position.
const POSITIONS: [&str; 41] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "rnbq3r/bp3kp1/p3p3/3p4/2PP4/P3P1pP/1B1N1P2/2RQK1NR w K - 0 15",
    "r4rk1/1p1nbppp/1qb1p3/nNp5/P1P5/RpBPQNP1/5PBP/5RK1 b - - 4 18",
    "2k1r3/1p6/2p3qp/p3n3/4pR2/1P2P3/PBPPQ1PP/6K1 w - - 2 23",
    "2r3k1/1p4qp/p3bp2/4Bp2/4p2Q/1PP2PPP/P5B1/3R2K1 b - - 0 26",
    "6k1/pB3ppb/7p/1r3PbP/1P3NP1/8/P7/3R3K w - - 1 31",
    "8/1p3p2/1q3k1p/4pBp1/1P1r2P1/2Q1N3/2R2P1P/6K1 b - - 6 34",
    "1r1q1rk1/1p1b1p1p/3p2p1/PR1B4/2P1P3/5N2/5Q1P/R6K w - - 1 40",
    "1r6/1P2rRp1/3k2P1/8/2Bp2K1/P2P4/1P6/8 w - - 5 50",
    "8/5N1p/8/2k2p2/8/r7/5K2/8 b - - 1 62",
    "8/8/1n6/4K3/p1k5/P1p5/8/2R5 b - - 5 69",
    "rn1q1rk1/1p3ppb/2pbpn1p/p2p4/2P2P2/1P3NP1/PBNPP1BP/R2Q1RK1 w - - 3 11",
    "r4rk1/1pqb1ppp/p1n1p3/2Pp4/4n3/4PNP1/PP1B1PBP/2RQ1RK1 b - - 0 14",
    "r6r/p2k1pp1/2pb1n1p/qp2Q3/N2P3P/P1P2Pn1/1P4P1/R1B2RK1 w - - 1 19",
    "r2b2k1/2p5/2p1pp1p/p1Pp1P1n/P2P1p2/1rN2PPP/6B1/2R2RK1 b - - 0 22",
    "rn4k1/q3p1r1/1p2Np1R/3P1Q2/p7/P3B2P/1P3PP1/4R1K1 w - - 1 27",
    "2k3rr/pp1bbp2/8/2pPp3/2P4q/1P1P3p/PB2QR2/R5NK b - - 3 30",
    "8/4bk2/p3p3/2p1R1p1/P7/1rB3P1/1P3P2/6K1 b - - 3 39",
    "3k4/3b4/1bp5/p2pP1pp/P2P4/1N2KP2/6Pr/2R5 w - - 2 45",
    "Q7/5ppk/4b2p/8/3P4/2p3PP/4q1BK/8 b - - 0 49",
    "rn1qkb1r/1p3pp1/2p1pn1p/3p1b2/2PP4/pPB2NP1/P2NPPBP/R2Q1RK1 b kq - 1 10",
    "r1bq1rk1/1p1n1pb1/p1p1p1pp/2P5/3PN3/PQ3NP1/1P3PBP/R4RK1 w - - 1 15",
    "r4rk1/p3qppp/2p5/1pp1P3/8/1PnPQNPb/P1P4P/RN2R1K1 b - - 2 18",
    "r5k1/5pp1/3p3p/2p4n/4P3/Pr3P2/5KPP/R4B1R w - - 0 23",
    "r5k1/5ppp/1p1N4/p1p2Pq1/P3Q3/1N5n/1Pn3PP/R2R1K2 b - - 0 26",
    "8/rp1Np1kp/p2n1bp1/P4p2/4n1qP/4PN2/2RBBPP1/3Q2K1 w - - 6 31",
    "r3nrk1/3bqp2/6p1/1pp1PN1p/8/3P2QP/1BP2R1K/6RB b - - 0 34",
    "3n4/1p2k3/5p2/1R2pp1p/7P/3BP1P1/P1r2PK1/8 b - - 5 44",
    "8/7k/1R2N2p/6p1/6P1/3n3P/7K/8 w - - 0 50",
    "r3kb1r/pp2pppp/2nq4/1Bp1Nb2/5PP1/8/PPPn3P/R1BQK2R w KQkq - 0 11",
    "r3k2r/p2pnppp/b1p1p1q1/2Q1P3/2P5/6P1/P3NPBP/R1B2RK1 b kq - 0 14",
    "r2q1rk1/1p2p2p/2b2bp1/2Pp1p2/p1nP4/BQ2PN2/P3BPPP/1R3RK1 w - - 0 19",
    "r3k2r/pp3pp1/3p1b2/q1p1p3/P3PnR1/1PPP1Q1P/1B3P2/R3KB2 b Qq - 0 22",
    "2r3k1/2q2pp1/2nb3p/2Nnp3/Qp6/3P1N1P/1P1B1PP1/2R3K1 w - - 2 27",
    "r2r2k1/1p3p2/2p3pp/n1P1p3/R3B1P1/P1PR3P/2P2P2/6K1 b - - 2 30",
    "2r5/1br3pk/p1n1p2p/2Rp1p1q/1P3P1B/P1Q1PN1P/6PK/2R5 w - - 3 35",
    "8/5ppk/p2Qp1b1/8/P3P2p/5P1P/5qPK/8 b - - 1 39",
    "8/8/3k2p1/2n1p1p1/p1P1P2p/2N2P2/2K3P1/8 w - - 2 45",
    "6k1/1Rq2pp1/2P1p2p/3r4/2R2P1P/3r4/5QPK/8 b - - 4 49",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
];
