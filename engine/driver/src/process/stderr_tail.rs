//! The last lines of standard error, in bounded memory.

use std::collections::VecDeque;

use super::lines::LineBuffer;

const LINES_KEPT: usize = 50;
const LINE_LIMIT: usize = 512;

/// The last lines of a stream; longer lines are cut.
#[derive(Debug)]
pub(super) struct StderrTail {
    partial: LineBuffer,
    lines: VecDeque<Vec<u8>>,
    /// Number of last lines not taken yet.
    fresh: usize,
}

impl StderrTail {
    pub(super) fn new() -> Self {
        Self { partial: LineBuffer::new(LINE_LIMIT), lines: VecDeque::new(), fresh: 0 }
    }

    pub(super) fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = self.partial.room();
            let count = room.len().min(bytes.len());
            room[..count].copy_from_slice(&bytes[..count]);
            bytes = &bytes[count..];
            self.partial.filled(count);
            self.keep_lines();
        }
    }

    pub(super) fn finish(&mut self) {
        self.partial.finish();
        self.keep_lines();
    }

    /// Oldest first.
    pub(super) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.lines.iter().map(Vec::as_slice)
    }

    /// The lines since the last call; of many, the first are lost.
    pub(super) fn take_fresh(&mut self) -> impl Iterator<Item = &[u8]> {
        let known = self.lines.len() - std::mem::take(&mut self.fresh);
        self.lines.iter().skip(known).map(Vec::as_slice)
    }

    fn keep_lines(&mut self) {
        while let Some(line) = self.partial.take() {
            let mut slot = if self.lines.len() == LINES_KEPT { self.lines.pop_front() } else { None }
                .unwrap_or_default();
            slot.clear();
            slot.extend_from_slice(line.bytes);
            self.lines.push_back(slot);
            self.fresh = (self.fresh + 1).min(LINES_KEPT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_lines_stay() {
        let mut tail = StderrTail::new();
        for number in 0..200 {
            tail.push(format!("line {number}\n").as_bytes());
        }
        tail.push(&[b'x'; 5000]);
        tail.finish();
        let lines: Vec<_> = tail.lines().collect();
        assert_eq!(lines.len(), LINES_KEPT);
        assert_eq!(lines[0], b"line 151");
        assert_eq!(lines[LINES_KEPT - 1], [b'x'; LINE_LIMIT]);
    }

    #[test]
    fn fresh_lines_are_taken_once() {
        let mut tail = StderrTail::new();
        tail.push(b"one\ntwo\nthr");
        assert_eq!(tail.take_fresh().collect::<Vec<_>>(), [b"one", b"two"]);
        tail.push(b"ee\n");
        assert_eq!(tail.take_fresh().collect::<Vec<_>>(), [b"three"]);
        assert_eq!(tail.take_fresh().count(), 0);
    }
}
