//! An opening book after one pass over its source: number of openings, unusable entries with reasons, and a checksum
//! that identifies it. The openings themselves are read on selection.

use std::collections::HashSet;

use smalt_chess::Position;

use super::book_error::{BookError, SkippedOpening};
use super::source::{OpeningOrigin, OpeningParts, OpeningSource, RawOpening};
use super::{Openings, PolyglotWalk, hashed};
use crate::plan::BookFormat;
use smalt_workbench::fnv::FNV_EMPTY;

/// Number of skipped entries stored with their reasons.
const KEPT: usize = 20;

#[derive(Clone, Debug)]
pub struct Book {
    source: OpeningSource,
    walk: Option<PolyglotWalk>,
    count: u32,
    sum: u64,
    skipped: Vec<SkippedOpening>,
    /// Indices of skipped entries.
    bad: HashSet<u32>,
}

impl Book {
    /// Reads and checks a whole source.
    ///
    /// # Errors
    /// If it cannot be read, or has no opening.
    pub fn scan(source: OpeningSource) -> Result<Book, BookError> {
        Book::scan_playable(source, |_| None)
    }

    /// Like [`Self::scan`], but also skips positions that `decided` rejects with a reason. Walks of a Polyglot book
    /// are not checked.
    ///
    /// # Errors
    /// As [`Self::scan`].
    pub(crate) fn scan_playable(
        source: OpeningSource,
        decided: impl Fn(&Position) -> Option<String>,
    ) -> Result<Book, BookError> {
        if let OpeningOrigin::File(path, BookFormat::Polyglot) = &source.origin {
            let walk = PolyglotWalk::open(path, source.plies)?;
            let sum = walk.checksum();
            return Ok(Book {
                source,
                walk: Some(walk),
                count: u32::MAX,
                sum,
                skipped: Vec::new(),
                bad: HashSet::new(),
            });
        }
        let mut book = Book {
            source: source.clone(),
            walk: None,
            count: 0,
            sum: FNV_EMPTY,
            skipped: Vec::new(),
            bad: HashSet::new(),
        };
        let mut place = 0;
        source.for_each(|line, entry| {
            let parsed =
                source.parse_opening(&entry).and_then(|parts| match decided(&parts.last_position()) {
                    Some(reason) => Err(reason),
                    None => Ok(parts),
                });
            book.add(place, line, parsed);
            place += 1;
        })?;
        if book.count == 0 {
            return Err(BookError::Empty { first: book.skipped.into_iter().next() });
        }
        book.bad.shrink_to_fit();
        Ok(book)
    }

    fn add(&mut self, place: u32, line: u64, parsed: Result<OpeningParts, String>) {
        match parsed {
            Ok(parts) => {
                self.count += 1;
                self.sum = parts.moves.iter().fold(hashed(self.sum, parts.start.key()), |sum, mv| {
                    hashed(sum, u64::from(mv.to_bits()))
                });
            }
            Err(reason) => {
                self.bad.insert(place);
                if self.skipped.len() < KEPT {
                    self.skipped.push(SkippedOpening { line, reason });
                }
            }
        }
    }

    /// Number of openings; `u32::MAX` for a Polyglot book, which has unlimited walks.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Whether openings are random walks through a Polyglot book.
    pub fn is_endless(&self) -> bool {
        self.walk.is_some()
    }

    pub fn skipped(&self) -> &[SkippedOpening] {
        &self.skipped
    }

    /// Number of skipped entries.
    pub fn skipped_count(&self) -> usize {
        self.bad.len()
    }

    /// Checksum of all openings and their order.
    pub fn fingerprint(&self) -> String {
        match &self.walk {
            Some(walk) => format!("{} book moves, {:016x}", walk.records(), self.sum),
            None => format!("{} openings, {:016x}", self.count, self.sum),
        }
    }

    /// Openings with these indices, from 0, in this order. Walks of a Polyglot book are determined by the seed.
    ///
    /// # Errors
    /// If the source cannot be read again, or has changed.
    pub(crate) fn select(
        &self,
        places: impl IntoIterator<Item = u32>,
        seed: u64,
    ) -> Result<Openings, BookError> {
        if let Some(walk) = &self.walk {
            return Ok(Openings::in_order(places.into_iter().map(|place| walk.opening(place, seed))));
        }
        let mut openings = Openings::at_places(places);
        let (mut read, mut place) = (0, 0);
        self.source.for_each(|_, entry| {
            if !self.bad.contains(&read) {
                self.select_one(&mut openings, place, &entry);
                place += 1;
            }
            read += 1;
        })?;
        if place == self.count && openings.is_complete() { Ok(openings) } else { Err(BookError::Changed) }
    }

    fn select_one(&self, openings: &mut Openings, place: u32, entry: &RawOpening<'_>) {
        if openings.wants(place)
            && let Ok(parts) = self.source.parse_opening(entry)
        {
            openings.put(place, &parts.into_opening());
        }
    }

    /// Number of openings whose final position, without its counters, repeats that of an earlier opening.
    ///
    /// # Errors
    /// If the source cannot be read again.
    pub fn count_repeated(&self) -> Result<u32, BookError> {
        let (mut keys, mut repeated) = (HashSet::new(), 0);
        self.source.for_each(|_, entry| {
            if let Ok(parts) = self.source.parse_opening(&entry) {
                repeated += u32::from(!keys.insert(parts.last_key()));
            }
        })?;
        Ok(repeated)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn scan(name: &str, text: &str, plies: Option<u32>) -> Result<Book, BookError> {
        let folder = tempfile::tempdir().unwrap();
        let path: PathBuf = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let format = BookFormat::of(&path).unwrap();
        let book = Book::scan(OpeningSource { origin: OpeningOrigin::File(path, format), plies })?;
        // Selected openings are the counted ones.
        let openings = book.select((0..book.count()).rev(), 0)?;
        assert_eq!(openings.len(), book.count() as usize);
        Ok(book)
    }

    fn lines(book: &Book) -> Vec<u64> {
        book.skipped().iter().map(|skipped| skipped.line).collect()
    }

    #[test]
    fn lines_are_positions_or_are_reported() {
        let text = "\
# a comment
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id \"start\";

rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1
7k/5Q2/6K1/8/8/8/8/8 b - -
nonsense
8/8/8/4k3/8/4K3/8/8 w - -
4k3/8/8/8/8/8/8/4K2R w K - 120 90
4kk2/8/8/8/8/8/8/4K2R w K - 0 1
7k/6Q1/6K1/8/8/8/8/8 b - - 0 1
";
        let book = scan("book.epd", text, None).unwrap();
        assert_eq!(book.count(), 2);
        assert_eq!(lines(&book), [5, 6, 7, 8, 9, 10]);
        assert_eq!(book.skipped()[0].reason, "is a finished game: stalemate");
        assert!(book.skipped()[2].reason.contains("insufficient"), "{}", book.skipped()[2].reason);
        assert!(book.skipped()[3].reason.contains("fifty"), "{}", book.skipped()[3].reason);
        assert!(book.skipped()[5].reason.contains("checkmate"), "{}", book.skipped()[5].reason);
    }

    #[test]
    fn games_begin_with_their_first_moves() {
        let text = "\
[Event \"a\"]

1. e4 e5 2. Nf3 Nc6 *

[Event \"b\"]

1. d4 d5 2. Qxd5 *

[Event \"c\"]

1. f3 e5 2. g4 Qh4# 0-1
";
        let check = |plies, count: u32, skipped: &[u64]| {
            let book = scan("book.pgn", text, plies).unwrap();
            assert_eq!((book.count(), lines(&book)), (count, skipped.to_vec()));
        };
        check(None, 1, &[5, 9]);
        check(Some(3), 2, &[5]);
        check(Some(2), 3, &[]);
    }

    #[test]
    fn a_source_without_openings_is_an_error() {
        let error = scan("book.epd", "\nx\n", None).unwrap_err().to_string();
        assert!(error.starts_with("no usable opening: line 2 is not a valid position"), "{error}");
    }

    #[test]
    fn many_bad_lines_are_counted_and_the_first_are_kept() {
        let good = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n";
        let book = scan("book.epd", &format!("{}{good}", "x\n".repeat(1000)), None).unwrap();
        assert_eq!((book.count(), book.skipped_count(), book.skipped().len()), (1, 1000, KEPT));
    }

    #[test]
    fn a_line_without_end_is_skipped() {
        let good = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n";
        let book = scan("book.epd", &format!("{}\n{good}", "x".repeat(100_000)), None).unwrap();
        assert_eq!((book.count(), lines(&book)), (1, vec![1]));
    }

    #[test]
    fn other_openings_have_another_fingerprint() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n";
        let other = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\n";
        let print = |text: String| scan("book.epd", &text, None).unwrap().fingerprint();
        assert_ne!(print(format!("{start}{other}")), print(format!("{other}{start}")));
        assert_eq!(print(format!("{start}{other}")), print(format!("# a note\n{start}\n{other}")));
    }
}
