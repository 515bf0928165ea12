//! Results from PGN tags; moves are skipped. A game that cannot be counted yields a notice with line and reason.

use std::fmt;
use std::io::{self, Read};

use smalt_chess::notation::pgn::{Flow, PgnProblem, PgnReader, Visitor};
use smalt_chess::{Color, Outcome};
use smalt_stats::{GameResult, Wdl};

use super::Games;

/// A problem in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Notice {
    /// Line, from 1; for a game its first line.
    pub line: u64,
    /// Problem, and whether the game counts.
    pub words: String,
    /// Whether the game is skipped.
    pub consequence: Consequence,
}

/// Consequence of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consequence {
    /// The game is not counted.
    Skipped,
    None,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.words)
    }
}

/// Adds all finished games of a text; returns notices about the others.
///
/// # Errors
/// If the stream fails; games before the error are counted.
pub(crate) fn read(source: impl Read, games: &mut Games) -> io::Result<Vec<Notice>> {
    let mut reader = PgnReader::new(source);
    let mut tags = ResultReader { games, game: GameTags::default(), notices: Vec::new() };
    while reader.visit_game(&mut tags)? {}
    Ok(tags.notices)
}

struct ResultReader<'a> {
    games: &'a mut Games,
    game: GameTags,
    notices: Vec<Notice>,
}

#[derive(Default)]
struct GameTags {
    line: u64,
    white: String,
    black: String,
    result: String,
}

impl Visitor for ResultReader<'_> {
    fn begin_game(&mut self, line: u64) {
        self.game.line = line;
        for text in [&mut self.game.white, &mut self.game.black, &mut self.game.result] {
            text.clear();
        }
    }

    fn tag(&mut self, name: &str, value: &str) {
        let slot = match name {
            "White" => &mut self.game.white,
            "Black" => &mut self.game.black,
            "Result" => &mut self.game.result,
            _ => return,
        };
        slot.clear();
        slot.push_str(value.trim());
    }

    fn begin_moves(&mut self) -> Flow {
        Flow::Skip
    }

    fn end_game(&mut self, outcome: Option<Outcome>) {
        if let Err(words) = self.count(outcome) {
            let line = self.game.line;
            self.notices.push(Notice { line, words, consequence: Consequence::Skipped });
        }
    }

    fn problem(&mut self, problem: PgnProblem) {
        let PgnProblem { line, kind } = problem;
        self.notices.push(Notice { line, words: kind.to_string(), consequence: Consequence::None });
    }
}

impl ResultReader<'_> {
    /// Adds the game by its tags; a result after the moves must agree with them.
    fn count(&mut self, behind_moves: Option<Outcome>) -> Result<(), String> {
        let GameTags { white, black, result, .. } = &self.game;
        if let Some((tag, _)) = [("White", white), ("Black", black)]
            .into_iter()
            .find(|(_, name)| name.is_empty() || name.as_str() == "?")
        {
            return Err(format!("the game has no {tag}; it is not counted"));
        }
        if white == black {
            return Err(format!("{white:?} plays against itself; it is not counted"));
        }
        let outcome = match result.as_str() {
            "*" => return Err("the game is unfinished (`*`); it is not counted".to_owned()),
            "" => behind_moves.ok_or("the game has no result; it is not counted")?,
            "1/2" => Outcome::Draw,
            text => Outcome::parse(text)
                .ok_or_else(|| format!("{text:?} is not a result; the game is not counted"))?,
        };
        if behind_moves.is_some_and(|behind| behind != outcome) {
            return Err(format!(
                "the Result tag is {result}, but the moves end with {}; the game is not counted",
                behind_moves.map(|outcome| outcome.to_string()).unwrap_or_default()
            ));
        }
        let mut results = Wdl::default();
        results.record(match outcome {
            Outcome::Win(Color::White) => GameResult::Win,
            Outcome::Win(_) => GameResult::Loss,
            Outcome::Draw => GameResult::Draw,
        });
        let white = self.games.player(white);
        let black = self.games.player(black);
        self.games.add(white, black, results);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, counted: u64, notices: &[&str]) {
        let mut games = Games::default();
        let found = read(text.as_bytes(), &mut games).unwrap();
        assert_eq!(games.count(), counted, "{text}");
        assert_eq!(found.iter().map(Notice::to_string).collect::<Vec<_>>(), notices, "{text}");
    }

    #[test]
    fn games_count_by_their_tags() {
        check(
            "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 {[White \"c\"]\n[x]} e5 1-0\n",
            1,
            &[],
        );
        check("[White \"a\"]\n[Black \"b\"]\n\n1. e4 1/2-1/2\n", 1, &[]);
        check("", 0, &[]);
    }

    #[test]
    fn uncountable_games_are_reported_with_their_line() {
        let game = |white: &str, tag: &str, end: &str| {
            format!("[White \"{white}\"]\n[Black \"b\"]\n[Result \"{tag}\"]\n\n1. e4 {end}\n\n")
        };
        let good = game("a", "0-1", "0-1");
        check(
            &format!("{good}{}{good}", game("a", "*", "*")),
            2,
            &["line 7: the game is unfinished (`*`); it is not counted"],
        );
        check(&game("?", "1-0", "1-0"), 0, &["line 1: the game has no White; it is not counted"]);
        check(&game("b", "1-0", "1-0"), 0, &["line 1: \"b\" plays against itself; it is not counted"]);
        check(&game("a", "2-0", "1-0"), 0, &["line 1: \"2-0\" is not a result; the game is not counted"]);
        check(
            &game("a", "1-0", "0-1"),
            0,
            &["line 1: the Result tag is 1-0, but the moves end with 0-1; the game is not counted"],
        );
        check(&format!("{}{good}", game("a", "1-0", "")), 2, &["line 7: no result behind the moves"]);
    }
}
