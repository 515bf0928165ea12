//! Updates after a node: history bonuses and maluses, correction history, and the scores of root moves.

use smalt_chess::{Move, Position};
use smalt_protocol::Bound;

use super::check_info::CheckInfo;
use super::endings::lone_side;
use super::histories::{CONTINUATION_PLIES, Context, PieceTo, bonus, malus};
use super::node_pruning::StaticEval;
use super::params::PARAMETERS as P;
use super::score::{INFINITE, NO_SCORE, is_decided};
use super::worker::{Frame, Worker};

impl Worker<'_> {
    /// Whether the root searches the move for the current line of MultiPV.
    pub(super) fn is_root_move(&self, mv: Move) -> bool {
        let candidates = &self.root[self.line..];
        candidates.iter().any(|root_move| root_move.mv == mv && root_move.rank == candidates[0].rank)
    }

    /// Records score, bound, nodes and PV of a root move.
    pub(super) fn update_root_move(
        &mut self,
        mv: Move,
        score: i32,
        number: usize,
        (alpha, beta): (i32, i32),
        nodes_before: u64,
    ) {
        let (nodes, selective_depth) = (self.nodes - nodes_before, self.selective_depth);
        let line = self.line;
        let below = self.frame(1).pv.clone();
        let Some(root_move) = self.root[line..].iter_mut().find(|root_move| root_move.mv == mv) else {
            return;
        };
        root_move.nodes += nodes;
        if number == 1 || score > alpha {
            root_move.score = score;
            root_move.bound = match score {
                _ if score <= alpha => Bound::Upper,
                _ if score >= beta => Bound::Lower,
                _ => Bound::Exact,
            };
            root_move.selective_depth = selective_depth;
            root_move.pv.truncate(1);
            root_move.pv.extend(below);
        } else {
            root_move.score = -INFINITE;
        }
    }

    /// Bonus for the move that failed high, malus for the moves searched before it; updates the killer moves.
    // Not inlined: one copy for all nodes.
    #[inline(never)]
    pub(super) fn update_histories(
        &mut self,
        check_info: &CheckInfo<'_>,
        mv: Move,
        depth: i32,
        ply: usize,
        context: Context,
        tried: &[Move],
    ) {
        let position = check_info.position;
        let (bonus, malus) = (bonus(depth), malus(depth));
        if mv.is_quiet() {
            let killers = &mut self.frame(ply).killers;
            if killers[0] != Some(mv) {
                *killers = [Some(mv), killers[0]];
            }
            let mut update_quiet = |mv, by| {
                self.histories.update_quiet(
                    context,
                    mv,
                    PieceTo::of(position, mv),
                    check_info.threat_index(mv),
                    by,
                );
            };
            update_quiet(mv, bonus);
            tried.iter().filter(|mv| mv.is_quiet()).for_each(|&quiet| update_quiet(quiet, malus));
        } else if let Some(role) = position.captured_role(mv) {
            self.histories.update_capture(PieceTo::of(position, mv), role, bonus);
        }
        for &capture in tried {
            if let Some(role) = position.captured_role(capture) {
                self.histories.update_capture(PieceTo::of(position, capture), role, malus);
            }
        }
    }

    /// Bonus for the previous quiet move after a fail low.
    // Not inlined: one copy for all nodes.
    #[inline(never)]
    pub(super) fn update_previous_quiet(&mut self, position: &Position, depth: i32, ply: usize) {
        let &Frame { quiet: Some((mv, threat_index)), made, .. } = self.earlier(ply, 1) else { return };
        let before = CONTINUATION_PLIES.map(|plies| self.earlier(ply, plies + 1).made);
        let in_check = self.earlier(ply, 1).evaluation == NO_SCORE;
        let context = Context { turn: !position.turn(), pawn_key: position.pawn_key(), before, in_check };
        let by = bonus(depth) * P.history_prior_quiet_share() / 1024;
        self.histories.update_main_and_continuation(context, mv, made, threat_index, by);
    }

    /// Updates the correction histories when the search score contradicts the static evaluation.
    pub(super) fn update_correction_history(
        &mut self,
        position: &Position,
        depth: i32,
        ply: usize,
        eval: &StaticEval,
        (best, best_move): (i32, Option<Move>),
        bound: Bound,
    ) {
        let is_quiet = best_move.is_none_or(Move::is_quiet);
        let contradicts_eval = match bound {
            Bound::Exact => true,
            Bound::Lower => best > eval.evaluation,
            Bound::Upper => best < eval.evaluation,
        };
        let is_known = lone_side(position).is_some();
        if eval.evaluation != NO_SCORE && is_quiet && contradicts_eval && !is_decided(best) && !is_known {
            let previous_moves = self.previous_moves(ply);
            self.corrections.update(position, previous_moves, depth, best - eval.evaluation);
        }
    }
}
