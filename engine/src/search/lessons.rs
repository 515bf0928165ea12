//! What a node teaches when it is done: histories, corrections, and what the root notes about its moves.

use smalt_chess::{Move, Position};
use smalt_protocol::Bound;

use super::endings::lone_side;
use super::histories::{Context, Place, bonus, malus};
use super::outlook::Outlook;
use super::params::PARAMETERS as P;
use super::score::{INFINITE, NO_SCORE, is_decided};
use super::shortcuts::Judged;
use super::worker::{Frame, Worker};

impl Worker<'_> {
    /// Whether the root may play the move, in the line that is being looked for.
    pub(super) fn is_root_move(&self, mv: Move) -> bool {
        let candidates = &self.root[self.line..];
        candidates.iter().any(|root_move| root_move.mv == mv && root_move.rank == candidates[0].rank)
    }

    /// Keeps what the root found out about a move.
    pub(super) fn note_root_move(
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

    /// Teaches the histories that a move refuted, and that those tried before it did not.
    // Not inlined: one copy for all nodes.
    #[inline(never)]
    pub(super) fn teach(
        &mut self,
        outlook: &Outlook<'_>,
        mv: Move,
        depth: i32,
        ply: usize,
        context: Context,
        tried: &[Move],
    ) {
        let position = outlook.position;
        let (bonus, malus) = (bonus(depth), malus(depth));
        if mv.is_quiet() {
            let killers = &mut self.frame(ply).killers;
            if killers[0] != Some(mv) {
                *killers = [Some(mv), killers[0]];
            }
            let mut teach_quiet = |mv, by| {
                self.histories.teach_quiet(context, mv, Place::of(position, mv), outlook.exposure(mv), by);
            };
            teach_quiet(mv, bonus);
            tried.iter().filter(|mv| mv.is_quiet()).for_each(|&quiet| teach_quiet(quiet, malus));
        } else if let Some(role) = position.captured_role(mv) {
            self.histories.teach_capture(Place::of(position, mv), role, bonus);
        }
        for &capture in tried {
            if let Some(role) = position.captured_role(capture) {
                self.histories.teach_capture(Place::of(position, capture), role, malus);
            }
        }
    }

    /// Teaches the histories that a quiet move was strong: the side to move found nothing against it.
    // Not inlined: one copy for all nodes.
    #[inline(never)]
    pub(super) fn teach_unanswered(&mut self, position: &Position, depth: i32, ply: usize) {
        let &Frame { quiet: Some((mv, exposure)), made, .. } = self.earlier(ply, 1) else { return };
        let before = [2, 3, 5].map(|plies| self.earlier(ply, plies).made);
        let context = Context { turn: !position.turn(), pawn_key: position.pawn_key(), before };
        let by = bonus(depth) * P.history_unanswered_share() / 1024;
        self.histories.teach_answer(context, mv, made, exposure, by);
    }

    /// Teaches the correction histories, where the score says something about the static evaluation.
    pub(super) fn correct(
        &mut self,
        position: &Position,
        depth: i32,
        ply: usize,
        judged: &Judged,
        (best, best_move): (i32, Option<Move>),
        bound: Bound,
    ) {
        let is_quiet = best_move.is_none_or(Move::is_quiet);
        let says_something = match bound {
            Bound::Exact => true,
            Bound::Lower => best > judged.evaluation,
            Bound::Upper => best < judged.evaluation,
        };
        let is_known = lone_side(position).is_some();
        if judged.evaluation != NO_SCORE && is_quiet && says_something && !is_decided(best) && !is_known {
            let steps = self.steps(ply);
            self.corrections.teach(position, steps, depth, best - judged.evaluation);
        }
    }
}
