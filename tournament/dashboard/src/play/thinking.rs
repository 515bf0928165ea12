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
        let first = line.pv.first();
        let stale = |other: &Option<Line>| other.as_ref().is_some_and(|other| other.pv.first() == first);
        // Another line with this first move is of an earlier iteration: the one that is replaced here takes its place.
        let earlier = self.lines.iter().position(stale).filter(|&other| other != index);
        if let Some(earlier) = earlier {
            self.lines.swap(earlier, index);
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

#[cfg(test)]
mod tests {
    use smalt_protocol::uci::EngineMessage;

    use super::*;

    fn after(infos: &[(u32, &str)]) -> Vec<String> {
        let mut thinking = Thinking::new(Purpose::Hint, Position::start(), ScoreView::Mover);
        for &(multipv, mv) in infos {
            let info = format!("info depth 5 multipv {multipv} score cp 1 pv {mv}");
            let EngineMessage::Info(info) = EngineMessage::parse(&info) else { panic!("{info}") };
            assert!(thinking.update(&info));
        }
        let json: serde_json::Value = serde_json::from_str(&thinking.to_json()).unwrap();
        json["lines"]
            .as_array()
            .unwrap()
            .iter()
            .map(|line| line["line"][0].as_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn no_first_move_has_two_lines_while_an_iteration_is_reported() {
        let iteration = [(1, "e2e4"), (2, "d2d4"), (3, "c2c4")];
        assert_eq!(after(&iteration), ["e4", "d4", "c4"]);
        let next = [&iteration[..], &[(1, "c2c4")]].concat();
        assert_eq!(after(&next), ["c4", "d4", "e4"]);
        let after_that = [&next[..], &[(2, "e2e4"), (3, "d2d4")]].concat();
        assert_eq!(after(&after_that), ["c4", "e4", "d4"]);
        assert_eq!(after(&[(1, "e2e4"), (2, "e2e4")]), ["e4"]);
    }
}
