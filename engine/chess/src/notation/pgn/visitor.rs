//! Visitor of a PGN reader: one call per tag, move, comment and variation, without allocation.

use super::problem::PgnProblem;
use crate::notation::san::San;
use crate::outcome::Outcome;

/// Whether the reader continues with the game or variation just begun.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// Continue.
    Read,
    /// Skip the rest of the current line: the whole movetext, or the variation up to its closing parenthesis.
    Skip,
}

/// Receives the elements of games in file order. All methods do nothing by default.
pub trait Visitor {
    /// A game starts at this line.
    fn begin_game(&mut self, line: u64) {
        let _ = line;
    }

    /// A tag, with escapes resolved.
    fn tag(&mut self, name: &str, value: &str) {
        let _ = (name, value);
    }

    /// The end of the tags.
    fn begin_moves(&mut self) -> Flow {
        Flow::Read
    }

    /// A move, not resolved in a position.
    fn san(&mut self, san: San, line: u64) -> Flow {
        let _ = (san, line);
        Flow::Read
    }

    /// A numeric annotation glyph; `!` to `?!` are 1 to 6.
    fn nag(&mut self, nag: u8) {
        let _ = nag;
    }

    /// A comment without braces, with line ends.
    fn comment(&mut self, text: &str) {
        let _ = text;
    }

    /// A variation begins, an alternative to the last move.
    fn begin_variation(&mut self, line: u64) -> Flow {
        let _ = line;
        Flow::Read
    }

    /// The end of a variation that was not skipped entirely.
    fn end_variation(&mut self) {}

    /// The end of the game, with the result after the moves; `None` for `*` or a missing result.
    fn end_game(&mut self, outcome: Option<Outcome>) {
        let _ = outcome;
    }

    /// Something was invalid and skipped.
    fn problem(&mut self, problem: PgnProblem) {
        let _ = problem;
    }
}
