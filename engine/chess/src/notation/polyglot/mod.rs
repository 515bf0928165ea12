//! Opening books in Polyglot format: big-endian records of 16 bytes, sorted by position key.
//!
//! A record has a key (8 bytes), a move (2), a weight (2) and a learn value (4). Source: the format description at
//! hgm.nubati.net/book_format.html.

mod book_move;
mod builder;

pub use book_move::PolyglotMove;
pub use builder::PolyglotBuilder;

use thiserror::Error;

use crate::moves::Move;
use crate::position::Position;

/// Size of a record in bytes.
const RECORD: usize = 16;

/// A book in any byte container: a vector, a slice, a mapped file.
#[derive(Clone, Debug)]
pub struct PolyglotBook<B> {
    bytes: B,
}

/// One record of a book.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PolyglotEntry {
    /// The [key](Position::key) of the position.
    pub key: u64,
    /// The move, not resolved in a position.
    pub mv: PolyglotMove,
    /// Weight relative to the other moves of the position; 0 means never play.
    pub weight: u16,
    /// Learn value, used by some programs.
    pub learn: u32,
}

/// A book move for a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookMove {
    /// A legal move.
    pub mv: Move,
    /// Weight relative to the other moves; 0 means never play.
    pub weight: u16,
}

/// Why the bytes are not a valid book.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum PolyglotError {
    /// The length is not a multiple of 16.
    #[error("{0} bytes are not a whole number of records of 16 bytes")]
    Length(usize),
    /// The records are not sorted by key, so binary search would fail.
    #[error("record {0} is out of order")]
    Unsorted(usize),
}

impl<B: AsRef<[u8]>> PolyglotBook<B> {
    /// A book with these bytes.
    ///
    /// # Errors
    /// If they are not a sorted list of records.
    pub fn new(bytes: B) -> Result<PolyglotBook<B>, PolyglotError> {
        let length = bytes.as_ref().len();
        if length % RECORD != 0 {
            return Err(PolyglotError::Length(length));
        }
        let book = PolyglotBook { bytes };
        match (1..book.len()).find(|&index| book.entry(index).key < book.entry(index - 1).key) {
            Some(index) => Err(PolyglotError::Unsorted(index)),
            None => Ok(book),
        }
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.bytes.as_ref().len() / RECORD
    }

    /// Whether the book has no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All records in key order.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = PolyglotEntry> + ExactSizeIterator {
        (0..self.len()).map(|index| self.entry(index))
    }

    fn entry(&self, index: usize) -> PolyglotEntry {
        let record = &self.bytes.as_ref()[index * RECORD..][..RECORD];
        let number = |range: std::ops::Range<usize>| {
            record[range].iter().fold(0, |value, &byte| value << 8 | u64::from(byte))
        };
        PolyglotEntry {
            key: number(0..8),
            mv: PolyglotMove::from_bits(number(8..10) as u16),
            weight: number(10..12) as u16,
            learn: number(12..16) as u32,
        }
    }

    /// The records with this key.
    pub fn find(&self, key: u64) -> impl Iterator<Item = PolyglotEntry> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.entry(middle).key < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (low..self.len()).map(|index| self.entry(index)).take_while(move |entry| entry.key == key)
    }

    /// The legal book moves of a position, in book order. Illegal ones, possible with a key collision, are skipped.
    pub fn moves(&self, position: &Position) -> impl Iterator<Item = BookMove> {
        self.find(position.key())
            .filter_map(|entry| Some(BookMove { mv: entry.mv.to_move(position)?, weight: entry.weight }))
    }

    /// The move with the greatest weight, the first among equals; never one of weight 0.
    pub fn best_move(&self, position: &Position) -> Option<Move> {
        let playable = self.moves(position).filter(|book_move| book_move.weight > 0);
        playable
            .reduce(|best, other| if other.weight > best.weight { other } else { best })
            .map(|best| best.mv)
    }

    /// A move chosen by weight: with a uniformly `random` 64-bit number each move has a probability proportional to its
    /// weight.
    pub fn choose_move(&self, position: &Position, random: u64) -> Option<Move> {
        let total: u64 = self.moves(position).map(|book_move| u64::from(book_move.weight)).sum();
        // The high half of the product is the random number scaled to the total weight.
        let mut left = ((u128::from(random) * u128::from(total)) >> 64) as u64;
        self.moves(position).find_map(|book_move| {
            let weight = u64::from(book_move.weight);
            if left < weight {
                return Some(book_move.mv);
            }
            left -= weight;
            None
        })
    }
}
