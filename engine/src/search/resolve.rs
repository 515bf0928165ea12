//! Positions brought to rest: where the quiescence search ends when both sides play their best. For tools that want
//! the evaluation of quiet positions only; the search itself does not use it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use smalt_chess::Position;

use super::score::INFINITE;
use super::worker::{Root, Shared, Worker};
use super::{Allotment, ClockState, Memory, Signals, TranspositionTable};
use crate::evaluation::Parameters;

/// Nodes after which a position counts as one that does not come to rest.
const NODE_LIMIT: u64 = 20_000;

/// Brings positions to rest, one after the other; each is judged as if it were the first.
pub struct Resolver {
    table: TranspositionTable,
    memory: Memory,
}

impl Resolver {
    /// A resolver that evaluates with these weights.
    pub fn new(parameters: Arc<Parameters>) -> Resolver {
        Resolver { table: TranspositionTable::new(1), memory: Memory::new(parameters) }
    }

    /// The position at the end of the best line of captures and evasions: the position itself if it is quiet. `None`
    /// if that line ends in check or the game is over there, or if none was found within a few thousand nodes.
    pub fn quiet_leaf(&mut self, position: &Position) -> Option<Position> {
        self.table.clear(1);
        let signals = Signals::new(ClockState::Running);
        let shared = Shared {
            table: &self.table,
            signals: &signals,
            allotment: Allotment::default(),
            node_limit: Some(NODE_LIMIT),
            seeks_mate: false,
            nodes: vec![AtomicU64::new(0)],
            probing: None,
            table_hits: AtomicU64::new(0),
            finished: AtomicBool::new(false),
            is_ripe: AtomicBool::new(false),
        };
        let root = Root { position, history: &[], moves: &[], ranks: &[] };
        let mut worker = Worker::new(&shared, &mut self.memory, 0, &root);
        worker.quiesce::<true>(position, -INFINITE, INFINITE, 0);
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
