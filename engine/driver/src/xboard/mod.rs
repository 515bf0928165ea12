//! An engine that speaks xboard (CECP).
//!
//! Both sides keep a board: after the engine's own move only the opponent's is sent; any other position is set up from
//! scratch. Engines ponder by themselves (`hard`), so `begin` with a ponder limit sends nothing, and the expected move
//! is sent by [`Engine::ponder_hit`]. For a node limit see [`Engine::fit_limits`].

mod board;
mod commands;
mod engine_state;
mod features;
mod limits;
mod replies;
mod time_lines;
mod wake_up;

use std::time::{Duration, Instant};

use smalt_chess::CastlingMode;
use smalt_protocol::xboard::{ClientMessage, Thinking, moves};
use smalt_protocol::{OptionDeclaration, OptionValue, SearchLimits};

use crate::conversation::{Conversation, ConversationError, EngineTimeouts, WaitError};
use crate::declared_options::DeclaredOptions;
use crate::engine::{Engine, GameOptions, LimitMethod, SetOptionError, parse_option};
use crate::fault::{Fault, LastOutput, State};
use crate::process::{EngineCommand, Process};
use crate::search::{
    Abandoned, LastAnswers, Repetition, RunningSearch, SearchControl, SearchEnd, SearchObserver,
    SearchRequest, SearchResult,
};
use crate::settings::{Pondering, Protocol};
use crate::wait_context::{Background, WaitContext};
use board::{GameBoard, push};
use engine_state::{Answer, Awaiting, EngineState, ObservedState, StopRule};
use features::{CORES, FeatureState, MEMORY};
use replies::to_info;
use time_lines::TimeLines;
pub use wake_up::xboard_wake_up_lines;

/// How long to wait for features of an engine that may know only version 1. The protocol (section 9) allows two
/// seconds; GNU Chess on a busy machine can need more.
const FEATURE_TIMEOUT: Duration = Duration::from_secs(5);

/// A running xboard engine, protocol version 2 or 1.
#[derive(Debug)]
pub struct XboardEngine {
    conversation: Conversation,
    received: EngineState,
    board: GameBoard,
    time: TimeLines,
    outgoing: String,
    pings: u64,
    variant: CastlingMode,
    is_playing: bool,
    search: RunningSearch,
    last_answers: LastAnswers,
    limit_method: LimitMethod,
}

impl XboardEngine {
    /// Starts the process; call [`Engine::introduce`] next. The calling thread must live as long as the engine: when it
    /// ends, the system kills the engine.
    ///
    /// # Errors
    /// [`Fault::WouldNotStart`].
    pub fn start(command: &EngineCommand, timeouts: EngineTimeouts) -> Result<Self, Fault> {
        let conversation = Conversation::open(command, timeouts)?;
        Ok(Self {
            conversation,
            received: EngineState::default(),
            board: GameBoard::default(),
            time: TimeLines::default(),
            outgoing: String::new(),
            pings: 0,
            variant: CastlingMode::Standard,
            is_playing: false,
            search: RunningSearch::none_yet(),
            last_answers: LastAnswers::default(),
            limit_method: LimitMethod::default(),
        })
    }

    /// Whether it sent features: false for version 1, and for a program that is not an xboard engine.
    #[must_use]
    pub(crate) fn has_features(&self) -> bool {
        self.received.features.state != FeatureState::Nothing
    }

    /// Sends the collected commands in one write.
    fn send(&mut self, context: &mut WaitContext<'_>) -> Result<Instant, ConversationError> {
        self.received.not_understood.clear();
        let lines = std::mem::take(&mut self.outgoing);
        let sent = self.conversation.send(lines.as_bytes(), context, &mut self.received);
        self.outgoing = lines;
        self.outgoing.clear();
        sent
    }

    fn send_message(
        &mut self,
        message: &ClientMessage<'_>,
        context: &mut WaitContext<'_>,
    ) -> Result<Instant, ConversationError> {
        push(&mut self.outgoing, message);
        self.send(context)
    }

    fn wait_until(
        &mut self,
        deadline: Instant,
        context: &mut WaitContext<'_>,
        is_done: impl Fn(&EngineState) -> bool,
    ) -> Result<(), WaitError> {
        let stalled = self.conversation.process().stalled();
        while !is_done(&self.received) {
            let deadline = deadline + self.conversation.process().stalled().saturating_sub(stalled);
            self.conversation.handle_line(deadline, context, &mut self.received)?;
            self.answer_features(context)?;
        }
        Ok(())
    }

    /// Answers features as soon as they arrive.
    fn answer_features(&mut self, context: &mut WaitContext<'_>) -> Result<(), ConversationError> {
        if !self.received.features.replies.is_empty() {
            let replies = std::mem::take(&mut self.received.features.replies);
            self.conversation.send(replies.as_bytes(), context, &mut self.received)?;
        }
        Ok(())
    }

    /// Adds a ping, if the engine supports it; returns its number.
    fn push_ping(&mut self) -> Option<u64> {
        self.received.features.ping.then(|| {
            self.pings += 1;
            push(&mut self.outgoing, &ClientMessage::Ping(self.pings));
            self.pings
        })
    }

    /// Sends the commands and waits for the answer to their ping.
    fn send_and_await(
        &mut self,
        ping: Option<u64>,
        context: &mut WaitContext<'_>,
    ) -> Result<Duration, ConversationError> {
        let asked_at = self.send(context)?;
        let Some(number) = ping else { return Ok(Duration::ZERO) };
        let waited = self.conversation.timeouts.ready;
        let result = self.wait_until(asked_at + waited, context, |received| received.pong == Some(number));
        self.conversation.fail_if_late(result, Fault::NoPong { waited })?;
        Ok(self.conversation.process().read_at().saturating_duration_since(asked_at))
    }

    /// Waits until the search has certainly begun.
    fn wait_for_search_start(&mut self, context: &mut WaitContext<'_>) -> Result<(), ConversationError> {
        let until = self.search.started_by();
        match self.wait_until(until, context, |state| state.answer.is_some() || state.info_lines > 0) {
            Ok(()) | Err(WaitError::TimedOut) => Ok(()),
            Err(WaitError::Failed(error)) => Err(error),
        }
    }

    /// Handles lines until the move or a claim, the stop rule, or the deadline.
    fn wait_for_search(
        &mut self,
        deadline: Instant,
        ending: SearchEnd,
        context: &mut WaitContext<'_>,
        observer: Option<&mut SearchObserver<'_>>,
    ) -> Result<SearchControl, WaitError> {
        let is_over = |received: &EngineState| {
            received.answer.is_some()
                || received.claim.is_some()
                || received.refusal.is_some()
                || (received.has_reached && ending == SearchEnd::Own)
        };
        let Some(observer) = observer else {
            self.wait_until(deadline, context, is_over)?;
            return Ok(SearchControl::Continue);
        };
        let (position, variant) = (*self.board.position(), self.variant);
        let mut show = |thinking: &Thinking<'_>, time: Duration| {
            let pv = moves::parse_line(thinking.pv, &position, variant);
            observer(&to_info(thinking, &pv), time)
        };
        let stalled = self.conversation.process().stalled();
        let (since, received) = (self.search.asked_at, &mut self.received);
        let mut observed =
            ObservedState { received, observer: &mut show, since, wish: SearchControl::Continue };
        while !is_over(observed.received) && observed.wish == SearchControl::Continue {
            let deadline = deadline + self.conversation.process().stalled().saturating_sub(stalled);
            self.conversation.handle_line(deadline, context, &mut observed)?;
        }
        Ok(observed.wish)
    }
}

impl Engine for XboardEngine {
    fn introduce(&mut self, context: &mut WaitContext<'_>) -> Result<(), ConversationError> {
        self.conversation.send_initial_lines(context, &mut self.received)?;
        push(&mut self.outgoing, &ClientMessage::Xboard);
        push(&mut self.outgoing, &ClientMessage::ProtocolVersion(2));
        let asked_at = self.send(context)?;
        let waited = self.conversation.timeouts.start;
        let soon = asked_at + FEATURE_TIMEOUT.min(waited);
        let is_done = |received: &EngineState| {
            received.features.state == FeatureState::Done || received.features.options.is_excessive()
        };
        let mut woken_at = asked_at;
        for (silence, lines) in xboard_wake_up_lines() {
            let until = soon.min(woken_at + silence);
            match self.wait_until(until, context, |state| state.features.state != FeatureState::Nothing) {
                Err(WaitError::TimedOut) if until < soon => {
                    woken_at = self.conversation.send(lines, context, &mut self.received)?;
                }
                Ok(()) | Err(WaitError::TimedOut) => break,
                Err(WaitError::Failed(error)) => return Err(error),
            }
        }
        match self.wait_until(soon, context, is_done) {
            Err(WaitError::TimedOut) if self.received.features.state == FeatureState::Announced => {
                let result = self.wait_until(asked_at + waited, context, is_done);
                self.conversation.fail_if_late(result, Fault::NoFeaturesDone { waited })?;
            }
            Ok(()) | Err(WaitError::TimedOut) => {}
            Err(WaitError::Failed(error)) => return Err(error),
        }
        if self.received.features.options.is_excessive() {
            return Err(self.conversation.fail(DeclaredOptions::fault()).into());
        }
        self.conversation.state = State::Idle;
        Ok(())
    }

    fn protocol(&self) -> Protocol {
        Protocol::Xboard
    }

    fn is_reusable(&self) -> bool {
        self.received.features.reuse
    }

    fn name(&self) -> &str {
        &self.received.features.name
    }

    fn author(&self) -> &str {
        ""
    }

    fn options(&self) -> &[OptionDeclaration] {
        self.received.features.options.as_slice()
    }

    fn set_option(
        &mut self,
        name: &str,
        text: &str,
        context: &mut WaitContext<'_>,
    ) -> Result<OptionValue, SetOptionError> {
        let (name, value) = parse_option(self.received.features.options.as_slice(), name, text)?;
        let text = match &value {
            OptionValue::Check(is_on) => Some(u8::from(*is_on).to_string()),
            OptionValue::Spin(number) => Some(number.to_string()),
            OptionValue::Combo(text) | OptionValue::Text(text) => Some(text.clone()),
            OptionValue::Button => None,
        };
        let own = match (&value, name.as_str()) {
            (OptionValue::Spin(number), MEMORY | CORES) => u64::try_from(*number).ok(),
            _ => None,
        };
        let message = match (own, name.as_str()) {
            (Some(megabytes), MEMORY) => ClientMessage::Memory(megabytes),
            (Some(count), _) => ClientMessage::Cores(count),
            (None, name) => ClientMessage::Option { name, value: text.as_deref() },
        };
        self.send_message(&message, context)?;
        Ok(value)
    }

    fn fit_limits(
        &mut self,
        limits: &SearchLimits,
        known: Option<LimitMethod>,
        context: &mut WaitContext<'_>,
    ) -> Result<LimitMethod, ConversationError> {
        self.limit_method = match known {
            Some(method) => method,
            None => self.find_limit_method(limits, context)?,
        };
        Ok(self.limit_method)
    }

    fn new_game(
        &mut self,
        terms: GameOptions,
        context: &mut WaitContext<'_>,
    ) -> Result<(), ConversationError> {
        self.abandon(context)?;
        if terms.variant == CastlingMode::Chess960 && !self.received.features.chess960 {
            return Err(Fault::NoChess960 { lack: "its variants do not name fischerandom" }.into());
        }
        self.variant = terms.variant;
        self.push_new_game();
        // For GNU Chess 4 `easy` is a toggle, but `hard` is not.
        push(&mut self.outgoing, &ClientMessage::Hard);
        if terms.pondering == Pondering::Off {
            push(&mut self.outgoing, &ClientMessage::Easy);
        }
        push(&mut self.outgoing, &ClientMessage::Post);
        let ping = self.push_ping();
        self.send_and_await(ping, context)?;
        self.received.claim = None;
        self.received.refusal = None;
        Ok(())
    }

    fn ping(&mut self, context: &mut WaitContext<'_>) -> Result<Duration, ConversationError> {
        let ping = self.push_ping();
        if ping.is_none() {
            self.conversation.handle_available(&mut self.received)?;
            return Ok(Duration::ZERO);
        }
        self.send_and_await(ping, context)
    }

    fn begin(
        &mut self,
        request: &SearchRequest<'_>,
        context: &mut WaitContext<'_>,
    ) -> Result<(), ConversationError> {
        self.abandon(context)?;
        if request.limits.ponder {
            return Ok(());
        }
        self.conversation.handle_available(&mut self.received)?;
        self.received.refusal = None;
        let last = self.push_position(request)?;
        let (limits, node_rate) = self.in_words(request.limits);
        let request = &SearchRequest { limits: &limits, ..*request };
        self.push_start(request, node_rate, last)?;
        self.received.expect_search(StopRule { depth: limits.depth, nodes: limits.nodes });
        let sent = self.send(context);
        if self.conversation.state != State::Closed {
            self.conversation.state = State::Thinking;
        }
        // The protocol has only whole seconds, so `?` is sent at fractions.
        let own_stop = limits.move_time.filter(|time| time.subsec_nanos() > 0);
        let stop_after = match (request.stop_after, own_stop) {
            (Some(asked), Some(own)) => Some(asked.min(own)),
            (asked, own) => asked.or(own),
        };
        let stalled = self.conversation.process().stalled();
        self.search = RunningSearch { stop_after, ..RunningSearch::new(sent?, stalled, request) };
        Ok(())
    }

    fn ponder_hit(
        &mut self,
        request: &SearchRequest<'_>,
        context: &mut WaitContext<'_>,
    ) -> Result<(), ConversationError> {
        let limits = SearchLimits { ponder: false, ..request.limits.clone() };
        self.begin(&SearchRequest { limits: &limits, ..*request }, context)
    }

    fn finish(
        &mut self,
        context: &mut WaitContext<'_>,
        mut observer: Option<&mut SearchObserver<'_>>,
    ) -> Result<SearchResult, ConversationError> {
        let search = self.search;
        let mut stalled = search.stalled_before;
        let mut deadline = search.asked_at + search.deadline;
        let mut stop_at = search.stop_after.map(|after| search.asked_at + after);
        let mut ending = SearchEnd::Own;
        let mut repetition: Option<Repetition<Answer>> = None;
        loop {
            let stall = self.conversation.process().stalled().saturating_sub(stalled);
            (deadline, stalled) = (deadline + stall, stalled + stall);
            let silence = repetition.as_ref().map(|repetition| repetition.until);
            let until = [stop_at, silence].into_iter().flatten().fold(deadline, Instant::min);
            let watching = observer.as_deref_mut().filter(|_| ending == SearchEnd::Own);
            let result = self.wait_for_search(until, ending, context, watching);
            if let Some(line) = self.received.refusal.take() {
                return Err(self.refused(line));
            }
            let (answers, position) = (self.last_answers, *self.board.position());
            let is_repetition = |answer: &mut Answer| {
                answer.text.parse().is_ok_and(|mv| answers.contains(mv))
                    && moves::parse_move(&answer.text, &position).is_none()
            };
            if let Some(answer) = self.received.answer.take_if(is_repetition) {
                self.received.await_another();
                repetition = Some(Repetition::new(answer, self.received.info_lines));
                continue;
            }
            if self.received.answer.is_some() || self.received.claim.is_some() {
                return self.conclude(ending, context);
            }
            if matches!(result, Err(WaitError::TimedOut))
                && let Some(earlier) = repetition.take_if(|it| it.until <= until || deadline <= until)
            {
                if earlier.info_lines == self.received.info_lines {
                    self.received.answer = Some(earlier.answer);
                    return self.conclude(ending, context);
                }
                continue;
            }
            match result {
                Ok(_) => {}
                Err(WaitError::TimedOut) if stop_at.is_some_and(|stop_at| stop_at <= until) => {}
                Err(WaitError::TimedOut) if ending != SearchEnd::Own => {
                    let waited = self.conversation.timeouts.stop;
                    let last = self.conversation.last_output(&self.received.not_understood);
                    return Err(self.conversation.fail(Fault::StopIgnored { waited, last }).into());
                }
                Err(WaitError::TimedOut) => {
                    return Err(self.conversation.late(search.deadline, &self.received.not_understood));
                }
                Err(WaitError::Failed(error)) => return Err(error),
            }
            ending = if self.received.is_overrun { SearchEnd::Overrun } else { SearchEnd::Stopped };
            stop_at = None;
            self.wait_for_search_start(context)?;
            deadline = self.send_message(&ClientMessage::MoveNow, context)? + self.conversation.timeouts.stop;
        }
    }

    fn allow(&mut self, deadline: Duration) {
        self.search.deadline = deadline;
    }

    fn abandon(&mut self, context: &mut WaitContext<'_>) -> Result<Abandoned, ConversationError> {
        if self.conversation.state != State::Thinking {
            return Ok(Abandoned::default());
        }
        self.wait_for_search_start(context)?;
        let waited = self.conversation.timeouts.stop;
        let begun = self.send_message(&ClientMessage::MoveNow, context)?;
        let half_way = begun + waited / 2;
        let is_over = |received: &EngineState| {
            received.awaiting == Awaiting::Nothing || received.claim.is_some() || received.ignores_move_now
        };
        match self.wait_until(half_way, context, is_over) {
            Ok(()) | Err(WaitError::TimedOut) => {}
            Err(WaitError::Failed(error)) => return Err(error),
        }
        // An engine that does not know `?` may still end the search on `force`, with a move or without one.
        push(&mut self.outgoing, &ClientMessage::Force);
        let ping = self.push_ping();
        let asked_at = self.send(context)?;
        let is_silent = |received: &EngineState| match ping {
            Some(number) => received.pong == Some(number),
            None => received.awaiting == Awaiting::Nothing || received.claim.is_some(),
        };
        let result = self.wait_until(asked_at + waited, context, is_silent);
        let fault = Fault::StopIgnored { waited, last: LastOutput::Nothing };
        self.conversation.fail_if_late(result, fault)?;
        let has_moved = self.received.awaiting == Awaiting::Nothing || self.received.claim.is_some();
        self.received.awaiting = Awaiting::Nothing;
        self.received.answer = None;
        self.received.claim = None;
        self.is_playing = false;
        self.board.forget();
        self.conversation.state = State::Idle;
        let took = self.conversation.process().read_at().saturating_duration_since(begun);
        Ok(Abandoned { took, has_moved })
    }

    fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    fn conversation_mut(&mut self) -> &mut Conversation {
        &mut self.conversation
    }

    fn quit_lines(&self) -> &'static [u8] {
        match self.conversation.state {
            State::Thinking => b"?\nquit\n",
            _ => b"quit\n",
        }
    }
}

impl Background for XboardEngine {
    fn process_mut(&mut self) -> &mut Process {
        self.conversation.process_mut()
    }

    fn handle_buffered(&mut self) {
        // A fault closes the conversation; the next request returns it.
        let _ = self.conversation.handle_background(&mut self.received);
    }
}
