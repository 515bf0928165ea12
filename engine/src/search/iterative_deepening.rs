//! Iterative deepening with aspiration windows and MultiPV, and the decision to start another iteration.

use std::sync::atomic::Ordering::Relaxed;

use smalt_chess::Position;
use smalt_protocol::Bound;

use super::Limits;
use super::node_type::NodeType;
use super::params::PARAMETERS as P;
use super::score::{INFINITE, MATE, MAX_PLY, is_decided, is_mate};
use super::time::SearchStability;
use super::worker::{RootMove, Worker};
use crate::node_clock::node_time;

/// Results of the iterations so far, for time management.
#[derive(Default)]
struct IterationHistory {
    stable_iterations: u32,
    /// Score of each iteration, latest last.
    scores: Vec<i32>,
}

impl Worker<'_> {
    /// Iterative deepening until a limit is reached or the search is stopped. Calls `report` after each iteration, an
    /// aborted one included.
    pub(super) fn iterative_deepening(
        &mut self,
        position: &Position,
        limits: &Limits,
        report: &mut dyn FnMut(&Worker<'_>),
    ) {
        let lines = limits.lines.clamp(1, self.root.len());
        let mut iterations = IterationHistory::default();
        let deepest = limits.depth.min(MAX_PLY as i32 - 1);
        for depth in self.first_depth().min(deepest)..=deepest {
            let best_before = self.root[0].mv;
            for root_move in &mut self.root {
                root_move.previous = root_move.score;
                root_move.score = -INFINITE;
            }
            for line in 0..lines {
                self.line = line;
                self.selective_depth = 0;
                self.aspiration_search(position, depth);
                self.sort_from(0);
                if self.stopped {
                    break;
                }
            }
            self.publish_nodes();
            if !self.stopped {
                self.completed_depth = depth;
            }
            report(self);
            if self.stopped || self.is_limit_reached(limits, depth) {
                break;
            }
            let is_same = best_before == self.root[0].mv;
            iterations.stable_iterations = if is_same { iterations.stable_iterations + 1 } else { 0 };
            iterations.scores.push(self.root[0].score);
            if self.is_first() {
                // Time is free while pondering: search on, since a later iteration may change the decision.
                let stop_on_ponderhit = !self.allows_next_iteration(limits, depth, &iterations);
                self.shared.stop_on_ponderhit.store(stop_on_ponderhit, Relaxed);
                if stop_on_ponderhit && !self.shared.control.is_pondering() {
                    break;
                }
            }
        }
        if self.is_first() {
            self.shared.finished.store(true, Relaxed);
        }
    }

    /// Aspiration windows: searches the root for the current line, with a window around its last score that widens
    /// until the score is inside.
    fn aspiration_search(&mut self, position: &Position, depth: i32) {
        let guess = self.root[self.line].previous;
        let mut width = P.aspiration_window();
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if depth >= P.aspiration_depth() && !is_decided(guess) {
            (alpha, beta) = (guess - width, guess + width);
        }
        let mut searched = depth;
        loop {
            let score = self.search::<true>(position, alpha, beta, searched.max(1), 0, NodeType::All);
            self.sort_from(self.line);
            if self.stopped {
                // A move that was not searched yet may avoid the loss after the best one so far.
                let best = &mut self.root[self.line];
                let is_known = best.previous > -INFINITE && best.previous <= best.score;
                if best.score < 0 && is_decided(best.score) && best.bound == Bound::Exact && !is_known {
                    best.bound = Bound::Lower;
                }
                return;
            }
            if score <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (score - width).max(-INFINITE);
                searched = depth;
            } else if score >= beta {
                beta = (score + width).min(INFINITE);
                if !self.shared.seeks_mate {
                    searched = (searched - 1).max(depth - P.aspiration_less_deep_max());
                }
            } else {
                return;
            }
            width += width * P.aspiration_growth() / 100;
            if width > P.aspiration_max() || is_decided(score) {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    /// Sorts the root moves from this index on: by tablebase rank, then by the score of this iteration, then of the
    /// last one.
    fn sort_from(&mut self, from: usize) {
        let rank = |root_move: &RootMove| (root_move.rank, root_move.score, root_move.previous);
        self.root[from..].sort_by_key(|root_move| std::cmp::Reverse(rank(root_move)));
    }

    /// Whether more than one root move has the best tablebase rank.
    fn has_choice(&self) -> bool {
        self.root.get(1).is_some_and(|second| second.rank == self.root[0].rank)
    }

    fn is_limit_reached(&self, limits: &Limits, depth: i32) -> bool {
        let Some(moves) = limits.mate else { return false };
        let moves = i32::try_from(moves).unwrap_or(i32::MAX / 8).min(MAX_PLY as i32);
        let score = self.root[0].score;
        let is_found = is_mate(score) && MATE - score.abs() < 2 * moves + i32::from(score < 0);
        is_found || depth >= 2 * moves
    }

    /// Whether another iteration fits the time budget and may still change the move. With a time or node limit, a mate
    /// is final once the depth is twice its distance. Pondering time counts like our own.
    fn allows_next_iteration(&self, limits: &Limits, depth: i32, iterations: &IterationHistory) -> bool {
        let shared = self.shared;
        let elapsed = match limits.nodes_per_ms {
            Some(rate) => node_time(shared.total_nodes(), rate),
            None => shared.control.elapsed(),
        };
        let best = &self.root[0];
        let has_limit = shared.node_limit.is_some() || shared.time_budget.hard.is_some();
        if has_limit && is_mate(best.score) && depth > 2 * (MATE - best.score.abs()) {
            return false;
        }
        if shared.time_budget.soft.is_none() {
            return true;
        }
        if !self.has_choice() {
            return false;
        }
        let earlier = iterations.scores.iter().rev().nth(3).or(iterations.scores.first());
        let stability = SearchStability {
            stable_iterations: iterations.stable_iterations,
            node_share: best.nodes as f64 / self.nodes.max(1) as f64,
            score_drop: earlier.map_or(0, |earlier| earlier - best.score),
        };
        shared.time_budget.allows_iteration(elapsed, stability)
    }
}
