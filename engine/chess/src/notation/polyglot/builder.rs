//! Builds a Polyglot book from moves.

use std::collections::BTreeMap;

use super::{PolyglotEntry, PolyglotMove, RECORD};
use crate::moves::Move;
use crate::position::Position;

/// A book being built: a move of a position is kept once, with the sum of its weights.
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

    /// Adds a record, for example from another book; the last learn value is kept.
    pub fn add_entry(&mut self, entry: PolyglotEntry) {
        let kept = self.entries.entry((entry.key, entry.mv)).or_default();
        kept.weight = kept.weight.saturating_add(entry.weight.into());
        kept.learn = entry.learn;
    }

    /// The bytes of the book: sorted by key, moves of a position by descending weight. If a sum of weights exceeds
    /// 65,535, all weights of the position are scaled down, positive ones to at least 1.
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

/// Scales a weight so that the position's greatest fits into 16 bits.
fn scaled(weight: u64, greatest: u64) -> u16 {
    const MOST: u64 = u16::MAX as u64;
    if greatest <= MOST {
        return weight as u16;
    }
    let scaled = (u128::from(weight) * u128::from(MOST) / u128::from(greatest)) as u16;
    scaled.max(u16::from(weight > 0))
}
