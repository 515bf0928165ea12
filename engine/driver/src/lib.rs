//! Runs foreign engines: the only code of the project that starts processes.
//!
//! One thread plays one game and owns both engines. It starts them ([`start`]), speaks with them through [`Engine`], and waits in one place, `poll(2)`, with an absolute deadline each time; while it waits for one engine
//! the other's pipes are read too ([`Meanwhile`]), and an [`process::Interrupt`] from any thread ends the wait. What
//! an engine does wrong is a [`Fault`], a result like any other. When the value is dropped, or the thread or the whole
//! program dies, the engine's process dies too.
//!
//! ```no_run
//! use std::time::Duration;
//! use smalt_driver::{ConversationError, Engine, EngineCommand, GameTerms, Meanwhile, Patience, Protocol, SearchRequest};
//! use smalt_protocol::{SearchLimits, uci::client::Start};
//!
//! # fn main() -> Result<(), ConversationError> {
//! let nothing = &mut Meanwhile::nothing();
//! let command = EngineCommand::new("stockfish");
//! let mut engine = smalt_driver::start(&command, Protocol::Uci, Patience::default(), None, nothing)?;
//! engine.new_game(GameTerms::default(), nothing)?;
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
//! Whether a move is legal, or in time, is for the game to say: the rules of chess serve here to translate notations.

mod conversation;
mod engine;
mod fault;
mod meanwhile;
pub mod nearest;
pub mod process;
mod search;
mod settings;
mod start;
mod transcript;
mod uci;
mod xboard;

pub use conversation::{ConversationError, Farewell, Patience};
pub use engine::{Engine, GameTerms, LimitMethod, SetOptionError};
pub use fault::{Fault, LastWords, State, Survival};
pub use meanwhile::{Background, Meanwhile};
pub use process::EngineCommand;
pub use search::{Claim, Ending, Observer, Report, SearchRequest, Searched, Wish, WorkLimit};
pub use settings::{Pondering, Protocol, Restart};
pub use start::{StartFailure, start};
pub use transcript::{LINES_KEPT, Speaker, Transcript, TranscriptLine, TranscriptSink};
pub use uci::UciEngine;
pub use xboard::{XboardEngine, xboard_nudges};
