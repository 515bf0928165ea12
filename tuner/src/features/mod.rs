//! Positions as features of Smalt's evaluation, packed into a few bytes each.
//!
//! A row comes from one evaluation with the counting trace. The non-linear part is the engine's formula, which
//! [`dual`] differentiates.

pub(crate) mod dual;
pub(crate) mod row;
mod rows;

use smalt::evaluation::features;
use smalt::evaluation::schema::WEIGHTS;
use smalt::evaluation::trace::FeatureCounter;

use crate::labels::{SourceOptions, Sources};
use row::{RowError, pack};
use smalt_chess::splitmix::splitmix;
use smalt_dataset::{Dataset, Sample, SkippedLine};

pub(crate) use crate::labels::Label;
pub use crate::labels::{Keep, Kept, Split};
pub use row::FeatureRow;
pub use rows::Rows;

/// Positions per batch while loading.
const BATCH: usize = 16_384;

/// A data set as rows of Smalt's evaluation.
pub type FeatureData = crate::fit_data::FitData<Rows>;

/// A position with its packed features and label.
struct Loaded {
    packed: Result<Vec<u16>, RowError>,
    label: Label,
    game: u32,
    hash: u64,
}

/// Loads data sources in turn.
pub(crate) struct Loader {
    table: FeatureData,
    split: Split,
    sources: Sources,
    /// Number of the last position in which each weight occurred.
    last_seen: Vec<usize>,
}

impl Loader {
    /// A loader without data.
    /// `memory` is the maximum of bytes in memory for packed rows; the others go to temporary files.
    pub(crate) fn new(split: Split, kept: Kept, memory: u64) -> Loader {
        let [train, validation] = split.shares(memory).map(|memory| Rows::new(kept, memory));
        let table = FeatureData { train, validation, coverage: vec![0; WEIGHTS], ..FeatureData::default() };
        Loader { table, split, sources: Sources::default(), last_seen: vec![0; WEIGHTS] }
    }

    /// Evaluates all positions of a data set. `skipped` receives unreadable lines, `progress` the number of positions
    /// so far.
    pub(crate) fn add(
        &mut self,
        dataset: Dataset,
        options: SourceOptions,
        skipped: impl FnMut(SkippedLine),
        mut progress: impl FnMut(usize),
    ) -> std::io::Result<()> {
        self.sources.begin(dataset.players(), options);
        let (split, sources) = (self.split, self.sources.clone());
        let held_out = |game| sources.holds_out(split, sources.game(game));
        let load = |sample: &Sample| load(sample, &sources);
        let take = |loaded: Loaded| {
            self.take(&loaded);
            let count = self.table.train.len() + self.table.validation.len();
            if count.is_multiple_of(BATCH) {
                progress(count);
            }
        };
        dataset.for_each_batch(BATCH, held_out, load, take, skipped)
    }

    /// The loaded data.
    ///
    /// # Errors
    /// If a temporary file could not be written.
    pub(crate) fn finish(mut self) -> std::io::Result<FeatureData> {
        self.table.train.finish(self.sources.options())?;
        self.table.validation.finish(self.sources.options())?;
        self.table.players = self.sources.into_players();
        Ok(self.table)
    }

    fn take(&mut self, loaded: &Loaded) {
        let table = &mut self.table;
        let Ok(packed) = &loaded.packed else {
            table.unpacked += 1;
            return;
        };
        self.sources.note(loaded.game);
        table.hash = splitmix(table.hash ^ loaded.hash);
        let number = table.train.len() + table.validation.len() + 1;
        FeatureRow::whole(packed).for_each_weight(|weight| {
            if std::mem::replace(&mut self.last_seen[weight], number) != number {
                table.coverage[weight] += 1;
            }
        });
        let is_held_out = self.sources.holds_out(self.split, loaded.game);
        let rows = if is_held_out { &mut table.validation } else { &mut table.train };
        rows.push(packed, loaded.label);
    }
}

impl FeatureData {
    /// Loads a single data set; see [`Loader::add`].
    ///
    /// # Errors
    /// If the file can't be read to its end.
    pub fn load(
        dataset: Dataset,
        split: Split,
        kept: Kept,
        skipped: impl FnMut(SkippedLine),
        progress: impl FnMut(usize),
    ) -> std::io::Result<FeatureData> {
        let mut loader = Loader::new(split, kept, u64::MAX);
        loader.add(dataset, SourceOptions::default(), skipped, progress)?;
        loader.finish()
    }

    /// Number of positions, for training and validation.
    pub(crate) fn len(&self) -> usize {
        self.train.len() + self.validation.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn load(sample: &Sample, sources: &Sources) -> Loaded {
    thread_local! {
        static COUNTER: std::cell::RefCell<FeatureCounter> = std::cell::RefCell::default();
    }
    let packed = COUNTER.with_borrow_mut(|counter| pack(&features(&sample.position, counter)));
    let label = sources.label(sample);
    let hash = u64::from(label.result.to_bits()) << 16 ^ u64::from(label.score.unwrap_or(0) as u16);
    Loaded { packed, label, game: sources.game(sample.game), hash: sample.position.key() ^ splitmix(hash) }
}
