//! Inner loops over one block of rows of Smalt's evaluation. Compiled twice, for any processor and for AVX2 with FMA,
//! and selected at run time.

use smalt::evaluation::schema::WEIGHTS;

use super::{Derivative, Kernel, LabelledRows, PARAMETERS, Parts, Passes, Targets, add_up, logistic};
use crate::features::dual::{self, Dual, INPUTS, Sums, UNSCALED};
use crate::features::row::{
    COLUMN_COUNTS, COLUMNS, COMPLEXITIES, COMPLEXITY_START, DANGER_START, DANGER_WORD, DANGERS, SCALE_START,
};
use crate::features::{FeatureRow, Rows};
use crate::labels::Labels;

/// A number for middlegame and endgame.
type Tapered = [f32; 2];

/// Danger words of a head.
const WORDS: usize = DANGERS.div_ceil(2);

/// A number for each complexity, padded with zero to whole words.
type Complexities = [f32; 2 * COMPLEXITIES.div_ceil(2)];

/// A number for each danger, by half of its word (0 or 1); unused lanes are zero.
type Lanes = [[f32; WORDS]; 2];

/// Half and lane of a danger.
#[inline(always)]
const fn lane_of(danger: usize) -> (usize, usize) {
    (danger % 2, danger / 2)
}

/// Table size for every 16-bit column, so that no bounds check is needed.
const TABLE_SIZE: usize = 1 << 16;

/// A pair for each column.
struct ColumnTable(Box<[Tapered; TABLE_SIZE]>);

impl ColumnTable {
    fn new() -> ColumnTable {
        let places = vec![[0.0; 2]; TABLE_SIZE].into_boxed_slice();
        ColumnTable(places.try_into().expect("the length is that of the array"))
    }

    #[inline(always)]
    fn get(&self, word: u16) -> Tapered {
        self.0[usize::from(word)]
    }
}

/// Weights in the layout of the loops.
struct PackedWeights {
    columns: ColumnTable,
    /// Middlegame and endgame weight of each danger.
    danger: [Lanes; 2],
    complexity: Complexities,
    scale: [f32; WEIGHTS - SCALE_START],
    /// Factor from centipawns to the sigmoid's exponent.
    slope: f32,
}

impl PackedWeights {
    fn new() -> PackedWeights {
        PackedWeights {
            columns: ColumnTable::new(),
            danger: [[[0.0; WORDS]; 2]; 2],
            complexity: Complexities::default(),
            scale: [0.0; WEIGHTS - SCALE_START],
            slope: 0.0,
        }
    }

    fn set(&mut self, parameters: &[f64], slope: f64) {
        let (pairs, _) = parameters.as_chunks::<2>();
        assert_eq!(pairs.len(), WEIGHTS);
        for (index, count) in COLUMN_COUNTS.into_iter().enumerate() {
            let columns = &mut self.columns.0[index * WEIGHTS..][..WEIGHTS];
            for (column, pair) in columns.iter_mut().zip(pairs) {
                *column = pair.map(|number| (number * f64::from(count)) as f32);
            }
        }
        for (half, lanes) in self.danger.iter_mut().enumerate() {
            for (danger, pair) in pairs[DANGER_START..][..DANGERS].iter().enumerate() {
                let (second, lane) = lane_of(danger);
                lanes[second][lane] = pair[half] as f32;
            }
        }
        for (complexity, pair) in self.complexity.iter_mut().zip(&pairs[COMPLEXITY_START..][..COMPLEXITIES]) {
            *complexity = pair[0] as f32;
        }
        for (scale, pair) in self.scale.iter_mut().zip(&pairs[SCALE_START..]) {
            *scale = pair[0] as f32;
        }
        self.slope = slope as f32;
    }

    /// Sum of the columns.
    #[inline(always)]
    fn linear(&self, words: &[u16]) -> Tapered {
        let mut sums = [[0.0_f32; 2]; 4];
        let (chunks, rest) = words.as_chunks::<4>();
        for chunk in chunks {
            for (sum, &word) in sums.iter_mut().zip(chunk) {
                *sum = added(*sum, self.columns.get(word));
            }
        }
        for (sum, &word) in sums.iter_mut().zip(rest) {
            *sum = added(*sum, self.columns.get(word));
        }
        added(added(sums[0], sums[1]), added(sums[2], sums[3]))
    }

    /// Sums of the row: the arguments of the formula.
    #[inline(always)]
    fn sums(&self, row: &FeatureRow<'_>) -> Sums {
        let linear = self.linear(row.linear);
        let counts = danger_counts(row);
        let danger = |king: usize, half: usize| {
            let ([first, second], weights) = (counts[king], self.danger[half]);
            total::<WORDS>(std::array::from_fn(|lane| {
                first[lane] * weights[0][lane] + second[lane] * weights[1][lane]
            }))
        };
        let [own, other] =
            row.scale().map(|weight| weight.map_or(UNSCALED, |weight| self.scale[weight - SCALE_START]));
        let counts = row.complexity_counts();
        let complexity: Complexities =
            std::array::from_fn(|lane| f32::from(counts[lane]) * self.complexity[lane]);
        let [white, black] = [0, 1].map(|king| [danger(king, 0), danger(king, 1)]);
        [linear[0], linear[1], white[0], white[1], black[0], black[1], own, other, total(complexity)]
    }

    /// Expected result of a row, 0 to 1, and the evaluation with its slopes. `lead` is added to the exponent.
    #[inline(always)]
    fn expect(&self, row: &FeatureRow<'_>, lead: f32) -> (f32, Dual) {
        let evaluation = dual::evaluation(&self.sums(row), row.phase());
        (logistic(evaluation.value * self.slope + lead), evaluation)
    }

    /// The evaluation of a row in centipawns, White's view.
    fn evaluation(&self, row: &FeatureRow<'_>) -> f32 {
        dual::evaluation(&self.sums(row), row.phase()).value
    }

    /// Derivatives of the expected result by the sums of the formula.
    #[inline(always)]
    fn slopes(&self, row: &FeatureRow<'_>, lead: f32) -> [f32; INPUTS] {
        let (expected, evaluation) = self.expect(row, lead);
        let outer = expected * (1.0 - expected) * self.slope;
        evaluation.slopes.map(|slope| slope * outer)
    }
}

/// Gradient sum in 32 bits, for a few blocks at most, to keep its precision.
struct NearGradient {
    columns: ColumnTable,
    danger: [Lanes; 2],
    complexity: Complexities,
    scale: [f32; WEIGHTS - SCALE_START],
}

impl NearGradient {
    fn new() -> NearGradient {
        NearGradient {
            columns: ColumnTable::new(),
            danger: [[[0.0; WORDS]; 2]; 2],
            complexity: Complexities::default(),
            scale: [0.0; WEIGHTS - SCALE_START],
        }
    }

    /// Adds the sum to a gradient in 64 bits and clears it.
    fn flush(&mut self, gradient: &mut [f64]) {
        let (gradient, _) = gradient.as_chunks_mut::<2>();
        for (columns, count) in self.columns.0[..COLUMNS].chunks_exact_mut(WEIGHTS).zip(COLUMN_COUNTS) {
            for (sum, column) in gradient.iter_mut().zip(columns) {
                for half in 0..2 {
                    sum[half] += f64::from(column[half]) * f64::from(count);
                }
                *column = [0.0; 2];
            }
        }
        for (half, lanes) in self.danger.iter_mut().enumerate() {
            for (danger, sum) in gradient[DANGER_START..][..DANGERS].iter_mut().enumerate() {
                let (second, lane) = lane_of(danger);
                sum[half] += f64::from(lanes[second][lane]);
            }
            *lanes = [[0.0; WORDS]; 2];
        }
        for (sum, complexity) in
            gradient[COMPLEXITY_START..][..COMPLEXITIES].iter_mut().zip(&mut self.complexity)
        {
            sum[0] += f64::from(std::mem::take(complexity));
        }
        for (sum, scale) in gradient[SCALE_START..].iter_mut().zip(&mut self.scale) {
            sum[0] += f64::from(std::mem::take(scale));
        }
    }

    #[inline(always)]
    fn add(&mut self, row: &FeatureRow<'_>, slopes: [f32; INPUTS]) {
        let linear = [slopes[0], slopes[1]];
        for &word in row.linear {
            let column = &mut self.columns.0[usize::from(word)];
            *column = added(*column, linear);
        }
        for (weight, slope) in row.scale().into_iter().zip([slopes[6], slopes[7]]) {
            if let Some(weight) = weight {
                self.scale[weight - SCALE_START] += slope;
            }
        }
    }
}

#[inline(always)]
fn added(a: Tapered, b: Tapered) -> Tapered {
    [a[0] + b[0], a[1] + b[1]]
}

/// Danger counts of the white and the black king.
#[inline(always)]
fn danger_counts(row: &FeatureRow<'_>) -> [Lanes; 2] {
    let words: [u16; WORDS] = std::array::from_fn(|lane| row.head[DANGER_WORD + lane]);
    let near = |king: usize, second: usize| words.map(|word| f32::from(word >> (8 * second + 4 * king) & 15));
    let mut counts = [0, 1].map(|king| [0, 1].map(|second| near(king, second)));
    if let Some(beyond) = row.beyond {
        add_beyond(beyond, &mut counts);
    }
    counts
}

#[cold]
fn add_beyond(beyond: &[u16; DANGERS], counts: &mut [Lanes; 2]) {
    for (danger, word) in beyond.iter().enumerate() {
        let (second, lane) = lane_of(danger);
        for (king, counts) in counts.iter_mut().enumerate() {
            counts[second][lane] += f32::from(word >> (8 * king) & 255);
        }
    }
}

/// Sum of all lanes, ordered for parallel additions.
#[inline(always)]
fn total<const LANES: usize>(lanes: [f32; LANES]) -> f32 {
    let mut sums = [0.0; 4];
    for (lane, number) in lanes.into_iter().enumerate() {
        sums[lane % 4] += number;
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3])
}

/// Calls the function compiled for AVX2 and FMA if the processor supports them, otherwise the plain one.
macro_rules! dispatch {
    ($plain:ident, $fast:ident, $($argument:expr),+) => {{
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            #[expect(unsafe_code, reason = "functions for certain processors can't be called safely")]
            // SAFETY: the processor was just checked for the features that the function is compiled for.
            return unsafe { $fast($($argument),+) };
        }
        $plain($($argument),+)
    }};
}

/// Rows of a block with their targets.
#[derive(Clone, Copy)]
struct Block<'a> {
    words: &'a [u16],
    targets: Targets<'a>,
}

/// Rows processed together: the formula is computed for all of them in one vectorized loop.
const GROUP: usize = 64;

/// A number for each row of a group.
type Each<T> = [T; GROUP];

/// Intermediate values of a group of rows.
struct RowGroup<'a> {
    rows: [Option<FeatureRow<'a>>; GROUP],
    sums: [Each<f32>; INPUTS],
    phases: Each<i32>,
    targets: Each<f32>,
    leads: Each<f32>,
    weights: Each<f32>,
    /// Derivatives of the squared error by the sums.
    slopes: [Each<f32>; INPUTS],
    errors: Each<f32>,
}

impl<'a> RowGroup<'a> {
    fn new() -> RowGroup<'a> {
        RowGroup {
            rows: [None; GROUP],
            sums: [[0.0; GROUP]; INPUTS],
            phases: [0; GROUP],
            targets: [0.0; GROUP],
            leads: [0.0; GROUP],
            weights: [1.0; GROUP],
            slopes: [[0.0; GROUP]; INPUTS],
            errors: [0.0; GROUP],
        }
    }

    /// Takes as many rows off the words as there are targets.
    #[inline(always)]
    fn fill(&mut self, mut words: &'a [u16], group: Targets<'_>, weights: &PackedWeights) -> &'a [u16] {
        for (index, &target) in group.targets.iter().enumerate() {
            let Some((row, rest)) = FeatureRow::split(words) else { break };
            words = rest;
            for (list, sum) in self.sums.iter_mut().zip(weights.sums(&row)) {
                list[index] = sum;
            }
            self.phases[index] = row.phase();
            self.targets[index] = target;
            self.rows[index] = Some(row);
        }
        self.leads[..group.leads.len()].copy_from_slice(group.leads);
        self.weights[..group.weights.len()].copy_from_slice(group.weights);
        words
    }

    /// Writes the squared errors of all rows to `errors`.
    #[inline(always)]
    fn compute_errors(&mut self, slope: f32) {
        for row in 0..GROUP {
            let sums = std::array::from_fn(|input| self.sums[input][row]);
            let evaluation = dual::evaluation(&sums, self.phases[row]);
            let residual = logistic(evaluation.value * slope + self.leads[row]) - self.targets[row];
            self.errors[row] = self.weights[row] * residual * residual;
        }
    }

    /// Computes errors and their derivatives (`slopes`).
    #[inline(always)]
    fn differentiate(&mut self, slope: f32) {
        for row in 0..GROUP {
            let sums = std::array::from_fn(|input| self.sums[input][row]);
            let evaluation = dual::evaluation(&sums, self.phases[row]);
            let expected = logistic(evaluation.value * slope + self.leads[row]);
            let residual = expected - self.targets[row];
            self.errors[row] = self.weights[row] * residual * residual;
            let outer = self.weights[row] * 2.0 * residual * expected * (1.0 - expected) * slope;
            for input in 0..INPUTS {
                self.slopes[input][row] = evaluation.slopes[input] * outer;
            }
        }
    }

    /// Errors of the first rows.
    #[inline(always)]
    fn error(&self, count: usize) -> f64 {
        self.errors[..count].iter().map(|&error| f64::from(error)).sum()
    }
}

/// Calls `call` with each group of a block and its number of rows.
#[inline(always)]
fn for_each_group<'a>(
    block: Block<'a>,
    weights: &PackedWeights,
    mut call: impl FnMut(&mut RowGroup<'a>, usize),
) {
    let mut words = block.words;
    let mut group = RowGroup::new();
    for (number, targets) in block.targets.targets.chunks(GROUP).enumerate() {
        let part = |list: &'a [f32]| list.chunks(GROUP).nth(number).unwrap_or_default();
        let targets =
            Targets { targets, leads: part(block.targets.leads), weights: part(block.targets.weights) };
        words = group.fill(words, targets, weights);
        call(&mut group, targets.targets.len());
    }
}

/// Sum of the squared errors of a block.
fn error(block: Block<'_>, weights: &PackedWeights) -> f64 {
    dispatch!(error_in, error_avx2, block, weights)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn error_avx2(block: Block<'_>, weights: &PackedWeights) -> f64 {
    error_in(block, weights)
}

#[inline(always)]
fn error_in(block: Block<'_>, weights: &PackedWeights) -> f64 {
    let mut sum = 0.0;
    for_each_group(block, weights, |group, count| {
        group.compute_errors(weights.slope);
        sum += group.error(count);
    });
    sum
}

/// Sum of the squared errors of a block; adds its gradient to `gradient`.
fn gradient(block: Block<'_>, weights: &PackedWeights, gradient: &mut NearGradient) -> f64 {
    dispatch!(gradient_in, gradient_avx2, block, weights, gradient)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn gradient_avx2(block: Block<'_>, weights: &PackedWeights, gradient: &mut NearGradient) -> f64 {
    gradient_in(block, weights, gradient)
}

#[inline(always)]
fn gradient_in(block: Block<'_>, weights: &PackedWeights, gradient: &mut NearGradient) -> f64 {
    let mut sum = 0.0;
    let mut danger: [Lanes; 2] = [[[0.0; WORDS]; 2]; 2];
    let mut complexity = Complexities::default();
    for_each_group(block, weights, |group, count| {
        group.differentiate(weights.slope);
        sum += group.error(count);
        for (index, row) in group.rows[..count].iter().flatten().enumerate() {
            let slopes: [f32; INPUTS] = std::array::from_fn(|input| group.slopes[input][index]);
            gradient.add(row, slopes);
            for (sum, count) in complexity.iter_mut().zip(row.complexity_counts()) {
                *sum += f32::from(count) * slopes[8];
            }
            let [white, black] = danger_counts(row);
            for (half, sums) in danger.iter_mut().enumerate() {
                for second in 0..2 {
                    for lane in 0..WORDS {
                        let of_white = white[second][lane] * slopes[2 + half];
                        sums[second][lane] += of_white + black[second][lane] * slopes[4 + half];
                    }
                }
            }
        }
    });
    for (sum, more) in gradient.complexity.iter_mut().zip(complexity) {
        *sum += more;
    }
    for (sums, more) in gradient.danger.as_flattened_mut().iter_mut().zip(danger.as_flattened()) {
        for (sum, more) in sums.iter_mut().zip(more) {
            *sum += more;
        }
    }
    sum
}

/// Rows of Smalt's evaluation with weights.
struct OwnKernel<'a> {
    rows: &'a Rows,
    weights: PackedWeights,
}

impl LabelledRows for Rows {
    fn labels(&self) -> &Labels {
        self.labels()
    }

    fn memory(&self) -> usize {
        self.memory()
    }

    fn file_size(&self) -> u64 {
        self.file_size()
    }

    fn parameter_count(&self) -> usize {
        PARAMETERS
    }

    fn passes(&self) -> Box<dyn Passes + '_> {
        let kernel = OwnKernel { rows: self, weights: PackedWeights::new() };
        Box::new(Parts::new(kernel, self.block_count(), PARAMETERS))
    }
}

impl Kernel for OwnKernel<'_> {
    type Sum = NearGradient;

    fn new_sum(&self) -> NearGradient {
        NearGradient::new()
    }

    fn flush(&self, sum: &mut NearGradient, gradient: &mut [f64]) {
        sum.flush(gradient);
    }

    fn set(&mut self, parameters: &[f64], slope: f64) {
        self.weights.set(parameters, slope);
    }

    fn error(&self, block: usize, targets: Targets<'_>) -> f64 {
        error(Block { words: self.rows.block(block), targets }, &self.weights)
    }

    fn gradient(&self, block: usize, targets: Targets<'_>, sum: &mut NearGradient) -> f64 {
        gradient(Block { words: self.rows.block(block), targets }, &self.weights, sum)
    }

    fn evaluations(&self, block: usize) -> Vec<f32> {
        self.rows.block_rows(block).map(|row| self.weights.evaluation(&row)).collect()
    }

    fn derivatives(&self, block: usize, targets: Targets<'_>, each: &mut dyn FnMut(&[Derivative])) {
        let mut entries = Vec::with_capacity(128);
        for (number, row) in self.rows.block_rows(block).enumerate() {
            let lead = targets.leads.get(number).copied().unwrap_or(0.0);
            collect(&row, self.weights.slopes(&row, lead), &mut entries);
            each(&entries);
        }
    }
}

/// Derivatives of the expected result by a row's parameters, in ascending order.
fn collect(row: &FeatureRow<'_>, slopes: [f32; INPUTS], entries: &mut Vec<Derivative>) {
    entries.clear();
    let mut add = |weight: usize, count: i16, inputs: std::ops::Range<usize>| {
        let slopes = slopes[inputs].iter().map(|slope| slope * f32::from(count));
        entries.extend((2 * weight..).zip(slopes));
    };
    row.linear().for_each(|(weight, count)| add(weight, count, 0..2));
    row.danger(0).for_each(|(weight, count)| add(weight, count, 2..4));
    row.danger(1).for_each(|(weight, count)| add(weight, count, 4..6));
    row.complexity().for_each(|(weight, count)| add(weight, count, 8..9));
    for (weight, input) in row.scale().into_iter().zip([6, 7]) {
        weight.into_iter().for_each(|weight| add(weight, 1, input..input + 1));
    }
    add_up(entries);
}
