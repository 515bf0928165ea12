//! State of a UCI engine as read from its lines: name, options, readiness and search.
//!
//! Info lines are not parsed without an observer: the last relevant ones are kept as bytes and parsed after the best
//! move. Lines of a long search are parsed to check its work limits.

use std::time::Instant;

use memchr::memchr;
use smalt_chess::UciMove;
use smalt_protocol::Info;
use smalt_protocol::uci::EngineMessage;
use smalt_protocol::uci::engine::{BestMove, Id};

use crate::conversation::LineHandler;
use crate::declared_options::DeclaredOptions;
use crate::fault::{Fault, quote};
use crate::process::{Line, text};
use crate::search::{SearchControl, SearchLines, SearchReport, WorkLimit};

/// Whether a best move is awaited.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Awaiting {
    #[default]
    Nothing,
    BestMove,
}

/// Whether the engine knows the word `uci`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Refusal {
    #[default]
    Ignored,
    /// Waiting for a complaint.
    Awaited,
    Refused,
}

impl Refusal {
    /// `Illegal move: uci`, `Error (unknown command): uci`, `Unknown command: 'uci'` and the like.
    fn update(&mut self, line: &str) {
        const COMPLAINTS: [&str; 5] = ["illegal", "error", "invalid", "unknown", "unrecognized"];
        let line = line.to_ascii_lowercase();
        if *self == Refusal::Awaited
            && line.contains("uci")
            && COMPLAINTS.iter().any(|complaint| line.contains(complaint))
        {
            *self = Refusal::Refused;
        }
    }
}

/// An engine's answer to `go`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Answer {
    pub(super) best: Result<Option<UciMove>, Fault>,
    pub(super) ponder: Option<UciMove>,
    pub(super) at: Instant,
}

/// What was received and not handled yet.
#[derive(Debug, Default)]
pub(super) struct EngineState {
    pub(super) name: String,
    pub(super) author: String,
    pub(super) options: DeclaredOptions,
    pub(super) introduced: bool,
    pub(super) refusal: Refusal,
    pub(super) ready: bool,
    pub(super) awaiting: Awaiting,
    pub(super) answer: Option<Answer>,
    pub(super) info_lines: u64,
    /// The last line that was not understood since the last request.
    pub(super) not_understood: String,
    /// The limit checked with every line from now on, if any.
    pub(super) watched: Option<WorkLimit>,
    /// Whether the search exceeded that limit.
    pub(super) is_overrun: bool,
    /// The last line of the best variation with an exact score, or without a score.
    line_of_play: Vec<u8>,
    /// The last later line with a bound as score.
    bounded: Vec<u8>,
    /// The last later line with counters.
    counters: Vec<u8>,
    /// Which lines of a search are kept, and those of the last search.
    pub(super) keeps: SearchLines,
    pub(super) kept: Vec<u8>,
}

/// Maximum length of the kept lines; when they reach it, the first half of them is dropped. Info lines are checked while
/// the other engine's clock runs.
const MOST_KEPT_INFO: usize = 1 << 16;
const MOST_KEPT: usize = 1 << 20;

impl EngineState {
    /// Clears the last search and waits for the next best move.
    pub(super) fn expect_search(&mut self) {
        self.awaiting = Awaiting::BestMove;
        self.answer = None;
        self.info_lines = 0;
        self.not_understood.clear();
        self.watch(None);
        self.line_of_play.clear();
        self.bounded.clear();
        self.counters.clear();
        self.kept.clear();
    }

    fn keep_line(&mut self, line: &[u8]) {
        let most = if self.keeps == SearchLines::All { MOST_KEPT } else { MOST_KEPT_INFO };
        if self.kept.len() + line.len() >= most {
            let half = self.kept.len().saturating_sub(most / 2);
            let feed = memchr(b'\n', &self.kept[half..]);
            self.kept.drain(..feed.map_or(self.kept.len(), |feed| half + feed + 1));
        }
        self.kept.extend_from_slice(line);
        self.kept.push(b'\n');
    }

    /// The answer belongs to an earlier search: continues to wait for this one's.
    pub(super) fn await_another(&mut self) {
        self.awaiting = Awaiting::BestMove;
    }

    /// Sets or clears the limit of nodes and depth; lines already received count too.
    pub(super) fn watch(&mut self, limit: Option<WorkLimit>) {
        self.watched = limit;
        let report = limit.map(|_| self.report()).unwrap_or_default();
        self.is_overrun = limit.is_some_and(|limit| limit.is_overrun(report.nodes, report.depth));
    }

    /// The report from the lines of this search.
    pub(super) fn report(&self) -> SearchReport {
        let mut report = SearchReport::default();
        let lines = [&self.line_of_play, &self.bounded, &self.counters];
        for bytes in lines.into_iter().filter(|bytes| !bytes.is_empty()) {
            if let EngineMessage::Info(info) = EngineMessage::parse(&text(bytes)) {
                report.update(&info);
            }
        }
        report
    }

    fn on_info(&mut self, line: &[u8]) {
        if self.awaiting == Awaiting::Nothing {
            return;
        }
        self.info_lines += 1;
        if self.keeps != SearchLines::Report {
            self.keep_line(line);
        }
        match kind_of_info(line) {
            InfoKind::LineOfPlay => {
                keep(&mut self.line_of_play, line);
                self.bounded.clear();
                self.counters.clear();
            }
            InfoKind::Bounded => {
                keep(&mut self.bounded, line);
                self.counters.clear();
            }
            InfoKind::Counters => keep(&mut self.counters, line),
            InfoKind::Other => return,
        }
        if let Some(limit) = self.watched
            && let EngineMessage::Info(info) = EngineMessage::parse(&text(line))
        {
            self.is_overrun |= limit.is_overrun(info.nodes, info.depth);
        }
    }

    fn on_message(&mut self, line: &str, at: Instant) {
        match EngineMessage::parse(line) {
            EngineMessage::Id(Id::Name(name)) => self.name = name.to_owned(),
            EngineMessage::Id(Id::Author(author)) => self.author = author.to_owned(),
            EngineMessage::Option(option) if self.introduced => self.options.replace(option),
            EngineMessage::Option(option) => self.options.add(option),
            EngineMessage::UciOk => self.introduced = true,
            EngineMessage::ReadyOk => self.ready = true,
            EngineMessage::BestMove { best, ponder } if self.awaiting == Awaiting::BestMove => {
                let best = match best {
                    BestMove::Move(UciMove::NULL) | BestMove::None => Ok(None),
                    BestMove::Move(mv) => Ok(Some(mv)),
                    BestMove::Unreadable("") => Err(Fault::NoMove { line: quote(line) }),
                    BestMove::Unreadable(_) => Err(Fault::MalformedBestmove { line: quote(line) }),
                };
                self.answer = Some(Answer { best, ponder, at });
                self.awaiting = Awaiting::Nothing;
            }
            EngineMessage::BestMove { .. }
            | EngineMessage::Info(_)
            | EngineMessage::CopyProtection(_)
            | EngineMessage::Registration(_) => {}
            EngineMessage::Other(line) => {
                self.refusal.update(line);
                if !line.trim().is_empty() {
                    self.not_understood = quote(line.trim());
                }
            }
        }
    }
}

impl LineHandler for EngineState {
    fn on_line(&mut self, line: Line<'_>, at: Instant) {
        if is_info(line.bytes) {
            self.on_info(line.bytes);
        } else {
            if self.keeps == SearchLines::All && self.awaiting == Awaiting::BestMove {
                self.keep_line(line.bytes);
            }
            self.on_message(&line.text(), at);
        }
    }
}

/// Passes each info line to an observer too.
pub(super) struct ObservedState<'a, 'o> {
    pub(super) received: &'a mut EngineState,
    pub(super) observer: &'a mut (dyn FnMut(&Info<'_>, std::time::Duration) -> SearchControl + 'o),
    pub(super) since: Instant,
    pub(super) wish: SearchControl,
}

impl LineHandler for ObservedState<'_, '_> {
    fn on_line(&mut self, line: Line<'_>, at: Instant) {
        if self.received.awaiting == Awaiting::BestMove
            && is_info(line.bytes)
            && let EngineMessage::Info(info) = EngineMessage::parse(&line.text())
            && (self.observer)(&info, at.saturating_duration_since(self.since)) == SearchControl::Stop
        {
            self.wish = SearchControl::Stop;
        }
        self.received.on_line(line, at);
    }
}

fn is_info(line: &[u8]) -> bool {
    line.trim_ascii_start()
        .strip_prefix(b"info")
        .is_some_and(|rest| matches!(rest.first(), Some(b' ' | b'\t')))
}

/// Kind of an info line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum InfoKind {
    /// Score or moves of the best variation.
    LineOfPlay,
    /// The same with a bound as score.
    Bounded,
    /// Nodes or time without a score.
    Counters,
    /// Current move, other variations, `string`.
    Other,
}

/// Scans the words before `pv` or `string`; both end a line.
fn kind_of_info(line: &[u8]) -> InfoKind {
    let mut kind = InfoKind::Other;
    let mut words = line.split(|byte| *byte <= b' ').filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        match word {
            b"multipv" if words.next() != Some(b"1") => return InfoKind::Other,
            b"lowerbound" | b"upperbound" if kind == InfoKind::LineOfPlay => kind = InfoKind::Bounded,
            b"score" | b"pv" if kind != InfoKind::Bounded => kind = InfoKind::LineOfPlay,
            b"nodes" | b"time" | b"nps" if kind == InfoKind::Other => kind = InfoKind::Counters,
            _ => {}
        }
        if matches!(word, b"pv" | b"string" | b"refutation" | b"currline") {
            break;
        }
    }
    kind
}

fn keep(slot: &mut Vec<u8>, line: &[u8]) {
    slot.clear();
    slot.extend_from_slice(line);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::LineEnd;
    use smalt_protocol::{Bound, Score};

    fn receive(received: &mut EngineState, line: &str) {
        received.on_line(Line { bytes: line.as_bytes(), end: LineEnd::LineFeed }, Instant::now());
    }

    #[test]
    fn the_last_line_of_the_best_variation_is_reported_with_later_counters() {
        let mut received = EngineState::default();
        received.expect_search();
        for line in [
            "info depth 9 score cp 99 nodes 5 pv d2d4",
            "info depth 10 seldepth 14 multipv 1 score cp 21 nodes 1000 nps 5000 time 200 pv e2e4 e7e5",
            "info depth 10 multipv 2 score cp 3 nodes 1100 pv a2a3",
            "info currmove a2a3 currmovenumber 5",
            "info string score pv nodes 7",
            "info nodes 2000 nps 6000 time 333 hashfull 12 tbhits 4",
        ] {
            receive(&mut received, line);
        }
        let report = received.report();
        assert_eq!((report.depth, report.selective_depth, report.nodes), (Some(10), Some(14), Some(2000)));
        assert_eq!((report.hashfull, report.tbhits, report.pv.len()), (Some(12), Some(4), 2));
        assert_eq!(report.score, Some(smalt_protocol::Score::Centipawns(21).into()));
        assert_eq!(received.info_lines, 6);
    }

    #[test]
    fn a_bound_does_not_replace_the_last_exact_score() {
        let mut received = EngineState::default();
        received.expect_search();
        receive(&mut received, "info depth 9 score cp 900 lowerbound nodes 90 pv d2d4");
        let bound = received.report().score.unwrap();
        assert_eq!((bound.score, bound.bound), (Score::Centipawns(900), Bound::Lower));
        receive(&mut received, "info depth 10 score cp 21 nodes 100 pv e2e4 e7e5");
        receive(&mut received, "info depth 11 score cp 900 lowerbound nodes 200 pv d2d4");
        receive(&mut received, "info nodes 300");
        let report = received.report();
        assert_eq!(report.score, Some(Score::Centipawns(21).into()));
        assert_eq!((report.depth, report.nodes, report.pv.len()), (Some(11), Some(300), 1));
    }

    #[test]
    fn the_lines_of_the_last_search_are_kept_on_request() {
        let mut state = EngineState::default();
        let mut kept = |keeps: SearchLines| {
            state.keeps = keeps;
            state.expect_search();
            for line in
                ["info depth 1 score cp 3 pv e2e4", "hello", "info string bye", "bestmove e2e4", "hello"]
            {
                receive(&mut state, line);
            }
            String::from_utf8(state.kept.clone()).unwrap()
        };
        assert_eq!(kept(SearchLines::Report), "");
        assert_eq!(kept(SearchLines::Info), "info depth 1 score cp 3 pv e2e4\ninfo string bye\n");
        assert_eq!(
            kept(SearchLines::All),
            "info depth 1 score cp 3 pv e2e4\nhello\ninfo string bye\nbestmove e2e4\n"
        );
    }

    #[test]
    fn only_the_last_lines_of_a_flood_are_kept() {
        let mut state = EngineState { keeps: SearchLines::Info, ..EngineState::default() };
        state.expect_search();
        for number in 0..10_000 {
            receive(&mut state, &format!("info string {number:08}"));
            assert!(state.kept.len() <= MOST_KEPT_INFO);
        }
        let kept = String::from_utf8(state.kept).unwrap();
        let numbers: Vec<usize> =
            kept.lines().map(|line| line.strip_prefix("info string ").unwrap().parse().unwrap()).collect();
        assert!(
            numbers.len() > 1000 && numbers.iter().rev().copied().eq((0..10_000).rev().take(numbers.len()))
        );
    }

    #[test]
    fn unexpected_lines_are_dropped() {
        let mut received = EngineState::default();
        receive(&mut received, "info depth 1 score cp 5");
        receive(&mut received, "bestmove e2e4");
        assert_eq!((received.report(), received.answer), (SearchReport::default(), None));
    }

    #[test]
    fn best_moves_differ_from_no_move_and_from_nonsense() {
        fn check(line: &str, expected: Result<Option<&str>, &str>) {
            let mut received = EngineState::default();
            received.expect_search();
            receive(&mut received, line);
            let best = received.answer.unwrap().best;
            let best = best.map(|mv| mv.map(|mv| mv.to_string())).map_err(|fault| fault.to_string());
            assert_eq!(best, expected.map(|mv| mv.map(str::to_owned)).map_err(str::to_owned));
        }
        check("bestmove a7a8q ponder a1b1", Ok(Some("a7a8q")));
        check("bestmove (none)", Ok(None));
        check("bestmove 0000", Ok(None));
        check("bestmove", Err("answered without a move: `bestmove`"));
        check("bestmove Nf3", Err("gave an invalid best move: `bestmove Nf3`"));
    }
}
