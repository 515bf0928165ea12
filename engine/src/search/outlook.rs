//! What a node finds out about all of its moves at once, when one of them first asks.

use std::cell::OnceCell;
use std::ops::BitOr;

use smalt_chess::attacks::{bishop_attacks, knight_attacks, pawn_attack_set, rook_attacks};
use smalt_chess::{Bitboard, Checks, Move, Position, Role};

use super::histories::Exposure;
use super::params::PARAMETERS as P;

/// How the sides' pieces meet in a position.
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

    /// Whether a quiet move begins and ends where less valuable pieces attack.
    #[inline]
    pub(super) fn exposure(&self, mv: Move) -> Exposure {
        exposure(self.threatened(), self.position.moved_role(mv), mv)
    }

    /// For the ranks of many quiet moves.
    pub(super) fn prospects(&self) -> Prospects<'_> {
        let minor = P.order_threat_minor();
        Prospects {
            checks: self.checks.get_or_init(|| self.position.checks()),
            threatened: self.threatened(),
            stakes: [0, minor, minor, P.order_threat_rook(), P.order_threat_queen(), 0],
        }
    }

    #[inline]
    fn threatened(&self) -> &[Bitboard; 6] {
        self.threatened.get_or_init(|| threatened(self.position))
    }
}

/// What the position says of quiet moves besides their histories.
pub(super) struct Prospects<'a> {
    checks: &'a Checks,
    threatened: &'a [Bitboard; 6],
    /// By role: what leaving a threat is worth; walking into one costs half as much.
    stakes: [i32; 6],
}

impl Prospects<'_> {
    /// Whether the move begins and ends where less valuable pieces attack, and how much earlier it is tried than its
    /// histories alone say, in their unit: it may give check, leave a threat or walk into one.
    #[inline]
    pub(super) fn of(&self, position: &Position, mv: Move) -> (Exposure, i32) {
        let role = position.moved_role(mv);
        let exposure = exposure(self.threatened, role, mv);
        let is_check = self.checks.include(position, mv);
        let stake = self.stakes[role.index()];
        let mut promise = P.order_check() * i32::from(is_check);
        promise += stake * i32::from(exposure.leaves_threat());
        // A check often pays for the piece.
        promise -= stake / 2 * i32::from(exposure.meets_threat() & !is_check);
        (exposure, promise)
    }
}

#[inline]
fn exposure(threatened: &[Bitboard; 6], role: Role, mv: Move) -> Exposure {
    let threatened = threatened[role.index()];
    Exposure::new(threatened.contains(mv.from()), threatened.contains(mv.to()))
}

/// By role, pawn to king: the squares where less valuable pieces of the other side attack it; none for pawns and kings.
fn threatened(position: &Position) -> [Bitboard; 6] {
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
    fn less_valuable_pieces_threaten_more_valuable_ones() {
        // Pawns d5 and h7, knight b6, bishop g7, rook h8 and queen e8 are Black's.
        let position: Position = "4q1kr/6bp/1n6/3p4/2N1R3/2B5/Q7/6K1 w - - 0 1".parse().unwrap();
        let outlook = Outlook::new(&position);
        let moves = position.legal_moves();
        let exposure =
            |text: &str| outlook.exposure(*moves.iter().find(|mv| format!("{mv:?}") == text).unwrap());
        for (mv, begins, ends) in [
            // A pawn threatens the knight, which another pawn can't reach on a3; a knight does not threaten it.
            ("c4a3", true, false),
            ("c4a5", true, false),
            ("c4d6", true, false),
            // The rook leaves the pawn's threat for the knight's, the bishop's, or none.
            ("e4g4", true, false),
            ("e4d4", true, true),
            ("e4e8", true, false),
            // Bishops do not threaten bishops, pawns do.
            ("c3d4", false, false),
            ("c3f6", false, false),
            ("c3d2", false, false),
            // The rook threatens the queen, kings are never threatened.
            ("a2a8", false, true),
            ("a2a4", false, true),
            ("a2b2", false, false),
            ("g1g2", false, false),
        ] {
            assert_eq!(exposure(mv), Exposure::new(begins, ends), "{mv}");
        }
    }
}
