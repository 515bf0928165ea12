//! Random openings for OpenBench's data generation (`genfens N seed S book FILE|None`; see its wiki). The same request
//! gives the same openings.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use smalt_chess::splitmix::splitmix;
use smalt_chess::{Epd, Position};

use crate::evaluation::Parameters;
use crate::search::{
    ClockState, Limits, SearchContext, SearchControl, Task, ThreadData, TranspositionTable, search,
};

/// A request for openings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpeningsPlan {
    pub count: u64,
    pub seed: u64,
    /// Start positions, one FEN or EPD per line; by default the standard start position.
    pub book: Option<PathBuf>,
    /// Further arguments, which only other engines use.
    pub ignored: Vec<String>,
}

/// The request is malformed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{text:?} is not a genfens command: expected genfens N seed S book FILE|None")]
pub struct ParseOpeningsError {
    text: String,
}

/// Why openings could not be generated.
#[derive(Debug, thiserror::Error)]
pub enum OpeningsError {
    #[error("can't read the book {path}: {source}")]
    Read { path: String, source: io::Error },
    #[error("the book {0} holds no position")]
    Empty(String),
    #[error("no further even opening was found in {ATTEMPTS} attempts")]
    Exhausted,
}

/// Random plies from the start position, plus one in half of the cases, so that either side may be to move.
const PLIES: u64 = 8;
/// The same from a book position.
const PLIES_BEHIND_BOOK: u64 = 4;
/// Maximum evaluation for either side, in centipawns.
const EVEN: i32 = 300;
/// Nodes of the search that tests whether an opening is balanced.
const FILTER_NODES: u64 = 5_000;
const ATTEMPTS: u32 = 10_000;

impl OpeningsPlan {
    /// Parses a request in OpenBench's format. Further arguments are kept unparsed.
    ///
    /// # Errors
    /// If a part is missing or not a number.
    pub fn parse(text: &str) -> Result<OpeningsPlan, ParseOpeningsError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let plan = match words[..] {
            ["genfens", count, "seed", seed, "book", book, ref ignored @ ..] => {
                count.parse().ok().zip(seed.parse().ok()).map(|(count, seed)| OpeningsPlan {
                    count,
                    seed,
                    book: (!book.eq_ignore_ascii_case("none")).then(|| book.into()),
                    ignored: ignored.iter().map(|&word| word.to_owned()).collect(),
                })
            }
            _ => None,
        };
        plan.ok_or_else(|| ParseOpeningsError { text: text.to_owned() })
    }

    /// Generates the openings, all different, and passes each to `take`.
    ///
    /// # Errors
    /// If the book cannot be used, or there are too few openings. Those found before were passed to `take`.
    pub fn run(&self, take: &mut dyn FnMut(&Position)) -> Result<(), OpeningsError> {
        let starts = self.starts()?;
        let plies = if self.book.is_some() { PLIES_BEHIND_BOOK } else { PLIES };
        let mut random = Random(splitmix(self.seed));
        let mut filter = BalanceFilter::new();
        let mut known = HashSet::new();
        for _ in 0..self.count {
            let opening = (0..ATTEMPTS).find_map(|_| {
                let start = starts[random.below(starts.len() as u64) as usize];
                let plies = plies + random.below(2);
                let position = random.walk(start, plies)?;
                (!known.contains(&position.key()) && filter.is_balanced(&position)).then_some(position)
            });
            let opening = opening.ok_or(OpeningsError::Exhausted)?;
            known.insert(opening.key());
            take(&opening);
        }
        Ok(())
    }

    fn starts(&self) -> Result<Vec<Position>, OpeningsError> {
        let Some(book) = &self.book else { return Ok(vec![Position::start()]) };
        let path = book.display().to_string();
        let bytes = fs::read(book).map_err(|source| OpeningsError::Read { path: path.clone(), source })?;
        let text = String::from_utf8_lossy(&bytes);
        let starts: Vec<Position> = text.lines().filter_map(parse_start).collect();
        if starts.is_empty() { Err(OpeningsError::Empty(path)) } else { Ok(starts) }
    }
}

fn parse_start(line: &str) -> Option<Position> {
    Position::from_fen(line).ok().or_else(|| Epd::parse(line).ok().map(|epd| epd.position))
}

/// SplitMix64 (S. Vigna).
struct Random(u64);

impl Random {
    /// A random number below the bound, which is not zero. The bias is negligible for small bounds.
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = splitmix(self.0);
        ((u128::from(self.0) * u128::from(bound)) >> 64) as u64
    }

    /// Plays random moves; `None` if the game ends or the side to move is left in check.
    fn walk(&mut self, mut position: Position, plies: u64) -> Option<Position> {
        for _ in 0..plies {
            let moves = position.legal_moves();
            let moves = moves.as_slice();
            if moves.is_empty() {
                return None;
            }
            position.play(moves[self.below(moves.len() as u64) as usize]);
        }
        (!position.is_check() && position.ending().is_none()).then_some(position)
    }
}

/// Tests by a short search with an empty hash table whether a position is balanced.
struct BalanceFilter {
    table: TranspositionTable,
    memory: ThreadData,
}

impl BalanceFilter {
    fn new() -> BalanceFilter {
        let parameters = Arc::new(Parameters::embedded().clone());
        BalanceFilter { table: TranspositionTable::new(1), memory: ThreadData::new(parameters) }
    }

    fn is_balanced(&mut self, position: &Position) -> bool {
        self.table.clear(1);
        self.memory.clear();
        let task = Task { position: *position, history: Vec::new(), moves: position.legal_moves().to_vec() };
        let limits = Limits { nodes: Some(FILTER_NODES), ..Limits::depth(16) };
        let control = SearchControl::new(ClockState::Running);
        let threads = std::slice::from_mut(&mut self.memory);
        let context = SearchContext { table: &self.table, threads, probing: None, control: &control };
        search(&task, &limits, context, &mut |_| {}).lines[0].score.abs() <= EVEN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn openings(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        OpeningsPlan::parse(text).unwrap().run(&mut |position| found.push(position.to_fen())).unwrap();
        found
    }

    #[test]
    fn a_request_gives_that_many_distinct_reproducible_openings() {
        let found = openings("genfens 20 seed 7 book None");
        assert_eq!(found, openings("genfens 20 seed 7 book none"));
        assert_ne!(found, openings("genfens 20 seed 8 book None"));
        assert_eq!(found.iter().collect::<HashSet<_>>().len(), 20);
        for fen in &found {
            let position: Position = fen.parse().unwrap();
            assert!(!position.is_check() && position.ending().is_none());
        }
        assert!(found.iter().any(|fen| fen.contains(" w ")) && found.iter().any(|fen| fen.contains(" b ")));
    }

    #[test]
    fn invalid_requests_are_refused() {
        for text in ["genfens", "genfens x seed 1 book None", "genfens 3 seed 1"] {
            assert!(OpeningsPlan::parse(text).is_err(), "{text}");
        }
        let further = OpeningsPlan::parse("genfens 3 seed 1 book None dfrc").unwrap();
        assert_eq!((further.book, further.ignored), (None, vec!["dfrc".to_owned()]));
        let missing = OpeningsPlan::parse("genfens 1 seed 1 book /no/such/file").unwrap();
        assert!(matches!(missing.run(&mut |_| {}), Err(OpeningsError::Read { .. })));
    }
}
