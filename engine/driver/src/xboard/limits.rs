//! Search limits that xboard lacks: nodes, and fractions of a second. The method that works is determined before the
//! first game.

use std::time::{Duration, Instant};

use smalt_chess::UciMove;
use smalt_protocol::uci::client::Start;
use smalt_protocol::xboard::ClientMessage;
use smalt_protocol::{Clock, SearchLimits};

use super::board::push;
use super::engine_state::Awaiting;
use super::{EngineState, XboardEngine};
use crate::conversation::{ConversationError, WaitError};
use crate::engine::{Engine, GameOptions, LimitMethod};
use crate::fault::{Fault, State};
use crate::search::SearchRequest;
use crate::wait_context::WaitContext;

/// Move time of the trial search: an engine that moves much earlier does so because of `?`.
const TRIAL: Duration = Duration::from_secs(2);

/// Maximum time from `go` to the move of an engine that supports `?`.
const TRIAL_ANSWER: Duration = Duration::from_secs(1);

/// Number of trials: on a busy machine an engine may be late once.
const TRIALS: usize = 2;

/// Moves outside any opening book.
const OUT_OF_BOOK: [&str; 6] = ["a2a3", "h7h6", "h2h4", "a7a5", "b1c3", "h8h7"];

/// With `nps`, one second is this limit's number of nodes.
const NODE_SECOND: Duration = Duration::from_secs(1);

impl XboardEngine {
    /// Determines how to enforce these limits.
    pub(super) fn find_limit_method(
        &mut self,
        limits: &SearchLimits,
        context: &mut WaitContext<'_>,
    ) -> Result<LimitMethod, ConversationError> {
        let has_time = limits.move_time.is_some() || limits.white.is_some() || limits.black.is_some();
        if limits.nodes.is_some() && !has_time && self.received.features.nps {
            return Ok(LimitMethod::NodeRate);
        }
        let has_short_time = limits.move_time.is_some_and(|time| time.subsec_nanos() > 0);
        if limits.nodes.is_none() && !has_short_time {
            return Ok(LimitMethod::Protocol);
        }
        for _ in 0..TRIALS {
            if self.supports_move_now(context)? {
                return Ok(LimitMethod::MoveNow);
            }
        }
        if limits.nodes.is_none() { Ok(LimitMethod::OneMoveClock) } else { Err(Fault::NoNodeLimit.into()) }
    }

    /// Whether it moves at once on `?`: some engines read no input while searching.
    fn supports_move_now(&mut self, context: &mut WaitContext<'_>) -> Result<bool, ConversationError> {
        self.new_game(GameOptions::default(), context)?;
        let moves = OUT_OF_BOOK.map(|text| text.parse::<UciMove>().expect("the moves are tested"));
        let limits = SearchLimits { move_time: Some(TRIAL), ..SearchLimits::default() };
        let waited = TRIAL + self.conversation.timeouts.stop;
        let request = SearchRequest {
            start: Start::Standard,
            moves: &moves,
            limits: &limits,
            deadline: waited,
            stop_after: None,
        };
        self.begin(&request, context)?;
        self.wait_for_search_start(context)?;
        self.send_message(&ClientMessage::MoveNow, context)?;
        let asked_at = self.search.asked_at;
        let is_over = |received: &EngineState| received.answer.is_some() || received.claim.is_some();
        let answered = self.wait_until(asked_at + TRIAL_ANSWER, context, is_over);
        let in_time = match answered {
            Ok(()) => true,
            Err(WaitError::TimedOut) => {
                let result = self.wait_until(Instant::now() + waited, context, is_over);
                let last = self.conversation.last_output(&self.received.not_understood);
                self.conversation.fail_if_late(result, Fault::StopIgnored { waited, last })?;
                false
            }
            Err(WaitError::Failed(error)) => return Err(error),
        };
        // An engine that reads `?` only after its move then complains about it.
        push(&mut self.outgoing, &ClientMessage::Force);
        let ping = self.push_ping();
        self.send_and_await(ping, context)?;
        self.received.awaiting = Awaiting::Nothing;
        self.received.answer = None;
        self.received.claim = None;
        self.received.refusal = None;
        self.is_playing = false;
        self.board.forget();
        self.conversation.state = State::Idle;
        Ok(in_time && !self.received.ignores_move_now)
    }

    /// These limits in commands of the protocol, and the number of nodes per second.
    pub(super) fn in_words(&self, limits: &SearchLimits) -> (SearchLimits, Option<u64>) {
        let limits = limits.clone();
        match (self.limit_method, limits.nodes, limits.move_time) {
            (LimitMethod::NodeRate, Some(nodes), _) => {
                (SearchLimits { move_time: Some(NODE_SECOND), ..limits }, Some(nodes))
            }
            (LimitMethod::OneMoveClock, _, Some(time)) if time.subsec_nanos() > 0 => {
                let clock = Some(Clock { remaining: time, increment: Duration::ZERO });
                let one = std::num::NonZeroU32::new(1);
                let limits =
                    SearchLimits { white: clock, black: clock, moves_to_go: one, move_time: None, ..limits };
                (limits, None)
            }
            _ => (limits, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smalt_chess::Position;

    #[test]
    fn the_moves_of_the_trial_are_legal() {
        let mut position = Position::start();
        for text in OUT_OF_BOOK {
            let mv = text.parse::<UciMove>().unwrap().to_move(&position).unwrap();
            position.play(mv);
        }
    }
}
