//! A buffer for short texts such as moves, so that they are formatted with one write.

use std::fmt;

/// At most `N` ASCII letters.
pub(super) struct Letters<const N: usize> {
    bytes: [u8; N],
    length: usize,
}

impl<const N: usize> Letters<N> {
    pub(super) fn of(letters: &str) -> Letters<N> {
        let mut word = Letters { bytes: [0; N], length: 0 };
        letters.chars().for_each(|letter| word.push(letter));
        word
    }

    pub(super) fn push(&mut self, letter: char) {
        debug_assert!(letter.is_ascii());
        self.bytes[self.length] = letter as u8;
        self.length += 1;
    }

    pub(super) fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.bytes[..self.length]).map_err(|_| fmt::Error)?)
    }
}
