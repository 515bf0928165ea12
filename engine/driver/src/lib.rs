//! Starts engines ([`start`]) and talks to them ([`Engine`]); no other crate of the workspace starts processes. One
//! thread plays one game, owns both engines, and waits in one place, `poll(2)`, always with an absolute deadline
//! ([`WaitContext`]). An engine's misbehavior is a [`Fault`], an ordinary result. The engine process dies when its value
//! is dropped, or when the thread or the program dies.
//!
//! ```no_run
//! use std::time::Duration;
//! use smalt_driver::{ConversationError, Engine, EngineCommand, GameOptions, WaitContext, EngineTimeouts, Protocol, SearchRequest};
//! use smalt_protocol::{SearchLimits, uci::client::Start};
//!
//! # fn main() -> Result<(), ConversationError> {
//! let nothing = &mut WaitContext::none();
//! let command = EngineCommand::new("stockfish");
//! let mut engine = smalt_driver::start(&command, Protocol::Uci, EngineTimeouts::default(), None, nothing)?;
//! engine.new_game(GameOptions::default(), nothing)?;
//! let limits = SearchLimits { depth: Some(10), ..SearchLimits::default() };
//! let deadline = Duration::from_secs(60);
//! let request = SearchRequest { start: Start::Standard, moves: &[], limits: &limits, deadline, stop_after: None };
//! let searched = engine.search(&request, nothing, None)?;
//! assert!(searched.best.is_some() && searched.report.depth >= Some(10));
//! engine.quit();
//! # Ok(())
//! # }
//! ```
//!
//! Modules in reading order:
//!
//! - `settings`: protocol, pondering and restart of an engine;
//! - [`process`]: a child process with pipes, which is killed with all its children;
//! - `wait_context`: what a wait for an engine also watches: the interrupt, the other engine of the game;
//! - `fault`: the closed list of faults;
//! - `declared_options`: the options that an engine declares, within limits;
//! - `transcript`: the last lines of a conversation, and a full log;
//! - `conversation`: lines written and read by a deadline;
//! - `search`: requests and results of a search;
//! - `engine`: the operations of an engine in either protocol;
//! - `uci`, `xboard`: engines that speak UCI or xboard;
//! - `start`: starts an engine and detects its protocol;
//! - [`nearest`]: the nearest name to a misspelled one.
//!
//! Move legality and time forfeits are left to the game.

mod conversation;
mod declared_options;
mod engine;
mod fault;
pub mod nearest;
pub mod process;
mod search;
mod settings;
mod start;
mod transcript;
mod uci;
mod wait_context;
mod xboard;

pub use conversation::{ConversationError, EngineTimeouts, ExitOutcome};
pub use engine::{Engine, GameOptions, LimitMethod, SetOptionError};
pub use fault::{Fault, LastOutput, State, StderrExcerpt};
pub use process::EngineCommand;
pub use search::{
    Abandoned, ResultClaim, SearchControl, SearchEnd, SearchLines, SearchObserver, SearchReport,
    SearchRequest, SearchResult, WorkLimit,
};
pub use settings::{Pondering, Protocol, Restart};
pub use start::{StartFailure, start};
pub use transcript::{Speaker, Transcript, TranscriptLine, TranscriptSink};
pub use uci::UciEngine;
pub use wait_context::{Background, WaitContext};
pub use xboard::{XboardEngine, xboard_wake_up_lines};
