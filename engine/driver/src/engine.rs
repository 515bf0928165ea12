//! The [`Engine`] trait: the operations of an engine in either protocol.

use std::time::Duration;

use smalt_chess::CastlingMode;
use smalt_protocol::option::OptionValueError;
use smalt_protocol::{OptionDeclaration, OptionValue, SearchLimits};

use crate::conversation::{ConversationError, ExitOutcome};
use crate::fault::{Fault, State};
use crate::nearest::nearest;
use crate::process::{Process, text};
use crate::search::{SearchLines, SearchObserver, SearchRequest, SearchResult};
use crate::settings::{Pondering, Protocol};
use crate::transcript::{Speaker, Transcript, TranscriptLine, TranscriptSink};
use crate::wait_context::{Background, WaitContext};

/// A running engine, whichever protocol it speaks. Dropping it kills its process and all that it started.
///
/// It belongs to the thread that spawned it, which must live as long: see [`crate::process::Process`]. After a fatal fault
/// (every fault but a late, missing, invalid or illegal move, or a refused position) it is closed, and every method returns
/// that fault.
pub trait Engine: Background + Send {
    /// The handshake: `uci` to `uciok`, or `protover` to `done=1`.
    ///
    /// # Errors
    /// A fault of the engine, which ends it; or the interrupt.
    fn introduce(&mut self, context: &mut WaitContext<'_>) -> Result<(), ConversationError>;

    /// What it speaks; never [`Protocol::Auto`].
    fn protocol(&self) -> Protocol;

    /// Whether it can play another game without being started anew.
    fn is_reusable(&self) -> bool {
        true
    }

    /// Its own name; empty if it sent none.
    fn name(&self) -> &str;

    /// Its author; empty if it sent none.
    fn author(&self) -> &str;

    /// The options that it declared.
    fn options(&self) -> &[OptionDeclaration];

    /// Asks for debug output (`debug on` of UCI); the xboard protocol has no such word.
    ///
    /// # Errors
    /// As [`Self::introduce`].
    fn set_debug(&mut self, context: &mut WaitContext<'_>) -> Result<(), ConversationError> {
        let _ = context;
        Ok(())
    }

    /// Sets an option that it declared to this text, after checking it; gives the value that was sent.
    ///
    /// # Errors
    /// When there is no such option, or the value does not fit it: nothing was sent then. Or as [`Self::introduce`].
    fn set_option(
        &mut self,
        name: &str,
        text: &str,
        context: &mut WaitContext<'_>,
    ) -> Result<OptionValue, SetOptionError>;

    /// Finds out how the engine can be held to limits of this kind, and uses that way from now on: to be called before its
    /// first game. What is known already of another process of the same engine is taken over without a trial.
    ///
    /// # Errors
    /// As [`Self::introduce`]; and [`Fault::NoNodeLimit`], which leaves the engine as it was.
    fn fit_limits(
        &mut self,
        limits: &SearchLimits,
        known: Option<LimitMethod>,
        context: &mut WaitContext<'_>,
    ) -> Result<LimitMethod, ConversationError> {
        let _ = (limits, known, context);
        Ok(LimitMethod::Protocol)
    }

    /// Says that another game begins, on which terms, and waits until it is ready. A search that still runs is
    /// abandoned first.
    ///
    /// # Errors
    /// As [`Self::introduce`]; and [`Fault::NoChess960`], which leaves the engine as it was.
    fn new_game(
        &mut self,
        terms: GameOptions,
        context: &mut WaitContext<'_>,
    ) -> Result<(), ConversationError>;

    /// Asks if it is there; how long it took to answer.
    ///
    /// # Errors
    /// As [`Self::introduce`].
    fn ping(&mut self, context: &mut WaitContext<'_>) -> Result<Duration, ConversationError>;

    /// Starts a search (or pondering, as the limits say), and does not wait for it. A search that still runs is
    /// abandoned first, as [`Self::abandon`] does.
    ///
    /// # Errors
    /// As [`Self::introduce`].
    fn begin(
        &mut self,
        request: &SearchRequest<'_>,
        context: &mut WaitContext<'_>,
    ) -> Result<(), ConversationError>;

    /// The move that it ponders on was played: the search goes on, as a search with these times from now.
    ///
    /// # Errors
    /// As [`Self::introduce`].
    fn ponder_hit(
        &mut self,
        request: &SearchRequest<'_>,
        context: &mut WaitContext<'_>,
    ) -> Result<(), ConversationError>;

    /// Waits for the result of the search that was begun.
    ///
    /// # Errors
    /// As [`Self::introduce`]. After [`Fault::NoBestmove`] and after the interrupt the engine still thinks: abandon
    /// the search, allow it more time and wait again, or close the engine.
    fn finish(
        &mut self,
        context: &mut WaitContext<'_>,
        observer: Option<&mut SearchObserver<'_>>,
    ) -> Result<SearchResult, ConversationError>;

    /// Gives the search that runs another deadline, counted as the first one was.
    fn allow(&mut self, deadline: Duration);

    /// Begins a search and waits for its result.
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

    /// Keeps these lines of each search from the next one on, for [`Self::search_lines`].
    fn keep_search_lines(&mut self, lines: SearchLines) {
        let _ = lines;
    }

    /// The lines of the last search that were kept, each with a line feed; of a very long search only the last ones. None in
    /// xboard's protocol.
    fn search_lines(&self) -> &[u8] {
        &[]
    }

    /// Stops a search and throws its result away; after it, no line of that search can be taken for the next one's.
    /// Does nothing without a search.
    ///
    /// The time from our `stop` to its answer.
    ///
    /// # Errors
    /// As [`Self::introduce`].
    fn abandon(&mut self, context: &mut WaitContext<'_>) -> Result<Duration, ConversationError>;

    /// Sends `quit` and does not wait, so that several engines can leave at the same time; [`Self::quit`] comes next.
    fn ask_to_quit(&mut self);

    /// Asks it to quit (unless that has been done) and waits for its exit: after the timeout SIGTERM
    /// follows, and half a second later it is killed.
    fn quit(&mut self) -> ExitOutcome;

    /// Ends it at once.
    fn kill(&mut self);

    /// What it is doing.
    fn state(&self) -> State;

    /// The fault that closed it.
    fn fault(&self) -> Option<&Fault>;

    /// The last lines of the conversation.
    fn transcript(&self) -> &Transcript;

    /// The last lines of the conversation, and behind them the last ones of its standard error.
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

    /// Sends every later line of the conversation to this sink too.
    fn set_transcript_sink(&mut self, sink: Option<Box<dyn TranscriptSink>>);

    /// Its process: number, identity, last lines of its standard error.
    fn process(&self) -> &Process;
}

/// What an engine must know of a game before it begins; by default standard chess without pondering.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct GameOptions {
    /// Chess960 where castling cannot be written as the standard's two steps ([`CastlingMode::of`]).
    pub variant: CastlingMode,
    /// Whether it may think on its opponent's time.
    pub pondering: Pondering,
}

/// How an engine is held to a limit of nodes or of time for each move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum LimitMethod {
    /// The protocol has the words for it.
    #[default]
    Protocol,
    /// `?` is sent at the time limit or when its lines show enough nodes, so it searches a few nodes more.
    MoveNow,
    /// It gets a clock for one move with that time left; it may use less.
    OneMoveClock,
    /// It measures time in nodes (xboard's `nps`), and may use less.
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
        /// The names of those that it has.
        declared: Vec<String>,
    },
    #[error("set an option: {0}")]
    Value(#[from] OptionValueError),
    #[error(transparent)]
    Conversation(#[from] ConversationError),
}

fn hint(name: &str, declared: &[String]) -> String {
    let nearest = nearest(name, declared.iter().map(String::as_str));
    nearest.map_or_else(String::new, |nearest| format!(": did you mean {nearest}?"))
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "no options".to_owned() } else { names.join(", ") }
}
