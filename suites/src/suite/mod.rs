//! Suites of problems: positions, goals and themes.
//!
//! A suite is parsed from EPD or from the CSV of Lichess puzzles ([`Suite::parse`]) or built in
//! ([`Suite::embedded`]). Irregular lines are accepted with a note if possible; a line without a goal is skipped.

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

/// Name of the suite with a rating.
pub(crate) const STS: &str = "sts";

#[derive(Clone, Debug)]
pub struct Suite {
    /// Name in results: `wac`, `sts`, or a file name without folder and extension.
    pub name: String,
    /// Description of the suite.
    pub title: String,
    /// Theme names in order of occurrence. At least one, unless the suite is empty.
    pub themes: Vec<String>,
    pub problems: Vec<Problem>,
    /// Notes on the suite as a whole.
    pub remarks: &'static [&'static str],
    pub refused: Vec<RefusedLine>,
}

/// A position with its goal.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Name: the `id`, otherwise the line number. Not always unique.
    pub id: String,
    /// Line in its file, from 1.
    pub line: usize,
    /// Index of its theme; the first one for a puzzle with several.
    pub theme: usize,
    /// The position and all operations, including unknown ones.
    pub epd: Epd,
    pub goal: Goal,
    pub notes: Vec<Note>,
    /// Its puzzle, if any.
    pub puzzle: Option<Puzzle>,
}

impl Problem {
    /// Whether it or its puzzle has this theme.
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

    pub fn max_points(&self) -> u64 {
        self.problems.iter().map(|problem| u64::from(problem.goal.max_points())).sum()
    }
}
