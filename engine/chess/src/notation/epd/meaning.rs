//! Typed access to the known EPD operations (`bm`, `am`, `id`, `D1` …), parsed on demand.

use super::{Epd, Operand, Operation};
use crate::moves::Move;
use crate::notation::san::{ParseSanError, San, SanError};
use crate::position::Position;

/// Why an operand is not a legal move.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EpdMoveError {
    /// The operand is not move notation.
    #[error("{text:?} is not a move")]
    Parse {
        /// Text of the operand.
        text: String,
        /// Why the text is not a move in SAN.
        source: ParseSanError,
    },
    /// The operand is not a legal move.
    #[error("{text:?} can't be played")]
    Play {
        /// Text of the operand.
        text: String,
        /// Reason: unreadable, illegal or ambiguous.
        source: SanError,
    },
}

/// A perft count, as in `D3 8902`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PerftCount {
    /// Depth in plies.
    pub depth: u32,
    /// Number of leaf nodes at that depth.
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

    /// The operands of an opcode as moves of the position, in any notation that [`San`] accepts. Check marks and `e.p.`
    /// after a space belong to the move before them.
    pub fn moves(&self, opcode: &str) -> impl Iterator<Item = Result<Move, EpdMoveError>> {
        self.move_words(opcode).map(|word| read_move(word, &self.position))
    }

    /// The principal variation (`pv`), played move by move; the first illegal move ends it.
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

    /// Moves to mate by the side to move (`dm`).
    pub fn mate_in(&self) -> Option<u32> {
        self.number("dm")
    }

    /// The evaluation in centipawns, from the side to move's point of view (`ce`).
    pub fn centipawns(&self) -> Option<i32> {
        self.number("ce")
    }

    /// The depth of the analysis in plies (`acd`).
    pub fn depth(&self) -> Option<u32> {
        self.number("acd")
    }

    /// The single operand of an opcode as a number.
    pub fn number<N: std::str::FromStr>(&self, opcode: &str) -> Option<N> {
        match self.operation(opcode)?.operands.as_slice() {
            [operand] => operand.as_str().parse().ok(),
            _ => None,
        }
    }

    /// The counts of a perft suite (`D1 20; D2 400;`), in order.
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

/// Whether the word is only a check or en passant mark, which some suites separate from the move by a space.
fn is_only_a_mark(word: &str) -> bool {
    word.bytes().all(|byte| matches!(byte, b'+' | b'#' | b'!' | b'?')) || matches!(word, "e.p." | "ep")
}

fn read_move(text: &str, position: &Position) -> Result<Move, EpdMoveError> {
    let san = San::parse(text).map_err(|source| EpdMoveError::Parse { text: text.into(), source })?;
    san.to_move(position).map_err(|source| EpdMoveError::Play { text: text.into(), source })
}
