//! Suites of problems: positions, what is right in each, and under which theme it counts. Knows no engine.
//!
//! A suite comes from EPD text ([`Suite::parse`]) or is part of the program ([`Suite::embedded`]). What is odd about a
//! line but can be taken is taken, and noted; a line that asks nothing is refused, and the others are there.

mod embedded;
mod goal;
mod note;
mod points;
mod read;

use smalt_chess::Epd;

pub use embedded::{EMBEDDED, EmbeddedSuite};
pub use goal::{Goal, GoalError};
pub use note::Note;
pub use read::{LineError, RefusedLine};

/// The name of the suite that the rating is for.
pub const STS: &str = "sts";

/// Problems, in their order.
#[derive(Clone, Debug)]
pub struct Suite {
    /// How it is named in results: `wac`, `sts`, or a file's name without folder and ending.
    pub name: String,
    /// What it is, for people.
    pub title: String,
    /// The names of its themes, in the order in which they occur. At least one, unless it is empty.
    pub themes: Vec<String>,
    pub problems: Vec<Problem>,
    /// What is odd about it as a whole, and how it is taken.
    pub remarks: &'static [&'static str],
    /// The lines that are none.
    pub refused: Vec<RefusedLine>,
}

/// One position and what is right in it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Its name: the `id`, or its line where it has none. Not always unique; notes say so.
    pub id: String,
    /// Its line in its file, from 1.
    pub line: usize,
    /// The index of its theme.
    pub theme: usize,
    /// The position and all operations, known or not.
    pub epd: Epd,
    pub goal: Goal,
    /// What was odd about it, and what was done.
    pub notes: Vec<Note>,
}

impl Suite {
    /// The notes of all problems.
    pub fn notes(&self) -> impl Iterator<Item = (&Problem, &Note)> {
        self.problems.iter().flat_map(|problem| problem.notes.iter().map(move |note| (problem, note)))
    }

    /// The most points that can be made.
    pub fn max_points(&self) -> u64 {
        self.problems.iter().map(|problem| u64::from(problem.goal.max_points())).sum()
    }
}
