//! What a node knows and may conclude before it looks at its moves one by one: the static evaluation, and the
//! shortcuts by which the score alone decides.

use smalt_chess::Position;
use smalt_protocol::Bound;

use super::histories::{Exposure, Place};
use super::node::Expected;
use super::ordering::Wanted;
use super::outlook::Outlook;
use super::params::PARAMETERS as P;
use super::quiescence::better_estimate;
use super::score::{NO_SCORE, is_decided};
use super::transposition::Entry;
use super::worker::Worker;

/// What the node knows before it looks at moves.
pub(super) struct Judged {
    pub(super) known: Option<Entry>,
    /// Static evaluation as it came, for the table.
    pub(super) raw: i32,
    /// Corrected, or [`NO_SCORE`] in check.
    pub(super) evaluation: i32,
    /// The best guess at the score.
    pub(super) estimate: i32,
    /// Better than two plies (or four) before.
    pub(super) is_improving: bool,
    pub(super) was_pv: bool,
}

impl Worker<'_> {
    /// Step 4: the static evaluation and what goes with it.
    pub(super) fn judge<const PV: bool>(
        &mut self,
        position: &Position,
        known: Option<Entry>,
        ply: usize,
    ) -> Judged {
        let was_pv = PV || known.is_some_and(|entry| entry.was_pv);
        if position.is_check() {
            self.frame(ply).evaluation = NO_SCORE;
            let (raw, evaluation) = (NO_SCORE, NO_SCORE);
            return Judged { known, raw, evaluation, estimate: NO_SCORE, is_improving: false, was_pv };
        }
        let is_again = self.frame(ply).excluded.is_some() && self.frame(ply).evaluation != NO_SCORE;
        let spots = self.corrections_at(position, ply);
        let raw = match known {
            Some(entry) if entry.evaluation != NO_SCORE => entry.evaluation,
            _ if is_again => NO_SCORE,
            _ => self.evaluate(position),
        };
        let evaluation =
            if is_again { self.frame(ply).evaluation } else { self.corrected(position, raw, spots) };
        let estimate = known.and_then(|entry| better_estimate(&entry, evaluation)).unwrap_or(evaluation);
        self.frame(ply).evaluation = evaluation;
        let before = [2, 4].map(|plies| self.earlier(ply, plies).evaluation);
        let before = before.into_iter().find(|&evaluation| evaluation != NO_SCORE);
        let is_improving = before.is_some_and(|before| evaluation > before);
        Judged { known, raw, evaluation, estimate, is_improving, was_pv }
    }

    /// Step 5: how much deeper a node deserves to be searched that a late-move reduction led to, in plies: one more where
    /// the reduced move did its side no harm, one less where it did it much.
    pub(super) fn reconsider(&self, depth: i32, ply: usize, evaluation: i32) -> i32 {
        let before = self.earlier(ply, 1);
        if evaluation == NO_SCORE || before.evaluation == NO_SCORE {
            return 0;
        }
        let gained = evaluation + before.evaluation;
        if before.reduction >= P.reconsider_deeper_reduction() && gained <= 0 {
            1
        } else if before.reduction >= 2 && depth >= 2 && gained > P.reconsider_shallower_margin() {
            -1
        } else {
            0
        }
    }

    /// Steps 6a to 6d: a score that decides the node, if one can be had cheaply.
    #[expect(clippy::too_many_arguments, reason = "these are the arguments of the node")]
    pub(super) fn decide_early(
        &mut self,
        position: &Position,
        alpha: i32,
        beta: i32,
        depth: i32,
        ply: usize,
        expected: Expected,
        judged: &Judged,
    ) -> Option<i32> {
        let estimate = judged.estimate;

        // 6a. Reverse futility: so far above beta that the opponent won't catch up in the depth left.
        let margin = P.reverse_futility_margin() * (depth - i32::from(judged.is_improving));
        if depth <= P.reverse_futility_depth() && estimate - margin >= beta && !is_decided(beta) {
            return Some((estimate + beta) / 2);
        }

        // 6b. Razoring: so far below alpha that only captures can help.
        if depth <= P.razoring_depth() && estimate + P.razoring_margin() * depth <= alpha {
            let score = self.quiesce::<false>(position, alpha, alpha + 1, ply);
            if score <= alpha || self.stopped {
                return Some(score);
            }
        }

        // 6c. The null move: if even passing keeps the score above beta, some move will; but in zugzwang none does, so
        // that a deep node believes it only once a search of as much less depth, without passing, agrees.
        if depth >= P.null_move_depth()
            && ply >= self.null_moves_from
            && estimate >= beta
            && judged.evaluation >= beta
            && self.earlier(ply, 1).made != Place::NONE
            && !is_decided(beta)
            && position.has_pieces(position.turn())
        {
            let score_part =
                ((estimate - beta) / P.null_move_score_divisor()).clamp(0, P.null_move_score_most());
            let saved = P.null_move_reduction() + depth / P.null_move_depth_divisor() + score_part;
            let child = self.play_null(position, ply);
            let score =
                -self.search::<false>(&child, -beta, 1 - beta, depth - saved, ply + 1, expected.of_child());
            self.take_back();
            if self.stopped {
                return None;
            }
            if score >= beta && self.is_verified(position, beta, depth, saved, ply) {
                return Some(if is_decided(score) { beta } else { score });
            }
            if self.stopped {
                return None;
            }
        }

        // 6d. ProbCut: a capture that beats beta by far in a shallow search will do so in a deep one.
        self.try_captures_above(position, beta, depth, ply, expected, judged)
    }

    /// Whether a search without null moves near the node confirms what a null move said that saved so many plies.
    fn is_verified(&mut self, position: &Position, beta: i32, depth: i32, saved: i32, ply: usize) -> bool {
        if depth < P.null_move_verified_depth() || self.null_moves_from > 0 {
            return true;
        }
        let left = depth - saved;
        self.null_moves_from = ply + (left * 3 / 4).max(1) as usize;
        let score = self.search::<false>(position, beta - 1, beta, left, ply, Expected::Cut);
        self.null_moves_from = 0;
        score >= beta && !self.stopped
    }

    fn try_captures_above(
        &mut self,
        position: &Position,
        beta: i32,
        depth: i32,
        ply: usize,
        expected: Expected,
        judged: &Judged,
    ) -> Option<i32> {
        let goal = beta + P.probcut_margin();
        let is_hopeless = judged
            .known
            .is_some_and(|entry| entry.depth > depth - P.probcut_reduction() && entry.score < goal);
        if depth < P.probcut_depth() || is_decided(beta) || is_hopeless {
            return None;
        }
        let wanted = Wanted::CapturesWinning((goal - judged.evaluation).max(0));
        let table_move = judged.known.and_then(|entry| entry.best);
        let mut picker = self.picker(position, wanted, table_move, ply);
        let context = self.context(position, ply);
        let outlook = Outlook::new(position);
        let mut decided = None;
        // A place for the children: any position will do.
        let mut child = *position;
        while let Some(mv) = self.pick(&mut picker, context, &outlook) {
            self.play(position, mv, Exposure::default(), ply, &mut child);
            let mut score = -self.quiesce::<false>(&child, -goal, 1 - goal, ply + 1);
            if score >= goal {
                let child_expected = expected.of_child();
                let left = depth - P.probcut_reduction();
                score = -self.search::<false>(&child, -goal, 1 - goal, left, ply + 1, child_expected);
            }
            self.take_back();
            if self.stopped {
                break;
            }
            if score >= goal {
                let entry = Entry {
                    best: Some(mv),
                    score,
                    bound: Bound::Lower,
                    evaluation: judged.raw,
                    depth: depth - P.probcut_reduction() + 1,
                    was_pv: judged.was_pv,
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
