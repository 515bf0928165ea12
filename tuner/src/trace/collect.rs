//! Collects an engine's traces of all positions in a file; an interrupted collection can be continued.

use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::file::{TraceFileError, TraceWriter};
use super::pipe::{EnginePool, PipeError};
use super::position::Reply;
use super::verify::Verification;
use smalt_dataset::file::{HASH_START, hashed};
use smalt_dataset::record::{RECORD_SIZE, is_same_position};
use smalt_dataset::{Dataset, Sample, SkippedLine};

/// Positions per batch and process.
const BATCH: usize = 2048;

#[derive(Debug, thiserror::Error)]
pub(crate) enum CollectError {
    #[error(transparent)]
    Pipe(#[from] PipeError),
    #[error("{path}: {error}")]
    File { path: String, error: TraceFileError },
    #[error("failed to write {path}")]
    Write { path: String, source: io::Error },
    #[error("failed to read the positions: {0}")]
    Positions(io::Error),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Collected {
    /// Positions in the file.
    pub positions: u64,
    /// Positions already traced in an earlier run.
    pub known: u64,
    /// Positions that the engine skipped.
    pub skipped: u64,
    /// Positions with more than 32 pieces, which the file cannot store.
    pub crowded: u64,
}

/// A position, possibly from several games.
struct SamePosition {
    first: Sample,
    labels: Vec<[u8; RECORD_SIZE]>,
}

/// Collects the traces of all positions. Stops once [`Verification::is_full`], since no fit will follow.
pub(crate) fn collect(
    dataset: Dataset,
    engines: &mut EnginePool,
    path: &Path,
    verification: &mut Verification,
    stop: &AtomicBool,
    skipped: impl FnMut(SkippedLine),
    progress: impl FnMut(u64),
) -> Result<Collected, CollectError> {
    let file = |error| CollectError::File { path: path.display().to_string(), error };
    let (mut known, mut hash) = (0_u64, HASH_START);
    let mut samples: Vec<(u64, Vec<u8>)> = Vec::new();
    let writer = TraceWriter::open(path, engines.header(), dataset.players(), |labels, record| {
        known += 1;
        hash = hashed(hash, labels);
        // Positions 1, 2, 4, 8, … and the last one are traced again.
        samples.pop_if(|(number, _)| !number.is_power_of_two());
        samples.push((known, record.to_vec()));
    });
    let mut collector = Collector {
        writer: writer.map_err(file)?,
        engines,
        verification,
        stop,
        collected: Collected { known, ..Collected::default() },
        known_hash: hash,
        samples,
        again: Vec::new(),
        hash: HASH_START,
        batch: Vec::new(),
        error: None,
        progress,
    };
    let mut group: Option<SamePosition> = None;
    let mut crowded = 0;
    let take = |sample: Sample| {
        let Ok(label) = sample.to_bytes() else {
            crowded += 1;
            return Ok(());
        };
        match &mut group {
            Some(group) if is_same_position(&group.labels[0], &label) => group.labels.push(label),
            last => {
                let before = last.replace(SamePosition { first: sample, labels: vec![label] });
                before.map_or(Ok(()), |group| collector.push(group))?;
            }
        }
        Ok(())
    };
    let read = dataset.for_each(take, skipped);
    let result = read.and_then(|()| group.map_or(Ok(()), |group| collector.push(group)));
    let result = result.and_then(|()| collector.trace());
    let flushed = collector.writer.flush();
    collector.collected.crowded = crowded;
    match (collector.error, result) {
        (Some(Halt::Pipe(error)), _) => Err(error.into()),
        (Some(Halt::Other(what)), _) => Err(file(TraceFileError::Other(what))),
        (Some(Halt::Write(source)), _) => {
            Err(CollectError::Write { path: path.display().to_string(), source })
        }
        (Some(Halt::Differences), _) => Ok(collector.collected),
        (None, Err(error)) => Err(CollectError::Positions(error)),
        (None, Ok(())) if collector.collected.positions < known => {
            Err(file(TraceFileError::Other("more positions")))
        }
        (None, Ok(())) => flushed.map(|()| collector.collected).map_err(|error| file(error.into())),
    }
}

/// Why collecting ended early.
enum Halt {
    Pipe(PipeError),
    /// The file has traces of something else.
    Other(&'static str),
    /// The file can't be written.
    Write(io::Error),
    Differences,
}

struct Collector<'a, P> {
    writer: TraceWriter,
    engines: &'a mut EnginePool,
    verification: &'a mut Verification,
    stop: &'a AtomicBool,
    collected: Collected,
    /// Hash of the labels in the file of an earlier run.
    known_hash: u64,
    /// Numbers from 1 and records of some positions in the file.
    samples: Vec<(u64, Vec<u8>)>,
    /// The same positions in the data set.
    again: Vec<SamePosition>,
    /// Hash of the labels so far, while they match the file.
    hash: u64,
    batch: Vec<SamePosition>,
    error: Option<Halt>,
    progress: P,
}

impl<P: FnMut(u64)> Collector<'_, P> {
    fn push(&mut self, group: SamePosition) -> io::Result<()> {
        if self.collected.positions < self.collected.known {
            self.collected.positions += 1;
            self.hash = hashed(self.hash, group.labels.as_flattened());
            if self.samples.iter().any(|(number, _)| *number == self.collected.positions) {
                self.again.push(group);
            }
            let is_last = self.collected.positions == self.collected.known;
            return if is_last { self.check_known() } else { Ok(()) };
        }
        self.batch.push(group);
        if self.batch.len() == BATCH * self.engines.len() { self.trace() } else { Ok(()) }
    }

    /// Checks that the file has these positions, and that the engine still gives the same traces of some of them.
    fn check_known(&mut self) -> io::Result<()> {
        if self.hash != self.known_hash {
            return self.halt(Halt::Other("other positions"));
        }
        let fens: Vec<String> = self.again.iter().map(|group| group.first.position.to_fen()).collect();
        let replies = match self.engines.traces(&fens, self.stop) {
            Ok(replies) => replies,
            Err(error) => return self.halt(Halt::Pipe(error)),
        };
        let mut all = self.samples.iter().zip(self.again.iter().zip(&replies));
        if all.all(|((_, record), (group, reply))| TraceWriter::is_record(record, &group.labels, reply)) {
            return Ok(());
        }
        self.halt(Halt::Other("an engine with another evaluation"))
    }

    /// Traces the batch and writes it.
    fn trace(&mut self) -> io::Result<()> {
        let fens: Vec<String> = self.batch.iter().map(|group| group.first.position.to_fen()).collect();
        let replies = match self.engines.traces(&fens, self.stop) {
            Ok(replies) => replies,
            Err(error) => return self.halt(Halt::Pipe(error)),
        };
        for (group, reply) in self.batch.iter().zip(&replies) {
            match reply {
                Reply::Trace(trace) => {
                    self.verification.compare(self.engines.header(), &group.first.position, trace);
                }
                Reply::Skip => self.collected.skipped += 1,
            }
        }
        // Wrong traces are not written: a later run would trust them.
        let is_right = !self.verification.has_failed();
        for (group, reply) in std::mem::take(&mut self.batch).into_iter().zip(replies) {
            if is_right && let Err(error) = self.writer.push(&group.labels, &reply) {
                return self.halt(Halt::Write(error));
            }
            self.collected.positions += 1;
        }
        (self.progress)(self.collected.positions);
        if self.verification.is_full() {
            return self.halt(Halt::Differences);
        }
        self.writer.flush().or_else(|error| self.halt(Halt::Write(error)))
    }

    fn halt(&mut self, halt: Halt) -> io::Result<()> {
        self.error = Some(halt);
        Err(io::Error::other("halted"))
    }
}
