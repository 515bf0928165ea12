//! Static evaluation of a node and the pruning of a whole node before its move loop: hindsight adjustment, reverse
//! futility pruning, razoring, null move pruning and ProbCut.

use smalt_chess::Position;
use smalt_protocol::Bound;

use super::check_info::CheckInfo;
use super::histories::{PieceTo, ThreatIndex};
use super::move_picker::PickMode;
use super::node_type::NodeType;
use super::params::PARAMETERS as P;
use super::score::{NO_SCORE, is_decided};
use super::transposition::Entry;
use super::worker::Worker;

/// Static evaluation of a node, in centipawns for the side to move, with derived values.
pub(super) struct StaticEval {
    pub(super) tt_entry: Option<Entry>,
    /// Uncorrected, as the transposition table stores it.
    pub(super) raw: i32,
    /// Corrected by the correction histories; [`NO_SCORE`] in check.
    pub(super) evaluation: i32,
    /// Best estimate of the score: the TT score where its bound allows, else the corrected evaluation.
    pub(super) estimate: i32,
    /// Whether the evaluation is better than two plies (in check: four) earlier.
    pub(super) improving: bool,
    pub(super) tt_pv: bool,
}

impl Worker<'_> {
    /// Step 5. Static evaluation.
    pub(super) fn static_eval<const PV: bool>(
        &mut self,
        position: &Position,
        tt_entry: Option<Entry>,
        ply: usize,
    ) -> StaticEval {
        let tt_pv = PV || tt_entry.is_some_and(|entry| entry.tt_pv);
        if position.is_check() {
            self.frame(ply).evaluation = NO_SCORE;
            let (raw, evaluation) = (NO_SCORE, NO_SCORE);
            return StaticEval { tt_entry, raw, evaluation, estimate: NO_SCORE, improving: false, tt_pv };
        }
        let is_again = self.frame(ply).excluded.is_some() && self.frame(ply).evaluation != NO_SCORE;
        let indices = self.correction_indices(position, ply);
        let raw = match tt_entry {
            Some(entry) if entry.evaluation != NO_SCORE => entry.evaluation,
            _ if is_again => NO_SCORE,
            _ => self.evaluate(position),
        };
        let evaluation =
            if is_again { self.frame(ply).evaluation } else { self.corrected(position, raw, indices) };
        let estimate = tt_entry.and_then(|entry| entry.better_estimate(evaluation)).unwrap_or(evaluation);
        self.frame(ply).evaluation = evaluation;
        let before = [2, 4].map(|plies| self.earlier(ply, plies).evaluation);
        let before = before.into_iter().find(|&evaluation| evaluation != NO_SCORE);
        let improving = before.is_some_and(|before| evaluation > before);
        StaticEval { tt_entry, raw, evaluation, estimate, improving, tt_pv }
    }

    /// Step 6. Hindsight: plies to add to a node reached by a late move reduction. One more if the reduced move did not
    /// worsen its side's evaluation, one less if it worsened it by much.
    pub(super) fn hindsight_adjustment(&self, depth: i32, ply: usize, evaluation: i32) -> i32 {
        let before = self.earlier(ply, 1);
        if evaluation == NO_SCORE || before.evaluation == NO_SCORE {
            return 0;
        }
        let gained = evaluation + before.evaluation;
        if before.reduction >= P.hindsight_deeper_reduction() && gained <= 0 {
            1
        } else if before.reduction >= 2 && depth >= 2 && gained > P.hindsight_shallower_margin() {
            -1
        } else {
            0
        }
    }

    /// Step 7. The score to return if a cheap test decides the node.
    #[expect(clippy::too_many_arguments, reason = "these are the arguments of the node")]
    pub(super) fn prune_node(
        &mut self,
        position: &Position,
        alpha: i32,
        beta: i32,
        depth: i32,
        ply: usize,
        node_type: NodeType,
        eval: &StaticEval,
    ) -> Option<i32> {
        let estimate = eval.estimate;

        // Step 7a. Reverse futility pruning (RFP, static null move), not where a PV was.
        let margin = P.reverse_futility_margin() * (depth - i32::from(eval.improving));
        if !eval.tt_pv
            && depth <= P.reverse_futility_depth()
            && estimate - margin >= beta
            && !is_decided(beta)
        {
            return Some((estimate + beta) / 2);
        }

        // Step 7b. Razoring.
        if depth <= P.razoring_depth() && estimate + P.razoring_margin() * depth <= alpha {
            let score = self.qsearch::<false>(position, alpha, alpha + 1, ply);
            if score <= alpha || self.stopped {
                return Some(score);
            }
        }

        // Step 7c. Null move pruning (NMP), verified in deep nodes because of zugzwang.
        if depth >= P.null_move_depth()
            && ply >= self.null_moves_from
            && estimate >= beta
            && eval.evaluation >= beta + P.null_move_margin_base() - P.null_move_margin() * depth
            && self.earlier(ply, 1).made != PieceTo::NONE
            && !is_decided(beta)
            && position.has_pieces(position.turn())
        {
            let score_part =
                ((estimate - beta) / P.null_move_score_divisor()).clamp(0, P.null_move_score_max());
            let reduction = P.null_move_reduction() + depth / P.null_move_depth_divisor() + score_part;
            let child = self.make_null_move(position, ply);
            let score =
                -self.search::<false>(&child, -beta, 1 - beta, depth - reduction, ply + 1, node_type.child());
            self.undo_move();
            if self.stopped {
                return None;
            }
            if score >= beta && self.null_move_verified(position, beta, depth, reduction, ply) {
                return Some(if is_decided(score) { beta } else { score });
            }
            if self.stopped {
                return None;
            }
        }

        // Step 7d. ProbCut: a capture that beats beta by a margin in a shallow search.
        self.probcut(position, beta, depth, ply, node_type, eval)
    }

    /// Null move verification: whether a search at the reduced depth, with null moves disabled for some plies, also fails
    /// high. `reduction` is the null move's depth reduction in plies.
    fn null_move_verified(
        &mut self,
        position: &Position,
        beta: i32,
        depth: i32,
        reduction: i32,
        ply: usize,
    ) -> bool {
        if depth < P.null_move_verified_depth() || self.null_moves_from > 0 {
            return true;
        }
        let left = depth - reduction;
        self.null_moves_from = ply + (left * 3 / 4).max(1) as usize;
        let score = self.search::<false>(position, beta - 1, beta, left, ply, NodeType::Cut);
        self.null_moves_from = 0;
        score >= beta && !self.stopped
    }

    fn probcut(
        &mut self,
        position: &Position,
        beta: i32,
        depth: i32,
        ply: usize,
        node_type: NodeType,
        eval: &StaticEval,
    ) -> Option<i32> {
        let probcut_beta = beta + P.probcut_margin();
        let is_hopeless = eval
            .tt_entry
            .is_some_and(|entry| entry.depth > depth - P.probcut_reduction() && entry.score < probcut_beta);
        if depth < P.probcut_depth() || is_decided(beta) || is_hopeless {
            return None;
        }
        let wanted = PickMode::WinningCaptures((probcut_beta - eval.evaluation).max(0));
        let tt_move = eval.tt_entry.and_then(|entry| entry.best);
        let mut picker = self.picker(position, wanted, tt_move, ply);
        let context = self.context(position, ply);
        let check_info = CheckInfo::new(position);
        let mut decided = None;
        // Children are written in place; the initial value does not matter.
        let mut child = *position;
        while let Some(mv) = self.pick(&mut picker, context, &check_info) {
            self.make_move(position, mv, ThreatIndex::default(), ply, &mut child);
            let mut score = -self.qsearch::<false>(&child, -probcut_beta, 1 - probcut_beta, ply + 1);
            if score >= probcut_beta {
                let child_type = node_type.child();
                let left = depth - P.probcut_reduction();
                score =
                    -self.search::<false>(&child, -probcut_beta, 1 - probcut_beta, left, ply + 1, child_type);
            }
            self.undo_move();
            if self.stopped {
                break;
            }
            if score >= probcut_beta {
                let entry = Entry {
                    best: Some(mv),
                    score,
                    bound: Bound::Lower,
                    evaluation: eval.raw,
                    depth: depth - P.probcut_reduction() + 1,
                    tt_pv: eval.tt_pv,
                };
                self.shared.table.store(self.table_key(position), ply, entry);
                decided = Some(if is_decided(score) { score } else { score - P.probcut_margin() });
                break;
            }
        }
        self.put_back(picker);
        decided
    }
}
