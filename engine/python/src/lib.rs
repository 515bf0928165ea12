//! Python bindings of `smalt-chess`; the names follow python-chess where the meaning is the same, and `smalt_chess.pyi`
//! documents them for users. Modules in reading order:
//!
//! - `moves`: moves as objects;
//! - `outcome`: how a game ended;
//! - `board`: a board with the moves that led to it;
//! - `pgn`: PGN files, game by game;
//! - `masks`: masks of legal actions as numpy arrays.

mod board;
mod masks;
mod moves;
mod outcome;
mod pgn;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Python aligns its objects to 16 bytes; what needs more, as a position does, is in a box.
const _: () = assert!(
    align_of::<board::Board>() <= 16 && align_of::<pgn::Game>() <= 16 && align_of::<pgn::PgnReader>() <= 16
);

fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The rules and the notation of chess.
#[pymodule]
mod smalt_chess {
    use ::smalt_chess::actions;
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::board::Board;
    #[pymodule_export]
    use super::masks::{legal_mask_bits, legal_masks};
    #[pymodule_export]
    use super::moves::Move;
    #[pymodule_export]
    use super::outcome::Outcome;
    #[pymodule_export]
    use super::pgn::{Game, PgnReader, parse_pgn, read_pgn};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("ACTIONS", actions::ACTIONS)?;
        module.add("PLANES", actions::PLANES)?;
        module.add("WHITE", true)?;
        module.add("BLACK", false)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
