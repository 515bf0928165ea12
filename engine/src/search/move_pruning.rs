//! Decisions on single moves of a node: late move pruning (LMP), history pruning, futility pruning, SEE pruning, singular
//! extensions, and the terms of late move reductions (LMR) that are the same for all moves of a node.

use smalt_chess::{Move, Position};
use smalt_protocol::Bound;

use super::check_info::CheckInfo;
use super::histories::{Context, PieceTo, ThreatIndex};
use super::node_pruning::StaticEval;
use super::node_type::NodeType;
use super::params::{PARAMETERS as P, exchange_values};
use super::score::{NO_SCORE, is_decided};
use super::worker::Worker;

/// What to do with a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MoveDecision {
    Search,
    Prune,
    /// Skip it and all quiet moves after it.
    PruneQuiets,
}

/// Result of the singular search.
pub(super) enum SingularResult {
    /// Extend the TT move by this number of plies; negative to reduce it.
    Extend(i32),
    /// Multi-cut: the node fails high with this score.
    MultiCut(i32),
}

impl Worker<'_> {
    /// History score of a quiet move or a capture.
    #[inline]
    pub(super) fn history_of(
        &self,
        position: &Position,
        mv: Move,
        piece_to: PieceTo,
        threat_index: ThreatIndex,
        context: Context,
    ) -> i32 {
        match position.captured_role(mv) {
            Some(role) => self.histories.capture(piece_to, role),
            None => self.histories.quiet(context, mv, piece_to, threat_index),
        }
    }

    /// Step 9. Move pruning. Checks are exempt from futility pruning. `reduced` is the depth after late move reduction,
    /// `number` the move count.
    #[expect(clippy::too_many_arguments, reason = "inputs of five prunings")]
    #[inline]
    pub(super) fn should_prune(
        &self,
        check_info: &CheckInfo<'_>,
        mv: Move,
        depth: i32,
        reduced: i32,
        alpha: i32,
        history: i32,
        number: usize,
        eval: &StaticEval,
    ) -> MoveDecision {
        let position = check_info.position;
        if mv.is_quiet() {
            // Step 9a. Late move pruning (LMP).
            let limit = (P.lmp_base() + depth * depth) / (2 - i32::from(eval.improving));
            if depth <= P.lmp_depth() && number as i32 > limit {
                return MoveDecision::PruneQuiets;
            }
            // Step 9b. History pruning.
            if reduced <= P.history_pruning_depth() && history < -P.history_pruning_margin() * (reduced + 1) {
                return MoveDecision::Prune;
            }
            // Step 9c. Futility pruning.
            let futility_value = eval.evaluation + P.futility_base() + P.futility_margin() * reduced;
            let in_check = eval.evaluation == NO_SCORE;
            if reduced <= P.futility_depth()
                && !in_check
                && futility_value <= alpha
                && !check_info.gives_check(mv)
            {
                return MoveDecision::Prune;
            }
        }
        // Step 9d. Futility pruning of captures.
        let taken = position.captured_role(mv).filter(|_| reduced <= P.futility_capture_depth());
        if let Some(role) = taken
            && eval.evaluation != NO_SCORE
        {
            let futility_value = eval.evaluation
                + P.futility_capture_base()
                + P.futility_capture_margin() * reduced
                + exchange_values()[role.index()]
                + history / P.futility_capture_history_divisor();
            if futility_value <= alpha && mv.promoted_to().is_none() && !check_info.gives_check(mv) {
                return MoveDecision::Prune;
            }
        }
        // Step 9e. SEE pruning.
        if depth <= P.see_pruning_depth() {
            let limit = if mv.is_quiet() {
                P.see_pruning_quiet() * reduced * reduced
            } else {
                P.see_pruning_capture() * depth
            };
            if !position.exchange_reaches(mv, -limit, &exchange_values()) {
                return MoveDecision::Prune;
            }
        }
        MoveDecision::Search
    }

    /// Step 10. Singular extension: searches the node without the TT move. Extends the TT move when all others fail low
    /// below its score by a margin, doubly when by far; fails high (multi-cut) when they beat beta as well; reduces the TT
    /// move otherwise (negative extension).
    #[expect(clippy::too_many_arguments, reason = "these are the arguments of the node")]
    pub(super) fn singular_extension<const PV: bool>(
        &mut self,
        position: &Position,
        mv: Move,
        beta: i32,
        depth: i32,
        ply: usize,
        node_type: NodeType,
        eval: &StaticEval,
    ) -> SingularResult {
        let Some(entry) = eval.tt_entry else { return SingularResult::Extend(0) };
        let is_candidate = depth >= P.singular_depth()
            && entry.depth >= depth - P.singular_tt_depth_margin()
            && entry.bound != Bound::Upper
            && !is_decided(entry.score);
        if !is_candidate {
            return SingularResult::Extend(0);
        }
        let singular_beta = entry.score - P.singular_margin() * depth;
        self.frame(ply).excluded = Some(mv);
        let shallower = (depth - 1) / P.singular_depth_divisor();
        let score =
            self.search::<false>(position, singular_beta - 1, singular_beta, shallower, ply, node_type);
        self.frame(ply).excluded = None;
        if score < singular_beta {
            let is_alone = !PV
                && score < singular_beta - P.singular_double_margin()
                && self.frame(ply).double_extensions < P.singular_double_max();
            return SingularResult::Extend(1 + i32::from(is_alone));
        }
        if score >= beta && !is_decided(score) {
            return SingularResult::MultiCut(score);
        }
        if entry.score >= beta {
            return SingularResult::Extend(-P.singular_negative());
        }
        let is_refuted = !PV && node_type == NodeType::Cut;
        SingularResult::Extend(if is_refuted { -P.singular_negative_cut() } else { 0 })
    }

    /// Step 12. Late move reduction terms that are the same for all moves of the node, in 1024ths of a ply.
    #[inline]
    pub(super) fn lmr_adjustment<const PV: bool>(
        &self,
        node_type: NodeType,
        eval: &StaticEval,
        is_quiet: bool,
        tt_capture: bool,
    ) -> i32 {
        let mut more = P.lmr_not_improving() * i32::from(!eval.improving);
        more += P.lmr_not_pv() * i32::from(!eval.tt_pv);
        more += P.lmr_cut_node() * i32::from(!PV && node_type == NodeType::Cut);
        more + P.lmr_tt_capture() * i32::from(is_quiet && tt_capture)
    }
}
