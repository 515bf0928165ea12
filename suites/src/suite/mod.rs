//! Suites of problems: positions, goals and themes. Knows no engine.
//!
//! A suite is parsed from EPD or from the CSV of Lichess puzzles ([`Suite::parse`]) or built in ([`Suite::embedded`]). Irregular lines are
//! accepted with a note if possible; a line without a goal is skipped.

mod embedded;
mod goal;
mod note;
mod points;
mod puzzle;
mod read;

use smalt_chess::Epd;

pub use embedded::EMBEDDED;
pub(crate) use embedded::EmbeddedSuite;
pub(crate) use goal::Goal;
pub(crate) use note::Note;
pub(crate) use puzzle::Puzzle;
pub(crate) use read::RefusedLine;

/// The name of the suite that the rating is for.
pub(crate) const STS: &str = "sts";

/// Problems, in their order.
#[derive(Clone, Debug)]
pub struct Suite {
    /// How it is named in results: `wac`, `sts`, or a file's name without folder and ending.
    pub name: String,
    /// Description of the suite.
    pub title: String,
    /// The names of its themes, in the order in which they occur. At least one, unless it is empty.
    pub themes: Vec<String>,
    pub problems: Vec<Problem>,
    /// Notes on the suite as a whole.
    pub remarks: &'static [&'static str],
    pub refused: Vec<RefusedLine>,
}

/// A position with its goal.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Name: the `id`, else the line number. Not always unique.
    pub id: String,
    /// Its line in its file, from 1.
    pub line: usize,
    /// The index of its theme; the first, where it is of a puzzle with several.
    pub theme: usize,
    /// The position and all operations, known or not.
    pub epd: Epd,
    pub goal: Goal,
    pub notes: Vec<Note>,
    /// The puzzle that it is a part of.
    pub puzzle: Option<Puzzle>,
}

impl Problem {
    /// Whether a theme is its own, or one of its puzzle.
    pub(crate) fn has_theme(&self, theme: &str, suite: &Suite) -> bool {
        match &self.puzzle {
            Some(puzzle) if !puzzle.themes.is_empty() => puzzle.themes.iter().any(|own| own == theme),
            _ => suite.themes[self.theme] == theme,
        }
    }
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
