//! Notes on irregularities of a problem and how they were resolved.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A move stands twice in a list of points; the first counts.
    ListedTwice {
        /// As it is written the second time.
        text: String,
        /// The points that count.
        counted: u32,
        /// The points that don't.
        ignored: u32,
    },
    /// A move that can't be played was left out.
    Unplayable {
        opcode: &'static str,
        /// How it is written.
        text: String,
    },
    /// Something in a list of points that is not `move=points` was left out.
    NoPoints { text: String },
    /// Points in `c8` that fit the moves beside them in no way were left out.
    UnequalLists {
        /// Where the moves stand.
        opcode: &'static str,
        /// How many moves there are.
        moves: usize,
        points: usize,
    },
    /// Something among the points of `c8` is no number: all of them were left out.
    NoNumber { text: String },
    /// An operation stands a second time, and was left out.
    SecondOperation { opcode: &'static str, text: String },
    /// Something after `dm` is no number of moves, and was left out.
    NoMate { text: String },
    /// A move is both best and to be avoided: it is avoided.
    Contradiction { san: String },
    /// A list of points names both squares of its moves.
    LongForm {
        /// The first such move.
        text: String,
    },
    /// A move is worth as much as the best, but `bm` does not name it.
    BestOutsideOfBm { san: String },
    /// An earlier problem has the same `id`.
    SameId,
    /// An earlier problem has the same position.
    SamePosition {
        /// The earlier one's name.
        earlier: String,
    },
}

impl Note {
    /// Whether something that was written does not count.
    pub fn leaves_out(&self) -> bool {
        match self {
            Note::Unplayable { .. }
            | Note::NoPoints { .. }
            | Note::UnequalLists { .. }
            | Note::NoNumber { .. }
            | Note::SecondOperation { .. }
            | Note::NoMate { .. }
            | Note::Contradiction { .. } => true,
            Note::ListedTwice { .. }
            | Note::LongForm { .. }
            | Note::BestOutsideOfBm { .. }
            | Note::SameId
            | Note::SamePosition { .. } => false,
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::ListedTwice { text, counted, ignored } if counted == ignored => {
                write!(f, "{text} is listed twice, as {counted} each time: it counts once")
            }
            Note::ListedTwice { text, counted, ignored } => {
                write!(f, "{text} is listed twice: it counts {counted}, as it stands first, not {ignored}")
            }
            Note::Unplayable { opcode, text } => {
                write!(f, "{text} after {opcode} can't be played: left out")
            }
            Note::NoPoints { text } => write!(f, "{text:?} is not move=points: left out"),
            Note::UnequalLists { opcode, moves, points } => {
                write!(f, "{opcode} and c8 are of different lengths, {moves} and {points}: left out")
            }
            Note::NoNumber { text } => {
                write!(f, "{text:?} in c8 is no number of points: all of them are left out")
            }
            Note::SecondOperation { opcode, text } => {
                write!(f, "a second {opcode} ({text}): left out, the first counts")
            }
            Note::NoMate { text } => {
                write!(f, "dm {text} is no number of moves from 1: left out")
            }
            Note::Contradiction { san } => {
                write!(f, "{san} stands after bm and after am: it is one to avoid, as bm it is left out")
            }
            Note::LongForm { text } => {
                write!(f, "moves are written in long form ({text}): read as the moves that they are")
            }
            Note::BestOutsideOfBm { san } => {
                write!(f, "{san} earns the most points too, but only the move after bm counts as solved")
            }
            Note::SameId => {
                f.write_str("an earlier problem has the same id: results are distinguished by their order")
            }
            Note::SamePosition { earlier } => {
                write!(f, "the same position as {earlier}: each counts with its own points")
            }
        }
    }
}
