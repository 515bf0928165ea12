//! Notes on irregularities of a problem and how they were resolved.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A move is listed twice with points; the first entry counts.
    ListedTwice {
        /// The second entry as written.
        text: String,
        /// The points that count.
        counted: u32,
        ignored: u32,
    },
    /// An illegal move was ignored.
    Unplayable {
        opcode: &'static str,
        /// The move as written.
        text: String,
    },
    /// An item other than `move=points` was ignored.
    NoPoints { text: String },
    /// The points of `c8` do not match the number of moves and were ignored.
    UnequalLists {
        /// Operation with the moves.
        opcode: &'static str,
        moves: usize,
        points: usize,
    },
    /// An item of `c8` is not a number: all points were ignored.
    NoNumber { text: String },
    /// A duplicate operation was ignored.
    SecondOperation { opcode: &'static str, text: String },
    /// The operand of `dm` is not a number of moves and was ignored.
    NoMate { text: String },
    /// A move is both best and to be avoided: it counts as to be avoided.
    Contradiction { san: String },
    /// A list of points has moves in long notation.
    LongForm {
        /// The first such move.
        text: String,
    },
    /// A move has the most points but is missing from `bm`.
    BestOutsideOfBm { san: String },
    /// An earlier problem has the same `id`.
    SameId,
    /// An earlier problem has the same position.
    SamePosition {
        /// Name of the earlier problem.
        earlier: String,
    },
}

impl Note {
    /// Whether part of the line was ignored.
    pub(crate) fn is_skipped(&self) -> bool {
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
                write!(f, "{text} after {opcode} can't be played: skipped")
            }
            Note::NoPoints { text } => write!(f, "{text:?} is not move=points: skipped"),
            Note::UnequalLists { opcode, moves, points } => {
                write!(f, "{opcode} and c8 are of different lengths, {moves} and {points}: skipped")
            }
            Note::NoNumber { text } => {
                write!(f, "{text:?} in c8 is not a number of points: all of them are skipped")
            }
            Note::SecondOperation { opcode, text } => {
                write!(f, "a second {opcode} ({text}): skipped, the first counts")
            }
            Note::NoMate { text } => {
                write!(f, "dm {text} is not a number of moves from 1: skipped")
            }
            Note::Contradiction { san } => {
                write!(f, "{san} stands after bm and after am: it is one to avoid, as bm it is skipped")
            }
            Note::LongForm { text } => {
                write!(f, "moves are written in long form ({text}): read as the moves that they are")
            }
            Note::BestOutsideOfBm { san } => {
                write!(f, "{san} earns the most points too, but only the move after bm counts as solved")
            }
            Note::SameId => {
                f.write_str("an earlier position has the same id: results are distinguished by their order")
            }
            Note::SamePosition { earlier } => {
                write!(f, "the same position as {earlier}: each counts with its own points")
            }
        }
    }
}
