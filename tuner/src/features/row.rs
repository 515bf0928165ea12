//! The packed form of a position's features. Knows no labels.
//!
//! Words of 16 bits: two of header, then one for each feature: the weight in the upper ten bits, the count in the
//! lower six, −32 to 31; a greater count takes several. First the linear part, then the danger to the white and to the
//! black king.
//!
//! First header word: phase (5 bits), scale weight of White and of Black as the leader (4 bits each: 0 for none, else
//! one more than the index among the scale weights). Second: features of the linear part (8 bits), of the danger to
//! the white (4) and to the black king (4).

use smalt::evaluation::schema::{Part, SCHEMA, WEIGHTS};
use smalt::evaluation::taper::{Number, Parts};
use smalt::evaluation::trace::{Feature, Features};

/// Words before the features.
pub const HEADER: usize = 2;

/// Room for weights in the packed form: every index that ten bits give.
pub const SLOTS: usize = 1 << 10;

/// Counts by the six bits of a feature.
pub const COUNTS: [f32; 64] = {
    let mut counts = [0.0; 64];
    let mut bits = 0;
    while bits < 64 {
        counts[bits] = (if bits < 32 { bits as i32 } else { bits as i32 - 64 }) as f32;
        bits += 1;
    }
    counts
};

const _: () = assert!(WEIGHTS <= SLOTS);

/// The first of the weights that scale; they stand together.
pub const SCALE_START: usize = {
    let mut index = 0;
    while !matches!(SCHEMA[index].part, Part::Scale) {
        index += 1;
    }
    SCHEMA[index].term.start()
};

const _: () = assert!(WEIGHTS - SCALE_START < 16);

/// A position with more features than the packed form holds: no position of a game is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the position has more features than a row holds")]
pub struct RowError;

/// Packs the features of a position.
///
/// # Errors
/// If they are too many; the counters of the header are small.
pub fn pack(features: &Features) -> Result<Vec<u16>, RowError> {
    let scale = |weight: Option<u16>| weight.map_or(0, |weight| weight + 1 - SCALE_START as u16);
    let mut words = Vec::with_capacity(64);
    words.push(features.phase as u16 | scale(features.scale[0]) << 5 | scale(features.scale[1]) << 9);
    words.push(0);
    let mut lengths = [0; 3];
    let lists = [&features.linear, &features.danger[0], &features.danger[1]];
    for (length, list) in lengths.iter_mut().zip(lists) {
        let before = words.len();
        list.iter().for_each(|feature| push_feature(&mut words, *feature));
        *length = words.len() - before;
    }
    let [linear, white, black] = lengths;
    if linear > 255 || white > 15 || black > 15 {
        return Err(RowError);
    }
    words[1] = (linear | white << 8 | black << 12) as u16;
    Ok(words)
}

fn push_feature(words: &mut Vec<u16>, feature: Feature) {
    let mut count = feature.count;
    while count != 0 {
        let part = count.clamp(-32, 31);
        words.push(feature.weight << 6 | (part as u16 & 63));
        count -= part;
    }
}

/// The rows of consecutive words.
pub fn rows(words: &[u16]) -> impl Iterator<Item = Row<'_>> {
    let mut rest = words;
    std::iter::from_fn(move || {
        let (row, after) = Row::split(rest)?;
        rest = after;
        Some(row)
    })
}

/// A position's features, packed.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// 0 (endgame) to 24.
    pub phase: i32,
    /// The weight that scales when White or when Black leads.
    pub scale: [Option<u16>; 2],
    /// The linear part.
    pub linear: &'a [u16],
    /// The danger to the white and to the black king.
    pub danger: [&'a [u16]; 2],
}

impl<'a> Row<'a> {
    /// Takes the first row off; `None` at the end.
    #[inline(always)]
    pub fn split(words: &'a [u16]) -> Option<(Row<'a>, &'a [u16])> {
        let (&[first, lengths], rest) = words.split_first_chunk::<HEADER>()?;
        let (linear, rest) = rest.split_at_checked(usize::from(lengths & 255))?;
        let (white, rest) = rest.split_at_checked(usize::from(lengths >> 8 & 15))?;
        let (black, rest) = rest.split_at_checked(usize::from(lengths >> 12))?;
        let scale = |bits: u16| (bits & 15).checked_sub(1).map(|index| SCALE_START as u16 + index);
        let row = Row {
            phase: i32::from(first & 31),
            scale: [scale(first >> 5), scale(first >> 9)],
            linear,
            danger: [white, black],
        };
        Some((row, rest))
    }

    /// The row of words that hold one.
    ///
    /// # Panics
    /// If they are not a whole row.
    pub fn whole(words: &'a [u16]) -> Row<'a> {
        Row::split(words).expect("the words are a row").0
    }

    /// Features and counts of the linear part, then of both dangers, then the scales with count 1.
    pub fn features(&self) -> impl Iterator<Item = (usize, f32)> + use<'a> {
        let [white, black] = self.danger;
        let scales = self.scale.into_iter().flatten().map(|weight| (usize::from(weight), 1.0));
        self.linear.iter().chain(white).chain(black).map(|&word| unpack(word)).chain(scales)
    }

    /// The weights that occur, each once.
    pub fn distinct_weights(&self) -> Vec<usize> {
        let mut weights: Vec<usize> = self.features().map(|(weight, _)| weight).collect();
        weights.sort_unstable();
        weights.dedup();
        weights
    }

    /// The sums of counts times weights in any number type: what the engine's formula starts from.
    pub fn parts<N: Number>(&self, weights: impl Fn(usize) -> [N; 2]) -> Parts<N> {
        let features = |words: &[u16]| {
            words
                .iter()
                .map(|&word| Feature { weight: word >> 6, count: COUNTS[usize::from(word & 63)] as i16 })
                .collect()
        };
        let unpacked = Features {
            linear: features(self.linear),
            danger: self.danger.map(features),
            scale: self.scale,
            phase: self.phase,
        };
        unpacked.parts(weights)
    }
}

/// Weight and count of a packed feature.
#[inline(always)]
pub fn unpack(word: u16) -> (usize, f32) {
    (usize::from(word >> 6), COUNTS[usize::from(word & 63)])
}
