//! Whole conversations in xboard's protocol, over pipes as an interface would hold them.

mod board;
mod language;
mod playing;
mod script;
mod thinking;
