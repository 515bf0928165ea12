//! Chooses the positions of a game: filters, quiet positions, and a limit per game.

use std::sync::Arc;

use smalt::evaluation::Parameters;
use smalt::search::Resolver;
use smalt_chess::notation::pgn::PgnGame;
use smalt_chess::{Color, CommentScore, Move, MoveComment, Outcome, Position};

use super::super::mixed;
use super::super::record::Sample;
use super::report::{Dropped, PositionReason};
use super::{Rules, Unquiet};

/// Chooses positions; each thread has one.
pub(super) struct Chooser {
    resolver: Option<Resolver>,
}

/// A game, its number among all of them, and who played White and Black.
pub(super) struct Numbered {
    pub(super) game: PgnGame,
    pub(super) number: u32,
    pub(super) players: [u8; 2],
}

/// A position of the game with the move that was played there.
struct PlayedPosition {
    position: Position,
    before: Option<Move>,
    next: Move,
    comment: Option<MoveComment>,
    ply: u32,
}

impl Chooser {
    pub(super) fn new(rules: &Rules) -> Chooser {
        let resolver = || Resolver::new(Arc::new(Parameters::embedded().clone()));
        Chooser { resolver: (rules.unquiet == Unquiet::Resolve).then(resolver) }
    }

    /// The wanted positions of a game that has a result, and what was dropped.
    pub(super) fn choose(&mut self, numbered: &Numbered, rules: &Rules) -> (Vec<Sample>, Dropped) {
        let Numbered { game, number, players } = numbered;
        let mut dropped = Dropped::default();
        let outcome = game.outcome().expect("games without a result are refused before");
        let places = places(game);
        let end = match outcome {
            Outcome::Win(_) => places.len().saturating_sub(rules.last_plies),
            Outcome::Draw => places.len(),
        };
        let mut wanted = Vec::with_capacity(places.len());
        for (index, place) in places.iter().enumerate() {
            match refusal(place, rules) {
                Some(reason) => dropped.count(reason),
                None if index >= end => dropped.count(PositionReason::Last),
                None => wanted.push(place),
            }
        }
        let mut samples = Vec::with_capacity(wanted.len().min(rules.per_game));
        for (index, &place) in wanted.iter().enumerate() {
            if !is_spread(index, wanted.len(), rules.per_game, rules.seed, *number) {
                dropped.count(PositionReason::PerGame);
                continue;
            }
            match self.at_rest(&place.position) {
                Some(position) => {
                    let mv = Some(place.next).filter(|_| position == place.position);
                    let sample = Sample { mv, ..sample(place, position, outcome) };
                    samples.push(Sample { game: *number, players: *players, ..sample });
                }
                None => dropped.count(PositionReason::Unresolved),
            }
        }
        (samples, dropped)
    }

    fn at_rest(&mut self, position: &Position) -> Option<Position> {
        match &mut self.resolver {
            Some(resolver) => resolver.quiet_leaf(position),
            None => Some(*position),
        }
    }
}

fn places(game: &PgnGame) -> Vec<PlayedPosition> {
    let mut position = *game.start();
    let mut before = None;
    let mut places = Vec::new();
    for played in game.main_line() {
        let comment = played.comments().find_map(|text| MoveComment::parse(text).ok());
        let black = u32::from(position.turn() == Color::Black);
        let ply = 2 * (u32::from(position.fullmove_number()).max(1) - 1) + black;
        places.push(PlayedPosition { position, before, next: played.mv, comment, ply });
        before = Some(played.mv);
        position.play(played.mv);
    }
    places
}

fn refusal(place: &PlayedPosition, rules: &Rules) -> Option<PositionReason> {
    let is_mate = |comment: &MoveComment| match comment {
        MoveComment::Search(search) => !matches!(search.score, CommentScore::Centipawns(_)),
        MoveComment::Book => false,
    };
    if place.ply < rules.opening_plies || place.comment == Some(MoveComment::Book) {
        return Some(PositionReason::Opening);
    }
    if place.position.is_check() {
        return Some(PositionReason::Check);
    }
    if place.comment.as_ref().is_some_and(is_mate) {
        return Some(PositionReason::Mate);
    }
    let is_noisy = place.before.is_some_and(|mv| !mv.is_quiet()) || !place.next.is_quiet();
    if is_noisy && rules.unquiet == Unquiet::Drop {
        return Some(PositionReason::Unquiet);
    }
    None
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
    let choice = mixed(mixed(seed ^ u64::from(game) << 32) ^ piece as u64);
    index == start + (choice % (end - start) as u64) as usize
}

fn sample(place: &PlayedPosition, position: Position, outcome: Outcome) -> Sample {
    let score = match &place.comment {
        Some(MoveComment::Search(search)) => match search.score {
            CommentScore::Centipawns(score) => {
                let score = score.clamp(-32_000, 32_000) as i16;
                Some(if place.position.turn() == Color::White { score } else { -score })
            }
            _ => None,
        },
        _ => None,
    };
    let ply = place.ply.min(u16::MAX.into()) as u16;
    let result = outcome.white_score() as f32;
    Sample { ply, ..Sample::new(position, result, score) }
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
