//! The [`Engine`] trait: the operations of an engine in either protocol.

use std::time::Duration;

use smalt_chess::CastlingMode;
use smalt_protocol::option::OptionValueError;
use smalt_protocol::{OptionDeclaration, OptionValue, SearchLimits, option};

use crate::conversation::{Conversation, ConversationError, ExitOutcome};
use crate::fault::{Fault, State};
use crate::nearest::nearest;
use crate::process::{Process, text};
use crate::search::{Abandoned, SearchLines, SearchObserver, SearchRequest, SearchResult};
use crate::settings::{Pondering, Protocol};
use crate::transcript::{Speaker, Transcript, TranscriptLine, TranscriptSink};
use crate::wait_context::{Background, WaitContext};

/// A running engine, for either protocol. Dropping it kills the process and its descendants.
///
/// It belongs to the thread that started it, and that thread must live as long as the engine: see
/// [`crate::process::Process`]. A fatal fault (any but a late, missing, invalid or illegal move, or a refused position)
/// closes the engine, and every method then returns that fault.
pub trait Engine: Background + Send {
    /// The handshake: `uci` to `uciok`, or `protover` to `done=1`.
    ///
    /// # Errors
    /// A fault, which closes the engine; or the interrupt.
    fn introduce(&mut self, context: &mut WaitContext<'_>) -> Result<(), ConversationError>;

    /// The protocol in use; never [`Protocol::Auto`].
    fn protocol(&self) -> Protocol;

    /// Whether it can play another game without a restart.
    fn is_reusable(&self) -> bool {
        true
    }

    /// The name from the handshake; empty if it sent none.
    fn name(&self) -> &str;

    /// The author from the handshake; empty if it sent none.
    fn author(&self) -> &str;

    /// The options declared in the handshake.
    fn options(&self) -> &[OptionDeclaration];

    /// Turns on debug output (UCI `debug on`); xboard has no such command.
    ///
    /// # Errors
    /// As [`Self::introduce`].
    fn set_debug(&mut self, context: &mut WaitContext<'_>) -> Result<(), ConversationError> {
        let _ = context;
        Ok(())
    }

    /// Checks the text against the option's declaration, sets the option and returns the value sent.
    ///
    /// # Errors
    /// If there is no such option or the value does not fit it; nothing is sent then. Or as [`Self::introduce`].
    fn set_option(
        &mut self,
        name: &str,
        text: &str,
        context: &mut WaitContext<'_>,
    ) -> Result<OptionValue, SetOptionError>;

    /// Determines how to enforce limits of this kind and uses that method from now on; call it before the first game. A
    /// result known from another process of the same engine is reused without a trial.
    ///
    /// # Errors
    /// As [`Self::introduce`]; and [`Fault::NoNodeLimit`], which leaves the engine unchanged.
    fn fit_limits(
        &mut self,
        limits: &SearchLimits,
        known: Option<LimitMethod>,
        context: &mut WaitContext<'_>,
    ) -> Result<LimitMethod, ConversationError> {
        let _ = (limits, known, context);
        Ok(LimitMethod::Protocol)
    }

    /// Starts a new game with these options and waits until the engine is ready. Abandons a running search first.
    ///
    /// # Errors
    /// As [`Self::introduce`]; and [`Fault::NoChess960`], which leaves the engine unchanged.
    fn new_game(
        &mut self,
        terms: GameOptions,
        context: &mut WaitContext<'_>,
    ) -> Result<(), ConversationError>;

    /// Sends `isready` or `ping`; returns the time until the answer.
    ///
    /// # Errors
    /// As [`Self::introduce`].
    fn ping(&mut self, context: &mut WaitContext<'_>) -> Result<Duration, ConversationError>;

    /// Starts a search (or pondering, depending on the limits) without waiting for it. Abandons a running search first,
    /// as [`Self::abandon`] does.
    ///
    /// # Errors
    /// As [`Self::introduce`].
    fn begin(
        &mut self,
        request: &SearchRequest<'_>,
        context: &mut WaitContext<'_>,
    ) -> Result<(), ConversationError>;

    /// The expected move was played: pondering becomes a normal search with these times from now on.
    ///
    /// # Errors
    /// As [`Self::introduce`].
    fn ponder_hit(
        &mut self,
        request: &SearchRequest<'_>,
        context: &mut WaitContext<'_>,
    ) -> Result<(), ConversationError>;

    /// Waits for the result of the running search.
    ///
    /// # Errors
    /// As [`Self::introduce`]. After [`Fault::NoBestmove`] and after the interrupt the engine is still thinking:
    /// abandon the search, extend the deadline and wait again, or close the engine.
    fn finish(
        &mut self,
        context: &mut WaitContext<'_>,
        observer: Option<&mut SearchObserver<'_>>,
    ) -> Result<SearchResult, ConversationError>;

    /// Sets another deadline for the running search, counted like the first one.
    fn allow(&mut self, deadline: Duration);

    /// Starts a search and waits for its result.
    ///
    /// # Errors
    /// As [`Self::finish`].
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        context: &mut WaitContext<'_>,
        observer: Option<&mut SearchObserver<'_>>,
    ) -> Result<SearchResult, ConversationError> {
        self.begin(request, context)?;
        self.finish(context, observer)
    }

    /// Which lines of each later search [`Self::search_lines`] keeps.
    fn keep_search_lines(&mut self, lines: SearchLines) {
        let _ = lines;
    }

    /// The lines kept from the last search, each with a line feed; of a very long search only the last ones. Always
    /// empty for xboard.
    fn search_lines(&self) -> &[u8] {
        &[]
    }

    /// Stops a running search and discards its result; no later line of it is taken for the next search's.
    ///
    /// # Errors
    /// As [`Self::introduce`].
    fn abandon(&mut self, context: &mut WaitContext<'_>) -> Result<Abandoned, ConversationError>;

    #[doc(hidden)]
    fn conversation(&self) -> &Conversation;

    #[doc(hidden)]
    fn conversation_mut(&mut self) -> &mut Conversation;

    /// The last lines that it gets, by its state.
    #[doc(hidden)]
    fn quit_lines(&self) -> &'static [u8];

    /// Sends `quit` without waiting, so that several engines can exit at the same time; call [`Self::quit`] next.
    fn send_quit(&mut self) {
        let lines = self.quit_lines();
        self.conversation_mut().send_quit(lines);
    }

    /// Sends `quit` (unless sent already) and waits for the exit: SIGTERM follows after the timeout, SIGKILL half a
    /// second later.
    fn quit(&mut self) -> ExitOutcome {
        let lines = self.quit_lines();
        self.conversation_mut().quit(lines)
    }

    /// Kills it at once.
    fn kill(&mut self) {
        self.conversation_mut().kill();
    }

    fn state(&self) -> State {
        self.conversation().state
    }

    /// The fault that closed it, if any.
    fn fault(&self) -> Option<&Fault> {
        self.conversation().fault()
    }

    fn transcript(&self) -> &Transcript {
        &self.conversation().transcript
    }

    /// The last lines of the conversation, then the last lines of standard error.
    fn last_lines(&self) -> Vec<TranscriptLine> {
        let mut lines = self.transcript().lines();
        let after = lines.last().map_or(Duration::ZERO, |line| line.after);
        let stderr = self.process().stderr_lines().map(|line| TranscriptLine {
            after,
            speaker: Speaker::Stderr,
            text: text(line).into_owned(),
        });
        lines.extend(stderr);
        lines
    }

    /// Copies every later line of the conversation to this sink.
    fn set_transcript_sink(&mut self, sink: Option<Box<dyn TranscriptSink>>) {
        self.conversation_mut().transcript.set_sink(sink);
    }

    /// Its process: process id, identity, last lines of standard error.
    fn process(&self) -> &Process {
        self.conversation().process()
    }
}

/// Settings of a game that the engine needs before it begins; by default standard chess without pondering.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct GameOptions {
    /// Chess960 if castling needs its notation ([`CastlingMode::of`]).
    pub variant: CastlingMode,
    /// Whether it may think on its opponent's time.
    pub pondering: Pondering,
}

/// How a node limit or a move time is enforced.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum LimitMethod {
    /// By a command of the protocol.
    #[default]
    Protocol,
    /// `?` is sent at the time limit or once the engine reports enough nodes, so it searches slightly more.
    MoveNow,
    /// By a clock for a single move; the engine may use less.
    OneMoveClock,
    /// By time measured in nodes (xboard `nps`); the engine may use less.
    NodeRate,
}

/// Why an option was not set.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SetOptionError {
    /// The engine declared no such option.
    #[error(
        "set option {name:?}: the engine has none of that name{} (it has {})",
        hint(name, declared),
        list(declared)
    )]
    Unknown {
        name: String,
        /// The options that it declared.
        declared: Vec<String>,
    },
    #[error("set an option: {0}")]
    Value(#[from] OptionValueError),
    #[error(transparent)]
    Conversation(#[from] ConversationError),
}

/// The name of an option as the engine declared it, and the value that a text gives it.
pub(crate) fn parse_option(
    options: &[OptionDeclaration],
    name: &str,
    text: &str,
) -> Result<(String, OptionValue), SetOptionError> {
    let Some(declaration) = option::find(options, name) else {
        let declared = options.iter().map(|option| option.name.clone()).collect();
        return Err(SetOptionError::Unknown { name: name.to_owned(), declared });
    };
    Ok((declaration.name.clone(), declaration.parse_value(text)?))
}

fn hint(name: &str, declared: &[String]) -> String {
    let nearest = nearest(name, declared.iter().map(String::as_str));
    nearest.map_or_else(String::new, |nearest| format!(": did you mean {nearest}?"))
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "no options".to_owned() } else { names.join(", ") }
}
