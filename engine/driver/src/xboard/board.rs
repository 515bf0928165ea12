//! The position sent to the engine so far, and the commands that change it.

use std::fmt::Write;

use smalt_chess::{CastlingMode, CastlingSide, Color, Move, Piece, Position, San, Square, UciMove};
use smalt_protocol::uci::client::Start;
use smalt_protocol::xboard::ClientMessage;
use smalt_protocol::xboard::client::{EditLine, MoveForm};

use super::features::Features;

/// The engine's board and game so far.
#[derive(Debug)]
pub(super) struct GameBoard {
    start: Option<Box<str>>,
    moves: Vec<UciMove>,
    position: Position,
    /// False until a position is set up, and whenever the two boards may differ.
    is_known: bool,
}

/// A position that cannot be sent to the engine.
#[derive(Debug)]
pub(super) struct OutOfReach(pub(super) &'static str);

impl Default for GameBoard {
    fn default() -> Self {
        Self { start: None, moves: Vec::new(), position: Position::start(), is_known: false }
    }
}

impl GameBoard {
    /// The position on both boards.
    pub(super) fn position(&self) -> &Position {
        &self.position
    }

    /// Records that the engine has the start position.
    pub(super) fn reset(&mut self) {
        *self = Self { is_known: true, ..Self::default() };
    }

    /// Records that the engine's position is unknown.
    pub(super) fn forget(&mut self) {
        self.is_known = false;
    }

    /// The moves to send, if the engine's game is a prefix of this one.
    pub(super) fn news<'m>(&self, start: Start<'_>, moves: &'m [UciMove]) -> Option<&'m [UciMove]> {
        let same_start = match start {
            Start::Standard => self.start.is_none(),
            Start::Fen(fen) => self.start.as_deref() == Some(fen),
        };
        moves.strip_prefix(self.moves.as_slice()).filter(|_| same_start && self.is_known)
    }

    /// Adds the commands that set up the start position, after `new` and `force`.
    pub(super) fn set_up(
        &mut self,
        start: Start<'_>,
        features: &Features,
        lines: &mut String,
    ) -> Result<(), OutOfReach> {
        self.reset();
        let Start::Fen(fen) = start else { return Ok(()) };
        let position =
            Position::from_fen(fen).map_err(|_| OutOfReach("the text of the position is not a FEN"))?;
        self.start = Some(fen.into());
        self.position = position;
        if features.setboard {
            push(lines, &ClientMessage::SetBoard(fen));
            return Ok(());
        }
        edit(&position, features, lines)
    }

    /// The move in the engine's notation; `None` if it is illegal here.
    pub(super) fn write_move(
        &self,
        uci: UciMove,
        features: &Features,
        variant: CastlingMode,
    ) -> Option<(Move, String)> {
        let mv = uci.to_move(&self.position).ok()?;
        let text = if features.san {
            San::from_move(mv, &self.position).to_string()
        } else if mv.is_castle() && variant == CastlingMode::Chess960 {
            match CastlingSide::of(mv.from(), mv.to()) {
                CastlingSide::King => "O-O".to_owned(),
                CastlingSide::Queen => "O-O-O".to_owned(),
            }
        } else {
            UciMove::from_move(mv, CastlingMode::Standard).to_string()
        };
        Some((mv, text))
    }

    /// Adds the move command and plays the move. Returns the move's text; `None` if it is illegal.
    pub(super) fn play(
        &mut self,
        uci: UciMove,
        features: &Features,
        variant: CastlingMode,
        lines: &mut String,
    ) -> Option<String> {
        let (mv, text) = self.write_move(uci, features, variant)?;
        let form = if features.usermove { MoveForm::UserMove } else { MoveForm::Bare };
        push(lines, &ClientMessage::Move { text: &text, form });
        self.position.play(mv);
        self.moves.push(uci);
        Some(text)
    }

    /// Plays the engine's own move.
    pub(super) fn follow(&mut self, mv: Move, uci: UciMove) {
        self.position.play(mv);
        self.moves.push(uci);
    }
}

/// Adds one line with its line feed.
pub(super) fn push(lines: &mut String, message: &ClientMessage<'_>) {
    writeln!(lines, "{message}").expect("a string takes any text");
}

/// Sets up a position for engines without `setboard`. They allow castling whenever king and rook are on their home
/// squares, and never en passant: if a pawn can be taken that way, the position before its double step is set up and
/// the step is played.
fn edit(position: &Position, features: &Features, lines: &mut String) -> Result<(), OutOfReach> {
    if position.legal_en_passant().is_none() {
        return edit_standing(position, lines);
    }
    let (before, step) = before_double_step(position)
        .ok_or(OutOfReach("it has no setboard, and no legal position comes before the last double step"))?;
    edit_standing(&before, lines)?;
    let uci = UciMove::from_move(step, CastlingMode::Standard);
    let text = if features.san { San::from_move(step, &before).to_string() } else { uci.to_string() };
    let form = if features.usermove { MoveForm::UserMove } else { MoveForm::Bare };
    push(lines, &ClientMessage::Move { text: &text, form });
    Ok(())
}

/// The position before the double step just played, and that move.
fn before_double_step(position: &Position) -> Option<(Position, Move)> {
    let behind = position.en_passant()?;
    let mut setup = position.to_setup();
    let mover = position.turn().opposite();
    let forward = if mover == Color::White { 1 } else { -1 };
    let (from, to) = (behind.offset(0, -forward)?, behind.offset(0, forward)?);
    setup.board[from.index()] = setup.board[to.index()].take();
    setup.turn = mover;
    setup.en_passant = None;
    setup.halfmove_clock = 0;
    let before = Position::new(&setup).ok()?;
    let step = UciMove::new(from, to, None).to_move(&before).ok()?;
    Some((before, step))
}

/// [`edit`] without an en passant capture.
fn edit_standing(position: &Position, lines: &mut String) -> Result<(), OutOfReach> {
    if assumed_rooks(position).any(|rook| !position.castling_rooks().contains(rook)) {
        return Err(OutOfReach("it has no setboard, and edit cannot say that a king may no longer castle"));
    }
    if position.turn() == Color::Black {
        // How to give Black the move: White has moved already, whatever the board.
        push(lines, &ClientMessage::Move { text: "a2a3", form: MoveForm::Bare });
    }
    push(lines, &ClientMessage::Edit);
    let mut line = |edit: EditLine| writeln!(lines, "{edit}").expect("a string takes any text");
    line(EditLine::Clear);
    for color in Color::ALL {
        if color == Color::Black {
            line(EditLine::ChangeColor);
        }
        for square in position.color(color) {
            let piece = position.piece_at(square).expect("the square is occupied");
            line(EditLine::Place(piece.role(), square));
        }
    }
    line(EditLine::End);
    Ok(())
}

/// The rooks with which this side may castle in the engine's view after `edit`.
fn assumed_rooks(position: &Position) -> impl Iterator<Item = Square> {
    let homes = [("e1", ["a1", "h1"], Color::White), ("e8", ["a8", "h8"], Color::Black)];
    let square = |text: &str| Square::parse(text).expect("a square");
    homes.into_iter().flat_map(move |(king, rooks, color)| {
        let stands = |role, at| position.piece_at(at) == Some(Piece::new(color, role));
        let king_is_home = stands(smalt_chess::Role::King, square(king));
        rooks
            .map(square)
            .into_iter()
            .filter(|&at| king_is_home && stands(smalt_chess::Role::Rook, at))
            .collect::<Vec<_>>()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(fen: &str) -> Result<String, &'static str> {
        let mut lines = String::new();
        let mut board = GameBoard::default();
        board
            .set_up(Start::Fen(fen), &Features::default(), &mut lines)
            .map(|()| lines.replace('\n', " "))
            .map_err(|error| error.0)
    }

    #[test]
    fn a_position_is_edited_piece_by_piece() {
        let white = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        assert_eq!(edited(white).unwrap(), "edit # Ke1 Pe2 c Ke8 . ");
        assert_eq!(edited(&white.replace('w', "b")).unwrap(), "a2a3 edit # Ke1 Pe2 c Ke8 . ");
    }

    #[test]
    fn positions_that_edit_cannot_express_are_refused() {
        assert!(edited("r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1").is_ok());
        assert!(edited("r3k2r/8/8/8/8/8/8/4K3 b k - 0 1").unwrap_err().contains("castle"));
    }

    #[test]
    fn a_pawn_that_may_be_taken_en_passant_makes_its_double_step() {
        let white = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
        assert_eq!(edited(white).unwrap(), "a2a3 edit # Ke1 Pe5 c Pd7 Ke8 . d7d5 ");
        let black = "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1";
        assert_eq!(edited(black).unwrap(), "edit # Ke1 Pd2 c Pe4 Ke8 . d2d4 ");
    }

    #[test]
    fn only_new_moves_of_a_game_are_sent() {
        let mut board = GameBoard::default();
        let moves: Vec<UciMove> = ["e2e4", "e7e5", "g1f3"].map(|text| text.parse().unwrap()).to_vec();
        assert_eq!(board.news(Start::Standard, &moves), None);
        board.reset();
        let mut lines = String::new();
        for &mv in &moves[..2] {
            board.play(mv, &Features::default(), CastlingMode::Standard, &mut lines).unwrap();
        }
        assert_eq!(lines, "e2e4\ne7e5\n");
        assert_eq!(board.news(Start::Standard, &moves), Some(&moves[2..]));
        assert_eq!(board.news(Start::Standard, &moves[..1]), None);
        assert_eq!(board.news(Start::Fen("8/8/8/8/8/4k3/8/4K3 w - - 0 1"), &moves), None);
    }
}
