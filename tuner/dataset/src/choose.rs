//! Selects and labels positions of a game, one game at a time. Reads no files.

use std::ops::AddAssign;

use serde::Serialize;
use smalt_chess::splitmix::splitmix;
use smalt_chess::{Color, CommentScore, Move, Outcome, Position};

use crate::record::Sample;

/// The score of a mate on the board, in centipawns; a mate in n plies scores n less.
const MATE: i32 = 32_000;

/// A position of a game with the move that was played in it.
#[derive(Clone, Debug)]
pub struct GamePosition {
    pub position: Position,
    /// The move that led to it.
    pub before: Option<Move>,
    /// The move that was played in it.
    pub next: Move,
    /// Score of the search that chose this move, from the point of view of the side to move.
    pub score: Option<CommentScore>,
    /// Whether the move came from an opening book.
    pub is_book: bool,
    /// Plies from the start position of chess, by the move number.
    pub ply: u32,
}

impl GamePosition {
    /// Plies from the start position of chess to this position, by its move number.
    pub fn ply_of(position: &Position) -> u32 {
        let black = u32::from(position.turn() == Color::Black);
        2 * (u32::from(position.fullmove_number()).max(1) - 1) + black
    }

    /// The position with its labels, without players.
    pub fn sample(&self, outcome: Outcome, game: u32) -> Sample {
        let sign = if self.position.turn() == Color::White { 1 } else { -1 };
        let score = self.centipawns().map(|score| (sign * score) as i16);
        let ply = self.ply.min(u16::MAX.into()) as u16;
        let result = outcome.white_score() as f32;
        Sample { ply, game, mv: Some(self.next), ..Sample::new(self.position, result, score) }
    }

    /// The score in centipawns from the point of view of the side to move, that of a mate near 32,000.
    fn centipawns(&self) -> Option<i32> {
        let mate = |plies: u32| MATE - plies.min(1000) as i32;
        Some(match self.score? {
            CommentScore::Centipawns(score) => score.clamp(-MATE, MATE),
            CommentScore::Mates(plies) => mate(plies),
            CommentScore::Mated(plies) => -mate(plies),
        })
    }
}

/// Selection rules for positions of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Plies from the start position of chess that count as opening.
    pub opening_plies: u32,
    /// Number of plies at the end of decided games that are skipped.
    pub last_plies: usize,
    /// Maximum number of positions per game, spread over it.
    pub per_game: usize,
    /// Maximum absolute score, in centipawns.
    pub max_score: Option<u32>,
    /// Whether positions in check, and those with a mate announced, are skipped.
    pub drop_checks: bool,
    /// Whether positions next to a capture or promotion are skipped.
    pub drop_noisy: bool,
    /// Random seed of the choice among the positions of a game.
    pub seed: u64,
}

impl Filter {
    /// Selects positions of a game, in order; counts the others.
    pub fn choose<'a>(
        &self,
        positions: &'a [GamePosition],
        outcome: Outcome,
        game: u32,
        dropped: &mut Dropped,
    ) -> Vec<&'a GamePosition> {
        let end = match outcome {
            Outcome::Win(_) => positions.len().saturating_sub(self.last_plies),
            Outcome::Draw => positions.len(),
        };
        let mut wanted = Vec::with_capacity(positions.len());
        for (index, position) in positions.iter().enumerate() {
            match self.refusal(position) {
                Some(reason) => dropped.count(reason),
                None if index >= end => dropped.count(PositionReason::Last),
                None => wanted.push(position),
            }
        }
        let (count, mut index) = (wanted.len(), 0);
        wanted.retain(|_| {
            let kept = is_spread(index, count, self.per_game, self.seed, game);
            if !kept {
                dropped.count(PositionReason::PerGame);
            }
            index += 1;
            kept
        });
        wanted
    }

    fn refusal(&self, place: &GamePosition) -> Option<PositionReason> {
        if place.ply < self.opening_plies || place.is_book {
            return Some(PositionReason::Opening);
        }
        if self.drop_checks && place.position.is_check() {
            return Some(PositionReason::Check);
        }
        let is_mate = place.score.is_some_and(|score| !matches!(score, CommentScore::Centipawns(_)));
        if self.drop_checks && is_mate {
            return Some(PositionReason::Mate);
        }
        let is_noisy = place.before.is_some_and(|mv| !mv.is_quiet()) || !place.next.is_quiet();
        if self.drop_noisy && is_noisy {
            return Some(PositionReason::Noisy);
        }
        let most = self.max_score?;
        let is_beyond = place.centipawns().is_some_and(|score| score.unsigned_abs() > most);
        is_beyond.then_some(PositionReason::Score)
    }
}

/// Whether the position of that index is among at most `most` of `count` that are spread evenly: the range is cut
/// into `most` equal pieces, and the seed chooses one of each.
fn is_spread(index: usize, count: usize, most: usize, seed: u64, game: u32) -> bool {
    if count <= most {
        return true;
    }
    if most == 0 {
        return false;
    }
    // The piece in which the index lies: piece p holds count·p/most to count·(p + 1)/most.
    let piece = ((index + 1) * most - 1) / count;
    let (start, end) = (count * piece / most, count * (piece + 1) / most);
    let choice = splitmix(splitmix(seed ^ u64::from(game) << 32) ^ piece as u64);
    index == start + (choice % (end - start) as u64) as usize
}

/// Why a position was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PositionReason {
    /// Within the opening, or its move came from a book.
    Opening,
    /// The side to move is in check.
    Check,
    /// The engine announced a mate.
    Mate,
    /// The score is beyond the limit.
    Score,
    /// Reached by a capture or promotion, or the next move of the game is one.
    Noisy,
    /// The quiescence search found no quiet position.
    Unresolved,
    /// Among the last plies of a decided game.
    Last,
    /// Beyond the maximum of its game.
    PerGame,
    /// Merged into the same position met earlier.
    Duplicate,
    /// Beyond the maximum of its phase.
    Balance,
    /// More than 32 pieces.
    Crowded,
}

impl PositionReason {
    /// All reasons, in the order of the report.
    pub const ALL: [PositionReason; 11] = [
        PositionReason::Opening,
        PositionReason::Check,
        PositionReason::Mate,
        PositionReason::Score,
        PositionReason::Noisy,
        PositionReason::Unresolved,
        PositionReason::Last,
        PositionReason::PerGame,
        PositionReason::Duplicate,
        PositionReason::Balance,
        PositionReason::Crowded,
    ];

    /// The reason in words.
    pub fn name(self) -> &'static str {
        match self {
            PositionReason::Opening => "opening or book",
            PositionReason::Check => "in check",
            PositionReason::Mate => "mate announced",
            PositionReason::Score => "score beyond the limit",
            PositionReason::Noisy => "around a capture or promotion",
            PositionReason::Unresolved => "no quiet end of the quiescence search",
            PositionReason::Last => "end of a decided game",
            PositionReason::PerGame => "limit per game",
            PositionReason::Duplicate => "same as another",
            PositionReason::Balance => "limit per phase",
            PositionReason::Crowded => "more than 32 pieces",
        }
    }
}

/// Skipped positions by reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    counts: [u64; PositionReason::ALL.len()],
}

impl Dropped {
    pub fn count(&mut self, reason: PositionReason) {
        self.counts[reason as usize] += 1;
    }

    /// Reasons and counts, in the order of the report.
    pub fn iter(&self) -> impl Iterator<Item = (PositionReason, u64)> {
        PositionReason::ALL.into_iter().zip(self.counts)
    }
}

impl AddAssign<&Dropped> for Dropped {
    fn add_assign(&mut self, other: &Dropped) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_positions_are_as_many_as_wanted_and_apart() {
        for (count, most) in [(100, 10), (101, 10), (11, 10), (10, 10), (7, 10), (1000, 1), (97, 96), (5, 0)]
        {
            for seed in 0..5 {
                let chosen: Vec<usize> =
                    (0..count).filter(|&index| is_spread(index, count, most, seed, 3)).collect();
                assert_eq!(chosen.len(), most.min(count), "{count}, {most}");
                let least_gap = chosen.windows(2).map(|pair| pair[1] - pair[0]).min();
                assert!(least_gap.is_none_or(|gap| gap >= 1));
                let farthest = chosen.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
                assert!(most == 0 || farthest <= 2 * count.div_ceil(most.min(count)), "{count}, {most}");
            }
        }
    }
}
