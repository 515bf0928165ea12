//! Visitor of a PGN reader: one call per tag, move, comment and variation, without allocation.

use super::problem::PgnProblem;
use crate::notation::san::San;
use crate::outcome::Outcome;

/// Whether the reader continues with the game or variation that has just begun.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// Continue.
    Read,
    /// Skip the rest of the present line of moves: the whole movetext, or the variation to its closing parenthesis.
    Skip,
}

/// Receives the elements of games in the order of the file. All methods do nothing by default.
pub trait Visitor {
    /// Called at the first line of a game.
    fn begin_game(&mut self, line: u64) {
        let _ = line;
    }

    /// A tag, its escapes resolved.
    fn tag(&mut self, name: &str, value: &str) {
        let _ = (name, value);
    }

    /// The tags are over.
    fn begin_moves(&mut self) -> Flow {
        Flow::Read
    }

    /// A move, as yet without meaning.
    fn san(&mut self, san: San, line: u64) -> Flow {
        let _ = (san, line);
        Flow::Read
    }

    /// A numeric annotation glyph; `!` to `?!` are 1 to 6.
    fn nag(&mut self, nag: u8) {
        let _ = nag;
    }

    /// A comment, without its braces, line ends and all.
    fn comment(&mut self, text: &str) {
        let _ = text;
    }

    /// A variation begins, an alternative to the last move.
    fn begin_variation(&mut self, line: u64) -> Flow {
        let _ = line;
        Flow::Read
    }

    /// A variation ends that was not skipped as a whole.
    fn end_variation(&mut self) {}

    /// The game ends; the result is that after the moves, `None` for `*` or if there is none.
    fn end_game(&mut self, outcome: Option<Outcome>) {
        let _ = outcome;
    }

    /// Something is wrong and skipped.
    fn problem(&mut self, problem: PgnProblem) {
        let _ = problem;
    }
}
