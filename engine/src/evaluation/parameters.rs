//! The weights of the evaluation: embedded at build time from `params/evaluation.toml`, or loaded from such a file at
//! run time. Independent of chess.

use std::sync::LazyLock;

use super::document::{self, WeightPairs};
use super::schema::{WEIGHTS, Weight};
use super::score::PackedScore;
use super::squares::PieceSquareRows;

pub use super::document::ParametersError;

static EMBEDDED: WeightPairs = include!(concat!(env!("OUT_DIR"), "/evaluation.in"));

static PARAMETERS: LazyLock<Parameters> = LazyLock::new(|| Parameters::from_tenths(&EMBEDDED));

/// The file of the embedded weights, with its comments and origin: `params/evaluation.toml`.
pub const EVALUATION_TOML: &str = include_str!("../../params/evaluation.toml");

/// All weights with their numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameters {
    values: Box<[PackedScore; WEIGHTS]>,
    squares: PieceSquareRows,
}

impl Parameters {
    /// The numbers embedded from `params/evaluation.toml`.
    pub fn embedded() -> &'static Parameters {
        &PARAMETERS
    }

    /// Parses a complete parameter file, in the format of `params/evaluation.toml`.
    ///
    /// # Errors
    /// If the text is invalid, lacks a term, has an unknown one or a list of the wrong length, or a number beyond
    /// [`Entry::limit`](super::schema::Entry::limit) or with more than one decimal.
    pub fn parse_toml(text: &str) -> Result<Parameters, ParametersError> {
        document::read(text).map(|numbers| Parameters::from_tenths(&numbers))
    }

    /// The weights with these numbers, in tenths.
    pub fn from_tenths(tenths: &WeightPairs) -> Parameters {
        let packed = tenths.iter().map(|pair| PackedScore::new(pair[0], pair[1]));
        let values: Box<[PackedScore; WEIGHTS]> =
            packed.collect::<Box<[_]>>().try_into().expect("the length is that of the array");
        Parameters { squares: PieceSquareRows::new(&values), values }
    }

    /// The numbers of a weight, in tenths: [middlegame, endgame]; the single number of a complexity or scale weight appears
    /// twice.
    #[inline]
    pub fn get(&self, weight: Weight) -> PackedScore {
        self.values[weight.index()]
    }

    /// The rows of the piece-square tables.
    #[inline]
    pub(super) fn squares(&self) -> &PieceSquareRows {
        &self.squares
    }

    /// The numbers of all weights in tenths, each [middlegame, endgame], in schema order.
    pub fn tenths(&self) -> impl Iterator<Item = [i32; 2]> {
        self.values.iter().map(|value| [value.middlegame(), value.endgame()])
    }
}
