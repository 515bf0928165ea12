//! The weights of the evaluation: embedded at build time from `params/evaluation.toml`, or loaded from such a file at
//! run time. Independent of chess.

use std::sync::LazyLock;

use super::document::{self, WeightPairs};
use super::schema::{Term, WEIGHTS};
use super::score::PackedScore;
use super::squares::SquareRows;

pub use super::document::{LARGEST_WEIGHT, ParametersError};

static EMBEDDED: WeightPairs = include!(concat!(env!("OUT_DIR"), "/evaluation.in"));

static PARAMETERS: LazyLock<Parameters> = LazyLock::new(|| Parameters::from_tenths(&EMBEDDED));

/// A weight, as its index among all weights, 0 to [`WEIGHTS`] − 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Weight(u16);

impl Weight {
    /// The index among all weights.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Term {
    /// The term's only or first weight.
    #[inline]
    pub const fn first(self) -> Weight {
        Weight(self.start() as u16)
    }

    /// The term's weight with this index.
    ///
    /// # Panics
    /// In debug builds, if the index is out of range.
    #[inline]
    pub fn at(self, index: usize) -> Weight {
        debug_assert!(index < self.entry().shape.length(), "{self:?} has no weight {index}");
        Weight((self.start() + index) as u16)
    }
}

/// The file of the embedded weights, with its comments and origin: `params/evaluation.toml`.
pub const EVALUATION_TOML: &str = include_str!("../../params/evaluation.toml");

/// All weights with their numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameters {
    values: Box<[PackedScore; WEIGHTS]>,
    squares: SquareRows,
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
    /// ±[`LARGEST_WEIGHT`] or with more than one decimal.
    pub fn parse_toml(text: &str) -> Result<Parameters, ParametersError> {
        document::read(text).map(|numbers| Parameters::from_tenths(&numbers))
    }

    /// The weights with these numbers, in tenths.
    pub fn from_tenths(tenths: &WeightPairs) -> Parameters {
        let packed = tenths.iter().map(|pair| PackedScore::new(pair[0], pair[1]));
        let values: Box<[PackedScore; WEIGHTS]> =
            packed.collect::<Box<[_]>>().try_into().expect("the length is that of the array");
        Parameters { squares: SquareRows::new(&values), values }
    }

    /// The numbers of a weight, in tenths: [middlegame, endgame]; the single number of a complexity or scale weight appears
    /// twice.
    #[inline]
    pub fn get(&self, weight: Weight) -> PackedScore {
        self.values[weight.index()]
    }

    /// The weights of the pieces' squares.
    #[inline]
    pub(super) fn squares(&self) -> &SquareRows {
        &self.squares
    }

    /// The numbers of all weights in tenths, each [middlegame, endgame], in schema order.
    pub fn tenths(&self) -> impl Iterator<Item = [i32; 2]> {
        self.values.iter().map(|value| [value.middlegame(), value.endgame()])
    }
}
