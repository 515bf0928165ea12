//! Speed of legal move generation compared with cozy-chess and shakmaty on the same positions. `cargo bench -p
//! smalt-chess` measures each with criterion, then the processor time of all three in turn, and prints the ratios of
//! the medians, which hold even on a busy machine whose clock speed drifts.

#![expect(clippy::print_stdout, reason = "the ratios are the result")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, SamplingMode};
use shakmaty::{CastlingMode, Chess, Position as _};
use smalt_chess::actions::{MASK_WORDS, write_legal_masks};
use smalt_chess::perft::{Leaves, perft};
use smalt_chess::{MoveList, Moves, Position};

/// The six standard perft positions, each with a depth of at least 10^8 leaf nodes.
const SIX: [(&str, &str, u32); 6] = [
    ("start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 6),
    ("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 5),
    ("endgame", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 7),
    ("promotions", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 6),
    ("tricky", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 5),
    ("middlegame", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 5),
];

use cozy_chess::Board as CozyBoard;

fn cozy_perft(board: &CozyBoard, depth: u32, leaves: Leaves) -> u64 {
    let mut nodes = 0;
    if depth == 1 && leaves == Leaves::Counted {
        board.generate_moves(|moves| {
            nodes += moves.len() as u64;
            false
        });
        return nodes;
    }
    board.generate_moves(|moves| {
        for mv in moves {
            let mut next = board.clone();
            next.play_unchecked(mv);
            if depth == 1 {
                black_box(&next);
                nodes += 1;
            } else {
                nodes += cozy_perft(&next, depth - 1, leaves);
            }
        }
        false
    });
    nodes
}

fn shakmaty_perft(position: &Chess, depth: u32, leaves: Leaves) -> u64 {
    let moves = position.legal_moves();
    if depth == 1 && leaves == Leaves::Counted {
        return moves.len() as u64;
    }
    let mut nodes = 0;
    for mv in moves {
        let mut next = position.clone();
        next.play_unchecked(mv);
        if depth == 1 {
            black_box(&next);
            nodes += 1;
        } else {
            nodes += shakmaty_perft(&next, depth - 1, leaves);
        }
    }
    nodes
}

/// A position in the types of all three libraries.
struct SamePosition {
    ours: Position,
    cozy: CozyBoard,
    shakmaty: Chess,
}

fn same_position(fen: &str) -> SamePosition {
    let parsed: shakmaty::fen::Fen = fen.parse().expect("a FEN");
    SamePosition {
        ours: Position::from_fen(fen).expect("a legal position"),
        cozy: CozyBoard::from_fen(fen, false).expect("a legal position"),
        shakmaty: parsed.into_position(CastlingMode::Standard).expect("a legal position"),
    }
}

/// 10,000 positions from random games that start from the six.
fn varied() -> Vec<SamePosition> {
    let mut seed = 0x2026_u64;
    let mut positions = Vec::new();
    for (_, fen, _) in SIX.iter().cycle() {
        let mut position = Position::from_fen(fen).expect("a legal position");
        for _ in 0..60 {
            let moves = position.legal_moves();
            if moves.is_empty() || position.halfmove_clock() > 90 {
                break;
            }
            positions.push(same_position(&position.to_fen()));
            if positions.len() == 10_000 {
                return positions;
            }
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            position.play(moves[(seed >> 33) as usize % moves.len()]);
        }
    }
    positions
}

fn our_lists(positions: &[SamePosition]) -> usize {
    let mut list = MoveList::new();
    let mut count = 0;
    for same_position in positions {
        list.clear();
        same_position.ours.generate(Moves::All, &mut list);
        count += black_box(&list).len();
    }
    count
}

fn cozy_lists(positions: &[SamePosition]) -> usize {
    let mut list: Vec<cozy_chess::Move> = Vec::with_capacity(256);
    let mut count = 0;
    for same_position in positions {
        list.clear();
        same_position.cozy.generate_moves(|moves| {
            list.extend(moves);
            false
        });
        count += black_box(&list).len();
    }
    count
}

fn shakmaty_lists(positions: &[SamePosition]) -> usize {
    positions.iter().map(|same_position| black_box(same_position.shakmaty.legal_moves()).len()).sum()
}

/// Processor time of this process where Linux provides it (a tick is a few milliseconds), else wall time.
struct Clock(Instant);

impl Clock {
    fn seconds(&self) -> f64 {
        let stat = std::fs::read_to_string("/proc/self/schedstat").ok();
        let nanoseconds = stat.and_then(|stat| stat.split(' ').next()?.parse::<f64>().ok());
        nanoseconds.map_or_else(|| self.0.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
    }
}

/// Runs the three in turn, each `repeats` times in a row; returns the median time of each.
fn in_turn(rounds: usize, repeats: usize, mut run: [&mut dyn FnMut() -> u64; 3]) -> [f64; 3] {
    let clock = Clock(Instant::now());
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..rounds {
        let counts: Vec<u64> = run
            .iter_mut()
            .zip(&mut times)
            .map(|(run, times)| {
                let start = clock.seconds();
                let count = (0..repeats).fold(0, |_, _| black_box(run()));
                times.push((clock.seconds() - start) / repeats as f64);
                count
            })
            .collect();
        assert!(counts.iter().all(|&count| count == counts[0]), "the generators disagree: {counts:?}");
    }
    times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    })
}

fn report(name: &str, count: f64, [ours, cozy, shakmaty]: [f64; 3]) {
    println!(
        "{name:<24} {:>8.1} M/s  cozy-chess {:>8.1}  shakmaty {:>8.1}  ratios {:.2} {:.2}",
        count / ours / 1e6,
        count / cozy / 1e6,
        count / shakmaty / 1e6,
        cozy / ours,
        shakmaty / ours,
    );
}

fn ratios_of_perft(leaves: Leaves, less_depth: u32, rounds: usize) {
    let mut product = [1.0_f64; 2];
    for (name, fen, depth) in SIX {
        let same_position = same_position(fen);
        let depth = depth - less_depth;
        let nodes = perft(&same_position.ours, depth, leaves) as f64;
        let times = in_turn(
            rounds,
            4,
            [
                &mut || perft(&same_position.ours, depth, leaves),
                &mut || cozy_perft(&same_position.cozy, depth, leaves),
                &mut || shakmaty_perft(&same_position.shakmaty, depth, leaves),
            ],
        );
        report(&format!("perft {leaves:?} {name}").to_lowercase(), nodes, times);
        product[0] *= times[1] / times[0];
        product[1] *= times[2] / times[0];
    }
    let [cozy, shakmaty] = product.map(|product| product.powf(1.0 / 6.0));
    println!("geometric mean, leaves {leaves:?}: {cozy:.2} times cozy-chess, {shakmaty:.2} times shakmaty\n");
}

fn ratios_of_lists(positions: &[SamePosition]) {
    let moves = our_lists(positions) as f64;
    let times = in_turn(
        11,
        50,
        [&mut || our_lists(positions) as u64, &mut || cozy_lists(positions) as u64, &mut || {
            shakmaty_lists(positions) as u64
        }],
    );
    report("lists of 10,000 positions", moves, times);
}

/// Positions a second whose masks are written, one thread. The masks of a batch of 1,000 stay in the cache.
fn speed_of_masks(positions: &[SamePosition]) {
    let positions: Vec<Position> = positions.iter().map(|same_position| same_position.ours).collect();
    let mut masks = vec![[0; MASK_WORDS]; 1000];
    let clock = Clock(Instant::now());
    let start = clock.seconds();
    for _ in 0..100 {
        for batch in positions.chunks_exact(masks.len()) {
            write_legal_masks(batch, &mut masks);
            black_box(&masks);
        }
    }
    println!(
        "masks of legal actions    {:>7.1} M/s",
        100.0 * positions.len() as f64 / (clock.seconds() - start) / 1e6
    );
}

fn criterion_groups(criterion: &mut Criterion, positions: &[SamePosition]) {
    let mut group = criterion.benchmark_group("perft of kiwipete, depth 4");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    let kiwipete = same_position(SIX[1].1);
    for leaves in [Leaves::Counted, Leaves::Played] {
        group.bench_function(format!("smalt {leaves:?}"), |b| b.iter(|| perft(&kiwipete.ours, 4, leaves)));
        group.bench_function(format!("cozy-chess {leaves:?}"), |b| {
            b.iter(|| cozy_perft(&kiwipete.cozy, 4, leaves))
        });
        group.bench_function(format!("shakmaty {leaves:?}"), |b| {
            b.iter(|| shakmaty_perft(&kiwipete.shakmaty, 4, leaves))
        });
    }
    group.finish();
    let mut group = criterion.benchmark_group("legal moves of 10,000 positions");
    group.sample_size(20);
    group.bench_function("smalt", |b| b.iter(|| our_lists(positions)));
    group.bench_function("cozy-chess", |b| b.iter(|| cozy_lists(positions)));
    group.bench_function("shakmaty", |b| b.iter(|| shakmaty_lists(positions)));
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    let positions = varied();
    criterion_groups(&mut criterion, &positions);
    criterion.final_summary();
    // `cargo test --benches` only checks that it runs.
    if !std::env::args().any(|argument| argument == "--test") {
        println!();
        ratios_of_perft(Leaves::Counted, 0, 3);
        ratios_of_perft(Leaves::Played, 1, 7);
        ratios_of_lists(&positions);
        speed_of_masks(&positions);
    }
}
