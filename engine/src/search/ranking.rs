//! The moves of a node with how early each is tried: ranked as they are generated, handed out by rank. Knows no reasons for
//! ranks.

use smalt_chess::{Bitboard, Move, MoveKind, MoveSink, Moves, PawnStep, Position, Square};

/// Moves of a node, how early to try each, and which of them were searched in vain.
pub(super) struct Ranked {
    moves: Vec<Move>,
    /// As long as `moves`. A move's rank times [`INDICES`], plus `INDICES` - 1 - its index: of equal ranks the first is the
    /// greatest, and the low bits tell the index. [`NEVER`] behind the last one up to `end`; else no two are equal.
    ranks: Vec<i32>,
    /// Where the moves of the stage begin and end; both are multiples of [`LANES`], the end once all moves are there.
    start: usize,
    end: usize,
    /// Of `ranks`, the one that comes next in this stage, or [`NEVER`] if none is left; those before it were greater. Among
    /// captures, one that was put aside when no other is left.
    next: i32,
    /// Moves that were searched and did not raise alpha.
    pub(super) tried: Vec<Move>,
}

/// More than any position has moves, and what fills the lanes behind its captures: 62 queens have 27 each at most, and the
/// king 8.
const INDICES: i32 = 1 << 11;

/// No rank is farther from zero: quiet moves reach six histories and what checks and threats are worth, captures less.
const GREATEST_RANK: i32 = (1 << 18) - 1;

/// Ranks that the processor compares at once.
const LANES: usize = 8;

/// The rank of what must not be handed out.
const NEVER: i32 = i32::MIN;

/// Taken from the rank of a capture that is put aside (it loses material, or promotes to less than a queen), in the unit
/// of [`Ranked::ranks`], so that it comes after all others.
const LOSS: i32 = 1 << 30;

/// The least that a move without a loss has, in that unit.
const LEAST: i32 = -(1 << 29);

impl Default for Ranked {
    fn default() -> Ranked {
        Ranked { moves: Vec::new(), ranks: Vec::new(), start: 0, end: 0, next: NEVER, tried: Vec::new() }
    }
}

impl Ranked {
    /// Forgets all moves.
    pub(super) fn clear(&mut self) {
        (self.start, self.end, self.next) = (0, 0, NEVER);
        self.tried.clear();
    }

    /// A new stage begins, as yet without moves.
    pub(super) fn begin_stage(&mut self) {
        (self.start, self.next) = (self.end, NEVER);
    }

    /// Goes back to the first stage, of two, for what was put aside there.
    pub(super) fn return_to_first_stage(&mut self) {
        // All others, from there up, have been handed out.
        (self.start, self.end, self.next) = (0, self.start, LEAST);
        self.advance();
    }

    /// Fills the stage, which has no moves yet, with the legal moves of a sort. Those that are `known`, which have to
    /// be legal, stay out.
    #[inline(always)]
    pub(super) fn fill<const N: usize>(
        &mut self,
        position: &Position,
        wanted: Moves,
        known: [Option<Move>; N],
        ranker: impl Ranker,
    ) {
        position.generate(wanted, &mut Filler { ranked: self, known, ranker });
        self.make_room(0);
        self.ranks[self.end..self.end + LANES].fill(NEVER);
        self.end = self.end.next_multiple_of(LANES);
    }

    /// Makes room for so many more moves, and for the lanes behind them.
    #[inline]
    fn make_room(&mut self, count: usize) {
        let length = self.end + count + LANES;
        debug_assert!(self.end + count <= INDICES as usize);
        if self.ranks.len() < length {
            self.grow(2 * length);
        }
    }

    #[cold]
    fn grow(&mut self, length: usize) {
        self.moves.resize(length, Move::new(Square::A1, Square::A1, MoveKind::Quiet));
        self.ranks.resize(length, NEVER);
    }

    /// Appends the moves to each of the targets, with their ranks.
    #[inline(always)]
    fn extend(&mut self, targets: Bitboard, ranked_move: impl Fn(Square) -> (Move, i32)) {
        self.make_room(targets.count());
        let length = self.ranks.len();
        let (moves, ranks) = (&mut self.moves[..length], &mut self.ranks[..length]);
        for to in targets {
            let (mv, rank) = ranked_move(to);
            debug_assert!(rank.abs() <= GREATEST_RANK);
            let unique = rank * INDICES + INDICES - 1 - self.end as i32;
            (moves[self.end], ranks[self.end]) = (mv, unique);
            self.next = self.next.max(unique);
            self.end += 1;
        }
    }

    /// The move that comes next.
    #[inline]
    pub(super) fn peek(&self) -> Option<Move> {
        (self.next > NEVER).then(|| self.moves[index_of(self.next)])
    }

    /// The move that comes next, unless only those are left that were put aside.
    #[inline]
    pub(super) fn peek_unless_aside(&self) -> Option<Move> {
        (self.next >= LEAST).then(|| self.moves[index_of(self.next)])
    }

    /// Goes on to the greatest rank below the one that comes next.
    #[inline]
    pub(super) fn advance(&mut self) {
        let (lanes, _) = self.ranks[self.start..self.end].as_chunks::<LANES>();
        let greater = |best: [i32; LANES], lanes: &[i32; LANES]| {
            let left = lanes.map(|rank| if rank < self.next { rank } else { NEVER });
            std::array::from_fn(|lane| best[lane].max(left[lane]))
        };
        self.next = lanes.iter().fold([NEVER; LANES], greater).into_iter().fold(NEVER, i32::max);
    }

    /// Hands out the move that comes next.
    #[inline]
    pub(super) fn take(&mut self) -> Option<Move> {
        let mv = self.peek()?;
        self.advance();
        Some(mv)
    }

    /// Puts the move that comes next aside, for the last stage.
    #[inline]
    pub(super) fn put_aside(&mut self) {
        let rank = self.next;
        // First, for the processor would have to wait for a rank that it has just written.
        self.advance();
        self.ranks[index_of(rank)] = rank - LOSS;
    }
}

/// Says how early the moves of a stage are tried.
pub(super) trait Ranker {
    /// What the moves of one piece have in common.
    type Mover;

    /// The piece on a square.
    fn mover(&self, from: Square) -> Self::Mover;

    /// The rank of a move of that piece, at most [`GREATEST_RANK`] from zero.
    fn rank(&self, mover: &Self::Mover, mv: Move) -> i32;
}

/// Ranks moves as they are generated.
struct Filler<'a, R, const N: usize> {
    ranked: &'a mut Ranked,
    known: [Option<Move>; N],
    ranker: R,
}

impl<R, const N: usize> Filler<'_, R, N> {
    /// The targets without those of known moves that begin where these do. No two moves share both squares: none
    /// promotes.
    #[inline(always)]
    fn without_known(&self, targets: Bitboard, begins: impl Fn(Move) -> bool) -> Bitboard {
        let known = self.known.into_iter().flatten().filter(|&mv| begins(mv));
        known.fold(targets, |targets, mv| targets - mv.to().into())
    }
}

impl<R: Ranker, const N: usize> MoveSink for Filler<'_, R, N> {
    // Not inlined: one copy for all pieces of both sides, for each sort of moves.
    #[inline(never)]
    fn piece(&mut self, from: Square, targets: Bitboard, captures: Bitboard) {
        let targets = self.without_known(targets, |mv| mv.from() == from);
        let mover = self.ranker.mover(from);
        self.ranked.extend(targets, |to| {
            let kind = if captures.contains(to) { MoveKind::Capture } else { MoveKind::Quiet };
            let mv = Move::new(from, to, kind);
            (mv, self.ranker.rank(&mover, mv))
        });
    }

    // Not inlined: one copy for all steps of both sides, for each sort of moves.
    #[inline(never)]
    fn pawns(&mut self, targets: Bitboard, step: PawnStep, kind: MoveKind) {
        let targets = self.without_known(targets, |mv| mv.from() == step.origin(mv.to()));
        self.ranked.extend(targets, |to| {
            let mv = Move::new(step.origin(to), to, kind);
            (mv, self.ranker.rank(&self.ranker.mover(mv.from()), mv))
        });
    }

    fn single(&mut self, mv: Move) {
        if !self.known.contains(&Some(mv)) {
            let rank = self.ranker.rank(&self.ranker.mover(mv.from()), mv);
            self.ranked.extend(mv.to().into(), |_| (mv, rank));
        }
    }
}

/// The index of a move by its rank in [`Ranked::ranks`].
#[inline]
fn index_of(rank: i32) -> usize {
    (INDICES - 1 - (rank & (INDICES - 1))) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use smalt_chess::MoveList;

    /// More moves than play can reach.
    const MANY: &str = "knQQQQQQ/ppQ4Q/QQ5Q/Q6Q/Q6Q/Q6Q/Q6Q/QQQQQQQK w - - 0 1";

    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

    /// Some rank for each move, many of them equal, to the very ends of what a rank may be.
    fn some_rank(mv: Move) -> i32 {
        (i32::from(mv.to_bits()) * 37 % 7 - 3) * (GREATEST_RANK / 3)
    }

    struct SomeRanker;

    impl Ranker for SomeRanker {
        type Mover = Square;

        fn mover(&self, from: Square) -> Square {
            from
        }

        fn rank(&self, &from: &Square, mv: Move) -> i32 {
            assert_eq!(from, mv.from());
            some_rank(mv)
        }
    }

    #[test]
    fn all_but_the_known_move_come_by_rank_and_of_equal_rank_as_generated() {
        // One buffer for all, with what the position before has left in it.
        let mut ranked = Ranked::default();
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
                    expected.sort_by_key(|&mv| std::cmp::Reverse(some_rank(mv)));
                    ranked.clear();
                    ranked.fill(&position, sort, [None, known], SomeRanker);
                    let taken: Vec<Move> = std::iter::from_fn(|| ranked.take()).collect();
                    assert_eq!(taken, expected, "without {known:?} in {fen}");
                    assert_eq!(ranked.take(), None);
                }
            }
        }
    }

    #[test]
    fn what_is_put_aside_comes_last_in_its_own_order() {
        let position: Position = KIWIPETE.parse().unwrap();
        let moves = position.legal_moves();
        let is_even = |mv: Move| mv.to_bits().is_multiple_of(2);
        for keeps in [|_| true, |_| false, is_even] {
            let mut ranked = Ranked::default();
            ranked.fill(&position, Moves::All, [None], SomeRanker);
            let mut picked = Vec::new();
            while let Some(mv) = ranked.peek_unless_aside() {
                if keeps(mv) {
                    picked.extend(ranked.take());
                } else {
                    ranked.put_aside();
                }
            }
            ranked.begin_stage();
            ranked.return_to_first_stage();
            picked.extend(std::iter::from_fn(|| ranked.take()));
            let mut expected = moves.to_vec();
            expected.sort_by_key(|&mv| (!keeps(mv), std::cmp::Reverse(some_rank(mv))));
            assert_eq!(picked, expected);
        }
    }
}
