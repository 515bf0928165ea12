//! Endgames against a lone king that need no search: insufficient material, wrong bishop, KPK (bitbase), KBNK.

mod king_and_pawn;

use std::fmt;

use smalt_chess::attacks::king_attacks;
use smalt_chess::{Bitboard, Color, File, Position, Role, Square};

use super::params::PARAMETERS as P;

/// Outcome of a known endgame, which replaces the evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KnownEnding {
    Draw,
    /// A win, if no piece is hanging and the lone king has a move.
    Win {
        winner: Color,
        /// Evaluation for the winner, in centipawns.
        value: i32,
    },
}

impl KnownEnding {
    /// The outcome of a position, if it is a known endgame.
    pub fn of(position: &Position) -> Option<KnownEnding> {
        if is_known_draw(position) {
            return Some(KnownEnding::Draw);
        }
        let lone = lone_side(position)?;
        Some(KnownEnding::Win { winner: !lone, value: value_against(position, lone)? })
    }
}

impl fmt::Display for KnownEnding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("known endgame, which replaces the evaluation: ")?;
        match *self {
            KnownEnding::Draw => f.write_str("a draw"),
            KnownEnding::Win { winner: Color::White, value } => {
                write!(f, "won for White, {value:+} centipawns")
            }
            KnownEnding::Win { winner: Color::Black, value } => {
                write!(f, "won for Black, {:+} centipawns", -value)
            }
        }
    }
}

/// Whether the endgame is a known draw.
#[inline]
pub(super) fn is_known_draw(position: &Position) -> bool {
    lone_side(position).is_some_and(|lone| is_draw_against(position, lone))
}

/// Evaluation of a known win in centipawns, for the side to move.
#[inline]
pub(super) fn known_win(position: &Position) -> Option<i32> {
    let lone = lone_side(position)?;
    let value = value_against(position, lone)?;
    Some(if position.turn() == lone { -value } else { value })
}

/// The side with a bare king. Correction history does not apply there.
#[inline]
pub(super) fn lone_side(position: &Position) -> Option<Color> {
    Color::ALL.into_iter().find(|&color| !position.color(color).more_than_one())
}

fn is_draw_against(position: &Position, lone: Color) -> bool {
    let strong = !lone;
    let [pawns, knights, bishops] =
        [Role::Pawn, Role::Knight, Role::Bishop].map(|role| position.pieces(strong, role));
    let others = position.color(strong) - position.role(Role::King);
    if pawns.is_empty() {
        return !others.more_than_one() && others.is_subset(knights | bishops) || all_alike(others, bishops);
    }
    let single_pawn = others == pawns && !pawns.more_than_one();
    if single_pawn && !king_and_pawn::is_won(position) {
        return true;
    }
    others == pawns | bishops && is_corner_held(position, lone, pawns, bishops)
}

/// Whether there are only bishops, on squares of one color.
fn all_alike(others: Bitboard, bishops: Bitboard) -> bool {
    others == bishops && (bishops.is_subset(Bitboard::LIGHT) || bishops.is_subset(Bitboard::DARK))
}

/// Wrong rook pawn: all pawns on one rook file, no bishop that controls the promotion square, and the lone king at that
/// corner.
fn is_corner_held(position: &Position, lone: Color, pawns: Bitboard, bishops: Bitboard) -> bool {
    let Some(file) = [File::A, File::H].into_iter().find(|&file| pawns.is_subset(Bitboard::from_file(file)))
    else {
        return false;
    };
    let corner = Square::new(file, lone.rank(smalt_chess::Rank::First));
    let good = if corner.is_light() { Bitboard::LIGHT } else { Bitboard::DARK };
    !bishops.intersects(good) && position.king(lone).distance(corner) <= 1
}

fn value_against(position: &Position, lone: Color) -> Option<i32> {
    let strong = !lone;
    let others = position.color(strong) - position.role(Role::King);
    let of = |role: Role| others & position.role(role);
    if others.count() == 1 && others == of(Role::Pawn) {
        let pawn = others.first()?;
        let rank = if strong == Color::White { pawn.rank().index() } else { 7 - pawn.rank().index() };
        return Some(P.ending_win() + P.ending_pawn_rank() * rank as i32);
    }
    let is_bishop_and_knight = others.count() == 2 && of(Role::Bishop).any() && of(Role::Knight).any();
    is_bishop_and_knight.then(|| {
        let (own, enemy) = (position.king(strong), position.king(lone));
        let corners = if of(Role::Bishop).intersects(Bitboard::LIGHT) {
            [Square::A8, Square::H1]
        } else {
            [Square::A1, Square::H8]
        };
        let to_corner =
            corners.map(|corner| manhattan_distance(enemy, corner)).into_iter().min().unwrap_or_default();
        let apart = |square: Square| i32::from(square.distance(enemy));
        let knight = of(Role::Knight).first().map_or(0, apart);
        let is_free = |&square: &Square| {
            let attackers = position.attackers(square, position.occupied() - enemy.into());
            !attackers.intersects(position.color(strong))
        };
        let free = king_attacks(enemy).into_iter().filter(is_free).count() as i32;
        P.ending_win()
            + P.ending_mate_corner() * (7 - to_corner)
            + P.ending_mate_center() * from_center(enemy)
            - P.ending_mate_king() * apart(own)
            - P.ending_mate_knight() * knight
            - P.ending_mate_free() * free
    })
}

/// Manhattan distance to the nearest of the four center squares.
fn from_center(square: Square) -> i32 {
    [Square::D4, Square::E4, Square::D5, Square::E5]
        .map(|center| manhattan_distance(square, center))
        .into_iter()
        .min()
        .unwrap_or_default()
}

/// Manhattan distance between two squares.
fn manhattan_distance(one: Square, other: Square) -> i32 {
    let files = one.file().index().abs_diff(other.file().index());
    let ranks = one.rank().index().abs_diff(other.rank().index());
    (files + ranks) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_draw(fen: &str, is_draw: bool) {
        let position = Position::from_fen(fen).unwrap();
        assert_eq!(is_known_draw(&position), is_draw, "{fen}");
        assert_eq!(is_known_draw(&position.mirrored()), is_draw, "mirror of {fen}");
    }

    #[test]
    fn insufficient_material_is_a_draw() {
        check_draw("4k3/8/8/8/8/8/8/4K3 w - - 0 1", true);
        check_draw("4k3/8/8/8/8/8/8/4KN2 w - - 0 1", true);
        check_draw("4k3/8/8/8/8/8/8/4KB2 b - - 0 1", true);
        check_draw("4k3/8/8/8/8/3B4/8/4KB2 b - - 0 1", true);
        check_draw("4k3/8/8/8/8/8/3B4/4KB2 b - - 0 1", false);
        check_draw("4k3/8/8/8/8/8/3N4/4KB2 b - - 0 1", false);
        check_draw("4k3/8/8/8/8/8/8/4KR2 b - - 0 1", false);
        check_draw("4k1n1/8/8/8/8/8/8/4KB2 b - - 0 1", false);
    }

    #[test]
    fn the_wrong_rook_pawn_is_a_draw() {
        check_draw("7k/8/8/4K3/7P/3B4/7P/8 w - - 0 1", true);
        check_draw("8/6k1/8/4K3/7P/3B4/8/8 b - - 0 1", true);
        // The bishop controls the corner.
        check_draw("7k/8/8/4K3/7P/2B5/8/8 w - - 0 1", false);
        // The king is too far away.
        check_draw("8/8/5k2/8/4K2P/3B4/8/8 w - - 0 1", false);
        // There is another pawn.
        check_draw("7k/8/8/4K3/6PP/3B4/8/8 w - - 0 1", false);
        check_draw("k7/8/1K6/P7/P7/8/8/8 w - - 0 1", true);
    }

    #[test]
    fn kbnk_drives_the_king_to_the_corner_of_the_bishop() {
        let value = |fen: &str| known_win(&Position::from_fen(fen).unwrap()).unwrap();
        let right = value("k7/8/1K6/8/8/2N5/8/5B2 w - - 0 1");
        let wrong = value("7k/8/6K1/8/8/2N5/8/5B2 w - - 0 1");
        assert!(right > wrong + 200, "{right} {wrong}");
        assert_eq!(value("k7/8/1K6/8/8/2N5/8/5B2 b - - 0 1"), -right);
        assert_eq!(known_win(&Position::start()), None);
    }

    #[test]
    fn known_endgames_are_printed_from_whites_view() {
        let text =
            |fen: &str| KnownEnding::of(&Position::from_fen(fen).unwrap()).map(|known| known.to_string());
        let check = |fen: &str, end: &str| {
            let line = text(fen).unwrap();
            assert!(line.ends_with(end), "{fen}: {line}");
        };
        check("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", ": a draw");
        let value = P.ending_win() + 4 * P.ending_pawn_rank();
        check("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", &format!(": won for White, +{value} centipawns"));
        check("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", &format!(": won for White, +{value} centipawns"));
        check("8/8/8/8/4p3/4k3/8/4K3 w - - 0 1", &format!(": won for Black, -{value} centipawns"));
        assert_eq!(text("4k3/8/8/8/8/8/8/4KQ2 w - - 0 1"), None);
    }
}
