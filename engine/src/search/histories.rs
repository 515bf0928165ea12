//! History heuristics: butterfly (main) history with threats, pawn history, continuation history (1, 2, 4 and
//! 6 plies back) and capture history. Kept between the moves of a game, one set per thread.

use smalt_chess::{Color, Move, Piece, Position, Role, Square};

use super::params::PARAMETERS as P;

/// Bound of every history entry, either way.
const MAX_HISTORY: i32 = 16_384;

/// Entries of pawn history, indexed by the pawn key.
const PAWN_KEYS: usize = 512;

/// Number of piece-to indices: 12 pieces times 64 squares.
pub(super) const PIECE_TO_COUNT: usize = 12 * 64;

/// Index of a piece and its destination square, as continuation history uses it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PieceTo(u16);

impl PieceTo {
    /// No move was made.
    pub(super) const NONE: PieceTo = PieceTo(PIECE_TO_COUNT as u16);

    /// A piece on a square.
    #[inline]
    pub(super) fn new(piece: Piece, square: Square) -> PieceTo {
        PieceTo((piece.index() * 64 + square.index()) as u16)
    }

    /// The moving piece and destination of a legal move.
    #[inline]
    pub(super) fn of(position: &Position, mv: Move) -> PieceTo {
        position.piece_at(mv.from()).map_or(PieceTo(0), |piece| PieceTo::new(piece, mv.to()))
    }

    #[inline]
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Distances in plies of the moves of continuation history.
pub(super) const CONTINUATION_PLIES: [usize; 4] = [1, 2, 4, 6];

/// Selects the quiet histories of a node: side to move, pawn structure, and the moves [`CONTINUATION_PLIES`] back.
#[derive(Clone, Copy)]
pub(super) struct Context {
    pub(super) turn: Color,
    pub(super) pawn_key: u64,
    pub(super) before: [PieceTo; 4],
    /// In check, only the last two moves are updated.
    pub(super) in_check: bool,
}

impl Context {
    #[inline]
    fn pawn(self) -> usize {
        self.pawn_key as usize % PAWN_KEYS
    }
}

/// Whether less valuable enemy pieces attack the origin and the destination of a quiet move. Index of main history. By
/// default neither is attacked.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct ThreatIndex(u8);

impl ThreatIndex {
    #[inline]
    pub(super) fn new(from_threatened: bool, to_threatened: bool) -> ThreatIndex {
        ThreatIndex(u8::from(from_threatened) | u8::from(to_threatened) << 1)
    }

    #[inline]
    fn index(self) -> usize {
        // The mask tells the optimizer that it is below four.
        usize::from(self.0 & 3)
    }
}

/// The history tables of one thread, zero at the start.
pub(super) struct Histories {
    /// By side, origin, threat index and destination: the moves of a piece are together.
    quiet: [[[[i16; 64]; 4]; 64]; 2],
    pawn: [[i16; PIECE_TO_COUNT]; PAWN_KEYS],
    capture: [[i16; 6]; PIECE_TO_COUNT],
    continuation: [[i16; PIECE_TO_COUNT]; PIECE_TO_COUNT + 1],
}

/// History bonus of a move that failed high at this depth.
pub(super) fn bonus(depth: i32) -> i32 {
    (depth * P.history_bonus() - P.history_bonus_offset()).clamp(0, P.history_bonus_max())
}

/// History malus (negative) of a move that did not fail high at this depth.
pub(super) fn malus(depth: i32) -> i32 {
    -(depth * P.history_malus() - P.history_malus_offset()).clamp(0, P.history_malus_max())
}

/// Adds a bonus or malus with gravity: the nearer an entry is to ±`bound`, the smaller the change.
#[inline]
pub(super) fn apply_gravity(history: &mut i16, by: i32, bound: i32) {
    let old = i32::from(*history);
    *history = (old + by - old * by.abs() / bound) as i16;
}

/// The history tables that score the quiet moves of one node.
pub(super) struct QuietHistories<'a> {
    squares: &'a [[[i16; 64]; 4]; 64],
    pawn: &'a [i16; PIECE_TO_COUNT],
    continuations: [&'a [i16; PIECE_TO_COUNT]; 4],
}

impl QuietHistories<'_> {
    /// History score of a quiet move.
    #[inline]
    pub(super) fn of(&self, mv: Move, piece_to: PieceTo, threat_index: ThreatIndex) -> i32 {
        let [first, second, fourth, sixth] = self.continuations.map(|row| i32::from(row[piece_to.index()]));
        let pawn = i32::from(self.pawn[piece_to.index()]);
        i32::from(self.squares[mv.from().index()][threat_index.index()][mv.to().index()])
            + pawn * P.pawn_history_weight() / 1024
            + (2 * (first + second + fourth) + sixth)
    }
}

impl Histories {
    /// The tables that score the quiet moves of a node.
    #[inline]
    pub(super) fn quiet_in(&self, context: Context) -> QuietHistories<'_> {
        QuietHistories {
            squares: &self.quiet[context.turn.index()],
            pawn: &self.pawn[context.pawn()],
            continuations: context.before.map(|row| &self.continuation[row.index()]),
        }
    }

    /// History score of a quiet move.
    #[inline]
    pub(super) fn quiet(
        &self,
        context: Context,
        mv: Move,
        piece_to: PieceTo,
        threat_index: ThreatIndex,
    ) -> i32 {
        self.quiet_in(context).of(mv, piece_to, threat_index)
    }

    /// Adds a bonus or malus to all quiet histories of a move.
    pub(super) fn update_quiet(
        &mut self,
        context: Context,
        mv: Move,
        piece_to: PieceTo,
        threat_index: ThreatIndex,
        by: i32,
    ) {
        apply_gravity(&mut self.pawn[context.pawn()][piece_to.index()], by, MAX_HISTORY);
        self.update_main_and_continuation(context, mv, piece_to, threat_index, by);
    }

    /// Adds a bonus or malus to main and continuation history, but not to pawn history.
    pub(super) fn update_main_and_continuation(
        &mut self,
        context: Context,
        mv: Move,
        piece_to: PieceTo,
        threat_index: ThreatIndex,
        by: i32,
    ) {
        apply_gravity(
            &mut self.quiet[context.turn.index()][mv.from().index()][threat_index.index()][mv.to().index()],
            by,
            MAX_HISTORY,
        );
        self.update_continuations(context, piece_to, by);
    }

    /// Adds a bonus or malus to continuation history, with gravity by the sum of the entries instead of each entry.
    fn update_continuations(&mut self, context: Context, piece_to: PieceTo, by: i32) {
        let updated = if context.in_check { 2 } else { context.before.len() };
        let rows = context.before[..updated].iter().filter(|&&row| row != PieceTo::NONE);
        let entry = |row: &PieceTo| i32::from(self.continuation[row.index()][piece_to.index()]);
        let sum: i32 = rows.clone().map(entry).sum();
        let change = by - sum * by.abs() / MAX_HISTORY;
        for row in rows {
            let entry = &mut self.continuation[row.index()][piece_to.index()];
            *entry = (i32::from(*entry) + change).clamp(-MAX_HISTORY, MAX_HISTORY) as i16;
        }
    }

    #[inline]
    pub(super) fn capture(&self, piece_to: PieceTo, taken: Role) -> i32 {
        i32::from(self.capture[piece_to.index()][taken.index()])
    }

    /// Adds a bonus or malus to capture history.
    pub(super) fn update_capture(&mut self, piece_to: PieceTo, taken: Role, by: i32) {
        apply_gravity(&mut self.capture[piece_to.index()][taken.index()], by, MAX_HISTORY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::ThreadHistories;

    #[test]
    fn histories_stay_within_their_bounds() {
        let mut history = 0;
        for _ in 0..10_000 {
            apply_gravity(&mut history, bonus(60), MAX_HISTORY);
        }
        assert!(i32::from(history) <= MAX_HISTORY && history > 14_000);
        for _ in 0..10_000 {
            apply_gravity(&mut history, malus(60), MAX_HISTORY);
        }
        assert!(i32::from(history) >= -MAX_HISTORY && history < -14_000);
    }

    #[test]
    fn continuation_history_counts_only_after_the_same_moves() {
        let position = Position::start();
        let moves = position.legal_moves();
        let (mv, other) = (moves[0], moves[1]);
        let piece_to = PieceTo::of(&position, mv);
        let before = [piece_to, PieceTo::NONE, PieceTo::NONE, PieceTo::NONE];
        let context =
            Context { turn: position.turn(), pawn_key: position.pawn_key(), before, in_check: false };
        let bare = Context { before: [PieceTo::NONE; 4], ..context };
        let mut tables = ThreadHistories::new().unwrap();
        let histories = &mut tables.histories;
        let (safe, fleeing) = (ThreatIndex::default(), ThreatIndex::new(true, false));
        histories.update_quiet(context, mv, piece_to, safe, bonus(5));
        assert!(histories.quiet(context, mv, piece_to, safe) > histories.quiet(bare, mv, piece_to, safe));
        assert!(histories.quiet(bare, mv, piece_to, safe) > histories.quiet(bare, mv, piece_to, fleeing));
        assert!(histories.quiet(bare, mv, piece_to, fleeing) > 0);
        assert_eq!(histories.quiet(context, other, PieceTo::of(&position, other), safe), 0);
    }
}
