//! Traces of another engine's evaluation: the coefficients of its parameters for each position, over a pipe or from a
//! file. They become rows for the same fit as Smalt's evaluation. The protocol is described in
//! `docs/trace-protocol.md`.

pub(crate) mod collect;
mod curve;
pub(crate) mod file;
pub(crate) mod header;
pub(crate) mod pipe;
pub(crate) mod position;
mod rows;
pub(crate) mod verify;

use crate::fit_data::FitData;
use crate::labels::{Kept, SourceOptions, Sources, Split};
use file::{Skipped, TraceFile, TraceFileError, TracedPosition};
use header::Header;
pub(crate) use rows::TraceRows;
use smalt_chess::splitmix::splitmix;
use smalt_dataset::Sample;
use smalt_dataset::file::{HASH_START, hashed};
use smalt_dataset::record::merged;
use verify::Verification;

/// Number of positions between progress updates.
const SHOWN_EVERY: u64 = 16_384;

/// Loads trace files in turn.
pub(crate) struct Loader {
    table: FitData<TraceRows>,
    header: Header,
    split: Split,
    sources: Sources,
    verification: Verification,
    /// Number of the last position in which each weight occurred.
    last_seen: Vec<usize>,
    rows: usize,
}

impl Loader {
    /// A loader for traces with this header.
    /// `memory` is the maximum of bytes in memory for packed rows; the others go to temporary files.
    pub(crate) fn new(header: Header, split: Split, kept: Kept, tolerance: f64, memory: u64) -> Loader {
        let [train, validation] = split.shares(memory).map(|memory| TraceRows::new(&header, kept, memory));
        let weights = header.schema.weights.len();
        let table = FitData {
            train,
            validation,
            coverage: vec![0; weights],
            hash: hashed(HASH_START, header.to_string().as_bytes()),
            ..FitData::default()
        };
        let verification = Verification::new(tolerance);
        let (sources, last_seen) = (Sources::default(), vec![0; weights]);
        Loader { table, header, split, sources, verification, last_seen, rows: 0 }
    }

    /// Adds the positions of a file. `skipped` receives unreadable ones, `progress` the number of positions so far.
    pub(crate) fn add(
        &mut self,
        file: TraceFile,
        options: SourceOptions,
        skipped: impl FnMut(Skipped),
        mut progress: impl FnMut(u64),
    ) -> Result<(), TraceFileError> {
        if file.header.to_string() != self.header.to_string() {
            return Err(TraceFileError::Other("an engine with other parameters"));
        }
        self.sources.begin(&file.players, options);
        let take = |position: TracedPosition| {
            self.take(&position);
            if self.verification.positions.is_multiple_of(SHOWN_EVERY) {
                progress(self.verification.positions);
            }
        };
        file.for_each(take, skipped)
    }

    /// The loaded data and the results of verification.
    ///
    /// # Errors
    /// If a temporary file could not be written.
    pub(crate) fn finish(mut self) -> std::io::Result<(FitData<TraceRows>, Verification)> {
        self.table.train.finish(self.sources.options())?;
        self.table.validation.finish(self.sources.options())?;
        self.table.players = self.sources.into_players();
        Ok((self.table, self.verification))
    }

    fn take(&mut self, position: &TracedPosition) {
        let Some(first) = position.samples.first() else { return };
        self.verification.compare(&self.header, &first.position, &position.trace);
        // A position from several games counts once in training and once in validation.
        let mut sides: [Vec<Sample>; 2] = Default::default();
        for sample in &position.samples {
            let game = self.sources.game(sample.game);
            self.sources.note(game);
            let is_held_out = self.sources.holds_out(self.split, game);
            sides[usize::from(is_held_out)].push(sample.clone());
        }
        for (side, samples) in sides.iter().enumerate() {
            let Some(sample) = merged(samples) else { continue };
            let label = self.sources.label(&sample);
            let rows = if side == 1 { &mut self.table.validation } else { &mut self.table.train };
            if rows.push(&position.trace, label).is_err() {
                self.table.unpacked += 1;
                continue;
            }
            self.rows += 1;
            let labels = u64::from(label.result.to_bits()) << 16 ^ u64::from(label.score.unwrap_or(0) as u16);
            self.table.hash = splitmix(self.table.hash ^ sample.position.key() ^ splitmix(labels));
            let [white, black] = &position.trace.sides;
            for &(weight, _) in position.trace.linear.iter().chain(white).chain(black) {
                let weight = usize::from(weight);
                if std::mem::replace(&mut self.last_seen[weight], self.rows) != self.rows {
                    self.table.coverage[weight] += 1;
                }
            }
        }
    }
}
