//! The main search node: principal variation search (PVS) in numbered steps, from the transposition table over pruning
//! and extensions to late move reductions. No step may prune a mate. Quiescence search is in [`super::quiescence`].

use std::sync::atomic::Ordering::Relaxed;

use smalt_chess::{Move, Position};
use smalt_protocol::Bound;

use super::check_info::CheckInfo;
use super::histories::{PieceTo, ThreatIndex};
use super::move_picker::{MovePicker, PickMode};
use super::move_pruning::{MoveDecision, SingularResult};
use super::node_pruning::StaticEval;
use super::node_type::NodeType;
use super::params::PARAMETERS as P;
use super::probing::Probing;
use super::score::{INFINITE, LEAST_DECIDED, MAX_PLY, NO_SCORE, is_decided, mate_in, mated_in};
use super::transposition::Entry;
use super::worker::Worker;

/// Result of a tablebase probe at a node.
enum ProbeResult {
    /// The exact score, or one that causes a cutoff.
    Score(i32),
    /// Lower and upper bound of the score.
    Range(i32, i32),
}

/// Result of the move loop.
struct Found {
    best: i32,
    best_move: Option<Move>,
    /// Legal moves searched or pruned.
    moves: usize,
}

impl Worker<'_> {
    /// Searches a position to `depth` plies. Returns a fail-soft score from the side to move's point of view: exact
    /// inside the window (`alpha`, `beta`), else a bound. The score is meaningless once `stopped` is set.
    pub(super) fn search<const PV: bool>(
        &mut self,
        position: &Position,
        mut alpha: i32,
        mut beta: i32,
        mut depth: i32,
        ply: usize,
        node_type: NodeType,
    ) -> i32 {
        // Step 1. At the horizon, drop into quiescence search.
        if depth <= 0 {
            return self.qsearch::<PV>(position, alpha, beta, ply);
        }
        if PV {
            self.frame(ply).pv.clear();
        }
        if self.enter_node(ply) {
            return 0;
        }
        let is_root = PV && ply == 0;
        let in_check = position.is_check();

        // Step 2. Draws, maximum ply, and mate distance pruning.
        if !is_root {
            if let Some(score) = self.check_draw(position, &mut alpha, beta, ply) {
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

        // Step 3. Transposition table lookup and cutoff.
        let tt_entry =
            if excluded.is_some() { None } else { self.shared.table.probe(self.table_key(position), ply) };
        if let Some(entry) = tt_entry
            && !PV
            && entry.depth >= depth
            && position.halfmove_clock() < 90
            && entry.is_cutoff(alpha, beta)
        {
            return entry.score;
        }

        self.prefetch_tt_move(position, tt_entry);
        // The null move child probes the table at once: prefetch its entry before the evaluation.
        if !PV && !in_check && excluded.is_none() && depth >= P.null_move_depth() {
            self.shared.table.prefetch(position.key_after_null_move());
        }

        // Step 4. Tablebase probe.
        let (mut tb_min, mut tb_max) = (-INFINITE, INFINITE);
        if !is_root && excluded.is_none() {
            match self.probe_tablebases(position, alpha, beta, depth, ply) {
                ProbeResult::Score(score) => return score,
                ProbeResult::Range(low, high) => (tb_min, tb_max) = (low, high),
            }
            alpha = alpha.max(tb_min);
        }

        // Step 5. Static evaluation.
        let eval = self.static_eval::<PV>(position, tt_entry, ply);

        // Step 6. Hindsight: adjust the depth of a reduced node when the static evaluation disagrees.
        if !is_root && excluded.is_none() && !self.shared.seeks_mate {
            depth += self.hindsight_adjustment(depth, ply, eval.evaluation);
        }

        // Step 7. Node pruning in non-PV nodes: reverse futility, razoring, null move, ProbCut.
        if !PV && !in_check && excluded.is_none() && !self.shared.seeks_mate {
            let decided = self.prune_node(position, alpha, beta, depth, ply, node_type, &eval);
            if decided.is_some() || self.stopped {
                return decided.unwrap_or(0);
            }
        }

        // Step 8. Internal iterative reduction (IIR): without a TT move the move order is poor.
        let tt_move = tt_entry.and_then(|entry| entry.best);
        if depth >= P.iir_depth()
            && (PV || node_type == NodeType::Cut)
            && tt_move.is_none()
            && excluded.is_none()
            && !self.shared.seeks_mate
        {
            depth -= 1;
        }

        // Steps 9 to 14. The move loop.
        let first_alpha = alpha;
        let found = self.search_moves::<PV>(position, alpha, beta, depth, ply, node_type, &eval);
        if self.stopped {
            return 0;
        }
        let found = match found {
            Ok(found) => found,
            Err(MultiCut(score)) => return score,
        };

        // Step 15. Checkmate and stalemate.
        if found.moves == 0 {
            return match excluded {
                Some(_) => alpha,
                None if in_check => mated_in(ply),
                None => 0,
            };
        }

        // Step 16. Blend a fail-high score toward beta, more at low depth; then store it and update the correction
        // histories.
        let mut best = found.best.clamp(tb_min, tb_max);
        if best >= beta && !is_decided(best) && !is_decided(beta) {
            best = (best * depth + beta * P.fail_high_weight()) / (depth + P.fail_high_weight());
        }
        let bound = match best {
            _ if best >= beta => Bound::Lower,
            _ if PV && best > first_alpha => Bound::Exact,
            _ if best == tb_min => Bound::Lower,
            _ => Bound::Upper,
        };
        if excluded.is_none() {
            if !is_root || self.line == 0 && !self.is_root_restricted {
                let entry = Entry {
                    best: found.best_move,
                    score: best,
                    bound,
                    evaluation: eval.raw,
                    depth,
                    tt_pv: eval.tt_pv,
                };
                self.shared.table.store(self.table_key(position), ply, entry);
            }
            self.update_correction_history(position, depth, ply, &eval, (best, found.best_move), bound);
            if bound == Bound::Upper {
                self.update_previous_quiet(position, depth, ply);
            }
        }
        best
    }

    /// Step 4. Probes the tablebases, if the rule allows it.
    #[inline]
    fn probe_tablebases(
        &self,
        position: &Position,
        alpha: i32,
        beta: i32,
        depth: i32,
        ply: usize,
    ) -> ProbeResult {
        match &self.shared.probing {
            Some(probing) if probing.applies(position, depth) => {
                self.probe_with_guard(probing, position, alpha, beta, depth, ply)
            }
            _ => ProbeResult::Range(-INFINITE, INFINITE),
        }
    }

    fn probe_with_guard(
        &self,
        probing: &Probing<'_>,
        position: &Position,
        alpha: i32,
        beta: i32,
        depth: i32,
        ply: usize,
    ) -> ProbeResult {
        let Some(wdl) = probing.probe(position) else {
            return ProbeResult::Range(-INFINITE, INFINITE);
        };
        self.shared.tbhits.fetch_add(1, Relaxed);
        let (score, bound) = probing.score(wdl, ply);
        // A tablebase result is stored with more depth than the search.
        let depth = (depth + 6).min(MAX_PLY as i32 - 1);
        let entry = Entry { best: None, score, bound, evaluation: NO_SCORE, depth, tt_pv: false };
        if entry.is_cutoff(alpha, beta) {
            self.shared.table.store(self.table_key(position), ply, entry);
            return ProbeResult::Score(score);
        }
        match bound {
            Bound::Lower => ProbeResult::Range(score, INFINITE),
            _ => ProbeResult::Range(-INFINITE, score),
        }
    }

    /// The move loop, steps 9 to 14.
    #[expect(clippy::too_many_arguments, reason = "these are the arguments of the node")]
    fn search_moves<const PV: bool>(
        &mut self,
        position: &Position,
        mut alpha: i32,
        beta: i32,
        depth: i32,
        ply: usize,
        node_type: NodeType,
        eval: &StaticEval,
    ) -> Result<Found, MultiCut> {
        let is_root = PV && ply == 0;
        let excluded = self.frame(ply).excluded;
        let tt_move = eval.tt_entry.and_then(|entry| entry.best);
        let tt_move = if is_root { Some(self.root[self.line].pv[0]) } else { tt_move };
        let tt_capture = tt_move.is_some_and(|mv| !mv.is_quiet());
        let killers = self.frame(ply).killers;
        let context = self.context(position, ply);
        let mut picker = self.picker(position, PickMode::All, tt_move, ply);
        let check_info = CheckInfo::new(position);
        let mut found = Found { best: -INFINITE, best_move: None, moves: 0 };
        let mut alpha_raises = 0;
        // Children are written in place; the initial value does not matter.
        let mut child = *position;
        while let Some(mv) = self.pick(&mut picker, context, &check_info) {
            if Some(mv) == excluded || is_root && !self.is_root_move(mv) {
                continue;
            }
            found.moves += 1;
            let nodes_before = self.nodes;

            // Step 9. Move pruning: late move pruning, futility, history and SEE pruning.
            let piece_to = PieceTo::of(position, mv);
            let threat_index =
                if mv.is_quiet() { check_info.threat_index(mv) } else { ThreatIndex::default() };
            let history = self.history_of(position, mv, piece_to, threat_index, context);
            let mut reduction = self.lmr_reduction(mv.is_quiet(), depth, found.moves);
            let may_prune = !is_root && !self.shared.seeks_mate && found.best > -LEAST_DECIDED;
            if may_prune && position.has_pieces(position.turn()) {
                let reduced = (depth - reduction / 1024).max(0);
                match self.should_prune(&check_info, mv, depth, reduced, alpha, history, found.moves, eval) {
                    MoveDecision::Search => {}
                    MoveDecision::Prune => continue,
                    MoveDecision::PruneQuiets => {
                        // Late move pruning depends only on the move count: one of the pruned moves should keep the
                        // static evaluation, so the score must not drop below it.
                        if eval.evaluation != NO_SCORE {
                            found.best = found.best.max(alpha.min(eval.evaluation));
                        }
                        picker.skip_quiets();
                        continue;
                    }
                }
            }

            // Step 10. Singular extension of the TT move.
            let mut extension = 0;
            if Some(mv) == tt_move && excluded.is_none() && !is_root && !self.shared.seeks_mate {
                match self.singular_extension::<PV>(position, mv, beta, depth, ply, node_type, eval) {
                    SingularResult::Extend(plies) => extension = plies,
                    SingularResult::MultiCut(score) => {
                        self.put_back(picker);
                        return Err(MultiCut(score));
                    }
                }
                if self.stopped {
                    break;
                }
            }

            // Step 11. Make the move.
            self.make_move(position, mv, threat_index, ply, &mut child);
            let mut new_depth = depth - 1 + extension;
            self.frame(ply + 1).double_extensions += i32::from(extension >= 2);
            let mut score = -INFINITE;

            // Step 12. Late move reductions (LMR): reduced zero-window search, then a re-search at full depth, deeper
            // or shallower by the score (do-deeper, do-shallower).
            let is_late = depth >= 2 && found.moves > 1 + usize::from(is_root) && !self.shared.seeks_mate;
            if is_late {
                reduction += self.lmr_adjustment::<PV>(node_type, eval, mv.is_quiet(), tt_capture);
                reduction += P.lmr_alpha_raise() * alpha_raises;
                reduction -= P.lmr_killer() * i32::from(killers.contains(&Some(mv)));
                reduction -= P.lmr_check() * i32::from(child.is_check());
                reduction -= history / P.lmr_history_divisor();
                if self.frame(ply + 1).cutoffs >= P.lmr_cutoffs_min() {
                    reduction += P.lmr_cutoffs();
                }
                let reduced = (new_depth - reduction / 1024).clamp(1, new_depth.max(1));
                self.frame(ply).reduction = new_depth - reduced;
                score = -self.search::<false>(&child, -alpha - 1, -alpha, reduced, ply + 1, NodeType::Cut);
                self.frame(ply).reduction = 0;
                if score > alpha && reduced < new_depth {
                    new_depth += i32::from(score > found.best + P.deeper_margin());
                    new_depth -= i32::from(score < found.best + P.shallower_margin());
                    if reduced < new_depth {
                        let child_type = node_type.child();
                        score =
                            -self.search::<false>(&child, -alpha - 1, -alpha, new_depth, ply + 1, child_type);
                    }
                }
            } else if !PV || found.moves > 1 {
                let child_type = node_type.child();
                score = -self.search::<false>(&child, -alpha - 1, -alpha, new_depth, ply + 1, child_type);
            }

            // Step 13. Full-window search of the first move of a PV node and of moves that beat alpha.
            if PV && (found.moves == 1 || score > alpha) {
                score = -self.search::<true>(&child, -beta, -alpha, new_depth, ply + 1, NodeType::All);
            }
            self.undo_move();
            if self.stopped {
                break;
            }

            // Step 14. New best move, beta cutoff.
            if is_root {
                self.update_root_move(mv, score, found.moves, (alpha, beta), nodes_before);
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
                        self.update_histories(&check_info, mv, depth, ply, context, picker.tried());
                        break;
                    }
                    alpha = score;
                    alpha_raises += 1;
                }
            }
            if found.best_move != Some(mv) {
                picker.add_tried(mv);
            }
        }
        self.put_back(picker);
        Ok(found)
    }
}

/// Multi-cut: moves besides the TT move beat beta, so the node returns this score.
struct MultiCut(i32);

/// The move picker is moved in and out of the worker by value, so it must stay small.
const _: () = assert!(size_of::<MovePicker>() <= 32);
