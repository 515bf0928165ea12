//! `smalt perft DEPTH`: counts the lines of legal moves of a position, on several threads if asked.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use smalt_chess::perft::{Leaves, perft};
use smalt_chess::{CastlingMode, Move, Position, UciMove};

/// What to count and how.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct PerftPlan {
    pub(super) position: Box<Position>,
    pub(super) depth: u32,
    /// Whether each first move's count is shown.
    pub(super) divide: bool,
    pub(super) leaves: Leaves,
    pub(super) threads: usize,
}

/// Counts, and writes the counts of the moves if asked, then nodes, time and speed.
pub(super) fn run(plan: &PerftPlan, out: &mut impl Write) -> io::Result<()> {
    let begun = Instant::now();
    let nodes = if plan.depth == 0 {
        1
    } else {
        let counts = count_by_move(plan);
        if plan.divide {
            let mode = CastlingMode::of(&plan.position);
            for (mv, count) in &counts {
                writeln!(out, "{}: {count}", UciMove::from_move(*mv, mode))?;
            }
        }
        counts.iter().map(|(_, count)| count).sum()
    };
    write_totals(nodes, begun.elapsed(), out)
}

fn write_totals(nodes: u64, time: Duration, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "nodes {nodes}")?;
    writeln!(out, "time {} ms", time.as_millis())?;
    writeln!(out, "nps {}", (nodes as f64 / time.as_secs_f64().max(1e-9)) as u64)
}

/// The count below each legal move. Threads share the work in pieces of two plies.
fn count_by_move(plan: &PerftPlan) -> Vec<(Move, u64)> {
    let moves = plan.position.legal_moves();
    let totals: Vec<AtomicU64> = moves.iter().map(|_| AtomicU64::new(0)).collect();
    let mut pieces = Vec::new();
    for (index, &mv) in moves.iter().enumerate() {
        let child = plan.position.after(mv);
        if plan.depth <= 2 {
            totals[index].store(perft(&child, plan.depth - 1, plan.leaves), Ordering::Relaxed);
        } else {
            pieces.extend(child.legal_moves().iter().map(|&answer| (index, child.after(answer))));
        }
    }
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..plan.threads.min(pieces.len()) {
            scope.spawn(|| {
                while let Some((index, position)) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let count = perft(position, plan.depth - 2, plan.leaves);
                    totals[*index].fetch_add(count, Ordering::Relaxed);
                }
            });
        }
    });
    moves.iter().copied().zip(totals.into_iter().map(AtomicU64::into_inner)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_threads_counts_the_same() {
        for (depth, expected) in [(0, 1), (1, 20), (2, 400), (3, 8902), (4, 197_281)] {
            for threads in [1, 3] {
                for leaves in [Leaves::Counted, Leaves::Played] {
                    let position = Box::new(Position::start());
                    let plan = PerftPlan { position, depth, divide: false, leaves, threads };
                    let mut out = Vec::new();
                    run(&plan, &mut out).unwrap();
                    let text = String::from_utf8(out).unwrap();
                    assert_eq!(text.lines().next(), Some(format!("nodes {expected}").as_str()));
                }
            }
        }
    }
}
