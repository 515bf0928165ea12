//! Console commands beyond the protocols (`d`, `eval`, `bench`, `perft` …). They do not change the position.

use std::fmt;
use std::time::Instant;

use smalt_chess::perft::{DEEPEST, perft_until};
use smalt_chess::{CastlingMode, Move, Position, San, UciMove};

use super::diagram::{BoardStyle, Details};
use super::settings::Settings;
use crate::bench::{self, BenchPlan, per_second};
use crate::engine::Engine;
use crate::evaluation::explain;
use crate::openings::OpeningsPlan;
use crate::search::{KnownEnding, SearchControl};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ConsoleCommand {
    Help,
    /// List the legal moves.
    Moves,
    /// Count leaf nodes at this depth (perft).
    Perft(u32),
    /// Perft with a count for each first move.
    Divide(u32),
    Display,
    /// Show the evaluation by terms.
    Evaluate,
    /// Turn the book on or off.
    Book(bool),
    Bench(BenchPlan),
    Openings(OpeningsPlan),
    /// A console command with invalid arguments; the error message.
    Misused(String),
}

const HELP: &str = "\
moves                             the legal moves
perft N                           perft: leaf nodes of the legal move tree at depth N
divide N                          perft per root move
display, d                        the board
evaluate, eval                    static evaluation by term, and known endgame results
book on|off                       play from the book (option BookFile), or not
bench [N]                         search fixed positions to depth N
genfens N seed S book FILE|None   N random openings
UCI: uci, isready, ucinewgame, setoption name N value V, position startpos|fen FEN [moves M…],
     go [depth N|nodes N|movetime MS|wtime MS btime MS|infinite], stop, quit
xboard: xboard as the first word changes to its protocol";

impl ConsoleCommand {
    /// Parses a line; `None` if it is not a console command.
    pub(super) fn parse(line: &str) -> Option<ConsoleCommand> {
        let misused = |usage: &str| ConsoleCommand::Misused(format!("expected {usage}"));
        let words: Vec<&str> = line.split_whitespace().collect();
        let (&first, rest) = words.split_first()?;
        let plies = |range: std::ops::RangeInclusive<u32>| match rest {
            [plies] => plies.parse().ok().filter(|plies| range.contains(plies)),
            _ => None,
        };
        Some(match first {
            "help" => ConsoleCommand::Help,
            "moves" => ConsoleCommand::Moves,
            "display" | "d" => ConsoleCommand::Display,
            "evaluate" | "eval" => ConsoleCommand::Evaluate,
            "perft" => plies(0..=DEEPEST)
                .map_or_else(|| misused(&format!("perft N, from 0 to {DEEPEST}")), ConsoleCommand::Perft),
            "divide" => plies(1..=DEEPEST)
                .map_or_else(|| misused(&format!("divide N, from 1 to {DEEPEST}")), ConsoleCommand::Divide),
            "book" => match rest {
                ["on"] => ConsoleCommand::Book(true),
                ["off"] => ConsoleCommand::Book(false),
                _ => misused("book on|off"),
            },
            "bench" => match (plies(1..=127), rest) {
                (Some(depth), _) => {
                    ConsoleCommand::Bench(BenchPlan { depth: depth as i32, ..BenchPlan::default() })
                }
                (None, []) => ConsoleCommand::Bench(BenchPlan::default()),
                _ => misused("bench [N], from 1 to 127"),
            },
            "genfens" => OpeningsPlan::parse(line)
                .map_or_else(|error| ConsoleCommand::Misused(error.to_string()), ConsoleCommand::Openings),
            _ => return None,
        })
    }

    /// Whether stop and quit end the command: perft and divide. All others run to completion.
    pub(super) fn is_count(&self) -> bool {
        matches!(self, ConsoleCommand::Perft(_) | ConsoleCommand::Divide(_))
    }

    /// Runs the command on the engine's position; perft ends early when `stop` is signaled.
    pub(super) fn run(
        &self,
        engine: &mut Engine,
        settings: &mut Settings,
        control: &SearchControl,
        send: &mut dyn FnMut(&dyn fmt::Display),
    ) {
        match self {
            ConsoleCommand::Help => send(&HELP),
            ConsoleCommand::Moves => list_moves(engine.position(), send),
            ConsoleCommand::Display => {
                send(&BoardStyle::Ascii.board(engine.position()));
                send(&Details(engine.position()));
            }
            ConsoleCommand::Evaluate => {
                send(&explain(engine.position(), engine.parameters()));
                if let Some(ending) = KnownEnding::of(engine.position()) {
                    send(&ending);
                }
            }
            ConsoleCommand::Perft(depth) => run_perft(engine.position(), *depth, false, control, send),
            ConsoleCommand::Divide(depth) => run_perft(engine.position(), *depth, true, control, send),
            ConsoleCommand::Book(is_on) => switch_book(engine, settings, *is_on, send),
            ConsoleCommand::Bench(plan) => match bench::run(*plan) {
                Ok(result) => send(&result),
                Err(error) => send(&format_args!("info string {error}")),
            },
            ConsoleCommand::Openings(plan) => {
                if !plan.ignored.is_empty() {
                    send(&format_args!("info string ignored: {}", plan.ignored.join(" ")));
                }
                let made = plan.run(&mut |position| {
                    send(&format_args!("info string genfens {}", position.to_fen()));
                });
                if let Err(error) = made {
                    send(&error);
                }
            }
            ConsoleCommand::Misused(usage) => send(usage),
        }
    }
}

fn list_moves(position: &Position, send: &mut dyn FnMut(&dyn fmt::Display)) {
    let moves = position.legal_moves();
    let texts: Vec<String> = moves.iter().map(|&mv| San::from_move(mv, position).to_string()).collect();
    let noun = if texts.len() == 1 { "move" } else { "moves" };
    send(&format_args!("{} {noun}: {}", texts.len(), texts.join(" ")));
}

/// Perft by first move, in move order: passes each count to the callback and returns the sum. `None` once `stop` is
/// signaled.
pub(super) fn divide(
    position: &Position,
    depth: u32,
    control: &SearchControl,
    take: &mut dyn FnMut(Move, u64),
) -> Option<u64> {
    let mut total = 0;
    for &mv in &position.legal_moves() {
        let count = perft_until(&position.after(mv), depth - 1, &|| control.is_stopped())?;
        take(mv, count);
        total += count;
    }
    Some(total)
}

fn run_perft(
    position: &Position,
    depth: u32,
    shows_moves: bool,
    control: &SearchControl,
    send: &mut dyn FnMut(&dyn fmt::Display),
) {
    let begun = Instant::now();
    let mode = CastlingMode::of(position);
    let nodes = match depth {
        0 => Some(1),
        _ => divide(position, depth, control, &mut |mv, count| {
            if shows_moves {
                send(&format_args!("{}: {count}", UciMove::from_move(mv, mode)));
            }
        }),
    };
    let time = begun.elapsed();
    match nodes {
        Some(nodes) => {
            send(&format_args!("nodes {nodes}"));
            send(&format_args!("time {} ms", time.as_millis()));
            send(&format_args!("nps {}", per_second(nodes, time)));
        }
        None => send(&"stopped"),
    }
}

fn switch_book(
    engine: &mut Engine,
    settings: &mut Settings,
    is_on: bool,
    send: &mut dyn FnMut(&dyn fmt::Display),
) {
    if let Err(error) = settings.use_book(engine, is_on) {
        return send(&error);
    }
    let state = match (is_on, settings.has_book_file()) {
        (true, true) => "on",
        (true, false) => "on, but there is none: name it by the option BookFile",
        (false, _) => "off",
    };
    send(&format_args!("book {state}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_parsed_and_misuse_is_reported() {
        let check = |line, expected| assert_eq!(ConsoleCommand::parse(line), expected, "{line}");
        check("perft 3", Some(ConsoleCommand::Perft(3)));
        check(" divide  1 ", Some(ConsoleCommand::Divide(1)));
        check("book off", Some(ConsoleCommand::Book(false)));
        check("bench", Some(ConsoleCommand::Bench(BenchPlan::default())));
        check("eval", Some(ConsoleCommand::Evaluate));
        for line in ["", "perfect 3", "bk", "e2e4", "go", "new"] {
            check(line, None);
        }
        for line in ["perft", "perft x", "perft -1", "perft 99", "divide 0", "book", "bench 0", "genfens 3"] {
            assert!(matches!(ConsoleCommand::parse(line), Some(ConsoleCommand::Misused(_))), "{line}");
        }
    }
}
