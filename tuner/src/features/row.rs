//! The packed form of a position's features: 16-bit words.
//!
//! The head ([`HEAD`]) has phase, scale, king danger and complexity, in the same layout for all rows, so that parts are
//! summed in lanes. Then comes the linear part: a word is a *column*, a weight with a count, so that a pass adds whole
//! columns and never multiplies ([`COLUMN_COUNTS`]).

use smalt::evaluation::schema::{Part, SCHEMA, WEIGHTS};
use smalt::evaluation::taper::{Number, Parts};
use smalt::evaluation::trace::{Feature, Features};

/// Layout of the head: a word of phase (5 bits), scale weights of White and of Black as the leader (4 bits each: 0 for
/// none, else one more than the index among the scale weights) and a flag; a word with the number of linear words; a word
/// per two weights of king danger: counts of the first for the white and for the black king, then of the second, 4 bits
/// each; a word per two weights of complexity: their counts, 8 bits signed. If a danger count exceeds 15 the flag is set,
/// and a word per weight follows with the excess over 15: the white king's in the low byte, the black king's in the high
/// byte.
///
/// The value is the number of words before the linear part and the optional wide danger counts.
pub(crate) const HEAD: usize = COMPLEXITY_WORD + COMPLEXITIES.div_ceil(2);

/// Index of the first king danger word.
pub(crate) const DANGER_WORD: usize = 2;

/// Index of the first complexity word.
const COMPLEXITY_WORD: usize = DANGER_WORD + DANGERS.div_ceil(2);

/// Maximum of the four-bit count of a danger weight.
const MOST: i16 = 15;

/// Flag of a row with danger counts above [`MOST`].
const WIDE: u16 = 1 << 13;

/// Counts of the columns, in their order; a larger count repeats its column.
pub(crate) const COLUMN_COUNTS: [i16; 2] = [1, -1];

/// Number of columns. The column of a weight with count index i is `i * WEIGHTS + weight`.
pub(crate) const COLUMNS: usize = COLUMN_COUNTS.len() * WEIGHTS;

const _: () = assert!(COLUMNS <= 1 << 16);

/// First weight of king danger; they are adjacent.
pub(crate) const DANGER_START: usize = start_of(Part::Danger);

/// Number of king danger weights.
pub(crate) const DANGERS: usize = count_of(Part::Danger);

/// First weight of complexity; they are adjacent.
pub(crate) const COMPLEXITY_START: usize = start_of(Part::Complexity);

/// Number of complexity weights.
pub(crate) const COMPLEXITIES: usize = count_of(Part::Complexity);

/// First scale weight; they are adjacent.
pub(crate) const SCALE_START: usize = start_of(Part::Scale);

const _: () = assert!(count_of(Part::Scale) < 16);

const fn start_of(part: Part) -> usize {
    let mut index = 0;
    while SCHEMA[index].part as u8 != part as u8 {
        index += 1;
    }
    SCHEMA[index].term.start()
}

const fn count_of(part: Part) -> usize {
    let (mut index, mut count, mut end) = (0, 0, 0);
    while index < SCHEMA.len() {
        if SCHEMA[index].part as u8 == part as u8 {
            let start = SCHEMA[index].term.start();
            assert!(count == 0 || start == end, "the weights of a part stand together");
            count += SCHEMA[index].shape.length();
            end = start + SCHEMA[index].shape.length();
        }
        index += 1;
    }
    count
}

/// A position with more features than the packed form holds; does not occur in games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the position has more features than a row holds")]
pub struct RowError;

/// Packs the features of a position.
///
/// # Errors
/// If a weight of danger occurs more than 270 times, or one of complexity more than 127 times.
pub fn pack(features: &Features) -> Result<Vec<u16>, RowError> {
    let scale = |weight: Option<u16>| weight.map_or(0, |weight| weight + 1 - SCALE_START as u16);
    let mut words = Vec::with_capacity(64);
    words.push(features.phase as u16 | scale(features.scale[0]) << 5 | scale(features.scale[1]) << 9);
    words.resize(HEAD, 0);
    let mut beyond = [0; DANGERS];
    for (king, list) in features.danger.iter().enumerate() {
        for feature in list {
            let index = usize::from(feature.weight) - DANGER_START;
            words[DANGER_WORD + index / 2] |=
                (feature.count.min(MOST) as u16) << (8 * (index % 2) + 4 * king);
            let rest = u8::try_from((feature.count - MOST).max(0)).map_err(|_| RowError)?;
            beyond[index] |= u16::from(rest) << (8 * king);
        }
    }
    for feature in &features.complexity {
        let index = usize::from(feature.weight) - COMPLEXITY_START;
        let count = i8::try_from(feature.count).map_err(|_| RowError)?;
        words[COMPLEXITY_WORD + index / 2] |= u16::from(count as u8) << (8 * (index % 2));
    }
    if beyond != [0; DANGERS] {
        words[0] |= WIDE;
        words.extend(beyond);
    }
    let before = words.len();
    features.linear.iter().for_each(|feature| push_columns(&mut words, *feature));
    words[1] = u16::try_from(words.len() - before).map_err(|_| RowError)?;
    Ok(words)
}

fn push_columns(words: &mut Vec<u16>, feature: Feature) {
    let index = usize::from(feature.count < 0);
    let column = (index * WEIGHTS) as u16 + feature.weight;
    words.extend(std::iter::repeat_n(column, feature.count.unsigned_abs().into()));
}

/// The rows of consecutive words.
pub(crate) fn rows(words: &[u16]) -> impl Iterator<Item = FeatureRow<'_>> {
    let mut rest = words;
    std::iter::from_fn(move || {
        let (row, after) = FeatureRow::split(rest)?;
        rest = after;
        Some(row)
    })
}

/// A position's features, packed.
#[derive(Clone, Copy, Debug)]
pub struct FeatureRow<'a> {
    /// Head with the danger counts; see [`self`].
    pub head: &'a [u16; HEAD],
    /// Danger counts above [`MOST`], by weight; see [`self`].
    pub beyond: Option<&'a [u16; DANGERS]>,
    /// Columns of the linear part.
    pub linear: &'a [u16],
}

impl<'a> FeatureRow<'a> {
    /// Splits off the first row; `None` at the end.
    #[inline(always)]
    pub(crate) fn split(words: &'a [u16]) -> Option<(FeatureRow<'a>, &'a [u16])> {
        let (head, rest) = words.split_first_chunk::<HEAD>()?;
        let (beyond, rest) = if head[0] & WIDE == 0 {
            (None, rest)
        } else {
            let (beyond, rest) = rest.split_first_chunk::<DANGERS>()?;
            (Some(beyond), rest)
        };
        let (linear, rest) = rest.split_at_checked(usize::from(head[1]))?;
        Some((FeatureRow { head, beyond, linear }, rest))
    }

    /// The row in these words.
    ///
    /// # Panics
    /// If they are not exactly one row.
    pub fn whole(words: &'a [u16]) -> FeatureRow<'a> {
        FeatureRow::split(words).expect("the words are a row").0
    }

    /// Phase, 0 (endgame) to 24.
    #[inline(always)]
    pub fn phase(&self) -> i32 {
        i32::from(self.head[0] & 31)
    }

    /// Scale weight if White or if Black leads.
    #[inline(always)]
    pub fn scale(&self) -> [Option<usize>; 2] {
        let weight = |bits: u16| usize::from(bits & 15).checked_sub(1).map(|index| SCALE_START + index);
        [weight(self.head[0] >> 5), weight(self.head[0] >> 9)]
    }

    /// Weights and counts of the linear part; a weight may occur several times with counts that add up.
    pub fn linear(&self) -> impl Iterator<Item = (usize, i16)> + use<'a> {
        let unpack = |&word: &u16| {
            let column = usize::from(word);
            (column % WEIGHTS, COLUMN_COUNTS[column / WEIGHTS])
        };
        self.linear.iter().map(unpack)
    }

    /// Weights and counts of the danger to the white king (0) or to the black one (1).
    pub fn danger(&self, king: usize) -> impl Iterator<Item = (usize, i16)> + use<'a> {
        let FeatureRow { head, beyond, .. } = *self;
        let count = move |index: usize| {
            let near = head[DANGER_WORD + index / 2] >> (8 * (index % 2) + 4 * king) & MOST as u16;
            let rest = beyond.map_or(0, |beyond| beyond[index] >> (8 * king) & 255);
            (near + rest) as i16
        };
        (0..DANGERS).map(move |index| (DANGER_START + index, count(index))).filter(|(_, count)| *count != 0)
    }

    /// Count of each complexity weight, padded to whole words.
    #[inline(always)]
    pub(crate) fn complexity_counts(&self) -> [i8; 2 * COMPLEXITIES.div_ceil(2)] {
        std::array::from_fn(|index| (self.head[COMPLEXITY_WORD + index / 2] >> (8 * (index % 2))) as i8)
    }

    /// Weights and counts of the complexity.
    pub fn complexity(&self) -> impl Iterator<Item = (usize, i16)> + use<'a> {
        let feature = |(index, count): (usize, i8)| (COMPLEXITY_START + index, i16::from(count));
        self.complexity_counts().into_iter().enumerate().map(feature).filter(|(_, count)| *count != 0)
    }

    /// Calls `call` with each weight that occurs, possibly several times.
    pub(crate) fn for_each_weight(&self, mut call: impl FnMut(usize)) {
        let counted = self.linear().chain(self.danger(0)).chain(self.danger(1)).chain(self.complexity());
        counted.for_each(|(weight, _)| call(weight));
        self.scale().into_iter().flatten().for_each(call);
    }

    /// Sums of counts times weights in any number type: the inputs of the engine's formula.
    pub fn parts<N: Number>(&self, weights: impl Fn(usize) -> [N; 2]) -> Parts<N> {
        let feature = |(weight, count): (usize, i16)| Feature { weight: weight as u16, count };
        let unpacked = Features {
            linear: self.linear().map(feature).collect(),
            danger: [self.danger(0).map(feature).collect(), self.danger(1).map(feature).collect()],
            complexity: self.complexity().map(feature).collect(),
            scale: self.scale().map(|scale| scale.map(|weight| weight as u16)),
            phase: self.phase(),
        };
        unpacked.parts(weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dangers_beyond_fifteen_come_back() {
        let danger = |counts: &[(usize, i16)]| {
            let feature = |&(index, count)| Feature { weight: (DANGER_START + index) as u16, count };
            counts.iter().map(feature).collect::<Vec<_>>()
        };
        for counts in [vec![(0, 1), (3, 15)], vec![(1, 16)], vec![(0, 7), (4, 99), (DANGERS - 1, 270)]] {
            let features = Features { danger: [danger(&counts), danger(&[(2, 5)])], ..Features::default() };
            let packed = pack(&features).unwrap();
            let row = FeatureRow::whole(&packed);
            let danger =
                |king: usize| row.danger(king).map(|(w, c)| (w - DANGER_START, c)).collect::<Vec<_>>();
            assert_eq!((danger(0), danger(1)), (counts, vec![(2, 5)]));
        }
        let crowd = Features { danger: [danger(&[(0, 300)]), Vec::new()], ..Features::default() };
        assert_eq!(pack(&crowd), Err(RowError));
    }

    #[test]
    fn complexities_come_back_with_their_signs() {
        let feature =
            |(index, count): (usize, i16)| Feature { weight: (COMPLEXITY_START + index) as u16, count };
        let counts = [(0, -1), (1, 16), (COMPLEXITIES - 2, -7), (COMPLEXITIES - 1, 127)];
        let features = Features { complexity: counts.map(feature).to_vec(), ..Features::default() };
        let packed = pack(&features).unwrap();
        let complexity = FeatureRow::whole(&packed).complexity().map(|(w, c)| (w - COMPLEXITY_START, c));
        assert_eq!(complexity.collect::<Vec<_>>(), counts);
        let crowd = Features { complexity: vec![feature((0, 128))], ..Features::default() };
        assert_eq!(pack(&crowd), Err(RowError));
    }

    #[test]
    fn a_count_repeats_its_column() {
        for count in [1_i16, -1, 2, -7, 100] {
            let mut packed = pack(&Features::default()).unwrap();
            packed[1] = count.unsigned_abs();
            push_columns(&mut packed, Feature { weight: 7, count });
            let row = FeatureRow::whole(&packed);
            assert!(row.linear().all(|(weight, each)| (weight, each) == (7, count.signum())));
            assert_eq!(row.linear().map(|(_, count)| count).sum::<i16>(), count);
        }
    }
}
