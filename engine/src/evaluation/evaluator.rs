//! Evaluation with a material cache, a pawn cache (pawns, piece-square tables), a pawn-king cache and an evaluation cache,
//! one of each per search thread.

use std::sync::Arc;

use smalt_chess::{Color, Position};

use super::parameters::Parameters;
use super::score::PackedScore;
use super::squares::{PieceSquareTables, PieceSquares};
use super::terms;
use super::terms::material::{self, Material};
use super::terms::{PawnStructure, Structure, structure};
use super::trace::{NoTrace, Weighing};
use super::{LARGEST_EVALUATION, evaluation_for};
use crate::memory::prefetch;

/// Entries of the material cache; a power of two.
const MATERIALS: usize = 1 << 10;

/// Entries of the pawn cache, 9 MB in all; a power of two.
const PAWNS: usize = 1 << 12;

/// Entries of the pawn-king cache, 1 MB in all; a power of two.
const PAWN_KINGS: usize = 1 << 14;

/// Entries of the evaluation cache; a power of two.
const EVALUATIONS: usize = 1 << 14;

/// Evaluation with White and with Black to move, from the side to move's point of view; after a null move the other one
/// is used.
#[derive(Clone, Copy)]
struct EvaluationEntry {
    /// Upper half of the key without the side to move. A collision has a chance of 2^-32 per lookup of an occupied entry.
    key: u32,
    evaluations: [i16; 2],
}

/// Marks an unknown evaluation; lower than any evaluation.
const UNKNOWN: i16 = i16::MIN;

impl EvaluationEntry {
    const EMPTY: EvaluationEntry = EvaluationEntry { key: 0, evaluations: [UNKNOWN; 2] };

    #[inline]
    fn new(key: u64, evaluations: [Option<i32>; 2]) -> EvaluationEntry {
        const { assert!(LARGEST_EVALUATION <= i16::MAX as i32) };
        let evaluations = evaluations.map(|evaluation| evaluation.map_or(UNKNOWN, |known| known as i16));
        EvaluationEntry { key: (key >> 32) as u32, evaluations }
    }

    #[inline]
    fn get(self, key: u64, turn: Color) -> Option<i32> {
        let evaluation = self.evaluations[turn.index()];
        (self.key == (key >> 32) as u32 && evaluation != UNKNOWN).then_some(i32::from(evaluation))
    }
}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct PawnEntry {
    key: u64,
    structure: PawnStructure,
    tables: PieceSquareTables,
}

impl PawnEntry {
    /// Without pawns, whose key is 0.
    fn empty(parameters: &Parameters) -> PawnEntry {
        let tables = PieceSquareTables::new(parameters.squares());
        PawnEntry { key: 0, structure: PawnStructure::default(), tables }
    }
}

const _: () = assert!(std::mem::offset_of!(PawnEntry, tables) <= 64, "one line is prefetched");

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct PawnKingEntry {
    key: u64,
    structure: Structure,
}

impl PawnKingEntry {
    /// Key 1 is of another slot, so it never matches.
    fn empty() -> PawnKingEntry {
        PawnKingEntry { key: 1, structure: Structure::default() }
    }
}

const _: () = assert!(size_of::<PawnKingEntry>() == 64, "one line is prefetched");

/// Entry of the material cache. The default entry is valid: key 0 is bare kings, with score zero.
#[derive(Clone, Copy, Default)]
struct MaterialEntry {
    key: u64,
    score: PackedScore,
}

/// Evaluates positions with one set of parameters. One per search thread.
pub struct Evaluator {
    parameters: Arc<Parameters>,
    materials: Box<[MaterialEntry; MATERIALS]>,
    pawns: Box<[PawnEntry]>,
    /// Index of the pawn entry used last.
    last_pawn_index: usize,
    pawn_kings: Box<[PawnKingEntry]>,
    evaluations: Box<[EvaluationEntry; EVALUATIONS]>,
}

impl Default for Evaluator {
    /// Uses the embedded parameters.
    fn default() -> Evaluator {
        Evaluator::new(Arc::new(Parameters::embedded().clone()))
    }
}

impl Evaluator {
    /// # Panics
    /// If there is not enough memory for the caches.
    pub fn new(parameters: Arc<Parameters>) -> Evaluator {
        Evaluator::try_new(parameters).expect("there should be memory for the caches")
    }

    /// As [`Evaluator::new`]; `None` if there is not enough memory.
    pub(crate) fn try_new(parameters: Arc<Parameters>) -> Option<Evaluator> {
        let pawns = filled(PawnEntry::empty(&parameters), PAWNS)?;
        let mut pawn_kings = filled(PawnKingEntry::empty(), PAWN_KINGS)?;
        pawn_kings[1].key = 0;
        let evaluations = filled(EvaluationEntry::EMPTY, EVALUATIONS)?.try_into().ok()?;
        let materials = filled(MaterialEntry::default(), MATERIALS)?.try_into().ok()?;
        Some(Evaluator { parameters, materials, pawns, last_pawn_index: 0, pawn_kings, evaluations })
    }

    /// Prefetches the cache entries of a position.
    #[inline]
    pub(crate) fn prefetch(&self, position: &Position) {
        prefetch(&self.pawns[position.pawn_key() as usize & (PAWNS - 1)]);
        prefetch(&self.pawn_kings[pawn_king_key(position) as usize & (PAWN_KINGS - 1)]);
        prefetch(&self.evaluations[position.key_without_turn() as usize & (EVALUATIONS - 1)]);
    }

    /// As [`super::evaluate`].
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        let key = position.key_without_turn();
        self.evaluations[key as usize & (EVALUATIONS - 1)]
            .get(key, position.turn())
            .unwrap_or_else(|| self.evaluate_uncached(position))
    }

    // Not inlined: one copy for all nodes.
    #[inline(never)]
    fn evaluate_uncached(&mut self, position: &Position) -> i32 {
        let mut trace = NoTrace;
        let mut weighing = Weighing::new(&self.parameters, position.turn(), &mut trace);
        let pawn_key = position.pawn_key();
        let index = pawn_key as usize & (PAWNS - 1);
        let last = std::mem::replace(&mut self.last_pawn_index, index);
        if self.pawns[index].key != pawn_key {
            // Few pawns differ from those of the last position.
            self.pawns.copy_within(last..=last, index);
            let entry = &mut self.pawns[index];
            entry.key = pawn_key;
            entry.structure = structure::weigh_pawns(position, &mut weighing);
            entry.tables.update(position, self.parameters.squares());
        }
        let pawns = &self.pawns[index];
        let pawn_king_key = pawn_king_key(position);
        let entry = &mut self.pawn_kings[pawn_king_key as usize & (PAWN_KINGS - 1)];
        if entry.key != pawn_king_key {
            entry.key = pawn_king_key;
            entry.structure = structure::weigh_pawns_and_kings(position, &pawns.structure, &mut weighing);
        }
        let material = Material::of(position);
        let key = material.key();
        let known = &mut self.materials[(key.wrapping_mul(GOLDEN) >> 32) as usize & (MATERIALS - 1)];
        if known.key != key {
            *known = MaterialEntry { key, score: material::weigh(material, &mut weighing) };
        }
        let squares = PieceSquares::new(position, &pawns.tables, self.parameters.squares());
        let sums = terms::weigh(position, known.score, &entry.structure, &squares, &mut weighing);
        let evaluations = Color::ALL.map(|turn| evaluation_for(turn, &sums.parts(turn, &mut weighing)));
        let is_known = |turn| turn == position.turn() || !terms::depends_on_turn(position);
        let known = Color::ALL.map(|turn| is_known(turn).then_some(evaluations[turn.index()]));
        let key = position.key_without_turn();
        self.evaluations[key as usize & (EVALUATIONS - 1)] = EvaluationEntry::new(key, known);
        evaluations[position.turn().index()]
    }
}

/// Allocates a slice filled with a value; `None` if there is not enough memory.
fn filled<T: Copy>(value: T, count: usize) -> Option<Box<[T]>> {
    let mut values = Vec::new();
    values.try_reserve_exact(count).ok()?;
    values.resize(count, value);
    Some(values.into_boxed_slice())
}

/// Odd multiplier that mixes the bits of a key: the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Key of the pawn-king cache.
#[inline]
fn pawn_king_key(position: &Position) -> u64 {
    let kings = position.king(Color::White).index() << 6 | position.king(Color::Black).index();
    position.pawn_key() ^ (kings as u64 + 1).wrapping_mul(GOLDEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_has_the_evaluation_after_a_null_move() {
        let mut evaluator = Evaluator::default();
        let mut both_are_known = |fen: &str| {
            let position: Position = fen.parse().unwrap();
            evaluator.evaluate(&position);
            let key = position.key_without_turn();
            let entry = evaluator.evaluations[key as usize & (EVALUATIONS - 1)];
            assert!(entry.get(key, position.turn()).is_some());
            assert_eq!(entry.get(key ^ 1 << 32, position.turn()), None);
            entry.get(key, !position.turn()).is_some()
        };
        assert!(both_are_known("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"));
        assert!(both_are_known("4k3/4n3/8/P7/8/8/8/R3K3 b - - 0 1"));
        // The side to move decides a pawn race.
        assert!(!both_are_known("8/8/8/P3k2p/8/8/8/N6K w - - 0 1"));
        assert!(!both_are_known("n6k/8/8/8/p3K2P/8/8/8 b - - 0 1"));
    }
}
