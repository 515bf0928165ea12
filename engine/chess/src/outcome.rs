//! Results of games and the rules that end them. Repetitions and moves are counted by [`crate::Game`].

mod dead;

use std::fmt;

use crate::bitboard::Bitboard;
use crate::piece::{Color, Role};
use crate::position::Position;

/// Result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// This color wins.
    Win(Color),
    /// A draw by any rule or by agreement.
    Draw,
}

impl Outcome {
    /// What White scores: 1, 0 or one half.
    pub fn white_score(self) -> f64 {
        match self {
            Outcome::Win(Color::White) => 1.0,
            Outcome::Win(Color::Black) => 0.0,
            Outcome::Draw => 0.5,
        }
    }

    /// Parses `1-0`, `0-1` or `1/2-1/2`; also `1/2` and `½-½`.
    pub fn parse(text: &str) -> Option<Outcome> {
        match text {
            "1-0" => Some(Outcome::Win(Color::White)),
            "0-1" => Some(Outcome::Win(Color::Black)),
            "1/2-1/2" | "1/2" | "½-½" => Some(Outcome::Draw),
            _ => None,
        }
    }
}

impl fmt::Display for Outcome {
    /// In PGN notation: `1-0`, `0-1` or `1/2-1/2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outcome::Win(Color::White) => "1-0",
            Outcome::Win(Color::Black) => "0-1",
            Outcome::Draw => "1/2-1/2",
        })
    }
}

/// The rule that ends a game. Article numbers are from the FIDE Laws of Chess of 2023.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ending {
    /// The side to move is in check and has no move (5.1.1).
    Checkmate {
        /// The side that gives mate.
        winner: Color,
    },
    /// The side to move is not in check and has no move (5.2.1).
    Stalemate,
    /// Neither side has the material to ever mate (5.2.2).
    InsufficientMaterial,
    /// Dead position: the pawns are locked and neither side can ever mate (5.2.2).
    DeadPosition,
    /// The same position for the fifth time (9.6.1).
    FivefoldRepetition,
    /// Seventy-five moves of each side without a capture or a pawn move (9.6.2).
    SeventyFiveMoves,
    /// The same position for the third time: a draw if a player claims it (9.2).
    ThreefoldRepetition,
    /// Fifty moves of each side without a capture or a pawn move: a draw if a player claims it (9.3).
    FiftyMoves,
}

impl Ending {
    /// The result of the game.
    pub fn outcome(self) -> Outcome {
        match self {
            Ending::Checkmate { winner } => Outcome::Win(winner),
            _ => Outcome::Draw,
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ending::Checkmate { .. } => "checkmate",
            Ending::Stalemate => "stalemate",
            Ending::InsufficientMaterial => "insufficient material",
            Ending::DeadPosition => "dead position",
            Ending::FivefoldRepetition => "fivefold repetition",
            Ending::SeventyFiveMoves => "seventy-five moves rule",
            Ending::ThreefoldRepetition => "threefold repetition",
            Ending::FiftyMoves => "fifty moves rule",
        })
    }
}

impl Position {
    /// Ending that depends on the position alone: checkmate, stalemate, insufficient material or dead position.
    pub fn ending(&self) -> Option<Ending> {
        if !self.has_legal_move() {
            Some(match self.is_check() {
                true => Ending::Checkmate { winner: !self.turn() },
                false => Ending::Stalemate,
            })
        } else if self.has_insufficient_material() {
            Some(Ending::InsufficientMaterial)
        } else if dead::is_locked(self) {
            Some(Ending::DeadPosition)
        } else {
            None
        }
    }

    /// Whether the material alone makes mate impossible: bare kings, a single minor piece, or only bishops on squares
    /// of one color.
    pub fn has_insufficient_material(&self) -> bool {
        let bishops = self.role(Role::Bishop);
        let knights = self.role(Role::Knight);
        if (self.occupied() - self.role(Role::King) - bishops - knights).any() {
            return false;
        }
        if knights.any() {
            return bishops.is_empty() && !knights.more_than_one();
        }
        bishops.is_subset(Bitboard::LIGHT) || bishops.is_subset(Bitboard::DARK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(fen: &str, ending: Option<Ending>) {
        let position = Position::from_fen(fen).unwrap();
        assert_eq!(position.ending(), ending, "{fen}");
        let mirrored = match ending {
            Some(Ending::Checkmate { winner }) => Some(Ending::Checkmate { winner: !winner }),
            other => other,
        };
        assert_eq!(position.mirrored().ending(), mirrored, "mirror of {fen}");
    }

    #[test]
    fn mate_and_stalemate_end_the_game() {
        let winner = Color::Black;
        check(
            "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
            Some(Ending::Checkmate { winner }),
        );
        check("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Some(Ending::Stalemate));
        check("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", None);
    }

    #[test]
    fn too_little_material_is_a_draw() {
        let draw = Some(Ending::InsufficientMaterial);
        check("4k3/8/8/8/8/8/8/4K3 w - - 0 1", draw);
        check("4k3/8/8/8/8/8/8/4KN2 w - - 0 1", draw);
        check("4k3/8/8/8/8/8/8/4KB2 b - - 0 1", draw);
        check("4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", draw);
        check("4kb1b/8/8/2B5/8/B7/8/2B1K3 w - - 0 1", draw);
    }

    #[test]
    fn material_that_allows_a_helped_mate_is_enough() {
        check("4kb2/8/8/8/8/8/8/4KB2 w - - 0 1", None);
        check("4kn2/8/8/8/8/8/8/4KB2 w - - 0 1", None);
        check("4kn2/8/8/8/8/8/8/4KN2 w - - 0 1", None);
        check("4k3/8/8/8/8/8/8/3NKN2 w - - 0 1", None);
        check("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", None);
        check("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", None);
        check("4kq2/8/8/8/8/8/8/4KN2 w - - 0 1", None);
    }
}
