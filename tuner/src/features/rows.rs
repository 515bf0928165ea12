//! Packed rows with their labels, in blocks.

use std::io;
use std::ops::Range;

use super::row::{self, FeatureRow};
use crate::labels::{BLOCK, Kept, Label, Labels, SourceOptions};
use crate::word_store::WordStore;

/// Packed rows with their labels.
///
/// Rows of a block are sorted by length, so that loop lengths change rarely during a pass; the assignment to blocks
/// follows the order of arrival.
#[derive(Default)]
pub struct Rows {
    labels: Labels,
    words: WordStore,
    /// Start of each block of [`BLOCK`] rows in `words`.
    blocks: Vec<usize>,
    tail: Tail,
}

/// Rows of an incomplete block.
#[derive(Default)]
struct Tail {
    words: Vec<u16>,
    /// Range of each row in `words`, and its label.
    rows: Vec<(Range<usize>, Label)>,
}

impl Rows {
    /// Rows with these optional labels, whose words take at most this memory in bytes.
    pub(crate) fn new(kept: Kept, memory: u64) -> Rows {
        Rows { labels: Labels::new(kept), words: WordStore::new(memory), ..Rows::default() }
    }

    pub fn len(&self) -> usize {
        self.labels.len() + self.tail.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Labels, in row order.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// Packed words of a block; see [`row`].
    pub fn block(&self, index: usize) -> &[u16] {
        let end = self.blocks.get(index + 1).copied().unwrap_or(self.words.len());
        &self.words.words()[self.blocks[index]..end]
    }

    /// Rows of a block.
    pub fn block_rows(&self, index: usize) -> impl Iterator<Item = FeatureRow<'_>> {
        row::rows(self.block(index))
    }

    /// Memory of rows and labels, in bytes.
    pub fn memory(&self) -> usize {
        self.words.memory() + self.labels.memory() + 8 * self.blocks.len()
    }

    /// Bytes of rows in a temporary file.
    pub(crate) fn file_size(&self) -> u64 {
        self.words.file_size()
    }

    /// Number of positions of each phase, 0 to 24.
    pub(crate) fn phases(&self) -> [u64; crate::extract::PHASES] {
        let mut phases = [0; crate::extract::PHASES];
        for row in (0..self.block_count()).flat_map(|block| self.block_rows(block)) {
            phases[row.phase() as usize] += 1;
        }
        phases
    }

    /// Adds a row. It becomes visible when its block is full or after [`Rows::finish`].
    pub(super) fn push(&mut self, packed: &[u16], label: Label) {
        let start = self.tail.words.len();
        self.tail.rows.push((start..start + packed.len(), label));
        self.tail.words.extend_from_slice(packed);
        if self.tail.rows.len() == BLOCK {
            self.close_block();
        }
    }

    /// Completes the last block and frees unused memory.
    ///
    /// # Errors
    /// If the temporary file could not be written.
    pub(super) fn finish(&mut self, options: &[SourceOptions]) -> io::Result<()> {
        if !self.tail.rows.is_empty() {
            self.close_block();
        }
        self.tail = Tail::default();
        self.labels.finish(options);
        self.words.finish()
    }

    fn close_block(&mut self) {
        let Tail { words, mut rows } = std::mem::take(&mut self.tail);
        rows.sort_by_key(|(place, _)| place.len());
        self.blocks.push(self.words.len());
        for (place, label) in &rows {
            self.words.extend(&words[place.clone()]);
            self.labels.push(*label);
        }
        self.tail = Tail { words, rows };
        self.tail.words.clear();
        self.tail.rows.clear();
    }
}
