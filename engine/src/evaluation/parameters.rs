//! The weights of the evaluation: embedded at build time from `params/evaluation.toml`, or loaded from such a file at
//! run time. Independent of chess.

use super::document::{self, WeightPairs};
use super::schema::{Term, WEIGHTS};
use super::score::PackedScore;
use super::squares::SquareSums;

pub use super::document::{LARGEST_WEIGHT, ParametersError};

static EMBEDDED: WeightPairs = include!(concat!(env!("OUT_DIR"), "/evaluation.in"));

static PARAMETERS: Parameters = Parameters::from_tenths(&EMBEDDED);

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
    values: [PackedScore; WEIGHTS],
    squares: SquareSums,
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
    pub const fn from_tenths(tenths: &WeightPairs) -> Parameters {
        let mut values = [PackedScore::ZERO; WEIGHTS];
        let mut index = 0;
        while index < WEIGHTS {
            values[index] = PackedScore::new(tenths[index][0], tenths[index][1]);
            index += 1;
        }
        Parameters { squares: SquareSums::new(&values), values }
    }

    /// The numbers of a weight, in tenths: [middlegame, endgame]; the single number of a complexity or scale weight appears
    /// twice.
    #[inline]
    pub fn get(&self, weight: Weight) -> PackedScore {
        self.values[weight.index()]
    }

    /// The piece-square tables, summed by the buckets of both kings.
    #[inline]
    pub(super) fn squares(&self) -> &SquareSums {
        &self.squares
    }

    /// The numbers of all weights in tenths, each [middlegame, endgame], in schema order.
    pub fn tenths(&self) -> impl Iterator<Item = [i32; 2]> {
        self.values.iter().map(|value| [value.middlegame(), value.endgame()])
    }
}
