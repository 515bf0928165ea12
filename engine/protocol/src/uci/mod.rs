//! UCI: one module for each end of the pipe, named after the sender.
//!
//! Both ends parse any line without an error: a line that is not a message of the protocol becomes `Other`, which a
//! runner logs and an engine may execute as an extra command.

pub mod client;
pub mod engine;

mod go_text;
mod info_text;
mod option_text;

pub use client::ClientMessage;
pub use engine::EngineMessage;
