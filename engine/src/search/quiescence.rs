//! The quiescence node: only captures and promotions that don't lose material, or all moves out of check, until
//! the static evaluation can be trusted.

use smalt_chess::{Move, Position};
use smalt_protocol::Bound;

use super::histories::Exposure;
use super::ordering::{Wanted, is_minor_promotion};
use super::outlook::Outlook;
use super::params::{PARAMETERS as P, exchange_values};
use super::score::{INFINITE, LEAST_DECIDED, MAX_PLY, NO_SCORE, is_decided, mated_in};
use super::transposition::Entry;
use super::worker::Worker;

impl Worker<'_> {
    /// The score of a position once it has come to rest; exact between the bounds, else on the right side of them.
    pub(super) fn quiesce<const PV: bool>(
        &mut self,
        position: &Position,
        mut alpha: i32,
        beta: i32,
        ply: usize,
    ) -> i32 {
        // 1. Limits and draws.
        if PV {
            self.frame(ply).pv.clear();
        }
        if self.enter_node(ply) {
            return 0;
        }
        if let Some(score) = self.drawn(position, &mut alpha, beta, ply) {
            return score;
        }
        let in_check = position.is_check();
        if ply >= MAX_PLY {
            return if in_check { 0 } else { self.evaluate(position) };
        }

        // 2. The table.
        let known = self.shared.table.probe(self.table_key(position), ply);
        if let Some(entry) = known
            && !PV
            && is_cutoff(&entry, alpha, beta)
        {
            return entry.score;
        }

        self.prefetch_after_known(position, known);

        // 3. Standing pat: the side to move need not capture.
        let (raw, mut best) = if in_check {
            (NO_SCORE, -INFINITE)
        } else {
            let spots = self.corrections_at(position, ply);
            let raw = match known {
                Some(entry) if entry.evaluation != NO_SCORE => entry.evaluation,
                _ => self.evaluate(position),
            };
            let evaluation = self.corrected(position, raw, spots);
            (raw, known.and_then(|entry| better_estimate(&entry, evaluation)).unwrap_or(evaluation))
        };
        if best >= beta {
            if !is_decided(best) {
                best += (beta - best) * P.quiescence_fail_high_weight() / 1024;
            }
            if known.is_none() {
                let bound = Bound::Lower;
                let entry =
                    Entry { best: None, score: best, bound, evaluation: raw, depth: 0, was_pv: false };
                self.shared.table.store(self.table_key(position), ply, entry);
            }
            return best;
        }
        let standing = best;
        let first_alpha = alpha;
        alpha = alpha.max(best);

        // 4. The moves.
        let wanted = if in_check { Wanted::All } else { Wanted::CapturesWinning(0) };
        let table_move = known.and_then(|entry| entry.best);
        let mut picker = self.picker(position, wanted, table_move, ply);
        let context = self.context(position, ply);
        let retaken = self.earlier(ply, 1).taken_on;
        let mut best_move = None;
        let mut moves = 0;
        let outlook = Outlook::new(position);
        // A place for the children: any position will do.
        let mut child = *position;
        while let Some(mv) = self.pick(&mut picker, context, &outlook) {
            moves += 1;

            // 5. Captures that can't lift the score to alpha, and quiet moves where an evasion is known.
            if best > -LEAST_DECIDED {
                if in_check && mv.is_quiet() {
                    break;
                }
                if !in_check {
                    if is_minor_promotion(mv) {
                        continue;
                    }
                    let reach = standing + P.quiescence_margin() + gain(position, mv);
                    let is_late = moves > P.quiescence_captures() && Some(mv.to()) != retaken;
                    if (is_late || reach <= alpha) && !outlook.gives_check(mv) {
                        best = if reach <= alpha { best.max(reach) } else { best };
                        continue;
                    }
                }
            }

            // 6. Search it.
            self.play(position, mv, Exposure::default(), ply, &mut child);
            let score = -self.quiesce::<PV>(&child, -beta, -alpha, ply + 1);
            self.take_back();
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

        // 7. Checkmate.
        if in_check && moves == 0 {
            return mated_in(ply);
        }

        // 8. Remember it.
        let bound = match best {
            _ if best >= beta => Bound::Lower,
            _ if PV && best > first_alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        let was_pv = known.is_some_and(|entry| entry.was_pv);
        let entry = Entry { best: best_move, score: best, bound, evaluation: raw, depth: 0, was_pv };
        self.shared.table.store(self.table_key(position), ply, entry);
        best
    }
}

/// Whether a known score already decides against these bounds.
#[inline]
pub(super) fn is_cutoff(entry: &Entry, alpha: i32, beta: i32) -> bool {
    match entry.bound {
        Bound::Exact => true,
        Bound::Lower => entry.score >= beta,
        Bound::Upper => entry.score <= alpha,
    }
}

/// A known score that bounds the static evaluation on its wrong side, so that it is the better guess.
#[inline]
pub(super) fn better_estimate(entry: &Entry, evaluation: i32) -> Option<i32> {
    let is_better = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => entry.score > evaluation,
        Bound::Upper => entry.score < evaluation,
    };
    (is_better && !is_decided(entry.score)).then_some(entry.score)
}

/// The piece that a capture takes and what a promotion adds, in centipawns.
#[inline]
fn gain(position: &Position, mv: Move) -> i32 {
    let taken = position.captured_role(mv).map_or(0, |role| exchange_values()[role.index()]);
    let promoted = mv.promoted_to().map_or(0, |role| exchange_values()[role.index()] - exchange_values()[0]);
    taken + promoted
}
