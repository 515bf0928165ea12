//! A buffer for short texts such as moves, so that they are formatted with one write.

use std::ops::Deref;

/// A text of at most `N` ASCII letters, without an allocation.
#[derive(Clone, Copy, Debug)]
pub struct Letters<const N: usize> {
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

    /// Appends a decimal number, with leading zeros up to this many digits.
    pub(super) fn push_number(&mut self, number: u64, digits: usize) {
        if number > 9 || digits > 1 {
            self.push_number(number / 10, digits.saturating_sub(1));
        }
        self.push(char::from(b'0' + (number % 10) as u8));
    }
}

impl<const N: usize> Deref for Letters<N> {
    type Target = str;

    fn deref(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.length]).expect("letters are ASCII")
    }
}
