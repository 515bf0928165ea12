//! Traces packed into rows of 16-bit words, and passes over them.
//!
//! After the head ([`HEAD`]) come the words of the three lists, each a *column*: a weight with its coefficient, so that a
//! pass adds whole columns and never multiplies. When all columns are taken, the word [`LONG`] is followed by the weight
//! and the 32 bits of its coefficient.

use std::collections::HashMap;

use super::header::{Header, MOST_CURVES};
use super::position::{Coefficient, Trace};
use crate::labels::{BLOCK, Kept, Label, Labels, SourceOptions};
use crate::loss::{Derivative, Kernel, LabelledRows, Parts, Passes, Targets, add_up, logistic};
use crate::word_store::WordStore;

/// Words of the head: number of linear words; of White's curve words (low byte) and Black's (high byte); phase and scale
/// as fractions of 65,535 and 16,384; the untuned rest in score units, 32 bits.
const HEAD: usize = 6;

/// Marker before a weight and coefficient without a column.
const LONG: u16 = 0;

/// Words of a long entry.
const LONG_WORDS: usize = 4;

const MOST_COLUMNS: usize = 1 << 16;
const PHASE_SCALE: f64 = 65_535.0;
const SCALE_SCALE: f64 = 16_384.0;

/// Packed traces with their labels.
#[derive(Default)]
pub(crate) struct TraceRows {
    header: Header,
    labels: Labels,
    words: WordStore,
    /// Words of the row that is being packed.
    row: Vec<u16>,
    /// Start of each block of [`BLOCK`] rows in `words`.
    blocks: Vec<usize>,
    columns: Vec<Coefficient>,
    indices: HashMap<(u16, u32), u16>,
}

/// A trace with more coefficients than a row holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

impl TraceRows {
    /// Rows with these optional labels, whose words take at most this memory in bytes.
    pub(crate) fn new(header: &Header, kept: Kept, memory: u64) -> TraceRows {
        // The first column marks long entries.
        let columns = vec![(0, 0.0)];
        let (header, labels, words) = (header.clone(), Labels::new(kept), WordStore::new(memory));
        TraceRows { header, labels, words, columns, ..TraceRows::default() }
    }

    pub(crate) fn push(&mut self, trace: &Trace, label: Label) -> Result<(), TooLong> {
        self.row.clear();
        let share = |number: f64, scale: f64| (number * scale).round().clamp(0.0, PHASE_SCALE) as u16;
        let rest = (trace.rest as f32).to_bits();
        self.row.extend([
            0,
            0,
            share(trace.phase / self.header.phase, PHASE_SCALE),
            share(trace.scale / self.header.scale, SCALE_SCALE),
            rest as u16,
            (rest >> 16) as u16,
        ]);
        let [white, black] = &trace.sides;
        let lengths = [&trace.linear, white, black].map(|list| self.push_list(list));
        let (Ok(linear), Ok(white), Ok(black)) =
            (u16::try_from(lengths[0]), u8::try_from(lengths[1]), u8::try_from(lengths[2]))
        else {
            return Err(TooLong);
        };
        self.row[0] = linear;
        self.row[1] = u16::from(white) | u16::from(black) << 8;
        if self.labels.len().is_multiple_of(BLOCK) {
            self.blocks.push(self.words.len());
        }
        self.words.extend(&self.row);
        self.labels.push(label);
        Ok(())
    }

    fn push_list(&mut self, list: &[Coefficient]) -> usize {
        let before = self.row.len();
        for &(weight, coefficient) in list {
            let count = self.columns.len();
            let key = (weight, coefficient.to_bits());
            let known = self.indices.get(&key).copied();
            match known {
                Some(column) => self.row.push(column),
                None if count < MOST_COLUMNS => {
                    self.columns.push((weight, coefficient));
                    self.indices.insert(key, count as u16);
                    self.row.push(count as u16);
                }
                None => self.row.extend([LONG, weight, key.1 as u16, (key.1 >> 16) as u16]),
            }
        }
        self.row.len() - before
    }

    /// Completes the rows and frees unused memory.
    ///
    /// # Errors
    /// If the temporary file could not be written.
    pub(crate) fn finish(&mut self, options: &[SourceOptions]) -> std::io::Result<()> {
        self.labels.finish(options);
        self.indices = HashMap::new();
        self.row = Vec::new();
        self.words.finish()
    }

    fn block(&self, index: usize) -> impl Iterator<Item = TraceRow<'_>> {
        let end = self.blocks.get(index + 1).copied().unwrap_or(self.words.len());
        let mut rest = &self.words.words()[self.blocks[index]..end];
        std::iter::from_fn(move || {
            let (row, after) = TraceRow::split(rest)?;
            rest = after;
            Some(row)
        })
    }
}

struct TraceRow<'a> {
    head: &'a [u16; HEAD],
    linear: &'a [u16],
    sides: [&'a [u16]; 2],
}

impl<'a> TraceRow<'a> {
    fn split(words: &'a [u16]) -> Option<(TraceRow<'a>, &'a [u16])> {
        let (head, rest) = words.split_first_chunk::<HEAD>()?;
        let (linear, rest) = rest.split_at_checked(head[0].into())?;
        let (white, rest) = rest.split_at_checked((head[1] & 255).into())?;
        let (black, rest) = rest.split_at_checked((head[1] >> 8).into())?;
        Some((TraceRow { head, linear, sides: [white, black] }, rest))
    }

    /// Middlegame and endgame shares of the score.
    fn shares(&self) -> [f32; 2] {
        let middlegame = f32::from(self.head[2]) / PHASE_SCALE as f32;
        [middlegame, (1.0 - middlegame) * f32::from(self.head[3]) / SCALE_SCALE as f32]
    }

    fn rest(&self) -> f32 {
        f32::from_bits(u32::from(self.head[4]) | u32::from(self.head[5]) << 16)
    }
}

/// Middlegame, endgame and single value.
type TermValues = [f32; 3];

/// Sums of a position: linear, and [middlegame, endgame] for each curve and side.
#[derive(Clone, Copy, Default)]
struct TraceSums {
    linear: TermValues,
    curves: [[[f32; 2]; 2]; MOST_CURVES],
}

struct TraceKernel<'a> {
    rows: &'a TraceRows,
    /// Values of each weight.
    weights: Vec<TermValues>,
    /// Values of each column.
    columns: Vec<TermValues>,
    /// Curve of each weight.
    curves: Vec<Option<usize>>,
    /// Factor from score units to the sigmoid's exponent.
    slope: f32,
    /// Factor from score units to centipawns.
    unit: f32,
}

/// Gradient by column, and by weight for long entries.
struct TraceSum {
    columns: Vec<TermValues>,
    weights: Vec<TermValues>,
}

impl TraceKernel<'_> {
    /// Calls `call` for each entry of a list: with its column, weight and values.
    #[inline(always)]
    fn for_each(&self, list: &[u16], mut call: impl FnMut(usize, Option<Coefficient>)) {
        let mut at = 0;
        while at < list.len() {
            if list[at] == LONG {
                let bits = u32::from(list[at + 2]) | u32::from(list[at + 3]) << 16;
                call(0, Some((list[at + 1], f32::from_bits(bits))));
                at += LONG_WORDS;
            } else {
                call(list[at].into(), None);
                at += 1;
            }
        }
    }

    /// Values of an entry.
    #[inline(always)]
    fn values(&self, column: usize, long: Option<Coefficient>) -> TermValues {
        match long {
            None => self.columns[column],
            Some((weight, count)) => self.weights[usize::from(weight)].map(|value| value * count),
        }
    }

    fn weight(&self, column: usize, long: Option<Coefficient>) -> Coefficient {
        long.unwrap_or(self.rows.columns[column])
    }

    #[inline(always)]
    fn sums(&self, row: &TraceRow<'_>) -> TraceSums {
        let mut sums = TraceSums::default();
        self.for_each(row.linear, |column, long| {
            let values = self.values(column, long);
            (0..3).for_each(|half| sums.linear[half] += values[half]);
        });
        for (side, list) in row.sides.iter().enumerate() {
            self.for_each(list, |column, long| {
                let curve = self.curves[usize::from(self.weight(column, long).0)].unwrap_or(0);
                let values = self.values(column, long);
                (0..2).for_each(|half| sums.curves[curve][side][half] += values[half] + values[2]);
            });
        }
        sums
    }

    /// The score of a row in its units.
    #[inline(always)]
    fn score(&self, row: &TraceRow<'_>, sums: &TraceSums) -> f32 {
        let shares = row.shares();
        let [mut middlegame, mut endgame, single] = sums.linear;
        for (curve, [white, black]) in self.rows.header.curves.iter().zip(&sums.curves) {
            let value = |half: usize| {
                let bend = &curve.bends[half];
                (bend.value(white[half].into()) - bend.value(black[half].into())) as f32
            };
            middlegame += value(0);
            endgame += value(1);
        }
        middlegame * shares[0] + endgame * shares[1] + single + row.rest()
    }

    /// Calls `add` for each entry with `outer` times the derivative of the score.
    #[inline(always)]
    fn add_slopes(
        &self,
        row: &TraceRow<'_>,
        sums: &TraceSums,
        outer: f32,
        mut add: impl FnMut(usize, Option<Coefficient>, TermValues),
    ) {
        let shares = row.shares().map(|share| share * outer);
        self.for_each(row.linear, |column, long| add(column, long, [shares[0], shares[1], outer]));
        for (side, list) in row.sides.iter().enumerate() {
            if list.is_empty() {
                continue;
            }
            let sign = if side == 0 { 1.0 } else { -1.0 };
            let mut slopes = [[0.0; 2]; MOST_CURVES];
            for ((curve, sums), slopes) in self.rows.header.curves.iter().zip(&sums.curves).zip(&mut slopes) {
                for half in 0..2 {
                    slopes[half] =
                        sign * shares[half] * curve.bends[half].slope(sums[side][half].into()) as f32;
                }
            }
            self.for_each(list, |column, long| {
                let curve = self.curves[usize::from(self.weight(column, long).0)].unwrap_or(0);
                let [middlegame, endgame] = slopes[curve];
                add(column, long, [middlegame, endgame, middlegame + endgame]);
            });
        }
    }

    /// Calls `call` for each row with its sums, expected result, target and weight.
    #[inline(always)]
    fn for_each_row(
        &self,
        block: usize,
        targets: Targets<'_>,
        mut call: impl FnMut(&TraceRow<'_>, &TraceSums, f32, f32, f32),
    ) {
        for (number, row) in self.rows.block(block).enumerate() {
            let sums = self.sums(&row);
            let lead = targets.leads.get(number).copied().unwrap_or(0.0);
            let weight = targets.weights.get(number).copied().unwrap_or(1.0);
            let expected = logistic(self.score(&row, &sums) * self.slope + lead);
            call(&row, &sums, expected, targets.targets[number], weight);
        }
    }
}

impl Kernel for TraceKernel<'_> {
    type Sum = TraceSum;

    fn new_sum(&self) -> TraceSum {
        TraceSum {
            columns: vec![[0.0; 3]; self.rows.columns.len()],
            weights: vec![[0.0; 3]; self.weights.len()],
        }
    }

    fn flush(&self, sum: &mut TraceSum, gradient: &mut [f64]) {
        let weights = &self.rows.header.schema.weights;
        let mut add = |weight: usize, count: f32, slopes: &mut TermValues| {
            let slopes = std::mem::take(slopes).map(|slope| f64::from(slope) * f64::from(count));
            if weights[weight].is_single {
                gradient[2 * weight] += slopes[2];
            } else {
                gradient[2 * weight] += slopes[0];
                gradient[2 * weight + 1] += slopes[1];
            }
        };
        for (&(weight, count), slopes) in self.rows.columns.iter().zip(&mut sum.columns) {
            add(weight.into(), count, slopes);
        }
        for (weight, slopes) in sum.weights.iter_mut().enumerate() {
            add(weight, 1.0, slopes);
        }
    }

    fn set(&mut self, parameters: &[f64], slope: f64) {
        let header = &self.rows.header;
        for ((values, pair), weight) in
            self.weights.iter_mut().zip(parameters.as_chunks::<2>().0).zip(&header.schema.weights)
        {
            let [middlegame, endgame] = pair.map(|number| number as f32);
            *values = if weight.is_single { [0.0, 0.0, middlegame] } else { [middlegame, endgame, 0.0] };
        }
        for (values, &(weight, count)) in self.columns.iter_mut().zip(&self.rows.columns) {
            *values = self.weights[usize::from(weight)].map(|value| value * count);
        }
        self.unit = (100.0 / header.unit) as f32;
        self.slope = slope as f32 * self.unit;
    }

    fn error(&self, block: usize, targets: Targets<'_>) -> f64 {
        let mut sum = 0.0;
        self.for_each_row(block, targets, |_, _, expected, target, weight| {
            sum += f64::from(weight * (expected - target) * (expected - target));
        });
        sum
    }

    fn gradient(&self, block: usize, targets: Targets<'_>, sum: &mut TraceSum) -> f64 {
        let mut error = 0.0;
        self.for_each_row(block, targets, |row, sums, expected, target, weight| {
            let residual = expected - target;
            error += f64::from(weight * residual * residual);
            let outer = weight * 2.0 * residual * expected * (1.0 - expected) * self.slope;
            self.add_slopes(row, sums, outer, |column, long, slopes| match long {
                None => (0..3).for_each(|half| sum.columns[column][half] += slopes[half]),
                Some((weight, count)) => {
                    let total = &mut sum.weights[usize::from(weight)];
                    (0..3).for_each(|half| total[half] += slopes[half] * count);
                }
            });
        });
        error
    }

    fn evaluations(&self, block: usize) -> Vec<f32> {
        self.rows.block(block).map(|row| self.score(&row, &self.sums(&row)) * self.unit).collect()
    }

    fn derivatives(&self, block: usize, targets: Targets<'_>, each: &mut dyn FnMut(&[Derivative])) {
        let weights = &self.rows.header.schema.weights;
        let mut entries: Vec<Derivative> = Vec::new();
        self.for_each_row(block, targets, |row, sums, expected, _, _| {
            entries.clear();
            let outer = expected * (1.0 - expected) * self.slope;
            self.add_slopes(row, sums, outer, |column, long, slopes| {
                let (weight, count) = self.weight(column, long);
                let weight = usize::from(weight);
                if weights[weight].is_single {
                    entries.push((2 * weight, slopes[2] * count));
                } else {
                    entries.extend([(2 * weight, slopes[0] * count), (2 * weight + 1, slopes[1] * count)]);
                }
            });
            add_up(&mut entries);
            each(&entries);
        });
    }
}

impl LabelledRows for TraceRows {
    fn labels(&self) -> &Labels {
        &self.labels
    }

    fn memory(&self) -> usize {
        self.words.memory() + 8 * (self.blocks.len() + self.columns.len()) + self.labels.memory()
    }

    fn file_size(&self) -> u64 {
        self.words.file_size()
    }

    fn parameter_count(&self) -> usize {
        self.header.schema.parameter_count()
    }

    fn passes(&self) -> Box<dyn Passes + '_> {
        let weights = &self.header.schema.weights;
        let kernel = TraceKernel {
            rows: self,
            weights: vec![[0.0; 3]; weights.len()],
            columns: vec![[0.0; 3]; self.columns.len()],
            curves: weights.iter().map(|weight| weight.curve.map(|curve| curve.index)).collect(),
            slope: 0.0,
            unit: 1.0,
        };
        Box::new(Parts::new(kernel, self.blocks.len(), 2 * weights.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::{Loss, sigmoid, targets};
    use crate::trace::position::Reply;
    use smalt_chess::splitmix::splitmix;

    const HEADER: &str = "trace version 1\ntrace unit 208\ntrace phase 24\ntrace scale 64\n\
        trace curve safety quadratic 512 eg linear 16\ntrace curve threat sigmoid 300 40 12 eg table 0:0 20:30 60:90\n\
        trace parameter material.pawn 82 94\ntrace parameter tempo 10\ntrace parameter safety.knight 21 9 curve=safety\n\
        trace parameter safety.all 17 curve=safety\ntrace parameter threat.rook 13 8 curve=threat\ntrace ready";

    fn random(seed: u64, range: u64) -> f64 {
        (splitmix(seed) % range) as f64
    }

    /// Random traces with random results.
    fn traces(header: &Header, count: u64) -> Vec<(Trace, f32)> {
        let trace = |index: u64| {
            let at = |place: u64, range| random(index << 8 | place, range);
            let line = format!(
                "trace score 0 phase {} scale {} rest {} 0:{} 1:{} white 2:{} 3:{} 4:{} black 2:{} 4:{}",
                at(0, 25),
                16.0 + at(1, 49),
                at(2, 100) - 50.0,
                at(3, 9) - 4.0,
                at(4, 3) - 1.0,
                at(5, 4),
                at(6, 3),
                at(7, 5),
                at(8, 6),
                at(9, 7) + 0.5,
            );
            match Reply::parse(&line, header) {
                Some(Ok(Reply::Trace(trace))) => (trace, at(10, 3) as f32 / 2.0),
                other => panic!("{other:?}"),
            }
        };
        (0..count).map(trace).collect()
    }

    fn rows(header: &Header, traces: &[(Trace, f32)]) -> TraceRows {
        let mut rows = TraceRows::new(header, Kept::default(), u64::MAX);
        for (trace, result) in traces {
            let label = Label { result: *result, score: None, players: [0; 2], source: 0 };
            rows.push(trace, label).unwrap();
        }
        rows.finish(&[SourceOptions::default()]).unwrap();
        rows
    }

    fn slow_error(header: &Header, traces: &[(Trace, f32)], parameters: &[f64]) -> f64 {
        let error = |(trace, result): &(Trace, f32)| {
            let centipawns = trace.evaluate(header, parameters) * 100.0 / header.unit;
            (sigmoid(centipawns, 1.2) - f64::from(*result)).powi(2)
        };
        traces.iter().map(error).sum::<f64>() / traces.len() as f64
    }

    #[test]
    fn errors_and_gradients_of_packed_rows_are_those_of_the_formula() {
        let header = Header::parse(HEADER).unwrap();
        let traces = traces(&header, 2500);
        // The second row set has no columns left, so all entries are long, and is in a file.
        let plain = rows(&header, &traces);
        let mut long = TraceRows::new(&header, Kept::default(), 0);
        long.columns.resize(MOST_COLUMNS, (0, 0.0));
        for (trace, result) in &traces {
            long.push(trace, Label { result: *result, score: None, players: [0; 2], source: 0 }).unwrap();
        }
        long.finish(&[SourceOptions::default()]).unwrap();
        for rows in [&plain, &long] {
            let mut loss = Loss::new(rows, targets(rows, 1.0, 1.0), 1.2);
            let mut gradient = vec![0.0; header.start.len()];
            let expected = slow_error(&header, &traces, &header.start);
            let error = loss.gradient(0..loss.block_count(), &header.start, &mut gradient);
            assert!((error - expected).abs() < 1e-6, "{error} is not {expected}");
            assert!((loss.error(&header.start) - expected).abs() < 1e-6);
            let matrix = loss.normal_matrix(&header.start, usize::MAX, |_| true);
            assert!(
                (0..header.start.len())
                    .all(|index| header.schema.is_used(index) == (matrix.get(index, index) > 0.0))
            );
            for parameter in (0..header.start.len()).filter(|&index| header.schema.is_used(index)) {
                let moved = |step: f64| {
                    let mut parameters = header.start.clone();
                    parameters[parameter] += step;
                    slow_error(&header, &traces, &parameters)
                };
                let slope = (moved(1e-3) - moved(-1e-3)) / 2e-3;
                let difference = (slope - gradient[parameter]).abs();
                assert!(
                    difference < 1e-7 + 1e-3 * slope.abs(),
                    "{parameter}: {} is not {slope}",
                    gradient[parameter]
                );
            }
        }
        assert!(plain.memory() / traces.len() < 40);
    }

    #[test]
    fn evaluations_are_in_centipawns() {
        let header = Header::parse(HEADER).unwrap();
        let traces = traces(&header, 50);
        let rows = rows(&header, &traces);
        let evaluations = Loss::new(&rows, targets(&rows, 1.0, 1.0), 1.0).evaluations(&header.start);
        for ((trace, _), evaluation) in traces.iter().zip(evaluations) {
            let expected = trace.evaluate(&header, &header.start) * 100.0 / 208.0;
            assert!((f64::from(evaluation) - expected).abs() < 0.05, "{evaluation} is not {expected}");
        }
    }
}
