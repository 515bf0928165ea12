//! Splits bytes into lines in one fixed buffer; what exceeds the limit of a line is dropped. Text is not checked: NUL
//! and invalid UTF-8 pass through, and [`Line::text`] replaces them.

use std::borrow::Cow;

use memchr::memchr;

/// Maximum line length in bytes; longer lines are cut. The longest real lines, a principal variation of 250 moves or a
/// combo option with hundreds of values, are far shorter.
pub const LINE_LIMIT: usize = 1 << 16;

/// How a line ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineEnd {
    /// It ended with a line feed.
    LineFeed,
    /// The writer closed the pipe in the middle of it.
    EndOfFile,
    /// It exceeded the limit; only the beginning is kept.
    TooLong,
}

/// One line, without its line feed and preceding carriage returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line<'a> {
    pub bytes: &'a [u8],
    pub end: LineEnd,
}

impl<'a> Line<'a> {
    /// The line as text; invalid UTF-8 becomes U+FFFD, and NUL becomes a space.
    #[must_use]
    pub fn text(&self) -> Cow<'a, str> {
        text(self.bytes)
    }
}

/// Bytes as text; invalid UTF-8 becomes U+FFFD, and NUL becomes a space.
#[must_use]
pub fn text(bytes: &[u8]) -> Cow<'_, str> {
    // Valid text is checked in words of the processor, unlike with `from_utf8_lossy`.
    let text = std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed);
    if memchr(0, text.as_bytes()).is_some() { Cow::Owned(text.replace('\0', " ")) } else { text }
}

/// Splits a stream of bytes into lines.
#[derive(Debug)]
pub(crate) struct LineBuffer {
    bytes: Box<[u8]>,
    start: usize,
    end: usize,
    /// Position of the next line feed, if there is one between `start` and `end`.
    feed: Option<usize>,
    skipping: Skipping,
    ended: bool,
    /// Bytes dropped from the line that is skipped now.
    dropped_of_line: u64,
    dropped_before: u64,
}

/// Whether the rest of a cut line is being skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Skipping {
    No,
    ToLineFeed,
}

impl LineBuffer {
    /// A buffer of at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            bytes: vec![0; limit].into_boxed_slice(),
            start: 0,
            end: 0,
            feed: None,
            skipping: Skipping::No,
            ended: false,
            dropped_of_line: 0,
            dropped_before: 0,
        }
    }

    /// Where to read the next bytes into; empty only while a line is buffered.
    pub(crate) fn room(&mut self) -> &mut [u8] {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.end == self.bytes.len() && self.feed.is_none() {
            self.bytes.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        &mut self.bytes[self.end..]
    }

    /// Records that `count` bytes were read into [`Self::room`].
    pub(crate) fn filled(&mut self, count: usize) {
        let from = self.end;
        self.end += count;
        if self.feed.is_none() {
            self.find_feed(from);
        }
        if self.skipping == Skipping::ToLineFeed {
            self.skip();
        }
    }

    /// Records the end of the input.
    pub(crate) fn finish(&mut self) {
        self.ended = true;
    }

    /// Whether [`Self::take`] will return a line.
    pub(crate) fn has_line(&self) -> bool {
        self.feed.is_some() || self.is_full() || self.has_rest()
    }

    /// The next line, if it is complete or the input has ended.
    pub(crate) fn take(&mut self) -> Option<Line<'_>> {
        let start = self.start;
        let (to, end) = if let Some(feed) = self.feed {
            self.start = feed + 1;
            self.find_feed(self.start);
            (feed, LineEnd::LineFeed)
        } else if self.is_full() {
            let end = self.end;
            self.start = end;
            self.skipping = Skipping::ToLineFeed;
            (end, LineEnd::TooLong)
        } else if self.has_rest() {
            let end = self.end;
            self.start = end;
            (end, LineEnd::EndOfFile)
        } else {
            return None;
        };
        let mut bytes = &self.bytes[start..to];
        while let [rest @ .., b'\r'] = bytes {
            bytes = rest;
        }
        Some(Line { bytes, end })
    }

    fn is_full(&self) -> bool {
        self.feed.is_none() && self.start == 0 && self.end == self.bytes.len()
    }

    fn has_rest(&self) -> bool {
        self.ended && self.start < self.end
    }

    fn find_feed(&mut self, from: usize) {
        self.feed = memchr(b'\n', &self.bytes[from..self.end]).map(|offset| from + offset);
    }

    fn skip(&mut self) {
        let start = self.start;
        match self.feed {
            Some(feed) => {
                self.skipping = Skipping::No;
                self.dropped_before += self.dropped_of_line + (feed - start) as u64;
                self.dropped_of_line = 0;
                self.start = feed + 1;
                self.find_feed(self.start);
            }
            None => {
                self.dropped_of_line += (self.end - start) as u64;
                self.start = self.end;
            }
        }
    }

    /// The beginning of a line that is not complete; empty while a complete one is buffered.
    pub(crate) fn unfinished(&self) -> &[u8] {
        if self.has_line() { &[] } else { &self.bytes[self.start..self.end] }
    }

    /// Total number of bytes dropped.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped_before + self.dropped_of_line
    }

    /// Number of bytes dropped from the line that is being skipped.
    pub(crate) fn dropped_of_line(&self) -> u64 {
        self.dropped_of_line
    }
}

/// The first line with its line feed, and the rest.
pub(crate) fn split_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    bytes.split_at(memchr(b'\n', bytes).map_or(bytes.len(), |feed| feed + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Feeds the pieces and returns all lines, incomplete ones marked.
    fn lines(limit: usize, pieces: &[&[u8]]) -> Vec<String> {
        let mut buffer = LineBuffer::new(limit);
        let mut lines = Vec::new();
        let mut collect = |buffer: &mut LineBuffer| {
            while let Some(line) = buffer.take() {
                let mark = match line.end {
                    LineEnd::LineFeed => "",
                    LineEnd::EndOfFile => "<unfinished>",
                    LineEnd::TooLong => "<cut>",
                };
                lines.push(format!("{}{mark}", line.text()));
            }
        };
        for piece in pieces {
            let mut piece = *piece;
            while !piece.is_empty() {
                let room = buffer.room();
                let count = room.len().min(piece.len());
                room[..count].copy_from_slice(&piece[..count]);
                piece = &piece[count..];
                buffer.filled(count);
                collect(&mut buffer);
            }
        }
        buffer.finish();
        collect(&mut buffer);
        lines
    }

    #[test]
    fn lines_are_found_across_reads_and_endings() {
        assert_eq!(lines(64, &[b"uciok\nrea", b"dyok\r\n\n", b"x\r\r\n"]), ["uciok", "readyok", "", "x"]);
    }

    #[test]
    fn the_rest_at_the_end_is_a_line_without_its_end() {
        assert_eq!(lines(64, &[b"a\nbestmo"]), ["a", "bestmo<unfinished>"]);
        assert_eq!(lines(64, &[b"a\n"]), ["a"]);
    }

    #[test]
    fn nul_and_bad_utf8_are_replaced() {
        assert_eq!(lines(64, &[b"a\0b\n\xffc\n"]), ["a b", "\u{fffd}c"]);
    }

    #[test]
    fn endless_lines_are_cut_once_and_the_next_line_is_whole() {
        let endless = vec![b'x'; 1000];
        assert_eq!(lines(8, &[b"ab\n", &endless, b"\nok\n"]), ["ab", "xxxxxxxx<cut>", "ok"]);
        assert_eq!(lines(8, &[b"1234567\n12345678\nok\n"]), ["1234567", "12345678<cut>", "ok"]);
    }

    #[test]
    fn dropped_bytes_of_long_lines_are_counted() {
        let mut buffer = LineBuffer::new(8);
        let mut feed = |bytes: &[u8]| {
            for &byte in bytes {
                buffer.room()[0] = byte;
                buffer.filled(1);
                buffer.take();
            }
            (buffer.dropped_of_line(), buffer.dropped())
        };
        assert_eq!(feed(b"info\n12345678"), (0, 0));
        assert_eq!(feed(b"9abc"), (4, 4));
        assert_eq!(feed(b"d\nok\n"), (0, 5));
        assert_eq!(feed(b"123456789\n"), (0, 6));
    }

    proptest! {
        #[test]
        fn cutting_a_stream_into_reads_changes_no_line(
            text in "[ab\n]{0,200}", cuts in proptest::collection::vec(1_usize..20, 1..40)
        ) {
            let mut pieces = Vec::new();
            let mut rest = text.as_bytes();
            for cut in cuts {
                let (piece, after) = rest.split_at(cut.min(rest.len()));
                pieces.push(piece);
                rest = after;
            }
            pieces.push(rest);
            prop_assert_eq!(lines(256, &pieces), lines(256, &[text.as_bytes()]));
        }
    }
}
