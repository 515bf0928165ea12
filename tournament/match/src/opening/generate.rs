//! Generates openings: random legal moves from the start position, kept where a judge calls the position
//! even. Each candidate follows from the seed and its number alone, so that the book does not depend on the
//! number of judges. The judge is passed in.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use smalt_chess::{Game, Move, Position};

use crate::schedule::below;

/// Parameters of the generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpeningGenerator {
    pub seed: u64,
    /// Number of random plies.
    pub plies: u32,
}

/// A position after random moves.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub number: u64,
    /// The moves from the start position.
    pub moves: Vec<Move>,
    /// The position after them.
    pub position: Position,
}

impl OpeningGenerator {
    /// The candidate with this number; `None` if the game is over or the side to move is in check.
    pub fn candidate(&self, number: u64) -> Option<Candidate> {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(number);
        let mut game = Game::default();
        for _ in 0..self.plies {
            let moves = game.position().legal_moves();
            if moves.is_empty() {
                return None;
            }
            game.play(moves[below(&mut random, moves.len())]).expect("the move was generated as a legal one");
        }
        let position = *game.position();
        let fit = position.ending().is_none() && !position.is_check();
        fit.then(|| Candidate { number, moves: game.moves().to_vec(), position })
    }
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
}
