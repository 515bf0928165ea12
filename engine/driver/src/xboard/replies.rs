//! The result of a search: move, result claim and last thinking line.

use std::time::{Duration, Instant};

use smalt_chess::{San, UciMove};
use smalt_protocol::uci::engine::BestMove;
use smalt_protocol::xboard::{EngineMessage, Thinking, moves};
use smalt_protocol::{Info, Moves};

use super::XboardEngine;
use super::engine_state::{Answer, Awaiting};
use crate::conversation::{ConversationError, WaitError};
use crate::fault::{Fault, State};
use crate::search::{ResultClaim, SearchEnd, SearchReport, SearchResult};
use crate::wait_context::WaitContext;

/// How long to wait for a move after a result claim, since some engines send the claim first.
const MOVE_AFTER_CLAIM: Duration = Duration::from_millis(100);

impl XboardEngine {
    /// A claim may precede the move that goes with it.
    fn await_move_after_claim(&mut self, context: &mut WaitContext<'_>) -> Result<(), ConversationError> {
        let until = Instant::now() + MOVE_AFTER_CLAIM;
        match self.wait_until(until, context, |state| state.answer.is_some()) {
            Ok(()) | Err(WaitError::TimedOut) => Ok(()),
            Err(WaitError::Failed(error)) => Err(error),
        }
    }

    pub(super) fn conclude(
        &mut self,
        ending: SearchEnd,
        context: &mut WaitContext<'_>,
    ) -> Result<SearchResult, ConversationError> {
        if self.received.answer.is_none() {
            self.await_move_after_claim(context)?;
        }
        let answer = self.received.answer.take();
        let claim = self.received.claim.take();
        self.received.awaiting = Awaiting::Nothing;
        if self.conversation.state == State::Thinking {
            self.conversation.state = State::Idle;
        }
        let report = self.report();
        let answered_at = match (&answer, &claim) {
            (Some(answer), _) => answer.at,
            (None, Some((_, at))) => (*at).max(self.search.asked_at),
            (None, None) => self.search.asked_at,
        };
        let best = match answer {
            Some(answer) => Some(self.follow(&answer)?),
            None => {
                // It will not play on: the next position is set up from scratch.
                self.board.forget();
                None
            }
        };
        let offer = self.received.offers_draw.then_some(ResultClaim::OffersDraw);
        Ok(SearchResult {
            best,
            claim: claim.map(|(claim, _)| claim).or(offer),
            ponder: self.expected_answer(),
            report,
            elapsed: answered_at.saturating_duration_since(self.search.asked_at),
            asked_at: self.search.asked_at,
            answered_at,
            info_lines: self.received.info_lines,
            ending,
        })
    }

    /// Plays the engine's move on our board.
    fn follow(&mut self, answer: &Answer) -> Result<UciMove, Fault> {
        if let Some(mv) = moves::parse_move(&answer.text, self.board.position()) {
            let uci = UciMove::from_move(mv, self.variant);
            self.board.follow(mv, uci);
            self.last_answers.push(uci);
            return Ok(uci);
        }
        self.board.forget();
        let line = answer.line.clone();
        match BestMove::parse(&answer.text) {
            BestMove::Move(UciMove::NULL) | BestMove::None | BestMove::Unreadable("") => {
                Err(Fault::NoMove { line })
            }
            BestMove::Move(illegal) => Ok(illegal),
            BestMove::Unreadable(word) if San::parse(word).is_ok() => Err(Fault::IllegalMove { line }),
            BestMove::Unreadable(_) => Err(Fault::MalformedBestmove { line }),
        }
    }

    /// The expected reply, if it sent a hint.
    fn expected_answer(&self) -> Option<UciMove> {
        let mv = moves::parse_move(&self.received.hint, self.board.position())?;
        Some(UciMove::from_move(mv, self.variant))
    }

    fn report(&self) -> SearchReport {
        let mut report = SearchReport::default();
        for line in self.received.last_thinking() {
            if let EngineMessage::Thinking(thinking) = EngineMessage::parse(&line) {
                let pv = moves::parse_line(thinking.pv, self.board.position(), self.variant);
                report.update(&to_info(&thinking, &pv));
            }
        }
        report
    }

    /// The engine refused a move or position: the next position is set up from scratch.
    pub(super) fn refused(&mut self, line: String) -> ConversationError {
        self.board.forget();
        self.received.awaiting = Awaiting::Nothing;
        if self.conversation.state == State::Thinking {
            self.conversation.state = State::Idle;
        }
        Fault::Refused { line }.into()
    }
}

/// Converts a thinking line to the `Info` that both protocols share.
pub(super) fn to_info<'a>(thinking: &Thinking<'_>, pv: &'a [UciMove]) -> Info<'a> {
    Info {
        depth: Some(thinking.depth),
        selective_depth: thinking.selective_depth,
        score: Some(thinking.score),
        nodes: Some(thinking.nodes),
        nps: thinking.nps,
        tbhits: thinking.tbhits,
        time: Some(thinking.time),
        pv: Moves::from_slice(pv),
        ..Info::default()
    }
}
