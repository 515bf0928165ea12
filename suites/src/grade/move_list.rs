//! A list of moves to grade: `id move` per line, for the problems of one suite.

use std::collections::HashMap;

use smalt_chess::{Move, San, SanError};
use smalt_workbench::input::without_bom;

use crate::suite::{Problem, Suite};

/// The moves of a list, by problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveList {
    /// One entry per problem, in suite order.
    pub moves: Vec<Option<ListedMove>>,
    /// Lines that could not be used.
    pub refused: Vec<RefusedMove>,
}

/// Content of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedMove {
    /// The move as written.
    pub text: String,
    /// The legal move, or the error.
    pub mv: Result<Move, NoMove>,
    /// Mate announced with it, in moves (`#3`); negative against the side to move (`#-3`).
    pub announced: Option<i32>,
}

/// Why a listed move is not legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoMove {
    /// Illegal, or a null move.
    Illegal,
    Ambiguous,
    /// Not a move in any notation.
    Unreadable,
}

impl NoMove {
    /// A stable name for files and tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            NoMove::Illegal => "illegal-move",
            NoMove::Ambiguous => "ambiguous-move",
            NoMove::Unreadable => "unreadable-move",
        }
    }

    /// Description of the error, which follows the file's name.
    pub(crate) fn words(self, text: &str) -> String {
        match self {
            NoMove::Illegal => format!("played {text}, which is not a legal move"),
            NoMove::Ambiguous => format!("played {text}, which could be more than one move"),
            NoMove::Unreadable => format!("played {text:?}, which cannot be read as a move"),
        }
    }
}

/// A line that could not be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}, line {line}: {reason}")]
pub struct RefusedMove {
    /// File name as given.
    pub file: String,
    /// Line number, from 1.
    pub line: usize,
    pub reason: RefusedMoveReason,
}

/// Why a line could not be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefusedMoveReason {
    #[error("no position of the suite has the id at the start of {0:?}; a line is `id move`")]
    UnknownId(String),
    #[error("no move after the id {0}")]
    NoMove(String),
    #[error("a second move for {0}; the first counts")]
    Again(String),
    #[error("{text} could be more than one move in {id}")]
    Ambiguous { id: String, text: String },
    #[error("{text:?} is not a move; in {id} it earns nothing")]
    Unreadable { id: String, text: String },
}

impl MoveList {
    /// Parses a list; `file` is the name used in errors. Moves may be in any notation: `Qg6`, `g3g6`, `Qg3-g6`.
    /// Illegal moves and `0000`, `(none)` or `-` are answers without points. Problems with equal names take their
    /// lines in order.
    pub fn parse(text: &str, file: &str, suite: &Suite) -> MoveList {
        let mut list = MoveList { moves: vec![None; suite.problems.len()], refused: Vec::new() };
        let names = ProblemIndex::new(suite);
        for (number, line) in (1..).zip(without_bom(text).lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Err(reason) = list.read_line(line, suite, &names) {
                list.refused.push(RefusedMove { file: file.to_owned(), line: number, reason });
            }
        }
        list
    }

    fn read_line(
        &mut self,
        line: &str,
        suite: &Suite,
        names: &ProblemIndex<'_>,
    ) -> Result<(), RefusedMoveReason> {
        let (id, rest) = names.split(line).ok_or_else(|| RefusedMoveReason::UnknownId(line.to_owned()))?;
        let indexes = &names.indexes[id];
        let free = indexes.iter().find(|&&index| self.moves[index].is_none());
        let &index = free.ok_or_else(|| RefusedMoveReason::Again(id.to_owned()))?;
        let rest = rest
            .trim_matches(|letter: char| letter.is_whitespace() || matches!(letter, ';' | ',' | ':' | '"'));
        if rest.is_empty() {
            return Err(RefusedMoveReason::NoMove(id.to_owned()));
        }
        let listed = read_move(rest, &suite.problems[index]);
        let (id, text) = (id.to_owned(), listed.text.clone());
        let refused = match listed.mv {
            Err(NoMove::Ambiguous) => Err(RefusedMoveReason::Ambiguous { id, text }),
            Err(NoMove::Unreadable) => Err(RefusedMoveReason::Unreadable { id, text }),
            Ok(_) | Err(NoMove::Illegal) => Ok(()),
        };
        self.moves[index] = Some(listed);
        refused
    }
}

/// Indexes of the problems by name.
struct ProblemIndex<'a> {
    indexes: HashMap<&'a str, Vec<usize>>,
}

impl<'a> ProblemIndex<'a> {
    fn new(suite: &'a Suite) -> ProblemIndex<'a> {
        let mut indexes: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, problem) in suite.problems.iter().enumerate() {
            indexes.entry(&problem.id).or_default().push(index);
        }
        ProblemIndex { indexes }
    }

    /// The longest name at the start of a line (names may contain spaces), and the rest.
    fn split<'l>(&self, line: &'l str) -> Option<(&'l str, &'l str)> {
        let line = line.strip_prefix('"').unwrap_or(line);
        let is_end = |letter: char| letter.is_whitespace() || matches!(letter, ':' | ',' | ';' | '"');
        let mut ends: Vec<usize> = line.match_indices(is_end).map(|(end, _)| end).collect();
        ends.push(line.len());
        ends.into_iter()
            .rev()
            .map(|end| line.split_at(end))
            .find(|(name, _)| self.indexes.contains_key(name.trim_end()))
            .map(|(name, rest)| (name.trim_end(), rest))
    }
}

fn read_move(text: &str, problem: &Problem) -> ListedMove {
    let (text, announced) = split_mate(text);
    let mv = match San::parse(text) {
        _ if matches!(text, "0000" | "(none)" | "-" | "none" | "--") => Err(NoMove::Illegal),
        Err(_) => Err(NoMove::Unreadable),
        Ok(san) => san.to_move(&problem.epd.position).map_err(|error| match error {
            SanError::Ambiguous(_) => NoMove::Ambiguous,
            SanError::Illegal(_) | SanError::Null => NoMove::Illegal,
        }),
    };
    ListedMove { text: text.to_owned(), mv, announced }
}

/// Splits an announced mate off the end: `Qxh7+ #3`.
fn split_mate(text: &str) -> (&str, Option<i32>) {
    let split = text.rsplit_once(char::is_whitespace);
    let mate = split.and_then(|(mv, word)| Some((mv.trim_end(), word.strip_prefix('#')?.parse().ok()?)));
    mate.map_or((text, None), |(mv, moves)| (mv, Some(moves)))
}
