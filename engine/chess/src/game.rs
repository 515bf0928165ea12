//! A game: start position, moves, and the rules that depend on them (repetition, fifty-move rule).
//!
//! Each ply stores a move and a key, but no position, so that many concurrent games need little memory; looking back
//! replays the moves. Clocks, players and results decided off the board are left to others.

use crate::moves::Move;
use crate::outcome::Ending;
use crate::position::Position;

/// A game in progress.
#[derive(Clone, Debug)]
pub struct Game {
    start: Position,
    position: Position,
    moves: Vec<Move>,
    /// Repetition keys of all positions, the current one last.
    keys: Vec<u64>,
}

/// The move is illegal in the current position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0:?} is not a legal move here")]
pub struct IllegalMoveError(pub Move);

/// Treatment of threefold repetition and the fifty-move rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DrawClaims {
    /// Claimed as soon as possible, as in engine tournaments.
    Automatic,
    /// No claims: only fivefold repetition and the seventy-five-move rule end the game.
    Never,
}

/// Plies of the fifty-moves rule.
const FIFTY_MOVES: u16 = 100;
/// Plies of the seventy-five-moves rule.
const SEVENTY_FIVE_MOVES: u16 = 150;

impl Game {
    /// A game of standard chess or Chess960 from a position. Repetitions are counted from here.
    pub fn new(start: Position) -> Game {
        Game { start, position: start, moves: Vec::new(), keys: vec![start.repetition_key()] }
    }

    /// The position before the first move.
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// Position after the last move.
    #[inline]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Moves from the start position.
    #[inline]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The moves played, each with the position before it.
    pub fn plies(&self) -> impl ExactSizeIterator<Item = (Position, Move)> {
        let mut position = self.start;
        self.moves.iter().map(move |&mv| {
            let before = position;
            position.play(mv);
            (before, mv)
        })
    }

    /// The [repetition keys](Position::repetition_key) of all positions since the start, the current one last.
    #[inline]
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Plays a move.
    ///
    /// # Errors
    /// If it is illegal; the game is unchanged.
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalMoveError> {
        if !self.position.is_legal(mv) {
            return Err(IllegalMoveError(mv));
        }
        self.moves.push(mv);
        self.position.play(mv);
        self.keys.push(self.position.repetition_key());
        Ok(())
    }

    /// Undoes the last move by replaying all earlier ones.
    pub fn undo(&mut self) -> Option<Move> {
        let mv = self.moves.pop()?;
        self.keys.pop();
        self.position = self.start;
        for &mv in &self.moves {
            self.position.play(mv);
        }
        Some(mv)
    }

    /// Number of occurrences of the current position, including this one: same pieces on the same squares, same side to
    /// move, same castling rights and en passant captures.
    pub fn repetitions(&self) -> usize {
        let key = self.keys[self.keys.len() - 1];
        let reversible = usize::from(self.position.halfmove_clock());
        1 + self
            .keys
            .iter()
            .rev()
            .take(reversible + 1)
            .skip(2)
            .step_by(2)
            .filter(|&&other| other == key)
            .count()
    }

    /// How the game ends in this position, if it does. Mate precedes every draw; automatic draws precede claimed ones.
    pub fn ending(&self, claims: DrawClaims) -> Option<Ending> {
        self.position.ending().or_else(|| self.draw_by_counting(claims))
    }

    fn draw_by_counting(&self, claims: DrawClaims) -> Option<Ending> {
        let clock = self.position.halfmove_clock();
        let repetitions = if clock < 4 { 1 } else { self.repetitions() };
        if clock >= SEVENTY_FIVE_MOVES {
            Some(Ending::SeventyFiveMoves)
        } else if repetitions >= 5 {
            Some(Ending::FivefoldRepetition)
        } else if claims == DrawClaims::Never {
            None
        } else if repetitions >= 3 {
            Some(Ending::ThreefoldRepetition)
        } else if clock >= FIFTY_MOVES {
            Some(Ending::FiftyMoves)
        } else {
            None
        }
    }
}

impl Default for Game {
    /// A game from the start position of standard chess.
    fn default() -> Game {
        Game::new(Position::start())
    }
}
