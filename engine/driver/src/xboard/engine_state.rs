//! State of an xboard engine as read from its lines: features, moves, result claims and errors.

use std::time::{Duration, Instant};

use smalt_protocol::Bound;
use smalt_protocol::xboard::engine::Audience;
use smalt_protocol::xboard::{EngineMessage, Thinking};

use super::features::Features;
use crate::conversation::LineHandler;
use crate::fault::quote;
use crate::process::{Line, text};
use crate::search::{ResultClaim, SearchControl};

/// Whether a move is awaited.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Awaiting {
    #[default]
    Nothing,
    Move,
}

/// An engine's move as written, with its whole line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) line: String,
    pub(super) at: Instant,
}

/// When a search must stop, judged by its thinking lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct StopRule {
    pub(super) depth: Option<u32>,
    pub(super) nodes: Option<u64>,
}

impl StopRule {
    /// Whether the node limit is reached; the protocol has no such limit.
    fn has_nodes(self, thinking: &Thinking<'_>) -> bool {
        self.nodes.is_some_and(|nodes| thinking.nodes >= nodes)
    }

    /// Whether it searched more plies than allowed.
    fn is_overrun(self, thinking: &Thinking<'_>) -> bool {
        self.depth.is_some_and(|depth| thinking.depth > depth)
    }
}

/// What was received and not handled yet.
#[derive(Debug, Default)]
pub(super) struct EngineState {
    pub(super) features: Features,
    pub(super) pong: Option<u64>,
    pub(super) awaiting: Awaiting,
    pub(super) answer: Option<Answer>,
    /// A result claim and its instant: made during this search or after the last move.
    pub(super) claim: Option<(ResultClaim, Instant)>,
    pub(super) offers_draw: bool,
    /// The last move sent: a complaint about it is serious.
    pub(super) last_move: String,
    pub(super) refusal: Option<String>,
    pub(super) ignores_move_now: bool,
    pub(super) hint: String,
    pub(super) enough: StopRule,
    pub(super) has_reached: bool,
    /// Whether it stopped for exceeding its depth limit.
    pub(super) is_overrun: bool,
    pub(super) info_lines: u64,
    /// The last line that was not understood since the last request.
    pub(super) not_understood: String,
    /// The last thinking line with an exact score, and the last later one with a bound.
    thinking: Vec<u8>,
    bounded: Vec<u8>,
}

impl EngineState {
    /// Clears the last search and waits for the next move. A claim made after the last move stays.
    pub(super) fn expect_search(&mut self, enough: StopRule) {
        self.awaiting = Awaiting::Move;
        self.answer = None;
        self.offers_draw = false;
        self.hint.clear();
        self.enough = enough;
        self.has_reached = false;
        self.is_overrun = false;
        self.info_lines = 0;
        self.thinking.clear();
        self.bounded.clear();
    }

    /// The answer belongs to an earlier search: continues to wait for this one's.
    pub(super) fn await_another(&mut self) {
        self.awaiting = Awaiting::Move;
    }

    /// The last thinking lines, the one with an exact score first.
    pub(super) fn last_thinking(&self) -> [std::borrow::Cow<'_, str>; 2] {
        [text(&self.thinking), text(&self.bounded)]
    }

    fn on_thinking(&mut self, line: &[u8], thinking: &Thinking<'_>) {
        if self.awaiting == Awaiting::Nothing {
            return;
        }
        self.info_lines += 1;
        self.bounded.clear();
        let slot = match thinking.score.bound {
            Bound::Exact => &mut self.thinking,
            Bound::Lower | Bound::Upper => &mut self.bounded,
        };
        slot.clear();
        slot.extend_from_slice(line);
        self.is_overrun |= !self.has_reached && self.enough.is_overrun(thinking);
        self.has_reached |= self.is_overrun || self.enough.has_nodes(thinking);
    }

    fn on_message(&mut self, message: &EngineMessage<'_>, line: &str, at: Instant) {
        match message {
            EngineMessage::Features(features) => {
                features.iter().for_each(|feature| self.features.update(feature));
            }
            EngineMessage::Move(text) if self.awaiting == Awaiting::Move => {
                self.answer = Some(Answer { text: (*text).to_owned(), line: quote(line), at });
                self.awaiting = Awaiting::Nothing;
            }
            EngineMessage::Pong(number) => self.pong = Some(*number),
            EngineMessage::Resign => self.claim = Some((ResultClaim::Resigns, at)),
            EngineMessage::Result { outcome, comment } => {
                self.claim = Some((ResultClaim::Result { outcome: *outcome, comment: quote(comment) }, at));
            }
            EngineMessage::OfferDraw => self.offers_draw = true,
            EngineMessage::IllegalMove(_) | EngineMessage::Error(_) => self.on_complaint(line),
            EngineMessage::Tell { whom: Audience::UserAsError, text } if text.contains("llegal position") => {
                self.refusal = Some(quote(line));
            }
            EngineMessage::Hint(hint) => (*hint).clone_into(&mut self.hint),
            EngineMessage::Other(_) if !line.is_empty() => self.not_understood = quote(line),
            EngineMessage::Move(_)
            | EngineMessage::Thinking(_)
            | EngineMessage::Tell { .. }
            | EngineMessage::Comment(_)
            | EngineMessage::Status(_)
            | EngineMessage::Other(_) => {}
        }
    }

    /// Engines use these words for anything unknown; only complaints about a move matter.
    fn on_complaint(&mut self, line: &str) {
        let subject = line.rsplit([':', ')', ' ']).next().unwrap_or_default().trim();
        if subject == "?" {
            self.ignores_move_now = true;
        }
        let is_about_move = !self.last_move.is_empty() && subject == self.last_move;
        let is_bare = matches!(line, "Illegal move" | "illegal move") && self.awaiting == Awaiting::Move;
        let is_about_position = line.contains("llegal position") || line.contains("setboard");
        if is_about_move || is_bare || is_about_position {
            self.refusal = Some(quote(line));
        }
    }
}

impl LineHandler for EngineState {
    fn on_line(&mut self, line: Line<'_>, at: Instant) {
        let text = line.text();
        match EngineMessage::parse(&text) {
            EngineMessage::Thinking(thinking) => self.on_thinking(line.bytes, &thinking),
            message => self.on_message(&message, text.trim(), at),
        }
    }
}

/// Passes each thinking line to an observer too.
pub(super) struct ObservedState<'a, 'o> {
    pub(super) received: &'a mut EngineState,
    pub(super) observer: &'a mut (dyn FnMut(&Thinking<'_>, Duration) -> SearchControl + 'o),
    pub(super) since: Instant,
    pub(super) wish: SearchControl,
}

impl LineHandler for ObservedState<'_, '_> {
    fn on_line(&mut self, line: Line<'_>, at: Instant) {
        if self.received.awaiting == Awaiting::Move
            && let EngineMessage::Thinking(thinking) = EngineMessage::parse(&line.text())
            && (self.observer)(&thinking, at.saturating_duration_since(self.since)) == SearchControl::Stop
        {
            self.wish = SearchControl::Stop;
        }
        self.received.on_line(line, at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xboard::features::FeatureState;

    #[test]
    fn features_that_come_again_are_not_answered_again() {
        let mut received = EngineState::default();
        for text in ["feature done=0 ping=1", "feature done=1"] {
            received.on_message(&EngineMessage::parse(text), text, Instant::now());
        }
        let replies = std::mem::take(&mut received.features.replies);
        assert_eq!(replies, "accepted done\naccepted ping\naccepted done\n");
        for text in ["feature done=0 ping=1", "feature done=1"] {
            received.on_message(&EngineMessage::parse(text), text, Instant::now());
            assert_eq!(
                (received.features.state, received.features.replies.as_str()),
                (FeatureState::Done, "")
            );
        }
    }
}
