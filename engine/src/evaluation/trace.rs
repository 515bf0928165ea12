//! Evaluation traces. [`NoTrace`] records nothing and compiles away, [`FeatureCounter`] counts features for the tuner, and
//! `Explanation` records values for the `eval` command.

use smalt_chess::Color;

use super::parameters::Parameters;
use super::schema::{Part, WEIGHTS, Weight, entry_of};
use super::score::PackedScore;
use super::taper::{FULL_SCALE, Number, Pair, Parts};

/// Receives each feature that a term finds.
pub trait Trace {
    /// Whether [`found`](Trace::found) does anything. If not, sums of several terms are looked up at once.
    const RECORDS: bool = true;

    /// Records a feature of the owner that occurs `count` times; `value` is the total for the owner.
    fn found(&mut self, weight: Weight, count: i32, owner: Color, value: PackedScore);
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NoTrace;

impl Trace for NoTrace {
    const RECORDS: bool = false;

    #[inline(always)]
    fn found(&mut self, _: Weight, _: i32, _: Color, _: PackedScore) {}
}

/// Looks up the value of each feature and records it in the trace.
pub(super) struct Weighing<'a, T> {
    parameters: &'a Parameters,
    turn: Color,
    trace: &'a mut T,
}

impl<'a, T: Trace> Weighing<'a, T> {
    pub(super) fn new(parameters: &'a Parameters, turn: Color, trace: &'a mut T) -> Weighing<'a, T> {
        Weighing { parameters, turn, trace }
    }

    /// Value for its owner of a feature that occurs `count` times.
    #[inline(always)]
    pub(super) fn weigh(&mut self, weight: Weight, count: usize, owner: Color) -> PackedScore {
        let value = self.parameters.get(weight) * count as i32;
        self.trace.found(weight, count as i32, owner, value);
        value
    }

    /// Value for its owner, when it is to move, of a feature that occurs `count` times. Recorded only if it is.
    #[inline(always)]
    pub(super) fn weigh_to_move(&mut self, weight: Weight, count: usize, owner: Color) -> PackedScore {
        let value = self.parameters.get(weight) * count as i32;
        if owner == self.turn {
            self.trace.found(weight, count as i32, owner, value);
        }
        value
    }

    /// Value for the leader of a feature that occurs `count` times, recorded as White's.
    #[inline(always)]
    pub(super) fn weigh_for_leader(&mut self, weight: Weight, count: i32) -> i32 {
        let value = self.parameters.get(weight) * count;
        self.trace.found(weight, count, Color::White, value);
        value.middlegame()
    }
}

/// A feature and its count (a coefficient of the sparse linear form).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Feature {
    /// Index of the weight.
    pub weight: u16,
    /// Count: White minus Black for the linear part, of one king for danger, of both sides for complexity. Never zero.
    pub count: i16,
}

/// All features of a position: the evaluation as a function of the weights.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Features {
    /// The linear part, by ascending weight.
    pub linear: Vec<Feature>,
    /// King danger of White and of Black, by ascending weight.
    pub danger: [Vec<Feature>; 2],
    /// The complexity, by ascending weight.
    pub complexity: Vec<Feature>,
    /// Endgame scale weight when White or when Black leads, if any.
    pub scale: [Option<u16>; 2],
    /// 0 (endgame) to [`super::taper::FULL_PHASE`].
    pub phase: i32,
}

impl Features {
    /// Sums of counts times weights in any number type; `weights` returns [middlegame, endgame] for an index, each times
    /// [`Number::UNIT`].
    pub fn parts<N: Number>(&self, weights: impl Fn(usize) -> [N; 2]) -> Parts<N> {
        let sum = |features: &[Feature]| {
            let zero = Pair { middlegame: N::from_integer(0), endgame: N::from_integer(0) };
            features.iter().fold(zero, |sum, feature| {
                let [middlegame, endgame] = weights(feature.weight as usize);
                let count = N::from_integer(i32::from(feature.count));
                Pair {
                    middlegame: sum.middlegame + middlegame * count,
                    endgame: sum.endgame + endgame * count,
                }
            })
        };
        let scale = |weight: Option<u16>| match weight {
            Some(weight) => weights(weight as usize)[0],
            None => N::from_integer(FULL_SCALE * N::UNIT),
        };
        Parts {
            linear: sum(&self.linear),
            danger: [sum(&self.danger[0]), sum(&self.danger[1])],
            complexity: self.complexity.iter().fold(N::from_integer(0), |sum, feature| {
                sum + weights(feature.weight as usize)[0] * N::from_integer(i32::from(feature.count))
            }),
            scale: self.scale.map(scale),
            phase: self.phase,
        }
    }
}

/// Counts features by weight; reusable for any number of positions.
#[derive(Clone, Debug)]
pub struct FeatureCounter {
    counts: Box<[[i16; 2]; WEIGHTS]>,
    /// A bit for each weight that was found.
    found: [u64; WEIGHTS.div_ceil(64)],
}

impl Default for FeatureCounter {
    fn default() -> FeatureCounter {
        FeatureCounter { counts: Box::new([[0; 2]; WEIGHTS]), found: [0; _] }
    }
}

impl Trace for FeatureCounter {
    fn found(&mut self, weight: Weight, count: i32, owner: Color, _: PackedScore) {
        self.counts[weight.index()][owner.index()] += count as i16;
        self.found[weight.index() / 64] |= 1 << (weight.index() % 64);
    }
}

impl FeatureCounter {
    /// The features counted since the last call.
    pub(crate) fn take(&mut self, phase: i32) -> Features {
        let mut features = Features { phase, ..Features::default() };
        for (word, found) in self.found.iter_mut().enumerate() {
            while *found != 0 {
                let index = 64 * word + found.trailing_zeros() as usize;
                *found &= *found - 1;
                let [white, black] = std::mem::take(&mut self.counts[index]);
                let weight = index as u16;
                let add = |list: &mut Vec<Feature>, count| {
                    if count != 0 {
                        list.push(Feature { weight, count });
                    }
                };
                match entry_of(index).part {
                    Part::Linear => add(&mut features.linear, white - black),
                    Part::Danger => {
                        add(&mut features.danger[0], white);
                        add(&mut features.danger[1], black);
                    }
                    Part::Complexity => add(&mut features.complexity, white),
                    Part::Scale => {
                        for (slot, count) in features.scale.iter_mut().zip([white, black]) {
                            if count != 0 {
                                *slot = Some(weight);
                            }
                        }
                    }
                }
            }
        }
        features
    }
}
