//! A lazily parsed move sequence: a principal variation, or the moves of a `position` command.

use std::fmt;

use smalt_chess::UciMove;

use crate::words::Words;

/// A move sequence: either values, or text that is parsed while iterating.
///
/// Engines print far more variations than are read, so the text is stored unparsed. The sequence ends at the first word
/// that is not a move.
#[derive(Clone, Copy)]
pub struct Moves<'a>(MoveSource<'a>);

#[derive(Clone, Copy)]
enum MoveSource<'a> {
    Text(&'a str),
    Values(&'a [UciMove]),
}

impl<'a> Moves<'a> {
    pub const NONE: Moves<'static> = Moves(MoveSource::Values(&[]));

    /// Moves in coordinate notation, separated by white space.
    pub fn from_text(text: &'a str) -> Moves<'a> {
        Moves::from_line(Words::new(text).line())
    }

    /// As [`Moves::from_text`], for one line without leading and trailing space.
    pub(crate) fn from_line(line: &'a str) -> Moves<'a> {
        Moves(MoveSource::Text(line))
    }

    pub const fn from_slice(moves: &'a [UciMove]) -> Moves<'a> {
        Moves(MoveSource::Values(moves))
    }

    /// The moves in order.
    pub fn iter(&self) -> Iter<'a> {
        Iter(match self.0 {
            MoveSource::Text(text) => MoveReader::Words(Words::of_line(text)),
            MoveSource::Values(moves) => MoveReader::Values(moves.iter()),
        })
    }

    /// Whether there are no moves.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// The moves as values.
    pub fn to_vec(&self) -> Vec<UciMove> {
        self.iter().collect()
    }
}

impl Default for Moves<'_> {
    fn default() -> Self {
        Moves::NONE
    }
}

/// The moves of [`Moves`] in order.
#[derive(Clone, Debug)]
pub struct Iter<'a>(MoveReader<'a>);

#[derive(Clone, Debug)]
enum MoveReader<'a> {
    Words(Words<'a>),
    Values(std::slice::Iter<'a, UciMove>),
}

impl<'a> Iter<'a> {
    /// The first word that is not a move, where the sequence ends.
    pub fn stopped_at(mut self) -> Option<&'a str> {
        self.by_ref().for_each(drop);
        match self.0 {
            MoveReader::Words(mut words) => words.next(),
            MoveReader::Values(_) => None,
        }
    }
}

impl Iterator for Iter<'_> {
    type Item = UciMove;

    fn next(&mut self) -> Option<UciMove> {
        match &mut self.0 {
            // A word that is not a move is not consumed, so the iterator stays at its end.
            MoveReader::Words(words) => words.accept(|word| UciMove::parse(word).ok()),
            MoveReader::Values(moves) => moves.next().copied(),
        }
    }
}

impl std::iter::FusedIterator for Iter<'_> {}

impl<'a> IntoIterator for &Moves<'a> {
    type Item = UciMove;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl PartialEq for Moves<'_> {
    /// Compares moves, whether parsed or not.
    fn eq(&self, other: &Moves<'_>) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Moves<'_> {}

impl fmt::Display for Moves<'_> {
    /// One space between moves.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().enumerate().try_for_each(|(n, mv)| {
            if n > 0 {
                f.write_str(" ")?;
            }
            mv.fmt(f)
        })
    }
}

impl fmt::Debug for Moves<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{self}]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_ends_at_its_first_invalid_move() {
        let moves = Moves::from_text(" e2e4\te7e5  Nf3 b8c6");
        assert_eq!(moves.to_string(), "e2e4 e7e5");
        let mut iter = moves.iter();
        assert_eq!(iter.by_ref().count(), 2);
        assert_eq!(iter.next(), None);
        assert_eq!(iter.stopped_at(), Some("Nf3"));
        assert_eq!(moves.iter().stopped_at(), Some("Nf3"));
        assert_eq!(Moves::from_text(" e2e4 ").iter().stopped_at(), None);
    }

    #[test]
    fn text_and_values_are_equal_when_their_moves_are() {
        let values: Vec<UciMove> = ["e2e4", "a7a8q"].map(|text| text.parse().unwrap()).to_vec();
        assert_eq!(Moves::from_slice(&values), Moves::from_text("e2e4 a7a8Q"));
        assert_ne!(Moves::from_slice(&values), Moves::NONE);
    }
}
