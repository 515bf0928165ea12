//! Random openings: book candidates by random moves from the start position, and variations of openings, with random
//! moves after them or a Chess960 start position instead. Each depends on the seed and its number alone, so that it
//! is the same at any concurrency and after a resume.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use smalt_chess::{Game, Move, Position, Setup};

use super::Opening;
use crate::plan::MAX_RANDOM_PLIES;
use crate::schedule::below;

/// Maximum number of random walks until one does not end the game.
const ATTEMPTS: u32 = 100;

/// Parameters of the generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpeningGenerator {
    pub seed: u64,
    /// Number of random plies, [`MAX_RANDOM_PLIES`] at most.
    pub plies: u32,
}

/// A position after random moves.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub number: u64,
    /// Moves from the start position.
    pub moves: Vec<Move>,
    /// Position after the moves.
    pub position: Position,
}

impl OpeningGenerator {
    /// The candidate with this number; `None` if the game is over or the side to move is in check.
    pub fn candidate(&self, number: u64) -> Option<Candidate> {
        let (moves, position) =
            random_walk(Position::start(), self.plies, &mut random_of(self.seed, number))?;
        Some(Candidate { number, moves, position })
    }
}

/// Random changes of openings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Variation {
    pub seed: u64,
    /// Number of random plies after each opening.
    pub plies: u32,
    /// Share of openings replaced by a Chess960 start position.
    pub chess960_share: f64,
}

impl Variation {
    /// The varied opening of this use; unchanged if no random walk of that length keeps the game going.
    pub(super) fn vary(&self, opening: Opening, used: u64) -> Opening {
        if self.plies == 0 && self.chess960_share <= 0.0 {
            return opening;
        }
        let mut random = random_of(self.seed, used);
        let opening = if is_drawn(self.chess960_share, &mut random) {
            chess960(below(&mut random, 960) as u16)
        } else {
            opening
        };
        let mut position = opening.position;
        for &mv in &opening.moves {
            position.play(mv);
        }
        let walk = (0..ATTEMPTS).find_map(|_| random_walk(position, self.plies, &mut random));
        let moves = walk.map_or_else(Vec::new, |(moves, _)| moves);
        Opening { moves: [opening.moves, moves].concat(), ..opening }
    }
}

/// The Chess960 start position with this number.
fn chess960(number: u16) -> Opening {
    let setup = Setup::chess960(number).expect("there are 960");
    let position = Position::new(&setup).expect("start positions are legal");
    Opening { name: Some(format!("Chess960 {number}")), ..Opening::from_position(position) }
}

/// A random generator for one number, with a separate stream.
fn random_of(seed: u64, number: u64) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(number);
    random
}

fn is_drawn(share: f64, random: &mut ChaCha8Rng) -> bool {
    // The 53 high bits are a fraction below 1.
    ((random.next_u64() >> 11) as f64) < share * (1_u64 << 53) as f64
}

/// Random legal moves, [`MAX_RANDOM_PLIES`] at most; `None` if they end the game or give check.
fn random_walk(start: Position, plies: u32, random: &mut ChaCha8Rng) -> Option<(Vec<Move>, Position)> {
    let mut game = Game::new(start);
    for _ in 0..plies.min(MAX_RANDOM_PLIES) {
        let moves = game.position().legal_moves();
        if moves.is_empty() {
            return None;
        }
        game.play(moves[below(random, moves.len())]).expect("the move was generated as a legal one");
    }
    let position = *game.position();
    let fit = position.ending().is_none() && !position.is_check();
    fit.then(|| (game.moves().to_vec(), position))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_candidate_follows_from_seed_and_number() {
        let recipe = OpeningGenerator { seed: 3, plies: 8 };
        let moves =
            |recipe: OpeningGenerator, number| recipe.candidate(number).map(|candidate| candidate.moves);
        let all: Vec<_> = (0..50).filter_map(|number| moves(recipe, number)).collect();
        assert_eq!(all, (0..50).filter_map(|number| moves(recipe, number)).collect::<Vec<_>>());
        assert_ne!(moves(recipe, 1), moves(recipe, 2));
        assert_ne!(moves(recipe, 1), moves(OpeningGenerator { seed: 4, ..recipe }, 1));
        assert!(all.len() > 30 && all.iter().all(|moves| moves.len() == 8));
    }

    #[test]
    fn a_varied_opening_follows_from_seed_and_use() {
        let variation = Variation { seed: 5, plies: 6, chess960_share: 0.25 };
        let vary = |variation: Variation, used| variation.vary(Opening::standard(), used);
        let all: Vec<_> = (0..400).map(|used| vary(variation, used)).collect();
        assert_eq!(all, (0..400).map(|used| vary(variation, used)).collect::<Vec<_>>());
        assert!((1..400).all(|used| all[used].moves.len() == 6 && all[used] != all[used - 1]));
        assert_ne!(vary(variation, 1), vary(Variation { seed: 6, ..variation }, 1));
        let shuffled = all.iter().filter(|opening| opening.name.is_some()).count();
        assert!((70..130).contains(&shuffled), "{shuffled} of 400 are of Chess960");
        assert_eq!(vary(Variation::default(), 3), Opening::standard());
    }

    #[test]
    fn random_plies_follow_the_moves_of_the_opening() {
        let first = Position::start().legal_moves()[0];
        let opening = Opening { moves: vec![first], ..Opening::standard() };
        let varied = Variation { plies: 3, ..Variation::default() }.vary(opening, 0);
        assert_eq!((varied.moves[0], varied.moves.len()), (first, 4));
    }

    #[test]
    fn an_opening_without_further_moves_stays() {
        let mate_in_one = Position::from_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").unwrap();
        let opening = Opening::from_position(mate_in_one);
        assert_eq!(Variation { plies: 1, ..Variation::default() }.vary(opening.clone(), 0), opening);
    }
}
