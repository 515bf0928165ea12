//! The evaluation with a memory for structures of pawns and kings, which change rarely, and for the latest evaluations,
//! which a search asks for again before it knows more of a position, or with the other side to move. Knows no term but
//! the tempo.

use std::sync::Arc;

use smalt_chess::{Color, Position};

use super::parameters::Parameters;
use super::scene::phase;
use super::terms;
use super::terms::structure::{self, Structure};
use super::trace::{NoTrace, Weighing};
use super::{LARGEST_EVALUATION, from_mover, parts};
use crate::memory::prefetch;

/// How many structures are remembered; a power of two.
const REMEMBERED: usize = 1 << 13;

/// How many positions' evaluations are remembered; a power of two, at most 2^32.
const EVALUATIONS: usize = 1 << 14;

/// Stands for an evaluation that is not known; none is that low.
const UNKNOWN: i16 = i16::MIN;

/// What one board is worth with White and with Black to move, each from the mover's view, and half of the key without the turn:
/// behind a null move the other one is asked for.
#[derive(Clone, Copy)]
struct Remembered {
    key: u32,
    evaluations: [i16; 2],
}

impl Remembered {
    const NOTHING: Remembered = Remembered { key: 0, evaluations: [UNKNOWN; 2] };

    #[inline]
    fn new(key: u64, evaluations: [i32; 2]) -> Remembered {
        const { assert!(LARGEST_EVALUATION <= i16::MAX as i32) };
        Remembered { key: (key >> 32) as u32, evaluations: evaluations.map(|evaluation| evaluation as i16) }
    }

    #[inline]
    fn of(self, key: u64, turn: Color) -> Option<i32> {
        let evaluation = self.evaluations[turn.index()];
        (self.key == (key >> 32) as u32 && evaluation != UNKNOWN).then_some(i32::from(evaluation))
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
        prefetch(&self.evaluations[position.key_without_turn() as usize & (EVALUATIONS - 1)]);
    }

    /// As [`super::evaluate`].
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        let key = position.key_without_turn();
        self.evaluations[key as usize & (EVALUATIONS - 1)]
            .of(key, position.turn())
            .unwrap_or_else(|| self.evaluate_anew(position))
    }

    // Not inlined: one copy for all nodes.
    #[inline(never)]
    fn evaluate_anew(&mut self, position: &Position) -> i32 {
        let key = structure_key(position);
        let entry = &mut self.structures[key as usize & (REMEMBERED - 1)];
        let mut trace = NoTrace;
        let mut weighing = Weighing::new(&self.parameters, &mut trace);
        if entry.key != key {
            *entry = Entry { key, structure: structure::weigh(position, &mut weighing) };
        }
        let sums = terms::weigh(position, &entry.structure, &mut weighing);
        let phase = phase(position);
        let turn = position.turn();
        let mut evaluations = Color::ALL.map(|turn| {
            let parts = parts(&sums, terms::tempo(turn, &mut weighing), phase);
            from_mover(turn, parts.evaluation())
        });
        if !terms::both_have_pieces(position) {
            evaluations[(!turn).index()] = UNKNOWN.into();
        }
        let key = position.key_without_turn();
        self.evaluations[key as usize & (EVALUATIONS - 1)] = Remembered::new(key, evaluations);
        evaluations[turn.index()]
    }
}

/// The key of all that [`structure::weigh`] looks at: pawns and kings.
#[inline]
fn structure_key(position: &Position) -> u64 {
    let kings = position.king(Color::White).index() << 6 | position.king(Color::Black).index();
    position.pawn_key() ^ (kings as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
