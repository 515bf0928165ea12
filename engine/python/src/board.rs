//! A board with the moves that led to it.

use std::fmt::Write as _;

use ::smalt_chess::actions::Action;
use ::smalt_chess::perft::{DEEPEST, Leaves, perft};
use ::smalt_chess::{
    CastlingMode, Color, DrawClaims, File, Game, Position, Rank, San, Setup, Square, UciMove,
};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::moves::{Move, object};
use crate::outcome::Outcome;
use crate::value_error;

/// A position and the moves before it.
#[pyclass(module = "smalt_chess")]
#[derive(Clone)]
pub(crate) struct Board {
    /// On the heap, since Python aligns its objects to 16 bytes only.
    pub(crate) position: Box<Position>,
    /// The moves played, each with the position before it.
    stack: Vec<(Position, ::smalt_chess::Move)>,
}

impl Board {
    pub(crate) fn at(position: Position) -> Board {
        Board { position: Box::new(position), stack: Vec::new() }
    }

    /// # Errors
    /// If the move is illegal; the board stays as it was.
    fn play(&mut self, mv: ::smalt_chess::Move) -> PyResult<()> {
        if !self.position.is_legal(mv) {
            return Err(value_error(format!("{mv:?} is not a legal move of {}", self.position.to_fen())));
        }
        self.stack.push((*self.position, mv));
        self.position.play(mv);
        Ok(())
    }

    fn read_san(&self, text: &str) -> PyResult<::smalt_chess::Move> {
        let san = San::parse(text).map_err(|_| value_error(format!("{text:?} is not a move in SAN")))?;
        san.to_move(&self.position).map_err(value_error)
    }

    fn read_uci(&self, text: &str) -> PyResult<::smalt_chess::Move> {
        UciMove::parse(text).map_err(value_error)?.to_move(&self.position).map_err(value_error)
    }

    /// The game since the last capture or pawn move: nothing before it can be repeated.
    fn reversible_game(&self) -> Game {
        let reversible = usize::from(self.position.halfmove_clock()).min(self.stack.len());
        let recent = &self.stack[self.stack.len() - reversible..];
        let mut game = Game::new(recent.first().map_or(*self.position, |(position, _)| *position));
        for &(_, mv) in recent {
            game.play(mv).expect("the moves of the board are legal");
        }
        game
    }
}

#[pymethods]
impl Board {
    #[new]
    #[pyo3(signature = (fen=None))]
    fn new(fen: Option<&str>) -> PyResult<Board> {
        let position = fen.map_or(Ok(Position::start()), Position::from_fen).map_err(value_error)?;
        Ok(Board::at(position))
    }

    #[staticmethod]
    fn chess960(number: u16) -> PyResult<Board> {
        let setup = Setup::chess960(number).ok_or_else(|| value_error("start positions are 0 to 959"))?;
        Ok(Board::at(Position::new(&setup).map_err(value_error)?))
    }

    #[getter]
    fn turn(&self) -> bool {
        self.position.turn() == Color::White
    }

    #[getter]
    fn halfmove_clock(&self) -> u16 {
        self.position.halfmove_clock()
    }

    #[getter]
    fn fullmove_number(&self) -> u16 {
        self.position.fullmove_number()
    }

    #[getter]
    fn move_stack(&self) -> Vec<Move> {
        self.stack.iter().map(|&(_, mv)| Move(mv)).collect()
    }

    #[pyo3(signature = (*, shredder=false))]
    fn fen(&self, shredder: bool) -> String {
        if shredder { self.position.to_shredder_fen() } else { self.position.to_fen() }
    }

    fn key(&self) -> u64 {
        self.position.key()
    }

    fn piece_at(&self, square: usize) -> PyResult<Option<char>> {
        if square >= 64 {
            return Err(PyIndexError::new_err("squares are 0 to 63"));
        }
        Ok(self.position.piece_at(Square::from_index(square)).map(|piece| piece.to_char()))
    }

    fn legal_moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let moves = self.position.legal_moves();
        let moves: PyResult<Vec<&Py<Move>>> = moves.iter().map(|&mv| object(py, mv)).collect();
        PyList::new(py, moves?)
    }

    fn count_legal_moves(&self) -> usize {
        self.position.count_legal_moves()
    }

    fn is_legal(&self, mv: &Move) -> bool {
        self.position.is_legal(mv.0)
    }

    fn is_check(&self) -> bool {
        self.position.is_check()
    }

    fn push(&mut self, mv: &Move) -> PyResult<()> {
        self.play(mv.0)
    }

    fn push_san(&mut self, text: &str) -> PyResult<Move> {
        let mv = self.read_san(text)?;
        self.play(mv)?;
        Ok(Move(mv))
    }

    fn push_uci(&mut self, text: &str) -> PyResult<Move> {
        let mv = self.read_uci(text)?;
        self.play(mv)?;
        Ok(Move(mv))
    }

    fn pop(&mut self) -> PyResult<Move> {
        let (position, mv) =
            self.stack.pop().ok_or_else(|| PyIndexError::new_err("no move has been played"))?;
        *self.position = position;
        Ok(Move(mv))
    }

    fn san(&self, mv: &Move) -> PyResult<String> {
        if !self.position.is_legal(mv.0) {
            return Err(value_error(format!("{:?} is not a legal move here", mv.0)));
        }
        Ok(San::from_move(mv.0, &self.position).to_string())
    }

    #[pyo3(signature = (mv, *, chess960=None))]
    fn uci(&self, mv: &Move, chess960: Option<bool>) -> String {
        let mode = match chess960 {
            None => CastlingMode::of(&self.position),
            Some(true) => CastlingMode::Chess960,
            Some(false) => CastlingMode::Standard,
        };
        UciMove::from_move(mv.0, mode).to_string()
    }

    fn parse_san(&self, text: &str) -> PyResult<Move> {
        self.read_san(text).map(Move)
    }

    fn parse_uci(&self, text: &str) -> PyResult<Move> {
        self.read_uci(text).map(Move)
    }

    #[pyo3(signature = (*, claim_draw=false))]
    fn outcome(&self, claim_draw: bool) -> Option<Outcome> {
        let claims = if claim_draw { DrawClaims::Automatic } else { DrawClaims::Never };
        self.reversible_game().ending(claims).map(Outcome)
    }

    fn perft(&self, py: Python<'_>, depth: u32) -> PyResult<u64> {
        if depth > DEEPEST {
            return Err(value_error(format!("the depth is at most {DEEPEST}")));
        }
        Ok(py.detach(|| perft(&self.position, depth, Leaves::Counted)))
    }

    fn action(&self, mv: &Move) -> usize {
        Action::from_move(mv.0, self.position.turn()).index()
    }

    fn move_of_action(&self, action: usize) -> PyResult<Move> {
        Action::from_index(action)
            .and_then(|action| action.to_move(&self.position))
            .map(Move)
            .ok_or_else(|| value_error(format!("action {action} is not a legal move here")))
    }

    fn copy(&self) -> Board {
        self.clone()
    }

    fn __copy__(&self) -> Board {
        self.clone()
    }

    fn __eq__(&self, other: &Board) -> bool {
        self.position == other.position
    }

    fn __str__(&self) -> String {
        let mut text = String::with_capacity(128);
        for rank in Rank::ALL.into_iter().rev() {
            for file in File::ALL {
                let piece = self.position.piece_at(Square::new(file, rank));
                let end = if file == File::H { '\n' } else { ' ' };
                let _ = write!(text, "{}{end}", piece.map_or('.', |piece| piece.to_char()));
            }
        }
        text.pop();
        text
    }

    fn __repr__(&self) -> String {
        format!("Board('{}')", self.position.to_fen())
    }
}
