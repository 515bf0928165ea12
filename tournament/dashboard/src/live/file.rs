//! The live file of games in progress: `RUN.db-live`, a header line with length and checksum, then JSON. It is
//! rewritten in place; a reader that meets an incomplete write sees a wrong checksum and retries.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use smalt_protocol::Score;
use smalt_workbench::fnv::{FNV_EMPTY, fnv1a};

/// How a file of any version begins.
pub(super) const MAGIC: &[u8] = b"smalt-live ";

/// Format version; others are refused.
const FORMAT: u32 = 1;

/// Games of all boards.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct LiveFile {
    pub(super) games: Vec<LiveGame>,
}

/// A game in progress.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LiveGame {
    /// Index of the slot.
    pub slot: usize,
    /// Game number, from 0.
    pub number: u32,
    /// Index of White among the plan's entrants.
    pub white: usize,
    /// Index of Black among the plan's entrants.
    pub black: usize,
    /// Start position as FEN; `None` for the standard one.
    pub fen: Option<String>,
    /// ECO code and name of the opening, if the book names it.
    #[serde(default)]
    pub opening: Option<String>,
    /// Moves in UCI notation, separated by spaces.
    pub moves: String,
    /// Both sides, White's first.
    pub sides: [LiveSide; 2],
    /// Start of the current search in milliseconds since 1970.
    pub since_ms: u64,
}

/// One side of a game in progress.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LiveSide {
    /// Milliseconds left at the start of the current search; `None` without a clock.
    pub left_ms: Option<u64>,
    /// Milliseconds used for its last move.
    pub took_ms: u64,
    pub thought: LiveSearchInfo,
}

/// Search information; the score is from the side's own view.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LiveSearchInfo {
    pub cp: Option<i32>,
    pub mate: Option<i32>,
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    pub nps: Option<u64>,
    /// Ply at the start of the variation.
    pub ply: usize,
    /// Principal variation, separated by spaces.
    pub line: String,
}

impl LiveSearchInfo {
    pub(super) fn set_score(&mut self, score: Option<Score>) {
        (self.cp, self.mate) = match score {
            Some(Score::Centipawns(value)) => (Some(value), None),
            Some(Score::Mate(moves)) => (None, Some(moves)),
            None => (None, None),
        };
    }
}

/// Path of a store's live file.
pub(super) fn path_of(store: &Path) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push("-live");
    name.into()
}

pub(super) fn write(page: &LiveFile) -> Vec<u8> {
    let body = serde_json::to_vec(page).expect("numbers and texts are JSON");
    let mut bytes =
        format!("smalt-live {FORMAT} {} {:016x}\n", body.len(), fnv1a(FNV_EMPTY, &body)).into_bytes();
    bytes.extend_from_slice(&body);
    bytes
}

/// Parses the text of [`write()`], ignoring trailing bytes of a longer one; `None` for anything else.
pub(super) fn read(bytes: &[u8]) -> Option<LiveFile> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    let mut words = std::str::from_utf8(&bytes[..end]).ok()?.split(' ');
    if words.next() != Some("smalt-live") || words.next()?.parse() != Ok(FORMAT) {
        return None;
    }
    let length: usize = words.next()?.parse().ok()?;
    let sum = u64::from_str_radix(words.next()?, 16).ok()?;
    let body = bytes[end + 1..].get(..length)?;
    if fnv1a(FNV_EMPTY, body) == sum { serde_json::from_slice(body).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(moves: &str) -> LiveFile {
        LiveFile { games: vec![LiveGame { number: 7, moves: moves.to_owned(), ..LiveGame::default() }] }
    }

    #[test]
    fn a_page_reads_as_it_was_written_whatever_lies_behind_it() {
        let mut bytes = write(&page("e2e4 e7e5"));
        bytes.extend_from_slice(b"]}]} of a longer page");
        assert_eq!(read(&bytes).unwrap().games, page("e2e4 e7e5").games);
    }

    #[test]
    fn half_a_page_is_none() {
        let (old, new) = (write(&page("e2e4")), write(&page("d2d4")));
        let half = 20 + new.iter().position(|&byte| byte == b'\n').unwrap();
        let torn = [&new[..half], &old[half..]].concat();
        assert!(read(&torn).is_none());
        assert!(read(&new[..half]).is_none());
        assert!(read(b"").is_none() && read(b"smalt-live 9 2 0\n{}").is_none());
    }
}
