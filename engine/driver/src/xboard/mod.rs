//! An engine that speaks the protocol of xboard: the verbs of [`Engine`] as lines, and lines as results.
//!
//! The protocol keeps one board on each side: after the engine's own move only the opponent's is sent, anything else
//! is set up anew. Engines ponder by themselves here (`hard`), so `begin` with a ponder limit sends nothing, and the
//! awaited move goes out with [`Engine::ponder_hit`]. For a limit of nodes see [`Engine::fit_limits`].

mod answering;
mod asking;
mod board;
mod features;
mod hearing;
mod limits;
mod nudges;
mod time_lines;

use std::time::{Duration, Instant};

use smalt_chess::CastlingMode;
use smalt_protocol::xboard::{ClientMessage, Thinking, moves};
use smalt_protocol::{OptionDeclaration, OptionValue, SearchLimits, option};

use crate::conversation::{Conversation, ConversationError, Farewell, Patience, Waited};
use crate::engine::{Engine, GameTerms, LimitMethod, SetOptionError};
use crate::fault::{Fault, State};
use crate::meanwhile::{Background, Meanwhile};
use crate::process::{EngineCommand, Process};
use crate::search::{
    Ending, LastAnswers, Observer, Repetition, RunningSearch, SearchRequest, Searched, Wish,
};
use crate::settings::{Pondering, Protocol};
use crate::transcript::{Transcript, TranscriptSink};
use answering::to_info;
use board::{Board, push};
use features::{CORES, Heard, MEMORY};
use hearing::{Answer, Awaiting, Enough, Hearing, Observed};
pub use nudges::xboard_nudges;
use time_lines::TimeLines;

/// How long features are awaited from an engine that may know only version 1. The protocol (section 9) gives it two
/// seconds; GNU Chess on a busy machine can need more.
const FEATURE_PATIENCE: Duration = Duration::from_secs(5);

/// A running engine that speaks the protocol of xboard, version 2 or 1.
#[derive(Debug)]
pub struct XboardEngine {
    conversation: Conversation,
    hearing: Hearing,
    board: Board,
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
            board: Board::default(),
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

    /// Whether it answered with features: false for one of version 1, and for what is no xboard engine at all.
    #[must_use]
    pub fn has_features(&self) -> bool {
        self.hearing.features.heard != Heard::Nothing
    }

    /// Sends what was put together, in one write.
    fn send(&mut self, meanwhile: &mut Meanwhile<'_>) -> Result<Instant, ConversationError> {
        let lines = std::mem::take(&mut self.outgoing);
        let sent = self.conversation.send(lines.as_bytes(), meanwhile, &mut self.hearing);
        self.outgoing = lines;
        self.outgoing.clear();
        sent
    }

    fn say(
        &mut self,
        message: &ClientMessage<'_>,
        meanwhile: &mut Meanwhile<'_>,
    ) -> Result<Instant, ConversationError> {
        push(&mut self.outgoing, message);
        self.send(meanwhile)
    }

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
            self.answer_features(meanwhile)?;
        }
        Ok(())
    }

    /// Answers what the engine wished, as soon as it did.
    fn answer_features(&mut self, meanwhile: &mut Meanwhile<'_>) -> Result<(), ConversationError> {
        if !self.hearing.features.replies.is_empty() {
            let replies = std::mem::take(&mut self.hearing.features.replies);
            self.conversation.send(replies.as_bytes(), meanwhile, &mut self.hearing)?;
        }
        Ok(())
    }

    /// Adds a ping to what is sent, if the engine answers such; its number.
    fn push_ping(&mut self) -> Option<u64> {
        self.hearing.features.ping.then(|| {
            self.pings += 1;
            push(&mut self.outgoing, &ClientMessage::Ping(self.pings));
            self.pings
        })
    }

    /// Sends, and waits for the answer to the ping that went with it.
    fn send_and_await(
        &mut self,
        ping: Option<u64>,
        meanwhile: &mut Meanwhile<'_>,
    ) -> Result<Duration, ConversationError> {
        let asked_at = self.send(meanwhile)?;
        let Some(number) = ping else { return Ok(Duration::ZERO) };
        let waited = self.conversation.patience.ready;
        let heard = self.hear_until(asked_at + waited, meanwhile, |hearing| hearing.pong == Some(number));
        self.conversation.fail_if_late(heard, Fault::NoPong { waited })?;
        Ok(self.conversation.process().read_at().saturating_duration_since(asked_at))
    }

    /// Waits until the search has surely begun.
    fn settle(&mut self, meanwhile: &mut Meanwhile<'_>) -> Result<(), ConversationError> {
        let until = self.search.settled_at();
        match self.hear_until(until, meanwhile, |heard| heard.answer.is_some() || heard.info_lines > 0) {
            Ok(()) | Err(Waited::Late) => Ok(()),
            Err(Waited::Stopped(error)) => Err(error),
        }
    }

    /// Listens until the move or a claim comes, the search has thought enough, or the deadline.
    fn hear_search(
        &mut self,
        deadline: Instant,
        ending: Ending,
        meanwhile: &mut Meanwhile<'_>,
        observer: Option<&mut Observer<'_>>,
    ) -> Result<Wish, Waited> {
        let is_over = |hearing: &Hearing| {
            hearing.answer.is_some()
                || hearing.claim.is_some()
                || hearing.refusal.is_some()
                || (hearing.has_enough && ending == Ending::Own)
        };
        let Some(observer) = observer else {
            self.hear_until(deadline, meanwhile, is_over)?;
            return Ok(Wish::GoOn);
        };
        let (position, variant) = (*self.board.position(), self.variant);
        let mut show = |thinking: &Thinking<'_>, time: Duration| {
            let pv = moves::parse_line(thinking.pv, &position, variant);
            observer(&to_info(thinking, &pv), time)
        };
        let (since, hearing) = (self.search.asked_at, &mut self.hearing);
        let mut observed = Observed { hearing, observer: &mut show, since, wish: Wish::GoOn };
        while !is_over(observed.hearing) && observed.wish == Wish::GoOn {
            self.conversation.hear_one(deadline, meanwhile, &mut observed)?;
        }
        Ok(observed.wish)
    }
}

impl Engine for XboardEngine {
    fn introduce(&mut self, meanwhile: &mut Meanwhile<'_>) -> Result<(), ConversationError> {
        push(&mut self.outgoing, &ClientMessage::Xboard);
        push(&mut self.outgoing, &ClientMessage::ProtocolVersion(2));
        let asked_at = self.send(meanwhile)?;
        let waited = self.conversation.patience.start;
        let soon = asked_at + FEATURE_PATIENCE.min(waited);
        let is_done = |hearing: &Hearing| hearing.features.heard == Heard::Done;
        let mut nudged_at = asked_at;
        for (silence, lines) in xboard_nudges() {
            let until = soon.min(nudged_at + silence);
            match self.hear_until(until, meanwhile, |heard| heard.features.heard != Heard::Nothing) {
                Err(Waited::Late) if until < soon => {
                    nudged_at = self.conversation.send(lines, meanwhile, &mut self.hearing)?;
                }
                Ok(()) | Err(Waited::Late) => break,
                Err(Waited::Stopped(error)) => return Err(error),
            }
        }
        match self.hear_until(soon, meanwhile, is_done) {
            Err(Waited::Late) if self.hearing.features.heard == Heard::Announced => {
                let heard = self.hear_until(asked_at + waited, meanwhile, is_done);
                self.conversation.fail_if_late(heard, Fault::NoFeaturesDone { waited })?;
            }
            Ok(()) | Err(Waited::Late) => {}
            Err(Waited::Stopped(error)) => return Err(error),
        }
        self.conversation.state = State::Idle;
        Ok(())
    }

    fn protocol(&self) -> Protocol {
        Protocol::Xboard
    }

    fn is_reusable(&self) -> bool {
        self.hearing.features.reuse
    }

    fn name(&self) -> &str {
        &self.hearing.features.name
    }

    fn author(&self) -> &str {
        ""
    }

    fn options(&self) -> &[OptionDeclaration] {
        &self.hearing.features.options
    }

    fn set_option(
        &mut self,
        name: &str,
        text: &str,
        meanwhile: &mut Meanwhile<'_>,
    ) -> Result<OptionValue, SetOptionError> {
        let options = &self.hearing.features.options;
        let Some(declaration) = option::find(options, name) else {
            let declared = options.iter().map(|option| option.name.clone()).collect();
            return Err(SetOptionError::Unknown { name: name.to_owned(), declared });
        };
        let value = declaration.parse_value(text)?;
        let name = declaration.name.clone();
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
        self.say(&message, meanwhile)?;
        Ok(value)
    }

    fn fit_limits(
        &mut self,
        limits: &SearchLimits,
        known: Option<LimitMethod>,
        meanwhile: &mut Meanwhile<'_>,
    ) -> Result<LimitMethod, ConversationError> {
        self.limit_method = match known {
            Some(method) => method,
            None => self.find_limit_method(limits, meanwhile)?,
        };
        Ok(self.limit_method)
    }

    fn new_game(&mut self, terms: GameTerms, meanwhile: &mut Meanwhile<'_>) -> Result<(), ConversationError> {
        self.abandon(meanwhile)?;
        if terms.variant == CastlingMode::Chess960 && !self.hearing.features.chess960 {
            return Err(Fault::NoChess960 { lack: "its variants do not name fischerandom" }.into());
        }
        self.variant = terms.variant;
        self.push_new_game();
        // For GNU Chess 4 `easy` is a toggle, and `hard` is not.
        push(&mut self.outgoing, &ClientMessage::Hard);
        if terms.pondering == Pondering::Off {
            push(&mut self.outgoing, &ClientMessage::Easy);
        }
        push(&mut self.outgoing, &ClientMessage::Post);
        let ping = self.push_ping();
        self.send_and_await(ping, meanwhile)?;
        self.hearing.claim = None;
        self.hearing.refusal = None;
        Ok(())
    }

    fn ping(&mut self, meanwhile: &mut Meanwhile<'_>) -> Result<Duration, ConversationError> {
        let ping = self.push_ping();
        if ping.is_none() {
            self.conversation.catch_up(&mut self.hearing)?;
            return Ok(Duration::ZERO);
        }
        self.send_and_await(ping, meanwhile)
    }

    fn begin(
        &mut self,
        request: &SearchRequest<'_>,
        meanwhile: &mut Meanwhile<'_>,
    ) -> Result<(), ConversationError> {
        self.abandon(meanwhile)?;
        if request.limits.ponder {
            return Ok(());
        }
        self.conversation.catch_up(&mut self.hearing)?;
        self.hearing.refusal = None;
        let last = self.push_position(request)?;
        let (limits, node_rate) = self.in_words(request.limits);
        let request = &SearchRequest { limits: &limits, ..*request };
        self.push_start(request, node_rate, last)?;
        self.hearing.expect_search(Enough { depth: limits.depth, nodes: limits.nodes });
        let sent = self.send(meanwhile);
        if self.conversation.state != State::Closed {
            self.conversation.state = State::Thinking;
        }
        // Whole seconds alone are told, so shorter times are kept by us.
        let own_stop = limits.move_time.filter(|time| time.subsec_nanos() > 0);
        let stop_after = match (request.stop_after, own_stop) {
            (Some(asked), Some(own)) => Some(asked.min(own)),
            (asked, own) => asked.or(own),
        };
        self.search = RunningSearch { stop_after, ..RunningSearch::new(sent?, request) };
        Ok(())
    }

    fn ponder_hit(
        &mut self,
        request: &SearchRequest<'_>,
        meanwhile: &mut Meanwhile<'_>,
    ) -> Result<(), ConversationError> {
        let limits = SearchLimits { ponder: false, ..request.limits.clone() };
        self.begin(&SearchRequest { limits: &limits, ..*request }, meanwhile)
    }

    fn finish(
        &mut self,
        meanwhile: &mut Meanwhile<'_>,
        mut observer: Option<&mut Observer<'_>>,
    ) -> Result<Searched, ConversationError> {
        let search = self.search;
        let mut deadline = search.asked_at + search.deadline;
        let mut stop_at = search.stop_after.map(|after| search.asked_at + after);
        let mut ending = Ending::Own;
        let mut repetition: Option<Repetition<Answer>> = None;
        loop {
            let silence = repetition.as_ref().map(|repetition| repetition.until);
            let until = [stop_at, silence].into_iter().flatten().fold(deadline, Instant::min);
            let watching = observer.as_deref_mut().filter(|_| ending == Ending::Own);
            let heard = self.hear_search(until, ending, meanwhile, watching);
            if let Some(line) = self.hearing.refusal.take() {
                return Err(self.refused(line));
            }
            let (answers, position) = (self.last_answers, *self.board.position());
            let is_repetition = |answer: &mut Answer| {
                answer.text.parse().is_ok_and(|mv| answers.contains(mv))
                    && moves::parse_move(&answer.text, &position).is_none()
            };
            if let Some(answer) = self.hearing.answer.take_if(is_repetition) {
                self.hearing.await_another();
                repetition = Some(Repetition::new(answer, self.hearing.info_lines));
                continue;
            }
            if self.hearing.answer.is_some() || self.hearing.claim.is_some() {
                return self.conclude(ending, meanwhile);
            }
            if matches!(heard, Err(Waited::Late))
                && let Some(earlier) = repetition.take_if(|it| it.until <= until || deadline <= until)
            {
                if earlier.info_lines == self.hearing.info_lines {
                    self.hearing.answer = Some(earlier.answer);
                    return self.conclude(ending, meanwhile);
                }
                continue;
            }
            match heard {
                Ok(_) => {}
                Err(Waited::Late) if stop_at.is_some_and(|stop_at| stop_at <= until) => {}
                Err(Waited::Late) if ending != Ending::Own => {
                    let waited = self.conversation.patience.stop;
                    return Err(self.conversation.fail(Fault::StopIgnored { waited }).into());
                }
                Err(Waited::Late) => return Err(self.conversation.late(search.deadline)),
                Err(Waited::Stopped(error)) => return Err(error),
            }
            ending = if self.hearing.is_overrun { Ending::Overrun } else { Ending::Stopped };
            stop_at = None;
            self.settle(meanwhile)?;
            deadline = self.say(&ClientMessage::MoveNow, meanwhile)? + self.conversation.patience.stop;
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
        let waited = self.conversation.patience.stop;
        let begun = self.say(&ClientMessage::MoveNow, meanwhile)?;
        let half_way = begun + waited / 2;
        let is_over = |hearing: &Hearing| {
            hearing.awaiting == Awaiting::Nothing || hearing.claim.is_some() || hearing.ignores_move_now
        };
        match self.hear_until(half_way, meanwhile, is_over) {
            Ok(()) | Err(Waited::Late) => {}
            Err(Waited::Stopped(error)) => return Err(error),
        }
        // What does not know `?` may still leave the search by `force`, with a move or without one.
        push(&mut self.outgoing, &ClientMessage::Force);
        let ping = self.push_ping();
        let asked_at = self.send(meanwhile)?;
        let is_silent = |hearing: &Hearing| match ping {
            Some(number) => hearing.pong == Some(number),
            None => hearing.awaiting == Awaiting::Nothing || hearing.claim.is_some(),
        };
        let heard = self.hear_until(asked_at + waited, meanwhile, is_silent);
        self.conversation.fail_if_late(heard, Fault::StopIgnored { waited })?;
        self.hearing.awaiting = Awaiting::Nothing;
        self.hearing.answer = None;
        self.hearing.claim = None;
        self.is_playing = false;
        self.board.forget();
        self.conversation.state = State::Idle;
        Ok(self.conversation.process().read_at().saturating_duration_since(begun))
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
        State::Thinking => b"?\nquit\n",
        _ => b"quit\n",
    }
}

impl Background for XboardEngine {
    fn process_mut(&mut self) -> &mut Process {
        self.conversation.process_mut()
    }

    fn absorb(&mut self) {
        // A fault closes the conversation, and its next verb tells.
        let _ = self.conversation.hear_waiting(&mut self.hearing);
    }
}
