//! Check info: check squares and threats of a position, computed lazily, and their move ordering bonuses for quiet moves.

use std::cell::OnceCell;
use std::ops::BitOr;

use smalt_chess::attacks::{bishop_attacks, knight_attacks, pawn_attack_set, rook_attacks};
use smalt_chess::{Bitboard, Checks, Move, Piece, Position, Role, Square};

use super::histories::ThreatIndex;
use super::params::PARAMETERS as P;

/// Check squares of the side to move, and the squares where its pieces are threatened by less valuable ones.
pub(super) struct CheckInfo<'a> {
    pub(super) position: &'a Position,
    checks: OnceCell<Checks>,
    threatened: OnceCell<[Bitboard; 6]>,
}

impl<'a> CheckInfo<'a> {
    pub(super) fn new(position: &'a Position) -> CheckInfo<'a> {
        CheckInfo { position, checks: OnceCell::new(), threatened: OnceCell::new() }
    }

    /// Whether a legal move gives check, discovered checks included.
    #[inline]
    pub(super) fn gives_check(&self, mv: Move) -> bool {
        self.checks.get_or_init(|| self.position.checks()).include(self.position, mv)
    }

    /// The threat index of a quiet move.
    #[inline]
    pub(super) fn threat_index(&self, mv: Move) -> ThreatIndex {
        let threatened = self.threatened()[self.position.moved_role(mv).index()];
        ThreatIndex::new(threatened.contains(mv.from()), threatened.contains(mv.to()))
    }

    /// Bonuses for scoring quiet moves, looked up once per node.
    pub(super) fn quiet_bonuses(&self) -> QuietBonuses<'_> {
        let minor = P.order_threat_minor();
        QuietBonuses {
            position: self.position,
            checks: self.checks.get_or_init(|| self.position.checks()),
            threatened: self.threatened(),
            threat_bonuses: [0, minor, minor, P.order_threat_rook(), P.order_threat_queen(), 0],
        }
    }

    #[inline]
    fn threatened(&self) -> &[Bitboard; 6] {
        self.threatened.get_or_init(|| threatened_by_role(self.position))
    }
}

/// Move ordering bonuses of quiet moves for checks and threats.
pub(super) struct QuietBonuses<'a> {
    position: &'a Position,
    checks: &'a Checks,
    threatened: &'a [Bitboard; 6],
    /// Bonus by role for leaving a threat; moving into one costs half.
    threat_bonuses: [i32; 6],
}

impl QuietBonuses<'_> {
    /// The bonuses for the moves of one piece, except castling.
    #[inline]
    pub(super) fn of(&self, piece: Piece, from: Square) -> QuietBonus {
        let role = piece.role();
        let checking = self.checks.by_moves_of(role, from);
        let threatened = self.threatened[role.index()];
        let from_threatened = threatened.contains(from);
        let threat_bonus = self.threat_bonuses[role.index()];
        let (threat_changes, threat_change_bonus) = if from_threatened {
            (!threatened, threat_bonus)
        } else {
            // A checking move is not penalized.
            (threatened & !checking, -(threat_bonus / 2))
        };
        QuietBonus { checking, threatened, from_threatened, threat_changes, threat_change_bonus }
    }

    /// The bonus of castling, in the unit of [`QuietBonus::to`].
    pub(super) fn castling_bonus(&self, mv: Move) -> i32 {
        P.order_check() * i32::from(self.checks.include(self.position, mv))
    }
}

/// Bonuses for the quiet moves of one piece.
#[derive(Clone, Copy)]
pub(super) struct QuietBonus {
    /// Squares where it gives check.
    checking: Bitboard,
    /// Squares where less valuable enemy pieces attack it.
    threatened: Bitboard,
    from_threatened: bool,
    /// Squares where it leaves a threat, or moves into one without giving check.
    threat_changes: Bitboard,
    /// Bonus there; negative for moving into a threat.
    threat_change_bonus: i32,
}

impl QuietBonus {
    /// Threat index and bonus of its move to a square, in history units.
    #[inline]
    pub(super) fn to(&self, square: Square) -> (ThreatIndex, i32) {
        let threat_index = ThreatIndex::new(self.from_threatened, self.threatened.contains(square));
        let bonus = P.order_check() * i32::from(self.checking.contains(square))
            + self.threat_change_bonus * i32::from(self.threat_changes.contains(square));
        (threat_index, bonus)
    }
}

/// By role, pawn to king: squares attacked by less valuable enemy pieces; empty for pawns and kings. X-rays through the
/// moving piece are ignored, so a queen that stays on a rook's line seems to escape.
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
    fn quiet_moves_get_bonuses_for_checks_and_for_leaving_threats() {
        let (check, minor) = (P.order_check(), P.order_threat_minor());
        let (rook, queen) = (P.order_threat_rook(), P.order_threat_queen());
        for (fen, quiet_bonuses) in [
            // A pawn attacks c4 and e4: a knight or bishop escapes, or moves from one attack to the other.
            ("k7/8/8/3p4/2N5/8/8/K7 w - - 0 1", [("c4e3", minor), ("c4a5", minor)].as_slice()),
            ("k7/8/8/3p1p2/2B5/8/8/K7 w - - 0 1", &[("c4b3", minor), ("c4d3", minor)]),
            ("k7/8/8/3p4/8/1B6/8/K7 w - - 0 1", &[("b3c4", -minor / 2), ("b3a4", 0)]),
            ("k7/8/8/3p1p2/4N3/8/8/K7 w - - 0 1", &[("e4c3", minor), ("e4c5", minor)]),
            // Knights and bishops threaten rooks and queens, but neither each other nor kings and pawns.
            ("7k/8/1n6/8/8/8/R1B1P3/K7 w - - 0 1", &[("a2a4", -rook / 2), ("c2a4", 0), ("e2e4", 0)]),
            ("1k6/8/1n6/8/8/8/R1Q5/K7 w - - 0 1", &[("a2a4", -rook / 2), ("c2a4", -queen / 2), ("a2a3", 0)]),
            ("1k6/8/1n6/8/R1Q5/8/8/K7 w - - 0 1", &[("a4a3", rook), ("c4c1", queen), ("c4b5", queen)]),
            ("1k6/8/1b6/8/3R4/8/8/7K w - - 0 1", &[("d4a4", rook), ("d4d3", rook), ("d4e4", rook)]),
            // Rooks threaten queens, not rooks; exchanging one threat for another scores zero.
            ("1k6/8/8/7r/8/8/Q1R5/K7 w - - 0 1", &[("a2a5", -queen / 2), ("c2c5", 0), ("a2a4", 0)]),
            ("1k6/7n/8/3Q3r/8/8/8/K7 w - - 0 1", &[("d5f5", 0), ("d5d4", queen)]),
            // A check outweighs the threat at its destination.
            ("1k6/p7/8/8/8/8/1K6/6Q1 w - - 0 1", &[("g1b6", check), ("g1g3", check), ("g1g2", 0)]),
        ] {
            let position: Position = fen.parse().unwrap();
            let (check_info, moves) = (CheckInfo::new(&position), position.legal_moves());
            for &(text, bonus) in quiet_bonuses {
                let mv = *moves.iter().find(|mv| format!("{mv:?}") == text).unwrap();
                let piece = position.piece_at(mv.from()).unwrap();
                let found = check_info.quiet_bonuses().of(piece, mv.from()).to(mv.to());
                assert_eq!(found, (check_info.threat_index(mv), bonus), "{text} in {fen}");
            }
        }
    }
}
