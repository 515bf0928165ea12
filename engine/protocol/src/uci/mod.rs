//! The universal chess interface: one module for each end of the pipe, named after who speaks.
//!
//! Both ends read any line without an error: what is no message of the protocol comes back as `Other`, to be
//! logged or, since engines have commands of their own, to be obeyed.

pub mod client;
pub mod engine;

mod go_text;
mod info_text;
mod option_text;

pub use client::ClientMessage;
pub use engine::EngineMessage;
