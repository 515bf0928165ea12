//! Moves as objects.

use ::smalt_chess::{CastlingMode, UciMove};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// A move of a position; castling is the king's move to the square of its rook.
#[pyclass(frozen, eq, hash, module = "smalt_chess")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Move(pub(crate) ::smalt_chess::Move);

/// Number of moves as 16 bits: origin, destination, kind.
const MOVES: usize = 1 << 16;

/// The Python objects of moves: a move is immutable, so that a list refers to one object for each.
static OBJECTS: [PyOnceLock<Py<Move>>; MOVES] = [const { PyOnceLock::new() }; MOVES];

/// The Python object of a move.
pub(crate) fn object(py: Python<'_>, mv: ::smalt_chess::Move) -> PyResult<&Py<Move>> {
    let index = mv.from().index() | mv.to().index() << 6 | (mv.kind() as usize) << 12;
    OBJECTS[index].get_or_try_init(py, || Py::new(py, Move(mv)))
}

#[pymethods]
impl Move {
    #[getter(from_square)]
    fn origin(&self) -> usize {
        self.0.from().index()
    }

    #[getter(to_square)]
    fn destination(&self) -> usize {
        self.0.to().index()
    }

    #[getter]
    fn promotion(&self) -> Option<char> {
        self.0.promoted_to().map(|role| role.to_char())
    }

    #[getter]
    fn is_capture(&self) -> bool {
        self.0.is_capture()
    }

    #[getter]
    fn is_castling(&self) -> bool {
        self.0.is_castle()
    }

    #[getter]
    fn is_en_passant(&self) -> bool {
        self.0.is_en_passant()
    }

    fn uci(&self) -> String {
        UciMove::from_move(self.0, CastlingMode::Standard).to_string()
    }

    fn __str__(&self) -> String {
        self.uci()
    }

    fn __repr__(&self) -> String {
        format!("<Move {}>", self.uci())
    }
}
