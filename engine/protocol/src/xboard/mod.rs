//! The Chess Engine Communication Protocol (CECP) of xboard and WinBoard, version 2 and what is left of version 1: one
//! module for each end of the pipe, named after who speaks.
//!
//! Both ends read any line without an error: what is no message of the protocol comes back as `Other`. Moves stay
//! text here, since engines write them in coordinates or in algebraic notation, and only a position tells what the
//! latter mean ([`moves`]). After the protocol's own description (engine-intf.html of xboard 4.9).

pub mod client;
pub mod engine;
pub mod moves;

mod feature_text;
mod option_text;
mod seconds;
mod thinking_text;

pub use client::ClientMessage;
pub use engine::EngineMessage;
pub use feature_text::{Feature, FeatureValue};
pub use option_text::{declare_option, parse_option};
pub use thinking_text::{LineEnding, Thinking};
