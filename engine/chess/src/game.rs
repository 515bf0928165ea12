//! A game: start position, moves, and the rules that depend on them (repetition, fifty-move rule).
//!
//! Each ply costs a move and a key in the history, and no position: of many games at once little memory is in use, and
//! what looks back replays them. Clocks, players and results that are not made on the board are for others.

use crate::moves::Move;
use crate::outcome::Ending;
use crate::position::Position;

/// A game in progress.
#[derive(Clone, Debug)]
pub struct Game {
    start: Position,
    position: Position,
    moves: Vec<Move>,
    /// The repetition keys of all positions, the present one last.
    keys: Vec<u64>,
}

/// A move that the rules forbid in the position of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0:?} is not a legal move here")]
pub struct IllegalMoveError(pub Move);

/// Treatment of threefold repetition and the fifty-move rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DrawClaims {
    /// Both players claim as soon as they can, as tournaments of engines do it.
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

    /// The position in which the game began.
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

    /// The [repetition keys](Position::repetition_key) of all positions since the start, the present one last.
    #[inline]
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Plays a move.
    ///
    /// # Errors
    /// If it is not legal; the game stays as it was.
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalMoveError> {
        if !self.position.is_legal(mv) {
            return Err(IllegalMoveError(mv));
        }
        self.moves.push(mv);
        self.position.play(mv);
        self.keys.push(self.position.repetition_key());
        Ok(())
    }

    /// Takes the last move back; plays all others again for it.
    pub fn undo(&mut self) -> Option<Move> {
        let mv = self.moves.pop()?;
        self.keys.pop();
        self.position = self.start;
        for &mv in &self.moves {
            self.position.play(mv);
        }
        Some(mv)
    }

    /// How often the present position has occurred, this time included: the same pieces on the same squares, the
    /// same side to move, the same rights to castle and to take en passant.
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

    /// How the game ends here, if it does. Mate comes before every draw; draws without a claim before those with.
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
