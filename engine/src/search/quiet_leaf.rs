//! Resolves a position to the quiet leaf of its quiescence search, for the tuner. The search does not use it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use smalt_chess::Position;

use super::score::INFINITE;
use super::worker::{Root, Shared, Worker};
use super::{ClockState, SearchControl, ThreadData, TimeBudget, TranspositionTable};
use crate::evaluation::Parameters;

/// Node limit; a position that exceeds it has no quiet leaf.
const NODE_LIMIT: u64 = 20_000;

/// Finds quiet leaves. Every position is searched with empty tables, so the order of calls does not matter.
pub struct Resolver {
    table: TranspositionTable,
    thread_data: ThreadData,
}

impl Resolver {
    /// A resolver with these evaluation weights.
    pub fn new(parameters: Arc<Parameters>) -> Resolver {
        Resolver { table: TranspositionTable::new(1), thread_data: ThreadData::new(parameters) }
    }

    /// The position at the end of the quiescence search's principal variation: the position itself if it is quiet.
    /// `None` if that leaf is in check or the game is over there, or if the node limit is exceeded.
    pub fn quiet_leaf(&mut self, position: &Position) -> Option<Position> {
        self.table.clear(1);
        let control = SearchControl::new(ClockState::Running);
        let shared = Shared {
            table: &self.table,
            control: &control,
            time_budget: TimeBudget::default(),
            node_limit: Some(NODE_LIMIT),
            seeks_mate: false,
            nodes: vec![AtomicU64::new(0)],
            probing: None,
            tbhits: AtomicU64::new(0),
            finished: AtomicBool::new(false),
            stop_on_ponderhit: AtomicBool::new(false),
        };
        let root = Root { position, history: &[], moves: &[], ranks: &[] };
        let mut worker = Worker::new(&shared, &mut self.thread_data, 0, &root);
        worker.qsearch::<true>(position, -INFINITE, INFINITE, 0);
        if worker.stopped {
            return None;
        }
        let mut leaf = *position;
        for &mv in &worker.frame(0).pv {
            leaf.play(mv);
        }
        (!leaf.is_check() && leaf.ending().is_none()).then_some(leaf)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(fen: &str, leaf: Option<&str>) {
        let mut resolver = Resolver::new(Arc::new(Parameters::embedded().clone()));
        let position = Position::from_fen(fen).unwrap();
        for _ in 0..2 {
            assert_eq!(resolver.quiet_leaf(&position).map(|leaf| leaf.to_fen()).as_deref(), leaf);
        }
    }

    #[test]
    fn quiet_positions_stay_and_hanging_pieces_are_taken() {
        let quiet = "4k3/pp6/8/8/8/8/PP6/4K3 w - - 0 1";
        check(quiet, Some(quiet));
        check("4k3/pp6/8/3q4/4P3/8/PP6/4K3 w - - 0 1", Some("4k3/pp6/8/3P4/8/8/PP6/4K3 b - - 0 1"));
    }

    #[test]
    fn a_finished_game_has_no_quiet_leaf() {
        check("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", None);
    }
}
