//! The last lines of a conversation in little, reused memory: with many concurrent games the kept lines compete for the
//! processor's caches. A `position` line begins with the one before it, so only the difference is kept. The meaning of
//! a line is left to others.

use std::collections::VecDeque;
use std::time::Instant;

use super::{LINES_KEPT, Speaker};

/// Maximum bytes kept per line.
const LINE_LIMIT: u16 = 4096;

/// The last [`LINES_KEPT`] lines.
#[derive(Default)]
pub(crate) struct KeptLines {
    lines: VecDeque<Kept>,
    /// The kept bytes of all lines, one after the other, behind dropped ones.
    bytes: Vec<u8>,
    /// Number of dropped bytes.
    dropped: usize,
    /// The last growing line that was dropped.
    before: Vec<u8>,
}

struct Kept {
    at: Instant,
    speaker: Speaker,
    /// For a growing line: number of bytes shared with the growing line before it.
    shared: Option<u16>,
    /// Number of bytes after those.
    length: u16,
}

impl KeptLines {
    /// Keeps a line. For a growing line `shared` is the length of its common prefix with the last one.
    pub(crate) fn push(&mut self, at: Instant, speaker: Speaker, line: &[u8], shared: Option<usize>) {
        if self.lines.len() == LINES_KEPT {
            self.pop();
        }
        let line = &line[..line.len().min(usize::from(LINE_LIMIT))];
        let shared = shared.map(|shared| shared.min(line.len()));
        let added = &line[shared.unwrap_or(0)..];
        self.bytes.extend_from_slice(added);
        let within_limit = |count: usize| u16::try_from(count).unwrap_or(LINE_LIMIT);
        self.lines.push_back(Kept {
            at,
            speaker,
            shared: shared.map(within_limit),
            length: within_limit(added.len()),
        });
    }

    fn pop(&mut self) {
        let Some(Kept { shared, length, .. }) = self.lines.pop_front() else { return };
        let end = self.dropped + usize::from(length);
        if let Some(shared) = shared {
            self.before.truncate(usize::from(shared));
            self.before.extend_from_slice(&self.bytes[self.dropped..end]);
        }
        self.dropped = end;
        // This moves fewer bytes than were dropped.
        if 2 * self.dropped > self.bytes.len() {
            self.bytes.drain(..self.dropped);
            self.dropped = 0;
        }
    }

    /// Whether the last line is an empty line of this speaker.
    pub(crate) fn ends_empty(&self, speaker: Speaker) -> bool {
        self.lines.back().is_some_and(|last| {
            last.speaker == speaker && last.length == 0 && last.shared.is_none_or(|shared| shared == 0)
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Calls this with each line, oldest first.
    pub(crate) fn for_each(&self, mut show: impl FnMut(Instant, Speaker, &[u8])) {
        let mut rest = &self.bytes[self.dropped..];
        let (mut growing, mut other) = (self.before.clone(), Vec::new());
        for &Kept { at, speaker, shared, length } in &self.lines {
            let line = if shared.is_some() { &mut growing } else { &mut other };
            line.truncate(usize::from(shared.unwrap_or(0)));
            let (added, after) = rest.split_at(usize::from(length));
            line.extend_from_slice(added);
            show(at, speaker, line);
            rest = after;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(lines: &[(Speaker, Vec<u8>)]) {
        let mut kept = KeptLines::default();
        let mut last: &[u8] = &[];
        for (speaker, line) in lines {
            let is_growing = line.len() >= 64;
            let common = last.iter().zip(line).take_while(|(one, other)| one == other).count();
            kept.push(Instant::now(), *speaker, line, is_growing.then_some(common));
            if is_growing {
                last = line;
            }
        }
        let mut found = Vec::new();
        kept.for_each(|_, speaker, line| found.push((speaker, line.to_vec())));
        let expected = &lines[lines.len().saturating_sub(LINES_KEPT)..];
        assert_eq!(kept.len(), expected.len());
        for ((speaker, line), (expected_speaker, expected)) in found.iter().zip(expected) {
            assert_eq!((speaker, line), (expected_speaker, &expected[..expected.len().min(4096)].to_vec()));
        }
    }

    #[test]
    fn growing_and_restarted_lines_are_kept_unchanged() {
        let mut lines = Vec::new();
        for game in ["startpos", "fen 8/8/8/8/8/4k3/8/4K3 w - - 0 1", "startpos"] {
            let mut position = format!("position {game} moves").into_bytes();
            for ply in 0..1000 {
                position.extend(format!(" m{ply}").bytes());
                lines.push((Speaker::Driver, position.clone()));
                lines.push((Speaker::Driver, b"go depth 1".to_vec()));
                lines.push((Speaker::Engine, format!("bestmove m{ply} ").repeat(ply % 9).into_bytes()));
                if ply % 50 == 0 {
                    check(&lines);
                }
            }
            check(&lines);
        }
    }

    proptest! {
        #[test]
        fn any_lines_are_kept_as_they_were(
            lines in proptest::collection::vec(
                (prop_oneof![Just(Speaker::Driver), Just(Speaker::Engine)], 0_usize..300, 0_usize..300), 0..200
            )
        ) {
            let line = |(speaker, same, other): (Speaker, usize, usize)| {
                (speaker, [vec![b'x'; same], vec![b'y'; other]].concat())
            };
            check(&lines.into_iter().map(line).collect::<Vec<_>>());
        }
    }
}
