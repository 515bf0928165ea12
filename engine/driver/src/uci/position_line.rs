//! The `position` line of a growing game: only new moves are appended.

use std::fmt::Write;

use smalt_chess::{Position, Square, UciMove};
use smalt_protocol::Moves;
use smalt_protocol::uci::ClientMessage;
use smalt_protocol::uci::client::Start;

/// The last line and its moves.
#[derive(Debug, Default)]
pub(super) struct PositionLine {
    /// The line, followed by the message written after it.
    text: String,
    /// Length of the line.
    length: usize,
    start: Option<Box<str>>,
    moves: Vec<UciMove>,
}

impl PositionLine {
    /// The line for this position and the message after it, each with its line feed; and the number of leading bytes
    /// that are unchanged.
    pub(super) fn then(
        &mut self,
        start: Start<'_>,
        moves: &[UciMove],
        message: &ClientMessage<'_>,
    ) -> (usize, &str) {
        self.text.truncate(self.length);
        let shared = self.update(start, moves);
        self.length = self.text.len();
        writeln!(self.text, "\n{message}").expect("a string takes any text");
        (shared, &self.text)
    }

    /// Whether this move is legal in the last position.
    pub(super) fn is_legal(&self, mv: UciMove) -> bool {
        let start = self.start.as_deref().map_or(Ok(Position::start()), Position::from_fen);
        let Ok(mut position) = start else { return false };
        for played in &self.moves {
            let Ok(mv) = played.to_move(&position) else { return false };
            position.play(mv);
        }
        mv.to_move(&position).is_ok()
    }

    /// Whether this square was left and not entered since; `None` if no move of the last line involves it.
    pub(super) fn has_left(&self, square: Square) -> Option<bool> {
        let from_or_to = |mv: &UciMove| match mv.squares() {
            Some([from, _]) if from == square => Some(true),
            Some([_, to]) if to == square => Some(false),
            _ => None,
        };
        self.moves.iter().rev().find_map(from_or_to)
    }

    /// Returns how many leading bytes stay.
    fn update(&mut self, start: Start<'_>, moves: &[UciMove]) -> usize {
        let same_start = match start {
            Start::Standard => self.start.is_none(),
            Start::Fen(fen) => self.start.as_deref() == Some(fen),
        };
        match moves.strip_prefix(self.moves.as_slice()) {
            // Without moves the line has no `moves` to append to.
            Some(added) if same_start && !self.moves.is_empty() => {
                for mv in added {
                    self.text.push(' ');
                    self.text.push_str(&mv.letters());
                }
                self.moves.extend_from_slice(added);
                self.length
            }
            _ => {
                self.rewrite(start, moves);
                0
            }
        }
    }

    fn rewrite(&mut self, start: Start<'_>, moves: &[UciMove]) {
        self.start = match start {
            Start::Standard => None,
            Start::Fen(fen) => Some(fen.into()),
        };
        self.moves.clear();
        self.moves.extend_from_slice(moves);
        self.text.clear();
        let message = ClientMessage::Position { start, moves: Moves::from_slice(moves) };
        write!(self.text, "{message}").expect("a string takes any text");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_growing_position_line_equals_a_fresh_one() {
        let moves: Vec<UciMove> = ["e2e4", "e7e5", "g1f3", "b8c6"].map(|text| text.parse().unwrap()).to_vec();
        let fen = Start::Fen("8/8/8/8/8/4k3/8/4K3 w - - 0 1");
        let mut kept = PositionLine::default();
        for (start, count) in
            [(Start::Standard, 0), (Start::Standard, 1), (Start::Standard, 3), (Start::Standard, 4)]
                .into_iter()
                .chain([(Start::Standard, 2), (fen, 2), (fen, 4), (fen, 0), (Start::Standard, 0)])
        {
            let moves = &moves[..count];
            let position = ClientMessage::Position { start, moves: Moves::from_slice(moves) };
            let before = kept.text[..kept.length].to_owned();
            let (shared, text) = kept.then(start, moves, &ClientMessage::Stop);
            assert_eq!(text, format!("{position}\nstop\n"));
            let goes_on = before.contains(" moves ") && text.starts_with(&before);
            assert_eq!(shared, if goes_on { before.len() } else { 0 });
        }
    }

    #[test]
    fn a_square_counts_as_left_until_a_piece_enters_it() {
        let moves: Vec<UciMove> = ["g1f3", "e7e5", "f3g1", "e5e4"].map(|text| text.parse().unwrap()).to_vec();
        let mut line = PositionLine::default();
        line.then(Start::Standard, &moves, &ClientMessage::Stop);
        let squares = [Square::G1, Square::F3, Square::E5, Square::E4, Square::A1];
        let expected = [Some(false), Some(true), Some(true), Some(false), None];
        assert_eq!(squares.map(|square| line.has_left(square)), expected);
    }
}
