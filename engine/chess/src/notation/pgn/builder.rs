//! Builds a whole game from the reader's events, checking that every move is legal.

use super::game::PgnGame;
use super::problem::{PgnProblem, ProblemKind, SkippedGame};
use super::tags::Tags;
use super::visitor::{Flow, Visitor};
use crate::notation::fen::FenError;
use crate::notation::san::{San, SanBody, SanError};
use crate::outcome::Outcome;
use crate::position::Position;

/// Maximum number of problems kept per game.
const PROBLEM_LIMIT: usize = 100;

/// Whether [`PgnReader::read_game`](super::PgnReader::read_game) keeps variations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variations {
    /// Variations are parsed and checked.
    Keep,
    /// Variations are skipped unparsed.
    Skip,
}

/// A visitor that builds a game.
pub(super) struct Builder {
    variations: Variations,
    line: u64,
    tags: Tags,
    /// `None` before the end of the tags, and if the game cannot be used.
    game: Option<PgnGame>,
    problems: Vec<PgnProblem>,
    refusal: Option<PgnProblem>,
}

impl Builder {
    pub(super) fn new(variations: Variations) -> Builder {
        Builder { variations, line: 0, tags: Tags::new(), game: None, problems: Vec::new(), refusal: None }
    }

    pub(super) fn finish(self) -> Result<PgnGame, SkippedGame> {
        match (self.game, self.refusal) {
            (Some(mut game), None) => {
                game.line = self.line;
                game.problems = self.problems;
                Ok(game)
            }
            (_, refusal) => {
                let no_moves = PgnProblem { line: self.line, kind: ProblemKind::NoResult };
                Err(SkippedGame { line: self.line, problem: refusal.unwrap_or(no_moves) })
            }
        }
    }

    fn start(&self) -> Result<Position, ProblemKind> {
        match self.tags.get("Variant") {
            Some(variant) if !is_known_variant(variant) => return Err(ProblemKind::Variant(variant.into())),
            _ => {}
        }
        let fen = self.tags.get("FEN").filter(|fen| !fen.trim().is_empty());
        fen.map_or(Ok(Position::start()), |fen| {
            Position::from_fen(fen).map_err(|error: FenError| error.into())
        })
    }
}

fn is_known_variant(name: &str) -> bool {
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    matches!(
        letters.to_ascii_lowercase().as_str(),
        "" | "standard"
            | "chess"
            | "normal"
            | "orthodox"
            | "fromposition"
            | "chess960"
            | "960"
            | "frc"
            | "fischerandom"
            | "fischerrandom"
            | "fischerandomchess"
            | "fischerrandomchess"
    )
}

impl Visitor for Builder {
    fn begin_game(&mut self, line: u64) {
        self.line = line;
    }

    fn tag(&mut self, name: &str, value: &str) {
        self.tags.set(name, value);
    }

    fn begin_moves(&mut self) -> Flow {
        match self.start() {
            Ok(start) => {
                self.game = Some(PgnGame::with_tags(std::mem::take(&mut self.tags), start));
                Flow::Read
            }
            Err(kind) => {
                self.refusal = Some(PgnProblem { line: self.line, kind });
                Flow::Skip
            }
        }
    }

    #[inline]
    fn san(&mut self, san: San, line: u64) -> Flow {
        let Some(game) = &mut self.game else { return Flow::Skip };
        let played = match san.body {
            SanBody::Null if game.push_pass() => Ok(()),
            SanBody::Null => Err(SanError::Illegal(san)),
            _ => san.to_move(game.position()).map(|mv| game.push_legal(mv)),
        };
        match played {
            Ok(()) => Flow::Read,
            Err(error) => {
                self.problem(PgnProblem { line, kind: error.into() });
                Flow::Skip
            }
        }
    }

    fn nag(&mut self, nag: u8) {
        if let Some(game) = &mut self.game {
            game.push_nag(nag);
        }
    }

    fn comment(&mut self, text: &str) {
        if let Some(game) = &mut self.game {
            game.push_comment(text);
        }
    }

    fn begin_variation(&mut self, line: u64) -> Flow {
        let Some(game) = &mut self.game else { return Flow::Skip };
        if self.variations == Variations::Skip {
            return Flow::Skip;
        }
        match game.begin_variation() {
            Ok(()) => Flow::Read,
            Err(_) => {
                self.problem(PgnProblem { line, kind: ProblemKind::Parentheses });
                Flow::Skip
            }
        }
    }

    fn end_variation(&mut self) {
        if let Some(game) = &mut self.game {
            let _ = game.end_variation();
        }
    }

    fn end_game(&mut self, outcome: Option<Outcome>) {
        if let Some(game) = &mut self.game {
            while game.depth() > 0 {
                let _ = game.end_variation();
            }
            let tag = game.tags().get("Result").and_then(Outcome::parse);
            game.set_outcome(outcome.or(tag));
            if let (Some(behind_moves), Some(tag)) = (outcome, tag)
                && behind_moves != tag
            {
                let line = self.line;
                self.problem(PgnProblem { line, kind: ProblemKind::Results { tag, behind_moves } });
            }
        }
    }

    fn problem(&mut self, problem: PgnProblem) {
        if self.problems.len() < PROBLEM_LIMIT {
            self.problems.push(problem);
        }
    }
}
