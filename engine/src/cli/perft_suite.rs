//! `smalt perft --suite FILE`: checks the counts of a file. Two formats are supported: lines of a position with `;D1 20
//! ;D2 400`, and blocks of `id`, `epd` and `perft 1 20` lines.

use std::fmt;
use std::io::Write;
use std::path::PathBuf;

use smalt_chess::Position;
use smalt_chess::perft::Leaves;

use super::perft::{PerftCounter, PerftResources};
use super::{CommandEnd, CommandError, read_file};

/// Suite file and limit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SuitePlan {
    pub(super) file: PathBuf,
    /// Greater counts are skipped.
    pub(super) most_nodes: u64,
    pub(super) resources: PerftResources,
}

#[derive(Clone, PartialEq, Debug)]
struct Count {
    line: usize,
    position: Position,
    depth: u32,
    nodes: u64,
}

/// A line that could not be parsed.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Unreadable {
    line: usize,
    reason: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

/// Checks the suite: one line per wrong count, then the number passed and failed.
pub(super) fn run(plan: &SuitePlan, out: &mut impl Write) -> Result<CommandEnd, CommandError> {
    let (mut passed, mut failed, mut unreadable) = (0_u64, 0_u64, 0_u64);
    // If a count is wrong, deeper counts of that position are skipped.
    let mut wrong = None;
    let counts = read_suite(&read_file(&plan.file)?);
    if counts.is_empty() {
        return Err(CommandError::NoCounts(plan.file.clone()));
    }
    let counter = PerftCounter::new(plan.resources)?;
    for count in counts {
        match count {
            Ok(count) if count.nodes > plan.most_nodes || wrong == Some(count.position) => {}
            Ok(Count { line, position, depth, nodes }) => {
                let found = counter.count(&position, depth, Leaves::Counted);
                if found == nodes {
                    passed += 1;
                } else {
                    failed += 1;
                    wrong = Some(position);
                    let fen = position.to_fen();
                    writeln!(out, "line {line}: {fen}: depth {depth}: expected {nodes}, found {found}")?;
                }
            }
            Err(error) => {
                unreadable += 1;
                writeln!(out, "{error}")?;
            }
        }
    }
    if unreadable > 0 {
        writeln!(out, "{unreadable} lines could not be read")?;
    }
    writeln!(out, "{passed} passed, {failed} failed")?;
    Ok(match (failed, unreadable) {
        (0, 0) => CommandEnd::Done,
        (0, _) => CommandEnd::Incomplete,
        _ => CommandEnd::Failed,
    })
}

fn read_suite(text: &str) -> Vec<Result<Count, Unreadable>> {
    let mut counts = Vec::new();
    let mut position = None;
    // A byte order mark is no part of the first line.
    for (index, text) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = index + 1;
        let unreadable = |reason: String| Err(Unreadable { line, reason });
        let text = text.trim();
        let (keyword, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match keyword {
            "" | "id" => {}
            _ if text.starts_with('#') => {}
            "epd" => match read_position(rest) {
                Ok(read) => position = Some(read),
                Err(reason) => counts.push(unreadable(reason)),
            },
            "perft" => match (position, read_depth_and_nodes(rest)) {
                (Some(position), Some((depth, nodes))) => {
                    counts.push(Ok(Count { line, position, depth, nodes }));
                }
                (None, _) => counts.push(unreadable("a count without a position".to_owned())),
                (_, None) => counts.push(unreadable(format!("expected a depth and a count, not {rest:?}"))),
            },
            _ if text.contains(';') => counts.extend(read_epd(line, text)),
            // Prose between blocks, such as a file's title.
            _ => {}
        }
    }
    counts
}

fn read_epd(line: usize, text: &str) -> Vec<Result<Count, Unreadable>> {
    let mut parts = text.split(';');
    let position = match read_position(parts.next().unwrap_or_default()) {
        Ok(position) => position,
        Err(reason) => return vec![Err(Unreadable { line, reason })],
    };
    let counts = parts.map(str::trim).filter(|part| !part.is_empty());
    counts
        .map(|part| match part.strip_prefix('D').and_then(read_depth_and_nodes) {
            Some((depth, nodes)) => Ok(Count { line, position, depth, nodes }),
            None => Err(Unreadable { line, reason: format!("expected a count like D3 8902, not {part:?}") }),
        })
        .collect()
}

fn read_position(text: &str) -> Result<Position, String> {
    text.trim().parse().map_err(|error| format!("{text:?}: {error}"))
}

fn read_depth_and_nodes(text: &str) -> Option<(u32, u64)> {
    let (depth, nodes) = text.trim().split_once(char::is_whitespace)?;
    Some((depth.parse().ok()?, nodes.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[Result<(usize, u32, u64), &str>]) {
        let found: Vec<Result<(usize, u32, u64), String>> = read_suite(text)
            .into_iter()
            .map(|count| count.map(|count| (count.line, count.depth, count.nodes)).map_err(|e| e.to_string()))
            .collect();
        let expected: Vec<_> = expected.iter().map(|one| one.map_err(str::to_owned)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn both_forms_are_read() {
        check("\u{feff}8/8/8/8/8/k7/p7/K7 w - - 0 1 ;D1 0 ;D2 0\n", &[Ok((1, 1, 0)), Ok((1, 2, 0))]);
        check(
            "# Title\nid one\nepd rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\nperft 1 20\nperft 2 400\n",
            &[Ok((4, 1, 20)), Ok((5, 2, 400))],
        );
    }

    #[test]
    fn unreadable_lines_are_reported_with_their_number() {
        check("perft 1 20\n", &[Err("line 1: a count without a position")]);
        check(
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 many ;D2 66\n",
            &[Err(r#"line 1: expected a count like D3 8902, not "D1 many""#), Ok((1, 2, 66))],
        );
    }
}
