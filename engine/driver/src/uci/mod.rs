//! An engine that speaks UCI: the verbs of [`Engine`] as lines, and lines as results.

mod hearing;
mod position_line;
mod terms;

use std::fmt::Write;
use std::time::{Duration, Instant};

use smalt_chess::UciMove;
use smalt_protocol::uci::ClientMessage;
use smalt_protocol::{OptionDeclaration, OptionValue, option};

use crate::conversation::{Conversation, ConversationError, Farewell, Patience, Waited};
use crate::engine::{Engine, GameTerms, SetOptionError};
use crate::fault::{Fault, State};
use crate::meanwhile::{Background, Meanwhile};
use crate::process::{EngineCommand, Process};
use crate::search::{
    Ending, LastAnswers, Observer, Repetition, RunningSearch, SearchRequest, Searched, Wish,
};
use crate::settings::Protocol;
use crate::transcript::{Transcript, TranscriptSink};
use hearing::{Answer, Awaiting, Hearing, Observed, Refusal};
use position_line::PositionLine;
use terms::KnownTerms;

/// A running engine that speaks UCI.
#[derive(Debug)]
pub struct UciEngine {
    conversation: Conversation,
    hearing: Hearing,
    position: PositionLine,
    terms: KnownTerms,
    outgoing: String,
    search: RunningSearch,
    last_answers: LastAnswers,
}

impl UciEngine {
    /// Starts the process; [`Engine::introduce`] comes next. The calling thread must be the long-lived one of the
    /// game: when it ends, the system kills the engine.
    ///
    /// # Errors
    /// [`Fault::WouldNotStart`].
    pub fn start(command: &EngineCommand, patience: Patience) -> Result<Self, Fault> {
        let conversation = Conversation::open(command, patience)?;
        Ok(Self {
            conversation,
            hearing: Hearing::default(),
            position: PositionLine::default(),
            terms: KnownTerms::default(),
            outgoing: String::new(),
            search: RunningSearch::none_yet(),
            last_answers: LastAnswers::default(),
        })
    }

    /// Gives up an introduction as soon as the engine complains about its first word: it speaks another protocol.
    pub(crate) fn leave_at_refusal(&mut self) {
        self.hearing.refusal = Refusal::Awaited;
    }

    /// Sends these messages in one write.
    fn send(
        &mut self,
        messages: &[ClientMessage<'_>],
        meanwhile: &mut Meanwhile<'_>,
    ) -> Result<Instant, ConversationError> {
        self.outgoing.clear();
        for message in messages {
            writeln!(self.outgoing, "{message}").expect("a string takes any text");
        }
        self.conversation.send(self.outgoing.as_bytes(), meanwhile, &mut self.hearing)
    }

    /// Listens until what was heard is enough.
    fn hear_until(
        &mut self,
        deadline: Instant,
        meanwhile: &mut Meanwhile<'_>,
        enough: impl Fn(&Hearing) -> bool,
    ) -> Result<(), Waited> {
        let stalled = self.conversation.process().stalled();
        while !enough(&self.hearing) {
            let deadline = deadline + self.conversation.process().stalled().saturating_sub(stalled);
            self.conversation.hear_one(deadline, meanwhile, &mut self.hearing)?;
        }
        Ok(())
    }

    fn await_ready(
        &mut self,
        asked_at: Instant,
        meanwhile: &mut Meanwhile<'_>,
    ) -> Result<(), ConversationError> {
        let waited = self.conversation.patience.ready;
        let heard = self.hear_until(asked_at + waited, meanwhile, |hearing| hearing.ready);
        self.conversation.fail_if_late(heard, Fault::NoReadyok { waited })
    }

    /// Waits until the search has surely begun, so that a `stop` is not lost.
    fn settle(&mut self, meanwhile: &mut Meanwhile<'_>) -> Result<(), ConversationError> {
        let until = self.search.settled_at();
        match self.hear_until(until, meanwhile, |heard| heard.answer.is_some() || heard.info_lines > 0) {
            Ok(()) | Err(Waited::Late) => Ok(()),
            Err(Waited::Stopped(error)) => Err(error),
        }
    }

    /// Listens until the best move comes, the observer has seen enough, the search overruns its limit, or the deadline.
    fn hear_search(
        &mut self,
        deadline: Instant,
        meanwhile: &mut Meanwhile<'_>,
        observer: Option<&mut Observer<'_>>,
    ) -> Result<Wish, Waited> {
        let Some(observer) = observer else {
            self.hear_until(deadline, meanwhile, |hearing| hearing.answer.is_some() || hearing.is_overrun)?;
            return Ok(Wish::GoOn);
        };
        let since = self.search.asked_at;
        let mut observed = Observed { hearing: &mut self.hearing, observer, since, wish: Wish::GoOn };
        let goes_on = |observed: &Observed<'_, '_>| {
            observed.hearing.answer.is_none() && !observed.hearing.is_overrun && observed.wish == Wish::GoOn
        };
        while goes_on(&observed) {
            self.conversation.hear_one(deadline, meanwhile, &mut observed)?;
        }
        Ok(observed.wish)
    }

    /// Whether this is an earlier answer sent twice: it moves a piece that has moved away since, or is of an earlier game and
    /// illegal in this one.
    fn is_repetition(&self, answer: &Answer) -> bool {
        let Ok(Some(mv @ UciMove::Normal { from, .. })) = answer.best else { return false };
        self.last_answers.contains(mv)
            && self.position.has_left(from).unwrap_or_else(|| !self.position.is_legal(mv))
    }

    fn conclude(&mut self, answer: Answer, ending: Ending) -> Result<Searched, ConversationError> {
        if self.conversation.state == State::Thinking {
            self.conversation.state = State::Idle;
        }
        let best = answer.best?;
        best.into_iter().for_each(|mv| self.last_answers.push(mv));
        Ok(Searched {
            best,
            claim: None,
            ponder: answer.ponder,
            report: self.hearing.report(),
            elapsed: answer.at.saturating_duration_since(self.search.asked_at),
            asked_at: self.search.asked_at,
            answered_at: answer.at,
            info_lines: self.hearing.info_lines,
            ending,
        })
    }
}

impl Engine for UciEngine {
    fn introduce(&mut self, meanwhile: &mut Meanwhile<'_>) -> Result<(), ConversationError> {
        let asked_at = self.send(&[ClientMessage::Uci], meanwhile)?;
        let waited = self.conversation.patience.start;
        let heard = self.hear_until(asked_at + waited, meanwhile, |hearing| {
            hearing.introduced || hearing.refusal == Refusal::Heard
        });
        let heard = heard.and(if self.hearing.introduced { Ok(()) } else { Err(Waited::Late) });
        self.conversation.fail_if_late(heard, Fault::NoUciok { waited })?;
        self.conversation.state = State::Idle;
        Ok(())
    }

    fn protocol(&self) -> Protocol {
        Protocol::Uci
    }

    fn name(&self) -> &str {
        &self.hearing.name
    }

    fn author(&self) -> &str {
        &self.hearing.author
    }

    fn options(&self) -> &[OptionDeclaration] {
        &self.hearing.options
    }

    fn set_option(
        &mut self,
        name: &str,
        text: &str,
        meanwhile: &mut Meanwhile<'_>,
    ) -> Result<OptionValue, SetOptionError> {
        let options = &self.hearing.options;
        let Some(declaration) = option::find(options, name) else {
            let declared = options.iter().map(|option| option.name.clone()).collect();
            return Err(SetOptionError::Unknown { name: name.to_owned(), declared });
        };
        let value = declaration.parse_value(text)?;
        let name = declaration.name.clone();
        self.terms.note_choice(&name);
        let text = (value != OptionValue::Button).then(|| value.to_string());
        self.send(&[ClientMessage::SetOption { name: &name, value: text.as_deref() }], meanwhile)?;
        Ok(value)
    }

    fn new_game(&mut self, terms: GameTerms, meanwhile: &mut Meanwhile<'_>) -> Result<(), ConversationError> {
        self.abandon(meanwhile)?;
        for (name, value) in self.terms.changes(terms, &self.hearing.options)? {
            self.send(&[ClientMessage::SetOption { name, value: Some(value) }], meanwhile)?;
        }
        self.hearing.ready = false;
        let asked_at = self.send(&[ClientMessage::UciNewGame, ClientMessage::IsReady], meanwhile)?;
        self.await_ready(asked_at, meanwhile)
    }

    fn ping(&mut self, meanwhile: &mut Meanwhile<'_>) -> Result<Duration, ConversationError> {
        self.hearing.ready = false;
        let asked_at = self.send(&[ClientMessage::IsReady], meanwhile)?;
        self.await_ready(asked_at, meanwhile)?;
        Ok(self.conversation.process().read_at().saturating_duration_since(asked_at))
    }

    fn begin(
        &mut self,
        request: &SearchRequest<'_>,
        meanwhile: &mut Meanwhile<'_>,
    ) -> Result<(), ConversationError> {
        self.abandon(meanwhile)?;
        // A second best move for the last search may wait in the pipe: it is heard before the next is expected.
        self.conversation.catch_up(&mut self.hearing)?;
        let go = ClientMessage::Go(request.limits.clone());
        let (shared, lines) = self.position.then(request.start, request.moves, &go);
        self.hearing.expect_search();
        let sent = self.conversation.send_growing(shared, lines.as_bytes(), meanwhile, &mut self.hearing);
        if sent.is_err() {
            self.position = PositionLine::default();
        }
        if self.conversation.state != State::Closed {
            self.conversation.state = State::Thinking;
        }
        self.search = RunningSearch::new(sent?, request);
        Ok(())
    }

    fn ponder_hit(
        &mut self,
        request: &SearchRequest<'_>,
        meanwhile: &mut Meanwhile<'_>,
    ) -> Result<(), ConversationError> {
        let asked_at = self.send(&[ClientMessage::PonderHit], meanwhile)?;
        self.search = RunningSearch::new(asked_at, request);
        Ok(())
    }

    fn finish(
        &mut self,
        meanwhile: &mut Meanwhile<'_>,
        mut observer: Option<&mut Observer<'_>>,
    ) -> Result<Searched, ConversationError> {
        let search = self.search;
        let mut deadline = search.asked_at + search.deadline;
        let mut stop_at = search.stop_after.map(|after| search.asked_at + after);
        let mut watch_at = search.watched_at();
        let mut ending = Ending::Own;
        let mut repetition: Option<Repetition<Answer>> = None;
        loop {
            let silence = repetition.as_ref().map(|repetition| repetition.until);
            let until = [stop_at, watch_at, silence].into_iter().flatten().fold(deadline, Instant::min);
            let watching = observer.as_deref_mut().filter(|_| ending == Ending::Own);
            let heard = self.hear_search(until, meanwhile, watching);
            if let Some(answer) = self.hearing.answer.take() {
                if !self.is_repetition(&answer) {
                    return self.conclude(answer, ending);
                }
                self.hearing.await_another();
                repetition = Some(Repetition::new(answer, self.hearing.info_lines));
                continue;
            }
            if matches!(heard, Err(Waited::Late))
                && let Some(earlier) = repetition.take_if(|it| it.until <= until || deadline <= until)
            {
                if earlier.info_lines == self.hearing.info_lines {
                    return self.conclude(earlier.answer, ending);
                }
                continue;
            }
            let is_overrun = self.hearing.is_overrun;
            match heard {
                Ok(_) => {}
                Err(Waited::Late) if watch_at.is_some_and(|watch_at| watch_at <= until) => {
                    self.hearing.watch(search.work);
                    watch_at = None;
                    continue;
                }
                Err(Waited::Late) if stop_at.is_some_and(|stop_at| stop_at <= until) => {}
                Err(Waited::Late) if ending != Ending::Own => {
                    let waited = self.conversation.patience.stop;
                    return Err(self.conversation.fail(Fault::StopIgnored { waited }).into());
                }
                Err(Waited::Late) => return Err(self.conversation.late(search.deadline)),
                Err(Waited::Stopped(error)) => return Err(error),
            }
            ending = if is_overrun { Ending::Overrun } else { Ending::Stopped };
            (stop_at, watch_at) = (None, None);
            self.hearing.watch(None);
            self.settle(meanwhile)?;
            deadline = self.send(&[ClientMessage::Stop], meanwhile)? + self.conversation.patience.stop;
        }
    }

    fn allow(&mut self, deadline: Duration) {
        self.search.deadline = deadline;
    }

    fn abandon(&mut self, meanwhile: &mut Meanwhile<'_>) -> Result<Duration, ConversationError> {
        if self.conversation.state != State::Thinking {
            return Ok(Duration::ZERO);
        }
        self.settle(meanwhile)?;
        self.hearing.ready = false;
        let asked_at = self.send(&[ClientMessage::Stop, ClientMessage::IsReady], meanwhile)?;
        let waited = self.conversation.patience.stop;
        let heard = self.hear_until(asked_at + waited, meanwhile, |hearing| {
            hearing.ready && hearing.awaiting == Awaiting::Nothing
        });
        self.conversation.fail_if_late(heard, Fault::StopIgnored { waited })?;
        self.hearing.answer = None;
        self.conversation.state = State::Idle;
        Ok(self.conversation.process().read_at().saturating_duration_since(asked_at))
    }

    fn ask_to_quit(&mut self) {
        self.conversation.ask_to_quit(last_words(self.conversation.state));
    }

    fn quit(&mut self) -> Farewell {
        self.conversation.quit(last_words(self.conversation.state))
    }

    fn kill(&mut self) {
        self.conversation.kill();
    }

    fn state(&self) -> State {
        self.conversation.state
    }

    fn fault(&self) -> Option<&Fault> {
        self.conversation.fault()
    }

    fn transcript(&self) -> &Transcript {
        &self.conversation.transcript
    }

    fn set_transcript_sink(&mut self, sink: Option<Box<dyn TranscriptSink>>) {
        self.conversation.transcript.set_sink(sink);
    }

    fn process(&self) -> &Process {
        self.conversation.process()
    }
}

fn last_words(state: State) -> &'static [u8] {
    match state {
        State::Thinking => b"stop\nquit\n",
        _ => b"quit\n",
    }
}

impl Background for UciEngine {
    fn process_mut(&mut self) -> &mut Process {
        self.conversation.process_mut()
    }

    fn absorb(&mut self) {
        // A fault closes the conversation, and its next verb tells.
        let _ = self.conversation.hear_waiting(&mut self.hearing);
    }
}
