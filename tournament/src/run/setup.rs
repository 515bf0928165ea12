//! From a plan to what a run needs: openings read, schedule made. Reads the opening file; starts nothing.

use std::path::PathBuf;

use crate::opening::{self, Book, BookError, Opening, Skipped};
use crate::plan::{Format, Order, Plan, Role, Shuffle};
use crate::schedule::{Meeting, OpeningOrder, Schedule, Sequence, Side, Terms};

/// A plan with all that follows from it.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The plan.
    pub plan: Plan,
    /// Its openings.
    pub book: Book,
    /// In which order they are used.
    pub order: OpeningOrder,
    /// Its games.
    pub schedule: Schedule,
}

/// Why a plan cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The openings are of no known kind.
    #[error("read openings from {}: the name of the file must end in .epd, .fen, .txt or .pgn", .0.display())]
    Kind(PathBuf),
    /// The file cannot be read.
    #[error("read openings from {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Nothing in it can be used.
    #[error("read openings from {}: failed to {source}", path.display())]
    Book {
        /// The file.
        path: PathBuf,
        /// Why.
        source: BookError,
    },
    /// The first opening is behind the last.
    #[error("begin with opening {start}: there are {openings}")]
    Start {
        /// Which should be first.
        start: usize,
        /// How many there are.
        openings: usize,
    },
}

impl Prepared {
    /// Reads the openings and makes the schedule.
    ///
    /// # Errors
    /// If the openings cannot be read.
    pub fn new(plan: Plan) -> Result<Prepared, SetupError> {
        let book = read_book(&plan)?;
        let openings = book.openings.len();
        let start = plan.openings.start - 1;
        if start >= openings {
            return Err(SetupError::Start { start: plan.openings.start, openings });
        }
        let count = u32::try_from(openings).unwrap_or(u32::MAX);
        let start = u32::try_from(start).unwrap_or(u32::MAX);
        let order = match plan.openings.order {
            Order::Sequential => OpeningOrder::sequential(count, start),
            Order::Random => OpeningOrder::random(count, plan.seed, start),
        };
        let schedule = schedule(&plan);
        Ok(Prepared { plan, book, order, schedule })
    }

    /// The openings in the order in which games use them.
    pub fn openings_in_use(&self) -> Vec<Opening> {
        let place = |used| self.order.place(used) as usize;
        (0..self.schedule.openings()).map(|used| self.book.openings[place(used)].clone()).collect()
    }

    /// Lines of the opening file that are not used.
    pub fn skipped(&self) -> &[Skipped] {
        &self.book.skipped
    }
}

/// The games of a plan, as far as they are known before any is played.
pub fn schedule(plan: &Plan) -> Schedule {
    let entrants = plan.entrants.len();
    let sides = || plan.entrants.iter().map(|entrant| side(entrant.role)).collect();
    let meeting = match plan.format {
        Format::Gauntlet => Meeting::Gauntlet(sides()),
        Format::RoundRobin | Format::Match => Meeting::RoundRobin(entrants),
        Format::Pyramid => Meeting::Pyramid(entrants),
        Format::Knockout => Meeting::Knockout { entrants, tiebreak_pairs: plan.tiebreak_pairs },
        Format::Swiss => Meeting::Swiss { entrants },
    };
    let terms = Terms {
        games: plan.games,
        repeat: plan.openings.repeat,
        colors: plan.colors,
        policy: plan.openings.policy,
    };
    let sequence = match plan.shuffle {
        Shuffle::Never => Sequence::AsListed,
        Shuffle::BySeed => Sequence::Shuffled(plan.seed),
    };
    Schedule::new(meeting, terms, plan.rounds, sequence)
}

fn side(role: Role) -> Side {
    match role {
        Role::Challenger => Side::Challenger,
        Role::Opponent => Side::Opponent,
    }
}

fn read_book(plan: &Plan) -> Result<Book, SetupError> {
    let Some(path) = &plan.openings.file else { return Ok(Book::embedded()) };
    let format = opening::Format::of(path).ok_or_else(|| SetupError::Kind(path.clone()))?;
    let text = std::fs::read(path).map_err(|source| SetupError::File { path: path.clone(), source })?;
    opening::parse(&text, format, plan.openings.plies)
        .map_err(|source| SetupError::Book { path: path.clone(), source })
}

/// A short text that is another for other openings, or the same in another order: their number and a checksum of
/// their Polyglot keys (FNV-1a, 64 bits; G. Fowler, L. Noll and K. Vo).
pub fn fingerprint(book: &Book) -> String {
    let mut sum: u64 = 0xcbf2_9ce4_8422_2325;
    let mut add = |value: u64| {
        for byte in value.to_le_bytes() {
            sum = (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    for opening in &book.openings {
        add(opening.position.key());
        for mv in &opening.moves {
            add(u64::from(mv.to_bits()));
        }
    }
    format!("{} openings, {sum:016x}", book.openings.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_openings_have_another_fingerprint() {
        let book = Book::embedded();
        let mut turned = book.clone();
        turned.openings.swap(0, 1);
        assert_ne!(fingerprint(&book), fingerprint(&turned));
        assert_eq!(fingerprint(&book), fingerprint(&book.clone()));
    }
}
