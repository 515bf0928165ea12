//! How a game ended.

use ::smalt_chess::{Color, Ending};
use pyo3::prelude::*;

/// The rule that ended a game, and the result.
#[pyclass(frozen, eq, module = "smalt_chess")]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outcome(pub(crate) Ending);

#[pymethods]
impl Outcome {
    #[getter]
    fn termination(&self) -> String {
        self.0.to_string()
    }

    #[getter]
    fn winner(&self) -> Option<bool> {
        match self.0.outcome() {
            ::smalt_chess::Outcome::Win(color) => Some(color == Color::White),
            ::smalt_chess::Outcome::Draw => None,
        }
    }

    fn result(&self) -> String {
        self.0.outcome().to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Outcome {}: {}>", self.result(), self.termination())
    }
}
