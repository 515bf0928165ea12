//! Terms that depend only on pawns and kings, kept in the pawn cache.

use smalt_chess::{Color, Position};

use super::super::score::PackedScore;
use super::super::trace::{Trace, Weighing};
use super::{Structure, complexity, pawns, shelter};

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
    let score = pawns::weigh(position, color, structure, weighing);
    score + shelter::weigh(position, color, structure, weighing)
}
