//! The engine's best lines during a search, for pages.

use serde::Serialize;
use smalt_chess::{Position, UciMove};
use smalt_driver::SearchResult;
use smalt_match::plan::ScoreView;
use smalt_protocol::{Info, Score};

use super::opponent::{MOST_LINES, Purpose};
use crate::game::{ScoreJson, line_in_san, squares};

/// Lines of a search so far.
#[derive(Clone, Debug)]
pub(super) struct Thinking {
    purpose: &'static str,
    root: Position,
    view: ScoreView,
    nodes: Option<u64>,
    nps: Option<u64>,
    /// Lines by MultiPV index.
    lines: Vec<Option<Line>>,
}

#[derive(Clone, Debug)]
struct Line {
    score: Score,
    depth: Option<u32>,
    pv: Vec<UciMove>,
}

#[derive(Serialize)]
struct ThinkingJson {
    purpose: &'static str,
    nodes: Option<u64>,
    nps: Option<u64>,
    lines: Vec<LineJson>,
}

#[derive(Serialize)]
struct LineJson {
    #[serde(flatten)]
    score: ScoreJson,
    depth: Option<u32>,
    line: Vec<String>,
    from: String,
    to: String,
}

impl Thinking {
    pub(super) fn new(purpose: Purpose, root: Position, view: ScoreView) -> Thinking {
        Thinking { purpose: purpose.name(), root, view, nodes: None, nps: None, lines: Vec::new() }
    }

    /// Adds an info line; returns whether it has a variation.
    pub(super) fn update(&mut self, info: &Info<'_>) -> bool {
        self.nodes = info.nodes.or(self.nodes);
        self.nps = info.nps.or(self.nps);
        let Some(reported) = info.score.filter(|_| !info.pv.is_empty()) else { return false };
        let score = self.view.of_mover(self.root.turn(), reported).score;
        let line = Line { score, depth: info.depth, pv: info.pv.to_vec() };
        let index = info.multipv.unwrap_or(1).saturating_sub(1) as usize;
        if index >= MOST_LINES {
            return false;
        }
        if self.lines.len() <= index {
            self.lines.resize(index + 1, None);
        }
        self.lines[index] = Some(line);
        true
    }

    /// Score of the best line, or of the result without lines, from the side to move's view.
    pub(super) fn score(&self, result: &SearchResult) -> Option<Score> {
        let reported = result.report.score.map(|score| self.view.of_mover(self.root.turn(), score).score);
        self.lines.first().and_then(|line| Some(line.as_ref()?.score)).or(reported)
    }

    pub(super) fn to_json(&self) -> String {
        let turn = self.root.turn();
        let line = |line: &Line| {
            let [from, to] = line.pv.first().map_or_else(Default::default, |&mv| squares(mv));
            let moves = line_in_san(&line.pv, self.root);
            LineJson {
                score: ScoreJson::of(Some(line.score), turn),
                depth: line.depth,
                line: moves,
                from,
                to,
            }
        };
        let lines = self.lines.iter().flatten().map(line).collect();
        let json = ThinkingJson { purpose: self.purpose, nodes: self.nodes, nps: self.nps, lines };
        serde_json::to_string(&json).expect("names and numbers are valid JSON")
    }
}
