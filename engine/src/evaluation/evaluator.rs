//! The evaluation with a memory for structures of pawns and kings, which change rarely, and for the latest evaluations,
//! which a search asks for again before it knows more of a position. Knows no terms.

use std::sync::Arc;

use smalt_chess::{Color, Position};

use super::parameters::Parameters;
use super::terms::structure::{self, Structure};
use super::trace::{NoTrace, Weighing};
use super::{LARGEST_EVALUATION, from_mover, parts};
use crate::memory::prefetch;

/// How many structures are remembered; a power of two.
const REMEMBERED: usize = 1 << 13;

/// How many evaluations are remembered; a power of two, at most 2^16.
const EVALUATIONS: usize = 1 << 14;

/// An evaluation in the lower sixteen bits, the others from the position's key.
#[derive(Clone, Copy)]
struct Remembered(u64);

impl Remembered {
    /// What no likely key fits.
    const NOTHING: Remembered = Remembered(u64::MAX);

    #[inline]
    fn new(key: u64, evaluation: i32) -> Remembered {
        const { assert!(LARGEST_EVALUATION <= i16::MAX as i32) };
        Remembered(key & !0xffff | u64::from(evaluation as i16 as u16))
    }

    #[inline]
    fn of(self, key: u64) -> Option<i32> {
        ((self.0 ^ key) >> 16 == 0).then_some(i32::from(self.0 as i16))
    }
}

/// A cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Entry {
    key: u64,
    structure: Structure,
}

const _: () = assert!(size_of::<Entry>() == 64);

/// Evaluates positions with one set of parameters. One for each searching thread.
pub struct Evaluator {
    parameters: Arc<Parameters>,
    structures: Box<[Entry]>,
    evaluations: Box<[Remembered; EVALUATIONS]>,
}

impl Default for Evaluator {
    /// With the embedded parameters.
    fn default() -> Evaluator {
        Evaluator::new(Arc::new(Parameters::embedded().clone()))
    }
}

impl Evaluator {
    /// With these parameters.
    pub fn new(parameters: Arc<Parameters>) -> Evaluator {
        // A key that no structure has: its index would be another slot's.
        let empty = Entry { key: 1, structure: Structure::default() };
        let mut structures = vec![empty; REMEMBERED].into_boxed_slice();
        structures[1].key = 0;
        let evaluations = Box::new([Remembered::NOTHING; EVALUATIONS]);
        Evaluator { parameters, structures, evaluations }
    }

    /// The parameters that it was made with.
    pub fn parameters(&self) -> &Arc<Parameters> {
        &self.parameters
    }

    /// Asks the memory for what is remembered of a position that will soon be evaluated.
    #[inline]
    pub(crate) fn prefetch(&self, position: &Position) {
        prefetch(&self.structures[structure_key(position) as usize & (REMEMBERED - 1)]);
        prefetch(&self.evaluations[position.key() as usize & (EVALUATIONS - 1)]);
    }

    /// As [`super::evaluate`].
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        let key = position.key();
        let place = key as usize & (EVALUATIONS - 1);
        if let Some(evaluation) = self.evaluations[place].of(key) {
            return evaluation;
        }
        let evaluation = self.evaluate_anew(position);
        self.evaluations[place] = Remembered::new(key, evaluation);
        evaluation
    }

    #[inline]
    fn evaluate_anew(&mut self, position: &Position) -> i32 {
        let key = structure_key(position);
        let entry = &mut self.structures[key as usize & (REMEMBERED - 1)];
        let mut trace = NoTrace;
        let mut weighing = Weighing::new(&self.parameters, &mut trace);
        if entry.key != key {
            *entry = Entry { key, structure: structure::weigh(position, &mut weighing) };
        }
        from_mover(position, parts(position, &entry.structure, &mut weighing).evaluation())
    }
}

/// The key of all that [`structure::weigh`] looks at: pawns and kings.
#[inline]
fn structure_key(position: &Position) -> u64 {
    let kings = position.king(Color::White).index() << 6 | position.king(Color::Black).index();
    position.pawn_key() ^ (kings as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
