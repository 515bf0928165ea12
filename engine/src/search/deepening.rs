//! Iterative deepening: one depth after the other, each line with a window around its last score.

use std::sync::atomic::Ordering::Relaxed;

use smalt_chess::Position;

use super::Goal;
use super::node::Expected;
use super::params::PARAMETERS as P;
use super::score::{INFINITE, MATE, MAX_PLY, is_decided, is_mate};
use super::time::Clarity;
use super::worker::{RootMove, Worker};

/// What the iterations have shown so far.
#[derive(Default)]
struct Course {
    stable_iterations: u32,
    /// Scores of the iterations, the last one at the end.
    scores: Vec<i32>,
}

impl Worker<'_> {
    /// Searches deeper and deeper until told to stop, or the goal is reached. After each iteration, and at the end
    /// where one was broken off, `report` is called with the worker.
    pub(super) fn deepen(&mut self, position: &Position, goal: &Goal, report: &mut dyn FnMut(&Worker<'_>)) {
        let lines = goal.lines.clamp(1, self.root.len());
        let mut course = Course::default();
        let deepest = goal.depth.min(MAX_PLY as i32 - 1);
        for depth in self.first_depth().min(deepest)..=deepest {
            let best_before = self.root[0].mv;
            for root_move in &mut self.root {
                root_move.previous = root_move.score;
                root_move.score = -INFINITE;
            }
            for line in 0..lines {
                self.line = line;
                self.selective_depth = 0;
                self.search_line(position, depth);
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
            if self.stopped || self.is_goal_reached(goal, depth) {
                break;
            }
            let is_same = best_before == self.root[0].mv;
            course.stable_iterations = if is_same { course.stable_iterations + 1 } else { 0 };
            course.scores.push(self.root[0].score);
            if self.is_first() {
                // The opponent's time costs nothing, so while it runs the search goes on; the choice may become unclear again.
                let is_ripe = !self.has_time(depth, &course);
                self.shared.is_ripe.store(is_ripe, Relaxed);
                if is_ripe && !self.shared.signals.is_pondering() {
                    break;
                }
            }
        }
        if self.is_first() {
            self.shared.finished.store(true, Relaxed);
        }
    }

    /// Searches the root for its next line, with a window that opens until the score falls into it.
    fn search_line(&mut self, position: &Position, depth: i32) {
        let guess = self.root[self.line].previous;
        let mut width = P.aspiration_window();
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if depth >= P.aspiration_depth() && !is_decided(guess) {
            (alpha, beta) = (guess - width, guess + width);
        }
        let mut searched = depth;
        loop {
            let score = self.search::<true>(position, alpha, beta, searched.max(1), 0, Expected::All);
            self.sort_from(self.line);
            if self.stopped {
                return;
            }
            if score <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (score - width).max(-INFINITE);
                searched = depth;
            } else if score >= beta {
                beta = (score + width).min(INFINITE);
                if !self.shared.seeks_mate {
                    searched = (searched - 1).max(depth - P.aspiration_less_deep_most());
                }
            } else {
                return;
            }
            width += width * P.aspiration_growth() / 100;
            if width > P.aspiration_most() || is_decided(score) {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    /// Puts the root moves from this index on in order: those that this iteration has scored, then the others
    /// as the iteration before had them; what endgame tables say comes before all of that.
    fn sort_from(&mut self, from: usize) {
        let rank = |root_move: &RootMove| (root_move.rank, root_move.score, root_move.previous);
        self.root[from..].sort_by_key(|root_move| std::cmp::Reverse(rank(root_move)));
    }

    /// Whether there is more than one move to play, as far as endgame tables leave the choice.
    fn has_choice(&self) -> bool {
        self.root.get(1).is_some_and(|second| second.rank == self.root[0].rank)
    }

    fn is_goal_reached(&self, goal: &Goal, depth: i32) -> bool {
        let Some(moves) = goal.mate else { return false };
        let moves = i32::try_from(moves).unwrap_or(i32::MAX / 8).min(MAX_PLY as i32);
        let score = self.root[0].score;
        let is_found = is_mate(score) && MATE - score.abs() < 2 * moves + i32::from(score < 0);
        is_found || depth >= 2 * moves
    }

    /// Whether the clock allows another iteration, and it may still change the move: a mate that was looked for twice as
    /// deep as it is far is the nearest, and only who sets no limit of time or nodes wants to hear of it on and on. Time
    /// spent pondering counts like the own: the work is done.
    fn has_time(&self, depth: i32, course: &Course) -> bool {
        let shared = self.shared;
        let elapsed = shared.signals.elapsed();
        let best = &self.root[0];
        let has_limit = shared.node_limit.is_some() || shared.allotment.hard.is_some();
        if has_limit && is_mate(best.score) && depth > 2 * (MATE - best.score.abs()) {
            return false;
        }
        if shared.allotment.soft.is_none() {
            return true;
        }
        if !self.has_choice() {
            return false;
        }
        let earlier = course.scores.iter().rev().nth(3).or(course.scores.first());
        let clarity = Clarity {
            stable_iterations: course.stable_iterations,
            node_share: best.nodes as f64 / self.nodes.max(1) as f64,
            score_drop: earlier.map_or(0, |earlier| earlier - best.score),
        };
        shared.allotment.allows_iteration(elapsed, clarity)
    }
}
