//! The output of searches in a game: lines for the PGN, and warnings about invalid lines.

use std::sync::Arc;

use regex::Regex;
use smalt_chess::{Color, Position, UciMove};
use smalt_driver::SearchLines;
use smalt_driver::process::text;
use smalt_protocol::Score;

use super::LiveGame;
use crate::game::search_warning::{GameWarning, MateSigns, Root, SearchWarning, check_search, last_lines};

/// A search whose lines are not checked yet.
pub(super) struct UncheckedSearch {
    pub(super) mover: Color,
    pub(super) position: Position,
    /// Number of moves before it.
    pub(super) plies: usize,
    /// Its best move, if legal.
    pub(super) best: Option<UciMove>,
    pub(super) score: Option<Score>,
    /// Whether any line has a score.
    pub(super) has_score: bool,
}

impl LiveGame<'_> {
    /// Sets which lines of a search the engines keep for checks and for the PGN.
    pub(super) fn keep_search_lines(&mut self) {
        let lines = if self.setup.match_lines.is_empty() { SearchLines::Info } else { SearchLines::All };
        self.engines.iter_mut().for_each(|engine| engine.keep_search_lines(lines));
    }

    /// For each pattern, the last matching line of the mover's search.
    pub(super) fn matching_lines(&self, mover: Color) -> Box<[Box<str>]> {
        if self.setup.match_lines.is_empty() {
            return Box::default();
        }
        let text = text(self.engines[mover.index()].search_lines());
        let last = |pattern: &Regex| text.lines().rev().find(|line| pattern.is_match(line)).map(Box::from);
        self.setup.match_lines.iter().filter_map(last).collect()
    }

    /// Checks the lines of the last search. This runs after the other side started to think, and before its output is
    /// read: it delays no search, but a faster answer is measured as if it came at the end of the check.
    pub(super) fn check_search(&mut self) {
        let Some(UncheckedSearch { mover, position, plies, best, score, has_score }) = self.unchecked.take()
        else {
            return;
        };
        let lines = last_lines(self.engines[mover.index()].search_lines());
        let scores = self.scores[mover.index()];
        let root = Root { position: &position, keys: &self.game.keys()[..=plies], scores };
        let mut findings = check_search(root, lines, best, self.setup.check_mate_pvs, has_score);
        let mut signs = None;
        self.mate_lines[mover.index()] = match score {
            Some(Score::Mate(moves)) => {
                let line = last_score_line(lines);
                signs = self.mate_signs(mover, moves);
                if signs.is_some() {
                    findings.add(SearchWarning::MateSigns, None, &line);
                }
                Some((moves, line))
            }
            _ => None,
        };
        // A search that ended in a fault has no record.
        if let Some(search) = self.plies.get_mut(plies).and_then(|ply| ply.search.as_mut()) {
            search.warnings = findings.counts;
        }
        if findings.first.is_empty() {
            return;
        }
        let moves: Arc<[UciMove]> = self.moves[..plies].into();
        for finding in findings.first {
            let mate_signs = signs.clone().filter(|_| finding.kind == SearchWarning::MateSigns);
            let (fen, moves) = (self.setup.opening.fen.clone(), Arc::clone(&moves));
            self.setup.observer.search_warning(mover, GameWarning { finding, fen, moves, mate_signs });
        }
    }

    /// Contradiction if both sides announce that they mate, or that they are mated.
    fn mate_signs(&self, mover: Color, moves: i32) -> Option<MateSigns> {
        let first = mover.opposite();
        let (other, line) = self.mate_lines[first.index()].as_ref()?;
        let is_same = moves.signum() * other.signum() > 0;
        is_same.then(|| MateSigns { first, mates: [*other, moves], line: line.clone() })
    }
}

/// The last line of a search with an exact score.
fn last_score_line(lines: &[u8]) -> String {
    let text = text(lines);
    let is_exact =
        |line: &&str| line.contains(" score ") && !line.contains("bound") && !line.contains(" string ");
    text.lines().rev().find(is_exact).unwrap_or_default().to_owned()
}
