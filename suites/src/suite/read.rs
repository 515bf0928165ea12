//! Parses suite files leniently: any encoding, comments, empty lines, invalid lines.

use std::collections::HashMap;

use smalt_chess::notation::encoding::decode;
use smalt_chess::{Epd, ParseEpdError};

use super::goal::{Goal, GoalError};
use super::note::Note;
use super::puzzle::{PuzzleError, is_puzzle_file};
use super::{Problem, Suite};

/// With more groups of names than this, names are no themes.
const MOST_THEMES: usize = 40;

/// A line that is not a problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}, line {line}: {reason}")]
pub struct RefusedLine {
    /// File name as given.
    pub file: String,
    /// Line number, from 1.
    pub line: usize,
    pub reason: LineError,
}

/// Why a line is not a problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    #[error(transparent)]
    Epd(#[from] ParseEpdError),
    #[error(transparent)]
    Goal(#[from] GoalError),
    #[error(transparent)]
    Puzzle(#[from] PuzzleError),
}

impl Suite {
    /// Parses an EPD file, or a CSV file of Lichess puzzles; `file` is the name in errors. Empty lines and lines that
    /// begin with `#` are skipped. Themes of EPD are the common parts of names before their numbers.
    pub fn parse(bytes: &[u8], name: &str, file: &str) -> Suite {
        let mut suite = Suite::empty(name, file);
        let text = decode(bytes);
        if is_puzzle_file(&text) {
            suite.read_puzzles(&text, file);
        } else {
            suite.read(&text, file, None);
            suite.find_themes();
        }
        suite.note_repetitions();
        suite
    }

    pub(super) fn empty(name: &str, title: &str) -> Suite {
        Suite {
            name: name.to_owned(),
            title: title.to_owned(),
            themes: Vec::new(),
            problems: Vec::new(),
            remarks: &[],
            refused: Vec::new(),
        }
    }

    /// Appends the problems of a text, with this theme if known.
    pub(super) fn read(&mut self, text: &str, file: &str, theme: Option<&str>) {
        let theme = theme.map_or(0, |theme| self.theme(theme));
        for (number, line) in (1..).zip(lines(text)) {
            // Some files have a NUL at the end of each line.
            let line = line.trim_matches(|letter: char| letter.is_whitespace() || letter == '\0');
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match read_line(line, number, theme) {
                Ok(problem) => self.problems.push(problem),
                Err(reason) => self.refuse(file, number, reason),
            }
        }
    }

    pub(super) fn refuse(&mut self, file: &str, line: usize, reason: LineError) {
        self.refused.push(RefusedLine { file: file.to_owned(), line, reason });
    }

    pub(super) fn theme(&mut self, name: &str) -> usize {
        let known = self.themes.iter().position(|theme| theme == name);
        known.unwrap_or_else(|| {
            self.themes.push(name.to_owned());
            self.themes.len() - 1
        })
    }

    /// Groups the problems into themes by name; a single theme if there are no or too many groups.
    fn find_themes(&mut self) {
        let groups: Vec<String> = self.problems.iter().map(|problem| group_of(&problem.id)).collect();
        let mut distinct: Vec<&String> = groups.iter().collect();
        distinct.sort_unstable();
        distinct.dedup();
        let is_useful = distinct.len() <= MOST_THEMES && distinct.len() * 2 <= groups.len();
        for (index, group) in groups.iter().enumerate() {
            let name = if is_useful && !group.is_empty() { group.clone() } else { self.name.clone() };
            self.problems[index].theme = self.theme(&name);
        }
    }

    /// Adds notes on repeated names and positions.
    pub(super) fn note_repetitions(&mut self) {
        let mut ids: HashMap<String, usize> = HashMap::new();
        let mut positions: HashMap<String, usize> = HashMap::new();
        for index in 0..self.problems.len() {
            let id = self.problems[index].id.clone();
            let fen = self.problems[index].epd.position.to_fen();
            if *ids.entry(id).or_insert(index) != index {
                self.problems[index].notes.push(Note::SameId);
            }
            let first = *positions.entry(fen).or_insert(index);
            if first != index {
                let earlier = self.problems[first].id.clone();
                self.problems[index].notes.push(Note::SamePosition { earlier });
            }
        }
    }
}

/// Lines of a text; without line feeds, the parts between carriage returns (classic Mac OS files).
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let end = if text.contains('\n') { '\n' } else { '\r' };
    text.split(end)
}

fn read_line(line: &str, number: usize, theme: usize) -> Result<Problem, LineError> {
    let epd = read_epd(line)?;
    let mut notes = Vec::new();
    let goal = Goal::read(&epd, &mut notes)?;
    let id = epd.id().filter(|id| !id.trim().is_empty()).unwrap_or_else(|| format!("line {number}"));
    Ok(Problem { id: id.trim().to_owned(), line: number, theme, epd, goal, notes, puzzle: None })
}

/// Parses EPD without the remarks that matetrack's files append: `bm #9; 00:00 @ C2/R0; Duals(2);`.
fn read_epd(line: &str) -> Result<Epd, ParseEpdError> {
    let error = match Epd::parse(line) {
        Err(error @ ParseEpdError::Opcode(_)) => error,
        read => return read,
    };
    let (first, rest) = line.split_once(';').unwrap_or((line, ""));
    let known: Vec<&str> =
        rest.split(';').filter(|operation| Epd::parse(&format!("{first}; {operation}")).is_ok()).collect();
    Epd::parse(&format!("{first}; {}", known.join(";"))).map_err(|_| error)
}

/// A name without its number: `WAC` of `WAC.001`.
fn group_of(id: &str) -> String {
    let group = id.trim_end_matches(|letter: char| letter.is_ascii_digit());
    group.trim_end_matches(|letter: char| !letter.is_alphanumeric() && letter != ')').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_that_are_no_operations_are_skipped() {
        let rook = "7k/8/R7/1R6/8/8/8/K7 w - -";
        let text = format!(
            "{rook} bm #2; Duals(2); 00:49; 00:00 @ C2/R0/K4; id a;\n{rook} bm Rb7\0\n{rook} 00:49; bm #2;\n\0\n\
             {rook} bm #2; --:-- \"@\"; id b;\n"
        );
        let suite = Suite::parse(text.as_bytes(), "test", "test.epd");
        let ids: Vec<&str> = suite.problems.iter().map(|problem| problem.id.as_str()).collect();
        assert_eq!(ids, ["a", "line 2", "b"]);
        assert_eq!(suite.problems[0].goal.mate_in, Some(2));
        assert_eq!(suite.refused.len(), 1, "what stands in place of the goal is not a remark");
    }
}
