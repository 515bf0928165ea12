//! Terms that depend only on pawns, kept in the pawn cache, and those that depend only on pawns and kings, kept in the
//! pawn-king cache.

use smalt_chess::{Color, Position};

use super::super::score::PackedScore;
use super::super::trace::{Trace, Weighing};
use super::{PawnStructure, Structure, complexity, pawns, shelter};

/// Evaluates the pawns alone.
pub(in super::super) fn weigh_pawns<T: Trace>(
    position: &Position,
    weighing: &mut Weighing<'_, T>,
) -> PawnStructure {
    let mut structure = PawnStructure::default();
    let white = pawns::weigh(position, Color::White, &mut structure, weighing);
    structure.score = white - pawns::weigh(position, Color::Black, &mut structure, weighing);
    structure
}

/// Evaluates pawns and kings.
pub(in super::super) fn weigh_pawns_and_kings<T: Trace>(
    position: &Position,
    pawns: &PawnStructure,
    weighing: &mut Weighing<'_, T>,
) -> Structure {
    let mut structure = Structure { score: pawns.score, passed: pawns.passed, ..Structure::default() };
    let white = side(position, Color::White, &mut structure, weighing);
    let black = side(position, Color::Black, &mut structure, weighing);
    structure.score += white - black;
    structure.complexity = complexity::of_structure(position, structure.passed, weighing);
    structure
}

/// Evaluates the king of a side and its pawns with both kings, and records data for other terms.
// Not inlined: one copy for both sides.
#[inline(never)]
fn side<T: Trace>(
    position: &Position,
    color: Color,
    structure: &mut Structure,
    weighing: &mut Weighing<'_, T>,
) -> PackedScore {
    let score = pawns::weigh_with_kings(position, color, weighing);
    score + shelter::weigh(position, color, structure, weighing)
}
