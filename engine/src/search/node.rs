//! The search node: principal variation search with everything that lets it look at less than all. The steps are
//! numbered, so that each idea has its place; none of them may blind the search to mates.

use smalt_chess::{Move, Position};
use smalt_protocol::Bound;

use super::histories::{Exposure, Place};
use super::ordering::{Picker, Wanted};
use super::outlook::Outlook;
use super::params::PARAMETERS as P;
use super::probing::Answer;
use super::quiescence::is_cutoff;
use super::score::{INFINITE, LEAST_DECIDED, MAX_PLY, NO_SCORE, is_decided, mate_in, mated_in};
use super::selection::{Extension, Verdict};
use super::shortcuts::Judged;
use super::transposition::Entry;
use super::worker::Worker;

/// What a node off the principal variation is expected to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Expected {
    /// Some move refutes the one before.
    Cut,
    /// No move helps, or the node is on the principal variation: nothing is expected.
    All,
}

impl Expected {
    /// What the children of such a node are expected to do.
    pub(super) fn of_child(self) -> Expected {
        match self {
            Expected::Cut => Expected::All,
            Expected::All => Expected::Cut,
        }
    }
}

/// What a search of the moves found.
struct Found {
    best: i32,
    best_move: Option<Move>,
    /// Legal moves tried or left out on purpose.
    moves: usize,
}

impl Worker<'_> {
    /// The score of a position after a search of `depth` plies; exact between the bounds, else on the right side of
    /// them. Meaningless when the search has been stopped.
    pub(super) fn search<const PV: bool>(
        &mut self,
        position: &Position,
        mut alpha: i32,
        mut beta: i32,
        mut depth: i32,
        ply: usize,
        expected: Expected,
    ) -> i32 {
        // 1. The horizon.
        if depth <= 0 {
            return self.quiesce::<PV>(position, alpha, beta, ply);
        }
        if PV {
            self.frame(ply).pv.clear();
        }
        if self.enter_node(ply) {
            return 0;
        }
        let is_root = PV && ply == 0;
        let in_check = position.is_check();

        // 2. Draws, the longest line, and mates that are already nearer than any here.
        if !is_root {
            if let Some(score) = self.drawn(position, &mut alpha, beta, ply) {
                return score;
            }
            if ply >= MAX_PLY {
                return if in_check { 0 } else { self.evaluate(position) };
            }
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }
        let excluded = self.frame(ply).excluded;
        self.frame(ply + 1).killers = [None; 2];
        self.frame(ply + 2).cutoffs = 0;

        // 3a. The transposition table.
        let known =
            if excluded.is_some() { None } else { self.shared.table.probe(self.table_key(position), ply) };
        if let Some(entry) = known
            && !PV
            && entry.depth >= depth
            && position.halfmove_clock() < 90
            && is_cutoff(&entry, alpha, beta)
        {
            return entry.score;
        }

        self.prefetch_after_known(position, known);
        // Before the evaluation, which gives the memory time: behind a null move the table is asked at once.
        if !PV && !in_check && excluded.is_none() && depth >= P.null_move_depth() {
            self.shared.table.prefetch(position.key_after_null_move());
        }

        // 3b. The endgame tables.
        let (mut least, mut most) = (-INFINITE, INFINITE);
        if !is_root && excluded.is_none() {
            match self.ask_tables(position, alpha, beta, depth, ply) {
                Answer::Score(score) => return score,
                Answer::Range(low, high) => (least, most) = (low, high),
            }
            alpha = alpha.max(least);
        }

        // 4. The static evaluation.
        let judged = self.judge::<PV>(position, known, ply);

        // 5. What was searched less deep for little reason is searched deeper, and the other way round.
        if !is_root && excluded.is_none() && !self.shared.seeks_mate {
            depth += self.reconsider(depth, ply, judged.evaluation);
        }

        // 6. Off the principal variation: what decides without looking at every move.
        if !PV && !in_check && excluded.is_none() && !self.shared.seeks_mate {
            let decided = self.decide_early(position, alpha, beta, depth, ply, expected, &judged);
            if decided.is_some() || self.stopped {
                return decided.unwrap_or(0);
            }
        }

        // 7. Without a move from the table a deep search would be badly ordered.
        let table_move = known.and_then(|entry| entry.best);
        if depth >= P.iterative_reduction_depth()
            && (PV || expected == Expected::Cut)
            && table_move.is_none()
            && excluded.is_none()
            && !self.shared.seeks_mate
        {
            depth -= 1;
        }

        // 8 to 13. The moves.
        let first_alpha = alpha;
        let found = self.search_moves::<PV>(position, alpha, beta, depth, ply, expected, &judged);
        if self.stopped {
            return 0;
        }
        let found = match found {
            Ok(found) => found,
            Err(Refuted(score)) => return score,
        };

        // 14. Checkmate and stalemate.
        if found.moves == 0 {
            return match excluded {
                Some(_) => alpha,
                None if in_check => mated_in(ply),
                None => 0,
            };
        }

        // 15. Remember it. What lies above beta is the less certain the less deep the search was.
        let mut best = found.best.clamp(least, most);
        if best >= beta && !is_decided(best) && !is_decided(beta) {
            best = (best * depth + beta * P.fail_high_weight()) / (depth + P.fail_high_weight());
        }
        let bound = match best {
            _ if best >= beta => Bound::Lower,
            _ if PV && best > first_alpha => Bound::Exact,
            _ if best == least => Bound::Lower,
            _ => Bound::Upper,
        };
        if excluded.is_none() {
            if !is_root || self.line == 0 && !self.is_root_restricted {
                let entry = Entry {
                    best: found.best_move,
                    score: best,
                    bound,
                    evaluation: judged.raw,
                    depth,
                    was_pv: judged.was_pv,
                };
                self.shared.table.store(self.table_key(position), ply, entry);
            }
            self.correct(position, depth, ply, &judged, (best, found.best_move), bound);
            if bound == Bound::Upper {
                self.teach_unanswered(position, depth, ply);
            }
        }
        best
    }

    /// Steps 8 to 13.
    #[expect(clippy::too_many_arguments, reason = "these are the arguments of the node")]
    fn search_moves<const PV: bool>(
        &mut self,
        position: &Position,
        mut alpha: i32,
        beta: i32,
        depth: i32,
        ply: usize,
        expected: Expected,
        judged: &Judged,
    ) -> Result<Found, Refuted> {
        let is_root = PV && ply == 0;
        let excluded = self.frame(ply).excluded;
        let table_move = judged.known.and_then(|entry| entry.best);
        let table_move = if is_root { Some(self.root[self.line].pv[0]) } else { table_move };
        let is_table_capture = table_move.is_some_and(|mv| !mv.is_quiet());
        let killers = self.frame(ply).killers;
        let context = self.context(position, ply);
        let mut picker = self.picker(position, Wanted::All, table_move, ply);
        let outlook = Outlook::new(position);
        let mut found = Found { best: -INFINITE, best_move: None, moves: 0 };
        // A place for the children: any position will do.
        let mut child = *position;
        while let Some(mv) = self.pick(&mut picker, context, &outlook) {
            if Some(mv) == excluded || is_root && !self.is_root_move(mv) {
                continue;
            }
            found.moves += 1;
            let nodes_before = self.nodes;

            // 8. Moves that are most likely useless are left out.
            let place = Place::of(position, mv);
            let exposure = if mv.is_quiet() { outlook.exposure(mv) } else { Exposure::default() };
            let history = self.history_of(position, mv, place, exposure, context);
            let mut reduction = self.reduction(mv.is_quiet(), depth, found.moves);
            let may_prune = !is_root && !self.shared.seeks_mate && found.best > -LEAST_DECIDED;
            if may_prune && position.has_pieces(position.turn()) {
                let reduced = (depth - reduction / 1024).max(0);
                match self.is_useless(&outlook, mv, depth, reduced, alpha, history, found.moves, judged) {
                    Verdict::Look => {}
                    Verdict::Skip => continue,
                    Verdict::SkipQuiets => {
                        // By their number alone: one of them surely holds what the position is worth, where that
                        // is below alpha. What was searched may all be worse.
                        if judged.evaluation != NO_SCORE {
                            found.best = found.best.max(alpha.min(judged.evaluation));
                        }
                        picker.skip_quiets();
                        continue;
                    }
                }
            }

            // 9. Extensions.
            let mut extension = 0;
            if Some(mv) == table_move && excluded.is_none() && !is_root && !self.shared.seeks_mate {
                match self.extend::<PV>(position, mv, beta, depth, ply, expected, judged) {
                    Extension::Plies(plies) => extension = plies,
                    Extension::Refuted(score) => {
                        self.put_back(picker);
                        return Err(Refuted(score));
                    }
                }
                if self.stopped {
                    break;
                }
            }

            // 10. Play the move.
            self.play(position, mv, exposure, ply, &mut child);
            let mut new_depth = depth - 1 + extension;
            self.frame(ply + 1).double_extensions += i32::from(extension >= 2);
            let mut score = -INFINITE;

            // 11. Late moves are searched less deep, with a null window; deeper if they surprise.
            let is_late = depth >= 2 && found.moves > 1 + usize::from(is_root) && !self.shared.seeks_mate;
            if is_late {
                reduction += self.adjustment::<PV>(expected, judged, mv.is_quiet(), is_table_capture);
                reduction -= P.reduction_killer() * i32::from(killers.contains(&Some(mv)));
                reduction -= P.reduction_check() * i32::from(child.is_check());
                reduction -= history / P.reduction_history_divisor();
                if self.frame(ply + 1).cutoffs >= P.reduction_cutoffs_least() {
                    reduction += P.reduction_cutoffs();
                }
                let least = (new_depth - reduction / 1024).clamp(1, new_depth.max(1));
                self.frame(ply).reduction = new_depth - least;
                score = -self.search::<false>(&child, -alpha - 1, -alpha, least, ply + 1, Expected::Cut);
                self.frame(ply).reduction = 0;
                if score > alpha && least < new_depth {
                    new_depth += i32::from(score > found.best + P.deeper_margin());
                    new_depth -= i32::from(score < found.best + P.shallower_margin());
                    if least < new_depth {
                        let child_expected = expected.of_child();
                        score = -self.search::<false>(
                            &child,
                            -alpha - 1,
                            -alpha,
                            new_depth,
                            ply + 1,
                            child_expected,
                        );
                    }
                }
            } else if !PV || found.moves > 1 {
                let child_expected = expected.of_child();
                score = -self.search::<false>(&child, -alpha - 1, -alpha, new_depth, ply + 1, child_expected);
            }

            // 12. The first move of a principal variation, and what beats it, gets the whole window.
            if PV && (found.moves == 1 || score > alpha) {
                score = -self.search::<true>(&child, -beta, -alpha, new_depth, ply + 1, Expected::All);
            }
            self.take_back();
            if self.stopped {
                break;
            }

            // 13. What the move brought.
            if is_root {
                self.note_root_move(mv, score, found.moves, (alpha, beta), nodes_before);
            }
            if score > found.best {
                found.best = score;
                if score > alpha {
                    found.best_move = Some(mv);
                    if PV {
                        self.set_pv(ply, mv);
                    }
                    if score >= beta {
                        self.frame(ply).cutoffs += 1;
                        self.teach(&outlook, mv, depth, ply, context, picker.tried());
                        break;
                    }
                    alpha = score;
                }
            }
            if found.best_move != Some(mv) {
                picker.note_tried(mv);
            }
        }
        self.put_back(picker);
        Ok(found)
    }
}

/// Several moves beat beta, so the node is refuted with this score without a look at the others.
struct Refuted(i32);

/// The picker is moved in and out of the worker by value; it has to stay small.
const _: () = assert!(size_of::<Picker>() <= 32);
