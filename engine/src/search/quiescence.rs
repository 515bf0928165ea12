//! Quiescence search: captures and promotions that do not lose material by SEE, and all evasions when in check.

use smalt_chess::{Move, Position};
use smalt_protocol::Bound;

use super::check_info::CheckInfo;
use super::histories::ThreatIndex;
use super::move_picker::{PickMode, is_minor_promotion};
use super::params::{PARAMETERS as P, exchange_values};
use super::score::{INFINITE, LEAST_DECIDED, MAX_PLY, NO_SCORE, is_decided, mated_in};
use super::transposition::Entry;
use super::worker::Worker;

impl Worker<'_> {
    /// Quiescence search. Returns a fail-soft score from the side to move's point of view.
    pub(super) fn qsearch<const PV: bool>(
        &mut self,
        position: &Position,
        mut alpha: i32,
        beta: i32,
        ply: usize,
    ) -> i32 {
        // Step 1. Limits and draws.
        if PV {
            self.frame(ply).pv.clear();
        }
        if self.enter_node(ply) {
            return 0;
        }
        if let Some(score) = self.check_draw(position, &mut alpha, beta, ply) {
            return score;
        }
        let in_check = position.is_check();
        if ply >= MAX_PLY {
            return if in_check { 0 } else { self.evaluate(position) };
        }

        // Step 2. Transposition table cutoff.
        let tt_entry = self.shared.table.probe(self.table_key(position), ply);
        if let Some(entry) = tt_entry
            && !PV
            && entry.is_cutoff(alpha, beta)
        {
            return entry.score;
        }

        self.prefetch_tt_move(position, tt_entry);

        // Step 3. Stand pat.
        let (raw, mut best) = if in_check {
            (NO_SCORE, -INFINITE)
        } else {
            let indices = self.correction_indices(position, ply);
            let raw = match tt_entry {
                Some(entry) if entry.evaluation != NO_SCORE => entry.evaluation,
                _ => self.evaluate(position),
            };
            let evaluation = self.corrected(position, raw, indices);
            (raw, tt_entry.and_then(|entry| entry.better_estimate(evaluation)).unwrap_or(evaluation))
        };
        if best >= beta {
            if !is_decided(best) {
                best += (beta - best) * P.quiescence_fail_high_weight() / 1024;
            }
            if tt_entry.is_none() {
                let bound = Bound::Lower;
                let entry = Entry { best: None, score: best, bound, evaluation: raw, depth: 0, tt_pv: false };
                self.shared.table.store(self.table_key(position), ply, entry);
            }
            return best;
        }
        let stand_pat = best;
        let first_alpha = alpha;
        alpha = alpha.max(best);

        // Step 4. The move loop.
        let wanted = if in_check { PickMode::All } else { PickMode::WinningCaptures(0) };
        let tt_move = tt_entry.and_then(|entry| entry.best);
        let mut picker = self.picker(position, wanted, tt_move, ply);
        let context = self.context(position, ply);
        let retaken = self.earlier(ply, 1).taken_on;
        let mut best_move = None;
        let mut moves = 0;
        let check_info = CheckInfo::new(position);
        // Children are written in place; the initial value does not matter.
        let mut child = *position;
        while let Some(mv) = self.pick(&mut picker, context, &check_info) {
            moves += 1;

            // Step 5. Move pruning.
            if best > -LEAST_DECIDED {
                // Step 5a. Quiet evasions, once one evasion is known.
                if in_check && mv.is_quiet() {
                    break;
                }
                if !in_check {
                    // Step 5b. Underpromotions.
                    if is_minor_promotion(mv) {
                        continue;
                    }
                    // Step 5c. Futility pruning and move count pruning.
                    let futility_value = stand_pat + P.quiescence_margin() + gain(position, mv);
                    let is_late = moves > P.quiescence_captures() && Some(mv.to()) != retaken;
                    if (is_late || futility_value <= alpha) && !check_info.gives_check(mv) {
                        best = if futility_value <= alpha { best.max(futility_value) } else { best };
                        continue;
                    }
                }
            }

            // Step 6. Search the move.
            self.make_move(position, mv, ThreatIndex::default(), ply, &mut child);
            let score = -self.qsearch::<PV>(&child, -beta, -alpha, ply + 1);
            self.undo_move();
            if self.stopped {
                break;
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    if PV {
                        self.set_pv(ply, mv);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
        }
        self.put_back(picker);
        if self.stopped {
            return 0;
        }

        // Step 7. Checkmate.
        if in_check && moves == 0 {
            return mated_in(ply);
        }

        // Step 8. Store in the transposition table.
        let bound = match best {
            _ if best >= beta => Bound::Lower,
            _ if PV && best > first_alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        let tt_pv = tt_entry.is_some_and(|entry| entry.tt_pv);
        let entry = Entry { best: best_move, score: best, bound, evaluation: raw, depth: 0, tt_pv };
        self.shared.table.store(self.table_key(position), ply, entry);
        best
    }
}

/// Material gained by a capture or promotion, in centipawns.
#[inline]
fn gain(position: &Position, mv: Move) -> i32 {
    let taken = position.captured_role(mv).map_or(0, |role| exchange_values()[role.index()]);
    let promoted = mv.promoted_to().map_or(0, |role| exchange_values()[role.index()] - exchange_values()[0]);
    taken + promoted
}
