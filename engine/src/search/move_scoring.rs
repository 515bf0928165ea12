//! A scored move list for the move picker: moves are scored as they are generated and picked by highest score. The
//! scores are left to the [`MoveScorer`].

use smalt_chess::{Bitboard, Move, MoveKind, MoveSink, Moves, PawnStep, Position, Square};

/// Moves of a node with their scores, and the moves already searched.
pub(super) struct ScoredMoves {
    moves: Vec<Move>,
    /// As long as `moves`. An entry is the score times [`INDICES`], plus `INDICES` - 1 - index: of equal scores the
    /// first move is the greatest, and the low bits hold the index. Padded with [`NEVER`] up to `end`; all other
    /// entries differ.
    scores: Vec<i32>,
    /// Start and end of the current stage; both are multiples of [`LANES`] once all moves are generated.
    start: usize,
    end: usize,
    /// The next entry of this stage, or [`NEVER`] if none is left; entries picked before were greater. Among captures
    /// it may be a deferred one when no other is left.
    next: i32,
    /// Searched moves that did not raise alpha.
    pub(super) tried: Vec<Move>,
}

/// Upper bound on moves of a position with padding: 62 queens have at most 27 moves each, and the king 8.
const INDICES: i32 = 1 << 11;

/// Bound of scores, either way: quiet moves reach the sum of their histories and bonuses, captures less.
const MAX_SCORE: i32 = (1 << 18) - 1;

/// SIMD lanes of the maximum search.
const LANES: usize = 8;

/// Entry that is never picked.
const NEVER: i32 = i32::MIN;

/// Subtracted from the entry of a bad capture (SEE below zero, or underpromotion), in the unit of
/// [`ScoredMoves::scores`], so that it comes last.
const LOSS: i32 = 1 << 30;

/// Minimum entry of any other move.
const LEAST: i32 = -(1 << 29);

impl Default for ScoredMoves {
    fn default() -> ScoredMoves {
        ScoredMoves {
            moves: Vec::new(),
            scores: Vec::new(),
            start: 0,
            end: 0,
            next: NEVER,
            tried: Vec::new(),
        }
    }
}

impl ScoredMoves {
    pub(super) fn clear(&mut self) {
        (self.start, self.end, self.next) = (0, 0, NEVER);
        self.tried.clear();
    }

    /// Starts a new, empty stage.
    pub(super) fn begin_stage(&mut self) {
        (self.start, self.next) = (self.end, NEVER);
    }

    /// Returns to the first of two stages, for the bad captures.
    pub(super) fn return_to_first_stage(&mut self) {
        // All later entries have been picked.
        (self.start, self.end, self.next) = (0, self.start, LEAST);
        self.advance();
    }

    /// Generates and scores the legal moves of a kind into the empty stage, except those in `known`, which must be
    /// legal.
    #[inline(always)]
    pub(super) fn fill<const N: usize>(
        &mut self,
        position: &Position,
        wanted: Moves,
        known: [Option<Move>; N],
        scorer: impl MoveScorer,
    ) {
        let origins = known.into_iter().flatten().map(Move::from).collect();
        position.generate(wanted, &mut Filler { scored: self, known, origins, scorer });
        self.make_room(0);
        self.scores[self.end..self.end + LANES].fill(NEVER);
        self.end = self.end.next_multiple_of(LANES);
    }

    /// Reserves space for `count` more moves and padding.
    #[inline]
    fn make_room(&mut self, count: usize) {
        let length = self.end + count + LANES;
        debug_assert!(self.end + count <= INDICES as usize);
        if self.scores.len() < length {
            self.grow(2 * length);
        }
    }

    #[cold]
    fn grow(&mut self, length: usize) {
        self.moves.resize(length, Move::new(Square::A1, Square::A1, MoveKind::Quiet));
        self.scores.resize(length, NEVER);
    }

    /// Appends the moves to all targets, with their scores.
    #[inline(always)]
    fn extend(&mut self, targets: Bitboard, scored_move: impl Fn(Square) -> (Move, i32)) {
        let count = targets.count();
        self.make_room(count);
        let range = self.end..self.end + count;
        let (moves, scores) = (&mut self.moves[range.clone()], &mut self.scores[range]);
        let (mut next, mut low_bits) = (self.next, INDICES - 1 - self.end as i32);
        let mut rest = targets.0;
        for (mv, packed) in moves.iter_mut().zip(scores) {
            let (scored, score) = scored_move(Square::from_index(rest.trailing_zeros() as usize));
            rest &= rest.wrapping_sub(1);
            debug_assert!(score.abs() <= MAX_SCORE);
            (*mv, *packed) = (scored, score * INDICES + low_bits);
            next = next.max(*packed);
            low_bits -= 1;
        }
        (self.next, self.end) = (next, self.end + count);
    }

    #[inline]
    pub(super) fn peek(&self) -> Option<Move> {
        (self.next > NEVER).then(|| self.moves[index_of(self.next)])
    }

    /// The next move, unless only bad captures are left.
    #[inline]
    pub(super) fn peek_good(&self) -> Option<Move> {
        (self.next >= LEAST).then(|| self.moves[index_of(self.next)])
    }

    /// Advances to the next entry.
    #[inline]
    pub(super) fn advance(&mut self) {
        let (lanes, _) = self.scores[self.start..self.end].as_chunks::<LANES>();
        let greater = |best: [i32; LANES], lanes: &[i32; LANES]| {
            let left = lanes.map(|score| if score < self.next { score } else { NEVER });
            std::array::from_fn(|lane| best[lane].max(left[lane]))
        };
        self.next = lanes.iter().fold([NEVER; LANES], greater).into_iter().fold(NEVER, i32::max);
    }

    /// Picks the next move.
    #[inline]
    pub(super) fn take(&mut self) -> Option<Move> {
        let mv = self.peek()?;
        self.advance();
        Some(mv)
    }

    /// Defers the next move, a bad capture, to the last stage.
    #[inline]
    pub(super) fn defer_bad_capture(&mut self) {
        let score = self.next;
        // Before the store below, to avoid a store-forwarding stall.
        self.advance();
        self.scores[index_of(score)] = score - LOSS;
    }
}

/// Scores the moves of a stage.
pub(super) trait MoveScorer {
    /// Data shared by the moves of one piece.
    type Mover;

    /// Data of the piece on a square.
    fn mover(&self, from: Square) -> Self::Mover;

    /// The score of a move of that piece, between -[`MAX_SCORE`] and [`MAX_SCORE`].
    fn score(&self, mover: &Self::Mover, mv: Move) -> i32;
}

/// Scores moves as they are generated.
struct Filler<'a, R, const N: usize> {
    scored: &'a mut ScoredMoves,
    known: [Option<Move>; N],
    /// The origins of the known moves.
    origins: Bitboard,
    scorer: R,
}

impl<R, const N: usize> Filler<'_, R, N> {
    /// The targets without those of known moves from the same square. Two moves never share both squares, since
    /// promotions are not generated here.
    #[inline(always)]
    fn without_known(&self, targets: Bitboard, begins: impl Fn(Move) -> bool) -> Bitboard {
        let known = self.known.into_iter().flatten().filter(|&mv| begins(mv));
        known.fold(targets, |targets, mv| targets - mv.to().into())
    }
}

impl<R: MoveScorer, const N: usize> MoveSink for Filler<'_, R, N> {
    #[inline(always)]
    fn piece(&mut self, from: Square, targets: Bitboard, captures: Bitboard) {
        if targets.any() {
            self.add_piece_moves(from, targets, captures);
        }
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, step: PawnStep, kind: MoveKind) {
        if targets.any() {
            self.add_pawn_moves(targets, step, kind);
        }
    }

    fn single(&mut self, mv: Move) {
        if !self.known.contains(&Some(mv)) {
            let score = self.scorer.score(&self.scorer.mover(mv.from()), mv);
            self.scored.extend(mv.to().into(), |_| (mv, score));
        }
    }
}

impl<R: MoveScorer, const N: usize> Filler<'_, R, N> {
    // Not inlined: one copy for all pieces of both sides, per kind of moves.
    #[inline(never)]
    fn add_piece_moves(&mut self, from: Square, targets: Bitboard, captures: Bitboard) {
        let targets = if self.origins.contains(from) {
            self.without_known(targets, |mv| mv.from() == from)
        } else {
            targets
        };
        let mover = self.scorer.mover(from);
        self.scored.extend(targets, |to| {
            let kind = if captures.contains(to) { MoveKind::Capture } else { MoveKind::Quiet };
            let mv = Move::new(from, to, kind);
            (mv, self.scorer.score(&mover, mv))
        });
    }

    // Not inlined: one copy for all steps of both sides, per kind of moves.
    #[inline(never)]
    fn add_pawn_moves(&mut self, targets: Bitboard, step: PawnStep, kind: MoveKind) {
        let targets = self.without_known(targets, |mv| mv.from() == step.origin(mv.to()));
        self.scored.extend(targets, |to| {
            let mv = Move::new(step.origin(to), to, kind);
            (mv, self.scorer.score(&self.scorer.mover(mv.from()), mv))
        });
    }
}

/// The move index of an entry in [`ScoredMoves::scores`].
#[inline]
fn index_of(score: i32) -> usize {
    (INDICES - 1 - (score & (INDICES - 1))) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use smalt_chess::MoveList;

    /// More moves than any reachable position has.
    const MANY: &str = "knQQQQQQ/ppQ4Q/QQ5Q/Q6Q/Q6Q/Q6Q/Q6Q/QQQQQQQK w - - 0 1";

    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

    /// A score for each move, with many ties, up to both bounds.
    fn some_score(mv: Move) -> i32 {
        (i32::from(mv.to_bits()) * 37 % 7 - 3) * (MAX_SCORE / 3)
    }

    struct SomeScorer;

    impl MoveScorer for SomeScorer {
        type Mover = Square;

        fn mover(&self, from: Square) -> Square {
            from
        }

        fn score(&self, &from: &Square, mv: Move) -> i32 {
            assert_eq!(from, mv.from());
            some_score(mv)
        }
    }

    #[test]
    fn moves_are_picked_by_score_and_of_equal_score_as_generated() {
        // One buffer for all, with leftovers of the last position.
        let mut scored = ScoredMoves::default();
        for fen in [
            MANY,
            KIWIPETE,
            "rn2k3/P1P3p1/8/3pP2K/8/8/8/8 w - d6 0 1",
            "r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1",
            "7k/8/6Q1/8/8/8/8/K7 b - - 0 1",
        ] {
            let position: Position = fen.parse().unwrap();
            for sort in [Moves::All, Moves::Captures, Moves::Quiets] {
                let mut moves = MoveList::new();
                position.generate(sort, &mut moves);
                for known in moves.iter().map(|&mv| Some(mv)).chain([None]) {
                    let mut expected: Vec<Move> =
                        moves.iter().copied().filter(|&mv| Some(mv) != known).collect();
                    expected.sort_by_key(|&mv| std::cmp::Reverse(some_score(mv)));
                    scored.clear();
                    scored.fill(&position, sort, [None, known], SomeScorer);
                    let taken: Vec<Move> = std::iter::from_fn(|| scored.take()).collect();
                    assert_eq!(taken, expected, "without {known:?} in {fen}");
                    assert_eq!(scored.take(), None);
                }
            }
        }
    }

    #[test]
    fn bad_captures_come_last_by_score() {
        let position: Position = KIWIPETE.parse().unwrap();
        let moves = position.legal_moves();
        let is_even = |mv: Move| mv.to_bits().is_multiple_of(2);
        for keeps in [|_| true, |_| false, is_even] {
            let mut scored = ScoredMoves::default();
            scored.fill(&position, Moves::All, [None], SomeScorer);
            let mut picked = Vec::new();
            while let Some(mv) = scored.peek_good() {
                if keeps(mv) {
                    picked.extend(scored.take());
                } else {
                    scored.defer_bad_capture();
                }
            }
            scored.begin_stage();
            scored.return_to_first_stage();
            picked.extend(std::iter::from_fn(|| scored.take()));
            let mut expected = moves.to_vec();
            expected.sort_by_key(|&mv| (!keeps(mv), std::cmp::Reverse(some_score(mv))));
            assert_eq!(picked, expected);
        }
    }
}
