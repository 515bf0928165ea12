//! Positions as functions of the weights: what the engine's own evaluation counts, packed into a few bytes each. Knows
//! labels, but not what is done with them.
//!
//! A row is made by running the evaluation once with the counting trace. What is not linear in the weights is left to
//! the engine's formula, which [`dual`] differentiates.

pub mod dual;
pub mod row;

use smalt::evaluation::features;
use smalt::evaluation::schema::WEIGHTS;
use smalt::evaluation::trace::FeatureCounter;

use crate::dataset::{Dataset, Sample, SkippedLine, mixed};
use row::{RowError, pack};

pub use row::Row;

/// Positions in a block: what one pass of a thread works on before it looks at anything else.
pub const BLOCK: usize = 1024;

/// Positions read together while a data set is loaded.
const BATCH: usize = 16_384;

/// Packed rows with their labels.
#[derive(Default)]
pub struct Rows {
    words: Vec<u16>,
    /// Where each block of [`BLOCK`] rows begins in `words`; one more entry for the end.
    blocks: Vec<usize>,
    /// Results, 0 to 1, White's view.
    results: Vec<f32>,
    /// Scores in centipawns, White's view; empty if no row has one, NaN for rows without.
    scores: Vec<f32>,
}

impl Rows {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.results.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    /// Results, 0 to 1, White's view, in the order of the rows.
    pub fn results(&self) -> &[f32] {
        &self.results
    }

    /// Whether any row has a score.
    pub fn has_scores(&self) -> bool {
        !self.scores.is_empty()
    }

    /// The score of a row in centipawns, White's view.
    pub fn score(&self, index: usize) -> Option<f32> {
        self.scores.get(index).copied().filter(|score| !score.is_nan())
    }

    /// The number of blocks.
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// The packed words of a block; see [`row`].
    pub fn block(&self, index: usize) -> &[u16] {
        let end = self.blocks.get(index + 1).copied().unwrap_or(self.words.len());
        &self.words[self.blocks[index]..end]
    }

    /// The rows of a block.
    pub fn block_rows(&self, index: usize) -> impl Iterator<Item = Row<'_>> {
        row::rows(self.block(index))
    }

    /// Bytes of memory that rows and labels take.
    pub fn memory(&self) -> usize {
        2 * self.words.len() + 4 * (self.results.len() + self.scores.len()) + 8 * self.blocks.len()
    }

    fn push(&mut self, packed: &[u16], result: f32, score: Option<i16>) {
        if self.len().is_multiple_of(BLOCK) {
            self.blocks.push(self.words.len());
        }
        if score.is_some() && self.scores.is_empty() {
            self.scores.resize(self.len(), f32::NAN);
        }
        self.words.extend_from_slice(packed);
        self.results.push(result);
        if score.is_some() || !self.scores.is_empty() {
            self.scores.push(score.map_or(f32::NAN, f32::from));
        }
    }

    fn shrink(&mut self) {
        self.words.shrink_to_fit();
        self.results.shrink_to_fit();
        self.scores.shrink_to_fit();
    }
}

/// A data set as rows, split by game.
#[derive(Default)]
pub struct Table {
    /// What weights are fitted to.
    pub train: Rows,
    /// What they are judged by.
    pub validation: Rows,
    /// In how many positions each weight occurs.
    pub coverage: Vec<u32>,
    /// Hash of what was read: tells data sets apart.
    pub hash: u64,
    /// Positions that could not be packed.
    pub unpacked: u64,
}

/// How a data set is split.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// The share of games held out for validation, 0 to 1.
    pub validation: f64,
    /// Chooses the games.
    pub seed: u64,
}

/// Whether the scores in the data are wanted; they take memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scores {
    /// They are read over.
    Drop,
    /// They are kept.
    Keep,
}

impl Split {
    /// Whether the positions of a game are held out.
    pub fn holds_out(&self, game: u32) -> bool {
        let share = mixed(self.seed ^ mixed(u64::from(game))) >> 11;
        (share as f64) < self.validation * (1_u64 << 53) as f64
    }
}

/// What [`Table::load`] makes of one position, in parallel.
struct Loaded {
    packed: Result<Vec<u16>, RowError>,
    result: f32,
    score: Option<i16>,
    game: u32,
    hash: u64,
}

impl Table {
    /// Runs the evaluation over all positions of a data set. Lines that can't be read are given to `skipped`, and the
    /// number of positions so far to `progress`.
    ///
    /// # Errors
    /// If the file can't be read to its end.
    pub fn load(
        dataset: Dataset,
        split: Split,
        scores: Scores,
        skipped: impl FnMut(SkippedLine),
        mut progress: impl FnMut(usize),
    ) -> std::io::Result<Table> {
        let mut table = Table { coverage: vec![0; WEIGHTS], ..Table::default() };
        let take = |loaded: Loaded| {
            table.take(&loaded, split, scores);
            let count = table.train.len() + table.validation.len();
            if count.is_multiple_of(BATCH) {
                progress(count);
            }
        };
        dataset.for_each_batch(BATCH, load, take, skipped)?;
        table.train.shrink();
        table.validation.shrink();
        Ok(table)
    }

    /// Positions for training and validation together.
    pub fn len(&self) -> usize {
        self.train.len() + self.validation.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn take(&mut self, loaded: &Loaded, split: Split, scores: Scores) {
        let Ok(packed) = &loaded.packed else {
            self.unpacked += 1;
            return;
        };
        self.hash = mixed(self.hash ^ loaded.hash);
        for weight in Row::whole(packed).distinct_weights() {
            self.coverage[weight] += 1;
        }
        let rows = if split.holds_out(loaded.game) { &mut self.validation } else { &mut self.train };
        rows.push(packed, loaded.result, loaded.score.filter(|_| scores == Scores::Keep));
    }
}

fn load(sample: &Sample) -> Loaded {
    thread_local! {
        static COUNTER: std::cell::RefCell<FeatureCounter> = std::cell::RefCell::default();
    }
    let packed = COUNTER.with_borrow_mut(|counter| pack(&features(&sample.position, counter)));
    let label = u64::from(sample.result.to_bits()) << 16 ^ u64::from(sample.score.unwrap_or(0) as u16);
    Loaded {
        packed,
        result: sample.result,
        score: sample.score,
        game: sample.game,
        hash: sample.position.key() ^ mixed(label),
    }
}
