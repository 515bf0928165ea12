//! Tables of the squares from which sliders affect a king, computed at compile time.

use crate::attacks::{between, king_attacks, ray_table};
use crate::bitboard::Bitboard;
use crate::square::Square;

pub(super) static DIAGONAL: SliderTables = SliderTables::new(true);
pub(super) static ORTHOGONAL: SliderTables = SliderTables::new(false);

/// Attacks of bishops or rooks on an empty board.
pub(super) struct SliderTables {
    /// By slider square: the attacked squares.
    pub(super) rays: [Bitboard; 64],
    /// By king square: where a slider attacks a square around the king.
    pub(super) zone: [Bitboard; 64],
    /// By king and slider square: the squares between the slider and each square around the king that it attacks.
    pub(super) toward: [[Bitboard; 64]; 64],
}

impl SliderTables {
    const fn new(diagonal: bool) -> SliderTables {
        let mut zone = [Bitboard::EMPTY; 64];
        let mut toward = [[Bitboard::EMPTY; 64]; 64];
        let rays = ray_table(!diagonal);
        let mut slider = 0;
        while slider < 64 {
            let square = Square::from_index(slider);
            let mut king = 0;
            while king < 64 {
                let mut reached = rays[slider].0 & king_attacks(Square::from_index(king)).0;
                while reached != 0 {
                    zone[king].0 |= 1 << slider;
                    toward[king][slider].0 |= between(square, Bitboard(reached).lowest()).0;
                    reached &= reached - 1;
                }
                king += 1;
            }
            slider += 1;
        }
        SliderTables { rays, zone, toward }
    }
}
