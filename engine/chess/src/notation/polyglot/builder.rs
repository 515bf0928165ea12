//! Builds a Polyglot book from moves.

use std::collections::BTreeMap;

use super::{PolyglotEntry, PolyglotMove, RECORD};
use crate::moves::Move;
use crate::position::Position;

/// A book in the making: the same move of the same position is kept once, its weights added up.
#[derive(Clone, Debug, Default)]
pub struct PolyglotBuilder {
    entries: BTreeMap<(u64, PolyglotMove), MoveCounts>,
}

#[derive(Clone, Copy, Debug, Default)]
struct MoveCounts {
    weight: u64,
    learn: u32,
}

impl PolyglotBuilder {
    /// An empty book.
    pub fn new() -> PolyglotBuilder {
        PolyglotBuilder::default()
    }

    /// Adds a legal move of a position.
    pub fn add(&mut self, position: &Position, mv: Move, weight: u16) {
        let (key, mv) = (position.key(), PolyglotMove::from_move(mv));
        self.add_entry(PolyglotEntry { key, mv, weight, learn: 0 });
    }

    /// Adds a record, as of another book; the learning number is that added last.
    pub fn add_entry(&mut self, entry: PolyglotEntry) {
        let kept = self.entries.entry((entry.key, entry.mv)).or_default();
        kept.weight = kept.weight.saturating_add(entry.weight.into());
        kept.learn = entry.learn;
    }

    /// The bytes of the book: sorted by key, the moves of a position by falling weight. Where a sum of weights is above
    /// 65,535, all weights of its position are scaled down, none that was positive to less than 1.
    pub fn to_bytes(&self) -> Vec<u8> {
        let entries: Vec<_> = self.entries.iter().collect();
        let mut bytes = Vec::with_capacity(entries.len() * RECORD);
        for position in entries.chunk_by(|((a, _), _), ((b, _), _)| a == b) {
            let greatest = position.iter().map(|(_, kept)| kept.weight).max().unwrap_or(0);
            let mut moves = position.to_vec();
            moves.sort_by_key(|(_, kept)| std::cmp::Reverse(kept.weight));
            for ((key, mv), kept) in moves {
                bytes.extend(key.to_be_bytes());
                bytes.extend(mv.to_bits().to_be_bytes());
                bytes.extend(scaled(kept.weight, greatest).to_be_bytes());
                bytes.extend(kept.learn.to_be_bytes());
            }
        }
        bytes
    }
}

/// A weight in 16 bits, if the greatest of its position shall fit.
fn scaled(weight: u64, greatest: u64) -> u16 {
    const MOST: u64 = u16::MAX as u64;
    if greatest <= MOST {
        return weight as u16;
    }
    let scaled = (u128::from(weight) * u128::from(MOST) / u128::from(greatest)) as u16;
    scaled.max(u16::from(weight > 0))
}
