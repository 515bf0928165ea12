//! Many packed rows with their labels, in blocks. Knows nothing of files.

use std::ops::Range;

use super::row::{self, Row};

/// Positions in a block: what one pass of a thread works on before it looks at anything else.
pub const BLOCK: usize = 1024;

/// The label of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Label {
    /// Result, 0 to 1, White's view.
    pub result: f32,
    /// Score in centipawns, White's view.
    pub score: Option<i16>,
    /// Who played White and Black, from 1; 0 is nobody known.
    pub players: [u8; 2],
}

/// What labels have besides results. Each takes memory, so that only what is wanted is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The scores.
    pub scores: Keep,
    /// Who played.
    pub players: Keep,
}

/// Whether something is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// It is read over.
    #[default]
    No,
    /// It is kept, where there is any.
    Yes,
}

/// Packed rows with their labels.
///
/// The rows of a block stand in the order of their lengths, so that a pass seldom meets a loop of another length than
/// the one before; which rows are in a block is the order in which they came.
#[derive(Default)]
pub struct Rows {
    kept: Kept,
    words: Vec<u16>,
    /// Where each block of [`BLOCK`] rows begins in `words`.
    blocks: Vec<usize>,
    results: Vec<f32>,
    /// Empty if no row has one; [`NO_SCORE`] for rows without.
    scores: Vec<i16>,
    /// Empty if no row has any.
    players: Vec<[u8; 2]>,
    tail: Tail,
}

/// The scores of rows that have none.
const NO_SCORE: i16 = i16::MIN;

/// Rows of a block that is not full.
#[derive(Default)]
struct Tail {
    words: Vec<u16>,
    /// Where each row stands in `words`, and its label.
    rows: Vec<(Range<usize>, Label)>,
}

impl Rows {
    /// No rows yet.
    pub fn new(kept: Kept) -> Rows {
        Rows { kept, ..Rows::default() }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.results.len() + self.tail.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
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
    pub fn score(&self, index: usize) -> Option<i16> {
        self.scores.get(index).copied().filter(|&score| score != NO_SCORE)
    }

    /// Who played White and Black, in the order of the rows; empty if nobody is known.
    pub fn players(&self) -> &[[u8; 2]] {
        &self.players
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
        2 * (self.words.len() + self.scores.len() + self.players.len())
            + 4 * self.results.len()
            + 8 * self.blocks.len()
    }

    /// Adds a row. It is seen when its block is full or [`Rows::finish`] was called.
    pub(super) fn push(&mut self, packed: &[u16], label: Label) {
        let start = self.tail.words.len();
        self.tail.rows.push((start..start + packed.len(), label));
        self.tail.words.extend_from_slice(packed);
        if self.tail.rows.len() == BLOCK {
            self.close_block();
        }
    }

    /// Ends the last block, and gives back memory that is not needed.
    pub(super) fn finish(&mut self) {
        if !self.tail.rows.is_empty() {
            self.close_block();
        }
        self.tail = Tail::default();
        self.words.shrink_to_fit();
        self.results.shrink_to_fit();
        self.scores.shrink_to_fit();
        self.players.shrink_to_fit();
    }

    fn close_block(&mut self) {
        let Tail { words, mut rows } = std::mem::take(&mut self.tail);
        rows.sort_by_key(|(place, _)| place.len());
        self.blocks.push(self.words.len());
        for (place, label) in &rows {
            self.words.extend_from_slice(&words[place.clone()]);
            self.push_label(*label);
        }
        let length = words.len();
        self.tail = Tail { words, rows };
        self.tail.words.clear();
        self.tail.rows.clear();
        // Room for the next block is taken in steps of an eighth: doubling would take twice the memory at its peak.
        if self.words.capacity() - self.words.len() < 2 * length {
            self.words.reserve_exact(self.words.len() / 8 + 2 * length);
        }
    }

    fn push_label(&mut self, label: Label) {
        let row = self.results.len();
        self.results.push(label.result);
        let score = label.score.filter(|_| self.kept.scores == Keep::Yes);
        push_rare(&mut self.scores, row, NO_SCORE, score);
        let players = Some(label.players).filter(|players| *players != [0; 2]);
        push_rare(&mut self.players, row, [0; 2], players.filter(|_| self.kept.players == Keep::Yes));
    }
}

/// Adds the value of a row to a list that stays empty until the first value comes.
fn push_rare<T: Copy>(list: &mut Vec<T>, row: usize, none: T, value: Option<T>) {
    if value.is_some() && list.is_empty() {
        list.resize(row, none);
    }
    if value.is_some() || list.len() == row && row > 0 && !list.is_empty() {
        list.push(value.unwrap_or(none));
    }
}
