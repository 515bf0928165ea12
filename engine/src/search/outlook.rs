//! What a position says of the moves of its side, whatever has been learned of them: found when first asked for, and once
//! for all of them.

use std::cell::OnceCell;
use std::ops::BitOr;

use smalt_chess::attacks::{bishop_attacks, knight_attacks, pawn_attack_set, rook_attacks};
use smalt_chess::{Bitboard, Checks, Move, Piece, Position, Role, Square};

use super::histories::Exposure;
use super::params::PARAMETERS as P;

/// The checks that the side to move can give, and the squares where its pieces are threatened.
pub(super) struct Outlook<'a> {
    pub(super) position: &'a Position,
    checks: OnceCell<Checks>,
    threatened: OnceCell<[Bitboard; 6]>,
}

impl<'a> Outlook<'a> {
    pub(super) fn new(position: &'a Position) -> Outlook<'a> {
        Outlook { position, checks: OnceCell::new(), threatened: OnceCell::new() }
    }

    /// Whether a legal move gives check.
    #[inline]
    pub(super) fn gives_check(&self, mv: Move) -> bool {
        self.checks.get_or_init(|| self.position.checks()).include(self.position, mv)
    }

    /// The exposure of a quiet move.
    #[inline]
    pub(super) fn exposure(&self, mv: Move) -> Exposure {
        let threatened = self.threatened()[self.position.moved_role(mv).index()];
        Exposure::new(threatened.contains(mv.from()), threatened.contains(mv.to()))
    }

    /// What ranks of quiet moves need, looked up once for all of them.
    pub(super) fn promises(&self) -> Promises<'_> {
        let minor = P.order_threat_minor();
        Promises {
            position: self.position,
            checks: self.checks.get_or_init(|| self.position.checks()),
            threatened: self.threatened(),
            stakes: [0, minor, minor, P.order_threat_rook(), P.order_threat_queen(), 0],
        }
    }

    #[inline]
    fn threatened(&self) -> &[Bitboard; 6] {
        self.threatened.get_or_init(|| threatened_by_role(self.position))
    }
}

/// How early quiet moves are tried for what the position says of them.
pub(super) struct Promises<'a> {
    position: &'a Position,
    checks: &'a Checks,
    threatened: &'a [Bitboard; 6],
    /// By role: what leaving a threat is worth; walking into one costs half as much.
    stakes: [i32; 6],
}

impl Promises<'_> {
    /// What moves of a piece promise, castling aside.
    #[inline]
    pub(super) fn of(&self, piece: Piece, from: Square) -> Promise {
        let role = piece.role();
        let checking = self.checks.by_moves_of(role, from);
        let threatened = self.threatened[role.index()];
        let begins_attacked = threatened.contains(from);
        let stake = self.stakes[role.index()];
        let (turning, turn_worth) = if begins_attacked {
            (!threatened, stake)
        } else {
            // A check often pays for the piece.
            (threatened & !checking, -(stake / 2))
        };
        Promise { checking, threatened, begins_attacked, turning, turn_worth }
    }

    /// What castling promises, in the unit of [`Promise::to`].
    pub(super) fn of_castling(&self, mv: Move) -> i32 {
        P.order_check() * i32::from(self.checks.include(self.position, mv))
    }
}

/// What moves of one piece promise.
#[derive(Clone, Copy)]
pub(super) struct Promise {
    /// Where it gives check.
    checking: Bitboard,
    /// Where less valuable pieces attack it.
    threatened: Bitboard,
    begins_attacked: bool,
    /// Where it escapes a threat, or walks into one without check.
    turning: Bitboard,
    /// What that is worth: less than nothing if it walks in.
    turn_worth: i32,
}

impl Promise {
    /// The exposure of its move to a square, and how much earlier that is tried than its histories alone say, in their
    /// unit.
    #[inline]
    pub(super) fn to(&self, square: Square) -> (Exposure, i32) {
        let exposure = Exposure::new(self.begins_attacked, self.threatened.contains(square));
        let promise = P.order_check() * i32::from(self.checking.contains(square))
            + self.turn_worth * i32::from(self.turning.contains(square));
        (exposure, promise)
    }
}

/// By role, pawn to king: the squares where less valuable pieces of the other side attack it; none for pawns and kings. What
/// lies behind a piece that moves away is not seen, so that a queen that stays on a rook's line seems to leave it.
fn threatened_by_role(position: &Position) -> [Bitboard; 6] {
    let enemy = !position.turn();
    let pieces = |role| position.pieces(enemy, role).into_iter();
    let occupied = position.occupied();
    let by_pawns = pawn_attack_set(enemy, position.pieces(enemy, Role::Pawn));
    let knights = pieces(Role::Knight).map(knight_attacks);
    let bishops = pieces(Role::Bishop).map(|square| bishop_attacks(square, occupied));
    let by_minors = knights.chain(bishops).fold(by_pawns, BitOr::bitor);
    let rooks = pieces(Role::Rook).map(|square| rook_attacks(square, occupied));
    let by_rooks = rooks.fold(by_minors, BitOr::bitor);
    [Bitboard::EMPTY, by_pawns, by_pawns, by_minors, by_rooks, Bitboard::EMPTY]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_promise_by_the_checks_they_give_and_the_threats_they_leave() {
        let (check, minor) = (P.order_check(), P.order_threat_minor());
        let (rook, queen) = (P.order_threat_rook(), P.order_threat_queen());
        for (fen, promises) in [
            // A pawn attacks c4 and e4: knights and bishops leave it, or move from one attack to the other.
            ("k7/8/8/3p4/2N5/8/8/K7 w - - 0 1", [("c4e3", minor), ("c4a5", minor)].as_slice()),
            ("k7/8/8/3p1p2/2B5/8/8/K7 w - - 0 1", &[("c4b3", minor), ("c4d3", minor)]),
            ("k7/8/8/3p4/8/1B6/8/K7 w - - 0 1", &[("b3c4", -minor / 2), ("b3a4", 0)]),
            ("k7/8/8/3p1p2/4N3/8/8/K7 w - - 0 1", &[("e4c3", minor), ("e4c5", minor)]),
            // Knights and bishops threaten rooks and queens, but neither each other nor kings and pawns.
            ("7k/8/1n6/8/8/8/R1B1P3/K7 w - - 0 1", &[("a2a4", -rook / 2), ("c2a4", 0), ("e2e4", 0)]),
            ("1k6/8/1n6/8/8/8/R1Q5/K7 w - - 0 1", &[("a2a4", -rook / 2), ("c2a4", -queen / 2), ("a2a3", 0)]),
            ("1k6/8/1n6/8/R1Q5/8/8/K7 w - - 0 1", &[("a4a3", rook), ("c4c1", queen), ("c4b5", queen)]),
            ("1k6/8/1b6/8/3R4/8/8/7K w - - 0 1", &[("d4a4", rook), ("d4d3", rook), ("d4e4", rook)]),
            // Rooks threaten queens, not rooks; one threat for another is neither worth nor cost.
            ("1k6/8/8/7r/8/8/Q1R5/K7 w - - 0 1", &[("a2a5", -queen / 2), ("c2c5", 0), ("a2a4", 0)]),
            ("1k6/7n/8/3Q3r/8/8/8/K7 w - - 0 1", &[("d5f5", 0), ("d5d4", queen)]),
            // A check pays for the threat that it walks into.
            ("1k6/p7/8/8/8/8/1K6/6Q1 w - - 0 1", &[("g1b6", check), ("g1g3", check), ("g1g2", 0)]),
        ] {
            let position: Position = fen.parse().unwrap();
            let (outlook, moves) = (Outlook::new(&position), position.legal_moves());
            for &(text, promise) in promises {
                let mv = *moves.iter().find(|mv| format!("{mv:?}") == text).unwrap();
                let piece = position.piece_at(mv.from()).unwrap();
                let found = outlook.promises().of(piece, mv.from()).to(mv.to());
                assert_eq!(found, (outlook.exposure(mv), promise), "{text} in {fen}");
            }
        }
    }
}
