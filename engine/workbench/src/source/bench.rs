//! Bench signature: compares the node count of `bench` with the commit message.

use std::path::Path;
use std::time::{Duration, Instant};

use smalt_driver::EngineCommand;
use smalt_driver::process::Reaper;

use crate::program::run_to_end;
use crate::signals;

/// Time limit of `bench`.
const LIMIT: Duration = Duration::from_secs(600);

/// Why the node count could not be confirmed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BenchError {
    #[error("the commit message says Bench: {expected}, and the program counts {counted}")]
    Other {
        /// Node count in the commit message.
        expected: u64,
        counted: u64,
    },
    #[error(
        "the commit message says Bench: {expected}, and `bench` of the program shows no node count: {reason}"
    )]
    None {
        /// Node count in the commit message.
        expected: u64,
        reason: String,
    },
    #[error("`bench` was interrupted")]
    Interrupted,
}

/// The last number after the word Bench in a commit message, as OpenBench reads it.
pub(super) fn expected(message: &str) -> Option<u64> {
    let lower = message.to_ascii_lowercase();
    let numbers = lower.match_indices("bench").filter_map(|(at, word)| {
        let after = &lower[at + word.len()..];
        let digits = after.trim_start_matches([' ', ':', '=']);
        let is_apart = digits.len() < after.len();
        number(digits).filter(|_| is_apart)
    });
    numbers.last()
}

/// The number at the start of a text, with or without commas.
fn number(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != ',').unwrap_or(text.len());
    text[..end].replace(',', "").parse().ok()
}

/// The node count in the output of `bench`: `Nodes searched : N` or `N nodes M nps`.
pub(super) fn counted(output: &str) -> Option<u64> {
    let of_line = |line: &str| {
        let lower = line.to_ascii_lowercase();
        if let Some((_, after)) = lower.split_once("nodes searched") {
            return number(after.trim_start_matches([' ', ':', '=', '\t']));
        }
        let words: Vec<&str> = lower.split_whitespace().collect();
        let at = words.iter().position(|word| *word == "nodes")?;
        let before = at.checked_sub(1).and_then(|before| number(words[before]));
        before.filter(|_| lower.contains("nps"))
    };
    output.lines().rev().find_map(of_line)
}

/// Runs `bench` of a program and compares its node count with that of a commit message.
///
/// # Errors
/// If it counts other nodes, or none, or if a termination signal comes.
pub fn check(program: &Path, expected: u64, reaper: Option<&Reaper>) -> Result<(), BenchError> {
    let none = |reason: String| BenchError::None { expected, reason };
    let command = watched(EngineCommand::new(program).argument("bench"), reaper);
    let ran = run_to_end(&command, Instant::now() + LIMIT).map_err(|error| none(error.to_string()))?;
    if ran.exit.is_none() && signals::is_stopped() {
        return Err(BenchError::Interrupted);
    }
    let exit = ran.exit.ok_or_else(|| none(format!("it did not end within {} s", LIMIT.as_secs())))?;
    // Stockfish writes the count to standard error, others to standard output.
    match counted(&ran.output).or_else(|| counted(&ran.errors)) {
        Some(counted) if counted == expected => Ok(()),
        Some(counted) => Err(BenchError::Other { expected, counted }),
        None => Err(none(format!("it {exit}"))),
    }
}

/// The command, watched by the reaper.
pub(super) fn watched(command: EngineCommand, reaper: Option<&Reaper>) -> EngineCommand {
    match reaper {
        Some(reaper) => command.reaped_by(reaper),
        None => command,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_of_a_commit_message_is_read_as_openbench_reads_it() {
        let check = |message: &str, expected_count: Option<u64>| {
            assert_eq!(expected(message), expected_count, "{message}")
        };
        check("Tune\n\nBench: 2047406", Some(2_047_406));
        check("Tune\n\nbench 2,047,406\n", Some(2_047_406));
        check("BENCH=12", Some(12));
        check("Bench: 1\nBench: 2", Some(2));
        check("Mend the bench", None);
        check("bench12", None);
    }

    #[test]
    fn the_count_of_a_program_is_read_in_both_forms() {
        assert_eq!(counted("2047406 nodes 2458355 nps\n"), Some(2_047_406));
        assert_eq!(
            counted("Total time (ms) : 3\nNodes searched  : 4184000\nNodes/second : 1\n"),
            Some(4_184_000)
        );
        assert_eq!(counted("info nodes 12 nps 3\nbestmove e2e4\n"), None);
        assert_eq!(counted(""), None);
    }
}
