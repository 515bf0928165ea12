//! What earlier nodes teach about moves: which quiet moves and captures refuted, which answers work.
//! Kept from move to move of a game, a set for each thread.

use smalt_chess::{Color, Move, Piece, Position, Role, Square};

use super::params::PARAMETERS as P;

/// No history leaves the range from minus this to plus this.
const MOST: i32 = 16_384;

/// Structures of pawns that are told apart, by a hash.
const STRUCTURES: usize = 512;

/// Pieces times squares.
pub(super) const PLACES: usize = 12 * 64;

/// A piece on the square that it has moved to: the context in which answers are judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place(u16);

impl Place {
    /// No move was made.
    pub(super) const NONE: Place = Place(PLACES as u16);

    /// A piece on a square.
    #[inline]
    pub(super) fn new(piece: Piece, square: Square) -> Place {
        Place((piece.index() * 64 + square.index()) as u16)
    }

    /// Where a legal move brings its piece.
    #[inline]
    pub(super) fn of(position: &Position, mv: Move) -> Place {
        position.piece_at(mv.from()).map_or(Place(0), |piece| Place::new(piece, mv.to()))
    }

    #[inline]
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node reads quiet histories by: whose turn it is, how the pawns stand, and what was moved one, two and four
/// plies before.
#[derive(Clone, Copy)]
pub(super) struct Context {
    pub(super) turn: Color,
    pub(super) pawn_key: u64,
    pub(super) before: [Place; 3],
}

impl Context {
    #[inline]
    fn structure(self) -> usize {
        self.pawn_key as usize % STRUCTURES
    }
}

/// Whether less valuable pieces of the other side attack where a quiet move begins and ends, as they stand before it: a
/// move that saves its piece is another one than the same move at leisure. By default neither.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Exposure(u8);

impl Exposure {
    #[inline]
    pub(super) fn new(begins_attacked: bool, ends_attacked: bool) -> Exposure {
        Exposure(u8::from(begins_attacked) | u8::from(ends_attacked) << 1)
    }

    #[inline]
    fn index(self) -> usize {
        // The mask says that it is less than four.
        usize::from(self.0 & 3)
    }
}

/// The histories of one thread; in the beginning all are zero.
pub(super) struct Histories {
    quiet: [[[i16; 4096]; 4]; 2],
    structure: [[i16; PLACES]; STRUCTURES],
    capture: [[i16; 6]; PLACES],
    continuation: [[i16; PLACES]; PLACES + 1],
}

/// Bonus of a move that refuted at this depth.
pub(super) fn bonus(depth: i32) -> i32 {
    (depth * P.history_bonus() - P.history_bonus_offset()).clamp(0, P.history_bonus_most())
}

/// Malus (negative) of a move that was tried in vain at this depth.
pub(super) fn malus(depth: i32) -> i32 {
    -(depth * P.history_malus() - P.history_malus_offset()).clamp(0, P.history_malus_most())
}

/// Moves a history toward its bound, `most` either way, the slower the nearer it is.
#[inline]
pub(super) fn pull(history: &mut i16, by: i32, most: i32) {
    let old = i32::from(*history);
    *history = (old + by - old * by.abs() / most) as i16;
}

#[inline]
fn squares(mv: Move) -> usize {
    usize::from(mv.to_bits() & 4095)
}

/// What the quiet moves of one node are judged by.
pub(super) struct QuietHistories<'a> {
    squares: &'a [[i16; 4096]; 4],
    structure: &'a [i16; PLACES],
    continuations: [&'a [i16; PLACES]; 3],
}

impl QuietHistories<'_> {
    /// How well a quiet move has done; `place` is where it brings its piece.
    #[inline]
    pub(super) fn of(&self, mv: Move, place: Place, exposure: Exposure) -> i32 {
        let [first, second, third] = self.continuations.map(|row| i32::from(row[place.index()]));
        let structure = i32::from(self.structure[place.index()]);
        i32::from(self.squares[exposure.index()][squares(mv)])
            + structure * P.history_structure_weight() / 1024
            + (first + second + third)
    }
}

impl Histories {
    /// What has been learned of the quiet moves of a node.
    #[inline]
    pub(super) fn quiet_in(&self, context: Context) -> QuietHistories<'_> {
        QuietHistories {
            squares: &self.quiet[context.turn.index()],
            structure: &self.structure[context.structure()],
            continuations: context.before.map(|row| &self.continuation[row.index()]),
        }
    }

    /// How well a quiet move has done; `place` is where it brings its piece.
    #[inline]
    pub(super) fn quiet(&self, context: Context, mv: Move, place: Place, exposure: Exposure) -> i32 {
        self.quiet_in(context).of(mv, place, exposure)
    }

    /// Teaches how a quiet move did.
    pub(super) fn teach_quiet(
        &mut self,
        context: Context,
        mv: Move,
        place: Place,
        exposure: Exposure,
        by: i32,
    ) {
        pull(&mut self.structure[context.structure()][place.index()], by, MOST);
        self.teach_answer(context, mv, place, exposure, by);
    }

    /// Teaches how a quiet move did, but nothing about the pawns that it was made with.
    pub(super) fn teach_answer(
        &mut self,
        context: Context,
        mv: Move,
        place: Place,
        exposure: Exposure,
        by: i32,
    ) {
        pull(&mut self.quiet[context.turn.index()][exposure.index()][squares(mv)], by, MOST);
        for row in context.before {
            if row != Place::NONE {
                pull(&mut self.continuation[row.index()][place.index()], by, MOST);
            }
        }
    }

    /// How well a capture has done.
    #[inline]
    pub(super) fn capture(&self, place: Place, taken: Role) -> i32 {
        i32::from(self.capture[place.index()][taken.index()])
    }

    /// Teaches how a capture did.
    pub(super) fn teach_capture(&mut self, place: Place, taken: Role, by: i32) {
        pull(&mut self.capture[place.index()][taken.index()], by, MOST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Experience;

    #[test]
    fn histories_stay_within_their_bounds() {
        let mut history = 0;
        for _ in 0..10_000 {
            pull(&mut history, bonus(60), MOST);
        }
        assert!(i32::from(history) <= MOST && history > 14_000);
        for _ in 0..10_000 {
            pull(&mut history, malus(60), MOST);
        }
        assert!(i32::from(history) >= -MOST && history < -14_000);
    }

    #[test]
    fn a_quiet_move_is_remembered_after_the_moves_that_it_answered() {
        let position = Position::start();
        let moves = position.legal_moves();
        let (mv, other) = (moves[0], moves[1]);
        let place = Place::of(&position, mv);
        let before = [place, Place::NONE, Place::NONE];
        let context = Context { turn: position.turn(), pawn_key: position.pawn_key(), before };
        let bare = Context { before: [Place::NONE; 3], ..context };
        let mut experience = Experience::new();
        let histories = &mut experience.histories;
        let (safe, fleeing) = (Exposure::default(), Exposure::new(true, false));
        histories.teach_quiet(context, mv, place, safe, bonus(5));
        assert!(histories.quiet(context, mv, place, safe) > histories.quiet(bare, mv, place, safe));
        assert!(histories.quiet(bare, mv, place, safe) > histories.quiet(bare, mv, place, fleeing));
        assert!(histories.quiet(bare, mv, place, fleeing) > 0);
        assert_eq!(histories.quiet(context, other, Place::of(&position, other), safe), 0);
    }
}
