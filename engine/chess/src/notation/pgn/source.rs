//! The input stream of the lexer: one buffer, line numbers, conversion from UTF-16, and delayed read errors.

use std::io::{self, Read};

use crate::notation::encoding::Encoding;

/// Bytes per read.
const CHUNK: usize = 64 * 1024;

/// A stream with a read-ahead buffer.
#[derive(Debug)]
pub(super) struct CharSource<R> {
    input: R,
    /// Unconsumed bytes start at `position`.
    buffer: Vec<u8>,
    position: usize,
    /// `None` until the first bytes are read.
    encoding: Option<Encoding>,
    /// UTF-16 bytes of an incomplete character.
    partial: Vec<u8>,
    line: u64,
    /// The byte before the buffer.
    previous: u8,
    ended: bool,
    error: Option<io::Error>,
}

impl<R: Read> CharSource<R> {
    pub(super) fn new(input: R) -> CharSource<R> {
        CharSource {
            input,
            buffer: Vec::new(),
            position: 0,
            encoding: None,
            partial: Vec::new(),
            line: 1,
            previous: b'\n',
            ended: false,
            error: None,
        }
    }

    /// The line of the next byte, from 1.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// The error that ended the stream early; returned once.
    pub(super) fn take_error(&mut self) -> Option<io::Error> {
        self.error.take()
    }

    /// Whether the next byte starts a line.
    pub(super) fn is_line_start(&self) -> bool {
        let previous = self.position.checked_sub(1).map_or(self.previous, |index| self.buffer[index]);
        matches!(previous, b'\n' | b'\r')
    }

    /// The next byte, without consuming it.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<u8> {
        match self.buffer.get(self.position) {
            Some(&byte) => Some(byte),
            None => self.refill().then(|| self.buffer[self.position]),
        }
    }

    /// Consumes the byte that [`CharSource::peek`] returned.
    #[inline]
    pub(super) fn bump(&mut self) {
        self.line += u64::from(self.buffer[self.position] == b'\n');
        self.position += 1;
    }

    /// Consumes bytes that are `skipped`, at most to the next line end.
    #[inline]
    pub(super) fn skip(&mut self, skipped: impl Fn(u8) -> bool) {
        loop {
            let ahead = &self.buffer[self.position..];
            match ahead.iter().position(|&byte| !skipped(byte) || byte == b'\n') {
                Some(count) => {
                    self.position += count;
                    return;
                }
                None => self.position = self.buffer.len(),
            }
            if !self.refill() {
                return;
            }
        }
    }

    /// Whether the stream continues with these few bytes.
    pub(super) fn starts_with(&mut self, wanted: &[u8]) -> bool {
        while self.buffer.len() - self.position < wanted.len() {
            if !self.read_more() {
                return false;
            }
        }
        self.buffer[self.position..].starts_with(wanted)
    }

    /// Consumes bytes up to a `wanted` one, copying at most `limit` of them into `text`. False at the end of the
    /// stream. A line end must be wanted, since lines are not counted here.
    #[inline]
    pub(super) fn take_until(
        &mut self,
        wanted: impl Fn(u8) -> bool,
        text: &mut Vec<u8>,
        limit: usize,
    ) -> bool {
        loop {
            let ahead = &self.buffer[self.position..];
            let found = ahead.iter().position(|&byte| wanted(byte));
            let taken = &ahead[..found.unwrap_or(ahead.len())];
            let room = limit.saturating_sub(text.len());
            text.extend_from_slice(&taken[..taken.len().min(room)]);
            self.position += taken.len();
            if found.is_some() {
                return true;
            }
            if !self.refill() {
                return false;
            }
        }
    }

    /// Replaces the consumed buffer with the next bytes. False at the end of the stream.
    #[cold]
    fn refill(&mut self) -> bool {
        while self.position == self.buffer.len() {
            if !self.read_more() {
                return false;
            }
        }
        true
    }

    /// Appends the next bytes to the unconsumed ones. False at the end of the stream.
    fn read_more(&mut self) -> bool {
        if let Some(index) = self.position.checked_sub(1) {
            self.previous = self.buffer[index];
        }
        self.buffer.drain(..self.position);
        self.position = 0;
        if self.ended {
            return false;
        }
        let before = self.buffer.len();
        if self.encoding.is_none() {
            self.detect_encoding();
        } else if matches!(self.encoding, Some(Encoding::Bytes)) {
            self.read_chunk();
        } else {
            let text = std::mem::take(&mut self.buffer);
            self.buffer = std::mem::take(&mut self.partial);
            self.read_chunk();
            self.partial = std::mem::replace(&mut self.buffer, text);
            self.decode_partial();
        }
        self.buffer.len() > before || !self.ended
    }

    fn detect_encoding(&mut self) {
        while self.buffer.len() < Encoding::LOOK_AHEAD && !self.ended {
            self.read_chunk();
        }
        let (encoding, mark) = Encoding::of(&self.buffer);
        self.encoding = Some(encoding);
        self.buffer.drain(..mark);
        if encoding != Encoding::Bytes {
            self.partial = std::mem::take(&mut self.buffer);
            self.decode_partial();
        }
    }

    /// Appends one read to the buffer.
    fn read_chunk(&mut self) {
        let start = self.buffer.len();
        self.buffer.resize(start + CHUNK, 0);
        let count = loop {
            match self.input.read(&mut self.buffer[start..]) {
                Ok(count) => break count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.error = Some(error);
                    break 0;
                }
            }
        };
        self.ended = count == 0;
        self.buffer.truncate(start + count);
    }

    /// Moves the complete characters of `partial` to the buffer as UTF-8; at the end of the stream, all of it.
    fn decode_partial(&mut self) {
        let encoding = self.encoding.unwrap_or(Encoding::Bytes);
        let mut units: Vec<u16> =
            self.partial.chunks_exact(2).map(|pair| encoding.unit([pair[0], pair[1]])).collect();
        let is_high_surrogate = |unit: &u16| (0xd800..0xdc00).contains(unit);
        if !self.ended && units.last().is_some_and(is_high_surrogate) {
            units.pop();
        }
        self.partial.drain(..2 * units.len());
        let mut utf8 = [0; 4];
        for letter in char::decode_utf16(units) {
            let letter = letter.unwrap_or(char::REPLACEMENT_CHARACTER);
            self.buffer.extend_from_slice(letter.encode_utf8(&mut utf8).as_bytes());
        }
    }
}
