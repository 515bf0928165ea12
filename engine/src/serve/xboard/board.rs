//! The game of an xboard session: position, moves and excluded root moves.

use smalt_chess::{
    CastlingMode, CastlingSide, Color, Game, Move, Position, PositionError, San, SanError, Setup, UciMove,
};
use smalt_protocol::xboard::client::MoveSet;

/// Board of a session.
#[derive(Clone, Debug)]
pub(super) struct SessionBoard {
    game: Game,
    variant: CastlingMode,
    /// Whether the last position was invalid.
    is_refused: bool,
    excluded: Vec<Move>,
}

/// Start position and moves of the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct GameMoves {
    pub(super) start: Position,
    pub(super) moves: Vec<UciMove>,
}

/// Why a move text was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MoveRefusal {
    Illegal,
    Ambiguous,
}

impl SessionBoard {
    pub(super) fn new() -> SessionBoard {
        SessionBoard {
            game: Game::default(),
            variant: CastlingMode::Standard,
            is_refused: false,
            excluded: Vec::new(),
        }
    }

    pub(super) fn set_variant(&mut self, variant: CastlingMode) {
        self.variant = variant;
    }

    pub(super) fn variant(&self) -> CastlingMode {
        self.variant
    }

    pub(super) fn set_up(&mut self, position: Position) {
        self.excluded.clear();
        self.is_refused = false;
        self.game = Game::new(position);
    }

    /// Records that a position was invalid: no moves are accepted until a valid one is set.
    pub(super) fn refuse(&mut self) {
        self.is_refused = true;
    }

    pub(super) fn is_refused(&self) -> bool {
        self.is_refused
    }

    pub(super) fn game(&self) -> &Game {
        &self.game
    }

    pub(super) fn position(&self) -> &Position {
        self.game.position()
    }

    pub(super) fn turn(&self) -> Color {
        self.position().turn()
    }

    /// The position with this side to move.
    pub(super) fn with_turn(&self, turn: Color) -> Result<Position, PositionError> {
        let setup = self.position().to_setup();
        Position::new(&Setup { turn, en_passant: setup.en_passant.filter(|_| setup.turn == turn), ..setup })
    }

    /// Parses a legal move in coordinate notation or SAN.
    pub(super) fn read_move(&self, text: &str) -> Result<Move, MoveRefusal> {
        if self.is_refused {
            return Err(MoveRefusal::Illegal);
        }
        if let Ok(mv) = UciMove::parse(text) {
            return mv.to_move(self.position()).map_err(|_| MoveRefusal::Illegal);
        }
        match San::parse(text).map(|san| san.to_move(self.position())) {
            Ok(Ok(mv)) => Ok(mv),
            Ok(Err(SanError::Ambiguous(_))) => Err(MoveRefusal::Ambiguous),
            Ok(Err(_)) | Err(_) => Err(MoveRefusal::Illegal),
        }
    }

    /// Plays a legal move.
    pub(super) fn play(&mut self, mv: Move) {
        self.excluded.clear();
        self.game.play(mv).expect("only legal moves are handed here");
    }

    /// Undoes `count` moves; false and unchanged if there are fewer.
    pub(super) fn undo_moves(&mut self, count: usize) -> bool {
        let can = !self.is_refused && self.game.moves().len() >= count;
        if can {
            self.excluded.clear();
            for _ in 0..count {
                self.game.undo();
            }
        }
        can
    }

    /// Number of plies played.
    pub(super) fn ply(&self) -> usize {
        self.game.moves().len()
    }

    /// Number of moves of a side since that ply.
    pub(super) fn moves_of(&self, color: Color, since: usize) -> u32 {
        let plies = self.game.plies().skip(since);
        plies.filter(|(position, _)| position.turn() == color).count() as u32
    }

    /// The game, with the expected move appended.
    pub(super) fn line(&self, expected: Option<Move>) -> GameMoves {
        let mode = CastlingMode::Chess960;
        let moves = self.game.moves().iter().copied().chain(expected);
        GameMoves { start: *self.game.start(), moves: moves.map(|mv| UciMove::from_move(mv, mode)).collect() }
    }

    /// Excludes moves from the search, or includes them again.
    pub(super) fn exclude(&mut self, moves: MoveSet<'_>, is_excluded: bool) -> Result<(), MoveRefusal> {
        let meant = match moves {
            MoveSet::All => self.position().legal_moves().to_vec(),
            MoveSet::One(text) => vec![self.read_move(text)?],
        };
        self.excluded.retain(|mv| !meant.contains(mv));
        if is_excluded {
            self.excluded.extend(meant);
        }
        Ok(())
    }

    /// Root moves to search; `None` for all.
    pub(super) fn moves_to_search(&self) -> Option<Vec<UciMove>> {
        if self.excluded.is_empty() {
            return None;
        }
        let legal = self.position().legal_moves();
        let wanted = legal.iter().filter(|mv| !self.excluded.contains(mv));
        Some(wanted.map(|&mv| UciMove::from_move(mv, CastlingMode::Chess960)).collect())
    }

    /// Move in coordinate notation, or `O-O` and `O-O-O` in Chess960.
    pub(super) fn write_move(&self, mv: Move) -> String {
        let is_960 = [self.variant, CastlingMode::of(self.position())].contains(&CastlingMode::Chess960);
        match CastlingSide::of(mv.from(), mv.to()) {
            CastlingSide::King if mv.is_castle() && is_960 => "O-O".to_owned(),
            CastlingSide::Queen if mv.is_castle() && is_960 => "O-O-O".to_owned(),
            _ => UciMove::from_move(mv, CastlingMode::Standard).to_string(),
        }
    }
}
