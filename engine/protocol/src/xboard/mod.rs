//! The Chess Engine Communication Protocol (CECP) of xboard and WinBoard, version 2 with the remaining commands of
//! version 1: one module for each end of the pipe, named after the sender.
//!
//! Both ends parse any line without an error: a line that is not a message of the protocol becomes `Other`. Moves stay
//! text, since engines write coordinate notation or SAN, and SAN needs a position ([`moves`]). Source: engine-intf.html
//! of xboard 4.9.

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
