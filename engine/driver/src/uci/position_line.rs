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

    /// Whether this move is illegal in the last position. A piece that moved to its square and stands there still counts as
    /// able to move, which saves replaying the game.
    pub(super) fn is_illegal(&self, mv: UciMove) -> bool {
        !mv.squares().is_some_and(|[from, _]| self.was_entered(from)) && !self.is_legal(mv)
    }

    /// Whether the last move from or to this square was one of the side to move to it.
    fn was_entered(&self, square: Square) -> bool {
        let last_first = self.moves.iter().rev().zip([false, true].into_iter().cycle());
        let mut involved = last_first.filter_map(|(mv, is_own)| Some((mv.squares()?, is_own)));
        let last = involved.find(|(squares, _)| squares.contains(&square));
        last.is_some_and(|([_, to], is_own)| is_own && to == square)
    }

    fn is_legal(&self, mv: UciMove) -> bool {
        let start = self.start.as_deref().map_or(Ok(Position::start()), Position::from_fen);
        let Ok(mut position) = start else { return false };
        for played in &self.moves {
            let Ok(mv) = played.to_move(&position) else { return false };
            position.play(mv);
        }
        mv.to_move(&position).is_ok()
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
    fn a_rook_moves_from_the_square_where_castling_put_it() {
        let played = "d2d4 d7d5 d1d3 d8d6 c1e3 c8e6 b1c3 b8c6 e1c1 g8f6 d3e4 d5e4 a2a3 d6d4";
        let moves: Vec<UciMove> = played.split(' ').map(|text| text.parse().unwrap()).collect();
        let mut line = PositionLine::default();
        line.then(Start::Standard, &moves, &ClientMessage::Stop);
        let is_illegal = |text: &str| line.is_illegal(text.parse().unwrap());
        assert!(["d1d3", "d1d4", "c3e4", "e3d4"].map(is_illegal) == [false; 4]);
        assert!(["d2d4", "d4d5", "d1d5", "e1c1", "d3e4", "b1c3"].map(is_illegal) == [true; 6]);
    }
}
