//! Positions as functions of the weights: what the engine's own evaluation counts, packed into a few bytes each. Knows
//! labels, but not what is done with them.
//!
//! A row is made by running the evaluation once with the counting trace. What is not linear in the weights is left to
//! the engine's formula, which [`dual`] differentiates.

pub mod dual;
pub mod row;
mod rows;

use smalt::evaluation::features;
use smalt::evaluation::schema::WEIGHTS;
use smalt::evaluation::trace::FeatureCounter;

use crate::dataset::{Dataset, Sample, SkippedLine, mixed};
use row::{RowError, pack};

pub use row::Row;
pub use rows::{BLOCK, Keep, Kept, Label, Rows};

/// Positions read together while a data set is loaded.
const BATCH: usize = 16_384;

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
    /// The names of the players, by number less one.
    pub players: Vec<String>,
}

/// How a data set is split.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// The share of games held out for validation, 0 to 1.
    pub validation: f64,
    /// Chooses the games.
    pub seed: u64,
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
    label: Label,
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
        kept: Kept,
        skipped: impl FnMut(SkippedLine),
        mut progress: impl FnMut(usize),
    ) -> std::io::Result<Table> {
        let mut table = Table {
            train: Rows::new(kept),
            validation: Rows::new(kept),
            coverage: vec![0; WEIGHTS],
            players: dataset.players().to_vec(),
            ..Table::default()
        };
        let mut last_seen = vec![0; WEIGHTS];
        let take = |loaded: Loaded| {
            table.take(&loaded, split, &mut last_seen);
            let count = table.train.len() + table.validation.len();
            if count.is_multiple_of(BATCH) {
                progress(count);
            }
        };
        dataset.for_each_batch(BATCH, |game| split.holds_out(game), load, take, skipped)?;
        table.train.finish();
        table.validation.finish();
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

    fn take(&mut self, loaded: &Loaded, split: Split, last_seen: &mut [usize]) {
        let Ok(packed) = &loaded.packed else {
            self.unpacked += 1;
            return;
        };
        self.hash = mixed(self.hash ^ loaded.hash);
        let number = self.len() + 1;
        Row::whole(packed).for_each_weight(|weight| {
            if std::mem::replace(&mut last_seen[weight], number) != number {
                self.coverage[weight] += 1;
            }
        });
        let rows = if split.holds_out(loaded.game) { &mut self.validation } else { &mut self.train };
        rows.push(packed, loaded.label);
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
        label: Label { result: sample.result, score: sample.score, players: sample.players },
        game: sample.game,
        hash: sample.position.key() ^ mixed(label),
    }
}
