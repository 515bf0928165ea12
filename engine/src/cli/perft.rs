//! `smalt perft DEPTH`: perft of a position, optionally with several threads and a hash table.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread::Builder;
use std::time::{Duration, Instant};

use smalt_chess::perft::{Leaves, PerftTable, perft};
use smalt_chess::{CastlingMode, Move, Position, UciMove};

use super::CommandError;

/// What to count and how.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct PerftPlan {
    pub(super) position: Box<Position>,
    pub(super) depth: u32,
    /// Whether to show the count of each first move.
    pub(super) divide: bool,
    pub(super) leaves: Leaves,
    pub(super) resources: PerftResources,
}

/// Resources of a count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PerftResources {
    pub(super) threads: usize,
    /// Hash table size in MiB; 0 for none.
    pub(super) hash: usize,
}

/// Counts on several threads that share a hash table.
pub(super) struct PerftCounter {
    threads: usize,
    table: Option<PerftTable>,
}

impl PerftCounter {
    pub(super) fn new(
        PerftResources { threads, hash }: PerftResources,
    ) -> Result<PerftCounter, CommandError> {
        let table = if hash == 0 {
            None
        } else {
            Some(PerftTable::try_new(hash).ok_or(CommandError::PerftMemory { hash })?)
        };
        Ok(PerftCounter { threads, table })
    }

    /// The count of a position.
    pub(super) fn count(&self, position: &Position, depth: u32, leaves: Leaves) -> u64 {
        if depth == 0 {
            return 1;
        }
        self.count_by_move(position, depth, leaves).iter().map(|(_, count)| count).sum()
    }

    /// The count after each legal move. Threads share the work in units of two plies.
    fn count_by_move(&self, position: &Position, depth: u32, leaves: Leaves) -> Vec<(Move, u64)> {
        let count = |position: &Position, depth: u32| match &self.table {
            Some(table) if leaves == Leaves::Counted => table.perft(position, depth),
            _ => perft(position, depth, leaves),
        };
        let moves = position.legal_moves();
        let totals: Vec<AtomicU64> = moves.iter().map(|_| AtomicU64::new(0)).collect();
        let mut pieces = Vec::new();
        for (index, &mv) in moves.iter().enumerate() {
            let child = position.after(mv);
            if depth <= 2 || self.threads == 1 {
                totals[index].store(count(&child, depth - 1), Ordering::Relaxed);
            } else {
                pieces.extend(child.legal_moves().iter().map(|&answer| (index, child.after(answer))));
            }
        }
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            let work = || {
                while let Some((index, position)) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
                    totals[*index].fetch_add(count(position, depth - 2), Ordering::Relaxed);
                }
            };
            // The system may refuse further threads; the ones there are do all the work.
            for _ in 1..self.threads.min(pieces.len()) {
                if Builder::new().spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            work();
        });
        moves.iter().copied().zip(totals.into_iter().map(AtomicU64::into_inner)).collect()
    }
}

/// Counts, and writes the counts of the moves if requested, then nodes, time and speed.
pub(super) fn run(plan: &PerftPlan, out: &mut impl Write) -> Result<(), CommandError> {
    let counter = PerftCounter::new(plan.resources)?;
    let begun = Instant::now();
    let nodes = if plan.depth == 0 {
        1
    } else {
        let counts = counter.count_by_move(&plan.position, plan.depth, plan.leaves);
        if plan.divide {
            let mode = CastlingMode::of(&plan.position);
            for (mv, count) in &counts {
                writeln!(out, "{}: {count}", UciMove::from_move(*mv, mode))?;
            }
        }
        counts.iter().map(|(_, count)| count).sum()
    };
    Ok(write_totals(nodes, begun.elapsed(), out)?)
}

fn write_totals(nodes: u64, time: Duration, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "nodes {nodes}")?;
    writeln!(out, "time {} ms", time.as_millis())?;
    writeln!(out, "nps {}", (nodes as f64 / time.as_secs_f64().max(1e-9)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_and_a_hash_table_count_the_same() {
        for (depth, expected) in [(0, 1), (1, 20), (2, 400), (3, 8902), (4, 197_281)] {
            for threads in [1, 3] {
                for (leaves, hash) in [(Leaves::Counted, 0), (Leaves::Counted, 1), (Leaves::Played, 1)] {
                    let position = Box::new(Position::start());
                    let resources = PerftResources { threads, hash };
                    let plan = PerftPlan { position, depth, divide: false, leaves, resources };
                    let mut out = Vec::new();
                    run(&plan, &mut out).unwrap();
                    let text = String::from_utf8(out).unwrap();
                    assert_eq!(text.lines().next(), Some(format!("nodes {expected}").as_str()));
                }
            }
        }
    }
}
