//! Terms that depend only on pawns and kings, kept in the pawn cache.

use smalt_chess::{Bitboard, Color, Position};

use super::super::score::PackedScore;
use super::super::trace::{Trace, Weighing};
use super::{complexity, pawns, shelter};

/// Pawn cache entry: score of the pawn and king structure, and data for other terms.
#[derive(Clone, Copy, Default)]
pub(in super::super) struct Structure {
    /// White minus Black.
    pub(in super::super) score: PackedScore,
    /// The passed pawns of both sides.
    pub(super) passed: Bitboard,
    /// The squares that White's and Black's pawns attack now or after advancing.
    pub(super) attack_spans: [Bitboard; 2],
    /// Complexity: endgame centipawns for the leader.
    pub(super) complexity: i32,
    /// Number of files near the white and the black king without an own pawn, 0 to 3.
    pub(super) open_files: [u8; 2],
}

/// Evaluates pawns and kings.
pub(in super::super) fn weigh<T: Trace>(position: &Position, weighing: &mut Weighing<'_, T>) -> Structure {
    let mut structure = Structure::default();
    let white = side(position, Color::White, &mut structure, weighing);
    structure.score = white - side(position, Color::Black, &mut structure, weighing);
    structure.complexity = complexity::of_structure(position, structure.passed, weighing);
    structure
}

/// Evaluates the pawns and the king of a side, and records data for other terms.
// Not inlined: one copy for both sides.
#[inline(never)]
fn side<T: Trace>(
    position: &Position,
    color: Color,
    structure: &mut Structure,
    weighing: &mut Weighing<'_, T>,
) -> PackedScore {
    structure.open_files[color.index()] = shelter::open_files(position, color);
    pawns::weigh(position, color, structure, weighing) + shelter::weigh(position, color, weighing)
}
