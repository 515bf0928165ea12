//! Whole conversations in xboard's protocol, over pipes as an interface would hold them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod board;
mod language;
#[path = "../pipes/mod.rs"]
mod pipes;
mod playing;
mod script;
mod thinking;
