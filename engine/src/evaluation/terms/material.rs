//! Material: the value of the pieces and pawns and of their combinations, kept in the material cache.

use smalt_chess::{Color, Position, Role};

use super::super::schema::Term;
use super::super::score::PackedScore;
use super::super::trace::{Trace, Weighing};

/// All roles but the king, with their values.
const ROLES: [(Role, Term); 5] = [
    (Role::Pawn, Term::MaterialPawn),
    (Role::Knight, Term::MaterialKnight),
    (Role::Bishop, Term::MaterialBishop),
    (Role::Rook, Term::MaterialRook),
    (Role::Queen, Term::MaterialQueen),
];

/// Maximum number of pieces of a role in products: more are too rare to be fitted, and a square would outgrow their value.
const MOST: usize = 2;

/// Number of pieces of each color and role.
#[derive(Clone, Copy)]
pub(in super::super) struct Material([[u8; ROLES.len()]; 2]);

impl Material {
    #[inline]
    pub(in super::super) fn of(position: &Position) -> Material {
        Material(Color::ALL.map(|color| ROLES.map(|(role, _)| position.pieces(color, role).count() as u8)))
    }

    /// Key of the material cache, different for different material.
    #[inline]
    pub(in super::super) fn key(self) -> u64 {
        self.0.into_iter().flatten().fold(0, |key, count| key << 6 | u64::from(count))
    }
}

/// White minus Black.
// Not inlined: rarely called.
#[inline(never)]
pub(in super::super) fn weigh<T: Trace>(material: Material, weighing: &mut Weighing<'_, T>) -> PackedScore {
    side(material, Color::White, weighing) - side(material, Color::Black, weighing)
}

fn side<T: Trace>(material: Material, color: Color, weighing: &mut Weighing<'_, T>) -> PackedScore {
    let counts = material.0[color.index()].map(usize::from);
    let limited = |color: Color| {
        let mut counts = material.0[color.index()].map(usize::from);
        counts[1..].iter_mut().for_each(|count| *count = (*count).min(MOST));
        counts
    };
    let (own, enemy) = (limited(color), limited(!color));
    let mut score = PackedScore::ZERO;
    let (mut own_pair, mut enemy_pair) = (0, 0);
    for (index, (_, value)) in ROLES.into_iter().enumerate() {
        score += weighing.weigh(value.first(), counts[index], color);
        for other in &own[..=index] {
            score += weighing.weigh(Term::ImbalanceOwn.at(own_pair), own[index] * other, color);
            own_pair += 1;
        }
        for other in &enemy[..index] {
            score += weighing.weigh(Term::ImbalanceEnemy.at(enemy_pair), own[index] * other, color);
            enemy_pair += 1;
        }
    }
    score
}
