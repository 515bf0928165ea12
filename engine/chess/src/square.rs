//! Squares, files and ranks of the board.

use std::fmt;

/// One of the eight columns of the board, `A` to `H`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[expect(missing_docs, reason = "the letters speak for themselves")]
pub enum File {
    A,
    B,
    C,
    D,
    E,
    F,
    G,
    H,
}

impl File {
    /// All files, from `A` to `H`.
    pub const ALL: [File; 8] = [File::A, File::B, File::C, File::D, File::E, File::F, File::G, File::H];

    /// The file with the given index, 0 (`A`) to 7 (`H`).
    ///
    /// # Panics
    /// If `index` is above 7.
    #[inline]
    pub const fn from_index(index: usize) -> File {
        File::ALL[index]
    }

    /// 0 for `A` to 7 for `H`.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The file of a letter, in either case.
    pub const fn from_char(letter: char) -> Option<File> {
        match letter.to_ascii_lowercase() {
            lower @ 'a'..='h' => Some(File::ALL[lower as usize - 'a' as usize]),
            _ => None,
        }
    }

    /// The lower-case letter of the file.
    pub const fn to_char(self) -> char {
        (b'a' + self as u8) as char
    }
}

/// One of the eight rows of the board, counted from White's side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[expect(missing_docs, reason = "the ordinals speak for themselves")]
pub enum Rank {
    First,
    Second,
    Third,
    Fourth,
    Fifth,
    Sixth,
    Seventh,
    Eighth,
}

impl Rank {
    /// All ranks, from the first to the eighth.
    pub const ALL: [Rank; 8] = [
        Rank::First,
        Rank::Second,
        Rank::Third,
        Rank::Fourth,
        Rank::Fifth,
        Rank::Sixth,
        Rank::Seventh,
        Rank::Eighth,
    ];

    /// The rank with the given index, 0 (first) to 7 (eighth).
    ///
    /// # Panics
    /// If `index` is above 7.
    #[inline]
    pub const fn from_index(index: usize) -> Rank {
        Rank::ALL[index]
    }

    /// 0 for the first to 7 for the eighth.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The rank of a digit, `1` to `8`.
    pub const fn from_char(digit: char) -> Option<Rank> {
        match digit {
            '1'..='8' => Some(Rank::ALL[digit as usize - '1' as usize]),
            _ => None,
        }
    }

    /// The digit of the rank.
    pub const fn to_char(self) -> char {
        (b'1' + self as u8) as char
    }
}

/// A square of the board: index 0 is a1, 1 is b1, 63 is h8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Square(u8);

macro_rules! name_squares {
    ($($name:ident = $index:expr),* $(,)?) => {
        #[expect(missing_docs, reason = "the names speak for themselves")]
        impl Square {
            $(pub const $name: Square = Square($index);)*
        }
    };
}

name_squares! {
    A1 = 0, B1 = 1, C1 = 2, D1 = 3, E1 = 4, F1 = 5, G1 = 6, H1 = 7,
    A2 = 8, B2 = 9, C2 = 10, D2 = 11, E2 = 12, F2 = 13, G2 = 14, H2 = 15,
    A3 = 16, B3 = 17, C3 = 18, D3 = 19, E3 = 20, F3 = 21, G3 = 22, H3 = 23,
    A4 = 24, B4 = 25, C4 = 26, D4 = 27, E4 = 28, F4 = 29, G4 = 30, H4 = 31,
    A5 = 32, B5 = 33, C5 = 34, D5 = 35, E5 = 36, F5 = 37, G5 = 38, H5 = 39,
    A6 = 40, B6 = 41, C6 = 42, D6 = 43, E6 = 44, F6 = 45, G6 = 46, H6 = 47,
    A7 = 48, B7 = 49, C7 = 50, D7 = 51, E7 = 52, F7 = 53, G7 = 54, H7 = 55,
    A8 = 56, B8 = 57, C8 = 58, D8 = 59, E8 = 60, F8 = 61, G8 = 62, H8 = 63,
}

impl Square {
    /// The square on a file and rank.
    #[inline]
    pub const fn new(file: File, rank: Rank) -> Square {
        Square(rank as u8 * 8 + file as u8)
    }

    /// The square with the given index, 0 (a1) to 63 (h8); higher bits are ignored.
    #[inline]
    pub const fn from_index(index: usize) -> Square {
        Square(index as u8 & 63)
    }

    /// 0 for a1 to 63 for h8.
    #[inline]
    pub const fn index(self) -> usize {
        // The mask tells the optimizer the range, so that tables of 64 need no bounds check.
        (self.0 & 63) as usize
    }

    /// All squares, from a1 to h8.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> + ExactSizeIterator {
        (0..64_usize).map(Square::from_index)
    }

    /// The file of the square.
    #[inline]
    pub const fn file(self) -> File {
        File::ALL[(self.0 & 7) as usize]
    }

    /// The rank of the square.
    #[inline]
    pub const fn rank(self) -> Rank {
        Rank::ALL[(self.0 >> 3 & 7) as usize]
    }

    /// The square mirrored vertically: a1 becomes a8.
    #[inline]
    pub const fn flip_rank(self) -> Square {
        Square(self.0 ^ 56)
    }

    /// The square `files` to the right and `ranks` up; `None` off the board.
    #[inline]
    pub const fn offset(self, files: i32, ranks: i32) -> Option<Square> {
        let file = (self.0 & 7) as i32 + files;
        let rank = (self.0 >> 3) as i32 + ranks;
        if file < 0 || file > 7 || rank < 0 || rank > 7 {
            return None;
        }
        Some(Square((rank * 8 + file) as u8))
    }

    /// Whether the square is light, like h1.
    #[inline]
    pub const fn is_light(self) -> bool {
        (self.0 ^ self.0 >> 3) & 1 == 1
    }

    /// King distance to the other square on an empty board, 0 to 7.
    #[inline]
    pub const fn distance(self, other: Square) -> u8 {
        let files = (self.0 & 7).abs_diff(other.0 & 7);
        let ranks = (self.0 >> 3).abs_diff(other.0 >> 3);
        if files > ranks { files } else { ranks }
    }

    /// Parses a square such as `e4`; the letter may have either case.
    pub fn parse(text: &str) -> Option<Square> {
        let mut chars = text.chars();
        let square = Square::new(File::from_char(chars.next()?)?, Rank::from_char(chars.next()?)?);
        chars.next().is_none().then_some(square)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file().to_char(), self.rank().to_char())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_square_prints_as_it_parses() {
        for square in Square::all() {
            assert_eq!(Square::parse(&square.to_string()), Some(square));
            assert_eq!(Square::new(square.file(), square.rank()), square);
        }
        assert_eq!(Square::parse("i1"), None);
        assert_eq!(Square::parse("a9"), None);
        assert_eq!(Square::parse("a1 "), None);
    }

    #[test]
    fn corners_have_their_colors_and_distances() {
        assert!(Square::H1.is_light() && Square::A8.is_light());
        assert!(!Square::A1.is_light() && !Square::H8.is_light());
        assert_eq!(Square::A1.distance(Square::H8), 7);
        assert_eq!(Square::E4.distance(Square::D6), 2);
    }

    #[test]
    fn offsets_stop_at_the_edge() {
        assert_eq!(Square::E4.offset(-1, 2), Some(Square::D6));
        assert_eq!(Square::H4.offset(1, 0), None);
        assert_eq!(Square::A1.offset(0, -1), None);
    }
}
