//! Dead positions of one simple kind: kings and blocked pawns only, with no pawn in a king's reach. Other dead
//! positions are not detected.

use crate::attacks::{king_attacks, pawn_attack_set};
use crate::bitboard::Bitboard;
use crate::piece::{Color, Role};
use crate::position::Position;

/// Whether there are only kings and pawns, and no pawn can ever move or be captured.
pub(super) fn is_locked(position: &Position) -> bool {
    let pawns = position.role(Role::Pawn);
    position.occupied() == pawns | position.role(Role::King)
        && Color::ALL.into_iter().all(|color| is_blocked(position, color))
        && position.en_passant().is_none()
        && Color::ALL.into_iter().all(|color| is_walled_off(position, color))
}

/// Whether each pawn of a side is blocked by a pawn and has no capture.
fn is_blocked(position: &Position, color: Color) -> bool {
    let own = position.pieces(color, Role::Pawn);
    own.forward(color).is_subset(position.role(Role::Pawn))
        && !pawn_attack_set(color, own).intersects(position.pieces(!color, Role::Pawn))
}

/// Whether the king cannot reach a square next to an enemy pawn that it could capture.
fn is_walled_off(position: &Position, color: Color) -> bool {
    let enemies = position.pieces(!color, Role::Pawn);
    let open = !(position.pieces(color, Role::Pawn) | pawn_attack_set(!color, enemies));
    let mut reached = Bitboard::from(position.king(color));
    loop {
        let grown = reached.into_iter().fold(reached, |all, square| all | king_attacks(square) & open);
        if grown.intersects(enemies) {
            return false;
        }
        if grown == reached {
            return true;
        }
        reached = grown;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(fen: &str, locked: bool) {
        let position = Position::from_fen(fen).unwrap();
        assert_eq!(is_locked(&position), locked, "{fen}");
        assert_eq!(is_locked(&position.mirrored()), locked, "mirror of {fen}");
    }

    #[test]
    fn a_wall_without_a_gap_is_dead() {
        check("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1", true);
        check("8/1k6/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/6K1/8 w - - 0 1", true);
        check("4k3/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/8/4K3 w - - 0 1", true);
    }

    #[test]
    fn positions_that_can_change_are_not_dead() {
        check("4k3/8/8/p1p1p3/P1P1P3/8/8/4K3 w - - 0 1", false);
        check("4k3/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/8/4KN2 w - - 0 1", false);
        check("4k3/8/2p1p1p1/PpPpPpPp/1P1P1P1P/8/8/4K3 w - - 0 1", false);
        check("4k3/8/p1p3p1/PpPpPpPp/1P1P1P1P/8/8/4K3 w - - 0 1", false);
        check("4k3/8/8/pP6/8/8/8/4K3 w - a6 0 1", false);
        check("4k3/8/8/8/8/8/8/4K3 w - - 0 1", true);
    }
}
