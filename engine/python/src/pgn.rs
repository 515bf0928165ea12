//! PGN files, game by game.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::PathBuf;

use ::smalt_chess::PgnGame;
use ::smalt_chess::notation::pgn::{PgnError, Variations};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::board::Board;
use crate::moves::Move;

type PgnInput = Box<dyn Read + Send + Sync>;

/// The games of a PGN file, one after the other.
#[pyclass(module = "smalt_chess")]
pub(crate) struct PgnReader {
    reader: ::smalt_chess::PgnReader<PgnInput>,
    skipped: Vec<String>,
}

#[pyfunction]
pub(crate) fn read_pgn(path: PathBuf) -> PyResult<PgnReader> {
    Ok(PgnReader::new(Box::new(File::open(path)?)))
}

#[pyfunction]
pub(crate) fn parse_pgn(text: String) -> PgnReader {
    PgnReader::new(Box::new(Cursor::new(text)))
}

impl PgnReader {
    fn new(source: PgnInput) -> PgnReader {
        PgnReader { reader: ::smalt_chess::PgnReader::new(source), skipped: Vec::new() }
    }
}

#[pymethods]
impl PgnReader {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Game>> {
        loop {
            match py.detach(|| self.reader.read_game(Variations::Skip)) {
                Ok(game) => return Ok(game.map(|game| Game(Box::new(game)))),
                Err(PgnError::Skipped(game)) => self.skipped.push(game.to_string()),
                Err(PgnError::Io(error)) => return Err(error.into()),
            }
        }
    }

    #[getter]
    fn skipped(&self) -> Vec<String> {
        self.skipped.clone()
    }
}

/// A game of a PGN file: headers and main line.
#[pyclass(frozen, module = "smalt_chess")]
pub(crate) struct Game(Box<PgnGame>);

#[pymethods]
impl Game {
    #[getter]
    fn headers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let headers = PyDict::new(py);
        for (name, value) in self.0.tags().iter() {
            headers.set_item(name, value)?;
        }
        Ok(headers)
    }

    #[getter]
    fn moves(&self) -> Vec<Move> {
        self.0.main_line().map(|main| Move(main.mv)).collect()
    }

    #[getter]
    fn result(&self) -> String {
        self.0.outcome().map_or_else(|| "*".to_owned(), |outcome| outcome.to_string())
    }

    #[getter]
    fn problems(&self) -> Vec<String> {
        self.0.problems().iter().map(ToString::to_string).collect()
    }

    fn board(&self) -> Board {
        Board::at(*self.0.start())
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }
}
