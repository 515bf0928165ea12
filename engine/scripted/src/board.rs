//! The position, and a deterministic choice of a move.

use smalt_chess::splitmix::{STEP, splitmix};
use smalt_chess::{CastlingMode, Position, Square, UciMove};
use smalt_protocol::Moves;
use smalt_protocol::uci::client::Start;

/// The game so far. A position that continues the last one is reached from it, so a ply costs the same at any length of
/// the game.
pub(crate) struct PlayedGame {
    fen: Option<String>,
    first: Position,
    played: Vec<UciMove>,
    position: Position,
    pub(crate) castling: CastlingMode,
}

/// Why a position was refused.
pub(crate) struct Refused(pub(crate) String);

impl PlayedGame {
    pub(crate) fn new() -> PlayedGame {
        let first = Position::start();
        PlayedGame { fen: None, first, played: Vec::new(), position: first, castling: CastlingMode::Standard }
    }

    /// The position after these moves.
    pub(crate) fn position(&self) -> &Position {
        &self.position
    }

    /// Plies played since the game's first position.
    pub(crate) fn ply(&self) -> usize {
        self.played.len()
    }

    /// Sets up a position. If it is refused, the moves before the illegal one were played.
    pub(crate) fn set(&mut self, start: Start<'_>, moves: &Moves<'_>) -> Result<(), Refused> {
        let fen = match start {
            Start::Standard => None,
            Start::Fen(fen) => Some(fen),
        };
        if fen != self.fen.as_deref() {
            let first = fen.map_or(Ok(Position::start()), Position::from_fen);
            self.first = first.map_err(|error| Refused(error.to_string()))?;
            self.fen = fen.map(str::to_owned);
            self.undo_move();
        }
        self.play_all(moves)
    }

    fn play_all(&mut self, moves: &Moves<'_>) -> Result<(), Refused> {
        let mut ahead = moves.iter();
        if !self.played.iter().all(|&mv| ahead.next() == Some(mv)) {
            self.undo_move();
            ahead = moves.iter();
        }
        for uci in ahead {
            let mv = uci.to_move(&self.position).map_err(|error| Refused(error.to_string()))?;
            self.position.play(mv);
            self.played.push(uci);
        }
        Ok(())
    }

    fn undo_move(&mut self) {
        self.position = self.first;
        self.played.clear();
    }

    /// A legal move, chosen by position and seed alone.
    pub(crate) fn choose(&self, seed: u64) -> Option<UciMove> {
        let key = self.position.key() ^ mix(seed);
        let moves = self.position.legal_moves();
        let mv = moves.iter().copied().min_by_key(|mv| mix(key.wrapping_add(u64::from(mv.to_bits()))))?;
        Some(UciMove::from_move(mv, self.castling))
    }

    /// An illegal move of an own piece.
    pub(crate) fn choose_illegal(&self) -> UciMove {
        let from = self.position.king(self.position.turn());
        let mv = |to| UciMove::new(from, to, None);
        // No king reaches every square, so the fallback is never needed.
        let mut elsewhere = Square::all().filter(|&to| to != from).map(mv);
        elsewhere.find(|mv| mv.to_move(&self.position).is_err()).unwrap_or(mv(from))
    }
}

/// The hash of a number, counted from the state before it.
fn mix(number: u64) -> u64 {
    splitmix(number.wrapping_sub(STEP))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";

    fn set(board: &mut PlayedGame, fen: Option<&str>, moves: &str) -> Result<(), String> {
        let start = fen.map_or(Start::Standard, Start::Fen);
        board.set(start, &Moves::from_text(moves)).map_err(|refused| refused.0)
    }

    #[test]
    fn a_position_does_not_depend_on_earlier_ones() {
        let mut worn = PlayedGame::new();
        for (fen, moves) in [
            (None, "e2e4 e7e5"),
            (None, "e2e4 e7e5 g1f3"),
            (None, "d2d4"),
            (Some(CASTLING), "e1g1"),
            (Some(CASTLING), "e1h1 e8a8"),
            (None, ""),
        ] {
            let mut fresh = PlayedGame::new();
            assert_eq!(set(&mut worn, fen, moves), set(&mut fresh, fen, moves));
            assert_eq!(worn.position.key(), fresh.position.key(), "{fen:?} {moves}");
            assert_eq!(worn.ply(), moves.split_whitespace().count());
        }
    }

    #[test]
    fn an_illegal_move_is_refused() {
        assert_eq!(
            set(&mut PlayedGame::new(), None, "e2e5"),
            Err("e2e5 is not a legal move here".to_owned())
        );
    }

    #[test]
    fn choices_are_legal_and_the_other_kind_is_not() {
        let mut board = PlayedGame::new();
        for ply in 0..200 {
            let illegal = board.choose_illegal();
            assert!(illegal.to_move(&board.position).is_err());
            let Some(mv) = board.choose(ply) else { break };
            let moves: Vec<_> = board.played.iter().copied().chain([mv]).collect();
            assert!(board.set(Start::Standard, &Moves::from_slice(&moves)).is_ok());
        }
        assert!(board.ply() > 50);
    }
}
