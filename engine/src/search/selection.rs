//! Which moves of a node deserve how much: those left out, those searched deeper, those searched less deep.

use smalt_chess::{Move, Position};
use smalt_protocol::Bound;

use super::histories::{Context, Exposure, Place};
use super::node::Expected;
use super::outlook::Outlook;
use super::params::{PARAMETERS as P, exchange_values};
use super::score::{NO_SCORE, is_decided};
use super::shortcuts::Judged;
use super::worker::Worker;

/// What becomes of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// Look at it.
    Look,
    /// Leave it out.
    Skip,
    /// Neither this one nor the quiet moves after it.
    SkipQuiets,
}

/// What the test for singularity says.
pub(super) enum Extension {
    Plies(i32),
    Refuted(i32),
}

impl Worker<'_> {
    /// What the histories say about a move, whatever its kind.
    #[inline]
    pub(super) fn history_of(
        &self,
        position: &Position,
        mv: Move,
        place: Place,
        exposure: Exposure,
        context: Context,
    ) -> i32 {
        match position.captured_role(mv) {
            Some(role) => self.histories.capture(place, role),
            None => self.histories.quiet(context, mv, place, exposure),
        }
    }

    /// Step 8: whether to look at a move at all. A check is always looked at where only the score speaks against
    /// the move.
    #[expect(clippy::too_many_arguments, reason = "each one is a reason to look or not")]
    #[inline]
    pub(super) fn is_useless(
        &self,
        outlook: &Outlook<'_>,
        mv: Move,
        depth: i32,
        reduced: i32,
        alpha: i32,
        history: i32,
        number: usize,
        judged: &Judged,
    ) -> Verdict {
        let position = outlook.position;
        if mv.is_quiet() {
            let most = (P.late_move_pruning_base() + depth * depth) / (2 - i32::from(judged.is_improving));
            if depth <= P.late_move_pruning_depth() && number as i32 > most {
                return Verdict::SkipQuiets;
            }
            if reduced <= P.history_pruning_depth() && history < -P.history_pruning_margin() * (reduced + 1) {
                return Verdict::Skip;
            }
            let reach = judged.evaluation + P.futility_base() + P.futility_margin() * reduced;
            let in_check = judged.evaluation == NO_SCORE;
            if reduced <= P.futility_depth() && !in_check && reach <= alpha && !outlook.gives_check(mv) {
                return Verdict::Skip;
            }
        }
        let taken = position.captured_role(mv).filter(|_| reduced <= P.futility_capture_depth());
        if let Some(role) = taken
            && judged.evaluation != NO_SCORE
        {
            let reach = judged.evaluation
                + P.futility_capture_base()
                + P.futility_capture_margin() * reduced
                + exchange_values()[role.index()]
                + history / P.futility_capture_history_divisor();
            if reach <= alpha && mv.promoted_to().is_none() && !outlook.gives_check(mv) {
                return Verdict::Skip;
            }
        }
        if depth <= P.exchange_pruning_depth() {
            let most = if mv.is_quiet() {
                P.exchange_pruning_quiet() * reduced * reduced
            } else {
                P.exchange_pruning_capture() * depth
            };
            if !position.exchange_reaches(mv, -most, &exchange_values()) {
                return Verdict::Skip;
            }
        }
        Verdict::Look
    }

    /// Step 9: how much deeper the table's move is searched. A move much better than all others deserves it; where
    /// several beat beta, the node is refuted.
    #[expect(clippy::too_many_arguments, reason = "these are the arguments of the node")]
    pub(super) fn extend<const PV: bool>(
        &mut self,
        position: &Position,
        mv: Move,
        beta: i32,
        depth: i32,
        ply: usize,
        expected: Expected,
        judged: &Judged,
    ) -> Extension {
        let Some(entry) = judged.known else { return Extension::Plies(0) };
        let is_candidate = depth >= P.singular_depth()
            && entry.depth >= depth - P.singular_table_margin()
            && entry.bound != Bound::Upper
            && !is_decided(entry.score);
        if !is_candidate {
            return Extension::Plies(0);
        }
        let goal = entry.score - P.singular_margin() * depth;
        self.frame(ply).excluded = Some(mv);
        let shallower = (depth - 1) / P.singular_depth_divisor();
        let score = self.search::<false>(position, goal - 1, goal, shallower, ply, expected);
        self.frame(ply).excluded = None;
        if score < goal {
            let is_alone = !PV
                && score < goal - P.singular_double_margin()
                && self.frame(ply).double_extensions < P.singular_double_most();
            return Extension::Plies(1 + i32::from(is_alone));
        }
        if score >= beta && !is_decided(score) {
            return Extension::Refuted(score);
        }
        if entry.score >= beta {
            return Extension::Plies(-P.singular_negative());
        }
        let is_refuted = !PV && expected == Expected::Cut;
        Extension::Plies(if is_refuted { -P.singular_negative_cut() } else { 0 })
    }

    /// Step 11: what the node adds to the reduction of every move, in 1024ths of a ply.
    #[inline]
    pub(super) fn adjustment<const PV: bool>(
        &self,
        expected: Expected,
        judged: &Judged,
        is_quiet: bool,
        is_table_capture: bool,
    ) -> i32 {
        let mut more = P.reduction_not_improving() * i32::from(!judged.is_improving);
        more += P.reduction_not_pv() * i32::from(!judged.was_pv);
        more += P.reduction_cut_node() * i32::from(!PV && expected == Expected::Cut);
        more + P.reduction_table_capture() * i32::from(is_quiet && is_table_capture)
    }
}
