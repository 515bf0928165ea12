//! Typed access to the known EPD operations (`bm`, `am`, `id`, `D1` …), parsed on demand.

use super::{Epd, Operand, Operation};
use crate::moves::Move;
use crate::notation::san::{ParseSanError, San, SanError};
use crate::position::Position;

/// Why an operand is no move of the position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EpdMoveError {
    /// The operand is written like no move.
    #[error("{text:?} is no move")]
    Parse {
        /// The operand.
        text: String,
        /// What is wrong with it.
        source: ParseSanError,
    },
    /// The operand is not a move that can be played.
    #[error("{text:?} can't be played")]
    Play {
        /// The operand.
        text: String,
        /// Reason: unreadable, illegal or ambiguous.
        source: SanError,
    },
}

/// Perft count of one depth, as in `D3 8902`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PerftCount {
    /// Plies of the tree.
    pub depth: u32,
    /// Number of leaves at that depth.
    pub nodes: u64,
}

impl Epd {
    /// The best moves (`bm`).
    pub fn best_moves(&self) -> impl Iterator<Item = Result<Move, EpdMoveError>> {
        self.moves("bm")
    }

    /// The moves to avoid (`am`).
    pub fn avoid_moves(&self) -> impl Iterator<Item = Result<Move, EpdMoveError>> {
        self.moves("am")
    }

    /// The operands of an opcode as alternative moves of the position, in whatever notation [`San`] takes. Check marks
    /// and `e.p.` that stand apart belong to the move before them.
    pub fn moves(&self, opcode: &str) -> impl Iterator<Item = Result<Move, EpdMoveError>> {
        self.move_words(opcode).map(|word| read_move(word, &self.position))
    }

    /// The predicted variation (`pv`), each move played after the one before; the first that can't be ends it.
    pub fn variation(&self) -> impl Iterator<Item = Result<Move, EpdMoveError>> {
        let mut position = Some(self.position);
        self.move_words("pv").map_while(move |word| {
            let current = position.as_mut()?;
            let read = read_move(word, current);
            match read {
                Ok(mv) => {
                    current.play(mv);
                }
                Err(_) => position = None,
            }
            Some(read)
        })
    }

    fn move_words(&self, opcode: &str) -> impl Iterator<Item = &str> {
        let operands = self.operation(opcode).map_or([].as_slice(), |operation| &operation.operands);
        let words = operands.iter().flat_map(|operand| operand.as_str().split([' ', ',']));
        words.filter(|word| !is_only_a_mark(word))
    }

    /// The name of the position (`id`), with or without quotes.
    pub fn id(&self) -> Option<String> {
        self.text("id")
    }

    /// A comment: `c0` to `c9`.
    pub fn comment(&self, number: u8) -> Option<String> {
        self.text(&format!("c{number}"))
    }

    /// The operands of an opcode as one text, without quotes.
    pub fn text(&self, opcode: &str) -> Option<String> {
        self.operation(opcode).map(Operation::text)
    }

    /// In how many moves the side to move mates (`dm`).
    pub fn mate_in(&self) -> Option<u32> {
        self.number("dm")
    }

    /// The evaluation in centipawns, in the view of the side to move (`ce`).
    pub fn centipawns(&self) -> Option<i32> {
        self.number("ce")
    }

    /// The depth of the analysis in plies (`acd`).
    pub fn depth(&self) -> Option<u32> {
        self.number("acd")
    }

    /// The one operand of an opcode as a number.
    pub fn number<N: std::str::FromStr>(&self, opcode: &str) -> Option<N> {
        match self.operation(opcode)?.operands.as_slice() {
            [operand] => operand.as_str().parse().ok(),
            _ => None,
        }
    }

    /// The counts of a perft suite (`D1 20; D2 400;`), in their order.
    pub fn perft_counts(&self) -> impl Iterator<Item = PerftCount> {
        self.operations.iter().filter_map(|operation| {
            let depth = operation.opcode.strip_prefix(['D', 'd'])?.parse().ok()?;
            match operation.operands.as_slice() {
                [nodes] => Some(PerftCount { depth, nodes: nodes.as_str().parse().ok()? }),
                _ => None,
            }
        })
    }
}

impl Operation {
    /// The operands as one text, without quotes.
    pub fn text(&self) -> String {
        self.operands.iter().map(Operand::as_str).collect::<Vec<_>>().join(" ")
    }
}

/// Marks that some suites set apart from their move by a space.
fn is_only_a_mark(word: &str) -> bool {
    word.bytes().all(|byte| matches!(byte, b'+' | b'#' | b'!' | b'?')) || matches!(word, "e.p." | "ep")
}

fn read_move(text: &str, position: &Position) -> Result<Move, EpdMoveError> {
    let san = San::parse(text).map_err(|source| EpdMoveError::Parse { text: text.into(), source })?;
    san.to_move(position).map_err(|source| EpdMoveError::Play { text: text.into(), source })
}
