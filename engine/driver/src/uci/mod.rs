//! An engine that speaks UCI.

mod engine_state;
mod game_options;
mod position_line;

use std::fmt::Write;
use std::time::{Duration, Instant};

use smalt_protocol::uci::ClientMessage;
use smalt_protocol::uci::client::Switch;
use smalt_protocol::{OptionDeclaration, OptionValue};

use crate::conversation::{Conversation, ConversationError, EngineTimeouts, WaitError};
use crate::declared_options::DeclaredOptions;
use crate::engine::{Engine, GameOptions, SetOptionError, parse_option};
use crate::fault::{Fault, LastOutput, State};
use crate::process::{EngineCommand, Process};
use crate::search::{
    Abandoned, LastAnswers, Repetition, RunningSearch, SearchControl, SearchEnd, SearchLines, SearchObserver,
    SearchRequest, SearchResult,
};
use crate::settings::Protocol;
use crate::wait_context::{Background, WaitContext};
use engine_state::{Answer, Awaiting, EngineState, ObservedState, Refusal};
use game_options::SentOptions;
use position_line::PositionLine;

/// A running engine that speaks UCI.
#[derive(Debug)]
pub struct UciEngine {
    conversation: Conversation,
    received: EngineState,
    position: PositionLine,
    terms: SentOptions,
    outgoing: String,
    search: RunningSearch,
    last_answers: LastAnswers,
}

impl UciEngine {
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
            position: PositionLine::default(),
            terms: SentOptions::default(),
            outgoing: String::new(),
            search: RunningSearch::none_yet(),
            last_answers: LastAnswers::default(),
        })
    }

    /// Makes the handshake fail as soon as the engine complains about `uci`, since it speaks another protocol.
    pub(crate) fn quit_on_refusal(&mut self) {
        self.received.refusal = Refusal::Awaited;
    }

    /// Sends these messages in one write.
    fn send(
        &mut self,
        messages: &[ClientMessage<'_>],
        context: &mut WaitContext<'_>,
    ) -> Result<Instant, ConversationError> {
        self.received.not_understood.clear();
        self.outgoing.clear();
        for message in messages {
            writeln!(self.outgoing, "{message}").expect("a string takes any text");
        }
        self.conversation.send(self.outgoing.as_bytes(), context, &mut self.received)
    }

    /// Handles lines until the condition is true.
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
        }
        Ok(())
    }

    fn await_ready(
        &mut self,
        asked_at: Instant,
        waited: Duration,
        context: &mut WaitContext<'_>,
    ) -> Result<(), ConversationError> {
        let result = self.wait_until(asked_at + waited, context, |received| received.ready);
        let last = self.conversation.last_output(&self.received.not_understood);
        self.conversation.fail_if_late(result, Fault::NoReadyok { waited, last })
    }

    /// Waits until the search has certainly begun, so that `stop` is not lost.
    fn wait_for_search_start(&mut self, context: &mut WaitContext<'_>) -> Result<(), ConversationError> {
        let until = self.search.started_by();
        match self.wait_until(until, context, |state| state.answer.is_some() || state.info_lines > 0) {
            Ok(()) | Err(WaitError::TimedOut) => Ok(()),
            Err(WaitError::Failed(error)) => Err(error),
        }
    }

    /// Handles lines until the best move, a stop by the observer, an exceeded limit, or the deadline.
    fn wait_for_search(
        &mut self,
        deadline: Instant,
        context: &mut WaitContext<'_>,
        observer: Option<&mut SearchObserver<'_>>,
    ) -> Result<SearchControl, WaitError> {
        let Some(observer) = observer else {
            self.wait_until(deadline, context, |received| received.answer.is_some() || received.is_overrun)?;
            return Ok(SearchControl::Continue);
        };
        let stalled = self.conversation.process().stalled();
        let since = self.search.asked_at;
        let mut observed =
            ObservedState { received: &mut self.received, observer, since, wish: SearchControl::Continue };
        let goes_on = |observed: &ObservedState<'_, '_>| {
            observed.received.answer.is_none()
                && !observed.received.is_overrun
                && observed.wish == SearchControl::Continue
        };
        while goes_on(&observed) {
            let deadline = deadline + self.conversation.process().stalled().saturating_sub(stalled);
            self.conversation.handle_line(deadline, context, &mut observed)?;
        }
        Ok(observed.wish)
    }

    /// Whether this is an earlier answer sent twice: an illegal move that was the answer to another search.
    fn is_repetition(&self, answer: &Answer) -> bool {
        let Ok(Some(mv)) = answer.best else { return false };
        self.last_answers.contains(mv) && self.position.is_illegal(mv)
    }

    fn conclude(&mut self, answer: Answer, ending: SearchEnd) -> Result<SearchResult, ConversationError> {
        if self.conversation.state == State::Thinking {
            self.conversation.state = State::Idle;
        }
        let best = answer.best?;
        best.into_iter().for_each(|mv| self.last_answers.push(mv));
        Ok(SearchResult {
            best,
            claim: None,
            ponder: answer.ponder,
            report: self.received.report(),
            elapsed: answer.at.saturating_duration_since(self.search.asked_at),
            asked_at: self.search.asked_at,
            answered_at: answer.at,
            info_lines: self.received.info_lines,
            ending,
        })
    }
}

impl Engine for UciEngine {
    fn introduce(&mut self, context: &mut WaitContext<'_>) -> Result<(), ConversationError> {
        self.conversation.send_initial_lines(context, &mut self.received)?;
        let asked_at = self.send(&[ClientMessage::Uci], context)?;
        let waited = self.conversation.timeouts.start;
        let result = self.wait_until(asked_at + waited, context, |received| {
            let is_refused = received.refusal == Refusal::Refused;
            received.introduced || is_refused || received.options.is_excessive()
        });
        if self.received.options.is_excessive() {
            return Err(self.conversation.fail(DeclaredOptions::fault()).into());
        }
        let result = result.and(if self.received.introduced { Ok(()) } else { Err(WaitError::TimedOut) });
        let last = self.conversation.last_output(&self.received.not_understood);
        self.conversation.fail_if_late(result, Fault::NoUciok { waited, last })?;
        self.conversation.state = State::Idle;
        Ok(())
    }

    fn protocol(&self) -> Protocol {
        Protocol::Uci
    }

    fn name(&self) -> &str {
        &self.received.name
    }

    fn author(&self) -> &str {
        &self.received.author
    }

    fn options(&self) -> &[OptionDeclaration] {
        self.received.options.as_slice()
    }

    fn set_debug(&mut self, context: &mut WaitContext<'_>) -> Result<(), ConversationError> {
        self.send(&[ClientMessage::Debug(Switch::On)], context).map(drop)
    }

    fn set_option(
        &mut self,
        name: &str,
        text: &str,
        context: &mut WaitContext<'_>,
    ) -> Result<OptionValue, SetOptionError> {
        let (name, value) = parse_option(self.received.options.as_slice(), name, text)?;
        self.terms.note_choice(&name);
        let text = (value != OptionValue::Button).then(|| value.to_string());
        self.send(&[ClientMessage::SetOption { name: &name, value: text.as_deref() }], context)?;
        Ok(value)
    }

    fn new_game(
        &mut self,
        terms: GameOptions,
        context: &mut WaitContext<'_>,
    ) -> Result<(), ConversationError> {
        self.abandon(context)?;
        for (name, value) in self.terms.changes(terms, self.received.options.as_slice())? {
            self.send(&[ClientMessage::SetOption { name, value: Some(value) }], context)?;
        }
        self.received.ready = false;
        let asked_at = self.send(&[ClientMessage::UciNewGame, ClientMessage::IsReady], context)?;
        self.await_ready(asked_at, self.conversation.timeouts.new_game, context)
    }

    fn ping(&mut self, context: &mut WaitContext<'_>) -> Result<Duration, ConversationError> {
        self.received.ready = false;
        let asked_at = self.send(&[ClientMessage::IsReady], context)?;
        self.await_ready(asked_at, self.conversation.timeouts.ready, context)?;
        Ok(self.conversation.process().read_at().saturating_duration_since(asked_at))
    }

    fn begin(
        &mut self,
        request: &SearchRequest<'_>,
        context: &mut WaitContext<'_>,
    ) -> Result<(), ConversationError> {
        self.abandon(context)?;
        // A second best move for the last search may be in the pipe: handle it before the next search starts.
        self.conversation.handle_available(&mut self.received)?;
        let go = ClientMessage::Go(request.limits.clone());
        let (shared, lines) = self.position.then(request.start, request.moves, &go);
        self.received.expect_search();
        let sent = self.conversation.send_growing(shared, lines.as_bytes(), context, &mut self.received);
        if sent.is_err() {
            self.position = PositionLine::default();
        }
        if self.conversation.state != State::Closed {
            self.conversation.state = State::Thinking;
        }
        let stalled = self.conversation.process().stalled();
        self.search = RunningSearch::new(sent?, stalled, request);
        Ok(())
    }

    fn ponder_hit(
        &mut self,
        request: &SearchRequest<'_>,
        context: &mut WaitContext<'_>,
    ) -> Result<(), ConversationError> {
        let asked_at = self.send(&[ClientMessage::PonderHit], context)?;
        let stalled = self.conversation.process().stalled();
        self.search = RunningSearch::new(asked_at, stalled, request);
        Ok(())
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
        let mut watch_at = search.watched_at();
        let mut ending = SearchEnd::Own;
        let mut repetition: Option<Repetition<Answer>> = None;
        loop {
            let stall = self.conversation.process().stalled().saturating_sub(stalled);
            (deadline, stalled) = (deadline + stall, stalled + stall);
            let silence = repetition.as_ref().map(|repetition| repetition.until);
            let until = [stop_at, watch_at, silence].into_iter().flatten().fold(deadline, Instant::min);
            let watching = observer.as_deref_mut().filter(|_| ending == SearchEnd::Own);
            let result = self.wait_for_search(until, context, watching);
            if let Some(answer) = self.received.answer.take() {
                if !self.is_repetition(&answer) {
                    return self.conclude(answer, ending);
                }
                self.received.await_another();
                repetition = Some(Repetition::new(answer, self.received.info_lines));
                continue;
            }
            if matches!(result, Err(WaitError::TimedOut))
                && let Some(earlier) = repetition.take_if(|it| it.until <= until || deadline <= until)
            {
                if earlier.info_lines == self.received.info_lines {
                    return self.conclude(earlier.answer, ending);
                }
                continue;
            }
            let is_overrun = self.received.is_overrun;
            match result {
                Ok(_) => {}
                Err(WaitError::TimedOut) if watch_at.is_some_and(|watch_at| watch_at <= until) => {
                    self.received.watch(search.work);
                    watch_at = None;
                    continue;
                }
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
            ending = if is_overrun { SearchEnd::Overrun } else { SearchEnd::Stopped };
            (stop_at, watch_at) = (None, None);
            self.received.watch(None);
            self.wait_for_search_start(context)?;
            deadline = self.send(&[ClientMessage::Stop], context)? + self.conversation.timeouts.stop;
        }
    }

    fn allow(&mut self, deadline: Duration) {
        self.search.deadline = deadline;
    }

    fn keep_search_lines(&mut self, lines: SearchLines) {
        self.received.keeps = lines;
    }

    fn search_lines(&self) -> &[u8] {
        &self.received.kept
    }

    fn abandon(&mut self, context: &mut WaitContext<'_>) -> Result<Abandoned, ConversationError> {
        if self.conversation.state != State::Thinking {
            return Ok(Abandoned::default());
        }
        self.wait_for_search_start(context)?;
        self.received.ready = false;
        let asked_at = self.send(&[ClientMessage::Stop, ClientMessage::IsReady], context)?;
        let waited = self.conversation.timeouts.stop;
        let result = self.wait_until(asked_at + waited, context, |received| {
            received.ready && received.awaiting == Awaiting::Nothing
        });
        let fault = Fault::StopIgnored { waited, last: LastOutput::Nothing };
        self.conversation.fail_if_late(result, fault)?;
        self.received.answer = None;
        self.conversation.state = State::Idle;
        let took = self.conversation.process().read_at().saturating_duration_since(asked_at);
        Ok(Abandoned { took, has_moved: true })
    }

    fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    fn conversation_mut(&mut self) -> &mut Conversation {
        &mut self.conversation
    }

    fn quit_lines(&self) -> &'static [u8] {
        match self.conversation.state {
            State::Thinking => b"stop\nquit\n",
            _ => b"quit\n",
        }
    }
}

impl Background for UciEngine {
    fn process_mut(&mut self) -> &mut Process {
        self.conversation.process_mut()
    }

    fn handle_buffered(&mut self) {
        // A fault closes the conversation; the next request returns it.
        let _ = self.conversation.handle_background(&mut self.received);
    }
}
