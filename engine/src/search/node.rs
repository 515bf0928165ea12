//! The search node: principal variation search with everything that lets it look at less than all. The steps are
//! numbered, so that each idea has its place; none of them may blind the search to mates.

use smalt_chess::{Color, Move, Position, Role};

use super::histories::{Context, Place, bonus, malus};
use super::ordering::{Picker, Wanted};
use super::params::{EXCHANGE, PARAMETERS as P};
use super::quiescence::{better_estimate, is_cutoff};
use super::score::{INFINITE, LEAST_MATE, MAX_PLY, NO_SCORE, is_mate, mate_in, mated_in};
use super::transposition::{Bound, Entry};
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
    fn of_child(self) -> Expected {
        match self {
            Expected::Cut => Expected::All,
            Expected::All => Expected::Cut,
        }
    }
}

/// What the node knows before it looks at moves.
struct Judged {
    known: Option<Entry>,
    /// Static evaluation as it came, for the table.
    raw: i32,
    /// Corrected, or [`NO_SCORE`] in check.
    evaluation: i32,
    /// The best guess at the score.
    estimate: i32,
    /// Better than two plies (or four) before.
    is_improving: bool,
    was_pv: bool,
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
            if self.is_draw(position, ply) {
                return self.draw_score();
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

        // 3. The table.
        let known = if excluded.is_some() { None } else { self.shared.table.probe(position.key(), ply) };
        if let Some(entry) = known
            && !PV
            && entry.depth >= depth
            && position.halfmove_clock() < 90
            && is_cutoff(&entry, alpha, beta)
        {
            return entry.score;
        }

        // 4. The static evaluation.
        let judged = self.judge::<PV>(position, known, ply);

        // 5. Off the principal variation: what decides without looking at every move.
        if !PV && !in_check && excluded.is_none() && !self.shared.seeks_mate {
            let decided = self.decide_early(position, alpha, beta, depth, ply, expected, &judged);
            if decided.is_some() || self.stopped {
                return decided.unwrap_or(0);
            }
        }

        // 6. Without a move from the table a deep search would be badly ordered.
        let table_move = known.and_then(|entry| entry.best);
        if depth >= P.iterative_reduction_depth
            && (PV || expected == Expected::Cut)
            && table_move.is_none()
            && excluded.is_none()
            && !self.shared.seeks_mate
        {
            depth -= 1;
        }

        // 7 to 12. The moves.
        let first_alpha = alpha;
        let found = self.search_moves::<PV>(position, alpha, beta, depth, ply, expected, &judged);
        if self.stopped {
            return 0;
        }
        let found = match found {
            Ok(found) => found,
            Err(Refuted(score)) => return score,
        };

        // 13. Checkmate and stalemate.
        if found.moves == 0 {
            return match excluded {
                Some(_) => alpha,
                None if in_check => mated_in(ply),
                None => 0,
            };
        }

        // 14. Remember it.
        let best = found.best;
        let bound = match best {
            _ if best >= beta => Bound::Lower,
            _ if PV && best > first_alpha => Bound::Exact,
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
                self.shared.table.store(position.key(), ply, entry);
            }
            self.correct(position, depth, &judged, &found, bound);
        }
        best
    }

    fn judge<const PV: bool>(&mut self, position: &Position, known: Option<Entry>, ply: usize) -> Judged {
        let was_pv = PV || known.is_some_and(|entry| entry.was_pv);
        if position.is_check() {
            self.frame(ply).evaluation = NO_SCORE;
            let (raw, evaluation) = (NO_SCORE, NO_SCORE);
            return Judged { known, raw, evaluation, estimate: NO_SCORE, is_improving: false, was_pv };
        }
        let raw = match known {
            Some(entry) if entry.evaluation != NO_SCORE => entry.evaluation,
            _ => self.evaluate(position),
        };
        let evaluation = self.corrected(position, raw);
        let estimate = known.and_then(|entry| better_estimate(&entry, evaluation)).unwrap_or(evaluation);
        self.frame(ply).evaluation = evaluation;
        let before = [2, 4].map(|plies| self.earlier(ply, plies).evaluation);
        let before = before.into_iter().find(|&evaluation| evaluation != NO_SCORE);
        let is_improving = before.is_some_and(|before| evaluation > before);
        Judged { known, raw, evaluation, estimate, is_improving, was_pv }
    }

    /// Steps 5a to 5d: a score that decides the node, if one can be had cheaply.
    #[expect(clippy::too_many_arguments, reason = "these are the arguments of the node")]
    fn decide_early(
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

        // 5a. Reverse futility: so far above beta that the opponent won't catch up in the depth left.
        let margin = P.reverse_futility_margin * (depth - i32::from(judged.is_improving));
        if depth <= P.reverse_futility_depth && estimate - margin >= beta && !is_mate(beta) {
            return Some((estimate + beta) / 2);
        }

        // 5b. Razoring: so far below alpha that only captures can help.
        if depth <= P.razoring_depth && estimate + P.razoring_margin * depth <= alpha {
            let score = self.quiesce::<false>(position, alpha, alpha + 1, ply);
            if score <= alpha || self.stopped {
                return Some(score);
            }
        }

        // 5c. The null move: if even passing keeps the score above beta, some move will.
        if depth >= P.null_move_depth
            && estimate >= beta
            && judged.evaluation >= beta
            && self.earlier(ply, 1).made != Place::NONE
            && !is_mate(beta)
            && has_pieces(position, position.turn())
        {
            let score_part = ((estimate - beta) / P.null_move_score_divisor).clamp(0, P.null_move_score_most);
            let saved = P.null_move_reduction + depth / P.null_move_depth_divisor + score_part;
            let child = self.play_null(position, ply);
            let score =
                -self.search::<false>(&child, -beta, 1 - beta, depth - saved, ply + 1, expected.of_child());
            self.take_back();
            if self.stopped {
                return None;
            }
            if score >= beta {
                return Some(if is_mate(score) { beta } else { score });
            }
        }

        // 5d. ProbCut: a capture that beats beta by far in a shallow search will do so in a deep one.
        self.try_captures_above(position, beta, depth, ply, expected, judged)
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
        let goal = beta + P.probcut_margin;
        let is_hopeless = judged.known.is_some_and(|entry| entry.depth >= depth - 3 && entry.score < goal);
        if depth < P.probcut_depth || is_mate(beta) || is_hopeless {
            return None;
        }
        let wanted = Wanted::CapturesWinning((goal - judged.evaluation).max(0));
        let table_move = judged.known.and_then(|entry| entry.best);
        let mut picker = self.picker(position, wanted, table_move, ply);
        let context = self.context(position.turn(), ply);
        let mut decided = None;
        while let Some(mv) = self.pick(&mut picker, position, context) {
            let child = self.play(position, mv, ply);
            let mut score = -self.quiesce::<false>(&child, -goal, 1 - goal, ply + 1);
            if score >= goal {
                let child_expected = expected.of_child();
                score = -self.search::<false>(&child, -goal, 1 - goal, depth - 4, ply + 1, child_expected);
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
                    depth: depth - 3,
                    was_pv: judged.was_pv,
                };
                self.shared.table.store(position.key(), ply, entry);
                decided = Some(if is_mate(score) { score } else { score - P.probcut_margin });
                break;
            }
        }
        self.put_back(picker);
        decided
    }

    /// Steps 7 to 12.
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
        let context = self.context(position.turn(), ply);
        let mut picker = self.picker(position, Wanted::All, table_move, ply);
        let mut tried = self.tried_buffer();
        let mut found = Found { best: -INFINITE, best_move: None, moves: 0 };
        while let Some(mv) = self.pick(&mut picker, position, context) {
            if Some(mv) == excluded || is_root && !self.is_root_move(mv) {
                continue;
            }
            found.moves += 1;
            let nodes_before = self.nodes;

            // 7. Moves that are most likely useless are left out.
            let place = Place::of(position, mv);
            let history = self.history_of(position, mv, place, context);
            let mut reduction = self.reduction(mv.is_quiet(), depth, found.moves);
            let may_prune = !is_root && !self.shared.seeks_mate && found.best > -LEAST_MATE;
            if may_prune && has_pieces(position, position.turn()) {
                let reduced = (depth - reduction / 1024).max(0);
                match self.is_useless(position, mv, depth, reduced, alpha, history, found.moves, judged) {
                    Verdict::Look => {}
                    Verdict::Skip => continue,
                    Verdict::SkipQuiets => {
                        picker.skip_quiets();
                        continue;
                    }
                }
            }

            // 8. Extensions.
            let mut extension = 0;
            if Some(mv) == table_move && excluded.is_none() && !is_root && !self.shared.seeks_mate {
                match self.extend::<PV>(position, mv, beta, depth, ply, expected, judged) {
                    Extension::Plies(plies) => extension = plies,
                    Extension::Refuted(score) => {
                        self.put_back(picker);
                        self.put_back_tried(tried);
                        return Err(Refuted(score));
                    }
                }
                if self.stopped {
                    break;
                }
            }

            // 9. Play the move.
            let child = self.play(position, mv, ply);
            let new_depth = depth - 1 + extension;
            let mut score = -INFINITE;

            // 10. Late moves are searched less deep, with a null window; deeper if they surprise.
            let is_late = depth >= 2 && found.moves > 1 + usize::from(is_root) && !self.shared.seeks_mate;
            if is_late {
                reduction += self.adjustment::<PV>(expected, judged, mv.is_quiet(), is_table_capture);
                reduction -= P.reduction_killer * i32::from(killers.contains(&Some(mv)));
                reduction -= P.reduction_check * i32::from(child.is_check());
                reduction -= history / P.reduction_history_divisor;
                let least = (new_depth - reduction / 1024).clamp(1, new_depth.max(1));
                score = -self.search::<false>(&child, -alpha - 1, -alpha, least, ply + 1, Expected::Cut);
                if score > alpha && least < new_depth {
                    let child_expected = expected.of_child();
                    score =
                        -self.search::<false>(&child, -alpha - 1, -alpha, new_depth, ply + 1, child_expected);
                }
            } else if !PV || found.moves > 1 {
                let child_expected = expected.of_child();
                score = -self.search::<false>(&child, -alpha - 1, -alpha, new_depth, ply + 1, child_expected);
            }

            // 11. The first move of a principal variation, and what beats it, gets the whole window.
            if PV && (found.moves == 1 || score > alpha) {
                score = -self.search::<true>(&child, -beta, -alpha, new_depth, ply + 1, Expected::All);
            }
            self.take_back();
            if self.stopped {
                break;
            }

            // 12. What the move brought.
            if is_root {
                self.note_root_move(mv, score, found.moves, alpha, nodes_before);
            }
            if score > found.best {
                found.best = score;
                if score > alpha {
                    found.best_move = Some(mv);
                    if PV {
                        self.set_pv(ply, mv);
                    }
                    if score >= beta {
                        self.teach(position, mv, depth, ply, context, &tried);
                        break;
                    }
                    alpha = score;
                }
            }
            if found.best_move != Some(mv) {
                tried.push(mv);
            }
        }
        self.put_back(picker);
        self.put_back_tried(tried);
        Ok(found)
    }

    #[inline]
    fn history_of(&self, position: &Position, mv: Move, place: Place, context: Context) -> i32 {
        match position.captured_role(mv) {
            Some(role) => self.histories.capture(place, role),
            None => self.histories.quiet(context, mv, place),
        }
    }

    /// Step 7: whether to look at a move at all. A check is always looked at where only the score speaks against
    /// the move.
    #[expect(clippy::too_many_arguments, reason = "each one is a reason to look or not")]
    #[inline]
    fn is_useless(
        &self,
        position: &Position,
        mv: Move,
        depth: i32,
        reduced: i32,
        alpha: i32,
        history: i32,
        number: usize,
        judged: &Judged,
    ) -> Verdict {
        if mv.is_quiet() {
            let most = (P.late_move_pruning_base + depth * depth) / (2 - i32::from(judged.is_improving));
            if depth <= P.late_move_pruning_depth && number as i32 > most {
                return Verdict::SkipQuiets;
            }
            if reduced <= P.history_pruning_depth && history < -P.history_pruning_margin * (reduced + 1) {
                return Verdict::Skip;
            }
            let reach = judged.evaluation + P.futility_base + P.futility_margin * reduced;
            let in_check = judged.evaluation == NO_SCORE;
            if reduced <= P.futility_depth && !in_check && reach <= alpha && !position.gives_check(mv) {
                return Verdict::Skip;
            }
        }
        if depth <= P.exchange_pruning_depth {
            let most = if mv.is_quiet() {
                P.exchange_pruning_quiet * reduced * reduced
            } else {
                P.exchange_pruning_capture * depth
            };
            if !position.exchange_reaches(mv, -most, &EXCHANGE) {
                return Verdict::Skip;
            }
        }
        Verdict::Look
    }

    /// Step 8: how much deeper the table's move is searched. A move much better than all others deserves it; where
    /// several beat beta, the node is refuted.
    #[expect(clippy::too_many_arguments, reason = "these are the arguments of the node")]
    fn extend<const PV: bool>(
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
        let is_candidate = depth >= P.singular_depth
            && entry.depth >= depth - 3
            && entry.bound != Bound::Upper
            && !is_mate(entry.score);
        if !is_candidate {
            return Extension::Plies(0);
        }
        let goal = entry.score - P.singular_margin * depth;
        self.frame(ply).excluded = Some(mv);
        let score = self.search::<false>(position, goal - 1, goal, (depth - 1) / 2, ply, expected);
        self.frame(ply).excluded = None;
        if score < goal {
            let is_alone = !PV && score < goal - P.singular_double_margin;
            return Extension::Plies(1 + i32::from(is_alone));
        }
        if goal >= beta {
            return Extension::Refuted(goal);
        }
        Extension::Plies(if entry.score >= beta { -1 } else { 0 })
    }

    #[inline]
    fn adjustment<const PV: bool>(
        &self,
        expected: Expected,
        judged: &Judged,
        is_quiet: bool,
        is_table_capture: bool,
    ) -> i32 {
        let mut more = P.reduction_not_improving * i32::from(!judged.is_improving);
        more += P.reduction_not_pv * i32::from(!judged.was_pv);
        more += P.reduction_cut_node * i32::from(!PV && expected == Expected::Cut);
        more + P.reduction_table_capture * i32::from(is_quiet && is_table_capture)
    }

    /// Whether the root may play the move, in the line that is being looked for.
    fn is_root_move(&self, mv: Move) -> bool {
        self.root[self.line..].iter().any(|root_move| root_move.mv == mv)
    }

    fn note_root_move(&mut self, mv: Move, score: i32, number: usize, alpha: i32, nodes_before: u64) {
        let (nodes, selective_depth) = (self.nodes - nodes_before, self.selective_depth);
        let line = self.line;
        let below = self.frame(1).pv.clone();
        let Some(root_move) = self.root[line..].iter_mut().find(|root_move| root_move.mv == mv) else {
            return;
        };
        root_move.nodes += nodes;
        if number == 1 || score > alpha {
            root_move.score = score;
            root_move.selective_depth = selective_depth;
            root_move.pv.truncate(1);
            root_move.pv.extend(below);
        } else {
            root_move.score = -INFINITE;
        }
    }

    /// Teaches the histories that a move refuted, and that those tried before it did not.
    fn teach(
        &mut self,
        position: &Position,
        mv: Move,
        depth: i32,
        ply: usize,
        context: Context,
        tried: &[Move],
    ) {
        let (bonus, malus) = (bonus(depth), malus(depth));
        if mv.is_quiet() {
            let killers = &mut self.frame(ply).killers;
            if killers[0] != Some(mv) {
                *killers = [Some(mv), killers[0]];
            }
            self.histories.teach_quiet(context, mv, Place::of(position, mv), bonus);
            for &quiet in tried.iter().filter(|mv| mv.is_quiet()) {
                self.histories.teach_quiet(context, quiet, Place::of(position, quiet), malus);
            }
        } else if let Some(role) = position.captured_role(mv) {
            self.histories.teach_capture(Place::of(position, mv), role, bonus);
        }
        for &capture in tried {
            if let Some(role) = position.captured_role(capture) {
                self.histories.teach_capture(Place::of(position, capture), role, malus);
            }
        }
    }

    /// Teaches the correction histories, where the score says something about the static evaluation.
    fn correct(&mut self, position: &Position, depth: i32, judged: &Judged, found: &Found, bound: Bound) {
        let is_quiet = found.best_move.is_none_or(Move::is_quiet);
        let says_something = match bound {
            Bound::Exact => true,
            Bound::Lower => found.best > judged.evaluation,
            Bound::Upper => found.best < judged.evaluation,
        };
        if judged.evaluation != NO_SCORE && is_quiet && says_something && !is_mate(found.best) {
            self.histories.teach_correction(position, depth, found.best - judged.raw);
        }
    }
}

/// What becomes of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Look,
    Skip,
    /// Neither this one nor the quiet moves after it.
    SkipQuiets,
}

/// Several moves beat beta, so the node is refuted with this score without a look at the others.
struct Refuted(i32);

/// What the test for singularity says.
enum Extension {
    Plies(i32),
    Refuted(i32),
}

/// Whether a side has more than pawns and king, so that passing is no advantage to it.
#[inline]
fn has_pieces(position: &Position, side: Color) -> bool {
    (position.color(side) - position.role(Role::Pawn) - position.role(Role::King)).any()
}

/// The picker is moved in and out of the worker by value; it has to stay small.
const _: () = assert!(size_of::<Picker>() <= 96);
