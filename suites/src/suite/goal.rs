//! What is right in a position: moves to find, moves to avoid, points, a mate to announce.

use smalt_chess::{Epd, EpdMoveError, Move, San};

use super::note::Note;
use super::points::read_points;

/// What an answer is measured by. At least one of the four is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The moves that solve it: `bm`, or else those worth the most points. Any move, if empty.
    pub best: Vec<Move>,
    /// Moves that never solve it: `am`.
    pub avoid: Vec<Move>,
    /// The mate, in moves of the side to move, that must be announced as well: `dm`.
    pub mate_in: Option<u32>,
    /// Points of moves (`c0`, or `c8` with `c9` or `c7`); each move once, in the order of the list.
    pub points: Vec<(Move, u32)>,
}

/// Why a line asks nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GoalError {
    /// Nothing says what is right.
    #[error("nothing to solve: it has no bm, am or dm, and no points in c0 or c8")]
    Nothing,
    /// None of the moves of an operation can be played.
    #[error("none of its moves after {opcode} can be played: {source}")]
    NoMove {
        /// `bm` or `am`.
        opcode: &'static str,
        /// What is wrong with the first.
        source: EpdMoveError,
    },
}

impl Goal {
    /// Reads the goal of a line, and notes what is odd about it.
    pub(super) fn read(epd: &Epd, notes: &mut Vec<Note>) -> Result<Goal, GoalError> {
        let points = read_points(epd, notes);
        let mut best = read_moves(epd, "bm", notes)?;
        let avoid = read_moves(epd, "am", notes)?;
        let mate_in = epd.mate_in().filter(|&moves| moves > 0);
        let most = points.iter().map(|&(_, points)| points).max();
        let top = points.iter().filter(|&&(_, points)| Some(points) == most).map(|&(mv, _)| mv);
        if best.is_empty() {
            best.extend(top);
        } else {
            for mv in top.filter(|mv| !best.contains(mv)) {
                notes.push(Note::BestOutsideOfBm { san: San::from_move(mv, &epd.position).to_string() });
            }
        }
        if best.is_empty() && avoid.is_empty() && mate_in.is_none() {
            return Err(GoalError::Nothing);
        }
        Ok(Goal { best, avoid, mate_in, points })
    }

    /// The most points that an answer can earn: those of the best move, or one for solving it.
    pub fn max_points(&self) -> u32 {
        self.points.iter().map(|&(_, points)| points).max().unwrap_or(1)
    }
}

fn read_moves(epd: &Epd, opcode: &'static str, notes: &mut Vec<Note>) -> Result<Vec<Move>, GoalError> {
    let mut moves = Vec::new();
    let mut unplayable = None;
    for read in epd.moves(opcode) {
        match read {
            Ok(mv) if moves.contains(&mv) => {}
            Ok(mv) => moves.push(mv),
            Err(error) => {
                notes.push(Note::Unplayable { opcode, text: text_of(&error).to_owned() });
                unplayable.get_or_insert(error);
            }
        }
    }
    match unplayable {
        Some(source) if moves.is_empty() => Err(GoalError::NoMove { opcode, source }),
        _ => Ok(moves),
    }
}

/// The text that is no move.
fn text_of(error: &EpdMoveError) -> &str {
    match error {
        EpdMoveError::Parse { text, .. } | EpdMoveError::Play { text, .. } => text,
    }
}
